#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The part goes by the size, so that the same input does the same again.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one(&(struct fuzz_input){.data = data, .size = size, .part = (uint32_t)size});
    return 0;
}
