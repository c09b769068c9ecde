// Kinds of cores: the ordinary one, from the configuration, and those that schemes add.
#include "runtime-sim/gpu/core/units.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include <assert.h>

struct added_cores *machine_add_cores(struct arena *arena, struct machine_config *config,
                                      const char *name)
{
    struct added_cores added = {.name = name,
                                .core = config->core,
                                .l1 = config->l1,
                                .code = config->code,
                                .constant = config->constant,
                                .texture = config->texture,
                                .at = MEMSYS_OF_OWNER};
    vec_push(arena, &config->added, added);
    return &config->added.v[config->added.n - 1];
}

static void init_kind(struct machine *machine, struct machine_kind *to, uint32_t count)
{
    const struct core_config *core = to->kind.config;
    assert(core->threads <= core->warps * LANES);
    for (uint32_t i = 0; i < TIMING_CLASSES; i++) {
        to->kind.latency[i] = timing_latency(core, i);
        to->kind.interval[i] = timing_interval(core, i);
    }
    units_init_kind(&to->kind);
    to->kind.code_l0 = &machine->config->code_l0;
    to->kind.read_only_l15 = &machine->config->read_only_l15;
    to->kind.l1_unit = memsys_read_unit(&machine->config->memsys);
    to->kind.number = (uint32_t)(to - machine->kinds);
    to->first = to->turn = machine->count;
    to->count = count;
    machine->count += count;
    machine->kind_count++;
}

void machine_init_kinds(struct machine *machine)
{
    const struct machine_config *config = machine->config;
    machine->kinds = ARENA_ARRAY(machine->arena, struct machine_kind, 1 + config->added.n);
    machine->kinds[0].kind = (struct core_kind){.name = "core",
                                                .config = &config->core,
                                                .l1 = &config->l1,
                                                .code = &config->code,
                                                .constant = &config->constant,
                                                .texture = &config->texture};
    machine->shared.flush_l1 = config->machine.flush_l1;
    machine->ordinary = machine->shared.cores = config->memsys.memory.cores;
    init_kind(machine, &machine->kinds[0], machine->ordinary);
    for (uint32_t i = 0; i < config->added.n; i++) {
        const struct added_cores *added = &config->added.v[i];
        machine->kinds[1 + i].kind = (struct core_kind){.name = added->name,
                                                        .config = &added->core,
                                                        .l1 = &added->l1,
                                                        .code = &added->code,
                                                        .constant = &added->constant,
                                                        .texture = &added->texture,
                                                        .adder = added->scheme + 1};
        init_kind(machine, &machine->kinds[1 + i], added->count);
    }
}

void machine_add_endpoints(struct machine *machine, struct memsys_tables *tables)
{
    for (uint32_t i = 0; i < machine->config->added.n; i++) {
        const struct added_cores *added = &machine->config->added.v[i];
        for (uint32_t k = 0; added->at == MEMSYS_OF_OWNER && k < added->count; k++)
            vec_push(machine->arena, &tables->endpoints,
                     added->past ? (struct memsys_endpoint){.past = &added->past[k]}
                                 : (struct memsys_endpoint){.node = added->places[k]});
    }
}

// Returns the endpoint of a core. `row` is the next row of the table of endpoints.
static uint32_t endpoint_of(const struct machine *machine, const struct added_cores *added,
                            uint32_t number, uint32_t *row)
{
    const struct memsys *memsys = machine->shared.memsys;
    return added->at == MEMSYS_AT_PARTITION
               ? memsys_partition_endpoint(memsys, added->places[number])
               : (*row)++;
}

void machine_init_cores(struct machine *machine, const struct memsys_tables *tables)
{
    uint32_t ends = memsys_endpoint_count(machine->shared.memsys), slots = 0, row = ends;
    for (uint32_t i = 0; i < machine->config->added.n; i++)
        if (machine->config->added.v[i].at == MEMSYS_OF_OWNER)
            row -= machine->config->added.v[i].count;
    (void)tables; // without assertions
    assert(row >= ends - tables->endpoints.n);
    machine->cores = ARENA_ARRAY(machine->arena, struct core, machine->count);
    machine->core_at = ARENA_ARRAY(machine->arena, uint32_t, ends);
    for (uint32_t k = 0; k < machine->kind_count; k++) {
        struct machine_kind *kind = &machine->kinds[k];
        for (uint32_t i = 0; i < kind->count; i++) {
            uint32_t index = kind->first + i;
            struct core *core = &machine->cores[index];
            core_init(core, machine->arena, &machine->shared, &kind->kind, index);
            core->id.endpoint =
                k ? endpoint_of(machine, &machine->config->added.v[k - 1], i, &row) : index;
            core->id.first_slot = slots;
            machine->core_at[core->id.endpoint] = index;
            slots += core->words * 64;
        }
    }
}
