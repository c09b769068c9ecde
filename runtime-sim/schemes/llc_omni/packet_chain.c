// Derives the members that all packets of a chain share from its instructions.
#include "runtime-sim/schemes/llc_omni/packet_alu.h"

// At most two copies are between two members of a chain.
enum { MAX_INSTS = PACKET_LOADS + PACKET_OPS + 1 + 2 * (PACKET_LOADS + PACKET_OPS) };

// The chain's instructions by kind, in program order.
struct members {
    uint32_t load[MAX_INSTS], op[MAX_INSTS], store[MAX_INSTS], copy[MAX_INSTS];
    uint32_t loads, ops, stores, copies;
};

static bool sort_members(const struct ir_function *fn, const uint32_t *inst, uint32_t count,
                         struct members *m)
{
    *m = (struct members){0};
    for (uint32_t i = 0; i < count && count <= MAX_INSTS; i++)
        switch (fn->insts.v[inst[i]].op) {
        case OP_ld: m->load[m->loads++] = inst[i]; break;
        case OP_st: m->store[m->stores++] = inst[i]; break;
        case OP_mov: m->copy[m->copies++] = inst[i]; break;
        default: m->op[m->ops++] = inst[i]; break;
        }
    return m->loads && m->loads <= PACKET_LOADS && m->ops <= PACKET_OPS && m->stores <= 1;
}

// Sets size and sign of the elements in memory. Returns false if packets do not support them.
static bool set_element(const struct ir_inst *inst, bool loads, struct packet_operand *operand)
{
    uint16_t bits = ir_type_bits(inst->type);
    operand->bytes = (uint8_t)(bits / 8);
    operand->is_signed = loads && (inst->type == W_s8 || inst->type == W_s16);
    return inst->vector == 1 && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

static uint32_t version_of(const struct ir_function *fn, uint32_t operand)
{
    return fn->operands.v[operand].kind == OPERAND_REGISTER ? fn->operand_version.v[operand]
                                                            : IR_NONE;
}

// Returns the version from which the chain's copies made this version.
static uint32_t original_of(const struct ir_function *fn, const struct members *m, uint32_t version)
{
    for (uint32_t i = m->copies; i-- > 0 && version != IR_NONE;)
        if (version == ir_defined(fn, m->copy[i]))
            version = version_of(fn, ir_find_operand(fn, m->copy[i], ROLE_USE, 0));
    return version;
}

// Returns true if the operand is the chain's scalar, or the chain has no scalar yet.
static bool accept_scalar(const struct ir_function *fn, uint32_t inst, uint32_t use,
                          uint32_t operand, struct packet_scalar *scalar)
{
    if (scalar->inst == IR_NONE) {
        const struct ir_operand *at = &fn->operands.v[operand];
        bool predicate =
            (fn->insts.v[inst].op == OP_setp || fn->insts.v[inst].op == OP_set) && use == 2;
        *scalar = (struct packet_scalar){inst, operand, use, predicate, EXTENDS_NOT};
        return at->kind != OPERAND_UNKNOWN;
    }
    uint32_t version = version_of(fn, operand);
    return version != IR_NONE && version == version_of(fn, scalar->operand);
}

static bool is_table(const struct ir_function *fn, uint32_t inst, uint32_t use)
{
    return fn->insts.v[inst].op == OP_lop3 && use == 3;
}

// Finds the sources of the operation's operands. A version that no member defines is the scalar.
static bool set_op(const struct ir_module *module, const struct ir_function *fn,
                   const struct members *m, uint32_t index, struct packet_op *op,
                   struct packet_scalar *scalar)
{
    enum { MAX_USES = 4 };
    uint8_t source[MAX_USES] = {0};
    uint32_t inst = m->op[index], operand;
    for (uint32_t use = 0; (operand = ir_find_operand(fn, inst, ROLE_USE, use)) != IR_NONE; use++) {
        uint32_t version = original_of(fn, m, version_of(fn, operand));
        if (use == MAX_USES)
            return false;
        source[use] = PACKET_SCALAR;
        for (uint32_t i = 0; i < m->loads && version != IR_NONE; i++)
            if (version == ir_defined(fn, m->load[i]))
                source[use] = (uint8_t)(PACKET_LOAD_0 + i);
        if (index && version != IR_NONE && version == ir_defined(fn, m->op[index - 1]))
            source[use] = PACKET_PREVIOUS;
        if (source[use] == PACKET_SCALAR && !is_table(fn, inst, use) &&
            !accept_scalar(fn, inst, use, operand, scalar))
            return false;
    }
    return packet_op_of(module, fn, inst, source, op);
}

// A comparison of 16 bits extends its sources to 32 bits as its type says. Returns false if that
// type is not signed and a load is a signed byte, whose value then is another one.
static bool set_halves(const struct ir_function *fn, uint32_t inst, struct compute_packet *packet,
                       struct packet_scalar *scalar)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    uint16_t type = at->op == OP_set ? at->type2 : at->type;
    bool compares = at->op == OP_set || at->op == OP_setp, is_signed = ir_type_is_signed(type);
    for (uint32_t i = 0; i < packet->load_count && compares && ir_type_bits(type) == 16; i++) {
        struct packet_operand *load = &packet->load[i];
        if (load->is_signed && load->bytes == 1 && !is_signed)
            return false;
        load->is_signed = load->bytes == 2 ? is_signed : load->is_signed;
    }
    if (compares && ir_type_bits(type) == 16 && !scalar->predicate)
        scalar->extends = is_signed ? EXTENDS_SIGN : EXTENDS_ZERO;
    return true;
}

// Returns true if the store writes the last result.
static bool stores_result(const struct ir_function *fn, const struct members *m)
{
    uint32_t data = ir_find_operand(fn, m->store[0], ROLE_USE, 0);
    uint32_t maker = m->ops ? m->op[m->ops - 1] : m->load[0];
    uint32_t version = data == IR_NONE ? IR_NONE : original_of(fn, m, version_of(fn, data));
    return version != IR_NONE && version == ir_defined(fn, maker) &&
           !ir_reads_part(fn, m->store[0]);
}

// Checks the packet with one valid lane, because its mask is still empty.
static bool is_sound(const struct compute_packet *packet)
{
    struct compute_packet whole = *packet;
    whole.mask = 1;
    return packet_is_sound(&whole);
}

bool packet_of_chain(const struct ir_module *module, const struct ir_function *fn, uint32_t pattern,
                     const uint32_t *inst, uint32_t count, struct compute_packet *packet,
                     struct packet_scalar *scalar)
{
    struct members m;
    *packet = (struct compute_packet){.pattern = (uint8_t)pattern};
    *scalar = (struct packet_scalar){.inst = IR_NONE, .operand = IR_NONE};
    if (pattern > CHAIN_PATTERNS || !sort_members(fn, inst, count, &m))
        return false;
    packet->load_count = (uint8_t)m.loads;
    packet->op_count = (uint8_t)m.ops;
    packet->has_store = m.stores;
    for (uint32_t i = 0; i < m.loads; i++)
        if (ir_defined(fn, m.load[i]) == IR_NONE ||
            !set_element(&fn->insts.v[m.load[i]], true, &packet->load[i]))
            return false;
    for (uint32_t i = 0; i < m.ops; i++)
        if (!set_op(module, fn, &m, i, &packet->op[i], scalar) ||
            !set_halves(fn, m.op[i], packet, scalar))
            return false;
    if (m.stores &&
        (!set_element(&fn->insts.v[m.store[0]], false, &packet->store) || !stores_result(fn, &m)))
        return false;
    packet->has_scalar = scalar->inst != IR_NONE;
    return is_sound(packet);
}
