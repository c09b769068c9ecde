#include "lsp/analysis.h"
#include "backend/tables/tables.h"
#include "support/search.h"
#include "tagger/tagger.h"
#include <stdlib.h>
#include <string.h>

struct analysis {
    struct memory memory;
    struct arena arena;
    struct source source;
    struct tagging tagging;
    struct lsp_result *result;
    // Allocated in the result's memory:
    VEC(struct lsp_finding) findings;
    VEC(struct lsp_decision) decisions;
    VEC(struct lsp_summary) summaries;
};

// Findings

static enum lsp_severity severity_of(enum severity severity)
{
    return severity == DIAG_ERROR     ? LSP_ERROR
           : severity == DIAG_WARNING ? LSP_WARNING
                                      : LSP_INFORMATION;
}

static bool keep_findings(void *context, struct diags *diags, const struct source *source)
{
    struct analysis *a = context;
    struct arena *arena = &a->result->arena;
    (void)source;
    diags_sort(diags);
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        bool placed = diag->begin != NO_OFFSET;
        struct lsp_finding finding = {
            .severity = severity_of(diag->severity),
            .begin = placed ? diag->begin : 0,
            .end = placed ? diag->end : 0,
            .rule = arena_printf(arena, "%s", diag->id),
            .message = arena_printf(arena, "%s", diag->message),
            .replacement = diag->replacement ? arena_printf(arena, "%s", diag->replacement) : NULL,
        };
        vec_push(arena, &a->findings, finding);
    }
    return !diags->errors;
}

// Decisions

static void decide(struct analysis *a, uint32_t function, uint32_t inst, const char *text,
                   const char *hint)
{
    const struct ir_function *fn = &a->tagging.module.functions.v[function];
    const struct node *node = &a->tagging.tree.nodes.v[fn->insts.v[inst].node];
    struct lsp_decision decision = {node->begin, node->end, text, hint};
    vec_push(&a->result->arena, &a->decisions, decision);
}

static void add_chain(struct analysis *a, const struct chain *chain)
{
    struct arena *arena = &a->result->arena;
    const char *form = chain_patterns[chain->pattern].form;
    const char *text = arena_printf(
        arena, "**offloaded**: chain of pattern %u, `%s`, saves %u flits per warp and hop",
        chain->pattern, form, chain->saving);
    const char *hint = arena_printf(arena, "chain %s, saves %u flits", form, chain->saving);
    uint32_t first = chain->inst[0];
    for (uint32_t i = 1; i < chain->count; i++)
        first = chain->inst[i] < first ? chain->inst[i] : first;
    for (uint32_t i = 0; i < chain->count; i++)
        decide(a, chain->function, chain->inst[i], text, chain->inst[i] == first ? hint : NULL);
}

static void add_block(struct analysis *a, const struct block_plan *block)
{
    struct arena *arena = &a->result->arena;
    const char *kind = table_block_names[block->kind];
    if (!block->chosen)
        return;
    const char *saving =
        arena_printf(arena, "saves %.4g words sent and %.4g received per iteration",
                     block->estimate.saved_tx, block->estimate.saved_rx);
    const char *text =
        arena_printf(arena, "**offloaded**: %s with %u loads and %u stores begins here, %s", kind,
                     block->loads, block->stores, saving);
    decide(a, block->function, block->first, text, arena_printf(arena, "%s, %s", kind, saving));
}

static void add_rejection(struct analysis *a, const struct rejection *rejection)
{
    if (rejection->inst < a->tagging.module.functions.v[rejection->function].insts.n)
        decide(a, rejection->function, rejection->inst,
               arena_printf(&a->result->arena, "%s not offloaded: %s `[%s]`",
                            table_candidate_names[rejection->kind], rejection->text,
                            plan_rules[rejection->rule].id),
               NULL);
}

// Summaries of functions

static const char *append(struct arena *arena, const char *list, const char *item)
{
    return arena_printf(arena, "%s%s%s", list, *list ? ", " : "", item);
}

static const char *count_text(struct arena *arena, uint32_t count, const char *noun)
{
    return arena_printf(arena, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

static const char *offloaded_text(struct analysis *a, uint32_t function)
{
    struct arena *arena = &a->result->arena;
    const struct plan *plan = &a->tagging.plan;
    uint32_t chains = 0, blocks = 0, saving = 0;
    for (uint32_t i = 0; i < plan->chains.n; i++)
        if (plan->chains.v[i].function == function) {
            chains++;
            saving += plan->chains.v[i].saving;
        }
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        blocks += plan->blocks.v[i].function == function && plan->blocks.v[i].chosen;
    const char *text = "";
    if (chains)
        text = append(
            arena, text,
            arena_printf(arena, "%s (%u flits)", count_text(arena, chains, "chain"), saving));
    if (blocks)
        text = append(arena, text, count_text(arena, blocks, "block"));
    return *text ? arena_printf(arena, "offloaded: %s", text) : "nothing offloaded";
}

static const char *rejected_text(struct analysis *a, uint32_t function)
{
    struct arena *arena = &a->result->arena;
    const struct plan *plan = &a->tagging.plan;
    uint32_t rules[RULE_COUNT] = {0}, loads = 0;
    for (uint32_t i = 0; i < plan->rejections.n; i++) {
        const struct rejection *rejection = &plan->rejections.v[i];
        bool counts = rejection->function == function && rejection->kind == CANDIDATE_LOAD;
        loads += counts;
        rules[rejection->rule] += counts;
    }
    const char *text = "";
    for (uint32_t i = 0; i < RULE_COUNT; i++)
        if (rules[i])
            text = append(arena, text, arena_printf(arena, "%s %u", plan_rules[i].id, rules[i]));
    return loads ? arena_printf(arena, "; not: %s (%s)", count_text(arena, loads, "load"), text)
                 : "";
}

static void summarise(struct analysis *a)
{
    const struct ir_module *module = &a->tagging.module;
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct ir_function *fn = &module->functions.v[i];
        const struct node *node = &a->tagging.tree.nodes.v[fn->node];
        if (!fn->has_body)
            continue;
        struct lsp_summary summary = {
            node->begin, node->end,
            arena_printf(&a->result->arena, "%s%s", offloaded_text(a, i), rejected_text(a, i))};
        vec_push(&a->result->arena, &a->summaries, summary);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct lsp_decision *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void keep_decisions(struct analysis *a)
{
    const struct plan *plan = &a->tagging.plan;
    for (uint32_t i = 0; i < plan->chains.n; i++)
        add_chain(a, &plan->chains.v[i]);
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        add_block(a, &plan->blocks.v[i]);
    for (uint32_t i = 0; i < plan->rejections.n; i++)
        add_rejection(a, &plan->rejections.v[i]);
    if (a->decisions.n)
        qsort(a->decisions.v, a->decisions.n, sizeof *a->decisions.v, by_start);
    summarise(a);
}

// Analysis

static void copy_text(struct analysis *a, const char *text, uint32_t length)
{
    enum { TERMINATOR = 2 };
    char *copy = arena_alloc(&a->arena, length + TERMINATOR);
    memcpy(copy, text, length);
    source_init(&a->source, &a->arena, "", copy, length);
}

// Runs the tagger on a copy of the text. Returns false if memory runs out.
static bool analyse(struct analysis *a, const char *text, uint32_t length)
{
    // `as_is` keeps the offsets of the document, which may have tags.
    const struct tagger_options options = {.output.passes = {.cost = COST_REFINED, .reorder = true},
                                           .goal = TAGGER_PLAN,
                                           .as_is = true};
    const struct tagger_callbacks client = {.context = a, .report = keep_findings};
    if (setjmp(a->memory.on_failure) || setjmp(a->result->memory.on_failure))
        return false;
    arena_init(&a->arena, &a->memory);
    arena_init(&a->result->arena, &a->result->memory);
    copy_text(a, text, length);
    if (tagger_process(&a->tagging, &a->arena, &a->source, &options, &client))
        keep_decisions(a);
    a->result->findings = a->findings.v;
    a->result->finding_count = a->findings.n;
    a->result->decisions = a->decisions.v;
    a->result->decision_count = a->decisions.n;
    a->result->summaries = a->summaries.v;
    a->result->summary_count = a->summaries.n;
    return true;
}

struct lsp_result *analysis_run(const char *text, uint32_t length, uint64_t edits, size_t limit)
{
    struct analysis *a = calloc(1, sizeof *a);
    struct lsp_result *result = calloc(1, sizeof *result);
    bool good = a && result;
    if (good) {
        a->result = result;
        a->memory.limit = result->memory.limit = limit;
        good = analyse(a, text, length);
        result->edits = edits;
        memory_free(&a->memory);
    }
    free(a);
    if (good)
        return result;
    analysis_free(result);
    return NULL;
}

void analysis_free(struct lsp_result *result)
{
    if (result)
        memory_free(&result->memory);
    free(result);
}

uint32_t analysis_find(const struct lsp_result *result, uint32_t offset)
{
    uint32_t low = SEARCH(i, 0, result->decision_count, result->decisions[i].end <= offset);
    bool found = low < result->decision_count && result->decisions[low].begin <= offset;
    return found ? low : result->decision_count;
}
