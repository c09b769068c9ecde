// The pass that compiles kernels to maps, and records why a kernel has none.
#include "passes/base/passes.h"
#include "passes/maps/compile.h"
#include "passes/analysis/facts.h"
#include <stdlib.h>
#include <string.h>

static const char *keep(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

// Returns the text of the map, or NULL if memory ran out.
static const char *write_text(struct arena *arena, const struct map_compiled *made)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return NULL;
    map_compiled_write(made, to);
    const char *kept = fclose(to) ? NULL : arena_strndup(arena, text, length);
    free(text);
    return kept;
}

static bool add_map(struct plan *plan, uint32_t function, struct map_compiled *made)
{
    const char *text = write_text(plan->arena, made);
    if (!text) {
        made->rule = RULE_MAP_OPERATION;
        made->why = "the map cannot be written";
        return false;
    }
    struct map_plan map = {
        .function = function,
        .text = text,
        .form = made->has_tiles  ? "tiles"
                : made->has_loop ? "nest"
                                 : "threads",
        .tokens = (uint32_t)made->tokens,
        .cycles = (uint32_t)made->cycles,
        .limit = keep(plan->arena, made->limit),
        .copies = made->copies,
        .cores = made->cores,
        .lsus = made->lsus,
        .lanes = made->lanes,
        .conditions = made->conditions,
    };
    vec_push(plan->arena, &plan->maps, map);
    return true;
}

static void add_refusal(struct plan *plan, uint32_t function, const struct map_compiled *made)
{
    struct rejection rejection = {.function = function,
                                  .kind = CANDIDATE_MAP,
                                  .rule = made->rule,
                                  .inst = made->inst == IR_NONE ? 0 : made->inst,
                                  .because = IR_NONE,
                                  .text = keep(plan->arena, made->why),
                                  .last = IR_NONE};
    vec_push(plan->arena, &plan->rejections, rejection);
}

static void run(const struct pass_work *work)
{
    struct map_hardware hardware = map_hardware_initial();
    struct arena arena;
    if (!work->options->maps)
        return;
    arena_init(&arena, work->plan->arena->memory);
    for (uint32_t i = work->first; i < work->end; i++) {
        const struct ir_function *fn = &work->module->functions.v[i];
        struct map_compiled made;
        if (!fn->is_entry || !fn->has_body || !fn->insts.n)
            continue;
        struct facts *facts = facts_of(work->plan, work->module, work->options, i);
        map_compile(&made, &arena, facts, MAP_CORES, &hardware);
        if (!made.map || !add_map(work->plan, i, &made))
            add_refusal(work->plan, i, &made);
        arena_reset(&arena);
    }
    arena_free(&arena);
}

const struct function_pass pass_maps = {.run = run};
