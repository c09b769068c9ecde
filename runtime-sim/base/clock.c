#include "runtime-sim/base/clock.h"
#include "support/integer.h"

enum { LONGEST = 86400 }; // maximum simulated time in seconds

bool clocks_init(struct clocks *clocks, struct arena *arena, const uint64_t *hertz, uint32_t count)
{
    uint64_t unit = 1;
    for (uint32_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(unit / common_divisor(unit, hertz[i]), hertz[i], &unit))
            return false;
    if (unit > UINT64_MAX / LONGEST)
        return false;
    *clocks = (struct clocks){.count = count};
    clocks->domain = ARENA_ARRAY(arena, struct clock_domain, count);
    for (uint32_t i = 0; i < count; i++)
        clocks->domain[i].period = unit / hertz[i];
    return true;
}
