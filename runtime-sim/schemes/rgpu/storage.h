// Storage and area of the spatial mode [003 §5.5].
#pragma once
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include <stdio.h>

struct spatial_area {
    double data_fifos, address_fifos, lanes, total; // mm² of all SMs
};

// Returns the entries of a data FIFO, or what each would have if all shared their words.
double spatial_fifo_entries(const struct spatial_config *config);
struct spatial_area spatial_area_of(const struct spatial_config *config, uint32_t sms);
void spatial_storage_print(const struct spatial_config *config, uint32_t sms, FILE *to);
// Returns the energy of the mode relative to that of the GPU, for a GPU of `gpu` watts of which
// `saved` are switched off and `added` are added, at a speed-up.
double spatial_energy(double gpu, double saved, double added, double speedup);
