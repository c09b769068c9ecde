// Registers memory stacks as a scheme.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/stacks/stacks.h"

static const struct config_key keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/stacks/stack.def"
#define CONFIG_OF struct stack_config
#include "runtime-sim/base/config_keys.inc"
};

static bool is_on(const void *config)
{
    return ((const struct stack_config *)config)->stacks;
}

static const char *check(struct arena *arena, const void *config,
                         const struct machine_config *machine)
{
    return stacks_check(arena, config, &machine->memsys);
}

static void *create(struct machine *machine, const void *config, const void *plan)
{
    (void)plan;
    return stacks_new(machine_port(machine).arena, config, &machine_port(machine).config->memsys);
}

static void extend(struct machine *machine, void *state, struct memsys_tables *tables)
{
    (void)machine;
    tables->backend = &((struct stacks *)state)->backend;
}

static void connect(struct machine *machine, void *state)
{
    ((struct stacks *)state)->memsys = machine_port(machine).memsys;
}

static void settle(struct machine *machine, void *state)
{
    stacks_settle(state, memsys_backend_clock(machine_port(machine).memsys));
}

static void *begin_trace(struct machine *machine, void *state, struct arena *arena,
                         struct trace *to, uint32_t *process)
{
    return stack_trace_begin(state, arena, to,
                             machine_port(machine).config->memsys.memory.core_clock, process);
}

static void end_trace(void *trace, uint64_t now)
{
    (void)now;
    stack_trace_end(trace);
}

static void add_stats(const void *state, struct stats *stats)
{
    const struct stacks *s = state;
    stats_add(stats, "stack", stack_stat_keys, stack_stat_key_count, &s->total);
    for (uint32_t i = 0; i < s->count; i++)
        stats_add_member(stats, "stack*", arena_printf(stats->arena, "stack%u", i), stack_stat_keys,
                         stack_stat_key_count, &s->stacks[i].stats);
}

// Adds energy events with the constants of [002 §5].
static void stacks_energy(const void *config, const struct machine_config *machine,
                          struct energy_model *model)
{
    (void)config, (void)machine;
    energy_add(model, "links", "stack.offchip_link", ENERGY_offchip_link, 1);
    energy_add(model, "links", "stack.offchip_link_idle", ENERGY_offchip_link_idle, 1);
    energy_add(model, "stacks", "stack.stack_row_activate", ENERGY_stack_row_activate, 1);
    energy_add(model, "stacks", "stack.stack_row_read", ENERGY_stack_row_read, 1);
}

const struct scheme_ops memory_stacks = {
    .name = "stacks",
    .configuration = {.section = "stack",
                      .keys = keys,
                      .key_count = ARRAY_LENGTH(keys),
                      .config_bytes = sizeof(struct stack_config),
                      .is_on = is_on,
                      .check = check},
    .memory = {.create = create, .extend = extend, .connect = connect},
    .report = {.energy = stacks_energy,
               .settle = settle,
               .add_stats = add_stats,
               .begin_trace = begin_trace,
               .end_trace = end_trace},
};
