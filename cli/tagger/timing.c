#include "cli/tagger/timing.h"
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void timing_init(struct pass_timing *timing, struct arena *arena)
{
    *timing = (struct pass_timing){.arena = arena, .mark = cpu_seconds()};
}

static struct timing_step *find_step(struct pass_timing *timing, const char *name)
{
    for (uint32_t i = 0; i < timing->steps.n; i++)
        if (!strcmp(timing->steps.v[i].name, name))
            return &timing->steps.v[i];
    struct timing_step step = {name, 0};
    vec_push(timing->arena, &timing->steps, step);
    return &timing->steps.v[timing->steps.n - 1];
}

void timing_end(struct pass_timing *timing, const char *name)
{
    double now = cpu_seconds();
    find_step(timing, name)->seconds += now - timing->mark;
    timing->mark = now;
}

void timing_add(struct pass_timing *timing, const char *name, double seconds)
{
    find_step(timing, name)->seconds += seconds;
    timing->mark += seconds;
}

void timing_print(const struct pass_timing *timing, FILE *to)
{
    double total = 0;
    for (uint32_t i = 0; i < timing->steps.n; i++)
        total += timing->steps.v[i].seconds;
    fprintf(to, "%12s %8s  %s\n", "CPU seconds", "share", "step");
    for (uint32_t i = 0; i < timing->steps.n; i++) {
        const struct timing_step *step = &timing->steps.v[i];
        fprintf(to, "%12.6f %7.1f%%  %s\n", step->seconds,
                total > 0 ? 100 * step->seconds / total : 0, step->name);
    }
    fprintf(to, "%12.6f %7.1f%%  %s\n", total, 100.0, "total");
}
