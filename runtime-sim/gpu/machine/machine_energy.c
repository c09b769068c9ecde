// Energy of a machine: events of cores, networks, LLC and DRAM, and the area.
#include "runtime-sim/gpu/machine/machine_state.h"

// Events of cores, by the groups of their statistics.
static const struct {
    const char *component, *statistic;
    enum energy_cost cost;
} core_events[] = {
#define EVENT(component, statistic) {#component, #statistic, ENERGY_##statistic},
#include "runtime-sim/gpu/core/core_energy.def"
#undef EVENT
};

enum { CORE_EVENTS = ARRAY_LENGTH(core_events) };

// Cores added by a scheme are a component of their own.
static void add_cores(struct energy_model *model, const char *group, bool is_added)
{
    for (uint32_t i = 0; i < CORE_EVENTS; i++)
        energy_add(model, is_added ? group : core_events[i].component,
                   arena_printf(model->arena, "%s.%s", group, core_events[i].statistic),
                   core_events[i].cost, 1);
}

static double power_of(double base, uint64_t exponent)
{
    double value = 1;
    while (exponent--)
        value *= base;
    return value;
}

static void add_network(struct energy_model *model, const char *component, const char *name,
                        const struct noc_config *noc)
{
    enum { MESH_PORTS = 5 };
    struct energy_network network = {.name = name,
                                     .bits = (double)noc->flit_bytes * 8,
                                     .vcs = (double)noc->vcs,
                                     .depth = (double)noc->vc_buffer,
                                     .ports = MESH_PORTS,
                                     .routers = (double)(noc->width * noc->height)};
    if (noc->topology == NOC_CROSSBAR) {
        network.ports = (double)noc->nodes;
        network.routers = 1;
    } else if (noc->topology == NOC_FLY) {
        network.ports = (double)noc->radix;
        network.routers = (double)noc->stages * power_of((double)noc->radix, noc->stages - 1);
    }
    energy_add_network(model, component, &network);
}

static struct energy_range area_of(const struct machine_config *config)
{
    struct energy_range core = energy_cost_of(&config->energy, ENERGY_core_area);
    struct energy_range slice = energy_cost_of(&config->energy, ENERGY_partition_area);
    double cores = (double)config->memsys.memory.cores;
    double slices = config->memsys.memory.partition_nodes.n;
    return (struct energy_range){cores * core.value + slices * slice.value,
                                 cores * core.min + slices * slice.min,
                                 cores * core.max + slices * slice.max};
}

static void add_static(struct energy_model *model, const struct machine_config *config)
{
    struct energy_range density = energy_cost_of(&config->energy, ENERGY_static_density);
    struct energy_range area = model->area;
    energy_add_power(model, ENERGY_STATIC,
                     (struct energy_range){density.value * area.value, density.min * area.min,
                                           density.max * area.max});
    energy_add_power(model, ENERGY_STATIC,
                     energy_times(energy_cost_of(&config->energy, ENERGY_constant),
                                  (double)config->memsys.memory.cores));
}

static void add_memory(struct energy_model *model, const struct machine_config *config)
{
    enum { BITS = 8 };
    const struct dram_config *dram = &config->memsys.dram;
    double bits = (double)(dram->request_bytes * BITS) / (double)dram->burst;
    double channels = (double)dram->channels * memsys_memories(&config->memsys);
    energy_add(model, "llc", "memory.llc_read_hit", ENERGY_llc_read_hit, 1);
    energy_add(model, "llc", "memory.llc_write_hit", ENERGY_llc_write_hit, 1);
    double refreshed = dram->refresh == DRAM_REFRESH_BANK ? 1 / (double)dram->banks : 1;
    energy_add_dram(model, "dram", channels, bits, refreshed);
    energy_add(model, "host_link", "host.to_device_bytes", ENERGY_host_link, BITS);
    energy_add(model, "host_link", "host.to_host_bytes", ENERGY_host_link, BITS);
}

static void add_schemes(struct energy_model *model, const struct machine_config *config, bool all)
{
    for (uint32_t i = 0; i < machine_scheme_count(config); i++) {
        const struct scheme_ops *ops = config->schemes[i];
        if (ops->report.energy && (all || machine_enables(config, i)))
            ops->report.energy(config->of_scheme[i], config, model);
    }
}

void machine_energy(struct energy_model *model, struct arena *arena,
                    const struct machine_config *given, bool all)
{
    const struct machine_config *planned = machine_as_planned(arena, given);
    energy_init(model, arena, &given->energy, (double)given->memsys.memory.core_clock);
    model->area = area_of(given);
    add_cores(model, "core", false);
    for (uint32_t i = 0; i < planned->added.n; i++)
        add_cores(model, planned->added.v[i].name, true);
    add_network(model, "request_network", "request", &planned->memsys.request_network);
    add_network(model, "reply_network", "reply", &planned->memsys.reply_network);
    add_memory(model, given);
    add_static(model, given);
    add_schemes(model, given, all);
}
