// Compares the elements of a vector operand: they need one width, and neighbours need one kind of
// type.
#include "ir/check_internal.h"

// Bit registers, special registers and operands other than registers are compatible with
// everything.
struct element {
    uint32_t bits; // 0: any width
    enum type_kind kind;
    bool sink;
};

static struct element register_element(const struct ir_check *c, const struct ir_operand *operand)
{
    uint16_t type = c->fn->registers.v[operand->index].type;
    if (type >= WORD_COUNT)
        return (struct element){0, TYPE_BITS, false};
    return (struct element){isa_words[type].value, check_type_kind(type), false};
}

static struct element element_at(struct ir_check *c, uint32_t node)
{
    switch (c->tree->nodes.v[node].kind) {
    case NODE_NEGATE: return element_at(c, node + 1);
    case NODE_INT: return (struct element){0, TYPE_INTEGER, false};
    case NODE_FLOAT32:
    case NODE_FLOAT64: return (struct element){0, TYPE_FLOAT, false};
    case NODE_NAME:
    case NODE_MEMBER: break;
    default: return (struct element){0, TYPE_BITS, false};
    }
    uint32_t name = node + (c->tree->nodes.v[node].kind == NODE_MEMBER);
    const struct ir_operand *operand = check_operand_at(c, name);
    if (operand && operand->kind == OPERAND_REGISTER)
        return register_element(c, operand);
    return (struct element){0, TYPE_BITS, operand && operand->kind == OPERAND_SINK};
}

enum fault_kind check_elements(struct ir_check *c, uint32_t vector, uint32_t *at)
{
    uint32_t bits = 0;
    enum type_kind kind = TYPE_BITS;
    NODE_EACH (child, c->tree, vector) {
        struct element element = element_at(c, child);
        *at = child;
        if (element.sink)
            continue;
        if (bits && element.bits && element.bits != bits)
            return FAULT_ELEMENT_WIDTH;
        if (kind != TYPE_BITS && element.kind != TYPE_BITS && element.kind != kind)
            return FAULT_ELEMENT_KIND;
        bits = element.bits ? element.bits : bits;
        kind = element.kind;
    }
    return FAULT_NONE;
}
