// The rules of gpgpusim.config, in parts.
#pragma once
#include "runtime-sim/base/foreign.h"

enum { CLOCK_CORE, CLOCK_NETWORK, CLOCK_L2, CLOCK_DRAM, CLOCKS };

// Reads the frequencies in MHz. Returns false after reporting a fault.
bool gpgpusim_clocks(struct foreign *f, double clocks[CLOCKS]);
// Sets a key to one of the words, by the number of the option, if it is given.
void gpgpusim_put_word(struct foreign *f, const char *name, const char *key,
                       const char *const *words, uint32_t count);
// Sets the keys of shared memory, L1, L2 and the read-only caches.
void gpgpusim_caches(struct foreign *f);
// Sets the keys of partitions and the DRAM.
void gpgpusim_memory(struct foreign *f);
