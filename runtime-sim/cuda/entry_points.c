// Finds driver functions by name, for programs that query their addresses.
#include "runtime-sim/cuda/cuda.h"
#include <string.h>

typedef int entry_point(void); // the real arguments vary

#define DRIVER_YES(name, function) extern entry_point ptxo_##function;
#define DRIVER_NO(name) extern entry_point ptxo_no_##name;
#include "runtime-sim/cuda/driver.def"
#undef DRIVER_YES
#undef DRIVER_NO

static const struct {
    const char *name;
    entry_point *function;
} entries[] = {
#define DRIVER_YES(name, function) {#name, ptxo_##function},
#define DRIVER_NO(name) {#name, ptxo_no_##name},
#include "runtime-sim/cuda/driver.def"
#undef DRIVER_YES
#undef DRIVER_NO
};

void *entry_point_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(entries); i++)
        if (!strcmp(entries[i].name, name))
            return (void *)(uintptr_t)entries[i].function;
    return NULL;
}
