// Machines that options name: --machine and --placement.
#pragma once
#include "cli/tagger/run.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "runtime-sim/host/host.h"

// A machine as configuration files describe it.
struct tagger_machine {
    struct machine_config config;
    struct host_config host;
    struct config resolved;
};

// Reads the machine of an option by its name or file. Returns false after reporting errors.
bool tag_read_machine(struct tagger_invocation *run, const char *option, const char *name,
                      struct tagger_machine *machine);
// Sets the keys of the capability that the machine of --machine determines. Returns false after
// reporting errors.
bool tag_set_machine(struct tagger_invocation *run, struct capability *capability);
