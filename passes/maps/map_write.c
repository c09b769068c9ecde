#include "passes/maps/map_read.h"
#include <string.h>

// Scalars are quoted unless they are plain words or numbers.
static void put_scalar(FILE *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    if (*text && strspn(text, plain) == strlen(text)) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', to);
        putc(*text, to);
    }
    putc('"', to);
}

// Writes "key: value" between braces; `first` is cleared.
static void put_key(FILE *to, bool *first, const char *key)
{
    fprintf(to, "%s%s: ", *first ? "" : ", ", key);
    *first = false;
}

static void put_text(FILE *to, bool *first, const char *key, const struct map_text *text)
{
    if (!text->text)
        return;
    put_key(to, first, key);
    put_scalar(to, text->text);
}

static void put_flag(FILE *to, bool *first, const char *key, bool value)
{
    if (!value)
        return;
    put_key(to, first, key);
    fputs("true", to);
}

static void put_initial(FILE *to, const struct map_initial *initial)
{
    bool first = true;
    if (initial->kind == MAP_LIST) {
        putc('[', to);
        for (uint32_t i = 0; i < initial->count; i++) {
            fputs(i ? ", " : "", to);
            put_scalar(to, initial->list[i].at.text);
        }
        putc(']', to);
        return;
    }
    putc('{', to);
    put_key(to, &first, "count");
    fprintf(to, "%u", initial->count);
    put_text(to, &first, "first", &initial->first.at);
    put_text(to, &first, "base", &initial->base.at);
    put_text(to, &first, "step", &initial->step.at);
    put_text(to, &first, "add", &initial->add.at);
    put_text(to, &first, "type", &initial->type_text);
    putc('}', to);
}

static void put_operand(FILE *to, const struct map_operand *operand)
{
    bool first = true;
    if (operand->from != MAP_NO_NODE && operand->initial.kind == MAP_EMPTY) {
        put_scalar(to, operand->from_text.text);
        return;
    }
    putc('{', to);
    put_text(to, &first,
             operand->from != MAP_NO_NODE ? "from"
             : operand->type              ? "load"
                                          : "value",
             operand->from == MAP_NO_NODE ? &operand->constant.at : &operand->from_text);
    put_text(to, &first, "type", &operand->type_text);
    if (operand->initial.kind != MAP_EMPTY) {
        put_key(to, &first, "initial");
        put_initial(to, &operand->initial);
    }
    putc('}', to);
}

static void put_operands(FILE *to, bool *first, const struct map_node *node)
{
    if (node->is_increment) {
        put_text(to, first, "start", &node->increment.start.at);
        put_text(to, first, "step", &node->increment.step.at);
        put_key(to, first, "tokens");
        fprintf(to, "%u", node->increment.tokens);
        return;
    }
    put_key(to, first, "in");
    putc('[', to);
    for (uint32_t i = 0; i < node->operand_count; i++) {
        fputs(i ? ", " : "", to);
        put_operand(to, &node->operands[i]);
    }
    putc(']', to);
}

static void put_node(FILE *to, const struct map_node *node)
{
    bool first = true;
    fputs("  ", to);
    put_scalar(to, node->name.text);
    fputs(": {", to);
    put_text(to, &first, "op", &node->op);
    put_operands(to, &first, node);
    if (map_is_fifo(&node->predicate)) {
        put_key(to, &first, node->negated ? "unless" : "predicate");
        put_operand(to, &node->predicate);
    }
    put_text(to, &first, "base", &node->base.at);
    put_text(to, &first, "offset", &node->offset.at);
    put_text(to, &first, "wait", &node->wait.at);
    put_text(to, &first, "off", &node->off.at);
    put_flag(to, &first, "through", node->is_through);
    put_text(to, &first, "count", &node->count.at);
    fputs("}\n", to);
}

static void put_result(FILE *to, const struct map_result *result)
{
    bool first = true;
    fputs("  ", to);
    put_scalar(to, result->name.text);
    fputs(": {", to);
    put_text(to, &first, "node", &result->node_text);
    put_key(to, &first, "operand");
    fprintf(to, "%u", result->operand);
    put_text(to, &first, "register", &result->reg);
    put_text(to, &first, "base", &result->base.at);
    put_text(to, &first, "step", &result->step.at);
    fputs("}\n", to);
}

static void put_line(FILE *to, const char *key, const struct map_text *text)
{
    if (!text->text)
        return;
    fprintf(to, "%s: ", key);
    put_scalar(to, text->text);
    putc('\n', to);
}

static void put_head(FILE *to, const struct map *map)
{
    put_line(to, "name", &map->name);
    put_line(to, "kernel", &map->kernel);
    if (map->enter.kind == MAP_AT_BARRIER)
        fprintf(to, "enter: barrier %u\n", map->enter.barrier);
    if (map->leave.kind == MAP_AT_BARRIER)
        fprintf(to, "leave: barrier %u\n", map->leave.barrier);
    for (uint32_t i = 0; i < map->params.n; i++)
        fprintf(to, "%s%s%s", i ? ", " : "params: [", map->params.v[i].text,
                i + 1 == map->params.n ? "]\n" : "");
    for (uint32_t i = 0; i < map->values.n; i++) {
        fprintf(to, "%s  %s: ", i ? "" : "values:\n", map->values.v[i].name.text);
        put_scalar(to, map->values.v[i].value.at.text);
        putc('\n', to);
    }
    for (uint32_t i = 0; i < map->requires.n; i++) {
        fputs(i ? "  - " : "requires:\n  - ", to);
        put_scalar(to, map->requires.v[i].at.text);
        putc('\n', to);
    }
    put_line(to, "groups", &map->groups.at);
    put_line(to, "threads", &map->threads.at);
    put_line(to, "activations", &map->activations.at);
    put_line(to, "copies", &map->copies.at);
    if (map->is_ordered)
        fputs("ordered: true\n", to);
}

void map_write(const struct map *map, FILE *to)
{
    put_head(to, map);
    fputs("nodes:\n", to);
    for (uint32_t i = 0; i < map->nodes.n; i++)
        put_node(to, &map->nodes.v[i]);
    for (uint32_t i = 0; i < map->results.n; i++) {
        fputs(i ? "" : "results:\n", to);
        put_result(to, &map->results.v[i]);
    }
}
