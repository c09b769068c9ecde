// Energy, power and area, computed from tables and from the statistics of a run, which are accessed
// by name.
//
// An event is a statistic that counts, with a cost. The machine and its schemes add their events,
// and the parts that have an area or a constant power. Costs come from a set: `public` has points
// from public models (points.def), each with its technology; a paper's set has values (sets.def).
// The range of a cost is the minimum and maximum of its points.
//
// Units: events in pJ, power in W, area in mm2, results in J and s.
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
    double value, min, max;
};

// Returns the range multiplied by a factor.
static inline struct energy_range energy_times(struct energy_range range, double times)
{
    return (struct energy_range){range.value * times, range.min * times, range.max * times};
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

// A memory array that a scheme adds.
struct energy_structure {
    uint32_t component;
    const char *name;
    struct array array;
    double count;           // number in the machine
    const char *paper;      // the area that the paper states, or ""
    struct array_cost cost; // cost of one
};

struct energy_model {
    struct arena *arena;
    const struct energy_config *config;
    double core_hertz;
    struct energy_range area; // area of the machine without schemes in mm2
    VEC(const char *) components;
    VEC(struct energy_event) events;
    VEC(struct energy_power) powers;
    VEC(struct energy_structure) structures;
};

extern const struct config_key energy_keys[];
extern const uint32_t energy_key_count;

// The component of the chip's static power: leakage of its area, routers and arrays.
#define ENERGY_STATIC "static"

// Initialises a model. The configuration must outlive it.
void energy_init(struct energy_model *model, struct arena *arena,
                 const struct energy_config *config, double core_mhz);

// Costs

// Returns a cost of the configured set, in the unit given in costs.def.
struct energy_range energy_cost_of(const struct energy_config *config, enum energy_cost cost);
// Returns true if the configuration gives this cost, or if the set is a paper's and contains it.
bool energy_is_given(const struct energy_config *config, enum energy_cost cost);
// Returns the nominal supply voltage of a technology in nm.
double energy_nominal_voltage(double nm);

// Building. The names of components are names of statistics in the group `energy`, so they contain
// no blanks.

// Adds an event with `times` times a cost of the configured set.
void energy_add(struct energy_model *model, const char *component, const char *statistic,
                enum energy_cost cost, double times);
// Adds an event with a cost in pJ.
void energy_add_range(struct energy_model *model, const char *component, const char *statistic,
                      struct energy_range cost);
// Adds a constant power of a component.
void energy_add_power(struct energy_model *model, const char *component, struct energy_range watts);
// Returns the costs of an array at the configuration's technology and voltage.
struct array_cost energy_array_cost(const struct energy_config *config, const struct array *array);
// Adds memory arrays to a component, with their leakage. `count` is the number in the machine,
// `paper` the area that the paper states, or "".
void energy_add_structure(struct energy_model *model, const char *component, const char *name,
                          struct array array, double count, const char *paper);
// Adds an event that accesses `times` entries of an array. If the set is a paper's and contains
// `noc_buffer_write` or `noc_buffer_read`, the cost is that of `flits` buffer accesses instead.
void energy_add_access(struct energy_model *model, const char *component, const char *statistic,
                       const struct array_cost *cost, bool writes, double times, double flits);

// A network. `ports` is the number per router, `depth` the flits per virtual channel.
struct energy_network {
    const char *name; // group of its statistics
    double bits, vcs, depth, ports, routers;
};
// Adds the events and the leakage of a network.
void energy_add_network(struct energy_model *model, const char *component,
                        const struct energy_network *network);
// Adds a DRAM whose channels transfer `bits_per_clock` bits per command clock. Its events are
// `memory.dram_…` and `dram.refreshes`, each of which refreshes a fraction `refreshed` of the
// banks.
void energy_add_dram(struct energy_model *model, const char *component, double channels,
                     double bits_per_clock, double refreshed);

// Results

struct energy_component {
    const char *name;
    struct energy_range joules;
};

struct energy_result {
    double seconds;
    double instructions; // thread instructions
    struct energy_range joules;
    VEC(struct energy_component) components; // in the model's order; they add up to `joules`
};

// Computes the energy of an interval: of the growth of the statistics since a mark, or since the
// beginning if it is NULL. Events without a statistic do not occur. Returns false if the machine's
// statistics are missing.
bool energy_evaluate(const struct energy_model *model, const struct stats *stats,
                     const struct stats_mark *since, struct arena *arena,
                     struct energy_result *result);
// Adds the result as the group `energy` of statistics.
void energy_stats_add(const struct energy_result *result, struct stats *stats);

// Prints the areas of the schemes' arrays next to those that the papers state.
void energy_print_area(const struct energy_model *model, FILE *to);
// Prints the events and powers of the model.
void energy_print_events(const struct energy_model *model, FILE *to);
// Prints all costs of the set with their ranges and sources.
void energy_print_costs(const struct energy_config *config, FILE *to);

// The routers of noc_points.def.

struct energy_router {
    double bits, vcs, depth;                         // bits of a flit; virtual channels; flits per
                                                     // virtual channel
    double write, read, crossbar, arbitration, link; // pJ
    double leakage;                                  // mW
};

enum { ENERGY_ROUTER_PORTS = 5, ENERGY_ROUTERS = 2 };

extern const struct energy_router energy_routers[ENERGY_ROUTERS];
