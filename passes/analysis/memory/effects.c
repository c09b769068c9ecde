#include "passes/analysis/memory/effects.h"
#include "passes/analysis/affine/address.h"
#include "passes/analysis/memory/spaces.h"

enum { MAX_NESTED = 32 }; // depth of calls that are followed

enum callee_state { CALLEE_NEW, CALLEE_OPEN, CALLEE_KNOWN, CALLEE_BARRED };

struct callee {
    uint8_t state;
    struct memory_effect effect;
};

struct effects {
    const struct ir_module *module;
    uint32_t *body_of;     // per name id: function with a body + 1
    struct callee *callee; // per function
    struct spaces *spaces;
    uint32_t nested;
};

static const struct memory_effect nothing = {RULE_COUNT, 0, 0};

static struct memory_effect barred(enum plan_rule rule)
{
    return (struct memory_effect){(uint8_t)rule, 0, 0};
}

// Parameter space: a kernel's parameters are available everywhere, and arguments and results of a
// call move with it. Those of the function itself stay with its caller.
static struct memory_effect parameter_access(const struct effects *effects,
                                             const struct ir_function *fn,
                                             const struct address *address)
{
    bool inside_call = effects->nested;
    if (fn->is_entry || inside_call)
        return nothing;
    if (address->parameter == IR_NONE)
        return barred(RULE_SPACE);
    uint32_t node = effects->module->symbols.v[address->parameter].node;
    const struct tree *tree = effects->module->tree;
    uint32_t lists[] = {fn->returns, fn->params};
    for (int i = 0; i < 2; i++)
        if (lists[i] != IR_NONE && node >= lists[i] && node < node_next(tree, lists[i]))
            return barred(RULE_SPACE);
    return nothing;
}

// An SM in a stack cannot reach the shared memory of the warp's CTA [002 §3.1.4]. It reaches all
// other memory: local memory and constants are in the memory of the GPU.
static struct memory_effect access(const struct effects *effects, const struct ir_function *fn,
                                   uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    unsigned set = spaces_of(effects->spaces, fn, inst);
    if (set & SPACE_SHARED)
        return barred(set == SPACE_SHARED ? RULE_SHARED : RULE_GENERIC);
    if (at->flags & INST_ORDERED)
        return barred(RULE_VOLATILE);
    if (set == SPACE_PARAM) {
        struct address address = address_of(effects->module, fn, inst);
        return parameter_access(effects, fn, &address);
    }
    if (!(set & (SPACE_GLOBAL | SPACE_LOCAL)))
        return barred(RULE_SPACE);
    bool load = at->class == CLASS_LOAD;
    return (struct memory_effect){RULE_COUNT, load, !load};
}

static struct memory_effect body_effect(struct effects *effects, const struct ir_function *fn);

static uint32_t called_function(const struct effects *effects, const struct ir_function *fn,
                                uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->role != ROLE_USE || operand->kind != OPERAND_SYMBOL)
            continue;
        const struct ir_symbol *symbol = &effects->module->symbols.v[operand->index];
        if (symbol->space == W_func && effects->body_of[symbol->name])
            return effects->body_of[symbol->name] - 1;
        if (symbol->space == W_func)
            return IR_NONE;
    }
    return IR_NONE;
}

static struct memory_effect call(struct effects *effects, const struct ir_function *fn,
                                 uint32_t inst)
{
    uint32_t function = called_function(effects, fn, inst);
    if (function == IR_NONE || effects->nested == MAX_NESTED)
        return barred(RULE_CALL);
    struct callee *callee = &effects->callee[function];
    if (callee->state == CALLEE_OPEN) // recursion
        return barred(RULE_CALL);
    if (callee->state == CALLEE_NEW) {
        callee->state = CALLEE_OPEN;
        effects->nested++;
        callee->effect = body_effect(effects, &effects->module->functions.v[function]);
        effects->nested--;
        callee->state = callee->effect.rule == RULE_COUNT ? CALLEE_KNOWN : CALLEE_BARRED;
    }
    return callee->state == CALLEE_KNOWN ? callee->effect : barred(RULE_CALL);
}

// Returns true if it reads a special register that depends on the place or time of the read. Others
// are sent along or known in the stack. *unknown is set for unknown operands.
static bool reads_place(const struct ir_function *fn, uint32_t inst, bool *unknown)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        *unknown |= operand->kind == OPERAND_UNKNOWN;
        if (operand->kind != OPERAND_SPECIAL)
            continue;
        enum isa_varies varies = isa_specials[operand->index].varies;
        if (varies == VARIES_WARP || varies == VARIES_TIME)
            return true;
    }
    return false;
}

// Returns the rule against a class that cannot be moved with any operands, or RULE_COUNT.
static enum plan_rule class_rule(enum isa_class class)
{
    switch (class) {
    case CLASS_OPAQUE: return RULE_OPAQUE;
    case CLASS_ATOMIC: return RULE_ATOMIC;
    case CLASS_TEXTURE:
    case CLASS_SURFACE: return RULE_SPACE;
    case CLASS_ASYNC: return RULE_SHARED;
    case CLASS_BARRIER:
    case CLASS_FENCE: return RULE_BARRIER;
    case CLASS_STACK: return RULE_OPERATION;
    default: return RULE_COUNT;
    }
}

static enum plan_rule op_rule(uint16_t op)
{
    switch (op) {
    case OP_trap:
    case OP_brkpt: return RULE_DIVERGES;
    case OP_ldmatrix:
    case OP_stmatrix:
    case OP_wgmma: return RULE_SHARED;
    case OP_wmma: // its loads and stores access any space, many lanes together
    case OP_tensormap:
    case OP_discard:
    case OP_pmevent: return RULE_OPERATION;
    default: return RULE_COUNT;
    }
}

struct memory_effect effect_of(struct effects *effects, const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    enum plan_rule rule = op_rule(at->op);
    if (rule == RULE_COUNT)
        rule = class_rule(at->class);
    if (rule != RULE_COUNT)
        return barred(rule);
    if (at->class == CLASS_CALL)
        return call(effects, fn, inst);
    bool unknown = false;
    if (reads_place(fn, inst, &unknown))
        return barred(RULE_PLACE);
    if (unknown)
        return barred(RULE_OPAQUE);
    if (at->class == CLASS_LOAD || at->class == CLASS_STORE)
        return access(effects, fn, inst);
    return nothing;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static struct memory_effect body_effect(struct effects *effects, const struct ir_function *fn)
{
    struct memory_effect total = nothing;
    if (fn->incomplete)
        return barred(RULE_CALL);
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        struct memory_effect effect = effect_of(effects, fn, i);
        if (effect.rule != RULE_COUNT || fn->insts.v[i].op == OP_exit)
            return barred(RULE_CALL);
        total.loads = sum(total.loads, effect.loads);
        total.stores = sum(total.stores, effect.stores);
    }
    return total;
}

static bool may_call(const struct ir_module *module)
{
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body && !module->functions.v[i].is_entry)
            return true;
    return false;
}

// Evaluates all calls up front. Results of recursive and deeply nested calls depend on the call
// that is evaluated first, and must not depend on the requests.
static void evaluate_calls(struct effects *effects)
{
    for (uint32_t i = 0; i < effects->module->functions.n; i++) {
        const struct ir_function *fn = &effects->module->functions.v[i];
        for (uint32_t inst = 0; inst < fn->insts.n; inst++)
            if (fn->insts.v[inst].class == CLASS_CALL)
                effect_of(effects, fn, inst);
    }
}

struct effects *effects_new(struct arena *arena, const struct ir_module *module)
{
    struct effects *effects = ARENA_NEW(arena, struct effects);
    effects->module = module;
    effects->spaces = spaces_new(arena, module);
    effects->body_of = ARENA_ARRAY(arena, uint32_t, module->tree->names.names.n + 1);
    effects->callee = ARENA_ARRAY(arena, struct callee, module->functions.n + 1);
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body)
            effects->body_of[module->functions.v[i].name] = i + 1;
    if (may_call(module))
        evaluate_calls(effects);
    return effects;
}
