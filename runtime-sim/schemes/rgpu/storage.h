// Storage and area of the spatial mode [003 §5.5].
#pragma once
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include <stdio.h>

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
double spatial_energy(double gpu, double saved, double added, double speedup);
