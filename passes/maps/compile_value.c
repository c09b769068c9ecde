// Values of a thread as nodes of a map.
#include "passes/maps/compile_internal.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_constant(const char *operand)
{
    return *operand == '{' && !strstr(operand, "from:");
}

static bool is_float(uint16_t type)
{
    return type == W_f32;
}

// Immediates

static const char *immediate(struct map_compiler *c, uint32_t operand, uint32_t reader)
{
    const struct ir_operand *at = &c->fn->operands.v[operand];
    uint8_t kind = at->node == IR_NONE ? NODE_INT : c->module->tree->nodes.v[at->node].kind;
    uint32_t word = (uint32_t)at->value;
    double real;
    float number;
    if (kind == NODE_INT)
        return arena_printf(c->arena, "{value: %" PRId64 "}", at->value);
    memcpy(&real, &at->value, sizeof real);
    memcpy(&number, &word, sizeof number);
    if (kind == NODE_FLOAT64)
        number = (float)real;
    if (!isfinite(number)) {
        map_refuse(c, MAP_RULE_OPERATION, reader, "a constant is not a finite number");
        return NULL;
    }
    return arena_printf(c->arena, "{value: %.9g}", (double)number);
}

// Integers that are sums

static const char *sum_value(struct map_compiler *c, const struct affine *a)
{
    struct map_sum sum;
    if (!map_sum_of(c, a, &sum))
        return NULL;
    if (!sum.step)
        return arena_printf(c->arena, "{value: \"%s\"}", sum.text);
    return map_node_add(c, "{op: increment, start: \"%s\", step: \"%s\", count: count}", sum.text,
                        sum.step);
}

static bool is_integer(uint16_t type)
{
    return type == W_s32 || type == W_u32 || type == W_b32;
}

static const char *stream_value(struct map_compiler *c, uint32_t version)
{
    const struct ir_register *reg = &c->fn->registers.v[c->fn->versions.v[version].reg];
    if (!is_integer(reg->type))
        return NULL;
    struct affine a = affine_of_version(c->affines, version);
    return sum_value(c, &a);
}

// Instructions

static const char *opcode(struct map_compiler *c, uint32_t inst)
{
    const struct source *source = c->module->tree->source;
    const struct node *node = &c->module->tree->nodes.v[c->fn->insts.v[inst].node];
    const char *text = source->text + node->begin, *end = source->text + node->end;
    if (*text == '@')
        while (text < end && !strchr(" \t\r\n", *text))
            text++;
    while (text < end && strchr(" \t\r\n", *text))
        text++;
    return arena_strndup(c->arena, text, strcspn(text, " \t\r\n;"));
}

// Logic on predicates is logic on words of 0 and 1.
static const char *core_opcode(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    if (at->type != W_pred)
        return opcode(c, inst);
    return at->op == OP_and   ? "and.b32"
           : at->op == OP_or  ? "or.b32"
           : at->op == OP_xor ? "xor.b32"
                              : NULL;
}

static bool is_computed(uint8_t class)
{
    return class >= CLASS_ARITHMETIC && class <= CLASS_CONVERT;
}

// A computation with constants alone: the first one becomes a stream of its value, which goes round.
static const char *stream_constant(struct map_compiler *c, uint32_t inst, const char *first,
                                   const char *all)
{
    enum { TOKENS = 8 };
    static const char head[] = "{value: ";
    const struct ir_inst *at = &c->fn->insts.v[inst];
    uint16_t type = at->op == OP_cvt ? at->type2 : at->type;
    const char *kind = is_float(type) ? "f32" : "b32";
    if (strncmp(first, head, sizeof head - 1)) {
        map_refuse(c, MAP_RULE_INPUTS, inst, "its operands are equal for all threads");
        return NULL;
    }
    const char *value =
        arena_strndup(c->arena, first + sizeof head - 1, strlen(first) - sizeof head);
    const char *name = arena_printf(c->arena, "n%u", c->count);
    map_node_add(c, "{op: mov.%s, in: [{from: %s, initial: {count: %d, first: %s}}], count: count}",
                 kind, name, (int)TOKENS, value);
    return arena_printf(c->arena, "%s%s", name, all + strlen(first));
}

// The texts of an instruction's sources, joined. NULL after a refusal.
static const char *sources(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    const char *all = "", *first = NULL;
    uint32_t count = 0, fifos = 0;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (c->fn->operands.v[i].role != ROLE_USE)
            continue;
        const char *value = map_operand_value(c, i, inst);
        if (!value)
            return NULL;
        fifos += !is_constant(value);
        first = count ? first : value;
        all = arena_printf(c->arena, count++ ? "%s, %s" : "%s%s", all, value);
    }
    if (count <= 3 && fifos)
        return all;
    if (count <= 3 && count && first)
        return stream_constant(c, inst, first, all);
    map_refuse(c, MAP_RULE_INPUTS, inst, "the instruction has %u operands, and a core three FIFOs",
               count);
    return NULL;
}

static const char *compute(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    if (!is_computed(at->class) || (at->flags & INST_GUARDED) || ir_defined(c->fn, inst) == IR_NONE) {
        map_refuse(c, MAP_RULE_OPERATION, inst, "a core has no instruction '%s'", opcode(c, inst));
        return NULL;
    }
    if (ir_is_copy(c->fn, inst)) {
        uint32_t use = ir_find_operand(c->fn, inst, ROLE_USE, 0);
        return map_operand_value(c, use, inst);
    }
    const char *op = core_opcode(c, inst);
    const char *in = op ? sources(c, inst) : NULL;
    if (!op)
        map_refuse(c, MAP_RULE_OPERATION, inst, "a core has no instruction '%s'", opcode(c, inst));
    return in ? map_node_add(c, "{op: %s, in: [%s]}", op, in) : NULL;
}

static const char *load_value(struct map_compiler *c, uint32_t inst)
{
    const struct address address = address_of(c->module, c->fn, inst);
    uint32_t access = map_access_of(c, inst);
    if (access < c->accesses.n)
        return map_load(c, access);
    const struct ir_symbol *symbol =
        address.parameter == IR_NONE ? NULL : &c->module->symbols.v[address.parameter];
    if (symbol && symbol->parameter != IR_NONE && !address.offset &&
        is_float(c->fn->insts.v[inst].type))
        return arena_printf(c->arena, "{value: p%u}", symbol->parameter);
    map_refuse(c, MAP_RULE_TYPE, inst, "the parameter is no number of 32 bits");
    return NULL;
}

// Choices

// Returns the value of a phi that comes by the edge of a branch.
static uint32_t find_arg(const struct map_compiler *c, const struct ir_phi *phi, uint32_t from,
                         uint32_t succ)
{
    const uint32_t *preds = ir_preds(c->fn, phi->block);
    for (uint32_t i = 0; i < 2; i++) {
        bool direct = preds[i] == from && succ == phi->block;
        if (direct || (preds[i] != from && succ != phi->block && ir_dominates(c->fn, succ, preds[i])))
            return c->fn->phi_args.v[phi->args + i];
    }
    return IR_NONE;
}

static const char *choose(struct map_compiler *c, uint32_t number, uint32_t reader)
{
    const struct ir_phi *phi = &c->fn->phis.v[number];
    const struct ir_block *block = &c->fn->blocks.v[phi->block];
    uint32_t version, taken;
    bool negated;
    uint32_t first = block->first < block->end ? block->first : reader;
    if (block->pred_count != 2 || !map_condition(c, block->idom, &version, &negated, &taken)) {
        map_refuse(c, MAP_RULE_DIVERGES, first, "a value has more than two origins here");
        return NULL;
    }
    const uint32_t *succs = ir_succs(c->fn, block->idom);
    uint32_t other = succs[0] == taken ? succs[1] : succs[0];
    uint32_t yes = find_arg(c, phi, block->idom, negated ? other : taken);
    uint32_t no = find_arg(c, phi, block->idom, negated ? taken : other);
    if (yes == IR_NONE || no == IR_NONE) {
        map_refuse(c, MAP_RULE_DIVERGES, first, "a value does not depend on one condition");
        return NULL;
    }
    const char *a = map_value(c, yes, first), *b = a ? map_value(c, no, first) : NULL;
    const char *when = b ? map_value(c, version, first) : NULL;
    return when ? map_node_add(c, "{op: selp.b32, in: [%s, %s, %s]}", a, b, when) : NULL;
}

// Values

static const char *make_value(struct map_compiler *c, uint32_t version, uint32_t reader)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    uint16_t bits = c->fn->registers.v[at->reg].bits;
    if (bits != 32 && bits != 1) {
        map_refuse(c, MAP_RULE_TYPE, at->kind == VERSION_INST ? at->index : reader,
                   "a value has %u bits, and a FIFO words of 32", bits);
        return NULL;
    }
    const char *stream = bits == 32 ? stream_value(c, version) : NULL;
    if (stream)
        return stream;
    if (at->kind == VERSION_PHI)
        return choose(c, at->index, reader);
    if (at->kind == VERSION_ENTRY) {
        map_refuse(c, MAP_RULE_OPERATION, reader, "a register is read that was never written");
        return NULL;
    }
    return c->fn->insts.v[at->index].class == CLASS_LOAD ? load_value(c, at->index)
                                                         : compute(c, at->index);
}

const char *map_value(struct map_compiler *c, uint32_t version, uint32_t reader)
{
    if (!c->operand[version])
        c->operand[version] = make_value(c, version, reader);
    return c->operand[version];
}

const char *map_operand_value(struct map_compiler *c, uint32_t operand, uint32_t reader)
{
    const struct ir_operand *at = &c->fn->operands.v[operand];
    struct affine a;
    if (at->kind == OPERAND_IMMEDIATE)
        return immediate(c, operand, reader);
    if (at->kind == OPERAND_REGISTER && !at->part && !at->negated &&
        c->fn->operand_version.v[operand] != IR_NONE)
        return map_value(c, c->fn->operand_version.v[operand], reader);
    const char *sum = at->kind == OPERAND_SPECIAL && affine_of_operand(c->affines, operand, &a)
                          ? sum_value(c, &a)
                          : NULL;
    if (!sum)
        map_refuse(c, MAP_RULE_OPERATION, reader, "an operand is no value that a core can have");
    return sum;
}

// Stores

// The condition of a store: the predicate of its block and its guard.
static bool store_predicate(struct map_compiler *c, uint32_t inst, const char **to)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    uint32_t guard = ir_find_operand(c->fn, inst, ROLE_GUARD, 0);
    if (!map_predicate(c, at->block, to))
        return false;
    if (guard == IR_NONE)
        return true;
    const char *own = map_value(c, c->fn->operand_version.v[guard], inst);
    if (own && at->flags & INST_GUARD_NEGATED)
        own = map_node_add(c, "{op: xor.b32, in: [%s], imm: 1}", own);
    if (own && *to)
        own = map_node_add(c, "{op: and.b32, in: [%s, %s]}", *to, own);
    *to = own;
    return own;
}

static bool add_store(struct map_compiler *c, const struct map_access *access)
{
    uint32_t data = ir_find_operand(c->fn, access->inst, ROLE_USE, 0);
    const char *predicate = NULL;
    const char *value = data == IR_NONE ? NULL : map_operand_value(c, data, access->inst);
    if (!value || !store_predicate(c, access->inst, &predicate))
        return map_refuse(c, MAP_RULE_OPERATION, access->inst, "the stored value is unknown");
    if (!access->sum.step)
        return map_refuse(c, MAP_RULE_OFFSET, access->inst,
                          "all threads of a row store to one address");
    const char *step = map_increment(c, access->sum.step);
    const char *rest =
        predicate ? arena_printf(c->arena, ", predicate: %s", predicate) : "";
    map_node_add(c, "{op: st.%s, in: [%s, %s], base: \"%s\"%s}", access->type, step, value,
                 access->sum.text, rest);
    return true;
}

bool map_stores(struct map_compiler *c)
{
    uint32_t stores = 0;
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        if (c->fn->insts.v[c->accesses.v[i].inst].class != CLASS_STORE)
            continue;
        stores++;
        if (!add_store(c, &c->accesses.v[i]))
            return false;
    }
    return stores || map_refuse(c, MAP_RULE_OPERATION, IR_NONE, "the kernel stores nothing");
}
