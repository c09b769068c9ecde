// A .loc is valid until the next one in the text of its function. For inlined code it also has the
// file, line and column of the call, whose own .loc precedes it and may be inlined itself [PTX ISA,
// Debugging Directives].
#include "ir/loc.h"
#include <string.h>

struct numbers {
    uint64_t file, line, column;
};

struct loc_entry {
    struct numbers at, caller; // caller.line 0: not inlined
    uint32_t label;            // node of the function's name, or IR_NONE
    struct ir_loc *made;       // NULL: not requested yet
};

struct function_locs {
    bool read;
    VEC(struct loc_entry) entries; // in the order of the text
    uint32_t *of_inst;             // entry of each instruction, or IR_NONE
};

struct file {
    uint64_t number;
    const char *name;
};

struct ir_locs {
    struct arena *arena;
    const struct ir_module *module;
    struct function_locs *functions;
    VEC(struct file) files;
};

static const struct node *node_at(const struct ir_locs *locs, uint32_t node)
{
    return &locs->module->tree->nodes.v[node];
}

static bool is_name(const struct ir_locs *locs, uint32_t node, const char *text)
{
    const struct name *name;
    if (node_at(locs, node)->kind != NODE_NAME)
        return false;
    name = tree_name(locs->module->tree, node_at(locs, node)->value);
    return name->length == strlen(text) && !memcmp(name->text, text, name->length);
}

// Files

static void read_file(struct ir_locs *locs, uint32_t directive)
{
    struct file file = {.number = 0};
    NODE_EACH (child, locs->module->tree, directive) {
        const struct node *node = node_at(locs, child);
        if (node->kind == NODE_INT && !file.name)
            file.number = node->value;
        else if (node->kind == NODE_STRING && !file.name && node->end - node->begin >= 2)
            file.name =
                arena_strndup(locs->arena, locs->module->tree->source->text + node->begin + 1,
                              node->end - node->begin - 2);
    }
    if (file.name)
        vec_push(locs->arena, &locs->files, file);
}

static const char *file_name(const struct ir_locs *locs, uint64_t number)
{
    for (uint32_t i = 0; i < locs->files.n; i++)
        if (locs->files.v[i].number == number)
            return locs->files.v[i].name;
    return NULL;
}

struct ir_locs *ir_locs_new(struct arena *arena, const struct ir_module *module)
{
    struct ir_locs *locs = ARENA_NEW(arena, struct ir_locs);
    locs->arena = arena;
    locs->module = module;
    locs->functions = ARENA_ARRAY(arena, struct function_locs, module->functions.n + 1);
    NODE_EACH (child, module->tree, 0)
        if (node_at(locs, child)->kind == NODE_DIRECTIVE && node_at(locs, child)->aux == W_file)
            read_file(locs, child);
    return locs;
}

void ir_locs_map(struct ir_locs *locs, const struct prefix_map *prefixes)
{
    for (uint32_t i = 0; i < locs->files.n; i++)
        locs->files.v[i].name = prefix_map_name(prefixes, locs->arena, locs->files.v[i].name);
}

// Functions

static void read_loc(struct ir_locs *locs, struct function_locs *function, uint32_t directive)
{
    struct loc_entry entry = {.label = IR_NONE};
    struct numbers *to = &entry.at;
    uint32_t n = 0;
    bool label = false;
    NODE_EACH (child, locs->module->tree, directive) {
        const struct node *node = node_at(locs, child);
        if (is_name(locs, child, "function_name")) {
            label = true;
        } else if (is_name(locs, child, "inlined_at")) {
            to = &entry.caller;
            n = 0;
        } else if (label) {
            entry.label = child;
            label = false;
        } else if (n < 3) {
            *(n == 0   ? &to->file
              : n == 1 ? &to->line
                       : &to->column) = node->kind == NODE_INT ? node->value : 0;
            n++;
        }
    }
    vec_push(locs->arena, &function->entries, entry);
}

static void read_scope(struct ir_locs *locs, struct function_locs *function,
                       const struct ir_function *fn, uint32_t scope, uint32_t *inst)
{
    NODE_EACH (child, locs->module->tree, scope) {
        const struct node *node = node_at(locs, child);
        if (node->kind == NODE_SCOPE)
            read_scope(locs, function, fn, child, inst);
        else if (node->kind == NODE_DIRECTIVE && node->aux == W_loc)
            read_loc(locs, function, child);
        else if (node->kind == NODE_INSTR && *inst < fn->insts.n &&
                 fn->insts.v[*inst].node == child)
            function->of_inst[(*inst)++] = function->entries.n ? function->entries.n - 1 : IR_NONE;
    }
}

static void read_function(struct ir_locs *locs, struct function_locs *function,
                          const struct ir_function *fn)
{
    uint32_t inst = 0;
    function->read = true;
    function->of_inst = ARENA_ARRAY(locs->arena, uint32_t, fn->insts.n + 1);
    NODE_EACH (child, locs->module->tree, fn->node)
        if (node_at(locs, child)->kind == NODE_SCOPE)
            read_scope(locs, function, fn, child, &inst);
    while (inst < fn->insts.n)
        function->of_inst[inst++] = IR_NONE;
}

// Names of functions are bytes after a label of a section: `.b8 95,90,51,0`

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (source_is_blank(*at) || *at == ','))
        at++;
    return at;
}

// Returns the text after the label's colon, or NULL.
static const char *find_label(const char *at, const char *end, const struct name *name)
{
    for (const char *begin = at; (size_t)(end - at) > name->length; at++)
        if (!memcmp(at, name->text, name->length) && at[name->length] == ':' &&
            (at == begin || !is_letter(at[-1])))
            return at + name->length + 1;
    return NULL;
}

static const char *read_bytes(struct ir_locs *locs, const char *at, const char *end)
{
    VEC(char) text = {0};
    uint32_t byte = 1;
    for (at = skip_blanks(at, end); at < end && byte; at = skip_blanks(at, end)) {
        if (end - at > 3 && !memcmp(at, ".b8", 3)) {
            at += 3;
            continue;
        }
        if (*at < '0' || *at > '9')
            break;
        for (byte = 0; at < end && *at >= '0' && *at <= '9' && byte < 256; at++)
            byte = byte * 10 + (uint32_t)(*at - '0');
        vec_push(locs->arena, &text, (char)byte);
    }
    return text.n && !byte ? text.v : NULL;
}

static const char *function_name(struct ir_locs *locs, uint32_t label)
{
    const struct tree *tree = locs->module->tree;
    if (label == IR_NONE || node_at(locs, label)->kind != NODE_NAME)
        return NULL;
    const struct name *name = tree_name(tree, node_at(locs, label)->value);
    NODE_EACH (child, tree, 0) {
        const struct node *node = node_at(locs, child);
        const char *text = tree->source->text, *at = NULL;
        if (node->kind == NODE_SECTION)
            at = find_label(text + node->begin, text + node->end, name);
        if (at)
            return read_bytes(locs, at, text + node->end);
    }
    return NULL;
}

// Queries

static struct ir_loc *make(struct ir_locs *locs, const struct numbers *at)
{
    struct ir_loc *loc = ARENA_NEW(locs->arena, struct ir_loc);
    loc->file = file_name(locs, at->file);
    loc->line = (uint32_t)at->line;
    loc->column = (uint32_t)at->column;
    return loc;
}

// Returns the last entry before this one that is at the position of its call, or IR_NONE.
static uint32_t find_caller(const struct function_locs *function, uint32_t entry)
{
    const struct numbers *caller = &function->entries.v[entry].caller;
    while (entry-- > 0) {
        const struct numbers *at = &function->entries.v[entry].at;
        if (at->line == caller->line && at->column == caller->column && at->file == caller->file)
            return entry;
    }
    return IR_NONE;
}

// Resolves an entry and its callers, from the outermost one inwards. Each entry follows its caller.
static const struct ir_loc *resolve(struct ir_locs *locs, struct function_locs *function,
                                    uint32_t first)
{
    VEC(uint32_t) chain = {0};
    uint32_t entry = first;
    while (entry != IR_NONE && !function->entries.v[entry].made) {
        vec_push(locs->arena, &chain, entry);
        entry = function->entries.v[entry].caller.line ? find_caller(function, entry) : IR_NONE;
    }
    while (chain.n--) {
        struct loc_entry *of = &function->entries.v[chain.v[chain.n]];
        of->made = make(locs, &of->at);
        if (of->caller.line) {
            of->made->function = function_name(locs, of->label);
            of->made->inlined_at =
                entry == IR_NONE ? make(locs, &of->caller) : function->entries.v[entry].made;
        }
        entry = chain.v[chain.n];
    }
    return function->entries.v[first].made;
}

const struct ir_loc *ir_loc_find(struct ir_locs *locs, uint32_t function, uint32_t inst)
{
    struct function_locs *of = &locs->functions[function];
    const struct ir_function *fn = &locs->module->functions.v[function];
    if (!of->read)
        read_function(locs, of, fn);
    uint32_t entry = inst < fn->insts.n ? of->of_inst[inst] : IR_NONE;
    if (entry == IR_NONE || !of->entries.v[entry].at.line)
        return NULL;
    return resolve(locs, of, entry);
}
