#include "passes/analysis/affine/address.h"

enum { MAX_STEPS = 64 }; // steps of a trace; anything further back is unknown

// Returns the operand that an instruction copies unchanged, or IR_NONE.
static uint32_t copied_operand(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    bool copies = at->op == OP_cvta || (at->op == OP_mov && at->vector == 1);
    if (!copies || (at->flags & INST_GUARDED) || at->operand_count != 2 ||
        fn->operands.v[at->operands].role != ROLE_DEF || ir_reads_part(fn, inst))
        return IR_NONE;
    return at->operands + 1;
}

// Returns the variable operand of an addition or subtraction of a constant, and adds the constant
// to *offset.
static uint32_t displaced_operand(const struct ir_function *fn, uint32_t inst, int64_t *offset)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    const struct ir_operand *operand = &fn->operands.v[at->operands];
    bool adds = (at->op == OP_add || at->op == OP_sub) && ir_type_bits(at->type) >= 32;
    if (!adds || (at->flags & INST_GUARDED) || at->operand_count != 3 || ir_reads_part(fn, inst))
        return IR_NONE; // a fourth operand would be a carry
    bool second = operand[2].kind == OPERAND_IMMEDIATE,
         first = operand[1].kind == OPERAND_IMMEDIATE && at->op == OP_add;
    if (!second && !first)
        return IR_NONE;
    int64_t value = operand[second ? 2 : 1].value;
    *offset += at->op == OP_sub ? -value : value;
    return at->operands + (second ? 1 : 2);
}

static uint32_t defining_inst(const struct ir_function *fn, uint32_t version)
{
    const struct ir_version *v = version == IR_NONE ? NULL : &fn->versions.v[version];
    return v && v->kind == VERSION_INST ? v->index : IR_NONE;
}

static uint16_t plain_space(uint16_t space)
{
    static const uint16_t spellings[][2] = {{W_shared_cta, W_shared},
                                            {W_shared_cluster, W_shared},
                                            {W_param_entry, W_param},
                                            {W_param_func, W_param}};
    for (size_t i = 0; i < ARRAY_LENGTH(spellings); i++)
        if (spellings[i][0] == space)
            return spellings[i][1];
    return space;
}

static void reach_symbol(const struct ir_module *module, struct address *address,
                         const struct ir_operand *operand)
{
    address->parameter = operand->index;
    address->offset += operand->value;
    address->version = IR_NONE;
    (void)module;
}

// Returns the kernel parameter that a ld.param reads, or IR_NONE.
static uint32_t parameter_read(const struct ir_module *module, const struct ir_function *fn,
                               uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    if (at->op != OP_ld || plain_space(at->space) != W_param || !fn->is_entry ||
        at->operand_count != 2 || (at->flags & INST_GUARDED))
        return IR_NONE;
    const struct ir_operand *operand = &fn->operands.v[at->operands + 1];
    bool whole = operand->kind == OPERAND_SYMBOL && operand->value == 0;
    return whole && module->symbols.v[operand->index].parameter != IR_NONE ? operand->index
                                                                           : IR_NONE;
}

// Follows copies and constant steps back from the version. Returns true if it reaches a symbol.
static bool trace(const struct ir_module *module, const struct ir_function *fn,
                  struct address *address)
{
    for (int step = 0; step < MAX_STEPS; step++) {
        uint32_t inst = defining_inst(fn, address->version);
        if (inst == IR_NONE)
            return false;
        const struct ir_inst *at = &fn->insts.v[inst];
        uint32_t parameter = parameter_read(module, fn, inst);
        if (parameter != IR_NONE) {
            address->parameter = parameter;
            address->version = IR_NONE;
            return true;
        }
        uint32_t from = copied_operand(fn, inst);
        if (from == IR_NONE)
            from = displaced_operand(fn, inst, &address->offset);
        if (from == IR_NONE)
            return false;
        if (at->op == OP_cvta && address->space == W_UNKNOWN &&
            !ir_has_modifier(module, fn, inst, W_to))
            address->space = plain_space(at->space);
        if (fn->operands.v[from].kind == OPERAND_SYMBOL) {
            reach_symbol(module, address, &fn->operands.v[from]);
            return true;
        }
        if (fn->operands.v[from].kind != OPERAND_REGISTER)
            return false;
        address->version = fn->operand_version.v[from];
    }
    return false;
}

// Returns the base of a sum of two registers: the symbol that exactly one of them leads to.
static uint32_t base_of_sum(const struct ir_module *module, const struct ir_function *fn,
                            uint32_t version, uint16_t *space)
{
    for (int step = 0; step < MAX_STEPS; step++) {
        uint32_t inst = defining_inst(fn, version);
        if (inst == IR_NONE)
            return IR_NONE;
        const struct ir_inst *at = &fn->insts.v[inst];
        if (at->op != OP_add || at->operand_count != 3)
            return IR_NONE;
        uint32_t found = IR_NONE, rest = IR_NONE;
        for (uint32_t side = 1; side <= 2; side++) {
            struct address address = {.parameter = IR_NONE,
                                      .version = fn->operand_version.v[at->operands + side],
                                      .space = W_UNKNOWN};
            bool reached = trace(module, fn, &address);
            if (reached && found != IR_NONE)
                return IR_NONE; // ambiguous
            if (reached) {
                found = address.parameter;
                if (*space == W_UNKNOWN)
                    *space = address.space;
            } else {
                rest = address.version;
            }
        }
        if (found != IR_NONE)
            return found;
        version = rest; // for base + i + j, continue with the side that has no symbol
    }
    return IR_NONE;
}

struct address address_of(const struct ir_module *module, const struct ir_function *fn,
                          uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    struct address address = {.parameter = IR_NONE,
                              .version = IR_NONE,
                              .bytes = ir_type_bits(at->type) / 8u * at->vector,
                              .space = plain_space(at->space),
                              .pointer = IR_NONE};
    uint32_t base = ir_find_operand(fn, inst, ROLE_ADDRESS, 0);
    address.read_only = address.space == W_const || ir_has_modifier(module, fn, inst, W_nc);
    if (base == IR_NONE)
        return address;
    const struct ir_operand *operand = &fn->operands.v[base];
    if (operand->kind == OPERAND_SYMBOL) {
        reach_symbol(module, &address, operand);
        if (address.space == W_UNKNOWN)
            address.space = plain_space(module->symbols.v[operand->index].space);
        return address;
    }
    address.offset = operand->value;
    if (operand->kind != OPERAND_REGISTER)
        return address;
    address.version = fn->operand_version.v[base];
    if (!trace(module, fn, &address))
        address.parameter = base_of_sum(module, fn, address.version, &address.space);
    return address;
}

// Returns true for a variable of the module or function, false for a parameter that holds a
// pointer.
static bool is_variable(const struct ir_module *module, uint32_t symbol)
{
    return symbol != IR_NONE && module->symbols.v[symbol].parameter == IR_NONE &&
           module->symbols.v[symbol].space != W_func;
}

static bool ranges_overlap(const struct address *a, const struct address *b)
{
    if (!a->bytes || !b->bytes)
        return true;
    return a->offset < b->offset + (int64_t)b->bytes && b->offset < a->offset + (int64_t)a->bytes;
}

struct address address_in(struct facts *facts, uint32_t inst)
{
    struct address address = address_of(facts->module, facts->fn, inst);
    struct affines *affines = facts_affines(facts);
    address.has_sum = affine_of_address(affines, inst, &address.sum);
    uint32_t base = address.has_sum ? affine_base(affines, &address.sum) : IR_NONE;
    const struct affine_atom *atom = base == IR_NONE ? NULL : affine_atom(affines, base);
    if (atom && (atom->kind == AFFINE_PARAMETER || atom->kind == AFFINE_SYMBOL))
        address.pointer = atom->index;
    return address;
}

// Returns the space of a generic address if it is an offset to a variable or to a kernel's pointer,
// which never points to shared or local memory.
static uint16_t space_of(const struct ir_module *module, const struct address *address)
{
    if (address->space != W_UNKNOWN || address->pointer == IR_NONE)
        return address->space;
    const struct ir_symbol *symbol = &module->symbols.v[address->pointer];
    return symbol->parameter == IR_NONE ? plain_space(symbol->space) : W_global;
}

// Returns true if the two bases never lead to the same memory.
static bool are_separate(const struct facts *facts, uint32_t a, uint32_t b)
{
    bool variable_a = is_variable(facts->module, a), variable_b = is_variable(facts->module, b);
    if (a == b || a == IR_NONE || b == IR_NONE)
        return false;
    if (variable_a && variable_b) // unsized arrays of shared memory all start at one place
        return facts->module->symbols.v[a].size || facts->module->symbols.v[b].size;
    return (!variable_a && !variable_b && facts->options.restrict_parameters &&
            facts->fn->is_entry);
}

bool address_may_alias(struct facts *facts, const struct address *a, const struct address *b)
{
    const struct ir_module *module = facts->module;
    uint16_t space_a = space_of(module, a), space_b = space_of(module, b);
    if (a->read_only || b->read_only)
        return false;
    if (space_a != W_UNKNOWN && space_b != W_UNKNOWN && space_a != space_b)
        return false;
    bool same_rest = a->version == b->version && a->parameter == b->parameter &&
                     (a->version != IR_NONE || a->parameter != IR_NONE);
    if (same_rest)
        return ranges_overlap(a, b);
    if (are_separate(facts, a->pointer, b->pointer))
        return false;
    return !(a->has_sum && b->has_sum &&
             affine_apart(facts_affines(facts), &a->sum, a->bytes, &b->sum, b->bytes));
}

bool value_is_parameter(const struct ir_module *module, const struct ir_function *fn,
                        uint32_t version)
{
    for (int step = 0; step < MAX_STEPS; step++) {
        uint32_t inst = defining_inst(fn, version);
        if (inst == IR_NONE)
            return false;
        const struct ir_inst *at = &fn->insts.v[inst];
        bool parameter_space = plain_space(at->space) == W_param && at->op == OP_ld && fn->is_entry;
        if (parameter_space && !(at->flags & INST_GUARDED)) { // the kernel's, not a call's
            const struct ir_operand *name = &fn->operands.v[at->operands + at->operand_count - 1];
            return name->kind == OPERAND_SYMBOL &&
                   module->symbols.v[name->index].parameter != IR_NONE;
        }
        uint32_t from = copied_operand(fn, inst);
        if (from == IR_NONE || fn->operands.v[from].kind != OPERAND_REGISTER)
            return false;
        version = fn->operand_version.v[from];
    }
    return false;
}
