#include "tests/fuzz/differential.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void conclude(struct comparison *result, enum outcome outcome, const char *what,
                     const char *why)
{
    result->outcome = outcome;
    snprintf(result->why, sizeof result->why, "%s%s", what, why);
}

static void compare_memory(struct comparison *result, const struct executed *a,
                           const struct executed *b)
{
    for (size_t i = 0; i < a->size; i++) {
        if (a->bytes[i] == b->bytes[i])
            continue;
        result->outcome = OUTCOME_DIFFERENT;
        snprintf(result->why, sizeof result->why,
                 "byte %zu of %zu is 0x%02x in the original, 0x%02x in the other one", i, a->size,
                 a->bytes[i], b->bytes[i]);
        return;
    }
}

// Compares two executions. `divided`: in the tagged one some instructions are two, perhaps in other
// kernels.
static void compare_executed(struct comparison *result, const struct executed *original,
                             const struct executed *tagged, bool divided)
{
    bool as_many = divided ? original->thread_instructions <= tagged->thread_instructions
                           : original->thread_instructions == tagged->thread_instructions;
    result->thread_instructions = original->thread_instructions;
    if (original->how != EXECUTED) {
        conclude(result, OUTCOME_BROKEN, "the original: ", original->why);
    } else if (tagged->how != EXECUTED) {
        conclude(result, OUTCOME_DIFFERENT, "the tagged one: ", tagged->why);
    } else if (!as_many) {
        result->outcome = OUTCOME_DIFFERENT;
        snprintf(result->why, sizeof result->why,
                 "%llu thread instructions in the original, %llu in the tagged one",
                 (unsigned long long)original->thread_instructions,
                 (unsigned long long)tagged->thread_instructions);
    } else {
        compare_memory(result, original, tagged);
    }
}

// Returns a limit of registers for ir_schedule: few, some or many.
static uint32_t limit_of(uint64_t seed)
{
    static const uint32_t limits[] = {1, 8, 16, 24, 40, 64, 255};
    return limits[seed % ARRAY_LENGTH(limits)];
}

void compare_launch(struct comparison *result, const struct trial *trial, const char *text,
                    const struct launch_inputs *inputs, reference_fn *reference, void *context)
{
    struct executed original, tagged, scheduled;
    const char *given = text;
    memset(result, 0, sizeof *result);
    tagged_make(&result->tagged, text, strlen(text), trial->fma, trial->mutation, trial->seed);
    struct tagged *made = &result->tagged;
    if (made->split)
        text = reference ? reference(context, made) : NULL;
    if (made->wrong[0]) {
        conclude(result, OUTCOME_DIFFERENT, "", made->wrong);
    } else if (!text) {
        conclude(result, OUTCOME_SKIPPED, "", "fused multiply-adds are divided");
    } else {
        launch_execute(&original, text, strlen(text), inputs, trial->lanes, 0);
        launch_execute(&tagged, made->text, made->length, inputs, trial->lanes, 0);
        launch_execute(&scheduled, text, strlen(text), inputs, trial->lanes,
                       limit_of(inputs->seed));
        compare_executed(result, &original, &tagged, made->split && text == given);
        if (result->outcome == OUTCOME_SAME)
            compare_executed(result, &original, &scheduled, false);
        free(original.bytes);
        free(tagged.bytes);
        free(scheduled.bytes);
    }
    tagged_free(made);
    made->text = NULL;
    made->split_lines = NULL;
}

struct rendered {
    const struct random_kernel *kernel;
    const uint32_t *lines;
};

// Returns the generator's own division of the instructions that the tagger has divided.
static const char *divided_text(void *context, const struct tagged *tagged)
{
    const struct rendered *rendered = context;
    const struct random_kernel *kernel = rendered->kernel;
    uint64_t *divided = ARENA_ARRAY(kernel->arena, uint64_t, kernel->list.n / 64 + 1);
    for (uint32_t i = 0; i < kernel->list.n; i++)
        for (uint32_t k = 0; k < tagged->split && kernel->list.v[i].divided; k++)
            if (rendered->lines[i] == tagged->split_lines[k])
                divided[i / 64] |= UINT64_C(1) << i % 64;
    return kernel_text(kernel, divided, NULL);
}

void compare_kernel(struct comparison *result, const struct trial *trial,
                    struct random_kernel *kernel)
{
    uint32_t *lines = ARENA_ARRAY(kernel->arena, uint32_t, kernel->list.n);
    const char *text = kernel_text(kernel, NULL, lines);
    struct rendered rendered = {kernel, lines};
    compare_launch(result, trial, text, &kernel->inputs, divided_text, &rendered);
}

// Drops these statements, or restores them if the kernel does not fail without them.
static bool try_without(const struct trial *trial, struct random_kernel *kernel,
                        const uint32_t *which, uint32_t count)
{
    struct comparison result;
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < count; i++) {
        dropped += !kernel->list.v[which[i]].dropped;
        kernel->list.v[which[i]].dropped = true;
    }
    if (!dropped)
        return false;
    compare_kernel(&result, trial, kernel);
    if (result.outcome == OUTCOME_DIFFERENT)
        return true;
    for (uint32_t i = 0; i < count; i++)
        kernel->list.v[which[i]].dropped = false;
    return false;
}

// Finds all statements of the statement's group.
static uint32_t group_of(const struct random_kernel *kernel, uint32_t statement, uint32_t *which)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->list.n; i++)
        if (kernel->list.v[i].group == kernel->list.v[statement].group)
            which[count++] = i;
    return count;
}

static bool may_go(const struct kernel_statement *statement)
{
    return !statement->fixed && !statement->dropped;
}

static bool shrink_once(const struct trial *trial, struct random_kernel *kernel, uint32_t size,
                        uint32_t *which)
{
    bool progress = false;
    for (uint32_t begin = kernel->list.n; begin-- > 0;) {
        uint32_t count = 0;
        if (!may_go(&kernel->list.v[begin]))
            continue;
        // `size` statements without a group, or one group.
        if (kernel->list.v[begin].group)
            count = group_of(kernel, begin, which);
        for (uint32_t i = begin + 1; !kernel->list.v[begin].group && i-- > 0 && count < size;)
            if (may_go(&kernel->list.v[i]) && !kernel->list.v[i].group)
                which[count++] = i;
        progress |= count && try_without(trial, kernel, which, count);
    }
    return progress;
}

void shrink_kernel(const struct trial *trial, struct random_kernel *kernel)
{
    uint32_t *which = ARENA_ARRAY(kernel->arena, uint32_t, kernel->list.n);
    for (uint32_t size = 16; size; size /= 4)
        while (shrink_once(trial, kernel, size, which))
            continue;
}
