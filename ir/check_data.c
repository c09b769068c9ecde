// Variables: shape and kind of their initialisers, and the bytes that they take together, as ptxas
// judges.
#include "ir/check_internal.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 8 };

struct data {
    struct ir_check *c;
    const uint16_t *space_of; // by name: state space of the module's variables, W_func for
                              // functions
    uint16_t type;
    uint32_t levels, count[MAX_LEVELS]; // number of elements of each dimension and of a vector; 0:
                                        // any number
};

static const struct node *at(const struct data *d, uint32_t node)
{
    return &d->c->tree->nodes.v[node];
}

static bool refuse(const struct data *d, uint32_t node, const char *why)
{
    const struct node *place = at(d, node);
    uint32_t length = place->end - place->begin;
    diag_add(d->c->diags, DIAG_ERROR, "operand-type", place->begin, place->end, "'%.*s%s' %s",
             (int)(length < 40 ? length : 40), d->c->tree->source->text + place->begin,
             length < 40 ? "" : " …", why);
    return false;
}

// Addresses

static bool is_placed(const struct data *d, uint32_t node)
{
    uint16_t space = d->space_of[at(d, node)->value];
    return (space != W_shared && space != W_local) ||
           refuse(d, node, "has no address before the program runs");
}

static bool is_generic(const struct data *d, uint32_t node)
{
    uint32_t child = node + 1;
    return at(d, child)->kind == NODE_NAME
               ? is_placed(d, child)
               : refuse(d, node, "is generic() of something other than a name");
}

// Returns true for a, a+4, generic(a), generic(a)+4.
static bool is_address(const struct data *d, uint32_t node)
{
    switch (at(d, node)->kind) {
    case NODE_NAME: return is_placed(d, node);
    case NODE_OFFSET:
        if (at(d, node + 1)->kind != NODE_MEMBER)
            return is_address(d, node + 1);
        break;
    case NODE_APPLY: return is_generic(d, node);
    default: break;
    }
    return refuse(d, node, "is not an address: a name, generic(name), or one of these + a number");
}

// Returns true for 0xff00(a), one byte of an address. The mask has no node.
static bool is_masked(const struct data *d, uint32_t node)
{
    const char *text = d->c->tree->source->text + at(d, node)->begin;
    return at(d, node)->kind == NODE_APPLY && *text >= '0' && *text <= '9';
}

static bool is_one_byte(const struct data *d, uint32_t node)
{
    const char *text = d->c->tree->source->text + at(d, node)->begin;
    uint64_t mask = strtoull(text, NULL, 0);
    while (mask && !(mask & 0xff))
        mask >>= 8;
    if (mask != 0xff)
        return refuse(d, node, "is not a mask of one whole byte");
    if (d->type != W_u8 && d->type != W_b8 && d->type != W_s8)
        return refuse(d, node, "is a byte of an address, for variables of 8 bits");
    return is_address(d, node + 1);
}

// Returns true if an expression that the parser did not evaluate contains a name.
static bool has_name(const struct data *d, uint32_t node)
{
    for (uint32_t i = node; i < node_next(d->c->tree, node); i++)
        if (at(d, i)->kind == NODE_NAME || at(d, i)->kind == NODE_APPLY)
            return true;
    return false;
}

// Values

static bool is_float(uint16_t type)
{
    return type == W_f16 || type == W_f16x2 || type == W_f32 || type == W_f64;
}

static bool check_value(const struct data *d, uint32_t node)
{
    const char *type = isa_words[d->type].text;
    switch (at(d, node)->kind) {
    case NODE_INT: return !is_float(d->type) || refuse(d, node, "needs a decimal point here");
    case NODE_FLOAT32:
    case NODE_FLOAT64:
        return (type[1] != 'u' && type[1] != 's' && d->type != W_f16 && d->type != W_f16x2) ||
               refuse(d, node, "is not a number for this type");
    case NODE_VECTOR: return refuse(d, node, "must be one value");
    case NODE_STRING: return refuse(d, node, "must be a number");
    case NODE_ERROR: return true;
    default: break;
    }
    if (is_masked(d, node))
        return is_one_byte(d, node);
    if (!has_name(d, node))
        return refuse(d, node, "is not a constant expression");
    if (d->type != W_u32 && d->type != W_u64)
        return refuse(d, node, "is an address, for variables .u32 and .u64");
    return is_address(d, node);
}

static bool check_level(const struct data *d, uint32_t node, uint32_t level)
{
    if (level == d->levels)
        return check_value(d, node);
    if (at(d, node)->kind != NODE_VECTOR)
        return at(d, node)->kind == NODE_ERROR || refuse(d, node, "must be a list in braces");
    uint32_t count = 0;
    NODE_EACH (child, d->c->tree, node) {
        if (count++ == d->count[level] && d->count[level])
            return refuse(d, child, "is an extra value");
        if (!check_level(d, child, level + 1))
            return false; // further values would give the same report
    }
    return true;
}

// Reads the lengths of the dimensions, then that of a vector.
static void read_levels(struct data *d, uint32_t declarator, uint32_t decl)
{
    uint32_t vector = 0;
    d->levels = 0;
    NODE_EACH (child, d->c->tree, declarator)
        if (at(d, child)->kind == NODE_DIMENSION && d->levels < MAX_LEVELS - 1)
            d->count[d->levels++] = at(d, child)->size > 1 ? (uint32_t)at(d, child + 1)->value : 0;
    NODE_EACH (child, d->c->tree, decl) {
        const struct node *spec = at(d, child);
        if (spec->kind == NODE_SPEC && spec->aux < WORD_COUNT &&
            isa_words[spec->aux].kind == KIND_VECTOR)
            vector = isa_words[spec->aux].value; // several vector words are reported elsewhere; the
                                                 // last one is used
    }
    if (vector)
        d->count[d->levels++] = vector;
}

static void check_symbol(struct data *d, const struct ir_symbol *symbol)
{
    bool opaque =
        symbol->type == W_texref || symbol->type == W_samplerref || symbol->type == W_surfref;
    if (at(d, symbol->node)->kind != NODE_DECLARATOR || !isa_is_type(symbol->type) || opaque)
        return; // opaque types have fields
    uint32_t init = IR_NONE, decl = symbol->node;
    NODE_EACH (child, d->c->tree, symbol->node)
        if (at(d, child)->kind == NODE_INIT)
            init = child;
    if (init == IR_NONE || at(d, init)->size < 2)
        return;
    while (decl && at(d, decl)->kind != NODE_DECL)
        decl--;
    d->type = symbol->type;
    read_levels(d, symbol->node, decl);
    check_level(d, init + 1, 0);
}

// The bytes that variables take together

// Adds a variable's bytes and refuses the variable that exceeds the limit.
static void add_bytes(struct ir_check *c, uint64_t *used, const struct ir_symbol *symbol,
                      uint64_t limit, const char *text)
{
    uint64_t before = *used;
    const struct node *node = &c->tree->nodes.v[symbol->node];
    const struct name *name = tree_name(c->tree, symbol->name);
    *used += symbol->size;
    if (before <= limit && *used > limit)
        diag_add(c->diags, DIAG_ERROR, "declaration", node->begin, node->end,
                 "with '%.*s', %s %" PRIu64 " bytes; the limit is %" PRIu64, (int)name->length,
                 name->text, text, *used, limit);
}

// Shared memory and the padding between constants are left to the linker, as `ptxas -c` does.
void ir_check_variables(struct ir_check *c, uint32_t first)
{
    const struct ir_module *module = c->module;
    uint64_t params = 0;
    for (uint32_t i = first, function = IR_NONE; i < module->symbols.n; i++) {
        const struct ir_symbol *symbol = &module->symbols.v[i];
        if (symbol->function != function)
            params = 0;
        function = symbol->function;
        if (symbol->space == W_const && !ir_is_extern(module, symbol))
            add_bytes(c, &c->constants, symbol, 65536, "the module's constants take");
        if (symbol->parameter == IR_NONE || !module->functions.v[function].is_entry)
            continue;
        uint64_t align = symbol->align ? symbol->align : (ir_type_bits(symbol->type) + 7u) / 8;
        params = align ? (params + align - 1) / align * align : params;
        add_bytes(c, &params, symbol, module->version >= 81 ? 32764 : 4352,
                  "the kernel's parameters take");
    }
}

void check_data(struct ir_check *c)
{
    ir_check_variables(c, 0);
    const struct ir_module *module = c->module;
    uint16_t *space_of = ARENA_ARRAY(&c->scratch, uint16_t, c->tree->names.names.n);
    memset(space_of, 0, c->tree->names.names.n * sizeof *space_of);
    for (uint32_t i = 0; i < module->symbols.n; i++)
        if (module->symbols.v[i].function == IR_NONE)
            space_of[module->symbols.v[i].name] = module->symbols.v[i].space;
    struct data d = {.c = c, .space_of = space_of};
    for (uint32_t i = 0; i < module->symbols.n; i++)
        check_symbol(&d, &module->symbols.v[i]);
}
