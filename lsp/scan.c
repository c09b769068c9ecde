#include "lsp/scan.h"
#include <string.h>

void scan_symbols(const struct lsp_document *document,
                  void (*take)(void *context, const struct lsp_symbol *symbol), void *context)
{
    struct scan_tokens t = {document->text, 0, document->length};
    struct scan_item item;
    while (scan_next_item(&t, &item)) {
        take(context, &item.symbol);
        struct scan_walk walk = scan_statements(document, item.body);
        while (scan_step(&walk))
            if (walk.place == PLACE_LABEL)
                take(context, &(struct lsp_symbol){LSP_LABEL, walk.token.span, walk.token.span});
    }
}

// Copies the state of a walk whose current token precedes the place.
static void keep(struct scan_statement *statement, const struct scan_walk *walk)
{
    bool ended = walk->begins && walk->place != PLACE_OTHER;
    ended |= walk->token.first == ';' || walk->token.first == '@' || walk->token.first == '!';
    statement->head = ended ? (struct lsp_span){0, 0} : walk->head;
    statement->guard = walk->guarded;
    statement->address = !ended && walk->address;
    statement->list = !ended && walk->depth && !walk->address;
    statement->operand = walk->operand;
    statement->inside = walk->inside;
}

// Reads the statements of a module's top level, whose directives may end without a semicolon.
static void read_module(struct scan_statement *statement, const struct lsp_document *document,
                        uint32_t offset)
{
    uint32_t line = document_position(document, offset).line;
    struct scan_tokens t = {document->text, document->lines[line], offset};
    struct scan_token token = scan_next(&t);
    if (token.first == '.' && token.span.end < offset)
        statement->head = token.span;
}

struct scan_statement scan_statement_at(const struct lsp_document *document, uint32_t offset)
{
    struct scan_statement statement = {.word = scan_word(document, offset)};
    struct scan_item item;
    if (!scan_item_at(document, offset, &item) || lsp_is_empty(item.body) ||
        offset < item.body.begin || offset > item.body.end) {
        read_module(&statement, document, offset);
        return statement;
    }
    statement.in_body = true;
    statement.item = item;
    struct scan_walk walk = scan_statements(document, item.body);
    while (scan_step(&walk)) {
        bool is_word =
            walk.token.span.begin == statement.word.begin && !lsp_is_empty(statement.word);
        if (walk.token.span.begin >= offset || is_word) {
            // A word on a new line may begin a statement whose predecessor has no semicolon.
            if (is_word && walk.place <= PLACE_DIRECTIVE) {
                statement.head = (struct lsp_span){0, 0};
                statement.guard = walk.place == PLACE_GUARD;
            }
            break;
        }
        keep(&statement, &walk);
    }
    return statement;
}

struct lsp_span scan_opcode(const struct lsp_document *document, uint32_t offset)
{
    struct scan_item item;
    struct lsp_span none = {offset, offset};
    if (!scan_item_at(document, offset, &item) || offset < item.body.begin ||
        offset >= item.body.end)
        return none;
    struct scan_walk walk = scan_statements(document, item.body);
    struct lsp_span opcode = none;
    while (scan_step(&walk)) {
        if (walk.place <= PLACE_DIRECTIVE && walk.token.span.begin > offset)
            return opcode;
        if (walk.place == PLACE_OPCODE)
            opcode = walk.token.span;
        else if (walk.place <= PLACE_DIRECTIVE)
            opcode = none;
        if (walk.token.first == ';') {
            if (offset < walk.token.span.end)
                return opcode;
            opcode = none;
        }
    }
    return none;
}
