// The table of methods, and answers that look something up.
#include "lsp/answers.h"
#include "backend/emit/format.h"
#include "lsp/hover.h"
#include "lsp/naming.h"
#include "lsp/scan.h"
#include "support/diag.h"
#include <stdlib.h>
#include <string.h>

static json_t *hover(struct lsp_query *query)
{
    char *markdown = NULL;
    size_t size;
    FILE *to = open_memstream(&markdown, &size);
    if (!to)
        return NULL;
    struct lsp_span span =
        hover_write(query->arena, query->document, query->result, query->offset, to);
    bool good = !fclose(to) && !lsp_is_empty(span);
    json_t *result =
        good ? json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value",
                         protocol_text(markdown), "range", protocol_range(query->document, span))
             : NULL;
    free(markdown);
    return result;
}

// Names

static json_t *location(const struct lsp_document *document, struct lsp_span span)
{
    return json_pack("{s:s, s:o}", "uri", document->uri, "range", protocol_range(document, span));
}

static json_t *definition(struct lsp_query *query)
{
    struct naming_symbol symbol;
    bool found = naming_find(&symbol, query->arena, query->document, query->offset);
    return found ? location(query->document, symbol.declaration.name) : NULL;
}

static json_t *references(struct lsp_query *query)
{
    struct naming_symbol symbol;
    struct naming_places places = {0};
    const json_t *context = json_object_get(query->params, "context");
    bool with = json_is_true(json_object_get(context, "includeDeclaration"));
    if (!naming_find(&symbol, query->arena, query->document, query->offset))
        return NULL;
    naming_collect(&places, &symbol, query->arena);
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; i < places.list.n; i++)
        if (with || !places.list.v[i].declares)
            json_array_append_new(list, location(query->document, places.list.v[i].name));
    return list;
}

static json_t *highlight(struct lsp_query *query)
{
    struct naming_symbol symbol;
    struct naming_places places = {0};
    if (!naming_find(&symbol, query->arena, query->document, query->offset))
        return NULL;
    naming_collect(&places, &symbol, query->arena);
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; i < places.list.n; i++) {
        const struct naming_place *place = &places.list.v[i];
        json_array_append_new(list, json_pack("{s:o, s:i}", "range",
                                              protocol_range(query->document, place->name), "kind",
                                              place->declares ? NAMING_TEXT : place->use));
    }
    return list;
}

// Outline

struct outline {
    const struct lsp_document *document;
    json_t *list, *children; // children of the last function
};

int symbol_kind(enum lsp_symbol_kind kind)
{
    enum { FUNCTION = 12, VARIABLE = 13, KEY = 20, EVENT = 24 };
    static const int kinds[] = {[LSP_KERNEL] = EVENT,
                                [LSP_FUNCTION] = FUNCTION,
                                [LSP_VARIABLE] = VARIABLE,
                                [LSP_LABEL] = KEY};
    return kinds[kind];
}

static void add_symbol(void *context, const struct lsp_symbol *symbol)
{
    struct outline *outline = context;
    json_t *children = json_pack("[]");
    json_t *made = json_pack("{s:o, s:i, s:o, s:o, s:o}", "name",
                             protocol_span_text(outline->document, symbol->name), "kind",
                             symbol_kind(symbol->kind), "range",
                             protocol_range(outline->document, symbol->whole), "selectionRange",
                             protocol_range(outline->document, symbol->name), "children", children);
    bool inner = symbol->kind == LSP_LABEL && outline->children;
    json_array_append_new(inner ? outline->children : outline->list, made);
    if (symbol->kind == LSP_KERNEL || symbol->kind == LSP_FUNCTION)
        outline->children = children;
}

static json_t *symbols(struct lsp_query *query)
{
    struct outline outline = {query->document, json_pack("[]"), NULL};
    scan_symbols(query->document, add_symbol, &outline);
    return outline.list;
}

// Formatting

// Returns the formatted text, or NULL if it has syntax errors or memory runs out.
static char *formatted(struct memory *memory, const struct lsp_document *document, size_t *size)
{
    struct arena arena;
    struct source source;
    struct tree tree;
    struct diags diags;
    char *text = NULL;
    if (setjmp(memory->on_failure))
        return NULL;
    arena_init(&arena, memory);
    char *copy = arena_alloc(&arena, document->length + 2);
    memcpy(copy, document->text, document->length);
    source_init(&source, &arena, "", copy, document->length);
    diags_init(&diags, &arena);
    ptx_parse(&tree, &arena, &source, &diags);
    FILE *to = diags.errors ? NULL : open_memstream(&text, size);
    if (!to)
        return NULL;
    format_write(&tree, to);
    if (!fclose(to))
        return text;
    free(text);
    return NULL;
}

static json_t *format(struct lsp_query *query)
{
    struct memory memory = {.limit = query->limit};
    size_t size;
    char *made = formatted(&memory, query->document, &size);
    memory_free(&memory);
    if (!made)
        return NULL;
    struct lsp_span whole = {0, query->document->length};
    json_t *result = json_pack("[{s:o, s:o}]", "range", protocol_range(query->document, whole),
                               "newText", protocol_text(made));
    free(made);
    return result;
}

// Quick fixes

// Returns true if the editor requests quick fixes.
static bool wants_fixes(const json_t *only)
{
    size_t i;
    json_t *kind;
    bool wanted = !json_array_size(only);
    json_array_foreach(only, i, kind)
    {
        const char *name = json_string_value(kind);
        wanted |= name && (!*name || !strcmp(name, "quickfix"));
    }
    return wanted;
}

static json_t *json_fix(const struct lsp_document *document, const struct lsp_finding *finding)
{
    struct lsp_span span = {finding->begin, finding->end};
    char title[160];
    snprintf(title, sizeof title, "Replace by '%.100s'", finding->replacement);
    json_t *edit = json_pack("[{s:o, s:o}]", "range", protocol_range(document, span), "newText",
                             protocol_text(finding->replacement));
    return json_pack("{s:o, s:s, s:b, s:[o], s:{s:{s:o}}}", "title", protocol_text(title), "kind",
                     "quickfix", "isPreferred", 1, "diagnostics",
                     protocol_finding(document, finding), "edit", "changes", document->uri, edit);
}

static json_t *actions(struct lsp_query *query)
{
    const struct lsp_result *result = query->result;
    struct lsp_span at =
        protocol_read_range(query->document, json_object_get(query->params, "range"));
    const json_t *context = json_object_get(query->params, "context");
    json_t *list = json_pack("[]");
    if (!wants_fixes(json_object_get(context, "only")))
        return list;
    for (uint32_t i = 0; result && i < result->finding_count; i++) {
        const struct lsp_finding *finding = &result->findings[i];
        if (finding->replacement && finding->begin <= at.end && finding->end >= at.begin)
            json_array_append_new(list, json_fix(query->document, finding));
    }
    return list;
}

// Decisions: hints after the first instruction of what is offloaded, and a line over each function

static json_t *hints(struct lsp_query *query)
{
    const struct lsp_result *result = query->result;
    const struct lsp_document *document = query->document;
    struct lsp_span at = protocol_read_range(document, json_object_get(query->params, "range"));
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; result && i < result->decision_count; i++) {
        const struct lsp_decision *decision = &result->decisions[i];
        if (!decision->hint || decision->end < at.begin || decision->end > at.end)
            continue;
        json_array_append_new(list, json_pack("{s:o, s:o, s:b, s:{s:s, s:o}}", "position",
                                              protocol_position(document, decision->end), "label",
                                              protocol_text(decision->hint), "paddingLeft", 1,
                                              "tooltip", "kind", "markdown", "value",
                                              protocol_text(decision->text)));
    }
    return list;
}

static json_t *lenses(struct lsp_query *query)
{
    const struct lsp_result *result = query->result;
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; result && i < result->summary_count; i++) {
        const struct lsp_summary *summary = &result->summaries[i];
        struct lsp_span at = {summary->begin, summary->begin};
        json_array_append_new(
            list, json_pack("{s:o, s:{s:o, s:s}}", "range", protocol_range(query->document, at),
                            "command", "title", protocol_text(summary->text), "command", ""));
    }
    return list;
}

// Methods

const struct lsp_method lsp_methods[] = {
    {"textDocument/hover", hover},
    {"textDocument/definition", definition},
    {"textDocument/references", references},
    {"textDocument/documentHighlight", highlight},
    {"textDocument/prepareRename", answer_prepare_rename},
    {"textDocument/rename", answer_rename},
    {"textDocument/completion", answer_completion},
    {"textDocument/signatureHelp", answer_signature},
    {"textDocument/inlayHint", hints},
    {"textDocument/codeLens", lenses},
    {"textDocument/semanticTokens/full", answer_tokens},
    {"textDocument/semanticTokens/range", answer_tokens_in_range},
    {"textDocument/foldingRange", answer_folding},
    {"textDocument/documentSymbol", symbols},
    {"textDocument/formatting", format},
    {"textDocument/codeAction", actions},
    {0},
};

json_t *answers_capabilities(void)
{
    static const char text[] =
        "{\"textDocumentSync\": {\"openClose\": true, \"change\": 2}, \"hoverProvider\": true,"
        " \"definitionProvider\": true, \"referencesProvider\": true,"
        " \"documentHighlightProvider\": true, \"renameProvider\": {\"prepareProvider\": true},"
        " \"completionProvider\": {\"triggerCharacters\": [\".\", \"%\"]},"
        " \"signatureHelpProvider\": {\"triggerCharacters\": [\" \", \",\"]},"
        " \"inlayHintProvider\": true, \"codeLensProvider\": {},"
        " \"foldingRangeProvider\": true, \"documentSymbolProvider\": true,"
        " \"workspaceSymbolProvider\": true, \"documentFormattingProvider\": true,"
        " \"codeActionProvider\": {\"codeActionKinds\": [\"quickfix\"]}}";
    json_t *capabilities = json_loads(text, 0, NULL);
    json_t *tokens = json_pack("{s:o, s:b, s:b}", "legend", tokens_legend(), "full", 1, "range", 1);
    json_object_set_new(capabilities, "semanticTokensProvider", tokens);
    return capabilities;
}
