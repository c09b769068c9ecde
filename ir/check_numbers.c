// Checks the numbers of an instruction that matches its form, if one depends on another or if the
// constraint is more than a range.
#include "ir/check_internal.h"

// Returns the instruction's n-th operand node, or NULL.
static const struct node *operand_node(const struct ir_check *c, uint32_t n)
{
    NODE_EACH (child, c->tree, c->inst->node) {
        const struct node *node = &c->tree->nodes.v[child];
        if (node->kind != NODE_GUARD && !n--)
            return node;
    }
    return NULL;
}

static void refuse(struct ir_check *c, const struct node *at, const char *why)
{
    diag_add(c->diags, DIAG_ERROR, "operand-type", at->begin, at->end, "'%.*s' %s",
             (int)(at->end - at->begin), c->tree->source->text + at->begin, why);
}

// Checks cp.async [to], [from], size, read;
static void check_copy(struct ir_check *c)
{
    const struct node *size = operand_node(c, 2), *read = operand_node(c, 3);
    if (size && read && size->kind == NODE_INT && read->kind == NODE_INT &&
        read->value > size->value)
        refuse(c, read,
               arena_printf(&c->scratch, "is not between 0 and %u", (uint32_t)size->value));
}

// Checks alloca.u64 to, size, alignment;
static void check_allocation(struct ir_check *c)
{
    const struct node *alignment = operand_node(c, 2);
    if (alignment && alignment->kind == NODE_INT &&
        (!alignment->value || alignment->value & (alignment->value - 1) || alignment->value >> 31))
        refuse(c, alignment, "is not a power of two below 2^31");
}

void check_numbers(struct ir_check *c)
{
    if (c->inst->op == OP_cp)
        check_copy(c);
    else if (c->inst->op == OP_alloca)
        check_allocation(c);
}
