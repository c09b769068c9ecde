// libcuda.so.1.
#include "runtime-sim/cuda/entry.h"

#define DRIVER_YES(name, function) ENTRY(name, ptxo_##function)
#define DRIVER_NO(name) ENTRY(name, ptxo_no_##name)
#include "runtime-sim/cuda/driver.def"
