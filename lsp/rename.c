// New names. A member of a family of registers gets a declaration of its own beside the family's.
#include "lsp/answers.h"
#include "lsp/naming.h"
#include <string.h>

// Finds the symbol of the request. Sets the error without one.
static bool find(struct naming_symbol *symbol, struct lsp_query *query)
{
    if (naming_find(symbol, query->arena, query->document, query->offset))
        return true;
    query->error = "there is no name with a declaration here";
    return false;
}

json_t *answer_prepare_rename(struct lsp_query *query)
{
    struct naming_symbol symbol;
    if (!find(&symbol, query))
        return NULL;
    return json_pack("{s:o, s:o}", "range", protocol_range(query->document, symbol.name),
                     "placeholder", protocol_span_text(query->document, symbol.name));
}

static bool is_member(const struct naming_symbol *symbol)
{
    return symbol->declaration.count && !symbol->is_family;
}

// Returns the indentation of the line of an offset, with its line end before it.
static const char *indentation(const struct lsp_query *query, uint32_t offset)
{
    const struct lsp_document *document = query->document;
    uint32_t begin = document->lines[document_position(document, offset).line], end = begin;
    while (end < offset && (document->text[end] == ' ' || document->text[end] == '\t'))
        end++;
    if (end < offset) // more than blanks precedes the declaration
        return " ";
    const char *feed = begin > 1 && document->text[begin - 2] == '\r' ? "\r\n" : "\n";
    return arena_printf(query->arena, "%s%.*s", begin ? feed : "\n", (int)(end - begin),
                        document->text + begin);
}

// Returns a declaration for a member of a family, to be inserted after the family's.
static json_t *own_declaration(const struct lsp_query *query, const struct naming_symbol *symbol,
                               const char *name)
{
    const struct naming_declaration *family = &symbol->declaration;
    struct lsp_span at = {family->statement.end, family->statement.end};
    const char *text =
        arena_printf(query->arena, "%s%.*s%s;", indentation(query, family->statement.begin),
                     (int)(family->first - family->statement.begin),
                     query->document->text + family->statement.begin, name);
    return json_pack("{s:o, s:o}", "range", protocol_range(query->document, at), "newText",
                     protocol_text(text));
}

// Returns the new text of a place. Members of a family keep their numbers.
static const char *new_text(const struct lsp_query *query, const struct naming_symbol *symbol,
                            struct lsp_span place, const char *name)
{
    uint32_t stem = symbol->name.end - symbol->name.begin;
    if (!symbol->is_family)
        return name;
    return arena_printf(query->arena, "%s%.*s", name, (int)(place.end - place.begin - stem),
                        query->document->text + place.begin + stem);
}

static json_t *edits(const struct lsp_query *query, const struct naming_symbol *symbol,
                     const char *name)
{
    struct naming_places places = {0};
    naming_collect(&places, symbol, query->arena);
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; i < places.list.n; i++) {
        const struct naming_place *place = &places.list.v[i];
        json_t *edit =
            place->declares && is_member(symbol)
                ? own_declaration(query, symbol, name)
                : json_pack("{s:o, s:o}", "range", protocol_range(query->document, place->name),
                            "newText", protocol_text(new_text(query, symbol, place->name, name)));
        json_array_append_new(list, edit);
    }
    return list;
}

json_t *answer_rename(struct lsp_query *query)
{
    struct naming_symbol symbol;
    const char *name = json_string_value(json_object_get(query->params, "newName"));
    if (!find(&symbol, query))
        return NULL;
    size_t length = symbol.name.end - symbol.name.begin;
    if (name && strlen(name) == length &&
        !memcmp(name, query->document->text + symbol.name.begin, length))
        return json_pack("{s:{}}", "changes");
    query->error = name ? naming_refuse(&symbol, query->arena, name) : "newName is missing";
    if (query->error)
        return NULL;
    return json_pack("{s:{s:o}}", "changes", query->document->uri, edits(query, &symbol, name));
}
