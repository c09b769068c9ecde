#include "passes/plan/pipeline.h"
#include <string.h>

struct splitter {
    const struct ir_module *module;
    struct plan *plan;
    const char *stem; // prefix of the new registers' names, unused in the source
    uint32_t next[2]; // number of the next register: f32, b32
};

enum { FLOATS, WORDS };

static bool is_used_stem(const struct tree *tree, const char *stem)
{
    size_t length = strlen(stem);
    for (uint32_t i = 0; i < tree->names.names.n; i++) {
        const struct name *name = &tree->names.names.v[i];
        if (name->length >= length && !memcmp(name->text, stem, length))
            return true;
    }
    return false;
}

static const char *free_stem(const struct ir_module *module, struct arena *arena)
{
    const char *stem = "%product_";
    while (is_used_stem(module->tree, stem))
        stem = arena_printf(arena, "%s_", stem);
    return stem;
}

static const char *slice(struct splitter *s, uint32_t begin, uint32_t end)
{
    return arena_strndup(s->plan->arena, s->module->tree->source->text + begin, end - begin);
}

static const char *node_text(struct splitter *s, uint32_t node)
{
    const struct node *at = &s->module->tree->nodes.v[node];
    return slice(s, at->begin, at->end);
}

// Returns the guard followed by a blank, or "".
static const char *guard_text(struct splitter *s, uint32_t node)
{
    const struct node *at = &s->module->tree->nodes.v[node];
    if (!(at->flags & NODE_HAS_GUARD))
        return "";
    return arena_printf(s->plan->arena, "%s ", node_text(s, node + 1));
}

// Modifiers of the multiplication and of the addition.
struct halves {
    const char *product, *sum;
};

static void append(struct splitter *s, const char **text, const char *word)
{
    *text = arena_printf(s->plan->arena, "%s%s", *text, word);
}

static struct halves modifiers_of(struct splitter *s, uint32_t node, uint16_t type)
{
    uint32_t count;
    const uint16_t *mods = node_mods(s->module->tree, node, &count);
    struct halves halves = {"", ""};
    bool rounds = false;
    for (uint32_t i = 0; i < count; i++)
        rounds |= isa_words[mods[i]].kind == KIND_ROUND;
    if (!rounds && type == W_f32)
        halves = (struct halves){".rn", ".rn"};
    for (uint32_t i = 0; i < count; i++) {
        const char *word = isa_words[mods[i]].text;
        if (mods[i] != W_sat)
            append(s, &halves.product, word);
        if (mods[i] != W_lo && mods[i] != W_hi)
            append(s, &halves.sum, word);
    }
    return halves;
}

// Returns the line ends inside the instruction, so that later lines keep their numbers.
static const char *line_ends(struct splitter *s, const struct node *at)
{
    const char *text = s->module->tree->source->text;
    char *ends = arena_alloc(s->plan->arena, at->end - at->begin + 1);
    uint32_t count = 0;
    for (uint32_t i = at->begin; i < at->end; i++)
        if (text[i] == '\n')
            ends[count++] = '\n';
    return ends;
}

static void split_instruction(struct splitter *s, const struct ir_function *fn, uint32_t inst)
{
    enum { OPERANDS = 4 };
    struct plan *plan = s->plan;
    const struct ir_inst *at = &fn->insts.v[inst];
    const struct node *node = &s->module->tree->nodes.v[at->node];
    bool is_float = at->type == W_f32;
    const char *operand[OPERANDS] = {"", "", "", ""};
    uint32_t child = at->node + 1;
    if (node->flags & NODE_HAS_GUARD)
        child = node_next(s->module->tree, child);
    for (uint32_t i = 0; i < OPERANDS && child < node_next(s->module->tree, at->node); i++) {
        operand[i] = node_text(s, child);
        child = node_next(s->module->tree, child);
    }
    struct halves halves = modifiers_of(s, at->node, at->type);
    const char *guard = guard_text(s, at->node);
    const char *product = arena_printf(plan->arena, "%s%c%u", s->stem, is_float ? 'f' : 'r',
                                       s->next[is_float ? FLOATS : WORDS]++);
    const char *text =
        arena_printf(plan->arena, "%smul%s %s, %s, %s; %sadd%s %s, %s, %s;%s", guard,
                     halves.product, product, operand[1], operand[2], guard, halves.sum, operand[0],
                     product, operand[3], line_ends(s, node));
    struct edit edit = {EDIT_REPLACE, node->begin, node->end, 0, text, 0};
    vec_push(plan->arena, &plan->edits.list, edit);
}

// Declares the new registers after the body's opening brace.
static void declare(struct splitter *s, const struct ir_function *fn)
{
    struct plan *plan = s->plan;
    const struct tree *tree = s->module->tree;
    const char *text = "";
    if (s->next[FLOATS])
        text = arena_printf(plan->arena, " .reg .f32 %sf<%u>;", s->stem, s->next[FLOATS]);
    if (s->next[WORDS])
        text = arena_printf(plan->arena, "%s .reg .b32 %sr<%u>;", text, s->stem, s->next[WORDS]);
    NODE_EACH (child, tree, fn->node) {
        if (tree->nodes.v[child].kind != NODE_SCOPE)
            continue;
        uint32_t begin = tree->nodes.v[child].begin + 1;
        struct edit edit = {EDIT_INSERT, begin, begin, 0, text, EDIT_ORDER_LOC};
        vec_push(plan->arena, &plan->edits.list, edit);
        break;
    }
}

void split_fused(const struct ir_module *module, struct plan *plan)
{
    struct splitter s = {module, plan, NULL, {0, 0}};
    for (uint32_t i = 0; i < plan->chains.n; i++) {
        const struct chain *chain = &plan->chains.v[i];
        const struct ir_function *fn = &module->functions.v[chain->function];
        if (chain->split) {
            if (!s.stem)
                s.stem = free_stem(module, plan->arena);
            split_instruction(&s, fn, chain->inst[chain->count - 1]);
        }
        bool last = i + 1 == plan->chains.n || chain[1].function != chain->function;
        if (last && s.next[FLOATS] + s.next[WORDS])
            declare(&s, fn);
        if (last)
            s.next[FLOATS] = s.next[WORDS] = 0;
    }
}
