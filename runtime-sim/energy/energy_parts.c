// Parts of a machine whose costs depend on their size: networks and DRAM. Also prints the areas.
#include "runtime-sim/energy/energy.h"

// Networks

const struct energy_router energy_routers[ENERGY_ROUTERS] = {
#define NOC_POINT(...) {__VA_ARGS__},
#include "runtime-sim/energy/noc_points.def"
#undef NOC_POINT
};

// Returns the cost of a buffer access relative to that of the first router. The cost per bit is
// linear in the flits of the port, through both routers.
static double buffer_factor(const struct energy_network *n, double first, double second)
{
    const struct energy_router *a = &energy_routers[0], *b = &energy_routers[1];
    double flits = n->vcs * n->depth, at_a = a->vcs * a->depth, at_b = b->vcs * b->depth;
    double ratio = second / b->bits / (first / a->bits);
    double per_bit = 1 - (1 - ratio) * (at_a - flits) / (at_a - at_b);
    return n->bits / a->bits * (per_bit > 0 ? per_bit : 0);
}

struct network_factors {
    double write, read, crossbar, arbitration, link, clock, leakage;
};

static struct network_factors factors_of(const struct energy_network *n)
{
    const struct energy_router *a = &energy_routers[0], *b = &energy_routers[1];
    double width = n->bits / a->bits, ports = n->ports / ENERGY_ROUTER_PORTS;
    double buffers = ports * width * n->vcs * n->depth / (a->vcs * a->depth);
    return (struct network_factors){.write = buffer_factor(n, a->write, b->write),
                                    .read = buffer_factor(n, a->read, b->read),
                                    .crossbar = width * ports,
                                    .arbitration = n->vcs / a->vcs * ports,
                                    .link = width,
                                    .clock = buffers,
                                    .leakage = buffers};
}

// Returns the factors for the values of a set, which are proportional to the flit width.
static struct network_factors factors_of_set(const struct energy_network *n)
{
    double width = n->bits / energy_routers[0].bits;
    return (struct network_factors){width, width, width, 1, width, 1, 1};
}

void energy_add_network(struct energy_model *model, const char *component,
                        const struct energy_network *n)
{
    const struct energy_config *config = model->config;
    struct network_factors f =
        energy_is_given(config, ENERGY_noc_buffer_write) ? factors_of_set(n) : factors_of(n);
    const struct {
        const char *statistic;
        enum energy_cost cost;
        double times;
    } events[] = {
        {"noc_buffer_write", ENERGY_noc_buffer_write, f.write},
        {"noc_buffer_read", ENERGY_noc_buffer_read, f.read},
        {"noc_crossbar", ENERGY_noc_crossbar, f.crossbar},
        {"noc_switch_arbitration", ENERGY_noc_switch_arbitration, f.arbitration},
        {"noc_link", ENERGY_noc_link, f.link * config->channel_mm},
        {"noc_router_clock", ENERGY_noc_router_clock, f.clock},
    };
    for (uint32_t i = 0; i < ARRAY_LENGTH(events); i++)
        energy_add(model, component,
                   arena_printf(model->arena, "%s.%s", n->name, events[i].statistic),
                   events[i].cost, events[i].times);
    energy_add_power(model, ENERGY_STATIC,
                     energy_times(energy_cost_of(config, ENERGY_noc_router_leakage),
                                  f.leakage * n->routers / 1000));
}

// DRAM

// Bits that a device transfers per command clock.
static const double device_bits[] = {
#define CURRENTS(name, bits, ...) bits,
#include "runtime-sim/energy/currents.def"
#undef CURRENTS
};

void energy_add_dram(struct energy_model *model, const char *component, double channels,
                     double bits_per_clock, double refreshed)
{
    const struct energy_config *config = model->config;
    if (config->memory == ENERGY_ELSEWHERE)
        return;
    double devices = bits_per_clock / device_bits[config->memory];
    devices = devices < 1 ? 1 : devices;
    energy_add(model, component, "memory.dram_activate", ENERGY_dram_activate, devices);
    energy_add(model, component, "memory.dram_read", ENERGY_dram_read, 1);
    energy_add(model, component, "memory.dram_write", ENERGY_dram_write, 1);
    energy_add(model, component, "dram.refreshes", ENERGY_dram_refresh, devices * 1000 * refreshed);
    energy_add_power(
        model, component,
        energy_times(energy_cost_of(config, ENERGY_dram_background), devices * channels / 1000));
}

// Areas

static void print_part(const struct energy_model *model, const char *name, double area, FILE *to)
{
    fprintf(to, "area of %s at %u nm: %.4f mm2, %.4f %% (%.4f to %.4f) of the machine's %.0f mm2\n",
            name, model->config->technology, area, 100 * area / model->area.value,
            100 * area / model->area.max, 100 * area / model->area.min, model->area.value);
}

static void print_structure(const struct energy_structure *s, FILE *to)
{
    fprintf(to, "%-24s %7.0f %6.0f %8.0f %9.0f %9.4f %9.3f %9.3f%s%s\n", s->name, s->array.entries,
            s->array.bits, s->count, s->cost.area * 1e6, s->cost.area * s->count, s->cost.read,
            s->cost.write, *s->paper ? "  " : "", s->paper);
}

void energy_print_area(const struct energy_model *model, FILE *to)
{
    fprintf(to, "%-24s %7s %6s %8s %9s %9s %9s %9s  %s\n", "array", "entries", "bits", "number",
            "um2 each", "mm2", "read pJ", "write pJ", "of the paper");
    for (uint32_t part = 0; part < model->components.n; part++) {
        double area = 0;
        for (uint32_t i = 0; i < model->structures.n; i++) {
            const struct energy_structure *s = &model->structures.v[i];
            if (s->component != part)
                continue;
            print_structure(s, to);
            area += s->cost.area * s->count;
        }
        if (area > 0)
            print_part(model, model->components.v[part], area, to);
    }
}

// Events

void energy_print_events(const struct energy_model *model, FILE *to)
{
    fprintf(to, "\n%-16s %-36s %10s %10s %10s  pJ for each\n", "component", "statistic", "value",
            "least", "most");
    for (uint32_t i = 0; i < model->events.n; i++) {
        const struct energy_event *event = &model->events.v[i];
        fprintf(to, "%-16s %-36s %10.4g %10.4g %10.4g\n", model->components.v[event->component],
                event->statistic, event->cost.value, event->cost.min, event->cost.max);
    }
    for (uint32_t i = 0; i < model->powers.n; i++) {
        const struct energy_power *power = &model->powers.v[i];
        if (power->watts.max > 0)
            fprintf(to, "%-16s %-36s %10.4g %10.4g %10.4g  W\n",
                    model->components.v[power->component], "", power->watts.value, power->watts.min,
                    power->watts.max);
    }
}
