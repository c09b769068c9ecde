// Operands of a chain's members: values of the chain pass from member to member, all others are
// scalars of the packet. The response must be that of the pattern [000 Table 1].
#include "passes/base/capability.h"
#include "passes/verify/verify_chain.h"

// Returns the index of the member that defines the version, or `count`.
static uint32_t maker_of(const struct chain_check *c, const struct chain *chain, uint32_t version)
{
    uint32_t i = 0;
    if (version == IR_NONE || c->fn->versions.v[version].kind != VERSION_INST)
        return chain->count;
    while (i < chain->count && chain->inst[i] != c->fn->versions.v[version].index)
        i++;
    return i;
}

enum verify_step { STEP_LOAD, STEP_COPY, STEP_OPERATION, STEP_STORE };

static enum verify_step step_of(const struct chain_check *c, uint32_t inst)
{
    uint8_t class = c->fn->insts.v[inst].class;
    if (ir_is_copy(c->fn, inst))
        return STEP_COPY;
    return class == CLASS_LOAD ? STEP_LOAD : class == CLASS_STORE ? STEP_STORE : STEP_OPERATION;
}

// Only the product of a divided fused multiply-add belongs to the chain.
static bool is_kept_at_core(const struct chain_check *c, const struct chain *chain,
                            uint32_t operand)
{
    enum { ADDEND = 3 };
    return chain->split && c->fn->operands.v[operand].slot == ADDEND &&
           c->fn->operand_inst.v[operand] == chain->inst[chain->count - 1];
}

struct flow {
    bool fed[CHAIN_MAX]; // a later member reads its result
    bool scalar;         // a member reads a scalar
};

static const char *operand_fault(struct chain_check *c, const struct chain *chain, uint32_t place,
                                 uint32_t operand, struct flow *flow)
{
    const struct ir_operand *at = &c->fn->operands.v[operand];
    uint32_t from = at->kind == OPERAND_REGISTER
                        ? maker_of(c, chain, c->fn->operand_version.v[operand])
                        : chain->count;
    if (at->role == ROLE_ADDRESS)
        return from < chain->count ? "a value of a chain is used in an address" : NULL;
    if (!alu_is_source(c->fn, operand) || is_kept_at_core(c, chain, operand))
        return NULL;
    if (at->part)
        return "an operand of a chain is a part of a register or a sum";
    if (from < chain->count) {
        flow->fed[from] = true;
        return from < place ? NULL : "a member of a chain precedes a member that it reads";
    }
    if (step_of(c, chain->inst[place]) == STEP_STORE)
        return "a chain stores a value that it does not compute";
    if (step_of(c, chain->inst[place]) == STEP_COPY)
        return "a copy in a chain copies a value that the chain does not compute";
    flow->scalar = true;
    return divergence_operand(facts_certain(c->facts), operand)
               ? NULL
               : "an operand of a chain is neither computed in it nor equal in all lanes";
}

static const char *flow_fault(struct chain_check *c, const struct chain *chain, struct flow *flow)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct ir_inst *at = &c->fn->insts.v[chain->inst[i]];
        if (step_of(c, chain->inst[i]) == STEP_STORE && i + 1 < chain->count)
            return "a chain continues after its store";
        for (uint32_t k = at->operands; k < at->operands + at->operand_count; k++) {
            const char *wrong = operand_fault(c, chain, i, k, flow);
            if (wrong)
                return wrong;
        }
    }
    return NULL;
}

// In a chain of vectors, the operations on all elements end the chain together.
static bool is_end(const struct chain_check *c, const struct chain *chain, uint32_t place)
{
    uint32_t last = chain->inst[chain->count - 1];
    bool vector = c->fn->insts.v[chain->inst[0]].vector > 1;
    return place + 1 == chain->count || (vector && step_of(c, last) == STEP_OPERATION &&
                                         step_of(c, chain->inst[place]) == STEP_OPERATION);
}

static enum response result_of(const struct chain_check *c, const struct chain *chain)
{
    const struct ir_inst *last = &c->fn->insts.v[chain->inst[chain->count - 1]];
    if (last->class == CLASS_STORE)
        return RESPONSE_ACK;
    return last->class == CLASS_COMPARE ? RESPONSE_BITMAP : RESPONSE_DATA;
}

const char *verify_chain_values(struct chain_check *c, const struct chain *chain)
{
    struct flow flow = {0};
    bool ends = step_of(c, chain->inst[chain->count - 1]) != STEP_COPY;
    const char *wrong = ends ? flow_fault(c, chain, &flow) : "a chain ends in a copy";
    for (uint32_t i = 0; i < chain->count && !wrong; i++)
        if (!flow.fed[i] && !is_end(c, chain, i))
            wrong = "a member of a chain computes no value that another one reads";
    if (wrong)
        return wrong;
    enum verify_scalar scalar = verify_shapes[chain->pattern].scalar;
    if (scalar != SCALAR_MAYBE && (scalar == SCALAR_ALWAYS) != flow.scalar)
        return "a chain has a scalar though its pattern has none, or lacks the scalar of its "
               "pattern";
    if (chain->response != result_of(c, chain) || !chain->response_flits)
        return "the response of a chain is not that of its pattern";
    return NULL;
}
