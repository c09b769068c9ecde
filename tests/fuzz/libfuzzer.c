#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The size selects the part, so that an input always has the same effect.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one(&(struct fuzz_input){.data = data, .size = size, .part = (uint32_t)size});
    return 0;
}
