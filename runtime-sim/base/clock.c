#include "runtime-sim/base/clock.h"

enum { LONGEST = 86400 }; // seconds

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool clocks_init(struct clocks *clocks, struct arena *arena, const uint64_t *hertz, uint32_t count)
{
    uint64_t unit = 1;
    for (uint32_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(unit / common_divisor(unit, hertz[i]), hertz[i], &unit))
            return false;
    if (unit > UINT64_MAX / LONGEST)
        return false;
    *clocks = (struct clocks){.count = count, .unit = unit};
    clocks->domain = ARENA_ARRAY(arena, struct clock_domain, count);
    for (uint32_t i = 0; i < count; i++)
        clocks->domain[i].period = unit / hertz[i];
    return true;
}

uint64_t clocks_advance(struct clocks *clocks)
{
    uint64_t due = 0, now = UINT64_MAX;
    for (uint32_t i = 0; i < clocks->count; i++)
        if (clocks->domain[i].next < now)
            now = clocks->domain[i].next;
    for (uint32_t i = 0; i < clocks->count; i++) {
        struct clock_domain *domain = &clocks->domain[i];
        if (domain->next != now)
            continue;
        due |= UINT64_C(1) << i;
        domain->next += domain->period;
        domain->cycle++;
    }
    clocks->now = now;
    return due;
}
