// Semantic tokens: what each word is, with its declaration known. Comments are left to the grammars
// of editors.
#include "frontend/isa.h"
#include "lsp/answers.h"
#include "lsp/naming.h"
#include <ctype.h>
#include <string.h>

#define TOKEN_TYPES(ROW)                                                                           \
    ROW(KEYWORD, "keyword")                                                                        \
    ROW(MODIFIER, "modifier")                                                                      \
    ROW(TYPE, "type")                                                                              \
    ROW(DIRECTIVE, "decorator")                                                                    \
    ROW(REGISTER, "variable")                                                                      \
    ROW(PARAMETER, "parameter")                                                                    \
    ROW(MEMORY, "property")                                                                        \
    ROW(LABEL, "label")                                                                            \
    ROW(FUNCTION, "function")                                                                      \
    ROW(SPECIAL, "macro")                                                                          \
    ROW(NUMBER, "number")                                                                          \
    ROW(STRING, "string")

enum token_type {
#define ROW(name, text) TOKEN_##name,
    TOKEN_TYPES(ROW)
#undef ROW
        TOKEN_NONE,
};
enum { DECLARES = 1 };

// A longer text gets tokens for the visible range only.
enum { MAX_LENGTH = 1 << 20 };

json_t *tokens_legend(void)
{
    json_t *types = json_pack("[]");
#define ROW(name, text) json_array_append_new(types, json_pack("s", text));
    TOKEN_TYPES(ROW)
#undef ROW
    return json_pack("{s:o, s:[s]}", "tokenTypes", types, "tokenModifiers", "declaration");
}

struct painting {
    struct lsp_query *query;
    struct lsp_span range;
    struct intern words;
    const struct naming *names; // of the function; NULL outside
    json_t *data;
    struct lsp_position last;
};

static void paint(struct painting *p, struct lsp_span span, enum token_type type, int modifiers)
{
    const struct lsp_document *document = p->query->document;
    if (type == TOKEN_NONE || span.end < p->range.begin || span.begin > p->range.end ||
        memchr(document->text + span.begin, '\n', span.end - span.begin))
        return;
    struct lsp_position at = document_position(document, span.begin);
    uint32_t end = document_position(document, span.end).character;
    bool same = at.line == p->last.line;
    int numbers[] = {(int)(at.line - p->last.line),
                     (int)(same ? at.character - p->last.character : at.character),
                     (int)(end - at.character), (int)type, modifiers};
    for (uint32_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        json_array_append_new(p->data, json_pack("i", numbers[i]));
    p->last = at;
}

static uint16_t word_of(const struct painting *p, struct lsp_span span)
{
    uint32_t word =
        intern_find(&p->words, p->query->document->text + span.begin, span.end - span.begin) -
        OP_COUNT;
    return word < WORD_COUNT ? (uint16_t)word : (uint16_t)W_UNKNOWN;
}

// Paints the parts of a word that begin with a dot.
static void paint_modifiers(struct painting *p, struct lsp_span span)
{
    const char *text = p->query->document->text;
    while (span.begin < span.end) {
        struct lsp_span part = scan_stem(text, span);
        paint(p, part, isa_is_type(word_of(p, part)) ? TOKEN_TYPE : TOKEN_MODIFIER, 0);
        span.begin = part.end;
    }
}

static void paint_name(struct painting *p, struct lsp_span span)
{
    static const uint8_t types[] = {
        [NAMING_REGISTER] = TOKEN_REGISTER, [NAMING_PARAMETER] = TOKEN_PARAMETER,
        [NAMING_LOCAL] = TOKEN_MEMORY,      [NAMING_LABEL] = TOKEN_LABEL,
        [NAMING_VARIABLE] = TOKEN_MEMORY,   [NAMING_FUNCTION] = TOKEN_FUNCTION,
    };
    struct lsp_span stem = scan_stem(p->query->document->text, span);
    const struct naming_declaration *found = p->names ? naming_resolve(p->names, stem) : NULL;
    uint32_t name =
        intern_find(&p->words, p->query->document->text + stem.begin, stem.end - stem.begin);
    if (found)
        paint(p, stem, types[found->kind], found->name.begin == stem.begin ? DECLARES : 0);
    else if (isa_special_of(name) < SPECIAL_COUNT)
        paint(p, stem, TOKEN_SPECIAL, 0);
    else if (p->query->document->text[stem.begin] != '%')
        paint(p, stem, TOKEN_MEMORY, 0); // of the module
}

// Paints a token outside of instructions, or an operand.
static void paint_token(struct painting *p, const struct scan_token *token)
{
    bool point = token->first == '.' &&
                 isdigit((unsigned char)p->query->document->text[token->span.begin + 1]);
    if (token->first == '"')
        paint(p, token->span, TOKEN_STRING, 0);
    else if (isdigit((unsigned char)token->first) || point)
        paint(p, token->span, TOKEN_NUMBER, 0);
    else if (token->first == '.')
        paint(p, token->span, isa_is_type(word_of(p, token->span)) ? TOKEN_TYPE : TOKEN_DIRECTIVE,
              0);
    else if (scan_is_name(*token))
        paint_name(p, token->span);
}

static void paint_body(struct painting *p, const struct scan_item *item)
{
    const struct lsp_document *document = p->query->document;
    struct scan_walk walk = scan_statements(document, item->body);
    while (scan_step(&walk) && walk.token.span.begin <= p->range.end) {
        struct lsp_span span = walk.token.span;
        if (span.end < p->range.begin)
            continue;
        struct lsp_span stem = scan_stem(document->text, span);
        bool is_call = scan_is(
            &walk.tokens, (struct scan_token){scan_stem(document->text, walk.head), 'c'}, "call");
        if (walk.place == PLACE_OPCODE) {
            paint(p, stem, TOKEN_KEYWORD, 0);
            paint_modifiers(p, (struct lsp_span){stem.end, span.end});
        } else if (walk.place == PLACE_DIRECTIVE) {
            paint(p, span, TOKEN_DIRECTIVE, 0);
        } else if (is_call && !walk.depth && scan_is_name(walk.token) &&
                   !naming_resolve(p->names, stem)) {
            paint(p, stem, TOKEN_FUNCTION, 0);
        } else {
            paint_token(p, &walk.token);
        }
    }
}

static void paint_span(struct painting *p, struct lsp_span span, const struct scan_item *item)
{
    struct scan_tokens t = scan_tokens(p->query->document, span);
    for (struct scan_token token = scan_next(&t); token.first; token = scan_next(&t)) {
        bool names_item = item && token.span.begin == item->symbol.name.begin;
        if (token.span.end < p->range.begin || token.span.begin > p->range.end)
            continue;
        if (names_item)
            paint(p, token.span, item->symbol.kind == LSP_VARIABLE ? TOKEN_MEMORY : TOKEN_FUNCTION,
                  DECLARES);
        else
            paint_token(p, &token);
    }
}

static void paint_item(struct painting *p, const struct scan_item *item)
{
    struct naming names;
    if (item->symbol.whole.end < p->range.begin || item->symbol.whole.begin > p->range.end)
        return;
    if (item->symbol.kind == LSP_VARIABLE) {
        paint_span(p, item->symbol.whole, item);
        return;
    }
    naming_read(&names, p->query->arena, p->query->document, item);
    p->names = &names;
    paint_span(p, item->head, item);
    paint_body(p, item);
    p->names = NULL;
}

static json_t *tokens_in(struct lsp_query *query, struct lsp_span range)
{
    struct painting p = {.query = query, .range = range, .data = json_pack("[]")};
    struct scan_tokens t = {query->document->text, 0, query->document->length};
    struct scan_item item;
    uint32_t done = 0;
    intern_init(&p.words, query->arena);
    isa_intern(&p.words);
    while (done <= range.end && scan_next_item(&t, &item)) {
        paint_span(&p, (struct lsp_span){done, item.symbol.whole.begin}, NULL);
        paint_item(&p, &item);
        done = item.symbol.whole.end;
    }
    paint_span(&p, (struct lsp_span){done, query->document->length}, NULL);
    return json_pack("{s:o}", "data", p.data);
}

json_t *answer_tokens(struct lsp_query *query)
{
    struct lsp_span whole = {0, query->document->length};
    return query->document->length <= MAX_LENGTH ? tokens_in(query, whole) : NULL;
}

json_t *answer_tokens_in_range(struct lsp_query *query)
{
    return tokens_in(query,
                     protocol_read_range(query->document, json_object_get(query->params, "range")));
}
