// Energy, power and area: a pure function of a run's statistics, by their names, and tables.
//
// An event is a statistic that counts, and its cost. The machine and its schemes add the events
// that they have; parts with an area or a power of their own add those. Costs are those of a set:
// `public` has points from public models (points.def), with the technology of each; a paper's set
// has values (sets.def). A cost has a range: the least and the most of its points.
//
// Units: events pJ; power W; area mm2; results J and s.
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/stats.h"
#include "runtime-sim/energy/array.h"

struct energy_config {
#define CONFIG_DEF "runtime-sim/energy/energy.def"
#include "runtime-sim/base/config_fields.inc"
};

enum energy_cost {
#define COST(name, unit, scaling, text) ENERGY_##name,
#include "runtime-sim/energy/costs.def"
#undef COST
    ENERGY_COSTS
};

struct energy_range {
    double value, least, most;
};

static inline struct energy_range energy_times(struct energy_range range, double times)
{
    return (struct energy_range){range.value * times, range.least * times, range.most * times};
}

struct energy_event {
    uint32_t component;
    const char *statistic;
    struct energy_range cost; // pJ
};

struct energy_power {
    uint32_t component;
    struct energy_range watts;
};

// An array that a scheme adds.
struct energy_structure {
    uint32_t component;
    const char *name;
    struct array array;
    double count;           // in the machine
    const char *paper;      // the paper's figure for it; "": none
    struct array_cost cost; // of one
};

struct energy_model {
    struct arena *arena;
    const struct energy_config *config;
    double core_hertz;
    struct energy_range area; // mm2 of the machine without schemes
    VEC(const char *) components;
    VEC(struct energy_event) events;
    VEC(struct energy_power) powers;
    VEC(struct energy_structure) structures;
};

extern const struct config_key energy_keys[];
extern const uint32_t energy_key_count;

// Component of all power that the chip has at any time: leakage of its area, routers and arrays.
#define ENERGY_STATIC "static"

void energy_init(struct energy_model *model, struct arena *arena,
                 const struct energy_config *config, double core_mhz);

// Costs

// Returns a cost of the configuration's set, in the unit of costs.def.
struct energy_range energy_cost_of(const struct energy_config *config, enum energy_cost cost);
// Returns true if the set is a paper's, and names this cost, or the configuration sets it.
bool energy_is_given(const struct energy_config *config, enum energy_cost cost);
// Returns the nominal supply voltage of a technology in nm.
double energy_nominal_voltage(double nm);

// Building. Components are statistics in the group `energy`: names without blanks.

void energy_add(struct energy_model *model, const char *component, const char *statistic,
                enum energy_cost cost, double times);
// Adds an event with a cost in pJ.
void energy_add_range(struct energy_model *model, const char *component, const char *statistic,
                      struct energy_range cost);
void energy_add_power(struct energy_model *model, const char *component, struct energy_range watts);
// Returns the costs of an array at the configuration's technology and voltage.
struct array_cost energy_array_cost(const struct energy_config *config, const struct array *array);
// Adds an array of a component, with its leakage. `count`: arrays in the machine; `paper`: the
// paper's figure, or "".
void energy_add_structure(struct energy_model *model, const char *component, const char *name,
                          struct array array, double count, const char *paper);
// Adds an event that accesses an array, `times` entries of it. A paper's set that has
// `noc_buffer_write` or `noc_buffer_read` takes `flits` of these instead.
void energy_add_access(struct energy_model *model, const char *component, const char *statistic,
                       const struct array_cost *cost, bool writes, double times, double flits);

// A network. `ports`: of a router; `depth`: flits of a virtual channel.
struct energy_network {
    const char *name; // of its statistics
    double bits, vcs, depth, ports, routers;
};
void energy_add_network(struct energy_model *model, const char *component,
                        const struct energy_network *network);
// A DRAM of channels that transfer these bits in a command clock. Statistics: `memory.dram_…` and
// `dram.refreshes`.
void energy_add_dram(struct energy_model *model, const char *component, double channels,
                     double bits_per_clock);

// Results

struct energy_component {
    const char *name;
    struct energy_range joules;
};

struct energy_result {
    double seconds;
    double instructions; // of threads
    struct energy_range joules;
    VEC(struct energy_component) components; // in the model's order; their sum is `joules`
};

// Computes the energy of an interval: of the statistics since a mark, or with NULL since the
// beginning. Events whose statistic is not there do not occur. Returns false without the statistics
// of the machine.
bool energy_evaluate(const struct energy_model *model, const struct stats *stats,
                     const struct stats_mark *since, struct arena *arena,
                     struct energy_result *result);
// Adds the result as a group `energy` of statistics.
void energy_stats_add(const struct energy_result *result, struct stats *stats);

// Prints the area of the schemes' arrays beside the papers' figures.
void energy_print_area(const struct energy_model *model, FILE *to);
// Prints the events and powers of the model.
void energy_print_events(const struct energy_model *model, FILE *to);
// Prints all costs of the set with their ranges and sources.
void energy_print_costs(const struct energy_config *config, FILE *to);
