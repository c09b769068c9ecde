// Maps on a machine: a kernel, a map's text, the cores' state afterwards.
#pragma once
#include "runtime-sim/schemes/rgpu/spatial.h"
#include "tests/unit/passes/map_text.h"
#include "tests/unit/runtime-sim/machine_fixture.h"
#include <math.h>

// Settings of a machine that runs maps, without and with ideal memory. Each ends in a comma.
#define SPATIAL(...) SETTINGS(__VA_ARGS__ "spatial.enabled=true")
#define IDEAL(...) SPATIAL(__VA_ARGS__ "spatial.ideal=true", )

struct map_rig_machine {
    struct rig r;
    struct map_rig map;
    struct spatial_machine *m;
};

static inline void map_rig_machine_prepare(struct map_rig_machine *run, const char *kernel,
                                           const char *map, uint32_t cores,
                                           const char *const *settings)
{
    map_rig_load(&run->map, map);
    rig_configure_from(&run->r, kernel, "gtx480", cores, settings, schemes);
    rig_build_planned(&run->r, NULL);
    run->m = machine_scheme(run->r.machine, &rgpu);
}

static inline void map_run_go(struct map_rig_machine *run, const char *kernel, uint32_t grid,
                              uint32_t block)
{
    rig_add(&run->r, kernel, grid, block)->map = run->map.map;
    rig_go(&run->r);
}

static inline void map_run_free(struct map_rig_machine *run)
{
    rig_free(&run->r);
    map_rig_free(&run->map);
}

// Returns a unit of a core, by its node's name, after the run.
static inline const struct spatial_unit *map_unit(const struct map_rig_machine *run, uint32_t core,
                                                  const char *name, uint32_t copy)
{
    const struct spatial_array *array = run->m->cores[core]->array;
    for (uint32_t i = 0; i < array->unit_count; i++)
        if (!strcmp(array->units[i].node->name.text, name) && array->units[i].copy == copy)
            return &array->units[i];
    fail_msg("no unit %s", name);
    return NULL;
}
