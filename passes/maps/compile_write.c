// Writes the text of a graph: *.map.yaml.
#include "passes/maps/compile_internal.h"
#include "passes/maps/map_read.h"

struct writing {
    const struct map_compiler *c;
    FILE *to;
};

static const char *text_of(const struct writing *w, uint32_t text)
{
    return w->c->texts->names.v[text - 1].text;
}

static void put(const struct writing *w, const char *before, uint32_t text)
{
    if (text)
        fprintf(w->to, "%s%s", before, text_of(w, text));
}

static void put_operand(const struct writing *w, uint32_t node, uint32_t operand)
{
    const struct graph_operand *at = graph_operand_at(w->c, operand);
    bool constant = at->from == MAP_NO_NODE;
    if (!constant)
        fprintf(w->to, at->count ? "{from: n%u" : "n%u", graph_from(w->c, node, operand));
    put(w, at->type ? "{load: " : "{value: ", at->value);
    if (at->count)
        fprintf(w->to, ", initial: {count: %u", at->count);
    put(w, ", first: ", at->first);
    put(w, ", base: ", at->base);
    put(w, ", step: ", at->step);
    put(w, ", type: ", at->type);
    put(w, ", add: ", at->add);
    fputs(constant ? "}" : at->count ? "}}" : "", w->to);
}

static void put_node(const struct writing *w, uint32_t number)
{
    const struct graph_node *node = graph_node_at(w->c, number);
    fprintf(w->to, "  n%u: {op: %s", number, text_of(w, node->op));
    for (uint32_t i = 0; i < MAP_OPERANDS && node->in[i]; i++) {
        fputs(i ? ", " : ", in: [", w->to);
        put_operand(w, number, node->in[i]);
    }
    fputs(node->in[0] ? "]" : "", w->to);
    put(w, ", start: ", node->start);
    put(w, ", step: ", node->step);
    put(w, ", imm: ", node->imm);
    put(w, ", base: ", node->base);
    put(w, ", wait: ", node->wait);
    if (node->predicate) {
        fputs(", predicate: ", w->to);
        put_operand(w, number, node->predicate);
    }
    put(w, ", off: ", node->off);
    fputs(node->is_through ? ", through: true" : "", w->to);
    put(w, ", count: ", graph_count(w->c, number));
    fputs("}\n", w->to);
}

static void put_result(const struct writing *w, uint32_t number)
{
    const struct graph_result *result = &w->c->results.v[number];
    uint32_t node, operand;
    graph_reader(w->c, result->carried, &node, &operand);
    fprintf(w->to, "  result%u: {node: n%u, operand: %u", number, node, operand);
    put(w, ", base: ", result->base);
    put(w, ", step: ", result->step);
    fputs("}\n", w->to);
}

static void put_map(const struct writing *w)
{
    const struct map_compiler *c = w->c;
    const struct name *name = tree_name(c->module->tree, c->fn->name);
    fprintf(w->to, "name: '%.*s'\nkernel: '%.*s'\nparams: [", (int)name->length, name->text,
            (int)name->length, name->text);
    for (uint32_t i = 0; i < c->params; i++)
        fprintf(w->to, i ? ", p%u" : "p%u", i);
    fputs("]\nvalues:\n", w->to);
    for (uint32_t i = 0; i < c->values.n; i++)
        fprintf(w->to, "  %s: %s\n", c->values.v[i].name, text_of(w, c->values.v[i].text));
    put(w, "groups: ", c->map_groups);
    put(w, "\nactivations: ", c->activations);
    fputs(c->is_ordered ? "\nordered: true" : "", w->to);
    put(w, "\ncopies: ", c->copies);
    fputs("\nthreads: 32\nrequires:\n", w->to);
    for (uint32_t i = 0; i < c->requires.n; i++)
        fprintf(w->to, "  - %s\n", text_of(w, c->requires.v[i]));
    fputs("nodes:\n", w->to);
    for (uint32_t i = 0; i < c->nodes.names.n; i++)
        put_node(w, i);
    fputs(c->results.n ? "results:\n" : "", w->to);
    for (uint32_t i = 0; i < c->results.n; i++)
        put_result(w, i);
}

void map_compiled_write(const struct map_compiled *compiled, FILE *to)
{
    if (compiled->graph)
        put_map(&(struct writing){compiled->graph, to});
    else
        map_write(compiled->map, to);
}
