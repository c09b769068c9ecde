// Builds a module step by step, and answers simple queries about it.
#include "ir/internal.h"
#include "support/parallel.h"
#include "support/search.h"
#include <string.h>

static void (*const steps[])(struct ir_work *work, struct ir_function *fn) = {
    ir_build_edges, ir_build_dominators, ir_build_loops, ir_build_liveness, ir_build_ssa,
};

// Moves a growing array to its final place, without unused capacity.
#define KEEP(work, vec)                                                                            \
    do {                                                                                           \
        (vec)->v = arena_keep((work)->kept, &(work)->lists, (vec)->v,                              \
                              (size_t)(vec)->capacity * sizeof *(vec)->v,                          \
                              (size_t)(vec)->n * sizeof *(vec)->v);                                \
        (vec)->capacity = (vec)->n;                                                                \
    } while (0)

static void keep_lowered(struct ir_work *work, struct ir_function *fn)
{
    KEEP(work, &fn->registers);
    KEEP(work, &fn->scopes);
    KEEP(work, &fn->insts);
    KEEP(work, &fn->operands);
    KEEP(work, &fn->operand_inst);
    KEEP(work, &fn->blocks);
    KEEP(work, &fn->targets);
}

static void keep_analysed(struct ir_work *work, struct ir_function *fn)
{
    KEEP(work, &fn->operand_version);
    KEEP(work, &fn->edges);
    KEEP(work, &fn->rpo);
    KEEP(work, &fn->loops);
    KEEP(work, &fn->versions);
    KEEP(work, &fn->phis);
    KEEP(work, &fn->phi_args);
    KEEP(work, &fn->uses);
    KEEP(work, &fn->live);
    KEEP(work, &fn->live_at);
}

// Keeps the head of a function whose arrays are freed.
static void keep_head(struct ir_function *fn)
{
    *fn = (struct ir_function){.node = fn->node,
                               .name = fn->name,
                               .symbol = fn->symbol,
                               .is_entry = fn->is_entry,
                               .has_body = fn->has_body,
                               .returns = fn->returns,
                               .params = fn->params};
}

static void analyse(struct ir_work *work, struct ir_function *fn)
{
    for (size_t i = 0; fn->has_body && i < ARRAY_LENGTH(steps); i++) {
        steps[i](work, fn);
        arena_reset(&work->scratch);
    }
    keep_analysed(work, fn);
}

static void begin_work(struct ir_work *work, struct ir_module *module, struct arena *kept)
{
    *work = (struct ir_work){.module = module, .kept = kept};
    arena_init(&work->lists, kept->memory);
    arena_init(&work->scratch, kept->memory);
}

static void end_work(struct ir_work *work)
{
    arena_free(&work->scratch);
    arena_free(&work->lists);
}

struct ir_builder {
    struct ir_work work;
    struct arena names;
    struct ir_lower *lower;
};

struct ir_builder *ir_build_begin(struct ir_module *module, struct arena *arena, struct tree *tree,
                                  struct diags *diags)
{
    struct ir_builder *builder = ARENA_NEW(arena, struct ir_builder);
    *module = (struct ir_module){.arena = arena, .tree = tree};
    begin_work(&builder->work, module, arena);
    arena_init(&builder->names, arena->memory);
    builder->lower = ir_lower_new(&builder->work, &builder->names, diags);
    return builder;
}

bool ir_build_items(struct ir_builder *builder)
{
    ir_lower_items(builder->lower);
    return !builder->lower->names.counted.n;
}

struct ir_function *ir_build_function(struct ir_builder *builder, uint32_t function)
{
    ir_lower_function(builder->lower, function);
    return &builder->work.module->functions.v[function];
}

void ir_build_drop(struct ir_builder *builder, struct ir_function *fn)
{
    keep_head(fn);
    arena_reset(&builder->work.lists);
}

void ir_build_end(struct ir_builder *builder)
{
    arena_free(&builder->names);
    end_work(&builder->work);
}

static void analyse_on_thread(struct parallel_thread *thread, void *context)
{
    struct ir_module *module = context;
    struct ir_work work;
    begin_work(&work, module, &thread->results);
    for (uint32_t i; (i = parallel_next(thread)) != UINT32_MAX;) {
        analyse(&work, &module->functions.v[i]);
        arena_reset(&work.lists);
    }
    end_work(&work);
}

void ir_build_parallel(struct ir_module *module, struct arena *arena, struct tree *tree,
                       struct diags *diags, uint32_t threads)
{
    struct ir_builder *builder = ir_build_begin(module, arena, tree, diags);
    ir_build_items(builder);
    for (uint32_t i = 0; i < module->functions.n; i++) {
        struct ir_function *fn = ir_build_function(builder, i);
        if (threads == 1)
            analyse(&builder->work, fn);
        keep_lowered(&builder->work, fn);
        arena_reset(&builder->work.lists);
    }
    ir_build_end(builder);
    if (threads > 1)
        parallel_run(arena, threads, module->functions.n, analyse_on_thread, module);
}

void ir_build(struct ir_module *module, struct arena *arena, struct tree *tree, struct diags *diags)
{
    ir_build_parallel(module, arena, tree, diags, 1);
}

bool ir_is_extern(const struct ir_module *module, const struct ir_symbol *symbol)
{
    const struct tree *tree = module->tree;
    uint32_t decl = symbol->node;
    while (decl && tree->nodes.v[decl].kind != NODE_DECL)
        decl--;
    NODE_EACH (child, tree, decl)
        if (tree->nodes.v[child].kind == NODE_SPEC && tree->nodes.v[child].aux == W_extern)
            return true;
    return false;
}

uint16_t ir_type_bits(uint16_t type)
{
    return isa_is_type(type) ? isa_words[type].value : 0;
}

bool ir_type_is_signed(uint16_t type)
{
    return type == W_s8 || type == W_s16 || type == W_s32 || type == W_s64;
}

bool ir_type_is_integer(uint16_t type)
{
    static const uint16_t types[] = {W_u8, W_u16, W_u32, W_u64, W_b8, W_b16, W_b32, W_b64};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (types[i] == type)
            return true;
    return ir_type_is_signed(type);
}

uint32_t ir_version_block(const struct ir_function *fn, uint32_t version)
{
    const struct ir_version *v = &fn->versions.v[version];
    switch (v->kind) {
    case VERSION_INST: return fn->insts.v[v->index].block;
    case VERSION_PHI: return fn->phis.v[v->index].block;
    default: return 0;
    }
}

uint32_t ir_made_version(const struct ir_function *fn, uint32_t inst, uint32_t reg)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_DEF && fn->operands.v[i].kind == OPERAND_REGISTER &&
            fn->operands.v[i].index == reg)
            return fn->operand_version.v[i];
    return IR_NONE;
}

uint32_t ir_register_scope(const struct ir_function *fn, uint32_t reg)
{
    uint32_t scope = fn->registers.v[reg].scope;
    return SEARCH(i, 0, fn->scopes.n, fn->scopes.v[i] < scope);
}

const char *ir_register_name(const struct ir_module *module, const struct ir_function *fn,
                             uint32_t reg, struct arena *arena)
{
    const struct ir_register *at = &fn->registers.v[reg];
    const struct name *name = tree_name(module->tree, at->name);
    if (!at->repeated)
        return arena_strndup(arena, name->text, name->length);
    return arena_printf(arena, "%.*s@%u", (int)name->length, name->text,
                        ir_register_scope(fn, reg));
}

uint32_t ir_find_register(const struct ir_module *module, const struct ir_function *fn,
                          const char *name, size_t length)
{
    const char *end = name + length, *sign = memchr(name, '@', length);
    uint32_t found = IR_NONE;
    uint64_t scope = 0;
    if (sign && sign + 1 == end)
        return IR_NONE;
    for (const char *at = sign ? sign + 1 : end; at < end; at++) {
        if (*at < '0' || *at > '9' || scope > UINT32_MAX)
            return IR_NONE;
        scope = 10 * scope + (uint64_t)(*at - '0');
    }
    uint32_t id = intern_find(&module->tree->names, name, sign ? (size_t)(sign - name) : length);
    for (uint32_t i = 0; i < fn->registers.n && id != UINT32_MAX; i++) {
        const struct ir_register *at = &fn->registers.v[i];
        if (at->name != id || (sign && ir_register_scope(fn, i) != scope))
            continue;
        if (found != IR_NONE)
            return IR_NONE;
        found = i;
    }
    return found;
}

uint32_t ir_find_operand(const struct ir_function *fn, uint32_t inst, enum ir_role role, uint32_t n)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == role && !n--)
            return i;
    return IR_NONE;
}

uint32_t ir_defined(const struct ir_function *fn, uint32_t inst)
{
    uint32_t first = ir_find_operand(fn, inst, ROLE_DEF, 0);
    if (first == IR_NONE || ir_find_operand(fn, inst, ROLE_DEF, 1) != IR_NONE)
        return IR_NONE;
    return fn->operand_version.v[first];
}

static bool is_whole(const struct ir_function *fn, uint32_t operand, uint16_t bits)
{
    const struct ir_operand *at = &fn->operands.v[operand];
    return at->kind == OPERAND_REGISTER && !at->part && !at->negated && at->member == W_UNKNOWN &&
           fn->registers.v[at->index].bits == bits;
}

bool ir_is_copy(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    uint32_t to = ir_find_operand(fn, inst, ROLE_DEF, 0);
    uint32_t from = ir_find_operand(fn, inst, ROLE_USE, 0);
    uint16_t bits = ir_type_bits(at->type);
    if (at->op != OP_mov || bits < 16 || bits > 64 || to == IR_NONE || from == IR_NONE)
        return false;
    return ir_find_operand(fn, inst, ROLE_DEF, 1) == IR_NONE &&
           ir_find_operand(fn, inst, ROLE_USE, 1) == IR_NONE && is_whole(fn, to, bits) &&
           is_whole(fn, from, bits);
}

bool ir_reads_part(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_operand *operands = ir_operands(fn, inst);
    for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++)
        if (operands[i].role == ROLE_USE && operands[i].part)
            return true;
    return false;
}

bool ir_has_modifier(const struct ir_module *module, const struct ir_function *fn, uint32_t inst,
                     uint16_t word)
{
    uint32_t count;
    const uint16_t *mods = node_mods(module->tree, fn->insts.v[inst].node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (mods[i] == word)
            return true;
    return false;
}

struct source_position ir_position(const struct ir_module *module, const struct ir_function *fn,
                                   uint32_t inst)
{
    return source_position_at(module->tree->source,
                              module->tree->nodes.v[fn->insts.v[inst].node].begin);
}
