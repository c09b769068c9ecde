// Declarations: the words before names, and the parts that may follow a name.
#include "frontend/directives_internal.h"
#include "frontend/forms.h"
#include <string.h>

static const struct node *node_at(const struct directives *d, uint32_t node)
{
    return &d->tree->nodes.v[node];
}

// Nodes of a declaration's words; 0: the word is absent.
struct specs {
    uint32_t linkage, space, vector, type, pointer, attribute;
};

static uint16_t word_at(const struct directives *d, uint32_t node)
{
    return node ? node_at(d, node)->aux : W_UNKNOWN;
}

static bool is_linkage(uint16_t word)
{
    return word < WORD_COUNT && (isa_words[word].kind == KIND_LINK || word == W_weak);
}

// Records a word of a kind. Returns true if it is the first of that kind.
static bool record_word(struct directives *d, uint32_t *slot, uint32_t node, const char *what)
{
    if (*slot)
        directive_fault_word(d, "declaration", node,
                             arena_printf(&d->scratch, "a declaration can have only one %s", what));
    else
        *slot = node;
    return *slot == node;
}

static void check_align(struct directives *d, uint32_t spec)
{
    const struct node *node = node_at(d, spec);
    bool number = node->size == 2 && node[1].kind == NODE_INT && node->end == node[1].end;
    if (!number || !node[1].value || node[1].value >> 32 || (node[1].value & (node[1].value - 1)))
        directive_fault(d, "declaration", spec, "an alignment must be a power of two");
}

// Reports an argument of a word other than .align and .attribute.
static void check_no_argument(struct directives *d, uint32_t spec)
{
    if (node_at(d, spec)->size > 1)
        directive_fault(d, "declaration", spec,
                        arena_printf(&d->scratch, "'%s' takes no argument",
                                     isa_words[node_at(d, spec)->aux].text));
}

static void check_attribute(struct directives *d, uint32_t spec, uint16_t space)
{
    directive_check_needs(d, W_attribute, spec);
    if (node_at(d, spec)->size < 2)
        directive_fault(d, "declaration", spec, "an attribute must be in parentheses");
    NODE_EACH (child, d->tree, spec) {
        uint16_t word = node_at(d, child)->kind == NODE_SPEC ? word_at(d, child) : W_UNKNOWN;
        if (word != W_managed && word != W_unified_mod)
            directive_fault(d, "declaration", child, "unknown attribute");
        else if (space != W_global && (space != W_func || word == W_managed))
            directive_fault(d, "declaration", child, "only .global variables have this attribute");
        else if (word == W_unified_mod && node_at(d, child)->size != 3)
            directive_fault(d, "declaration", child, "'.unified' takes two numbers");
        else
            directive_check_needs(d, word, child);
    }
}

// Returns true for types that variables may have. The other types occur only in instructions.
static bool is_variable_type(uint16_t type)
{
    static const uint16_t types[] = {W_b8,     W_b16,        W_b32,    W_b64, W_b128, W_u8,
                                     W_u16,    W_u32,        W_u64,    W_s8,  W_s16,  W_s32,
                                     W_s64,    W_f16,        W_f16x2,  W_f32, W_f64,  W_pred,
                                     W_texref, W_samplerref, W_surfref};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (types[i] == type)
            return true;
    return false;
}

// Checks the space that a pointer parameter points to.
static void check_pointed(struct directives *d, uint32_t spec)
{
    uint16_t space = word_at(d, spec);
    if (space != W_global && space != W_shared && space != W_local && space != W_const)
        directive_fault_word(d, "declaration", spec,
                             "a pointer is to .global, .shared, .local or .const");
}

// Reports an unknown word. It is only a warning for a newer PTX, which may have more words.
static void refuse_word(struct directives *d, uint32_t spec)
{
    diag_add(d->diags, d->version > FORM_TABLE_VERSION ? DIAG_WARNING : DIAG_ERROR, "declaration",
             node_at(d, spec)->begin, directive_word_end(d, spec), "unknown word in a declaration");
}

// Words must be in the order of these ranks. Words of equal rank may be in any order, up to the
// type.
enum rank {
    RANK_LINKAGE,
    RANK_CONTEXT,
    RANK_VECTOR,
    RANK_TYPE,
    RANK_POINTER,
    RANK_SPACE,
    RANK_ALIGN
};

static enum rank rank_of(uint16_t word, bool pointer)
{
    enum isa_kind kind = isa_words[word].kind;
    if (word == W_ptr)
        return RANK_POINTER;
    if (is_linkage(word))
        return RANK_LINKAGE;
    if (kind == KIND_VECTOR || kind == KIND_TYPE)
        return kind == KIND_TYPE ? RANK_TYPE : RANK_VECTOR;
    return !pointer ? RANK_CONTEXT : word == W_align ? RANK_ALIGN : RANK_SPACE;
}

static void check_order(struct directives *d, const struct specs *specs, uint32_t before,
                        uint32_t spec)
{
    uint16_t last = word_at(d, before), word = word_at(d, spec);
    if (last >= WORD_COUNT || word >= WORD_COUNT)
        return;
    enum rank rank = rank_of(word, specs->pointer), min = rank_of(last, specs->pointer);
    if (rank > min || (rank == min && rank < RANK_POINTER))
        return;
    if (min == RANK_TYPE)
        directive_fault_word(d, "declaration", spec, "the type must be last");
    else
        directive_fault_word(d, "declaration", spec,
                             arena_printf(&d->scratch, "'%s' must stand before '%s'",
                                          isa_words[word].text, isa_words[last].text));
}

// Reads a word. Returns false if it is unknown. `faults` is the number of faults found before the
// declaration.
static bool read_spec(struct directives *d, struct specs *specs, uint32_t spec, uint32_t faults)
{
    uint16_t word = word_at(d, spec);
    if (word >= WORD_COUNT)
        return false;
    enum isa_kind kind = isa_words[word].kind;
    if (word == W_align) {
        if (d->diags->list.n == faults) // its number may belong to another word
            check_align(d, spec);
        return true;
    }
    if (word == W_attribute) {
        specs->attribute = spec;
        return true;
    }
    if (specs->pointer && kind == KIND_SPACE)
        check_pointed(d, spec);
    else if (word == W_ptr)
        record_word(d, &specs->pointer, spec, "'.ptr'");
    else if (is_linkage(word)) {
        if (record_word(d, &specs->linkage, spec, "linkage"))
            directive_check_needs(d, word, spec);
    } else if (kind == KIND_SPACE)
        record_word(d, &specs->space, spec, "state space");
    else if (kind == KIND_VECTOR)
        record_word(d, &specs->vector, spec, "vector length");
    else if (kind == KIND_TYPE)
        record_word(d, &specs->type, spec, "type");
    else
        return false;
    if (d->diags->list.n == faults)
        check_no_argument(d, spec);
    return true;
}

// Reads the words and reports a wrong order. Returns false if a word is unknown.
static bool read_specs(struct directives *d, uint32_t decl, struct specs *specs)
{
    uint32_t before = 0, faults = d->diags->list.n;
    NODE_EACH (child, d->tree, decl) {
        if (node_at(d, child)->kind != NODE_SPEC)
            continue;
        if (!read_spec(d, specs, child, faults)) {
            if (child != decl + 1) // the parser has reported the first word
                refuse_word(d, child);
            return false;
        }
        if (before && d->diags->list.n == faults)
            check_order(d, specs, before, child);
        before = child;
    }
    return true;
}

static bool is_opaque_type(uint16_t type)
{
    return type == W_texref || type == W_samplerref || type == W_surfref;
}

// Checks the places and spaces of textures, samplers and surfaces.
static void check_opaque(struct directives *d, const struct specs *specs,
                         enum directive_context place)
{
    uint16_t type = word_at(d, specs->type), space = word_at(d, specs->space);
    if (!is_opaque_type(type))
        return;
    if (type == W_samplerref && !d->independent)
        directive_fault_word(d, "target", specs->type,
                             "samplers need '.target texmode_independent'");
    if ((place != MODULE || space != W_global) && (place != ENTRY || space != W_param))
        directive_fault_word(d, "declaration", specs->type,
                             "a texture, sampler or surface must be a .global variable outside of "
                             "functions or a kernel's parameter");
}

static bool is_variable_space(uint16_t space)
{
    static const uint16_t spaces[] = {W_reg,   W_sreg,  W_const,  W_global,
                                      W_local, W_param, W_shared, W_tex};
    for (size_t i = 0; i < ARRAY_LENGTH(spaces); i++)
        if (spaces[i] == space)
            return true;
    return false;
}

static bool is_register_space(uint16_t space)
{
    return space == W_reg || space == W_sreg;
}

// Returns true if the declaration has a space and a type that are compatible.
static bool check_type(struct directives *d, uint32_t decl, const struct specs *specs,
                       enum directive_context place)
{
    if (!specs->space || !specs->type) {
        directive_fault_word(d, "declaration", decl,
                             specs->space ? "a declaration needs a type"
                                          : "a declaration needs a state space");
        return false;
    }
    uint16_t type = word_at(d, specs->type), space = word_at(d, specs->space);
    if (!is_variable_space(space)) {
        directive_fault_word(d, "declaration", specs->space,
                             "this is a part of a state space: use the whole one");
        return false;
    }
    if (!is_variable_type(type)) {
        directive_fault_word(d, "declaration", specs->type,
                             "this type is for instructions only: use .bN of the same size");
        return false;
    }
    if (place == CALL) // a prototype is checked against its calls
        return true;
    if (type == W_pred && (space != W_reg || specs->vector))
        directive_fault_word(d, "declaration", specs->type, "predicates must be scalar registers");
    if (specs->vector && isa_words[type].value * isa_words[word_at(d, specs->vector)].value > 128)
        directive_fault_word(d, "declaration", specs->vector, "a vector can have at most 128 bits");
    if (specs->vector && space == W_param)
        directive_fault_word(d, "declaration", specs->vector,
                             "a .param variable cannot be a vector: use an array, .align 16 .b8 "
                             "a[16]");
    return true;
}

static void check_linkage(struct directives *d, const struct specs *specs,
                          enum directive_context place)
{
    uint16_t linkage = word_at(d, specs->linkage);
    if (linkage == W_UNKNOWN)
        return;
    if (place != MODULE)
        directive_fault_word(d, "declaration", specs->linkage,
                             "only declarations outside of functions can have linkage");
    else if (linkage == W_common && word_at(d, specs->space) != W_global)
        directive_fault_word(d, "declaration", specs->linkage,
                             "only .global variables can be .common");
}

static void check_initialiser(struct directives *d, uint32_t init, const struct specs *specs)
{
    uint16_t space = word_at(d, specs->space);
    if (space != W_global && space != W_const)
        directive_fault(d, "declaration", init,
                        "only variables in .global and .const can have an initial value");
    else if (word_at(d, specs->linkage) == W_extern)
        directive_fault(d, "declaration", init, "an .extern variable cannot have an initial value");
}

static bool is_parameter_context(enum directive_context place)
{
    return place == ENTRY || place == FUNC || place == CALL;
}

// Checks the dimensions. Sets *open if the first one is open, so that the initialiser must define
// its length.
static bool check_dimensions(struct directives *d, uint32_t declarator, const struct specs *specs,
                             enum directive_context place, bool *open)
{
    uint32_t count = 0;
    NODE_EACH (child, d->tree, declarator) {
        const struct node *node = node_at(d, child);
        if (node->kind != NODE_DIMENSION)
            continue;
        bool empty = node->size < 2;
        if (is_register_space(word_at(d, specs->space))) {
            directive_fault(d, "declaration", child, "registers have no elements to index");
            return false;
        }
        if (!empty && node[1].kind == NODE_ERROR)
            continue;
        if (!empty && node[1].kind != NODE_INT)
            directive_fault(d, "declaration", child, "a length must be a constant");
        else if (count && is_parameter_context(place))
            directive_fault(d, "declaration", child, "a parameter can have only one dimension");
        else if (empty && count)
            directive_fault(d, "declaration", child, "only the first length may be missing");
        else if (!empty && (int64_t)node[1].value < 0 && !(node[1].flags & NODE_UNSIGNED))
            directive_fault(d, "declaration", child, "a length must not be negative");
        else if (!count)
            *open = empty || !node[1].value;
        count++;
    }
    return count > 0;
}

static bool is_short(uint16_t type)
{
    return type == W_u8 || type == W_s8 || type == W_u16 || type == W_s16 || type == W_pred;
}

static void check_declarator(struct directives *d, uint32_t declarator, const struct specs *specs,
                             enum directive_context place)
{
    bool open = false, has_value = false;
    const struct name *name = tree_name(d->tree, node_at(d, declarator)->value);
    if (name->length == 1 && *name->text == '_' && place != ENTRY && place != CALL)
        directive_fault(d, "declaration", declarator, "this name is reserved");
    if (is_parameter_context(place) && (node_at(d, declarator)->flags & NODE_COUNTED))
        directive_fault(d, "declaration", declarator, "a parameter must be one variable");
    bool has_dimension = check_dimensions(d, declarator, specs, place, &open);
    NODE_EACH (child, d->tree, declarator) {
        if (node_at(d, child)->kind != NODE_INIT)
            continue;
        check_initialiser(d, child, specs);
        has_value = true;
    }
    uint16_t type = word_at(d, specs->type);
    if (place != CALL && !specs->vector && !(has_dimension && type == W_b128))
        directive_check_needs(d, type, specs->type);
    if (type == W_f16x2 && word_at(d, specs->space) == W_param && (place == ENTRY || place == BODY))
        directive_fault_word(d, "declaration", specs->type, "use .b32 for a .param variable");
    if (!has_dimension && place == FUNC && d->defined && is_short(type) &&
        directive_target_allows(d, "20"))
        directive_fault_word(d, "declaration", specs->type,
                             "a function must pass predicates and integers of 8 or 16 bits as .b8, "
                             ".b16 or .b32");
    bool has_length =
        has_value || word_at(d, specs->linkage) == W_extern || place == FUNC || place == CALL;
    if (open && !has_length)
        directive_fault(d, "declaration", declarator, "its length is not defined");
}

static void check_parameter(struct directives *d, const struct specs *specs,
                            enum directive_context place)
{
    uint16_t space = word_at(d, specs->space);
    if (place == ENTRY && space != W_param)
        directive_fault_word(d, "declaration", specs->space,
                             "a kernel's parameters must be .param");
    else if (place != ENTRY && space != W_param && space != W_reg)
        directive_fault_word(d, "declaration", specs->space,
                             "a function's parameters must be .param or .reg");
    else if (place == FUNC && space == W_param && !directive_target_allows(d, "20"))
        directive_fault_word(d, "declaration", specs->space,
                             "before sm_20, a function's parameters must be registers");
    if (specs->pointer && place == FUNC)
        directive_fault_word(d, "declaration", specs->pointer,
                             "'.ptr' is only allowed for a kernel's parameters");
    else if (specs->pointer)
        directive_check_needs(d, W_ptr, specs->pointer);
}

// Places where variables of a state space are not allowed, from and until a PTX version × 10; 0: no
// bound.
static const struct {
    uint16_t space;
    uint8_t places;
    uint16_t from, until;
    const char *why;
} barred[] = {
    {W_param, MODULE, 0, 0,
     "'.param' variables are allowed only as parameters of functions and in "
     "bodies"},
    {W_reg, MODULE, 30, 0, "from PTX 3.0 on, registers must be declared in functions"},
    {W_local, MODULE, 30, 0, "from PTX 3.0 on, '.local' variables must be declared in functions"},
    {W_tex, MODULE, 15, 0, "'.tex' is not allowed from PTX 1.5 on: use '.global .texref'"},
    {W_tex, BODY, 0, 0, "'.tex' variables must be declared outside of functions"},
    {W_sreg, MODULE | BODY, 0, 0, "special registers cannot be declared"},
    {W_param, ENTRY, 0, 13, "before PTX 1.4, a kernel's parameters must be declared in its body"},
    {W_param, BODY, 14, 19, "in PTX 1.4 and 1.5, parameters must be declared in a kernel's list"},
    {W_param, FUNC, 0, 19, "before PTX 2.0, a function's parameters must be registers"},
};

static void check_space(struct directives *d, uint32_t spec, enum directive_context place)
{
    for (size_t i = 0; i < ARRAY_LENGTH(barred); i++)
        if (barred[i].space == word_at(d, spec) && (barred[i].places & place) &&
            d->version >= barred[i].from && (!barred[i].until || d->version <= barred[i].until) &&
            (d->version || !(barred[i].from || barred[i].until))) {
            directive_fault_word(d, "declaration", spec, barred[i].why);
            return;
        }
}

uint16_t declaration_check(struct directives *d, uint32_t decl, enum directive_context place)
{
    struct specs specs = {0};
    if (!read_specs(d, decl, &specs) || !check_type(d, decl, &specs, place))
        return W_UNKNOWN;
    check_linkage(d, &specs, place);
    if (specs.attribute)
        check_attribute(d, specs.attribute, word_at(d, specs.space));
    if (is_parameter_context(place))
        check_parameter(d, &specs, place);
    else if (specs.pointer)
        directive_fault_word(d, "declaration", specs.pointer,
                             "'.ptr' is only allowed for a kernel's parameters");
    check_space(d, specs.space, place);
    check_opaque(d, &specs, place);
    NODE_EACH (child, d->tree, decl)
        if (node_at(d, child)->kind == NODE_DECLARATOR)
            check_declarator(d, child, &specs, place);
    return word_at(d, specs.space);
}

// Checks that linkage precedes .entry or .func and that attributes directly follow it.
static void check_context(struct directives *d, uint32_t function, uint32_t spec)
{
    const struct node *node = node_at(d, spec);
    bool late = node->flags & NODE_LATE, attribute = node->aux == W_attribute;
    bool behind_results = false;
    NODE_EACH (child, d->tree, function)
        behind_results |= node_at(d, child)->kind == NODE_RETURNS && child < spec;
    const char *kind = isa_words[node_at(d, function)->aux].text;
    if (attribute && (!late || behind_results))
        directive_fault_word(d, "directive", spec,
                             arena_printf(&d->scratch, "an attribute must follow '%s'", kind));
    else if (!attribute && late)
        directive_fault_word(d, "directive", spec,
                             arena_printf(&d->scratch, "'%s' must stand before '%s'",
                                          isa_words[node->aux].text, kind));
}

void declaration_check_function(struct directives *d, uint32_t function)
{
    uint32_t linkage = 0;
    bool body = false;
    NODE_EACH (child, d->tree, function) {
        const struct node *node = node_at(d, child);
        body |= node->kind == NODE_SCOPE;
        if (node->kind != NODE_SPEC)
            continue;
        if (node->aux >= WORD_COUNT) {
            refuse_word(d, child);
            continue;
        }
        if (node->aux != W_attribute)
            check_no_argument(d, child);
        check_context(d, function, child);
        if (node->aux == W_attribute)
            check_attribute(d, child, W_func);
        else if (!is_linkage(node->aux) || node->aux == W_common)
            directive_fault_word(d, "directive", child, "this word is not allowed for a function");
        else if (record_word(d, &linkage, child, "linkage"))
            directive_check_needs(d, node->aux, child);
    }
    if (body && word_at(d, linkage) == W_extern)
        directive_fault_word(d, "declaration", linkage, "a function with a body cannot be .extern");
}
