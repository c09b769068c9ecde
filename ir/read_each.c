// Checks a text while it is read. The meaning of a function may depend on text that follows it in
// three rare cases: a variable that is declared again, a family of registers outside functions, and
// a variable with the name of a special register. They count as faults here, as does each report of
// the parser, the lowering and the checks.
#include "frontend/directives.h"
#include "ir/read.h"
#include "support/bits.h"

struct each {
    struct ir_reading *r;
    struct diags diags; // not printed
    struct ir_builder *builder;
    struct ir_check *check;        // NULL before the first function
    struct directives *directives; // NULL before the first function
    bool stopped;                  // a function requires the whole module, so reading ended
};

static void end_step(const struct each *e, const char *name)
{
    if (e->r->step)
        e->r->step(e->r->context, name);
}

static const struct node *node_at(const struct each *e, uint32_t node)
{
    return &e->r->tree->nodes.v[node];
}

static bool has_child(const struct each *e, uint32_t node, enum node_kind kind)
{
    NODE_EACH (child, e->r->tree, node)
        if (node_at(e, child)->kind == kind)
            return true;
    return false;
}

// Returns true if a variable has a value. Values are checked at the end, when the values of
// function-local variables are freed.
static bool has_values(const struct each *e, uint32_t first)
{
    const struct ir_module *module = e->r->module;
    for (uint32_t i = first; i < module->symbols.n; i++) {
        uint32_t node = module->symbols.v[i].node;
        if (node_at(e, node)->kind == NODE_DECLARATOR && has_child(e, node, NODE_INIT))
            return true;
    }
    return false;
}

static void begin_functions(struct each *e)
{
    if (e->check)
        return;
    e->check = ir_check_begin(e->r->module, forms_new(e->r->arena));
    e->directives = directives_begin(e->r->tree, e->r->arena, &e->diags);
}

static bool check_function(void *context, uint32_t node)
{
    struct each *e = context;
    struct ir_module *module = e->r->module;
    end_step(e, "parse");
    if (!ir_build_items(e->builder))
        return false;
    begin_functions(e);
    uint32_t symbols = module->symbols.n;
    struct ir_function *fn = ir_build_function(e->builder, module->functions.n - 1);
    bool values = has_values(e, symbols);
    end_step(e, "ir");
    ir_check_function(e->check, fn);
    ir_check_variables(e->check, symbols);
    directives_check_function(e->directives, node);
    end_step(e, "check");
    ir_build_drop(e->builder, fn);
    module->symbols.n = symbols;
    e->stopped = values || e->diags.list.n || ir_check_found(e->check);
    return !e->stopped;
}

// The rest of the module

static bool has_special_name(const struct each *e, uint32_t id)
{
    const struct name *name = tree_name(e->r->tree, id);
    return isa_special_of(id) < SPECIAL_COUNT || (name->length == 1 && *name->text == '_');
}

static bool has_odd_symbol(const struct each *e)
{
    const struct ir_module *module = e->r->module;
    uint64_t *declared = bits_new(e->r->arena, e->r->tree->names.names.n + 1);
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct ir_symbol *symbol = &module->symbols.v[i];
        if (has_special_name(e, symbol->name))
            return true;
        if (symbol->space == W_func)
            continue;
        if (bits_test(declared, symbol->name))
            return true;
        bits_set(declared, symbol->name);
    }
    return false;
}

static bool check_rest(struct each *e)
{
    bool good = ir_build_items(e->builder);
    begin_functions(e);
    end_step(e, "ir");
    directives_check(e->r->tree, e->r->arena, &e->diags);
    ir_check_end(e->check, &e->diags);
    directives_end(e->directives);
    ir_build_end(e->builder);
    end_step(e, "check");
    return good && !e->diags.list.n && !has_odd_symbol(e);
}

bool read_each(struct ir_reading *r)
{
    struct each each = {.r = r}, *e = &each;
    struct tree_visitor visitor = {check_function, e};
    if (r->source->fragment)
        return false;
    diags_init(&e->diags, r->arena);
    e->builder = ir_build_begin(r->module, r->arena, r->tree, &e->diags);
    ptx_parse_each(r->tree, r->arena, r->source, &e->diags, &visitor);
    end_step(e, "parse");
    return check_rest(e) && !e->stopped;
}
