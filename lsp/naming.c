#include "lsp/naming.h"
#include "frontend/isa.h"
#include "support/search.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A name, and how it is divided into stem and number.
struct name_text {
    const char *text;
    uint32_t length;
    uint32_t stem; // length without trailing digits; `length`: no number
    uint32_t number;
};

static struct name_text divide(const char *text, uint32_t length)
{
    enum { MAX_DIGITS = 8 };
    struct name_text name = {text, length, length, 0};
    while (name.stem > 1 && isdigit((unsigned char)text[name.stem - 1]))
        name.stem--;
    uint32_t first = name.stem;
    while (first + 1 < length && text[first] == '0') // r01 is r1
        first++;
    if (length - first > MAX_DIGITS)
        name.stem = length;
    for (uint32_t i = first; i < length && name.stem < length; i++)
        name.number = name.number * 10 + (uint32_t)(text[i] - '0');
    return name;
}

static struct name_text text_of(const struct lsp_document *document, struct lsp_span span)
{
    return divide(document->text + span.begin, span.end - span.begin);
}

static int compare_texts(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : a_length < b_length ? -1 : a_length > b_length;
}

static bool same_text(const struct lsp_document *document, struct lsp_span a, struct lsp_span b)
{
    return a.end - a.begin == b.end - b.begin &&
           !memcmp(document->text + a.begin, document->text + b.begin, a.end - a.begin);
}

// Declarations

struct declaration_reader {
    struct naming *names;
    struct arena *arena;
    VEC(uint32_t) open;    // scopes around the current place
    uint32_t statement;    // declarations before the current statement
    uint32_t begin, first; // of the statement, and of its first name
    enum naming_kind kind;
    bool declares;
};

static void add_declaration(struct declaration_reader *r, enum naming_kind kind,
                            struct lsp_span name, struct lsp_span statement, uint32_t count)
{
    struct naming_declaration declaration = {kind,  name,    statement, r->open.v[r->open.n - 1],
                                             count, r->first};
    vec_push(r->arena, &r->names->declarations, declaration);
}

static uint32_t count_after(struct scan_tokens tokens)
{
    if (scan_next(&tokens).first != '<')
        return 0;
    struct scan_token number = scan_next(&tokens);
    return isdigit((unsigned char)number.first)
               ? (uint32_t)strtoul(tokens.text + number.span.begin, NULL, 0)
               : 0;
}

static void read_parameters(struct declaration_reader *r)
{
    struct scan_tokens t = scan_tokens(r->names->document, r->names->item.head);
    uint32_t depth = 0;
    for (struct scan_token token = scan_next(&t); token.first; token = scan_next(&t)) {
        depth += token.first == '(';
        depth -= token.first == ')' && depth;
        if (strchr("(,", token.first))
            r->begin = t.at;
        if (!depth || !scan_is_name(token) || scan_is(&t, token, "_"))
            continue;
        r->first = token.span.begin;
        add_declaration(r, NAMING_PARAMETER, token.span,
                        (struct lsp_span){r->begin, token.span.end}, 0);
    }
}

static void open_scope(struct declaration_reader *r, uint32_t begin)
{
    vec_push(r->arena, &r->open, r->names->scopes.n);
    vec_push(r->arena, &r->names->scopes, (struct lsp_span){begin, r->names->item.body.end});
}

static void close_scope(struct declaration_reader *r, uint32_t end)
{
    if (r->open.n > 1)
        r->names->scopes.v[r->open.v[--r->open.n]].end = end;
}

static void begin_directive(struct declaration_reader *r, const struct scan_walk *w)
{
    bool is_register = scan_is(&w->tokens, w->token, ".reg");
    r->declares = is_register || scan_is_space(&w->tokens, w->token);
    r->kind = is_register ? NAMING_REGISTER : NAMING_LOCAL;
    r->begin = w->token.span.begin;
    r->statement = r->names->declarations.n;
    r->first = 0;
}

static void end_directive(struct declaration_reader *r, uint32_t end)
{
    for (uint32_t i = r->statement; r->declares && i < r->names->declarations.n; i++)
        r->names->declarations.v[i].statement = (struct lsp_span){r->begin, end};
    r->declares = false;
}

static void read_token(struct declaration_reader *r, const struct scan_walk *w)
{
    struct lsp_span span = w->token.span;
    switch (w->place) {
    case PLACE_OPEN: open_scope(r, span.begin); break;
    case PLACE_CLOSE: close_scope(r, span.end); break;
    case PLACE_LABEL:
        r->first = span.begin;
        add_declaration(r, NAMING_LABEL, span, span, 0);
        break;
    case PLACE_DIRECTIVE: begin_directive(r, w); break;
    case PLACE_OPCODE: r->declares = false; break;
    case PLACE_OPERAND:
        if (!r->declares || w->depth || w->value || !scan_is_name(w->token))
            break;
        r->first = r->first ? r->first : span.begin;
        add_declaration(r, r->kind, span, span, count_after(w->tokens));
        break;
    default:
        if (w->token.first == ';')
            end_directive(r, span.end);
    }
}

static int by_name(const void *left, const void *right, void *context)
{
    const struct naming_declaration *a = left, *b = right;
    const char *text = context;
    int order = compare_texts(text + a->name.begin, a->name.end - a->name.begin,
                              text + b->name.begin, b->name.end - b->name.begin);
    return order ? order : a->name.begin < b->name.begin ? -1 : a->name.begin > b->name.begin;
}

void naming_read(struct naming *names, struct arena *arena, const struct lsp_document *document,
                 const struct scan_item *item)
{
    struct declaration_reader r = {.names = names, .arena = arena};
    *names = (struct naming){.document = document, .item = *item};
    open_scope(&r, item->head.begin);
    read_parameters(&r);
    struct scan_walk walk = scan_statements(document, item->body);
    while (scan_step(&walk))
        read_token(&r, &walk);
    if (names->declarations.n)
        qsort_r(names->declarations.v, names->declarations.n, sizeof *names->declarations.v,
                by_name, document->text);
}

// Resolution

bool naming_is_visible(const struct naming *names, const struct naming_declaration *declaration,
                       uint32_t offset)
{
    struct lsp_span scope = names->scopes.v[declaration->scope];
    return scope.begin <= offset && offset <= scope.end;
}

// Returns the better one of two declarations for a name at the offset: one that precedes it, and
// then the innermost. Either may be NULL or out of scope.
static const struct naming_declaration *better(const struct naming *names,
                                               const struct naming_declaration *a,
                                               const struct naming_declaration *b, uint32_t offset)
{
    if (!naming_is_visible(names, b, offset))
        return a;
    bool late = b->kind != NAMING_LABEL && b->name.begin > offset;
    if (!a)
        return b;
    bool a_late = a->kind != NAMING_LABEL && a->name.begin > offset;
    if (late != a_late)
        return late ? a : b;
    return b->scope > a->scope ? b : a;
}

static const struct naming_declaration *find(const struct naming *names, struct name_text name,
                                             uint32_t length, bool family, uint32_t offset)
{
    const char *text = names->document->text;
    const struct naming_declaration *all = names->declarations.v, *best = NULL;
    uint32_t at = SEARCH(i, 0, names->declarations.n,
                         compare_texts(text + all[i].name.begin,
                                       all[i].name.end - all[i].name.begin, name.text, length) < 0);
    for (; at < names->declarations.n; at++) {
        struct lsp_span span = all[at].name;
        if (span.end - span.begin != length || memcmp(text + span.begin, name.text, length))
            break;
        if (!family && span.begin == offset)
            return &all[at];
        if (family ? name.number < all[at].count : !all[at].count)
            best = better(names, best, &all[at], offset);
    }
    return best;
}

const struct naming_declaration *naming_resolve(const struct naming *names, struct lsp_span span)
{
    struct name_text name = text_of(names->document, span);
    const struct naming_declaration *single = find(names, name, name.length, false, span.begin);
    const struct naming_declaration *member =
        name.stem < name.length ? find(names, name, name.stem, true, span.begin) : NULL;
    return single && member ? better(names, single, member, span.begin) : single ? single : member;
}

// Symbols

// Returns the kind of a token that may be a name, without the words of .loc.
static bool may_name(const struct scan_walk *w)
{
    return w->place == PLACE_LABEL || w->place == PLACE_GUARD ||
           (w->place == PLACE_OPERAND && scan_is_name(w->token) &&
            !scan_is(&w->tokens, w->token, "function_name") &&
            !scan_is(&w->tokens, w->token, "inlined_at"));
}

// Returns true if the span is a name at all in its function: no opcode and no word of a directive.
static bool is_name_here(const struct naming *names, struct lsp_span span)
{
    struct scan_item item = names->item;
    if (span.begin < item.body.begin || item.body.end <= span.begin)
        return true;
    struct scan_walk walk = scan_statements(names->document, item.body);
    while (scan_step(&walk))
        if (walk.token.span.begin >= span.begin)
            return walk.token.span.begin == span.begin && may_name(&walk);
    return false;
}

static bool find_local(struct naming_symbol *symbol, struct arena *arena,
                       const struct lsp_document *document)
{
    struct scan_item item;
    if (!scan_item_at(document, symbol->name.begin, &item) || item.symbol.kind == LSP_VARIABLE ||
        item.symbol.name.begin == symbol->name.begin)
        return false;
    naming_read(&symbol->names, arena, document, &item);
    if (!is_name_here(&symbol->names, symbol->name)) {
        symbol->name.end = symbol->name.begin; // nor of the module
        return false;
    }
    const struct naming_declaration *found = naming_resolve(&symbol->names, symbol->name);
    if (!found)
        return false;
    symbol->declaration = *found;
    symbol->is_local = true;
    symbol->is_family = found->count && found->name.begin == symbol->name.begin;
    symbol->scope = symbol->names.scopes.v[found->scope];
    return true;
}

static bool find_item(struct naming_symbol *symbol, const struct lsp_document *document)
{
    struct scan_tokens t = {document->text, 0, document->length};
    struct scan_item item;
    bool found = false;
    while (scan_next_item(&t, &item)) {
        bool has_body = !lsp_is_empty(item.body);
        if (!same_text(document, item.symbol.name, symbol->name) || (found && !has_body))
            continue;
        bool is_variable = item.symbol.kind == LSP_VARIABLE;
        symbol->declaration = (struct naming_declaration){
            .kind = is_variable ? NAMING_VARIABLE : NAMING_FUNCTION,
            .name = item.symbol.name,
            .statement = is_variable ? item.symbol.whole : item.head,
        };
        found = true;
    }
    symbol->scope = (struct lsp_span){0, document->length};
    return found;
}

bool naming_find(struct naming_symbol *symbol, struct arena *arena,
                 const struct lsp_document *document, uint32_t offset)
{
    *symbol = (struct naming_symbol){.names.document = document};
    symbol->name = scan_stem(document->text, scan_word(document, offset));
    struct scan_token token = {symbol->name, document->text[symbol->name.begin]};
    if (lsp_is_empty(symbol->name) || !scan_is_name(token))
        return false;
    return find_local(symbol, arena, document) ||
           (!lsp_is_empty(symbol->name) && find_item(symbol, document));
}

// Places

struct name_collector {
    struct naming_places *places;
    const struct naming_symbol *symbol;
    struct arena *arena;
    const struct lsp_document *document;
    struct name_text wanted;
    struct intern opcodes;
};

// Returns true if the name can be the wanted one, by its text.
static bool is_like(const struct name_collector *c, struct lsp_span span)
{
    const char *text = c->document->text + span.begin;
    uint32_t length = span.end - span.begin, stem = c->wanted.stem;
    if (length == c->wanted.length && !memcmp(text, c->wanted.text, length))
        return true;
    if (c->symbol->is_family)
        stem = c->wanted.length;
    else if (stem == c->wanted.length)
        return false;
    if (length < stem || memcmp(text, c->wanted.text, stem))
        return false;
    struct name_text name = divide(text, length);
    return length == stem ||
           (name.stem == stem && (c->symbol->is_family || name.number == c->wanted.number));
}

static void add_place(struct name_collector *c, struct lsp_span name, enum naming_use use,
                      bool declares)
{
    vec_push(c->arena, &c->places->list, (struct naming_place){name, use, declares});
}

// Returns how the operand at the current place of an instruction is used.
static enum naming_use use_of(struct name_collector *c, const struct scan_walk *w)
{
    enum { MAX_MODS = 32 };
    uint16_t mods[MAX_MODS], count = 0;
    if (w->place != PLACE_OPERAND || w->address || w->head.begin == w->head.end)
        return NAMING_READ;
    const char *at = c->document->text + w->head.begin, *end = c->document->text + w->head.end;
    size_t length = strcspn(at, ".");
    if (at + length > end)
        length = (size_t)(end - at);
    uint32_t op = intern_find(&c->opcodes, at, length);
    for (at += length; at < end && count < MAX_MODS; at += length) {
        length = 1;
        while (at + length < end && at[length] != '.')
            length++;
        uint32_t word = intern_find(&c->opcodes, at, length) - OP_COUNT;
        mods[count++] = word < WORD_COUNT ? (uint16_t)word : (uint16_t)W_UNKNOWN;
    }
    if (op >= OP_COUNT)
        return NAMING_READ;
    const char *roles = isa_form((uint16_t)op, mods, count).roles;
    size_t last = strlen(roles);
    if (!last)
        return NAMING_READ;
    char role = roles[w->operand < last ? w->operand : last - 1];
    return role == 'd' || role == 'm' ? NAMING_WRITE : NAMING_READ;
}

static void collect_body(struct name_collector *c, const struct naming *names)
{
    const struct naming_symbol *symbol = c->symbol;
    struct scan_walk walk = scan_statements(c->document, names->item.body);
    while (scan_step(&walk)) {
        struct lsp_span span = scan_stem(c->document->text, walk.token.span);
        if (!may_name(&walk) || !is_like(c, span))
            continue;
        const struct naming_declaration *found = naming_resolve(names, span);
        bool same = found ? symbol->is_local && found->name.begin == symbol->declaration.name.begin
                          : !symbol->is_local;
        if (same)
            add_place(c, span, use_of(c, &walk), found && found->name.begin == span.begin);
    }
}

// Collects names outside of functions, such as those of initial values and in sections.
static void collect_outside(struct name_collector *c, struct lsp_span span)
{
    struct scan_tokens t = scan_tokens(c->document, span);
    for (struct scan_token token = scan_next(&t); token.first; token = scan_next(&t))
        if (scan_is_name(token) && same_text(c->document, token.span, c->symbol->name))
            add_place(c, token.span, NAMING_TEXT, false);
}

static void collect_function(struct name_collector *c, const struct scan_item *item)
{
    struct naming names;
    if (memmem(c->document->text + item->body.begin, item->body.end - item->body.begin,
               c->wanted.text, c->wanted.length)) {
        naming_read(&names, c->arena, c->document, item);
        collect_body(c, &names);
    }
}

static void collect_module(struct name_collector *c)
{
    struct scan_tokens t = {c->document->text, 0, c->document->length};
    struct scan_item item;
    uint32_t done = 0;
    while (scan_next_item(&t, &item)) {
        bool is_variable = item.symbol.kind == LSP_VARIABLE;
        collect_outside(c, (struct lsp_span){done, item.symbol.whole.begin});
        done = item.symbol.whole.end;
        if (is_variable)
            collect_outside(c, item.symbol.whole);
        else if (!c->symbol->is_local && same_text(c->document, item.symbol.name, c->symbol->name))
            add_place(c, item.symbol.name, NAMING_TEXT, true);
        if (!c->symbol->is_local)
            collect_function(c, &item);
        else if (item.head.begin == c->symbol->names.item.head.begin)
            collect_body(c, &c->symbol->names);
    }
    collect_outside(c, (struct lsp_span){done, c->document->length});
    for (uint32_t i = 0; i < c->places->list.n; i++)
        c->places->list.v[i].declares |=
            c->places->list.v[i].name.begin == c->symbol->declaration.name.begin;
}

void naming_collect(struct naming_places *places, const struct naming_symbol *symbol,
                    struct arena *arena)
{
    const struct lsp_document *document = symbol->names.document;
    struct name_collector c = {.places = places,
                               .symbol = symbol,
                               .arena = arena,
                               .document = document,
                               .wanted = text_of(document, symbol->name)};
    intern_init(&c.opcodes, arena);
    isa_intern(&c.opcodes);
    if (symbol->declaration.kind == NAMING_PARAMETER) // its declaration is in the head
        add_place(&c, symbol->declaration.name, NAMING_TEXT, true);
    if (symbol->is_local && symbol->declaration.kind != NAMING_LABEL)
        collect_body(&c, &symbol->names);
    else
        collect_module(&c);
}

// New names

static bool is_legal(const char *name)
{
    size_t length = strlen(name);
    bool bare = strchr("_$%", *name) && length > 1;
    if (!length || (!bare && !isalpha((unsigned char)*name)))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name[i] != '$')
            return false;
    return true;
}

static bool is_reserved(const char *name)
{
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        if (!strcmp(isa_specials[i].text, name))
            return true;
    for (uint32_t i = 0; i < OP_COUNT; i++)
        if (!strcmp(isa_op_names[i], name))
            return true;
    return !strcmp(name, "WARP_SZ");
}

static bool is_in(const struct lsp_span inner, struct lsp_span outer)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

static bool token_is(const struct lsp_document *document, struct lsp_span span,
                     struct name_text name)
{
    return span.end - span.begin == name.length &&
           !memcmp(document->text + span.begin, name.text, name.length);
}

// Returns true if the span has the name; with `family` also followed by digits.
static bool has_name(const struct lsp_document *document, struct lsp_span span,
                     struct name_text name, bool family)
{
    struct name_text text = text_of(document, span);
    return token_is(document, span, name) ||
           (family && text.stem < text.length &&
            token_is(document, (struct lsp_span){span.begin, span.begin + text.stem}, name));
}

// Returns true if a declaration declares the name, or with `family` a member of it.
static bool declares(const struct lsp_document *document, const struct naming_declaration *d,
                     struct name_text name, bool family)
{
    struct name_text stem = {name.text, name.stem, name.stem, 0};
    return d->count && !family ? name.stem < name.length && name.number < d->count &&
                                     token_is(document, d->name, stem)
                               : has_name(document, d->name, name, family);
}

// Returns the place of a name in a function that the symbol would meet, or NULL.
static const struct lsp_span *find_clash(const struct naming_symbol *symbol, struct name_text name,
                                         struct lsp_span *found)
{
    const struct naming *names = &symbol->names;
    for (uint32_t i = 0; i < names->declarations.n; i++) {
        const struct naming_declaration *d = &names->declarations.v[i];
        *found = d->name;
        bool meets = is_in(symbol->scope, names->scopes.v[d->scope]) ||
                     is_in(names->scopes.v[d->scope], symbol->scope);
        if (meets && declares(names->document, d, name, symbol->is_family))
            return found;
    }
    struct scan_walk walk = scan_statements(names->document, names->item.body);
    while (scan_step(&walk)) {
        *found = scan_stem(names->document->text, walk.token.span);
        if (may_name(&walk) && is_in(*found, symbol->scope) &&
            has_name(names->document, *found, name, symbol->is_family))
            return found;
    }
    return NULL;
}

// Returns the place of the name in the module: of an item, or with `anywhere` any.
static const struct lsp_span *find_in_module(const struct lsp_document *document,
                                             struct name_text name, bool anywhere,
                                             struct lsp_span *found)
{
    struct scan_tokens t = {document->text, 0, document->length};
    struct scan_item item;
    if (anywhere) {
        for (struct scan_token token = scan_next(&t); token.first; token = scan_next(&t)) {
            *found = scan_stem(document->text, token.span);
            if (token_is(document, *found, name))
                return found;
        }
        return NULL;
    }
    while (scan_next_item(&t, &item)) {
        *found = item.symbol.name;
        if (token_is(document, *found, name))
            return found;
    }
    return NULL;
}

// Returns true if a label has this name in several functions, and a section names it.
static bool is_ambiguous(const struct naming_symbol *symbol, struct arena *arena)
{
    const struct lsp_document *document = symbol->names.document;
    struct naming_places places = {0};
    uint32_t functions = 0;
    bool outside = false;
    naming_collect(&places, symbol, arena);
    for (uint32_t i = 0; i < places.list.n; i++)
        outside |= !is_in(places.list.v[i].name, symbol->names.item.symbol.whole);
    struct scan_tokens t = {document->text, 0, document->length};
    struct scan_item item;
    while (outside && scan_next_item(&t, &item)) {
        struct scan_walk walk = scan_statements(document, item.body);
        while (scan_step(&walk))
            if (walk.place == PLACE_LABEL && same_text(document, walk.token.span, symbol->name)) {
                functions++;
                break;
            }
    }
    return functions > 1;
}

const char *naming_refuse(const struct naming_symbol *symbol, struct arena *arena, const char *name)
{
    const struct lsp_document *document = symbol->names.document;
    struct name_text wanted = divide(name, (uint32_t)strlen(name));
    struct lsp_span found;
    if (!is_legal(name))
        return arena_printf(arena,
                            "'%s' is not a name: it begins with a letter, or with _, $ or %% and "
                            "another character, and has letters, digits, _ and $",
                            name);
    if (is_reserved(name))
        return arena_printf(arena, "'%s' is a word of PTX; choose another name", name);
    if (symbol->is_family && wanted.stem < wanted.length)
        return arena_printf(arena, "the name of a family of registers cannot end with a digit");
    bool clash = find_in_module(document, wanted, !symbol->is_local, &found) ||
                 (symbol->is_local && find_clash(symbol, wanted, &found));
    if (clash)
        return arena_printf(arena, "'%s' already has a meaning in line %u; choose another name",
                            name, document_position(document, found.begin).line + 1);
    if (symbol->declaration.kind == NAMING_LABEL && is_ambiguous(symbol, arena))
        return arena_printf(arena, "several functions have this label, and a section names one of "
                                   "them: rename it in the text");
    return NULL;
}
