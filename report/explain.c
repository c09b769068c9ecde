// Finds the bottleneck of a kernel: the most used part of the machine or, if none is used much, the
// main reason why warps wait.
#include "report/sim_report.h"
#include <stdarg.h>
#include <string.h>

// Use from which a part limits the kernel, and from which it probably does.
static const double limits = 0.85, presses = 0.6;

static void say(struct arena *arena, sim_sentences *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct arena *arena, sim_sentences *to, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(arena, to, (const char *)arena_strndup(arena, text, strlen(text)));
}

// Returns false for warp slots: they are capacity, whose use does not indicate a limit.
static bool is_work(const struct sim_resource *resource)
{
    return strcmp(resource->name, "warp slots") != 0;
}

// Returns the most used part except `but`, or NULL if no part is used.
static const struct sim_resource *most_used(const struct sim_kernel *kernel,
                                            const struct sim_resource *but)
{
    const struct sim_resource *max = NULL;
    for (uint32_t i = 0; i < kernel->resources.n; i++) {
        const struct sim_resource *one = &kernel->resources.v[i];
        if (is_work(one) && one != but && (!max || sim_share(one) > sim_share(max)))
            max = one;
    }
    return max;
}

static const struct sim_part *largest(const sim_parts *parts, const char *const but[], double *rest)
{
    const struct sim_part *max = NULL;
    *rest = 0;
    for (uint32_t i = 0; i < parts->n; i++) {
        bool left_out = false;
        for (const char *const *name = but; *name; name++)
            left_out |= !strcmp(*name, parts->v[i].name);
        if (left_out)
            continue;
        *rest += parts->v[i].value;
        if (!max || parts->v[i].value > max->value)
            max = &parts->v[i];
    }
    return max;
}

static void say_resource(struct arena *arena, sim_sentences *to, const char *head,
                         const struct sim_resource *one)
{
    double mean = one->peak > 0 ? one->used / one->peak : 0;
    if (one->busiest > mean)
        say(arena, to,
            "%s%s: the busiest is used %.0f %% of the time, all together %.0f %% (%.4g of "
            "%.4g %s in a clock).",
            head, one->name, 100 * one->busiest, 100 * mean, one->used, one->peak, one->unit);
    else
        say(arena, to, "%s%s: used %.0f %% (%.4g of %.4g %s in a clock).", head, one->name,
            100 * mean, one->used, one->peak, one->unit);
}

static void say_latency(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel)
{
    static const char *const none[] = {NULL};
    double all, latency = sim_number(kernel, "latency of loads");
    const struct sim_part *stage = largest(&kernel->stages, none, &all);
    if (latency > 0)
        say(arena, to, "A load takes %.0f cycles on average, from issue to result.", latency);
    if (stage && all > 0)
        say(arena, to,
            "A read that leaves the core takes %.0f cycles, %.0f of them (%.0f %%) in the "
            "%s.",
            all, stage->value, 100 * stage->value / all, stage->name);
}

// Explains a kernel in which no part is used much: warps wait for each other or for latency.
static void say_waiting(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel)
{
    static const char *const slots[] = {"issued", "empty", "ended", NULL};
    double all, busy = sim_parts_sum(&kernel->stalls);
    const struct sim_part *wait = largest(&kernel->stalls, slots, &all);
    double empty = sim_part_share(&kernel->stalls, "empty");
    if (!wait || all <= 0)
        return;
    say(arena, to,
        "No part of the machine is near its peak: the limit is latency, with too few warps to hide "
        "it.");
    say(arena, to, "Of the time in which resident warps do not issue, %.0f %% is: %s.",
        100 * wait->value / all, wait->text);
    if (!strcmp(wait->name, "load") || !strcmp(wait->name, "chain"))
        say_latency(arena, to, kernel);
    if (busy > 0 && empty > 0.3)
        say(arena, to,
            "%.0f %% of the warp slots are empty: more CTAs, or smaller ones, would hide more "
            "latency%s%s.",
            100 * empty, kernel->room ? "; " : "", kernel->room ? kernel->room : "");
}

static void say_next(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel,
                     const struct sim_resource *first)
{
    const struct sim_resource *next = most_used(kernel, first);
    if (!next || sim_share(next) <= 0)
        return;
    double gain = sim_share(first) / sim_share(next);
    say_resource(arena, to, "Next is ", next);
    if (sim_share(first) >= presses && gain > 1)
        say(arena, to,
            "Without the first limit, the kernel could be at most %.2f times as fast before this "
            "one limits it.",
            gain);
}

void sim_explain(const struct sim_kernel *kernel, struct arena *arena, sim_sentences *to)
{
    const struct sim_resource *first = most_used(kernel, NULL);
    if (!first) {
        say(arena, to,
            "There are no counts for this kernel: its launches were not timed, or ran together "
            "with others.");
        return;
    }
    double share = sim_share(first);
    say_resource(arena, to,
                 share >= limits    ? "Limited by "
                 : share >= presses ? "Probably limited by "
                                    : "Most used: ",
                 first);
    if (share < presses)
        say_waiting(arena, to, kernel);
    say_next(arena, to, kernel, first);
}
