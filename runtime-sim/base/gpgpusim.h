// The rules of gpgpusim.config, in parts.
#pragma once
#include "runtime-sim/base/foreign.h"

enum { CLOCK_CORE, CLOCK_NETWORK, CLOCK_L2, CLOCK_DRAM, CLOCKS };

// Reads the frequencies in MHz. Returns false after reporting a fault.
bool gpgpusim_clocks(struct foreign *f, double clocks[CLOCKS]);
// Sets the keys of shared memory, L1, L2 and the read-only caches.
void gpgpusim_caches(struct foreign *f);
// Sets the keys of partitions and the DRAM.
void gpgpusim_memory(struct foreign *f);
