// Symbols that a module declares more than once. ptxas allows these sequences:
//   variables  one definition; .extern declarations of the same type before or after it, those
//              before it only if the definition is visible outside the module
//   functions  prototypes of the same shape and linkage before the definition, none after it; a
//              definition without linkage has that of its prototype, unless that is .extern
#include "ir/names.h"

static const struct node *node_at(const struct names *names, uint32_t node)
{
    return &names->module->tree->nodes.v[node];
}

static bool is_linkage(const struct node *node)
{
    return node->kind == NODE_SPEC && node->aux < WORD_COUNT &&
           (isa_words[node->aux].kind == KIND_LINK || node->aux == W_weak);
}

// Returns W_extern, W_visible, W_weak, W_common or W_UNKNOWN.
static uint16_t linkage(const struct names *names, uint32_t decl)
{
    NODE_EACH (child, names->module->tree, decl)
        if (is_linkage(node_at(names, child)))
            return node_at(names, child)->aux;
    return W_UNKNOWN;
}

static uint32_t find_child(const struct names *names, uint32_t node, enum node_kind kind)
{
    NODE_EACH (child, names->module->tree, node)
        if (node_at(names, child)->kind == kind)
            return child;
    return IR_NONE;
}

static bool has_tuning(const struct names *names, uint32_t function, uint16_t word)
{
    NODE_EACH (child, names->module->tree, function)
        if (node_at(names, child)->kind == NODE_TUNING && node_at(names, child)->aux == word)
            return true;
    return false;
}

static bool refuse(struct names *names, uint32_t node, uint32_t first, const char *why)
{
    const struct name *name = tree_name(names->module->tree, node_at(names, node)->value);
    names_add_diag(names, DIAG_ERROR, "redefinition", node,
                   arena_printf(names->scratch, "'%.*s' %s", (int)name->length, name->text, why));
    names_add_diag(names, DIAG_NOTE, "redefinition", first, "first declared here");
    return false;
}

// Shapes of declarations

// Returns the length of dimension `n` from the left: 0 if it is open, UINT64_MAX if it does not
// exist.
static uint64_t dimension(const struct names *names, uint32_t declarator, uint32_t n)
{
    NODE_EACH (child, names->module->tree, declarator) {
        const struct node *node = node_at(names, child);
        if (node->kind == NODE_DIMENSION && !n--)
            return node->size > 1 ? node[1].value : 0;
    }
    return UINT64_MAX;
}

static bool same_dimensions(const struct names *names, uint32_t a, uint32_t b, bool open)
{
    for (uint32_t n = 0;; n++) {
        uint64_t x = dimension(names, a, n), y = dimension(names, b, n);
        bool either_open = open && !n && (!x || !y) && x != UINT64_MAX && y != UINT64_MAX;
        if (x != y && !either_open)
            return false;
        if (x == UINT64_MAX || y == UINT64_MAX)
            return true;
    }
}

struct variable_shape {
    uint16_t space, type, vector;
    uint64_t align;
};

static struct variable_shape read_shape(const struct names *names, uint32_t decl)
{
    struct variable_shape shape = {W_UNKNOWN, W_UNKNOWN, W_UNKNOWN, 0};
    bool pointer = false;
    NODE_EACH (child, names->module->tree, decl) {
        const struct node *node = node_at(names, child);
        if (node->kind != NODE_SPEC || node->aux >= WORD_COUNT)
            continue;
        pointer |= node->aux == W_ptr;
        switch (isa_words[node->aux].kind) {
        case KIND_TYPE: shape.type = node->aux; break;
        case KIND_VECTOR: shape.vector = node->aux; break;
        case KIND_SPACE:
            if (!pointer)
                shape.space = node->aux;
            break;
        default:
            if (node->aux == W_align && !pointer && node->size > 1)
                shape.align = node[1].value;
            break;
        }
    }
    if (!shape.align)
        shape.align = (ir_type_bits(shape.type) + 7u) / 8;
    return shape;
}

// Prototypes

// Returns the first parameter of a list from `at` on.
static uint32_t next_parameter(const struct names *names, uint32_t at, uint32_t end)
{
    while (at < end && node_at(names, at)->kind != NODE_DECL)
        at = node_next(names->module->tree, at);
    return at;
}

static const char *compare_parameter(const struct names *names, uint32_t a, uint32_t b)
{
    struct variable_shape x = read_shape(names, a), y = read_shape(names, b);
    uint32_t first = find_child(names, a, NODE_DECLARATOR);
    uint32_t second = find_child(names, b, NODE_DECLARATOR);
    if (x.space != y.space)
        return "has parameters in different state spaces than before";
    if (x.type != y.type || x.vector != y.vector || first == IR_NONE || second == IR_NONE ||
        !same_dimensions(names, first, second, false))
        return "has parameters of different types than before";
    return x.align != y.align ? "has parameters of a different alignment than before" : NULL;
}

// Returns the difference between two parameter lists as a text, or NULL. IR_NONE is an empty list.
static const char *compare_lists(const struct names *names, uint32_t a, uint32_t b)
{
    const struct tree *tree = names->module->tree;
    uint32_t a_end = a == IR_NONE ? 0 : node_next(tree, a);
    uint32_t b_end = b == IR_NONE ? 0 : node_next(tree, b);
    uint32_t x = a == IR_NONE ? 0 : next_parameter(names, a + 1, a_end);
    uint32_t y = b == IR_NONE ? 0 : next_parameter(names, b + 1, b_end);
    while (x < a_end && y < b_end) {
        const char *why = compare_parameter(names, x, y);
        if (why)
            return why;
        x = next_parameter(names, node_next(tree, x), a_end);
        y = next_parameter(names, node_next(tree, y), b_end);
    }
    return x < a_end || y < b_end ? "has a different number of parameters than before" : NULL;
}

const char *names_compare_prototypes(const struct names *names, uint32_t a, uint32_t b)
{
    const char *why = compare_lists(names, find_child(names, a, NODE_RETURNS),
                                    find_child(names, b, NODE_RETURNS));
    return why ? why
               : compare_lists(names, find_child(names, a, NODE_PARAMS),
                               find_child(names, b, NODE_PARAMS));
}

// Repeated declarations

static bool redeclare_function(struct names *names, uint32_t old, uint32_t node)
{
    uint16_t before = linkage(names, old), now = linkage(names, node);
    bool has_body = find_child(names, node, NODE_SCOPE) != IR_NONE;
    if (node_at(names, old)->aux != node_at(names, node)->aux)
        return refuse(names, node, old, "is a kernel here and a function there");
    if (find_child(names, old, NODE_SCOPE) != IR_NONE)
        return refuse(names, node, old, "is already defined");
    if (has_body && (before == W_extern || now == W_extern))
        return refuse(names, node, old, "is .extern, which a function with a body cannot be");
    if (before != now && !(now == W_UNKNOWN && before != W_extern))
        return refuse(names, node, old, "has a different linkage than before");
    if (has_tuning(names, old, W_noreturn) != has_tuning(names, node, W_noreturn))
        return refuse(names, node, old, "is .noreturn in one place and not in the other");
    const char *why = names_compare_prototypes(names, old, node);
    return why ? refuse(names, node, old, why) : true;
}

static bool redeclare_variable(struct names *names, const struct ir_symbol *old, uint32_t old_decl,
                               const struct ir_symbol *symbol, uint32_t decl)
{
    uint16_t before = linkage(names, old_decl), now = linkage(names, decl);
    if (before != W_extern && now != W_extern)
        return refuse(names, symbol->node, old->node, "is already defined");
    if (before == W_extern && now == W_UNKNOWN)
        return refuse(names, symbol->node, old->node,
                      "is not visible outside, but was declared .extern");
    struct variable_shape x = read_shape(names, old_decl), y = read_shape(names, decl);
    if (x.type != y.type || x.vector != y.vector ||
        !same_dimensions(names, old->node, symbol->node, true))
        return refuse(names, symbol->node, old->node, "has a different type than before");
    return now != W_extern || before == W_extern;
}

bool names_redeclare(struct names *names, const struct ir_symbol *old, uint32_t old_decl,
                     const struct ir_symbol *symbol, uint32_t decl)
{
    bool function = node_at(names, decl)->kind == NODE_FUNCTION;
    if (function != (node_at(names, old_decl)->kind == NODE_FUNCTION))
        return refuse(names, symbol->node, old->node,
                      function ? "is a function here and a variable there"
                               : "is a variable here and a function there");
    return function ? redeclare_function(names, old->node, symbol->node)
                    : redeclare_variable(names, old, old_decl, symbol, decl);
}

// Aliases

// Returns the function that the directive names at a node, or IR_NONE.
static uint32_t find_function(struct names *names, uint32_t node)
{
    struct binding binding = names_resolve(names, (uint32_t)node_at(names, node)->value);
    if (!binding.kind) {
        names_undeclared(names, node);
        return IR_NONE;
    }
    if (binding.kind != BOUND_SYMBOL)
        return IR_NONE;
    uint32_t function = names->module->symbols.v[binding.index].node;
    bool good =
        node_at(names, function)->kind == NODE_FUNCTION && node_at(names, function)->aux == W_func;
    if (!good)
        names_add_diag(names, DIAG_ERROR, "directive", node, "an alias must name a .func");
    return good ? function : IR_NONE;
}

void names_check_alias(struct names *names, uint32_t directive)
{
    uint32_t nodes[2], count = 0;
    NODE_EACH (child, names->module->tree, directive)
        if (count < 2 && node_at(names, child)->kind == NODE_NAME)
            nodes[count++] = child;
    if (count < 2)
        return;
    uint32_t alias = find_function(names, nodes[0]), function = find_function(names, nodes[1]);
    if (alias == IR_NONE || function == IR_NONE)
        return;
    if (find_child(names, alias, NODE_SCOPE) != IR_NONE)
        refuse(names, nodes[0], alias, "has a body: it cannot be an alias");
    else if (alias == function)
        refuse(names, nodes[1], function, "cannot be an alias of itself");
    else if (linkage(names, function) == W_weak || linkage(names, function) == W_extern)
        refuse(names, nodes[1], function, "is .weak or .extern: it cannot have an alias");
    else if (has_tuning(names, alias, W_noreturn) != has_tuning(names, function, W_noreturn))
        refuse(names, nodes[0], function, "is .noreturn, or the function is, but not both");
    else if (names_compare_prototypes(names, alias, function))
        refuse(names, nodes[0], function, names_compare_prototypes(names, alias, function));
}
