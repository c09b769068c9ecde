// Reports functions that a module declares but neither defines nor leaves to the linker: ptxas
// rejects them even if they are not called. An alias is defined by its target.
#include "ir/check_internal.h"
#include <string.h>

enum function_state { DEFINED = 1, EXTERNAL = 2, ALIAS = 4, UNREAD = 8 };

static const struct node *node_at(const struct ir_check *c, uint32_t node)
{
    return &c->tree->nodes.v[node];
}

static void refuse(struct ir_check *c, uint32_t begin, uint32_t end, uint64_t name, const char *why)
{
    const struct name *text = tree_name(c->tree, name);
    diag_add(c->diags, DIAG_ERROR, "declaration", begin, end, "'%.*s' %s", (int)text->length,
             text->text, why);
}

// Returns true if the text ends in the function's head, so that the body may be missing.
static bool ends_in_head(const struct ir_check *c, const struct diags *found, uint32_t function)
{
    bool last = node_next(c->tree, function) == node_next(c->tree, 0);
    for (uint32_t i = 0; last && i < found->list.n; i++) {
        const struct diag *diag = &found->list.v[i];
        if (!strcmp(diag->id, "syntax") && diag->begin != NO_OFFSET &&
            diag->begin >= node_at(c, function)->end)
            return true;
    }
    return false;
}

static uint8_t read_function(const struct ir_check *c, const struct diags *found, uint32_t function)
{
    uint8_t state = ends_in_head(c, found, function) ? UNREAD : 0;
    NODE_EACH (child, c->tree, function) {
        const struct node *node = node_at(c, child);
        state |= node->kind == NODE_ERROR ? UNREAD : 0;
        state |= node->kind == NODE_SCOPE ? DEFINED : 0;
        state |= node->kind == NODE_SPEC && node->aux == W_extern ? EXTERNAL : 0;
    }
    return state;
}

static void read_alias(struct ir_check *c, uint32_t directive, uint8_t *states)
{
    const struct node *name = node_at(c, directive + 1);
    if (node_at(c, directive)->size < 2 || name->kind != NODE_NAME)
        return;
    if (states[name->value] & ALIAS)
        refuse(c, name->begin, name->end, name->value, "is already an alias");
    states[name->value] |= ALIAS;
}

void check_functions(struct ir_check *c, const struct diags *found)
{
    uint8_t *states = ARENA_ARRAY(&c->scratch, uint8_t, c->tree->names.names.n);
    memset(states, 0, c->tree->names.names.n);
    if (c->tree->source->fragment)
        return;
    NODE_EACH (child, c->tree, 0) {
        const struct node *node = node_at(c, child);
        if (node->kind == NODE_FUNCTION)
            states[node->value] |= read_function(c, found, child);
        else if (node->kind == NODE_DIRECTIVE && node->aux == W_alias)
            read_alias(c, child, states);
        else if (node->kind == NODE_ERROR) // may have been a definition
            return;
    }
    NODE_EACH (child, c->tree, 0) {
        const struct node *node = node_at(c, child);
        if (node->kind != NODE_FUNCTION || states[node->value])
            continue;
        refuse(c, node->begin, node->end, node->value, "has no body and is not .extern");
        states[node->value] = DEFINED; // do not report it again
    }
}
