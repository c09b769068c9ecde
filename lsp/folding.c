// Folding: functions, blocks, runs of instructions of one source line, and comments.
#include "lsp/answers.h"
#include "lsp/scan.h"
#include <string.h>

static void add(const struct lsp_query *query, json_t *list, uint32_t begin, uint32_t end,
                const char *kind)
{
    uint32_t first = document_position(query->document, begin).line;
    uint32_t last = document_position(query->document, end).line;
    if (last > first)
        json_array_append_new(list, json_pack("{s:i, s:i, s:s*}", "startLine", (int)first,
                                              "endLine", (int)last, "kind", kind));
}

// Returns the end of the line before the one that contains the offset.
static uint32_t line_before(const struct lsp_document *document, uint32_t offset)
{
    uint32_t line = document_position(document, offset).line;
    return line ? document->lines[line] - 1 : 0;
}

struct folding {
    struct lsp_query *query;
    json_t *list;
    VEC(uint32_t) open;    // blocks
    uint32_t run;          // the current .loc; UINT32_MAX: none
    uint32_t instructions; // since it
};

static void end_run(struct folding *f, uint32_t at)
{
    if (f->run != UINT32_MAX && f->instructions > 1)
        add(f->query, f->list, f->run, line_before(f->query->document, at), "region");
    f->run = UINT32_MAX;
}

static void fold_token(struct folding *f, const struct scan_walk *walk)
{
    struct lsp_span span = walk->token.span;
    switch (walk->place) {
    case PLACE_OPEN:
        end_run(f, span.begin);
        vec_push(f->query->arena, &f->open, span.begin);
        break;
    case PLACE_CLOSE:
        end_run(f, span.begin);
        if (f->open.n)
            add(f->query, f->list, f->open.v[--f->open.n],
                line_before(f->query->document, span.begin), NULL);
        break;
    case PLACE_LABEL: end_run(f, span.begin); break;
    case PLACE_OPCODE: f->instructions++; break;
    case PLACE_DIRECTIVE:
        if (!scan_is(&walk->tokens, walk->token, ".loc"))
            break;
        end_run(f, span.begin);
        f->run = span.begin;
        f->instructions = 0;
        break;
    default:;
    }
}

static void fold_functions(struct lsp_query *query, json_t *list)
{
    struct scan_tokens t = {query->document->text, 0, query->document->length};
    struct scan_item item;
    while (scan_next_item(&t, &item)) {
        if (lsp_is_empty(item.body))
            continue;
        struct folding f = {.query = query, .list = list, .run = UINT32_MAX};
        add(query, list, item.head.begin, line_before(query->document, item.body.end), NULL);
        struct scan_walk walk = scan_statements(query->document, item.body);
        while (scan_step(&walk))
            fold_token(&f, &walk);
        end_run(&f, item.body.end);
    }
}

// Returns the end of the comment or string that begins at the offset; its start for anything else.
static uint32_t comment_end(const char *text, uint32_t at, uint32_t length)
{
    const char *closing = text[at] == '"' ? "\"" : text[at + 1] == '/' ? "\n" : "*/";
    if (text[at] != '"' && (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*')))
        return at;
    uint32_t from = at + (text[at] == '"' ? 1 : 2);
    const char *end = from < length ? strstr(text + from, closing) : NULL;
    // The line feed is no part of a line comment.
    return end ? (uint32_t)(end - text) + (*closing == '\n' ? 0 : (uint32_t)strlen(closing))
               : length;
}

static void fold_comments(struct lsp_query *query, json_t *list)
{
    const char *text = query->document->text;
    uint32_t length = query->document->length, begin = 0, end = 0, blank = 0;
    for (uint32_t at = 0; at < length;) {
        uint32_t to = comment_end(text, at, length);
        if (to == at) {
            // Anything but blanks and single line ends between comments ends their run.
            blank = text[at] == '\n' ? blank + 1 : blank;
            if (blank > 1 || !strchr(" \t\r\n", text[at])) {
                if (end > begin)
                    add(query, list, begin, end, "comment");
                begin = end = at;
            }
            at++;
            continue;
        }
        blank = 0;
        if (text[at] == '"') {
            begin = end = to;
        } else {
            begin = end > begin ? begin : at;
            end = to;
        }
        at = to;
    }
    add(query, list, begin, end, "comment");
}

json_t *answer_folding(struct lsp_query *query)
{
    json_t *list = json_pack("[]");
    fold_functions(query, list);
    fold_comments(query, list);
    return list;
}
