// Scopes and families: the meaning of a name at its position.
#include "ir/names.h"
#include "support/bits.h"
#include "support/nearest.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

void names_init(struct names *names, struct ir_module *module, struct diags *diags,
                struct arena *scratch, struct arena *lists)
{
    *names = (struct names){
        .module = module, .diags = diags, .scratch = scratch, .lists = lists, .scopes = 1};
}

void names_grow(struct names *names)
{
    uint32_t before = names->count;
    names->count = names->module->tree->names.names.n;
    vec_reserve(names->scratch, &names->of, names->count);
    memset(names->of.v + before, 0, (names->count - before) * sizeof *names->of.v);
}

static const struct node *node_at(const struct names *names, uint32_t node)
{
    return &names->module->tree->nodes.v[node];
}

// Scopes

static struct binding *label_index(struct names *names, uint32_t name, bool family)
{
    struct name_meaning *of = &names->of.v[name];
    return family ? &of->family : &of->binding;
}

uint32_t names_add_register(struct names *names, uint32_t name, uint32_t decl, uint32_t scope,
                            const struct declared_type *type)
{
    struct ir_function *fn = names->fn;
    struct ir_register reg = {name, decl, scope, type->type, type->bits & 0x7fff, false};
    if (name != IR_NONE) {
        uint32_t *last = &names->of.v[name].reg;
        reg.repeated = *last && *last <= fn->registers.n && fn->registers.v[*last - 1].name == name;
        if (reg.repeated)
            fn->registers.v[*last - 1].repeated = true;
        *last = fn->registers.n + 1;
    }
    vec_push(names->lists, &fn->registers, reg);
    return fn->registers.n - 1;
}

static uint32_t add_symbol(struct names *names, const struct ir_symbol *symbol)
{
    vec_push(names->module->arena, &names->module->symbols, *symbol);
    return names->module->symbols.n - 1;
}

// Families

static struct split split_name(struct names *names, uint32_t id)
{
    enum { MAX_DIGITS = 8 };
    struct split *split = &names->of.v[id].split;
    if (split->prefix && (split->prefix != IR_NONE || split->number >= names->count))
        return *split;
    const struct name *name = tree_name(names->module->tree, id);
    uint32_t digits = name->length;
    while (digits > 1 && name->text[digits - 1] >= '0' && name->text[digits - 1] <= '9')
        digits--;
    *split = (struct split){IR_NONE, UINT32_MAX};
    uint32_t first = digits;
    while (first + 1 < name->length && name->text[first] == '0') // r01 is r1
        first++;
    if (digits == name->length || name->length - first > MAX_DIGITS)
        return *split;
    uint32_t prefix = intern_find(&names->module->tree->names, name->text, digits);
    split->number = names->count;
    if (prefix >= names->count)
        return *split;
    *split = (struct split){prefix + 1, 0};
    for (uint32_t i = first; i < name->length; i++)
        split->number = split->number * 10 + (uint32_t)(name->text[i] - '0');
    return *split;
}

// Binding

static void bind(struct names *names, uint32_t name, struct binding binding)
{
    bool family = binding.kind == BOUND_COUNTED;
    struct binding *place = label_index(names, name, family);
    binding.depth = names->depth;
    names->scopes++;
    vec_push(names->scratch, &names->undo, (struct undo){name, family, *place});
    *place = binding;
    uint32_t prefix = family ? IR_NONE : split_name(names, name).prefix;
    if (prefix == IR_NONE)
        return;
    uint32_t *last = &names->of.v[prefix - 1].member;
    vec_push(names->scratch, &names->members, (struct family_member){name, *last - 1});
    *last = names->members.n;
}

void names_leave(struct names *names, uint32_t undo)
{
    names->scopes++;
    while (names->undo.n > undo) {
        const struct undo *last = &names->undo.v[--names->undo.n];
        *label_index(names, last->name, last->family) = last->before;
        uint32_t prefix = last->family ? IR_NONE : split_name(names, last->name).prefix;
        if (prefix != IR_NONE)
            names->of.v[prefix - 1].member = names->members.v[--names->members.n].next + 1;
    }
}

static uint32_t make_member(struct names *names, const struct counted *family, uint32_t id)
{
    const struct declared_type *type = &family->type;
    if (type->space == W_reg && family->scope)
        return names_add_register(names, id, family->decl, family->scope, type);
    struct ir_symbol symbol = {
        .name = id,
        .node = family->decl,
        .function = family->scope ? (uint32_t)(names->fn - names->module->functions.v) : IR_NONE,
        .size = (type->bits + 7u) / 8,
        .align = type->align,
        .type = type->type,
        .space = type->space,
        .parameter = IR_NONE,
    };
    return add_symbol(names, &symbol);
}

// Returns the innermost family name<count> that contains this number, if it is at least at `depth`.
static struct binding resolve_counted(struct names *names, uint32_t id, struct split split,
                                      uint32_t depth)
{
    struct binding family = names->of.v[split.prefix - 1].family;
    while (family.kind && family.depth >= depth) {
        struct counted *counted = &names->counted.v[family.index];
        if (split.number < counted->count) {
            bool is_register = counted->type.space == W_reg && counted->scope;
            enum binding_kind kind = counted->faulty ? BOUND_FAULTY
                                     : is_register   ? BOUND_REGISTER
                                                     : BOUND_SYMBOL;
            uint32_t *made = &counted->made[split.number];
            if (!*made)
                *made = make_member(names, counted, id) + 1;
            return (struct binding){(uint8_t)kind, family.depth, *made - 1, counted->decl};
        }
        family = counted->outer;
    }
    return (struct binding){0};
}

static struct binding look_up(struct names *names, uint32_t id)
{
    struct binding direct = names->of.v[id].binding;
    struct split split = split_name(names, id);
    if (split.prefix == IR_NONE)
        return direct;
    struct binding numbered = resolve_counted(names, id, split, direct.kind ? direct.depth + 1 : 0);
    return numbered.kind ? numbered : direct;
}

struct binding names_resolve(struct names *names, uint32_t id)
{
    struct resolved_name *resolved = &names->of.v[id].resolved;
    if (resolved->scopes != names->scopes)
        *resolved = (struct resolved_name){names->scopes, look_up(names, id)};
    return resolved->binding;
}

bool names_is_later(struct names *names, struct binding binding, uint32_t node)
{
    return binding.kind == BOUND_SYMBOL && !binding.depth && binding.node > node &&
           names->module->tree->nodes.v[binding.node].begin > node_at(names, node)->begin;
}

// Declaring

static bool is_word_byte(char c)
{
    return c == '_' || c == '$' || c == '%' || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// Returns the range of a declaration's name. The name of a function follows its specs and return
// values.
static void name_range(const struct names *names, uint32_t index, uint32_t *begin, uint32_t *end)
{
    const struct tree *tree = names->module->tree;
    const struct node *node = &tree->nodes.v[index];
    const struct name *name = tree_name(tree, node->value);
    const char *text = tree->source->text;
    *begin = node->kind == NODE_GUARD || node->kind == NODE_NAME ? node->end - name->length
                                                                 : node->begin;
    if (node->kind == NODE_FUNCTION) {
        NODE_EACH (child, tree, index)
            if (tree->nodes.v[child].kind == NODE_RETURNS)
                *begin = tree->nodes.v[child].end;
        while (*begin + name->length < node->end &&
               (memcmp(text + *begin, name->text, name->length) || text[*begin - 1] == '.' ||
                is_word_byte(text[*begin - 1]) || is_word_byte(text[*begin + name->length])))
            ++*begin;
    }
    *end = *begin + name->length;
}

void names_add_diag(struct names *names, enum severity severity, const char *id, uint32_t node,
                    const char *text)
{
    uint32_t begin, end;
    name_range(names, node, &begin, &end);
    diag_add(names->diags, severity, id, begin, end, "%s", text);
}

void names_report_again(struct names *names, uint32_t node, uint32_t first, const char *what)
{
    const struct name *name = tree_name(names->module->tree, node_at(names, node)->value);
    names_add_diag(names, DIAG_ERROR, "redefinition", node,
                   arena_printf(names->scratch, "%s '%.*s' is already declared", what,
                                (int)name->length, name->text));
    names_add_diag(names, DIAG_NOTE, "redefinition", first, "first declared here");
}

// Returns the declaration, family member or label with this name in the scope, or IR_NONE.
static uint32_t find_in_scope(struct names *names, uint32_t name, uint32_t scope)
{
    struct binding direct = names->of.v[name].binding;
    if (direct.kind && direct.depth == names->depth)
        return direct.node;
    for (uint32_t i = names->of.v[name].label - 1; i != IR_NONE; i = names->labels.v[i].next) {
        if (names->labels.v[i].scope == scope)
            return names->labels.v[i].node;
        if (names->labels.v[i].scope < scope) // it and all before it are outside the scope
            break;
    }
    struct split split = split_name(names, name);
    if (split.prefix == IR_NONE)
        return IR_NONE;
    struct binding family = names->of.v[split.prefix - 1].family;
    while (family.kind && family.depth == names->depth) {
        if (split.number < names->counted.v[family.index].count)
            return family.node;
        family = names->counted.v[family.index].outer;
    }
    return IR_NONE;
}

static bool refuse(struct names *names, uint32_t node, uint32_t scope, const char *what)
{
    uint32_t name = (uint32_t)node_at(names, node)->value;
    uint32_t first = find_in_scope(names, name, scope);
    if (first == IR_NONE)
        return false;
    names_report_again(names, node, first, what);
    bind(names, name, (struct binding){.kind = BOUND_FAULTY, .node = first});
    return true;
}

void names_declare_register(struct names *names, uint32_t declarator, uint32_t scope,
                            const struct declared_type *type)
{
    uint32_t name = (uint32_t)node_at(names, declarator)->value;
    if (refuse(names, declarator, scope, "register"))
        return;
    uint32_t reg = names_add_register(names, name, declarator, scope, type);
    bind(names, name, (struct binding){.kind = BOUND_REGISTER, .index = reg, .node = declarator});
}

static void declare_again(struct names *names, uint32_t index, uint32_t decl)
{
    const struct ir_symbol *symbol = &names->module->symbols.v[index];
    struct binding *before = &names->of.v[symbol->name].binding;
    const struct ir_symbol *old = &names->module->symbols.v[before->index];
    names->scopes++;
    if (names_redeclare(names, old, names->declarations.v[before->index], symbol, decl))
        before->index = index; // the symbol is known from its first declaration on
}

uint32_t names_declare_symbol(struct names *names, uint32_t decl, uint32_t scope,
                              const struct ir_symbol *symbol)
{
    uint32_t index = add_symbol(names, symbol);
    bool in_module = !names->fn;
    while (in_module && names->declarations.n <= index)
        vec_push(names->scratch, &names->declarations, decl);
    if (in_module && names->of.v[symbol->name].binding.kind == BOUND_SYMBOL)
        declare_again(names, index, decl);
    else if (!refuse(names, symbol->node, scope,
                     symbol->parameter != IR_NONE ? "parameter" : "variable"))
        bind(names, symbol->name,
             (struct binding){.kind = BOUND_SYMBOL, .index = index, .node = symbol->node});
    return index;
}

// Returns a family member that this scope declares as a single name, or IR_NONE.
static uint32_t find_member(struct names *names, uint32_t prefix, uint64_t count, uint32_t scope)
{
    for (uint32_t i = names->of.v[prefix].member - 1; i != IR_NONE; i = names->members.v[i].next) {
        uint32_t name = names->members.v[i].name;
        if (names->of.v[name].binding.depth < names->depth)
            break; // members of outer scopes were bound before
        if (split_name(names, name).number < count)
            return name;
    }
    uint32_t first = IR_NONE;
    for (uint32_t i = names->of.v[prefix].labels - 1; i != IR_NONE; i = names->labels.v[i].like) {
        const struct label *label = &names->labels.v[i];
        if (label->scope < scope) // it and all before it are outside the scope
            break;
        if (label->scope == scope && split_name(names, label->name).number < count)
            first = label->name;
    }
    return first;
}

void names_declare_family(struct names *names, uint32_t declarator, uint32_t scope,
                          const struct declared_type *type)
{
    enum { LIMIT = 1 << 24, UNREADABLE = 1 << 16 };
    const struct node *node = node_at(names, declarator);
    uint32_t name = (uint32_t)node->value;
    uint64_t count = node[1].kind == NODE_ERROR ? UNREADABLE : node[1].value;
    if (count > LIMIT) {
        diag_add(names->diags, DIAG_ERROR, "register-count", node->begin, node->end,
                 "more than %d registers in one declaration", LIMIT);
        count = LIMIT;
    }
    struct binding before = names->of.v[name].family;
    bool again = before.kind && before.depth == names->depth;
    uint32_t member = again ? IR_NONE : find_member(names, name, count, scope);
    if (again) {
        names_report_again(names, declarator, before.node, "family");
        names->counted.v[before.index].faulty = true;
    } else if (member != IR_NONE) {
        names_report_again(names, declarator, find_in_scope(names, member, scope), "a member of");
        bind(names, member,
             (struct binding){.kind = BOUND_FAULTY, .node = names->of.v[member].binding.node});
    }
    struct counted counted = {(uint32_t)count, declarator, scope, *type, again, NULL, before};
    counted.made = ARENA_ARRAY(scope ? names->lists : names->scratch, uint32_t, count + 1);
    vec_push(names->scratch, &names->counted, counted);
    bind(
        names, name,
        (struct binding){.kind = BOUND_COUNTED, .index = names->counted.n - 1, .node = declarator});
}

// Labels

void names_add_label(struct names *names, struct label label)
{
    uint32_t first = find_in_scope(names, label.name, label.scope);
    if (first != IR_NONE)
        names_report_again(names, label.node, first, "label");
    uint32_t prefix = split_name(names, label.name).prefix;
    label.next = names->of.v[label.name].label - 1;
    label.like = prefix == IR_NONE ? IR_NONE : names->of.v[prefix - 1].labels - 1;
    vec_push(names->scratch, &names->labels, label);
    names->of.v[label.name].label = names->labels.n;
    if (prefix != IR_NONE)
        names->of.v[prefix - 1].labels = names->labels.n;
}

static bool is_around(const struct names *names, uint32_t scope, uint32_t node)
{
    return scope < node && node < node_next(names->module->tree, scope);
}

static int compare_labels(const void *left, const void *right)
{
    const struct scoped_label *a = left, *b = right;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return a->label < b->label ? -1 : a->label > b->label;
}

static void sort_labels(struct names *names)
{
    for (uint32_t i = 0; i < names->labels.n; i++) {
        struct scoped_label place = {names->labels.v[i].name, names->labels.v[i].scope, i, IR_NONE};
        vec_push(names->scratch, &names->places, place);
    }
    struct scoped_label *places = names->places.v;
    qsort(places, names->places.n, sizeof *places, compare_labels);
    for (uint32_t i = 1; i < names->places.n; i++) {
        uint32_t around = i - 1;
        while (around != IR_NONE && !is_around(names, places[around].scope, places[i].scope))
            around = places[around].around;
        bool same = around != IR_NONE && places[around].name == places[i].name;
        places[i].around = same ? around : IR_NONE;
    }
}

// Returns the last label with this name whose scope begins before the node.
static uint32_t last_before(const struct names *names, uint32_t name, uint32_t at)
{
    const struct scoped_label *all = names->places.v;
    uint32_t low = SEARCH(i, 0, names->places.n,
                          all[i].name < name || (all[i].name == name && all[i].scope < at));
    return low && names->places.v[low - 1].name == name ? low - 1 : IR_NONE;
}

const struct label *names_find_label(struct names *names, uint32_t name, uint32_t at)
{
    const struct label *only =
        names->of.v[name].label ? &names->labels.v[names->of.v[name].label - 1] : NULL;
    if (!only || only->next == IR_NONE)
        return only && is_around(names, only->scope, at) ? only : NULL;
    if (!names->places.n)
        sort_labels(names);
    uint32_t place = last_before(names, name, at);
    while (place != IR_NONE && !is_around(names, names->places.v[place].scope, at))
        place = names->places.v[place].around;
    return place == IR_NONE ? NULL : &names->labels.v[names->places.v[place].label];
}

void names_forget_labels(struct names *names)
{
    for (uint32_t i = 0; i < names->labels.n; i++) {
        uint32_t name = names->labels.v[i].name, prefix = split_name(names, name).prefix;
        names->of.v[name].label = 0;
        if (prefix != IR_NONE)
            names->of.v[prefix - 1].labels = 0;
    }
    names->labels.n = names->places.n = 0;
}

// Undeclared names

// Returns true if the name was not reported in this function before.
static bool first_time(struct names *names, uint32_t name)
{
    uint32_t function =
        names->fn ? (uint32_t)(names->fn - names->module->functions.v) + 2 : 1; // 0: never
    if (!names->reported)
        names->reported = ARENA_ARRAY(names->scratch, uint32_t, names->count);
    if (names->reported[name] == function)
        return false;
    names->reported[name] = function;
    return true;
}

// Marks the words of unparsed text; words before a < as families.
static void mark_words(struct names *names, const char *at, const char *end)
{
    while (at < end) {
        const char *begin = at;
        while (at < end && is_word_byte(*at))
            at++;
        uint32_t id = intern_find(&names->module->tree->names, begin, (size_t)(at - begin));
        if (at > begin && id < names->count) {
            bits_set(names->unread, id);
            if (at < end && *at == '<')
                bits_set(names->unread_families, id);
        }
        at += at == begin;
    }
}

// Finds unparsed text that may contain declarations: it spans lines or begins with a dot.
static void find_unread(struct names *names)
{
    const struct tree *tree = names->module->tree;
    names->unread = ARENA_ARRAY(names->scratch, uint64_t, names->count / 64 + 1);
    names->unread_families = ARENA_ARRAY(names->scratch, uint64_t, names->count / 64 + 1);
    for (uint32_t i = 0; i < tree->nodes.n; i++) {
        const struct node *node = &tree->nodes.v[i];
        const char *text = tree->source->text + node->begin;
        uint32_t length = node->end - node->begin;
        if (node->kind != NODE_ERROR || !length)
            continue;
        names->unread_registers |= length > 4 && !memcmp(text, ".reg", 4);
        if (*text == '.' || memchr(text, '\n', length))
            mark_words(names, text, text + length);
    }
}

// Returns true if unparsed text, or the text around a fragment, may declare the name.
static bool may_be_elsewhere(struct names *names, uint32_t name)
{
    if (names->module->tree->source->fragment)
        return true;
    if (!names->unread)
        find_unread(names);
    struct split split = split_name(names, name);
    return names->unread_registers || bits_test(names->unread, name) ||
           (split.prefix != IR_NONE && bits_test(names->unread_families, split.prefix - 1));
}

// Comparing with every name is slow, so the number of suggestions per module is limited.
enum { MAX_GUESSES = 50 };

static const char *guess_text(struct names *names, const char *guess)
{
    return guess ? arena_printf(names->scratch, "; did you mean '%s'?", guess) : "";
}

// Adds a suggestion to the last diagnostic.
static void suggest(struct names *names, const char *guess)
{
    if (guess)
        diag_suggest(names->diags, guess, strlen(guess));
}

// These return the name that was probably intended, or NULL.

static const char *nearest_name(struct names *names, const struct nearest *nearest)
{
    return nearest->best ? arena_strndup(names->scratch, nearest->best, nearest->best_length)
                         : NULL;
}

static const char *guess_family(struct names *names, const struct name *typed)
{
    uint32_t digits = typed->length;
    while (digits > 1 && typed->text[digits - 1] >= '0' && typed->text[digits - 1] <= '9')
        digits--;
    if (digits == typed->length)
        return NULL;
    struct nearest nearest;
    nearest_init(&nearest, typed->text, digits);
    for (uint32_t i = 0; i < names->count; i++)
        if (names->of.v[i].family.kind)
            nearest_offer(&nearest, tree_name(names->module->tree, i)->text,
                          tree_name(names->module->tree, i)->length);
    if (!nearest.best)
        return NULL;
    return arena_printf(names->scratch, "%.*s%.*s", (int)nearest.best_length, nearest.best,
                        (int)(typed->length - digits), typed->text + digits);
}

static const char *guess_name(struct names *names, uint32_t id)
{
    const struct tree *tree = names->module->tree;
    if (names->guesses++ >= MAX_GUESSES)
        return NULL;
    struct nearest nearest;
    nearest_init(&nearest, tree_name(tree, id)->text, tree_name(tree, id)->length);
    for (uint32_t i = 0; i < names->count; i++) {
        bool known = names->of.v[i].binding.kind || isa_special_of(i) < SPECIAL_COUNT;
        if (known && i != id)
            nearest_offer(&nearest, tree_name(tree, i)->text, tree_name(tree, i)->length);
    }
    return nearest.best ? nearest_name(names, &nearest) : guess_family(names, tree_name(tree, id));
}

void names_undeclared(struct names *names, uint32_t node)
{
    uint32_t id = (uint32_t)node_at(names, node)->value;
    const struct name *name = tree_name(names->module->tree, id);
    if (names->fn)
        names->fn->incomplete = true;
    if (may_be_elsewhere(names, id) || !first_time(names, id))
        return;
    const char *text = arena_printf(names->scratch, "'%.*s' is", (int)name->length, name->text);
    struct binding binding = names->of.v[id].binding;
    struct split split = split_name(names, id);
    struct binding family =
        split.prefix == IR_NONE ? (struct binding){0} : names->of.v[split.prefix - 1].family;
    uint32_t place = IR_NONE;
    const char *guess = NULL;
    if (names_is_later(names, binding, node)) {
        text = arena_printf(names->scratch, "%s declared only after its use", text);
        place = binding.node;
    } else if (family.kind) {
        text = arena_printf(names->scratch, "%s not declared: its family has %u registers", text,
                            names->counted.v[family.index].count);
        place = family.node;
    } else {
        guess = guess_name(names, id);
        text = arena_printf(names->scratch, "%s not declared%s", text, guess_text(names, guess));
    }
    names_add_diag(names, DIAG_ERROR, "undeclared", node, text);
    suggest(names, guess);
    if (place != IR_NONE)
        names_add_diag(names, DIAG_NOTE, "undeclared", place, "declared here");
}

void names_no_label(struct names *names, uint32_t node)
{
    const struct tree *tree = names->module->tree;
    const struct node *at = node_at(names, node);
    const struct name *name = tree_name(tree, at->value);
    names->fn->incomplete = true;
    if (may_be_elsewhere(names, (uint32_t)at->value) || !first_time(names, (uint32_t)at->value))
        return;
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < names->labels.n && names->guesses < MAX_GUESSES; i++) {
        const struct name *known = tree_name(tree, names->labels.v[i].name);
        if (names_find_label(names, names->labels.v[i].name, node))
            nearest_offer(&nearest, known->text, known->length);
    }
    names->guesses++;
    const char *guess = nearest_name(names, &nearest);
    names_add_diag(names, DIAG_ERROR, "label", node,
                   arena_printf(names->scratch, "no label '%.*s' in scope%s", (int)name->length,
                                name->text, guess_text(names, guess)));
    suggest(names, guess);
    uint32_t other = names->of.v[at->value].label - 1;
    if (other == IR_NONE)
        return;
    names_add_diag(names, DIAG_NOTE, "label", names->labels.v[other].node,
                   "a label of this name is in another scope");
}
