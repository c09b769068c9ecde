// Explains a kernel: what limits it in each part of its time, what it would gain without that
// limit, and what can be done.
#include "report/phases.h"
#include "report/sim_report.h"
#include <stdarg.h>
#include <string.h>

// A limit is named if it holds for this part of the cycles; a start or tail likewise.
static const double named = 0.1, long_phase = 0.15, many_empty = 0.3;

static void add(struct arena *arena, sim_sentences *to, bool begins, const char *format,
                va_list args) __attribute__((format(printf, 4, 0)));
static void add(struct arena *arena, sim_sentences *to, bool begins, const char *format,
                va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    if (begins || !to->n)
        vec_push(arena, to, (const char *)arena_strndup(arena, text, strlen(text)));
    else
        to->v[to->n - 1] = arena_printf(arena, "%s %s", to->v[to->n - 1], text);
}

// Begins a paragraph with a sentence.
static void begin(struct arena *arena, sim_sentences *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void begin(struct arena *arena, sim_sentences *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(arena, to, true, format, args);
    va_end(args);
}

// Adds a sentence to the paragraph.
static void say(struct arena *arena, sim_sentences *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct arena *arena, sim_sentences *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(arena, to, false, format, args);
    va_end(args);
}

static double limit_sum(const struct sim_kernel *kernel)
{
    double sum = 0;
    for (uint32_t i = 0; i < kernel->limits.n; i++)
        sum += kernel->limits.v[i].cycles;
    return sum;
}

// Returns how many times as fast the kernel could be at most without a limit.
static double gain_without(const struct sim_kernel *kernel, const struct sim_limit *limit)
{
    double all = limit_sum(kernel), rest = all - limit->cycles + limit->without;
    return rest > 0 ? all / rest : INFINITY;
}

const char *sim_limit_word(const struct sim_limit *limit)
{
    return !limit->is_part || limit->used >= SIM_LIMITS ? "limited by" : "probably limited by";
}

const char *sim_gain_text(struct arena *arena, const struct sim_kernel *kernel,
                          const struct sim_limit *limit)
{
    double gain = gain_without(kernel, limit);
    const char *next = limit->is_part && limit->next ? limit->next : NULL;
    if (isinf(gain))
        return "nothing else in the machine would limit it";
    if (gain < 1.05 && next)
        return arena_printf(arena, "%s would limit it nearly as much", next);
    return arena_printf(arena, "the kernel could be at most %.2f times as fast%s%s%s", gain,
                        next ? "; then " : "", next ? next : "", next ? " would limit it" : "");
}

static const struct sim_part *largest_stage(const struct sim_kernel *kernel)
{
    const struct sim_part *max = NULL;
    for (uint32_t i = 0; i < kernel->stages.n; i++)
        if (!max || kernel->stages.v[i].value > max->value)
            max = &kernel->stages.v[i];
    return max;
}

static void say_latency(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel)
{
    double latency = sim_number(kernel, "latency of loads"), all = sim_parts_sum(&kernel->stages);
    const struct sim_part *stage = largest_stage(kernel);
    if (latency > 0)
        say(arena, to, "A load takes %.0f cycles on average, from issue to result.", latency);
    if (stage && all > 0)
        say(arena, to,
            "A read that leaves the core takes %.0f cycles, %.0f of them (%.0f %%) in the %s.", all,
            stage->value, 100 * stage->value / all, stage->name);
}

// Says how more warps could run, if many slots are empty.
static void say_room(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel)
{
    double empty = sim_part_share(&kernel->stalls, "empty");
    if (!(empty > many_empty) || kernel->places <= 0)
        return;
    if (kernel->ctas < kernel->places)
        say(arena, to,
            "%.0f %% of the warp slots are empty: a launch has %.4g CTAs, and the machine has room "
            "for %.0f; more CTAs would hide more latency.",
            100 * empty, kernel->ctas, kernel->places);
    else if (kernel->room)
        say(arena, to, "%.0f %% of the warp slots are empty: %s.", 100 * empty, kernel->room);
}

static void say_limit(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel,
                      const struct sim_limit *limit, double share)
{
    const char *word = sim_limit_word(limit);
    if (limit->is_part) {
        begin(arena, to, "%c%s %s for %.0f %% of the cycles, in which it is used %.0f %%.",
              word[0] == 'p' ? 'P' : 'L', word + 1, limit->name, 100 * share, 100 * limit->used);
    } else {
        begin(
            arena, to,
            "Limited by latency for %.0f %% of the cycles: no part of the machine is used %.0f %%, "
            "and too few warps are ready.",
            100 * share, 100 * SIM_PRESSES);
        if (limit->wait)
            say(arena, to, "Of the waiting then, %.0f %% is: %s.", 100 * limit->waiting,
                limit->wait_text);
        if (limit->wait && (!strcmp(limit->wait, "load") || !strcmp(limit->wait, "chain")))
            say_latency(arena, to, kernel);
        say_room(arena, to, kernel);
    }
    say(arena, to, "Without this limit %s.", sim_gain_text(arena, kernel, limit));
}

// Says what a long start or tail takes.
static void say_phases(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel)
{
    double all = limit_sum(kernel);
    for (uint32_t i = 0; i < kernel->phases.n; i++) {
        const struct sim_phase *phase = &kernel->phases.v[i];
        double share = phase->cycles / all;
        if (share < long_phase || !strcmp(phase->name, "steady"))
            continue;
        begin(arena, to,
              "The %s takes %.0f %% of the cycles: in it, less than half of the largest number of "
              "warps run.",
              phase->name, 100 * share);
    }
    double waves = kernel->places > 0 ? kernel->ctas / kernel->places : 0, whole = floor(waves);
    if (waves > 1 && waves > whole && waves < 5)
        begin(
            arena, to,
            "The CTAs of a launch fill the machine %.0f time%s, and the last of them fill %.0f %% "
            "of it.",
            whole, whole == 1 ? "" : "s", 100 * (waves - whole));
}

// Chains and blocks

const char *sim_item_verdict(struct arena *arena, const struct sim_item *item, bool *costs)
{
    double gpu = sim_row(item, "latency in the GPU"),
           away = sim_row(item, "latency when offloaded"), offloaded = sim_row(item, "offloaded"),
           saved = sim_row(item, "saved");
    double kept = sim_row(item, "executed") - offloaded;
    *costs = false;
    if (away > 0 && offloaded > 0 && kept > 0 && gpu > 0) {
        *costs = away > gpu;
        return arena_printf(arena,
                            "takes %.0f cycles when offloaded (%.0f times) and %.0f in the GPU "
                            "(%.0f times)%s",
                            away, offloaded, gpu, kept,
                            *costs ? "; --policy=tom-measured leaves such blocks in the GPU, and "
                                     "--set=tom.at_core=… this one"
                                   : "");
    }
    if (away > 0 && offloaded > 0)
        return arena_printf(arena,
                            "takes %.0f cycles when offloaded (%.0f times), and never ran in the "
                            "GPU to compare; --policy=tom-measured measures both",
                            away, offloaded);
    if (saved < 0 && offloaded > 0) {
        *costs = true;
        return arena_printf(arena,
                            "costs %.1f flit hops each time instead of saving them (%.0f times); "
                            "--policy=adaptive turns such chains off",
                            -saved, offloaded);
    }
    return NULL;
}

// Says the verdicts about the first chains and blocks; those that cost come first.
static void say_items(struct arena *arena, sim_sentences *to, const struct sim_kernel *kernel)
{
    enum { SHOWN = 3 };
    uint32_t said = 0, all = 0;
    for (int costly = 1; costly >= 0; costly--)
        for (uint32_t i = 0; i < kernel->items.n; i++) {
            const struct sim_item *item = &kernel->items.v[i];
            bool costs;
            const char *verdict = sim_item_verdict(arena, item, &costs);
            if (!verdict || costs != costly)
                continue;
            all++;
            if (said == SHOWN)
                continue;
            said++;
            begin(arena, to, "%c%s %u of %s (line %u%s%s) %s.", item->kind[0] - 'a' + 'A',
                  item->kind + 1, item->id, item->function, item->line, item->source ? ", " : "",
                  item->source ? item->source : "", verdict);
        }
    if (all > said)
        say(arena, to, "The report has %u more such verdicts.", all - said);
}

void sim_explain(const struct sim_kernel *kernel, struct arena *arena, sim_sentences *to)
{
    double all = limit_sum(kernel);
    if (!(all > 0)) {
        begin(arena, to,
              "There are no counts for this kernel: its launches were not timed, or ran together "
              "with others.");
        return;
    }
    for (uint32_t i = 0; i < kernel->limits.n; i++) {
        double share = kernel->limits.v[i].cycles / all;
        if (!i || share >= named)
            say_limit(arena, to, kernel, &kernel->limits.v[i], share);
    }
    say_phases(arena, to, kernel);
    say_items(arena, to, kernel);
}

const char *sim_explain_brief(const struct sim_kernel *kernel, struct arena *arena)
{
    double all = limit_sum(kernel);
    const char *text = "";
    for (uint32_t i = 0; i < kernel->limits.n && all > 0; i++) {
        const struct sim_limit *limit = &kernel->limits.v[i];
        if (i && limit->cycles / all < named)
            break;
        const char *waits =
            limit->is_part || !limit->wait ? "" : arena_printf(arena, " (mostly %s)", limit->wait);
        text = arena_printf(arena, "%s%s%s%s %s%.0f %%%s", text,
                            i ? ", by " : arena_printf(arena, "%s ", sim_limit_word(limit)),
                            limit->name, waits, i ? "" : "for ", 100 * limit->cycles / all,
                            i ? "" : " of the cycles");
    }
    return text;
}
