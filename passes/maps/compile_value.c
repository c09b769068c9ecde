// Values of a thread as nodes of a map.
#include "passes/maps/compile_internal.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_float(uint16_t type)
{
    return type == W_f32;
}

// Immediates

// Returns true if the sources of an instruction are of type f32.
static bool reads_float(const struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    return is_float(at->op == OP_cvt ? at->type2 : at->type);
}

// Returns the 32 bits of an immediate.
static uint32_t immediate_word(const struct map_compiler *c, uint32_t operand)
{
    const struct ir_operand *at = &c->fn->operands.v[operand];
    uint8_t kind = at->node == IR_NONE ? NODE_INT : c->module->tree->nodes.v[at->node].kind;
    uint32_t word = (uint32_t)at->value;
    double real;
    if (kind != NODE_FLOAT64)
        return word;
    memcpy(&real, &at->value, sizeof real);
    float number = (float)real;
    memcpy(&word, &number, sizeof word);
    return word;
}

const char *map_immediate(struct map_compiler *c, uint32_t operand, uint32_t reader, bool as_float)
{
    uint32_t word = immediate_word(c, operand);
    float number;
    if (!as_float)
        return arena_printf(c->arena, "%" PRId32, (int32_t)word);
    memcpy(&number, &word, sizeof number);
    if (isfinite(number))
        return arena_printf(c->arena, "%.9g", (double)number);
    map_refuse(c, RULE_MAP_OPERATION, reader, "a constant is not a finite number");
    return NULL;
}

static uint32_t immediate(struct map_compiler *c, uint32_t operand, uint32_t reader, bool as_float)
{
    const char *number = map_immediate(c, operand, reader, as_float);
    return number ? graph_constant(c, graph_text(c, "%s", number)) : 0;
}

uint32_t map_immediate_of(const struct map_compiler *c, uint32_t version)
{
    const struct ir_version *at = &c->fn->versions.v[map_origin(c, version)];
    if (at->kind != VERSION_INST || c->fn->insts.v[at->index].op != OP_mov ||
        c->fn->insts.v[at->index].flags & INST_GUARDED || ir_reads_part(c->fn, at->index))
        return IR_NONE;
    uint32_t use = ir_find_operand(c->fn, at->index, ROLE_USE, 0);
    bool fits = use != IR_NONE && c->fn->operands.v[use].kind == OPERAND_IMMEDIATE &&
                ir_type_bits(c->fn->insts.v[at->index].type) == 32;
    return fits ? use : IR_NONE;
}

// Integers that are sums

static uint32_t sum_value(struct map_compiler *c, const struct affine *a)
{
    struct map_sum sum;
    if (!map_sum_of(c, a, &sum))
        return 0;
    const char *first = map_sum_first(c, &sum);
    return map_sum_varies(c, &sum) ? map_sum_node(c, &sum, first)
                                   : graph_constant(c, graph_quoted(c, first));
}

static bool is_integer(uint16_t type)
{
    return type == W_s32 || type == W_u32 || type == W_b32;
}

bool map_is_stream(struct map_compiler *c, uint32_t version)
{
    const struct ir_register *reg = &c->fn->registers.v[c->fn->versions.v[version].reg];
    struct map_sum sum;
    if (!is_integer(reg->type) || reg->bits != 32)
        return false;
    struct affine a = affine_of_version(c->affines, version);
    return map_sum_of(c, &a, &sum);
}

static uint32_t stream_value(struct map_compiler *c, uint32_t version)
{
    if (!map_is_stream(c, version))
        return 0;
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

// Halves: values of 16 bits are words that a load has extended

enum { AS_SIGNED = 1, AS_UNSIGNED = 2 };

// Returns how a load has extended a 16-bit value, or 0 if that is unknown.
static unsigned half_kind(const struct map_compiler *c, uint32_t version)
{
    static const struct {
        uint16_t type;
        uint8_t kind;
    } rows[] = {{W_s8, AS_SIGNED},
                {W_s16, AS_SIGNED},
                {W_u8, AS_SIGNED | AS_UNSIGNED},
                {W_b8, AS_SIGNED | AS_UNSIGNED},
                {W_u16, AS_UNSIGNED},
                {W_b16, AS_UNSIGNED}};
    const struct ir_version *at = &c->fn->versions.v[map_origin(c, version)];
    if (at->kind != VERSION_INST || c->fn->insts.v[at->index].class != CLASS_LOAD)
        return 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (c->fn->insts.v[at->index].type == rows[i].type)
            return rows[i].kind;
    return 0;
}

// Returns true if the instruction's sources of 16 bits may be read as words of this kind.
static bool halves_fit(const struct map_compiler *c, uint32_t inst, unsigned kind)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[i];
        if (operand->role == ROLE_USE && operand->kind == OPERAND_REGISTER &&
            c->fn->registers.v[operand->index].bits == 16 &&
            !(half_kind(c, c->fn->operand_version.v[i]) & kind))
            return false;
    }
    return true;
}

// Returns the opcode for the words of 16-bit sources, or NULL.
static const char *half_opcode(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    uint16_t type = at->op == OP_cvt ? at->type2 : at->type;
    bool equality = ir_has_modifier(c->module, c->fn, inst, W_eq) ||
                    ir_has_modifier(c->module, c->fn, inst, W_ne);
    const char *text = opcode(c, inst), *half = strstr(text, "16");
    bool is_signed = type == W_s16 || (equality && !halves_fit(c, inst, AS_UNSIGNED));
    if ((at->op != OP_setp && at->op != OP_cvt) || !half || strstr(half + 1, "16") ||
        !halves_fit(c, inst, is_signed ? AS_SIGNED : AS_UNSIGNED))
        return NULL;
    return arena_printf(c->arena, "%.*s32%s", (int)(half - text), text, half + 2);
}

// Logic on predicates is logic on words of 0 and 1.
static const char *core_opcode(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    uint16_t type = at->op == OP_cvt ? at->type2 : at->type;
    if (type == W_s16 || type == W_u16 || type == W_b16)
        return half_opcode(c, inst);
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

// Returns a node whose results all have this value: its tokens circulate.
static uint32_t constant_node(struct map_compiler *c, const char *type, uint32_t value)
{
    enum { TOKENS = 8 };
    struct graph_operand own = {.from = GRAPH_SELF, .count = TOKENS, .first = value};
    return graph_node_add(c, &(struct graph_node){.op = graph_text(c, "mov.%s", type),
                                                  .in = {graph_operand_add(c, &own)},
                                                  .count = map_tokens_in(c)});
}

// Finds the sources of an instruction; if all are constants, the first one becomes a stream.
// Returns false after a refusal.
static bool find_sources(struct map_compiler *c, uint32_t inst, uint32_t *in)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    uint32_t count = 0, fifos = 0;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (c->fn->operands.v[i].role != ROLE_USE)
            continue;
        uint32_t value = map_operand_value(c, i, inst);
        if (!value)
            return false;
        fifos += !graph_is_constant(c, value);
        if (count++ < MAP_OPERANDS)
            in[count - 1] = value;
    }
    if (count > MAP_OPERANDS || !count)
        return map_refuse(c, RULE_MAP_INPUTS, inst,
                          "the instruction has %u operands, but a core has three FIFOs", count);
    const struct graph_operand *first = graph_operand_at(c, in[0]);
    if (!fifos && first->type)
        return map_refuse(c, RULE_MAP_INPUTS, inst, "its operands are equal for all threads");
    if (!fifos)
        in[0] = constant_node(c, reads_float(c, inst) ? "f32" : "b32", first->value);
    return true;
}

static uint32_t compute(struct map_compiler *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    if (!is_computed(at->class) || (at->flags & INST_GUARDED) ||
        ir_defined(c->fn, inst) == IR_NONE) {
        map_refuse(c, RULE_MAP_OPERATION, inst, "a core has no instruction '%s'", opcode(c, inst));
        return 0;
    }
    if (ir_is_copy(c->fn, inst)) {
        uint32_t use = ir_find_operand(c->fn, inst, ROLE_USE, 0);
        return map_operand_value(c, use, inst);
    }
    uint32_t terms = map_terms(c, inst), in[MAP_OPERANDS] = {0};
    if (terms || c->to->why)
        return terms;
    const char *op = core_opcode(c, inst);
    if (!op)
        map_refuse(c, RULE_MAP_OPERATION, inst, "a core has no instruction '%s'", opcode(c, inst));
    return op && find_sources(c, inst, in) ? graph_core(c, op, in[0], in[1], in[2]) : 0;
}

static uint32_t load_value(struct map_compiler *c, uint32_t version)
{
    uint32_t inst = c->fn->versions.v[version].index, access = map_access_to(c, version);
    if (access < c->accesses.n)
        return map_load(c, access);
    map_refuse(c, RULE_MAP_TYPE, inst, "the parameter is not a number of 32 bits");
    return 0;
}

uint32_t map_float_param(const struct map_compiler *c, uint32_t version)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    if (at->kind != VERSION_INST || c->fn->insts.v[at->index].op != OP_ld ||
        !is_float(c->fn->insts.v[at->index].type) || map_access_of(c, at->index) < c->accesses.n)
        return IR_NONE;
    const struct address address = address_of(c->module, c->fn, at->index);
    return address.parameter == IR_NONE || address.offset
               ? IR_NONE
               : c->module->symbols.v[address.parameter].parameter;
}

// Choices

// Returns the argument of a phi for the edge of a branch to `succ`.
static uint32_t find_arg(const struct map_compiler *c, const struct ir_phi *phi, uint32_t from,
                         uint32_t succ)
{
    const uint32_t *preds = ir_preds(c->fn, phi->block);
    for (uint32_t i = 0; i < 2; i++) {
        bool direct = preds[i] == from && succ == phi->block;
        if (direct ||
            (preds[i] != from && succ != phi->block && ir_dominates(c->fn, succ, preds[i])))
            return c->fn->phi_args.v[phi->args + i];
    }
    return IR_NONE;
}

// Selects from several origins, as after a switch, the value of the edge whose predicate is 1.
static uint32_t choose_by_edges(struct map_compiler *c, const struct ir_phi *phi, uint32_t reader)
{
    uint32_t value = 0, when = 0;
    for (uint32_t i = c->fn->blocks.v[phi->block].pred_count; i--;) {
        uint32_t from = ir_preds(c->fn, phi->block)[i];
        if (!map_is_way(c, from, phi->block))
            continue;
        uint32_t own = map_value(c, c->fn->phi_args.v[phi->args + i], reader, false);
        if (!own || (value && !map_edge(c, from, phi->block, &when)))
            return 0;
        value = value && when ? graph_core(c, "selp.b32", own, value, when) : own;
    }
    return value;
}

static uint32_t choose(struct map_compiler *c, uint32_t number, uint32_t reader)
{
    const struct ir_phi *phi = &c->fn->phis.v[number];
    const struct ir_block *block = &c->fn->blocks.v[phi->block];
    uint32_t version, taken;
    bool negated;
    uint32_t first = block->first < block->end ? block->first : reader;
    if (block->pred_count != 2 || !map_condition(c, block->idom, &version, &negated, &taken))
        return choose_by_edges(c, phi, first);
    const uint32_t *succs = ir_succs(c->fn, block->idom);
    uint32_t other = succs[0] == taken ? succs[1] : succs[0];
    uint32_t yes = find_arg(c, phi, block->idom, negated ? other : taken);
    uint32_t no = find_arg(c, phi, block->idom, negated ? taken : other);
    if (yes == IR_NONE || no == IR_NONE) {
        map_refuse(c, RULE_MAP_DIVERGES, first, "a value does not depend on one condition");
        return 0;
    }
    uint32_t a = map_value(c, yes, first, false);
    uint32_t b = a ? map_value(c, no, first, false) : 0;
    uint32_t when = b ? map_value(c, version, first, false) : 0;
    return when ? graph_core(c, "selp.b32", a, b, when) : 0;
}

// Returns the index of the only predecessor from which a launch enters the block, or IR_NONE.
static uint32_t only_way_into(const struct map_compiler *c, uint32_t block)
{
    uint32_t only = IR_NONE;
    for (uint32_t i = 0; i < c->fn->blocks.v[block].pred_count; i++) {
        if (!map_is_way(c, ir_preds(c->fn, block)[i], block))
            continue;
        if (only != IR_NONE)
            return IR_NONE;
        only = i;
    }
    return only;
}

uint32_t map_origin(const struct map_compiler *c, uint32_t version)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    uint32_t from = IR_NONE;
    if (at->kind == VERSION_INST && ir_is_copy(c->fn, at->index) &&
        !(c->fn->insts.v[at->index].flags & INST_GUARDED)) {
        uint32_t use = ir_find_operand(c->fn, at->index, ROLE_USE, 0);
        if (c->fn->operands.v[use].kind == OPERAND_REGISTER)
            from = c->fn->operand_version.v[use];
    } else if (at->kind == VERSION_PHI && !map_is_header(c, c->fn->phis.v[at->index].block)) {
        const struct ir_phi *phi = &c->fn->phis.v[at->index];
        const struct ir_block *block = &c->fn->blocks.v[phi->block];
        uint32_t only = only_way_into(c, phi->block);
        if (only != IR_NONE)
            from = c->fn->phi_args.v[phi->args + only];
        else if (block->pred_count == 2 && c->blocks[block->idom].bounds)
            from = find_arg(c, phi, block->idom, c->blocks[block->idom].follow);
        else if (block->pred_count == 1)
            from = c->fn->phi_args.v[phi->args];
    }
    return from == IR_NONE ? version : map_origin(c, from);
}

// Values

static uint32_t make_value(struct map_compiler *c, uint32_t version, uint32_t reader)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    uint16_t bits = c->fn->registers.v[at->reg].bits;
    if (bits != 32 && bits != 1 && !(bits == 16 && half_kind(c, version))) {
        map_refuse(c, RULE_MAP_TYPE, at->kind == VERSION_INST ? at->index : reader,
                   "a value has %u bits, but a FIFO holds words of 32", bits);
        return 0;
    }
    uint32_t stream = stream_value(c, version);
    if (stream)
        return stream;
    if (at->kind == VERSION_PHI && map_is_header(c, c->fn->phis.v[at->index].block)) {
        map_refuse(c, RULE_MAP_LOOP, reader,
                   "a value is passed from one outer iteration, or loop, to the next");
        return 0;
    }
    if (at->kind == VERSION_PHI)
        return choose(c, at->index, reader);
    if (at->kind == VERSION_ENTRY) {
        map_refuse(c, RULE_MAP_OPERATION, reader, "a register is read that was never written");
        return 0;
    }
    return c->fn->insts.v[at->index].class == CLASS_LOAD ? load_value(c, version)
                                                         : compute(c, at->index);
}

static uint32_t cached_value(struct map_compiler *c, uint32_t version, uint32_t reader)
{
    uint32_t *at = &c->operand[c->domain * c->fn->versions.n + version];
    bool is_behind = c->domain == MAP_OUTER && map_in_loop(c, ir_version_block(c->fn, version));
    if (!*at && is_behind)
        *at = stream_value(c, version);
    if (!*at)
        *at = is_behind ? map_final_value(c, version, reader) : make_value(c, version, reader);
    return *at;
}

static uint32_t phi_value(struct map_compiler *c, uint32_t phi, uint32_t reader, bool as_float)
{
    uint32_t version = c->fn->phis.v[phi].version;
    uint32_t stream = stream_value(c, version);
    return stream ? stream : map_carried_value(c, phi, reader, as_float);
}

uint32_t map_value(struct map_compiler *c, uint32_t version, uint32_t reader, bool as_float)
{
    uint32_t origin = map_origin(c, version), immediate_at = map_immediate_of(c, version);
    uint32_t phi = map_carried_phi(c, origin), param = map_float_param(c, origin);
    if (immediate_at != IR_NONE)
        return immediate(c, immediate_at, reader, as_float);
    if (param != IR_NONE)
        return as_float ? graph_constant(c, graph_text(c, "p%u", param))
                        : constant_node(c, "f32", graph_text(c, "p%u", param));
    if (phi != IR_NONE && c->domain == MAP_BODY)
        return phi_value(c, phi, reader, as_float);
    return cached_value(c, origin, reader);
}

uint32_t map_operand_value(struct map_compiler *c, uint32_t operand, uint32_t reader)
{
    const struct ir_operand *at = &c->fn->operands.v[operand];
    bool as_float = reads_float(c, reader);
    struct affine a;
    if (at->kind == OPERAND_IMMEDIATE && !at->part)
        return immediate(c, operand, reader, as_float);
    if (at->kind == OPERAND_REGISTER && !at->part && !at->negated &&
        c->fn->operand_version.v[operand] != IR_NONE)
        return map_value(c, c->fn->operand_version.v[operand], reader, as_float);
    uint32_t sum = at->kind == OPERAND_SPECIAL && affine_of_operand(c->affines, operand, &a)
                       ? sum_value(c, &a)
                       : 0;
    if (!sum)
        map_refuse(c, RULE_MAP_OPERATION, reader, "an operand is not a value that a core can have");
    return sum;
}

// Stores

// Finds the condition of a store: the predicate of its block and its guard.
static bool store_predicate(struct map_compiler *c, uint32_t inst, uint32_t *to)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    uint32_t guard = ir_find_operand(c->fn, inst, ROLE_GUARD, 0);
    if (!map_predicate(c, at->block, to))
        return false;
    if (guard == IR_NONE)
        return true;
    uint32_t own = map_value(c, c->fn->operand_version.v[guard], inst, false);
    if (own && at->flags & INST_GUARD_NEGATED)
        own = graph_not(c, own);
    if (own && *to)
        own = graph_core(c, "and.b32", *to, own, 0);
    *to = own;
    return own;
}

// Handles a store of a value that the last iteration leaves in a FIFO: the tokens are written to
// memory at the end.
static bool add_result(struct map_compiler *c, struct map_access *access, uint32_t data)
{
    const struct ir_operand *at = &c->fn->operands.v[data];
    uint32_t carried =
        at->kind == OPERAND_REGISTER && !at->part && c->fn->operand_version.v[data] != IR_NONE
            ? map_carried_last(c, c->fn->operand_version.v[data])
            : IR_NONE;
    if (c->domain != MAP_OUTER || c->in_place || carried == IR_NONE || access->parts.bytes != 4)
        return false;
    const char *step = access->sum.factor[DIM_X] ? access->sum.factor[DIM_X] : "0";
    struct graph_result result = {carried, graph_quoted(c, map_sum_first(c, &access->sum)),
                                  graph_quoted(c, step)};
    vec_push(c->arena, &c->results, result);
    return true;
}

static bool add_store(struct map_compiler *c, struct map_access *access)
{
    uint32_t data = ir_find_operand(c->fn, access->inst, ROLE_USE, access->element);
    uint32_t predicate = 0;
    if (data == IR_NONE || !store_predicate(c, access->inst, &predicate))
        return map_refuse(c, RULE_MAP_OPERATION, access->inst, "the stored value is unknown");
    if (c->tile != 1 && !map_sum_varies(c, &access->sum))
        return map_refuse(c, RULE_MAP_OFFSET, access->inst, "several threads store to one address");
    if (!predicate && add_result(c, access, data))
        return true;
    access->data = map_operand_value(c, data, access->inst);
    if (!access->data)
        return false;
    struct graph_node node = {.op = graph_text(c, "st.%s", access->type),
                              .in = {map_sum_node(c, &access->sum, "0"), access->data},
                              .base = graph_quoted(c, map_sum_first(c, &access->sum)),
                              .predicate = predicate,
                              .store = ++c->stores};
    if (c->outer != IR_NONE) // rows beyond the end of the nest are not stored
        node.off = graph_text(c, "turn * %u + %u >= trips", c->rows, c->row);
    node.is_through = c->outer == IR_NONE ? c->is_before : c->row + 1 == c->rows;
    graph_node_add(c, &node);
    return true;
}

bool map_stores(struct map_compiler *c)
{
    uint32_t stores = 0;
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        struct map_access *access = &c->accesses.v[i];
        if (map_is_load(c, access) || access->is_before != c->is_before)
            continue;
        stores++;
        c->domain = access->in_loop || c->loop == IR_NONE ? MAP_BODY : MAP_OUTER;
        if (!add_store(c, access))
            return false;
    }
    return stores || map_refuse(c, RULE_MAP_OPERATION, IR_NONE, "the kernel stores nothing");
}
