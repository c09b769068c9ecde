// Initial values of variables: `= {{1, 2}, {3}}`, addresses, generic(), mask().
#include "runtime-sim/exec/decode/layout.h"
#include <string.h>

struct filling {
    const struct program *program;
    const struct tree *tree;
    uint8_t *to;
    uint64_t bytes;
    uint32_t element;   // bytes of an element
    uint64_t stride[8]; // bytes of an element at each depth of braces
    uint32_t depth;     // number of levels in `stride`
    uint16_t type;
    const char *error;
};

static const struct node *node_at(const struct filling *f, uint32_t node)
{
    return &f->tree->nodes.v[node];
}

// Returns the address of the module's variable or function with this name.
static bool address_of(const struct filling *f, uint32_t node, uint64_t *address)
{
    const struct ir_module *module = f->program->module;
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct ir_symbol *symbol = &module->symbols.v[i];
        if (symbol->function != IR_NONE || symbol->name != node_at(f, node)->value)
            continue;
        *address = f->program->address_of.v[i];
        return true;
    }
    return false;
}

static bool value_of(const struct filling *f, uint32_t node, uint64_t *value)
{
    const struct node *at = node_at(f, node);
    uint64_t left, right;
    double wide;
    float narrow;
    switch (at->kind) {
    case NODE_INT: *value = at->value; return true;
    case NODE_NAME: return address_of(f, node, value);
    case NODE_APPLY: // global addresses are also generic addresses
        return at->size > 1 && value_of(f, node + 1, value);
    case NODE_OFFSET:
        if (at->size < 3 || !value_of(f, node + 1, &left) ||
            !value_of(f, node_next(f->tree, node + 1), &right))
            return false;
        *value = left + right;
        return true;
    case NODE_FLOAT32:
        *value = at->value;
        if (f->type != W_f64)
            return true;
        memcpy(&narrow, &at->value, sizeof narrow);
        wide = (double)narrow;
        memcpy(value, &wide, sizeof wide);
        return true;
    case NODE_FLOAT64:
        *value = at->value;
        if (f->element != 4)
            return true;
        memcpy(&wide, &at->value, sizeof wide);
        narrow = (float)wide;
        *value = 0;
        memcpy(value, &narrow, sizeof narrow);
        return true;
    default: return false;
    }
}

// Evaluates 0xff00(variable): the byte of the address that the mask selects.
static uint64_t masked(const struct filling *f, uint32_t node, uint64_t value)
{
    const struct node *at = node_at(f, node);
    uint64_t mask = at->value;
    char first = f->tree->source->text[at->begin];
    if (at->kind != NODE_APPLY || first < '0' || first > '9' || !mask)
        return value;
    return (value & mask) >> (__builtin_ctzll(mask) & ~7);
}

static void fill(struct filling *f, uint32_t node, uint32_t depth, uint64_t at)
{
    if (node_at(f, node)->kind == NODE_VECTOR) {
        uint64_t stride = depth < f->depth ? f->stride[depth] : f->element;
        NODE_EACH (child, f->tree, node) {
            fill(f, child, depth + 1, at);
            at += node_at(f, child)->kind == NODE_VECTOR ? stride : f->element;
        }
        return;
    }
    uint64_t value;
    if (!value_of(f, node, &value)) {
        f->error = "an initial value is not understood";
        return;
    }
    value = masked(f, node, value);
    if (at + f->element <= f->bytes)
        memcpy(f->to + at, &value, f->element < 8 ? f->element : 8);
    else
        f->error = "a variable has more initial values than elements";
}

// Computes the bytes of one element of each dimension, from the outermost.
static void find_strides(struct filling *f, uint32_t declarator, uint32_t vector)
{
    uint64_t lengths[8];
    uint32_t count = 0;
    NODE_EACH (child, f->tree, declarator)
        if (node_at(f, child)->kind == NODE_DIMENSION && count < 7)
            lengths[count++] = node_at(f, child)->size > 1 ? node_at(f, child + 1)->value : 1;
    if (vector > 1)
        lengths[count++] = vector;
    f->depth = count;
    uint64_t stride = f->element;
    for (uint32_t i = count; i-- > 0;) {
        f->stride[i] = stride;
        stride *= lengths[i];
    }
}

const char *layout_initial(const struct program *program, const struct program_variable *variable,
                           uint8_t *to)
{
    const struct ir_symbol *symbol = &program->module->symbols.v[variable->symbol];
    struct filling f = {.program = program,
                        .tree = program->module->tree,
                        .to = to,
                        .bytes = variable->bytes,
                        .element = (uint32_t)(ir_type_bits(symbol->type) + 7) / 8,
                        .type = symbol->type};
    if (f.type == W_texref || f.type == W_samplerref || f.type == W_surfref)
        return NULL; // handles have no object in memory
    uint64_t elements = 1;
    NODE_EACH (child, f.tree, symbol->node)
        if (node_at(&f, child)->kind == NODE_DIMENSION && node_at(&f, child)->size > 1)
            elements *= node_at(&f, child + 1)->value;
    uint64_t vector = elements && f.element ? variable->bytes / (elements * f.element) : 1;
    find_strides(&f, symbol->node, (uint32_t)vector);
    NODE_EACH (child, f.tree, symbol->node)
        if (node_at(&f, child)->kind == NODE_INIT)
            fill(&f, child + 1, 0, 0);
    return f.error;
}
