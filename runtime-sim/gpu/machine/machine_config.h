// The configuration of a machine.
#pragma once
#include "runtime-sim/energy/energy.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/gpu/core/tags.h"
#include "runtime-sim/gpu/core/timing.h"
#include "runtime-sim/memsys/memsys.h"

struct scheme_ops;
struct sites;

// The first of the classes that a scheme's `require` adds to each network.
struct scheme_classes {
    uint8_t request, reply;
};

struct machine_keys {
#define CONFIG_DEF "runtime-sim/gpu/machine/machine.def"
#include "runtime-sim/base/config_fields.inc"
};

// Cores of a kind other than the ordinary one. They execute CTAs of the launches whose placement
// names the kind, and warps that schemes start.
struct added_cores {
    const char *name; // used in statistics and traces
    struct core_config core;
    struct cache_config l1;
    struct tags_config code, constant, texture;
    // MEMSYS_AT_PARTITION: each core is the endpoint of a partition. MEMSYS_OF_OWNER: each core has
    // its own endpoint at a node.
    enum memsys_endpoint_kind at;
    const uint32_t *places;         // partition or node of each core
    const struct memsys_past *past; // path of each core, which then needs no node; may be NULL
    uint32_t count;
    uint32_t scheme; // number of the registered scheme that added them; set by the machine
};

struct machine_config {
    struct machine_keys machine;
    // The ordinary cores; memory.cores is their number.
    struct core_config core;
    struct cache_config l1;
    struct tags_config code, constant, texture;
    struct level_config code_l0, read_only_l15;
    struct memsys_config memsys;
    struct energy_config energy;
    // Schemes that may be active, NULL-terminated, and the values of their sections; NULL: no
    // schemes.
    const struct scheme_ops *const *schemes;
    void **of_scheme;
    struct scheme_classes *classes; // of each scheme, of a machine's configuration
    VEC(struct added_cores) added;  // by active schemes: kinds 1 and up
    struct image **image;           // of the device, for schemes; NULL: they get none
    struct sites *sites;            // counts by instruction (core/sites.h); NULL: not counted
    struct memsys_far far;          // link to other devices; rate 0: none
    bool copies; // the machine has copy engines: an endpoint, and the requester `copy`
};

// Returns the number of registered schemes.
uint32_t machine_scheme_count(const struct machine_config *config);
// Returns true if the configuration enables a registered scheme.
bool machine_enables(const struct machine_config *config, uint32_t scheme);
// Returns the number of a registered scheme.
uint32_t machine_scheme_number(const struct machine_config *config, const struct scheme_ops *ops);
// Returns the first classes that the scheme added to the networks.
struct scheme_classes machine_scheme_classes(const struct machine_config *config,
                                             const struct scheme_ops *ops);
// Copies the ordinary kind, without cores, for the `require` of a scheme, and returns the copy, to
// be changed before the next one is added.
struct added_cores *machine_add_cores(struct arena *arena, struct machine_config *config,
                                      const char *name);
// Returns the state planes that the enabled schemes need.
struct plane_kind machine_planes(const struct machine_config *config);
