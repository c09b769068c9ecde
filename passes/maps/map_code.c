#include "passes/maps/map_code.h"
#include "frontend/parser.h"
#include <string.h>

static const char head[] = ".version 7.8\n.target sm_90\n.address_size 64\n";

static bool begins(const struct map_node *node, const char *with)
{
    return !strncmp(node->op.text, with, strlen(with));
}

// Returns the function of a core: the instruction, with a word instead of each predicate.
static const char *function_text(struct arena *arena, const struct map_node *node, uint32_t number)
{
    static const char *const operands[] = {"a", "b", "c"};
    const char *op = node->is_increment ? "add.s32" : node->op.text;
    const char *parameters = "", *arguments = "";
    bool sets = begins(node, "setp."), selects = begins(node, "selp.");
    for (uint32_t i = 0; i < node->operand_count; i++) {
        bool predicate = selects && i == 2;
        parameters =
            arena_printf(arena, "%s%s.reg .b32 %s", parameters, i ? ", " : "", operands[i]);
        arguments = arena_printf(arena, "%s, %s", arguments, predicate ? "q" : operands[i]);
    }
    return arena_printf(
        arena, ".func (.reg .b32 d) n%u (%s) { .reg .pred p, q; %s%s %s%s; %sret; }\n", number,
        parameters, selects && node->operand_count == 3 ? "setp.ne.u32 q, c, 0; " : "", op,
        sets ? "p" : "d", arguments, sets ? "selp.u32 d, 1, 0, p; " : "");
}

static char *make_text(struct map_code *code, struct arena *arena, const struct map *map,
                       uint32_t *length)
{
    VEC(char) text = {0};
    for (uint32_t i = 0; i <= map->nodes.n; i++) {
        const char *part = i ? "" : head;
        if (i && map->nodes.v[i - 1].kind == MAP_CORE)
            part = function_text(arena, &map->nodes.v[i - 1], i - 1);
        if (i)
            vec_push(arena, &code->begins, text.n);
        for (; *part; part++)
            vec_push(arena, &text, *part);
    }
    *length = text.n;
    vec_push(arena, &text, '\0');
    vec_push(arena, &text, '\0');
    return text.v;
}

void map_code_make(struct map_code *code, struct arena *arena, const struct map *map,
                   struct diags *diags)
{
    uint32_t length;
    *code = (struct map_code){.function = ARENA_ARRAY(arena, uint32_t, map->nodes.n)};
    char *text = make_text(code, arena, map, &length);
    source_init(&code->source, arena, "map", text, length);
    ptx_parse(&code->tree, arena, &code->source, diags);
    ir_build(&code->module, arena, &code->tree, diags);
    uint32_t function = 0;
    for (uint32_t i = 0; i < map->nodes.n; i++)
        code->function[i] = map->nodes.v[i].kind == MAP_CORE ? function++ : UINT32_MAX;
}

uint32_t map_code_node(const struct map_code *code, uint32_t offset)
{
    uint32_t node = 0;
    while (node + 1 < code->begins.n && code->begins.v[node + 1] <= offset)
        node++;
    return node;
}
