// --placement: where a machine computes the chains of a program, and where arrays should lie.
#include "cli/tagger/run.h"
#include "report/placing.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "runtime-sim/host/host.h"
#include "runtime-sim/schemes/schemes.h"

// A machine as configuration files describe it.
struct placement_machine {
    struct machine_config config;
    struct host_config host;
    struct config resolved;
};

static bool read_machine(struct tagger_invocation *run, struct placement_machine *machine)
{
    uint32_t count;
    const char *name = run->arguments.placement;
    struct config_section *sections =
        machine_sections(&machine->config, &run->arena, schemes, &count);
    sections[count++] = host_section(&machine->host);
    config_init(&machine->resolved, &run->arena, sections, count);
    bool good = config_load(&machine->resolved, name);
    for (uint32_t i = 0; i < machine->resolved.texts.n; i++) {
        struct config_text *text = machine->resolved.texts.v[i];
        good &= messages_diags(&run->frame.messages, &text->diags, &text->source);
    }
    if (!good)
        return false;
    const char *wrong = machine_check(&run->arena, &machine->config);
    wrong = wrong ? wrong : placing_check(&machine->config);
    if (wrong)
        message_error(&run->frame.messages, "%s: %s", name, wrong);
    return !wrong;
}

int tag_placement(struct tagger_invocation *run, const struct pass_options *options)
{
    struct placement_machine *machine = ARENA_NEW(&run->arena, struct placement_machine);
    const struct format_request *json = &run->arguments.common.reports[REPORT_JSON];
    FILE *to = frame_open(&run->frame, json->wanted && json->path ? json->path : "-");
    if (!to || !read_machine(run, machine))
        return BAD_INPUT;
    struct placings placing = placing_find(&run->arena, &run->tagging.plan, &run->tagging.module,
                                           options, &machine->config);
    const struct placing_program program = {&run->arena, &run->tagging.module, &run->tagging.plan,
                                            run->arguments.placement};
    placing_print(&placing, &program, json->wanted, to);
    return frame_commit(&run->frame, DONE);
}
