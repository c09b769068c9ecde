#include "frontend/tree.h"
#include <string.h>

static const char *const kind_names[] = {
    [NODE_MODULE] = "module",
    [NODE_DIRECTIVE] = "directive",
    [NODE_FUNCTION] = "function",
    [NODE_RETURNS] = "returns",
    [NODE_PARAMS] = "params",
    [NODE_TUNING] = "tuning",
    [NODE_DECL] = "decl",
    [NODE_SPEC] = "spec",
    [NODE_DECLARATOR] = "declarator",
    [NODE_DIMENSION] = "dimension",
    [NODE_INIT] = "init",
    [NODE_SCOPE] = "scope",
    [NODE_SECTION] = "section",
    [NODE_DWARF] = "dwarf",
    [NODE_LABEL] = "label",
    [NODE_INSTR] = "instr",
    [NODE_GUARD] = "guard",
    [NODE_EMPTY] = "empty",
    [NODE_ERROR] = "error",
    [NODE_NAME] = "name",
    [NODE_INT] = "int",
    [NODE_FLOAT32] = "float32",
    [NODE_FLOAT64] = "float64",
    [NODE_STRING] = "string",
    [NODE_WORD] = "word",
    [NODE_VECTOR] = "vector",
    [NODE_ADDRESS] = "address",
    [NODE_LIST] = "list",
    [NODE_PAIR] = "pair",
    [NODE_NOT] = "not",
    [NODE_NEGATE] = "negate",
    [NODE_OFFSET] = "offset",
    [NODE_MEMBER] = "member",
    [NODE_ELEMENT] = "element",
    [NODE_APPLY] = "apply",
    [NODE_EXPR] = "expr",
};

// The first byte from `at` on that is neither white space nor in a comment.
static uint32_t skip_blank(const char *text, uint32_t at, uint32_t end)
{
    for (;;) {
        while (at < end && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r')))
            at++;
        if (end - at < 2 || text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
            return at;
        bool line = text[at + 1] == '/';
        const char *close =
            line ? memchr(text + at, '\n', end - at) : memmem(text + at + 2, end - at - 2, "*/", 2);
        if (!close)
            return end;
        at = (uint32_t)(close - text) + (line ? 1 : 2);
    }
}

void node_opcode_range(const struct tree *tree, uint32_t node, uint32_t *begin, uint32_t *end)
{
    const struct node *instr = &tree->nodes.v[node];
    const char *text = tree->source->text;
    *begin = instr->begin;
    if (instr->flags & NODE_HAS_GUARD)
        *begin = skip_blank(text, instr[1].end, instr->end);
    *end = *begin;
    while (*end < instr->end && !strchr(" \t\r\n\f\v.;{[(,/", text[*end]))
        ++*end;
}

const char *tree_validate(const struct tree *tree)
{
    const struct node *nodes = tree->nodes.v;
    if (!tree->nodes.n || nodes[0].size != tree->nodes.n)
        return "the root does not hold all nodes";
    if (nodes[0].begin != 0 || nodes[0].end != tree->source->length)
        return "the root does not cover the source";
    for (uint32_t i = 0; i < tree->nodes.n; i++) {
        uint32_t at = nodes[i].begin, child = i + 1;
        if (nodes[i].end < nodes[i].begin)
            return "a node ends before it begins";
        if (nodes[i].kind == NODE_INSTR &&
            (uint32_t)nodes[i].value + (nodes[i].value >> 32) > tree->mods.n)
            return "an instruction has modifiers that there are not";
        for (; child < i + nodes[i].size; child += nodes[child].size) {
            if (!nodes[child].size)
                return "a node has no size";
            if (nodes[child].begin < at)
                return "a node overlaps the one before it or its parent";
            at = nodes[child].end;
        }
        if (child != i + nodes[i].size)
            return "sizes do not add up";
        if (at > nodes[i].end)
            return "a child reaches behind its parent";
    }
    return NULL;
}

static void print_value(const struct tree *tree, const struct node *node, FILE *to)
{
    switch (node->kind) {
    case NODE_NAME:
    case NODE_GUARD:
    case NODE_LABEL:
    case NODE_FUNCTION:
    case NODE_DECLARATOR:
        fprintf(to, " %.*s", (int)tree_name(tree, node->value)->length,
                tree_name(tree, node->value)->text);
        break;
    case NODE_INSTR:
        fprintf(to, " %s", node->aux < OP_COUNT ? isa_op_names[node->aux] : "?");
        break;
    case NODE_DIRECTIVE:
    case NODE_SPEC:
    case NODE_TUNING:
    case NODE_MEMBER:
        fprintf(to, " %s", node->aux < WORD_COUNT ? isa_words[node->aux].text : "?");
        break;
    case NODE_INT:
    case NODE_FLOAT32:
    case NODE_FLOAT64:
        fprintf(to, " 0x%llx%s", (unsigned long long)node->value,
                node->flags & NODE_UNSIGNED ? "U" : "");
        break;
    default: break;
    }
}

static void print_node(const struct tree *tree, uint32_t index, int depth, FILE *to)
{
    const struct node *node = &tree->nodes.v[index];
    struct place place = source_place(tree->source, node->begin);
    fprintf(to, "%*s%s", depth * 2, "", kind_names[node->kind]);
    print_value(tree, node, to);
    fprintf(to, "%s%s  @%u:%u\n", node->flags & NODE_NEGATED ? " negated" : "",
            node->flags & NODE_CUT ? " cut" : "", place.line, place.column);
    NODE_EACH (child, tree, index)
        print_node(tree, child, depth + 1, to);
}

void tree_print(const struct tree *tree, FILE *to)
{
    print_node(tree, 0, 0, to);
}
