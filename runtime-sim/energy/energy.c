#include "runtime-sim/energy/energy.h"
#include <string.h>

enum { PJ_PER_NJ = 1000 };

void energy_init(struct energy_model *model, struct arena *arena,
                 const struct energy_config *config, double core_mhz)
{
    *model = (struct energy_model){.arena = arena, .config = config, .core_hertz = core_mhz * 1e6};
}

// Building

static uint32_t component_of(struct energy_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->components.n; i++)
        if (!strcmp(model->components.v[i], name))
            return i;
    vec_push(model->arena, &model->components, name);
    return model->components.n - 1;
}

void energy_add_range(struct energy_model *model, const char *component, const char *statistic,
                      struct energy_range cost)
{
    struct energy_event event = {component_of(model, component), statistic, cost};
    vec_push(model->arena, &model->events, event);
}

void energy_add(struct energy_model *model, const char *component, const char *statistic,
                enum energy_cost cost, double times)
{
    energy_add_range(model, component, statistic,
                     energy_times(energy_cost_of(model->config, cost), times));
}

void energy_add_power(struct energy_model *model, const char *component, struct energy_range watts)
{
    struct energy_power power = {component_of(model, component), watts};
    vec_push(model->arena, &model->powers, power);
}

struct array_cost energy_array_cost(const struct energy_config *config, const struct array *array)
{
    double nm = (double)config->technology, nominal = energy_nominal_voltage(nm);
    double volts = config->voltage > 0 ? config->voltage / nominal : 1;
    struct array_cost cost = array_cost(array, nm);
    cost.read *= volts * volts;
    cost.write *= volts * volts;
    cost.leakage *= volts;
    return cost;
}

// In a set with `constant`, all static power is in that value.
void energy_add_structure(struct energy_model *model, const char *component, const char *name,
                          struct array array, double count, const char *paper)
{
    struct array_cost cost = energy_array_cost(model->config, &array);
    bool leaks = !energy_is_given(model->config, ENERGY_constant);
    double watts = leaks ? cost.leakage / 1000 * count : 0;
    struct energy_structure structure = {.component = component_of(model, component),
                                         .name = name,
                                         .array = array,
                                         .count = count,
                                         .paper = paper,
                                         .cost = cost};
    vec_push(model->arena, &model->structures, structure);
    energy_add_power(model, ENERGY_STATIC, (struct energy_range){watts, watts, watts});
}

void energy_add_access(struct energy_model *model, const char *component, const char *statistic,
                       const struct array_cost *cost, bool writes, double times, double flits)
{
    enum energy_cost buffer = writes ? ENERGY_noc_buffer_write : ENERGY_noc_buffer_read;
    double pj = (writes ? cost->write : cost->read) * times;
    if (energy_is_given(model->config, buffer))
        energy_add(model, component, statistic, buffer, flits);
    else
        energy_add_range(model, component, statistic, (struct energy_range){pj, pj, pj});
}

// Evaluation

static double statistic_of(const struct stats *stats, const struct stats_mark *since,
                           const char *name)
{
    double value;
    return stats_find(stats, since, name, &value) ? value : 0;
}

static void add(struct energy_result *result, uint32_t component, struct energy_range joules)
{
    struct energy_range *const both[] = {&result->components.v[component].joules, &result->joules};
    for (int i = 0; i < 2; i++) {
        both[i]->value += joules.value;
        both[i]->min += joules.min;
        both[i]->max += joules.max;
    }
}

bool energy_evaluate(const struct energy_model *model, const struct stats *stats,
                     const struct stats_mark *since, struct arena *arena,
                     struct energy_result *result)
{
    double cycles;
    *result = (struct energy_result){0};
    if (!stats_find(stats, since, "machine.cycles", &cycles) ||
        !stats_find(stats, since, "core.scheduler", &result->instructions))
        return false;
    result->instructions = statistic_of(stats, since, "machine.thread_instructions");
    result->seconds = cycles / model->core_hertz;
    for (uint32_t i = 0; i < model->components.n; i++) {
        struct energy_component component = {.name = model->components.v[i]};
        vec_push(arena, &result->components, component);
    }
    for (uint32_t i = 0; i < model->events.n; i++) {
        const struct energy_event *event = &model->events.v[i];
        double count = statistic_of(stats, since, event->statistic);
        add(result, event->component, energy_times(event->cost, count * 1e-12));
    }
    for (uint32_t i = 0; i < model->powers.n; i++)
        add(result, model->powers.v[i].component,
            energy_times(model->powers.v[i].watts, result->seconds));
    return true;
}

// Statistics

// In pJ and ps, so that a quotient of the two is in W.
struct energy_totals {
    uint64_t total, min, max, time, instructions;
    double delay_product; // exceeds 64 bits at 18 J s
};

static uint64_t rounded(double value)
{
    const double max = 1e19; // below 2^64
    return value > max ? (uint64_t)max : value > 0 ? (uint64_t)(value + 0.5) : 0;
}

void energy_stats_add(const struct energy_result *result, struct stats *stats)
{
#define AT(member) offsetof(struct energy_totals, member)
    static const struct stat_key keys[] = {
        {"total", STAT_COUNT, "pJ", "energy of all components", AT(total), 0},
        {"least", STAT_COUNT, "pJ", "energy of all components, with the minimum of each cost",
         AT(min), 0},
        {"most", STAT_COUNT, "pJ", "energy of all components, with the maximum of each cost",
         AT(max), 0},
        {"time", STAT_COUNT, "ps", "time that the cycles of the cores take", AT(time), 0},
        {"power", STAT_RATIO, "W", "energy by time", AT(total), AT(time)},
        {"power_least", STAT_RATIO, "W", "energy by time, with the minimum of each cost", AT(min),
         AT(time)},
        {"power_most", STAT_RATIO, "W", "energy by time, with the maximum of each cost", AT(max),
         AT(time)},
        {"per_instruction", STAT_RATIO, "pJ", "energy by thread instructions", AT(total),
         AT(instructions)},
        {"delay_product", STAT_REAL, "pJ us", "energy times time", AT(delay_product), 0},
    };
#undef AT
    enum { KEYS = ARRAY_LENGTH(keys) };
    struct arena *arena = stats->arena;
    uint32_t count = result->components.n;
    struct stat_key *parts = ARENA_ARRAY(arena, struct stat_key, count + 1);
    uint64_t *values = ARENA_ARRAY(arena, uint64_t, count + 1);
    struct energy_totals *totals = ARENA_NEW(arena, struct energy_totals);
    *totals = (struct energy_totals){
        .total = rounded(result->joules.value * 1e12),
        .min = rounded(result->joules.min * 1e12),
        .max = rounded(result->joules.max * 1e12),
        .time = rounded(result->seconds * 1e12),
        .instructions = rounded(result->instructions),
        .delay_product = result->joules.value * 1e12 * result->seconds * 1e6,
    };
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (struct stat_key){.name = result->components.v[i].name,
                                     .kind = STAT_COUNT,
                                     .unit = "pJ",
                                     .text = "energy of this component",
                                     .offset = i * sizeof *values};
        values[i] = rounded(result->components.v[i].joules.value * 1e12);
    }
    stats_add(stats, "energy", keys, KEYS, totals);
    stats_add(stats, "energy", parts, count, values);
}
