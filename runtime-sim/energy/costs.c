// Costs of events: points of public models, sets of values from papers, currents of memory devices.
#include "runtime-sim/energy/energy.h"
#include <math.h>
#include <string.h>

const struct config_key energy_keys[] = {
#define CONFIG_DEF "runtime-sim/energy/energy.def"
#define CONFIG_OF struct energy_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t energy_key_count = ARRAY_LENGTH(energy_keys);

enum scaling { SWITCHED, LEAKED, AREA, FIXED };

static const struct {
    const char *name, *unit, *text;
    enum scaling scaling;
    size_t given; // offset in the configuration; overrides the set if at least 0
} costs[] = {
#define COST(name, unit, scaling, text)                                                            \
    {#name, unit, text, scaling, offsetof(struct energy_config, name)},
#include "runtime-sim/energy/costs.def"
#undef COST
};

static const struct point {
    enum energy_cost cost;
    double value, nm;
    const char *source;
    bool is_bound; // extends the range only
} points[] = {
#define POINT(cost, value, nm, source) {ENERGY_##cost, value, nm, source, false},
#define BOUND(cost, value, nm, source) {ENERGY_##cost, value, nm, source, true},
#include "runtime-sim/energy/points.def"
#undef POINT
#undef BOUND
};

enum set_name { isca19 = ENERGY_ISCA19, isca16 = ENERGY_ISCA16, ipdps20 = ENERGY_IPDPS20 };
enum { taco15 = ENERGY_TACO15 };

static const struct set_cost {
    int set;
    enum energy_cost cost;
    double value;
    const char *source;
} set_costs[] = {
#define SET_COST(set, cost, value, source) {set, ENERGY_##cost, value, source},
#include "runtime-sim/energy/sets.def"
#undef SET_COST
};

enum { POINTS = ARRAY_LENGTH(points), SET_COSTS = ARRAY_LENGTH(set_costs) };

// Technology

double energy_nominal_voltage(double nm)
{
    static const struct {
        double nm, volts;
    } nodes[] = {
#define NODE(nm, volts) {nm, volts},
#include "runtime-sim/energy/nodes.def"
#undef NODE
    };
    enum { LAST = ARRAY_LENGTH(nodes) - 1 };
    if (nm <= nodes[0].nm)
        return nodes[0].volts;
    for (int i = 1; i <= LAST; i++)
        if (nm <= nodes[i].nm)
            return nodes[i - 1].volts + (nodes[i].volts - nodes[i - 1].volts) *
                                            (nm - nodes[i - 1].nm) /
                                            (nodes[i].nm - nodes[i - 1].nm);
    return nodes[LAST].volts;
}

static double voltage_of(const struct energy_config *config)
{
    return config->voltage > 0 ? config->voltage
                               : energy_nominal_voltage((double)config->technology);
}

static double scale(const struct energy_config *config, enum scaling scaling, double nm)
{
    double size = (double)config->technology / nm;
    double volts = voltage_of(config) / energy_nominal_voltage(nm);
    switch (scaling) {
    case SWITCHED: return size * volts * volts;
    case LEAKED: return volts;
    case AREA: return size * size;
    case FIXED: break;
    }
    return 1;
}

// Memory devices

static const struct currents {
    double bits, volts, idd0, idd2n, idd3n, idd4r, idd4w, idd5, ns, ras, rc, rfc;
} currents[] = {
#define CURRENTS(name, ...) {__VA_ARGS__},
#include "runtime-sim/energy/currents.def"
#undef CURRENTS
};

// mA times ns times V is pJ.
static bool cost_of_currents(const struct energy_config *config, enum energy_cost cost,
                             struct energy_range *range)
{
    if (config->memory == ENERGY_ELSEWHERE)
        return false;
    const struct currents *c = &currents[config->memory];
    double min, value;
    switch (cost) {
    case ENERGY_dram_activate:
        value =
            c->volts * c->ns * (c->idd0 * c->rc - c->idd3n * c->ras - c->idd2n * (c->rc - c->ras));
        min = value;
        break;
    case ENERGY_dram_read: min = value = c->volts * c->ns * (c->idd4r - c->idd3n) / c->bits; break;
    case ENERGY_dram_write: min = value = c->volts * c->ns * (c->idd4w - c->idd3n) / c->bits; break;
    case ENERGY_dram_refresh:
        min = value = c->volts * c->ns * c->rfc * (c->idd5 - c->idd3n) / 1000;
        break;
    case ENERGY_dram_background:
        value = c->volts * c->idd3n;
        min = c->volts * c->idd2n;
        break;
    default: return false;
    }
    *range = (struct energy_range){value, min, value};
    return true;
}

// Choice

static double given(const struct energy_config *config, enum energy_cost cost)
{
    double value;
    memcpy(&value, (const char *)config + costs[cost].given, sizeof value);
    return value;
}

static const struct set_cost *of_set(int set, enum energy_cost cost)
{
    for (uint32_t i = 0; i < SET_COSTS; i++)
        if (set_costs[i].set == set && set_costs[i].cost == cost)
            return &set_costs[i];
    return NULL;
}

bool energy_is_given(const struct energy_config *config, enum energy_cost cost)
{
    return given(config, cost) >= 0 || of_set(config->set, cost);
}

static bool is_nearer(double nm, double than, double to)
{
    return fabs(log(nm / to)) < fabs(log(than / to));
}

static struct energy_range of_points(const struct energy_config *config, enum energy_cost cost)
{
    struct energy_range range = {0};
    const struct point *nearest = NULL;
    bool is_first = true;
    for (uint32_t i = 0; i < POINTS; i++) {
        const struct point *point = &points[i];
        if (point->cost != cost)
            continue;
        double value = point->value * scale(config, costs[cost].scaling, point->nm);
        range.min = is_first || value < range.min ? value : range.min;
        range.max = is_first || value > range.max ? value : range.max;
        is_first = false;
        if (point->is_bound ||
            (nearest && !is_nearer(point->nm, nearest->nm, (double)config->technology)))
            continue;
        nearest = point;
        range.value = value;
    }
    return range;
}

struct energy_range energy_cost_of(const struct energy_config *config, enum energy_cost cost)
{
    const struct set_cost *pinned = of_set(config->set, cost);
    struct energy_range range;
    double value = given(config, cost);
    if (value >= 0)
        return (struct energy_range){value, value, value};
    if (pinned)
        return (struct energy_range){pinned->value, pinned->value, pinned->value};
    return cost_of_currents(config, cost, &range) ? range : of_points(config, cost);
}

// Listing

static void print_sources(const struct energy_config *config, enum energy_cost cost, FILE *to)
{
    const struct set_cost *pinned = of_set(config->set, cost);
    struct energy_range range;
    const char *before = "";
    if (given(config, cost) >= 0) {
        fputs("configuration", to);
    } else if (pinned) {
        fputs(pinned->source, to);
    } else if (cost_of_currents(config, cost, &range)) {
        fputs("currents of the device", to);
    } else {
        for (uint32_t i = 0; i < POINTS; i++) {
            if (points[i].cost != cost)
                continue;
            fprintf(to, "%s%g", before, points[i].value);
            if (points[i].nm > 0)
                fprintf(to, " at %g nm", points[i].nm);
            fprintf(to, " %s", points[i].source);
            before = "; ";
        }
    }
}

void energy_print_costs(const struct energy_config *config, FILE *to)
{
    fprintf(to, "%-24s %10s %10s %10s %-14s %s\n", "cost", "value", "least", "most", "unit",
            "source");
    for (enum energy_cost cost = 0; cost < ENERGY_COSTS; cost++) {
        struct energy_range range = energy_cost_of(config, cost);
        fprintf(to, "%-24s %10.4g %10.4g %10.4g %-14s ", costs[cost].name, range.value, range.min,
                range.max, costs[cost].unit);
        print_sources(config, cost, to);
        fprintf(to, "\n%*s  %s\n", 24, "", costs[cost].text);
    }
}
