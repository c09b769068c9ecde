#include "backend/report/remarks.h"
#include "backend/tables/tables.h"
#include "backend/emit/text.h"
#include "ir/loc.h"
#include "passes/analysis/memory/measured.h"
#include <stdlib.h>
#include <string.h>

static const struct plan_rule_info passed_rules[] = {
    {"chain", "a Load-Compute-Store chain is offloaded"},
    {"block", "a block is selected for offloading"},
    {"mapped", "a kernel has a map for spatial cores"},
    {"access", "number of lines of memory that an access of a warp touches"},
};
enum { PASSED_CHAIN, PASSED_BLOCK, PASSED_MAP, FOUND_ACCESS, PASSED_RULES };

uint32_t remark_rule_count(void)
{
    return PASSED_RULES + RULE_COUNT;
}

struct plan_rule_info remark_rule(uint32_t index)
{
    return index < PASSED_RULES ? passed_rules[index] : plan_rules[index - PASSED_RULES];
}

uint32_t remark_rule_find(const char *id)
{
    uint32_t index = 0;
    while (strcmp(remark_rule(index).id, id))
        index++;
    return index;
}

struct collector {
    struct remarks *remarks;
    struct arena *arena;
    const struct ir_module *module;
    uint32_t function;
    const struct ir_function *fn;
    const char *name;
    struct ir_locs *locs;
    bool *launched;             // per function: a launch may reach it; NULL: not computed yet
    const char *file, *cleaned; // a file's name as in .file, and as shown
};

// Selects a function; its name is copied once for all its remarks.
static void turn_to(struct collector *c, uint32_t function)
{
    if (c->fn == &c->module->functions.v[function])
        return;
    c->function = function;
    c->fn = &c->module->functions.v[function];
    const struct name *name = tree_name(c->module->tree, c->fn->name);
    c->name = arena_strndup(c->arena, name->text, name->length);
}

static void range_of(const struct collector *c, uint32_t inst, uint32_t *begin, uint32_t *end)
{
    const struct node *node = &c->module->tree->nodes.v[c->fn->insts.v[inst].node];
    *begin = node->begin;
    *end = node->end;
}

static uint32_t line_of(const struct collector *c, uint32_t inst)
{
    return ir_position(c->module, c->fn, inst).line;
}

// Returns the file's name in UTF-8 without control characters: .file accepts any bytes.
static const char *cleaned_file(struct collector *c, const char *file)
{
    if (file != c->file) {
        const char *utf8 = text_utf8(c->arena, file);
        char *to = arena_strndup(c->arena, utf8, strlen(utf8));
        c->file = file;
        c->cleaned = to;
        for (; *to; to++)
            if ((unsigned char)*to < ' ' || *to == 127)
                *to = '?';
    }
    return c->cleaned;
}

static void add_origins(struct collector *c, struct remark *remark, uint32_t inst)
{
    const struct ir_loc *loc = ir_loc_find(c->locs, c->function, inst);
    const char *text = "in the CUDA source";
    for (; loc && loc->file && *loc->file && loc->line; loc = loc->inlined_at) {
        struct remark_origin origin = {cleaned_file(c, loc->file), text, loc->line, loc->column};
        vec_push(c->arena, &remark->origins, origin);
        text = "which is inlined here";
    }
}

static struct remark remark_at(struct collector *c, uint32_t inst, const char *rule)
{
    struct remark remark = {
        .rule = rule, .function = c->function, .name = c->name, .item = IR_NONE};
    range_of(c, inst, &remark.begin, &remark.end);
    add_origins(c, &remark, inst);
    return remark;
}

static void add_note(const struct collector *c, struct remark *remark, uint32_t inst,
                     const char *text)
{
    struct remark_note note = {.text = text};
    range_of(c, inst, &note.begin, &note.end);
    vec_push(c->arena, &remark->notes, note);
}

// Functions that launches reach

static bool calls_unknown(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    bool named = at->class != CLASS_CALL;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        named |= fn->operands.v[i].kind == OPERAND_SYMBOL && fn->operands.v[i].role == ROLE_USE;
    return !named;
}

// Marks the kernels and all functions that they name, directly or through others. A call by address
// may reach every function.
static bool *find_launched(struct arena *arena, const struct ir_module *module)
{
    uint32_t count = module->functions.n, depth = 0;
    bool *launched = ARENA_ARRAY(arena, bool, count + 1);
    uint32_t *of = ARENA_ARRAY(arena, uint32_t, module->symbols.n + 1); // per symbol: function + 1
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        if (module->functions.v[i].has_body && module->functions.v[i].symbol != IR_NONE)
            of[module->functions.v[i].symbol] = i + 1;
        if (module->functions.v[i].is_entry) {
            launched[i] = true;
            stack[depth++] = i;
        }
    }
    while (depth) {
        const struct ir_function *fn = &module->functions.v[stack[--depth]];
        for (uint32_t i = 0; i < fn->operands.n; i++) {
            uint32_t to =
                fn->operands.v[i].kind == OPERAND_SYMBOL ? of[fn->operands.v[i].index] : 0;
            if (!to || launched[to - 1])
                continue;
            launched[to - 1] = true;
            stack[depth++] = to - 1;
        }
        for (uint32_t i = 0; i < fn->insts.n; i++)
            if (calls_unknown(fn, i))
                memset(launched, true, count * sizeof *launched);
    }
    return launched;
}

// Returns the end of a remark's text, which says if no launch reaches the function.
static const char *unless_launched(struct collector *c)
{
    if (c->fn->is_entry)
        return "";
    if (!c->launched)
        c->launched = find_launched(c->arena, c->module);
    return c->launched[c->function]
               ? ""
               : arena_printf(c->arena, "; no kernel of the module calls '%s'", c->name);
}

// Chains

static const char *role_of(const struct collector *c, const struct chain *chain, uint32_t place)
{
    const struct ir_inst *inst = &c->fn->insts.v[chain->inst[place]];
    if (inst->class == CLASS_LOAD)
        return "a load of the chain";
    if (inst->class == CLASS_STORE)
        return "the store of the chain";
    if (ir_is_copy(c->fn, chain->inst[place]))
        return "the chain copies a register here";
    return place + 1 == chain->count ? "the chain ends here" : "the chain computes here";
}

static void add_chain(struct collector *c, const struct chain *chain, uint32_t item)
{
    struct remark remark = remark_at(c, chain->inst[0], passed_rules[PASSED_CHAIN].id);
    remark.passed = true;
    remark.kind = CANDIDATE_CHAIN;
    remark.item = item;
    remark.text = arena_printf(
        c->arena, "chain %u offloaded: %s (pattern %u) saves %u flits per warp and hop%s", item,
        chain_patterns[chain->pattern].form, chain->pattern, chain->saving, unless_launched(c));
    for (uint32_t i = 1; i < chain->count; i++)
        add_note(c, &remark, chain->inst[i], role_of(c, chain, i));
    vec_push(c->arena, &c->remarks->list, remark);
}

// Blocks

static const char *extent(const struct collector *c, enum block_kind shape, uint32_t first,
                          uint32_t last)
{
    uint32_t from = line_of(c, first), to = line_of(c, last);
    if (from == to)
        return arena_printf(c->arena, "%s on line %u", table_block_names[shape], from);
    return arena_printf(c->arena, "%s on lines %u to %u", table_block_names[shape], from, to);
}

static void add_block(struct collector *c, const struct block_plan *block, uint32_t item)
{
    struct remark remark = remark_at(c, block->first, passed_rules[PASSED_BLOCK].id);
    const char *what = extent(c, block->kind, block->first, block->last);
    double saving = block->estimate.weight;
    bool mean = block->kind == BLOCK_LOOP && block->measured & MEASURED_TRIPS &&
                block->estimate.cost == COST_REFINED;
    remark.passed = true;
    remark.kind = CANDIDATE_BLOCK;
    remark.item = item;
    if (mean)
        what = arena_printf(c->arena, "%s, which runs %.4g times on average (measured),", what,
                            block->measured_trips);
    if (mean && block->estimate.conditional)
        remark.text = arena_printf(
            c->arena,
            "%s selected for offloading if %s >= %llu: saves %g words per warp with those%s", what,
            block->trip_text, (unsigned long long)block->estimate.threshold, saving,
            unless_launched(c));
    else if (block->estimate.conditional && block->trip_text)
        remark.text = arena_printf(
            c->arena,
            "%s selected for offloading if %s >= %llu: saves %g words per warp at that number%s",
            what, block->trip_text, (unsigned long long)block->estimate.threshold, saving,
            unless_launched(c));
    else
        remark.text =
            arena_printf(c->arena, "%s selected for offloading: saves %g words per warp%s", what,
                         saving, unless_launched(c));
    vec_push(c->arena, &c->remarks->list, remark);
}

// Maps

static void add_map(struct collector *c, const struct map_plan *map)
{
    struct remark remark = remark_at(c, 0, passed_rules[PASSED_MAP].id);
    remark.passed = true;
    remark.kind = CANDIDATE_MAP;
    remark.text = arena_printf(
        c->arena, "kernel mapped to spatial cores: %u token%s in %u cycle%s, %u cop%s (%s)",
        map->tokens, map->tokens == 1 ? "" : "s", map->cycles, map->cycles == 1 ? "" : "s",
        map->copies, map->copies == 1 ? "y" : "ies", map->limit);
    vec_push(c->arena, &c->remarks->list, remark);
}

// Rejected candidates

static const char *what_is_not(struct collector *c, const struct rejection *rejection)
{
    if (rejection->kind == CANDIDATE_KERNEL)
        return "kernel not offloaded to cores";
    if (rejection->kind == CANDIDATE_MAP)
        return "kernel not mapped to spatial cores";
    const char *what = rejection->last == IR_NONE
                           ? table_candidate_names[rejection->kind]
                           : extent(c, rejection->shape, rejection->inst, rejection->last);
    return arena_printf(c->arena, "%s not offloaded", what);
}

static void add_rejection(struct collector *c, const struct rejection *rejection)
{
    struct remark remark = remark_at(c, rejection->inst, plan_rules[rejection->rule].id);
    const char *text = rejection->text ? rejection->text : plan_rules[rejection->rule].text;
    remark.kind = rejection->kind;
    remark.text = arena_printf(c->arena, "%s: %s", what_is_not(c, rejection), text);
    if (rejection->because != IR_NONE && rejection->because != rejection->inst)
        add_note(c, &remark, rejection->because, "because of this");
    vec_push(c->arena, &c->remarks->list, remark);
}

static int compare(const void *left, const void *right)
{
    const struct remark *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->passed != b->passed)
        return a->passed ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int by = strcmp(a->rule, b->rule);
    return by ? by : strcmp(a->text, b->text);
}

static bool is_wanted(const bool *functions, uint32_t function)
{
    return !functions || functions[function];
}

static void collect_passed(struct collector *c, const struct plan *plan, const bool *functions)
{
    uint32_t item = 0;
    for (uint32_t i = 0; i < plan->chains.n; i++) {
        const struct chain *chain = &plan->chains.v[i];
        item = i && chain[-1].function == chain->function ? item + 1 : 0;
        if (!is_wanted(functions, chain->function))
            continue;
        turn_to(c, chain->function);
        add_chain(c, chain, item);
    }
    for (uint32_t i = 0; i < plan->blocks.n; i++) {
        const struct block_plan *block = &plan->blocks.v[i];
        item = i && block[-1].function == block->function ? item + 1 : 0;
        if (!is_wanted(functions, block->function) || !block->estimate.candidate || !block->chosen)
            continue;
        turn_to(c, block->function);
        add_block(c, block, item);
    }
    for (uint32_t i = 0; i < plan->maps.n; i++) {
        if (!is_wanted(functions, plan->maps.v[i].function))
            continue;
        turn_to(c, plan->maps.v[i].function);
        add_map(c, &plan->maps.v[i]);
    }
}

void remarks_collect(struct remarks *remarks, struct arena *arena, const struct ir_module *module,
                     const struct plan *plan, unsigned which, const bool *functions)
{
    struct collector c = {
        .remarks = remarks, .arena = arena, .module = module, .locs = ir_locs_new(arena, module)};
    *remarks = (struct remarks){0};
    if (which & REMARKS_PASSED)
        collect_passed(&c, plan, functions);
    for (uint32_t i = 0; i < plan->rejections.n && which & REMARKS_MISSED; i++) {
        if (!is_wanted(functions, plan->rejections.v[i].function))
            continue;
        turn_to(&c, plan->rejections.v[i].function);
        add_rejection(&c, &plan->rejections.v[i]);
    }
    if (remarks->list.n)
        qsort(remarks->list.v, remarks->list.n, sizeof *remarks->list.v, compare);
}

// Results of analyses

static void add_access(struct collector *c, struct facts *facts, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    struct coalescings *coalescings = facts_coalescings(facts);
    struct remark remark = remark_at(c, inst, passed_rules[FOUND_ACCESS].id);
    bool loads = at->class == CLASS_LOAD;
    remark.analysis = true;
    remark.kind = loads ? CANDIDATE_LOAD : CANDIDATE_STORE;
    remark.text = coalescing_text(coalescings, c->arena, inst);
    if (loads && coalescing_of(coalescings, inst).known)
        remark.text = arena_printf(c->arena, "%s; %s", remark.text,
                                   reuse_text(facts_reuses(facts), c->arena, inst));
    const char *measured = measured_text(facts, c->arena, inst);
    if (measured)
        remark.text = arena_printf(c->arena, "%s; %s", remark.text, measured);
    vec_push(c->arena, &c->remarks->list, remark);
}

void remarks_add_accesses(struct remarks *remarks, struct arena *arena,
                          const struct ir_module *module, struct plan *plan,
                          const struct pass_options *options, const bool *functions)
{
    struct collector c = {
        .remarks = remarks, .arena = arena, .module = module, .locs = ir_locs_new(arena, module)};
    for (uint32_t i = 0; i < module->functions.n; i++) {
        if (!module->functions.v[i].has_body || !is_wanted(functions, i))
            continue;
        struct facts *facts = facts_of(plan, module, options, i);
        turn_to(&c, i);
        for (uint32_t inst = 0; inst < c.fn->insts.n; inst++)
            if (coalescing_of(facts_coalescings(facts), inst).access)
                add_access(&c, facts, inst);
    }
    if (remarks->list.n)
        qsort(remarks->list.v, remarks->list.n, sizeof *remarks->list.v, compare);
}

void remarks_map_files(struct remarks *remarks, struct arena *arena,
                       const struct prefix_map *prefixes)
{
    for (uint32_t i = 0; i < remarks->list.n; i++)
        for (uint32_t k = 0; k < remarks->list.v[i].origins.n; k++) {
            struct remark_origin *origin = &remarks->list.v[i].origins.v[k];
            origin->file = prefix_map_name(prefixes, arena, origin->file);
        }
}
