// R-GPU [003]: a core of the machine (an SM) runs a map instead of warps. The cores inside it keep
// one instruction each and send words to each other's FIFOs. Load-store units access memory for
// them.
//
// Read the files in this order: spatial.h (state), bind.c (a map and a launch), group.c (values of
// a group), array.c (firing), lsu.c and lines.c (loads, the prefetcher), stores.c, mode.c (the mode
// switch), written.c (waiting loads), rgpu.c (the machine), storage.c (area, storage and energy).
#pragma once
#include "passes/maps/map_hardware.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include <stdio.h>

struct spatial_config {
#define CONFIG_DEF "runtime-sim/schemes/rgpu/spatial.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct scheme_ops rgpu;

// Storage and area of the spatial mode [003 §5.5].

struct spatial_area {
    double data_fifos, address_fifos, lanes, total; // of all SMs, in mm²
};

// Returns the entries of a data FIFO, or the mean share of each FIFO if all share their words.
double spatial_fifo_entries(const struct spatial_config *config);
// Returns the area that the mode adds to `sms` SMs.
struct spatial_area spatial_area_of(const struct spatial_config *config, uint32_t sms);
// Prints the storage of an SM, the area of all SMs, and the energy of the paper's example.
void spatial_storage_print(const struct spatial_config *config, uint32_t sms, FILE *to);
// Returns the energy of the mode relative to a GPU of `gpu` watts, if the mode switches off `saved`
// watts, adds `added` watts, and is faster by `speedup`.
double spatial_energy_ratio(double gpu, double saved, double added, double speedup);

// Implements `energy` of struct scheme_report.
void spatial_energy(const void *config, const struct machine_config *machine,
                    struct energy_model *model);
