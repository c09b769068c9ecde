// libcudart.so.12 and libcudart.so.13: RUNTIME_VERSION is 12 or 13.
#include "runtime-sim/cuda/entry.h"

#define ENTRY_YES_B(name, function) ENTRY(name, ptxo_##function)
#define ENTRY_YES_E(name, function) // eleven
#define ENTRY_NO_B(name) ENTRY(name, ptxo_no_##name)
#if RUNTIME_VERSION == 13
#define ENTRY_YES_N(name, function) ENTRY(name, ptxo_##function)
#define ENTRY_YES_T(name, function)
#define ENTRY_NO_T(name)
#else
#define ENTRY_YES_N(name, function)
#define ENTRY_YES_T(name, function) ENTRY(name, ptxo_##function)
#define ENTRY_NO_T(name) ENTRY(name, ptxo_no_##name)
#endif

#define CUDA_YES(versions, name, function) ENTRY_YES_##versions(name, function)
#define CUDA_NO(versions, name) ENTRY_NO_##versions(name)
#include "runtime-sim/cuda/functions.def"
