// Unsupported functions. Each returns cudaErrorNotSupported and is listed at the end.
#include "runtime-sim/cuda/cuda.h"

#define CUDA_YES(versions, name, function)
#define CUDA_NO(versions, name)                                                                    \
    CUDA_API(no_##name, void)                                                                      \
    {                                                                                              \
        return CUDA_DO(cuda_not_supported(cuda, #name));                                           \
    }
#include "runtime-sim/cuda/functions.def"
#undef CUDA_YES
#undef CUDA_NO

#define DRIVER_YES(name, function)
#define DRIVER_NO(name)                                                                            \
    CUDA_API(no_##name, void)                                                                      \
    {                                                                                              \
        return CUDA_DO(cuda_not_supported(cuda, #name));                                           \
    }
#include "runtime-sim/cuda/driver.def"
#undef DRIVER_YES
#undef DRIVER_NO

// For functions that only a static runtime of another version has.
CUDA_EXPORT int ptxo_unsupported(const char *name);
int ptxo_unsupported(const char *name)
{
    return CUDA_DO(cuda_not_supported(cuda, name));
}
