#include "runtime-sim/device/sample.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *read_count(const char *at, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(at, &end, 10);
    return *at >= '0' && *at <= '9' && !errno && *value <= UINT32_MAX ? end : NULL;
}

const char *sample_read(struct sample_plan *plan, struct arena *arena, const char *text)
{
    const char *at = read_count(text, &plan->period);
    at = at && *at == ':' ? read_count(at + 1, &plan->measured) : NULL;
    if (at && *at == ':')
        at = read_count(at + 1, &plan->warm);
    if (at && !*at && plan->measured && plan->measured + plan->warm <= plan->period)
        return NULL;
    return arena_printf(arena,
                        "cannot be '%s': expected PERIOD:MEASURED or PERIOD:MEASURED:WARM, numbers "
                        "of launches with MEASURED + WARM at most PERIOD",
                        text);
}

bool sample_includes(const struct sample_plan *plan, uint64_t launch)
{
    return !plan->period || launch % plan->period < plan->warm + plan->measured;
}

bool sample_measures(const struct sample_plan *plan, uint64_t launch)
{
    uint64_t place = plan->period ? launch % plan->period : 0;
    return plan->period && place >= plan->warm && place < plan->warm + plan->measured;
}

void sample_add(struct sample_counts *counts, bool is_measured, double cycles,
                uint64_t instructions)
{
    struct sample_sums *to = is_measured ? &counts->measured : &counts->other;
    double c = cycles, n = (double)instructions;
    to->launches++;
    to->c += c;
    to->n += n;
    to->cc += c * c;
    to->cn += c * n;
    to->nn += n * n;
}

struct sample_estimate sample_untimed(const struct sample_counts *counts, uint64_t launches,
                                      uint64_t instructions)
{
    const struct sample_sums *of = counts->measured.n > 0 ? &counts->measured : &counts->other;
    struct sample_estimate to = {0, launches ? -1 : 0};
    if (!launches || of->n <= 0)
        return to;
    double ratio = of->c / of->n, count = (double)of->launches, rest = (double)launches;
    to.cycles = ratio * (double)instructions;
    if (of->launches < 2)
        return to;
    double squares = of->cc - 2 * ratio * of->cn + ratio * ratio * of->nn;
    double variance = squares > 0 ? squares / (count - 1) : 0;
    // The error of the ratio from the measured launches, and the deviation of the others from it.
    to.error = 2 * sqrt(variance * (rest * rest / count + rest));
    return to;
}
