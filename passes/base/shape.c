#include "passes/base/shape.h"

// Returns the dimensions in `.reqntid x, y, z`; omitted ones are 1. Unknown if one is not a number.
static struct block_shape read_tuning(const struct tree *tree, uint32_t tuning)
{
    uint64_t n[3] = {1, 1, 1};
    uint32_t count = 0;
    NODE_EACH (child, tree, tuning) {
        if (tree->nodes.v[child].kind != NODE_INT || count == 3)
            return (struct block_shape){0};
        n[count++] = tree->nodes.v[child].value;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (!count || !n[i] || n[i] > 1024)
            return (struct block_shape){0};
    return (struct block_shape){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
}

struct block_shape shape_of(const struct ir_module *module, const struct ir_function *fn,
                            struct block_shape given)
{
    const struct tree *tree = module->tree;
    if (!fn->is_entry)
        return given;
    NODE_EACH (child, tree, fn->node) {
        const struct node *node = &tree->nodes.v[child];
        if (node->kind != NODE_TUNING || node->aux != W_reqntid)
            continue;
        struct block_shape required = read_tuning(tree, child);
        if (shape_is_known(&required))
            return required;
    }
    return given;
}

uint32_t shape_max(const struct block_shape *shape, uint16_t member)
{
    if (!shape_is_known(shape))
        return member == W_z ? 64 : 1024;
    return member == W_x ? shape->x : member == W_y ? shape->y : shape->z;
}

bool shape_has_rows(const struct ir_function *fn)
{
    for (uint32_t i = 0; i < fn->operands.n; i++) {
        const struct ir_operand *o = &fn->operands.v[i];
        if (o->kind == OPERAND_SPECIAL && o->index == SPECIAL_tid && o->member != W_x)
            return true;
    }
    return false;
}

void shape_thread(const struct block_shape *shape, uint32_t thread, uint32_t tid[3])
{
    uint32_t x = shape_is_known(shape) ? shape->x : UINT32_MAX;
    uint32_t y = shape_is_known(shape) ? shape->y : 1;
    tid[0] = thread % x;
    tid[1] = thread / x % y;
    tid[2] = thread / x / y;
}
