// Computes values of instructions in a loop as functions of its counter and of loop-invariant
// values. The table at the end lists the supported instructions; results of others are unknown.
#include "passes/analysis/affine/address.h"
#include "passes/analysis/trip/trip_internal.h"
#include <string.h>

struct trace_reader {
    struct tracer *t;
    const struct ir_inst *at;
    uint32_t inst;
    unsigned bits; // of the result
    bool is_signed;
};

static bool has(const struct trace_reader *r, uint16_t word)
{
    return ir_has_modifier(r->t->module, r->t->fn, r->inst, word);
}

static uint32_t source_operand(const struct trace_reader *r, uint32_t n)
{
    return ir_find_operand(r->t->fn, r->inst, ROLE_USE, n);
}

static struct linear source(const struct trace_reader *r, uint32_t n, unsigned bits)
{
    uint32_t operand = source_operand(r, n);
    return operand == IR_NONE ? linear_unknown() : trip_operand(r->t, operand, bits);
}

// Names

static const char *name_text(const struct tracer *t, uint32_t id)
{
    const struct name *name = tree_name(t->module->tree, id);
    return arena_printf(t->arena, "%.*s", (int)name->length, name->text);
}

static struct linear register_value(const struct tracer *t, uint32_t reg, uint32_t version,
                                    unsigned bits)
{
    const struct ir_register *at = &t->fn->registers.v[reg];
    struct trip_atom atom = {NULL, false, FORM_SIGNED, (uint8_t)bits, version};
    if (at->bits != bits)
        return linear_unknown();
    atom.text = ir_register_name(t->module, t->fn, reg, t->arena);
    return linear_of_atom(atom, bits);
}

struct linear trip_entering(const struct tracer *t, uint32_t phi, unsigned bits)
{
    const struct ir_phi *at = &t->fn->phis.v[phi];
    return register_value(t, at->reg, at->version, bits);
}

static struct linear special_value(const struct tracer *t, const struct ir_operand *o,
                                   unsigned bits)
{
    enum isa_varies varies = isa_specials[o->index].varies;
    struct trip_atom atom = {NULL, false, FORM_SIGNED, (uint8_t)bits, IR_NONE};
    if (varies == VARIES_TIME || varies == VARIES_WARP)
        return linear_unknown();
    const char *member = o->member < WORD_COUNT ? isa_words[o->member].text : "";
    atom.text = arena_printf(t->arena, "%s%s", isa_specials[o->index].text, member);
    return linear_of_atom(atom, bits);
}

struct linear trip_widened(struct tracer *t, const struct linear *a, unsigned from, bool is_signed,
                           unsigned bits)
{
    struct linear to = *a;
    if (!a->known || from > bits ||
        (a->narrow && a->narrow < from && a->phi != IR_NONE && a->narrow_signed && !is_signed))
        return linear_unknown();
    to.bits = (uint8_t)bits;
    if (linear_is_constant(a)) {
        to.add = trip_extended(a->add, from, is_signed);
        return to;
    }
    if (from == bits)
        return to;
    if (a->phi != IR_NONE) {
        bool tighter = !a->narrow || a->narrow > from;
        to.narrow = tighter ? (uint8_t)from : a->narrow;
        to.narrow_signed = tighter ? is_signed : a->narrow_signed;
        return to;
    }
    struct trip_atom atom = {linear_text(t->arena, a, from, is_signed), false,
                             is_signed ? FORM_SIGNED : FORM_UNSIGNED, (uint8_t)from, IR_NONE};
    bool alone = a->count == 1 && !a->add && a->terms[0].coefficient == 1;
    atom.is_sum = alone && a->terms[0].atom.is_sum && a->terms[0].atom.form == atom.form;
    atom.version = alone ? a->terms[0].atom.version : IR_NONE;
    return linear_of_atom(atom, bits);
}

// A kernel parameter that every iteration reads.
static struct linear load(const struct trace_reader *r)
{
    struct tracer *t = r->t;
    uint32_t address = ir_find_operand(t->fn, r->inst, ROLE_ADDRESS, 0);
    bool reads = (r->at->space == W_param || r->at->space == W_param_entry) && t->fn->is_entry;
    if (!reads || address == IR_NONE || t->fn->operands.v[address].kind != OPERAND_SYMBOL)
        return linear_unknown();
    const struct ir_operand *o = &t->fn->operands.v[address];
    const struct ir_symbol *symbol = &t->module->symbols.v[o->index];
    unsigned bits = ir_type_bits(r->at->type);
    if (symbol->parameter == IR_NONE)
        return linear_unknown();
    const char *name = name_text(t, symbol->name);
    bool whole = bits == ir_type_bits(symbol->type) && symbol->size == bits / 8;
    struct trip_atom atom = {NULL, false, whole ? FORM_SIGNED : FORM_LOW, (uint8_t)bits, IR_NONE};
    atom.text = o->value ? arena_printf(t->arena, "[%s+%lld]", name, (long long)o->value)
                         : arena_printf(t->arena, "[%s]", name);
    struct linear low = linear_of_atom(atom, bits);
    return trip_widened(t, &low, bits, r->is_signed, r->bits);
}

// Sums

static struct linear copy(const struct trace_reader *r)
{
    return source(r, 0, r->bits);
}

static struct linear address_copy(const struct trace_reader *r)
{
    return r->at->space == W_global ? source(r, 0, r->bits) : linear_unknown();
}

static struct linear add(const struct trace_reader *r)
{
    struct linear a = source(r, 0, r->bits), b = source(r, 1, r->bits);
    return linear_sum(&a, &b, r->at->op == OP_sub ? -1 : 1);
}

static struct linear negative(const struct trace_reader *r)
{
    struct linear a = source(r, 0, r->bits),
                  none = linear_constant(r->at->op == OP_not ? -1 : 0, r->bits);
    return linear_sum(&none, &a, -1);
}

static struct linear product(const struct trace_reader *r, const struct linear *a,
                             const struct linear *b, unsigned bits)
{
    struct arena *arena = r->t->arena;
    if (!a->known || !b->known)
        return linear_unknown();
    if (linear_is_constant(b))
        return linear_scaled(a, b->add);
    if (linear_is_constant(a))
        return linear_scaled(b, a->add);
    return linear_of_atom(trip_product(arena, FORM_LOW, bits, "*",
                                       linear_factor(arena, a, bits, true),
                                       linear_factor(arena, b, bits, true)),
                          bits);
}

static struct linear multiply(const struct trace_reader *r)
{
    bool wide = has(r, W_wide);
    unsigned from = ir_type_bits(r->at->type);
    if (has(r, W_hi) || (!wide && from != r->bits) || (wide && 2 * from != r->bits))
        return linear_unknown();
    struct linear a = source(r, 0, from), b = source(r, 1, from);
    a = trip_widened(r->t, &a, from, r->is_signed, r->bits);
    b = trip_widened(r->t, &b, from, r->is_signed, r->bits);
    struct linear to = product(r, &a, &b, r->bits);
    if (r->at->op != OP_mad)
        return to;
    struct linear c = source(r, 2, r->bits);
    return linear_sum(&to, &c, 1);
}

// Returns a function of two numbers, each extended as the type requires.
static struct linear function(const struct trace_reader *r, enum trip_form form, const char *name)
{
    struct arena *arena = r->t->arena;
    struct linear a = source(r, 0, r->bits), b = source(r, 1, r->bits);
    bool is_signed = form == FORM_SIGNED;
    const char *left = linear_text(arena, &a, r->bits, is_signed);
    const char *right = linear_text(arena, &b, r->bits, is_signed);
    return linear_of_atom(trip_function(arena, form, r->bits, name, left, right), r->bits);
}

static enum trip_form own_form(const struct trace_reader *r)
{
    return r->is_signed ? FORM_SIGNED : FORM_UNSIGNED;
}

static struct linear min(const struct trace_reader *r)
{
    return function(r, own_form(r), "min");
}

static struct linear max(const struct trace_reader *r)
{
    return function(r, own_form(r), "max");
}

static struct linear divide(const struct trace_reader *r)
{
    struct arena *arena = r->t->arena;
    struct linear a = source(r, 0, r->bits), b = source(r, 1, r->bits);
    const char *left = linear_factor(arena, &a, r->bits, r->is_signed);
    const char *right = linear_factor(arena, &b, r->bits, r->is_signed);
    return linear_of_atom(trip_product(arena, own_form(r), r->bits, "/", left, right), r->bits);
}

static struct linear rest(const struct trace_reader *r)
{
    return function(r, own_form(r), "rem");
}

static struct linear either(const struct trace_reader *r)
{
    return function(r, FORM_SIGNED, "or");
}

static struct linear differs(const struct trace_reader *r)
{
    return function(r, FORM_SIGNED, "xor");
}

// A mask of low bits extracts a part of its register.
static struct linear mask(const struct trace_reader *r)
{
    struct linear a = source(r, 0, r->bits), b = source(r, 1, r->bits);
    bool low = b.known && linear_is_constant(&b) &&
               (b.add == 0xff || b.add == 0xffff || b.add == INT64_C(0xffffffff));
    if (a.known && low && r->bits > 8)
        return trip_widened(r->t, &a,
                            b.add == 0xff     ? 8
                            : b.add == 0xffff ? 16
                                              : 32,
                            false, r->bits);
    return function(r, FORM_SIGNED, "and");
}

static struct linear shift(const struct trace_reader *r)
{
    struct arena *arena = r->t->arena;
    struct linear a = source(r, 0, r->bits), b = source(r, 1, 32);
    bool left = r->at->op == OP_shl;
    if (!a.known || !b.known)
        return linear_unknown();
    if (left && linear_is_constant(&b)) {
        uint64_t by = (uint32_t)b.add;
        return linear_scaled(&a, by < r->bits ? (int64_t)(UINT64_C(1) << by) : 0);
    }
    struct trip_atom atom = trip_function(
        arena, left ? FORM_LOW : own_form(r), r->bits, left ? "shl" : "shr",
        linear_text(arena, &a, r->bits, left || r->is_signed), linear_text(arena, &b, 32, false));
    return linear_of_atom(atom, r->bits);
}

// Converts: the source's low bits, extended by the signedness of the narrower type.
static struct linear convert(const struct trace_reader *r)
{
    uint32_t operand = source_operand(r, 0);
    if (operand == IR_NONE || !ir_type_is_integer(r->at->type2))
        return linear_unknown();
    const struct ir_operand *o = &r->t->fn->operands.v[operand];
    unsigned to = ir_type_bits(r->at->type), from = ir_type_bits(r->at->type2);
    unsigned bits = o->kind == OPERAND_REGISTER ? r->t->fn->registers.v[o->index].bits : from;
    if (bits < from || to > r->bits || (from < to && to < r->bits))
        return linear_unknown();
    bool is_signed = ir_type_is_signed(from <= to ? r->at->type2 : r->at->type);
    unsigned part = from < to ? from : to;
    struct linear a = trip_operand(r->t, operand, bits);
    if (a.known && part >= r->bits) { // truncates, or changes nothing
        bool cuts = part < bits && a.phi != IR_NONE && (!a.narrow || a.narrow > part);
        a.bits = (uint8_t)r->bits;
        if (cuts) {
            a.narrow = (uint8_t)part;
            a.narrow_signed = is_signed;
        }
        return linear_scaled(&a, 1);
    }
    return trip_widened(r->t, &a, part, is_signed, r->bits);
}

// Selection between two invariant values

static const char *comparison_text(struct tracer *t, uint32_t inst)
{
    static const struct {
        uint16_t word;
        const char *name;
        bool is_unsigned;
    } words[] = {{W_lt, "lt", false}, {W_le, "le", false}, {W_gt, "gt", false}, {W_ge, "ge", false},
                 {W_eq, "eq", false}, {W_ne, "ne", false}, {W_lo, "lt", true},  {W_ls, "le", true},
                 {W_hi, "gt", true},  {W_hs, "ge", true}};
    struct trace_reader r = {.t = t, .at = &t->fn->insts.v[inst], .inst = inst};
    unsigned bits = ir_type_bits(r.at->type);
    if ((r.at->flags & INST_GUARDED) || r.at->operand_count != 3 || !ir_type_is_integer(r.at->type))
        return NULL;
    struct linear a = source(&r, 0, bits), b = source(&r, 1, bits);
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        bool is_signed = ir_type_is_signed(r.at->type) && !words[i].is_unsigned;
        if (!has(&r, words[i].word))
            continue;
        const char *left = linear_text(t->arena, &a, bits, is_signed);
        const char *right = linear_text(t->arena, &b, bits, is_signed);
        return left && right ? arena_printf(t->arena, "%s(%s, %s)", words[i].name, left, right)
                             : NULL;
    }
    return NULL;
}

static bool is_outside(const struct tracer *t, uint32_t version)
{
    const struct ir_version *v = &t->fn->versions.v[version];
    return v->kind == VERSION_ENTRY ||
           !ir_in_loop(t->fn, t->loop, ir_version_block(t->fn, version));
}

// Returns the text of a predicate, which is 0 or 1.
static const char *predicate_text(struct tracer *t, uint32_t operand)
{
    const struct ir_operand *o = &t->fn->operands.v[operand];
    uint32_t version = t->fn->operand_version.v[operand];
    if (o->kind != OPERAND_REGISTER || o->negated || version == IR_NONE || t->left-- <= 0)
        return NULL;
    if (is_outside(t, version))
        return ir_register_name(t->module, t->fn, o->index, t->arena);
    const struct ir_version *v = &t->fn->versions.v[version];
    if (v->kind != VERSION_INST || t->fn->insts.v[v->index].op != OP_setp)
        return NULL;
    return comparison_text(t, v->index);
}

static struct linear select(const struct trace_reader *r)
{
    struct arena *arena = r->t->arena;
    struct linear a = source(r, 0, r->bits), b = source(r, 1, r->bits);
    uint32_t condition = source_operand(r, 2);
    if (a.known && b.known && linear_same(&a, &b))
        return a;
    const char *test = condition == IR_NONE ? NULL : predicate_text(r->t, condition);
    const char *first = linear_text(arena, &a, r->bits, true);
    const char *second = linear_text(arena, &b, r->bits, true);
    if (!test || !first || !second)
        return linear_unknown();
    struct trip_atom atom = {arena_printf(arena, "if(%s, %s, %s)", test, first, second), false,
                             FORM_SIGNED, (uint8_t)r->bits, IR_NONE};
    return linear_of_atom(atom, r->bits);
}

// Instructions

struct rule {
    enum isa_op op;
    struct linear (*read)(const struct trace_reader *r);
    uint8_t sources;
    bool other_width; // the type may differ in width from the result
};

static const struct rule rules[] = {
    {OP_mov, copy, 1, false},     {OP_cvta, address_copy, 1, false},
    {OP_add, add, 2, false},      {OP_sub, add, 2, false},
    {OP_neg, negative, 1, false}, {OP_not, negative, 1, false},
    {OP_mul, multiply, 2, true},  {OP_mad, multiply, 3, true},
    {OP_min, min, 2, false},      {OP_max, max, 2, false},
    {OP_div, divide, 2, false},   {OP_rem, rest, 2, false},
    {OP_and, mask, 2, false},     {OP_or, either, 2, false},
    {OP_xor, differs, 2, false},  {OP_shl, shift, 2, false},
    {OP_shr, shift, 2, false},    {OP_cvt, convert, 1, true},
    {OP_selp, select, 3, false},  {OP_ld, load, 0, true},
};

static const struct rule *rule_of(enum isa_op op)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rules); i++)
        if (rules[i].op == op)
            return &rules[i];
    return NULL;
}

static struct linear inst_value(struct tracer *t, uint32_t inst, unsigned bits)
{
    const struct ir_inst *at = &t->fn->insts.v[inst];
    const struct rule *rule = rule_of(at->op);
    struct trace_reader r = {t, at, inst, bits, ir_type_is_signed(at->type)};
    if (!rule || (at->flags & INST_GUARDED) || at->vector != 1 || !ir_type_is_integer(at->type) ||
        (rule->sources && at->operand_count != rule->sources + 1) ||
        (!rule->other_width && ir_type_bits(at->type) != bits) || has(&r, W_sat))
        return linear_unknown();
    if (ir_defined(t->fn, inst) == IR_NONE)
        return linear_unknown();
    return rule->read(&r);
}

// Versions

static bool heads_a_loop(const struct ir_function *fn, uint32_t block)
{
    uint32_t loop = fn->blocks.v[block].loop;
    return loop != IR_NONE && fn->loops.v[loop].header == block;
}

// Paths that merge within the loop must carry the same value.
static struct linear phi_value(struct tracer *t, const struct ir_phi *phi, unsigned bits)
{
    struct linear first = linear_unknown();
    uint32_t count = t->fn->blocks.v[phi->block].pred_count;
    if (heads_a_loop(t->fn, phi->block))
        return first;
    for (uint32_t i = 0; i < count; i++) {
        struct linear next = trip_version(t, t->fn->phi_args.v[phi->args + i], bits);
        if (!next.known || (i && !linear_same(&first, &next)))
            return linear_unknown();
        first = next;
    }
    return first;
}

static uint32_t moved_operand(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    bool moves = at->op == OP_mov && !(at->flags & INST_GUARDED) && at->vector == 1 &&
                 at->operand_count == 2 && ir_type_is_integer(at->type) && !ir_reads_part(fn, inst);
    return moves ? at->operands + 1 : IR_NONE;
}

// Finds constants that are loaded before the loop.
static bool constant_outside(const struct tracer *t, uint32_t version, unsigned bits,
                             int64_t *value)
{
    for (int i = 0; i < 8; i++) {
        const struct ir_version *v = &t->fn->versions.v[version];
        uint32_t operand = v->kind == VERSION_INST ? moved_operand(t->fn, v->index) : IR_NONE;
        if (operand == IR_NONE || ir_type_bits(t->fn->insts.v[v->index].type) != bits)
            return false;
        const struct ir_operand *o = &t->fn->operands.v[operand];
        if (o->kind == OPERAND_IMMEDIATE)
            return trip_immediate(t, o, bits, value);
        version = t->fn->operand_version.v[operand];
        if (o->kind != OPERAND_REGISTER || o->negated || version == IR_NONE)
            return false;
    }
    return false;
}

bool trip_immediate(const struct tracer *t, const struct ir_operand *o, unsigned bits,
                    int64_t *value)
{
    uint8_t kind = o->node == IR_NONE ? NODE_INT : t->module->tree->nodes.v[o->node].kind;
    uint64_t number = o->negated ? -(uint64_t)o->value : (uint64_t)o->value;
    *value = trip_extended((int64_t)number, bits, true);
    return kind != NODE_FLOAT32 && kind != NODE_FLOAT64;
}

// Copies of parameters and of values that are equal in the whole grid are not live-ins (see
// transfer.h). Their source is named instead.
static bool is_free(const struct tracer *t, uint32_t version)
{
    if (value_is_parameter(t->module, t->fn, version))
        return true;
    for (int i = 0; i < 8; i++) {
        const struct ir_version *v = version == IR_NONE ? NULL : &t->fn->versions.v[version];
        if (!v || v->kind != VERSION_INST)
            return false;
        const struct ir_inst *at = &t->fn->insts.v[v->index];
        const struct ir_operand *from = &t->fn->operands.v[at->operands + 1];
        bool copies = at->op == OP_mov || at->op == OP_cvt;
        if (!copies || (at->flags & INST_GUARDED) || at->operand_count != 2 || from->part)
            return false;
        if (from->kind == OPERAND_SPECIAL)
            return isa_specials[from->index].varies == VARIES_NEVER;
        version = t->fn->operand_version.v[at->operands + 1];
    }
    return false;
}

static struct linear outside_value(struct tracer *t, uint32_t version, unsigned bits)
{
    const struct ir_version *v = &t->fn->versions.v[version];
    struct linear value = linear_unknown();
    if (v->kind == VERSION_INST && is_free(t, version))
        value = inst_value(t, v->index, bits);
    return value.known ? value : register_value(t, v->reg, version, bits);
}

struct linear trip_version(struct tracer *t, uint32_t version, unsigned bits)
{
    const struct ir_version *v = &t->fn->versions.v[version];
    int64_t value;
    if (t->left-- <= 0 || t->fn->registers.v[v->reg].bits != bits)
        return linear_unknown();
    if (constant_outside(t, version, bits, &value))
        return linear_constant(value, bits);
    if (is_outside(t, version))
        return outside_value(t, version, bits);
    if (v->kind == VERSION_INST)
        return inst_value(t, v->index, bits);
    const struct ir_phi *phi = &t->fn->phis.v[v->index];
    if (phi->block != t->fn->loops.v[t->loop].header)
        return phi_value(t, phi, bits);
    struct linear counter = linear_constant(0, bits);
    counter.phi = v->index;
    counter.factor = 1;
    return counter;
}

struct linear trip_operand(struct tracer *t, uint32_t operand, unsigned bits)
{
    const struct ir_operand *o = &t->fn->operands.v[operand];
    uint32_t version = t->fn->operand_version.v[operand];
    int64_t value;
    if (o->part)
        return linear_unknown();
    if (o->kind == OPERAND_IMMEDIATE)
        return trip_immediate(t, o, bits, &value) ? linear_constant(value, bits) : linear_unknown();
    if (o->negated || o->member != W_UNKNOWN)
        return o->kind == OPERAND_SPECIAL && !o->negated ? special_value(t, o, bits)
                                                         : linear_unknown();
    if (o->kind == OPERAND_SPECIAL)
        return special_value(t, o, bits);
    if (o->kind != OPERAND_REGISTER || version == IR_NONE)
        return linear_unknown();
    return trip_version(t, version, bits);
}
