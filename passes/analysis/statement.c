#include "passes/analysis/statement.h"
#include <string.h>

struct statement_reader {
    const struct ir_module *module;
    const struct ir_function *fn;
    struct statement *statements;
    uint32_t count; // read so far
    uint32_t reach, declared, loc, lead, before;
    uint32_t tag; // start of the tags before the statement, or NO_OFFSET
};

// Resets what precedes a statement: text before this point belongs to no statement.
static void part(struct statement_reader *r)
{
    r->lead = IR_NONE;
    r->before = r->loc;
    r->tag = NO_OFFSET;
}

static bool is_own_tag(const struct tree *tree, uint32_t node)
{
    static const char prefix[] = "\"ptxoffload.";
    const struct node *at = &tree->nodes.v[node];
    return at->aux == W_pragma && at->size == 2 && at[1].kind == NODE_STRING &&
           at[1].end - at[1].begin > sizeof prefix - 1 &&
           !memcmp(tree->source->text + at[1].begin, prefix, sizeof prefix - 1);
}

static bool begins_with(const struct tree *tree, uint32_t node, const char *word)
{
    const struct node *at = &tree->nodes.v[node];
    size_t length = strlen(word);
    return at->end - at->begin >= length && !memcmp(tree->source->text + at->begin, word, length);
}

// Returns true for `nounroll`, which applies to the basic block, not to the next instruction.
static bool is_of_block(const struct tree *tree, uint32_t node)
{
    const struct node *at = &tree->nodes.v[node];
    return at->aux == W_pragma && at->size == 2 && begins_with(tree, node + 1, "\"nounroll\"");
}

static void read_directive(struct statement_reader *r, uint32_t node)
{
    const struct node *at = &r->module->tree->nodes.v[node];
    if (at->aux == W_loc) {
        r->loc = node;
        if (r->lead == IR_NONE)
            r->lead = node;
        r->tag = NO_OFFSET;
    } else if (is_own_tag(r->module->tree, node)) {
        if (r->tag == NO_OFFSET)
            r->tag = at->begin;
    } else {
        r->reach += !is_of_block(r->module->tree, node);
        part(r);
    }
}

static void read_instruction(struct statement_reader *r, uint32_t node)
{
    const struct node *at = &r->module->tree->nodes.v[node];
    if (r->count < r->fn->insts.n && r->fn->insts.v[r->count].node == node) {
        uint32_t begin = r->tag == NO_OFFSET ? at->begin : r->tag;
        r->statements[r->count++] =
            (struct statement){begin, at->end, r->reach, r->declared, r->loc, r->lead, r->before};
    }
    part(r);
}

static void read_scope(struct statement_reader *r, uint32_t scope)
{
    r->reach++;
    part(r);
    NODE_EACH (child, r->module->tree, scope) {
        switch (r->module->tree->nodes.v[child].kind) {
        case NODE_INSTR: read_instruction(r, child); break;
        case NODE_DIRECTIVE: read_directive(r, child); break;
        case NODE_SCOPE: read_scope(r, child); break;
        case NODE_EMPTY: part(r); break;
        case NODE_DECL:
            if (begins_with(r->module->tree, child, ".reg"))
                r->declared++;
            else
                r->reach++;
            part(r);
            break;
        default:
            r->reach++;
            part(r);
            break;
        }
    }
    r->reach++;
    part(r);
}

struct statement *statements_read(const struct ir_module *module, const struct ir_function *fn,
                                  struct arena *arena)
{
    struct statement_reader r = {.module = module, .fn = fn, .loc = IR_NONE};
    r.statements = ARENA_ARRAY(arena, struct statement, fn->insts.n + 1);
    part(&r);
    NODE_EACH (child, module->tree, fn->node)
        if (module->tree->nodes.v[child].kind == NODE_SCOPE)
            read_scope(&r, child);
    return r.statements;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// Skips back over blanks and over comments that lie within the line. Returns where they start.
static uint32_t skip_back(const char *text, uint32_t at)
{
    for (;;) {
        while (at && is_blank(text[at - 1]))
            at--;
        if (at < 4 || text[at - 1] != '/' || text[at - 2] != '*')
            return at;
        uint32_t open = at - 2;
        while (open >= 2 && text[open - 1] != '\n' &&
               (text[open - 2] != '/' || text[open - 1] != '*'))
            open--;
        if (open < 2 || text[open - 1] == '\n')
            return at;
        at = open - 2;
    }
}

// Skips blanks and comments up to the end of the line. Stops before a comment that continues on the
// next line.
static uint32_t skip_on(const struct source *source, uint32_t at)
{
    const char *text = source->text;
    for (;;) {
        while (at < source->length && is_blank(text[at]))
            at++;
        if (at >= source->length || text[at] != '/')
            return at;
        if (text[at + 1] == '/') {
            while (at < source->length && text[at] != '\n')
                at++;
            return at;
        }
        uint32_t close = at + 2;
        while (close < source->length && text[close] != '\n' &&
               (text[close] != '*' || text[close + 1] != '/'))
            close++;
        if (text[at + 1] != '*' || close >= source->length || text[close] == '\n')
            return at;
        at = close + 2;
    }
}

struct lines statement_lines(const struct source *source, uint32_t begin, uint32_t end)
{
    struct source_position first = source_position_at(source, begin),
                           last = source_position_at(source, end);
    const struct source_lines *lines = source_lines(source);
    uint32_t before = skip_back(source->text, begin), behind = skip_on(source, end);
    return (struct lines){
        .begin = begin - (first.column - 1),
        .end = last.line < lines->at.n ? lines->at.v[last.line] : source->length,
        .head = !before || source->text[before - 1] == '\n',
        .tail = behind >= source->length || source->text[behind] == '\n',
    };
}
