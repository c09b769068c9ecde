// Selects, among the instruction sets for which the lanes were compiled, the best one that the host
// has.
#include "runtime-sim/exec/lanes/rows.h"
#include <string.h>

#if defined __x86_64__
extern const struct lanes_table lanes_avx2;
#endif
extern const struct lanes_table lanes_plain;

static bool have_avx2(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

const struct lanes_table *lanes_named(const char *name)
{
#if defined __x86_64__
    if (!strcmp(name, lanes_avx2.name))
        return have_avx2() ? &lanes_avx2 : NULL;
#endif
    return strcmp(name, lanes_plain.name) ? NULL : &lanes_plain;
}

const struct lanes_table *lanes_best(void)
{
    return lanes_named(have_avx2() ? "avx2" : "plain");
}
