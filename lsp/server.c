#include "backend/emit/format.h"
#include "lsp/scan.h"
#include "lsp/server.h"
#include "support/diag.h"
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REST = 150 }; // milliseconds without an edit before an analysis starts

enum {
    NOT_INITIALISED = -32002,
    PARSE_ERROR = -32700,
    NO_METHOD = -32601,
    BAD_PARAMETERS = -32602
};

struct open_text {
    struct lsp_document *document;
    struct lsp_result *result; // last result; NULL: no result yet
    int64_t edited;            // time of the last edit in milliseconds
    bool is_analysed;          // the current text was analysed, even if memory ran out
    struct open_text *next;
};

struct server {
    FILE *from, *to;
    size_t limit;
    bool is_initialised, is_shut, is_over;
    // Shared with the analysis thread:
    pthread_mutex_t lock; // protects the members below and `to`
    pthread_cond_t changed;
    struct open_text *texts;
    bool ends;
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

// Messages. Values are built with json_pack, because other functions of jansson have the same names
// as functions of support/json.h.

static void send_reply(struct server *server, const json_t *id, json_t *result)
{
    message_write(server->to, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result",
                                        result ? result : json_pack("n")));
}

static void send_error(struct server *server, json_t *id, int code, const char *text)
{
    message_write(server->to,
                  json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
                            id ? id : json_pack("n"), "error", "code", code, "message", text));
}

static json_t *json_position(const struct lsp_document *document, uint32_t offset)
{
    struct lsp_position place = document_position(document, offset);
    return json_pack("{s:i, s:i}", "line", (int)place.line, "character", (int)place.character);
}

static json_t *json_range(const struct lsp_document *document, struct lsp_span span)
{
    return json_pack("{s:o, s:o}", "start", json_position(document, span.begin), "end",
                     json_position(document, span.end));
}

// Returns a JSON string, also for a text that is not UTF-8.
static json_t *json_words(const char *text)
{
    json_t *words = json_pack("s", text);
    return words ? words : json_pack("s", "(not UTF-8)");
}

static json_t *json_finding(const struct lsp_document *document, const struct lsp_finding *finding)
{
    struct lsp_span span = {finding->begin, finding->end};
    return json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", json_range(document, span), "severity",
                     (int)finding->severity, "code", finding->rule, "source", "ptxoffload",
                     "message", json_words(finding->message));
}

static void publish(struct server *server, const struct open_text *text)
{
    json_t *list = json_pack("[]");
    const struct lsp_document *document = text->document;
    const struct lsp_result *result = text->result;
    for (uint32_t i = 0; result && i < result->finding_count; i++)
        json_array_append_new(list, json_finding(document, &result->findings[i]));
    message_write(server->to,
                  json_pack("{s:s, s:s, s:{s:s, s:I, s:o}}", "jsonrpc", "2.0", "method",
                            "textDocument/publishDiagnostics", "params", "uri", document->uri,
                            "version", (json_int_t)document->version, "diagnostics", list));
}

// Analysis, in its own thread

static struct open_text *find_text(struct server *server, const char *uri)
{
    struct open_text *text = server->texts;
    while (text && strcmp(text->document->uri, uri))
        text = text->next;
    return text;
}

// Returns a text that has not been analysed since its last edit and has rested long enough, or
// NULL. *wait is the time in milliseconds until the next one; -1: no such text.
static struct open_text *resting(struct server *server, int64_t *wait)
{
    *wait = -1;
    for (struct open_text *text = server->texts; text; text = text->next) {
        int64_t left = text->edited + REST - now();
        if (text->is_analysed)
            continue;
        if (left <= 0)
            return text;
        if (*wait < 0 || left < *wait)
            *wait = left;
    }
    return NULL;
}

// Analyses a text. Requires the lock, which is released while the analysis runs.
static void analyse(struct server *server, const struct open_text *text)
{
    const struct lsp_document *document = text->document;
    char *copy = malloc(document->length + 1), *uri = strdup(document->uri);
    uint32_t length = document->length;
    uint64_t edits = document->edits;
    if (copy)
        memcpy(copy, document->text, length);
    pthread_mutex_unlock(&server->lock);
    struct lsp_result *result = copy ? analysis_run(copy, length, edits, server->limit) : NULL;
    free(copy);
    pthread_mutex_lock(&server->lock);
    struct open_text *still = uri ? find_text(server, uri) : NULL;
    if (still && still->document->edits == edits && !server->ends) {
        analysis_free(still->result);
        still->result = result;
        still->is_analysed = true;
        publish(server, still);
    } else {
        analysis_free(result);
    }
    free(uri);
}

static void wait_for_change(struct server *server, int64_t milliseconds)
{
    struct timespec until;
    if (milliseconds < 0) {
        pthread_cond_wait(&server->changed, &server->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t nanoseconds = until.tv_nsec + milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_cond_timedwait(&server->changed, &server->lock, &until);
}

static void *analyse_texts(void *context)
{
    struct server *server = context;
    int64_t wait;
    pthread_mutex_lock(&server->lock);
    while (!server->ends) {
        struct open_text *text = resting(server, &wait);
        if (text)
            analyse(server, text);
        else
            wait_for_change(server, wait);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

// Opening, changing and closing texts

static void touch(struct server *server, struct open_text *text, const json_t *document)
{
    text->document->version = json_integer_value(json_object_get(document, "version"));
    text->edited = now();
    text->is_analysed = false;
    pthread_cond_signal(&server->changed);
}

static void close_text(struct server *server, const char *uri)
{
    for (struct open_text **at = &server->texts; *at; at = &(*at)->next) {
        struct open_text *text = *at;
        if (strcmp(text->document->uri, uri))
            continue;
        *at = text->next;
        document_free(text->document);
        analysis_free(text->result);
        free(text);
        return;
    }
}

static void open_text(struct server *server, const json_t *document)
{
    const char *uri = json_string_value(json_object_get(document, "uri"));
    const json_t *content = json_object_get(document, "text");
    if (!uri || !json_is_string(content))
        return;
    close_text(server, uri);
    struct open_text *text = calloc(1, sizeof *text);
    if (text)
        text->document =
            document_open(uri, json_string_value(content), (uint32_t)json_string_length(content));
    if (!text || !text->document) {
        free(text);
        return;
    }
    text->next = server->texts;
    server->texts = text;
    touch(server, text, document);
}

static struct lsp_position read_position(const json_t *place)
{
    return (struct lsp_position){(uint32_t)json_integer_value(json_object_get(place, "line")),
                                 (uint32_t)json_integer_value(json_object_get(place, "character"))};
}

static void change_text(struct server *server, const json_t *params)
{
    const json_t *document = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(document, "uri"));
    struct open_text *text = uri ? find_text(server, uri) : NULL;
    size_t i;
    json_t *change;
    if (!text)
        return;
    json_array_foreach(json_object_get(params, "contentChanges"), i, change)
    {
        const json_t *range = json_object_get(change, "range");
        const json_t *content = json_object_get(change, "text");
        if (json_is_string(content))
            document_change(text->document, !range, read_position(json_object_get(range, "start")),
                            read_position(json_object_get(range, "end")),
                            json_string_value(content), (uint32_t)json_string_length(content));
    }
    touch(server, text, document);
}

// Requests. Each function returns its result; NULL stands for null.

static json_t *initialise(struct server *server, const struct open_text *text, const json_t *params)
{
    (void)text, (void)params;
    server->is_initialised = true;
    return json_pack("{s:{s:{s:b, s:i}, s:b, s:b, s:b, s:b, s:b}, s:{s:s, s:s}}", "capabilities",
                     "textDocumentSync", "openClose", 1, "change", 2, "hoverProvider", 1,
                     "definitionProvider", 1, "documentSymbolProvider", 1,
                     "documentFormattingProvider", 1, "codeActionProvider", 1, "serverInfo", "name",
                     "ptxoffload-lsp", "version", PTXOFFLOAD_VERSION);
}

static json_t *shut_down(struct server *server, const struct open_text *text, const json_t *params)
{
    (void)text, (void)params;
    server->is_shut = true;
    return NULL;
}

static uint32_t offset_of(const struct open_text *text, const json_t *params)
{
    return document_offset(text->document, read_position(json_object_get(params, "position")));
}

static json_t *hover(struct server *server, const struct open_text *text, const json_t *params)
{
    char *markdown = NULL;
    size_t size;
    (void)server;
    FILE *to = open_memstream(&markdown, &size);
    if (!to)
        return NULL;
    struct lsp_span span = hover_write(text->document, text->is_analysed ? text->result : NULL,
                                       offset_of(text, params), to);
    bool good = !fclose(to) && !lsp_is_empty(span);
    json_t *result =
        good ? json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value",
                         json_words(markdown), "range", json_range(text->document, span))
             : NULL;
    free(markdown);
    return result;
}

static json_t *definition(struct server *server, const struct open_text *text, const json_t *params)
{
    struct lsp_span word = scan_word(text->document, offset_of(text, params));
    struct lsp_span found = scan_definition(text->document, word);
    (void)server;
    if (lsp_is_empty(found))
        return NULL;
    return json_pack("{s:s, s:o}", "uri", text->document->uri, "range",
                     json_range(text->document, found));
}

struct outline {
    const struct lsp_document *document;
    json_t *list, *children; // children of the last function
};

static void add_symbol(void *context, const struct lsp_symbol *symbol)
{
    enum { FUNCTION = 12, VARIABLE = 13, KEY = 20, EVENT = 24 };
    static const int kinds[] = {[LSP_KERNEL] = EVENT,
                                [LSP_FUNCTION] = FUNCTION,
                                [LSP_VARIABLE] = VARIABLE,
                                [LSP_LABEL] = KEY};
    struct outline *outline = context;
    const char *text = outline->document->text;
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)(symbol->name.end - symbol->name.begin),
             text + symbol->name.begin);
    json_t *children = json_pack("[]");
    json_t *made = json_pack("{s:o, s:i, s:o, s:o, s:o}", "name", json_words(name), "kind",
                             kinds[symbol->kind], "range",
                             json_range(outline->document, symbol->whole), "selectionRange",
                             json_range(outline->document, symbol->name), "children", children);
    bool inner = symbol->kind == LSP_LABEL && outline->children;
    json_array_append_new(inner ? outline->children : outline->list, made);
    if (symbol->kind == LSP_KERNEL || symbol->kind == LSP_FUNCTION)
        outline->children = children;
}

static json_t *symbols(struct server *server, const struct open_text *text, const json_t *params)
{
    struct outline outline = {text->document, json_pack("[]"), NULL};
    (void)server, (void)params;
    scan_symbols(text->document, add_symbol, &outline);
    return outline.list;
}

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

static json_t *format(struct server *server, const struct open_text *text, const json_t *params)
{
    struct memory memory = {.limit = server->limit};
    size_t size;
    (void)params;
    char *made = formatted(&memory, text->document, &size);
    memory_free(&memory);
    if (!made)
        return NULL;
    struct lsp_span whole = {0, text->document->length};
    json_t *result = json_pack("[{s:o, s:o}]", "range", json_range(text->document, whole),
                               "newText", json_words(made));
    free(made);
    return result;
}

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
    json_t *edit = json_pack("[{s:o, s:o}]", "range", json_range(document, span), "newText",
                             json_words(finding->replacement));
    return json_pack("{s:o, s:s, s:b, s:[o], s:{s:{s:o}}}", "title", json_words(title), "kind",
                     "quickfix", "isPreferred", 1, "diagnostics", json_finding(document, finding),
                     "edit", "changes", document->uri, edit);
}

static json_t *actions(struct server *server, const struct open_text *text, const json_t *params)
{
    const json_t *range = json_object_get(params, "range");
    uint32_t begin =
        document_offset(text->document, read_position(json_object_get(range, "start")));
    uint32_t end = document_offset(text->document, read_position(json_object_get(range, "end")));
    const struct lsp_result *result = text->is_analysed ? text->result : NULL;
    json_t *list = json_pack("[]");
    (void)server;
    if (!wants_fixes(json_object_get(json_object_get(params, "context"), "only")))
        return list;
    for (uint32_t i = 0; result && i < result->finding_count; i++) {
        const struct lsp_finding *finding = &result->findings[i];
        if (finding->replacement && finding->begin <= end && finding->end >= begin)
            json_array_append_new(list, json_fix(text->document, finding));
    }
    return list;
}

static const struct {
    const char *method;
    bool needs_text;
    json_t *(*answer)(struct server *server, const struct open_text *text, const json_t *params);
} requests[] = {
    {"initialize", false, initialise},
    {"shutdown", false, shut_down},
    {"textDocument/hover", true, hover},
    {"textDocument/definition", true, definition},
    {"textDocument/documentSymbol", true, symbols},
    {"textDocument/formatting", true, format},
    {"textDocument/codeAction", true, actions},
};

static void handle_request(struct server *server, json_t *id, const char *method,
                           const json_t *params)
{
    const char *uri =
        json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    const struct open_text *text = uri ? find_text(server, uri) : NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(requests); i++) {
        if (strcmp(requests[i].method, method))
            continue;
        if (requests[i].needs_text && !server->is_initialised)
            send_error(server, id, NOT_INITIALISED, "initialize is the first request");
        else if (requests[i].needs_text && !text)
            send_error(server, id, BAD_PARAMETERS, "the text is not open");
        else
            send_reply(server, id, requests[i].answer(server, text, params));
        return;
    }
    send_error(server, id, NO_METHOD, "unknown method");
}

static void handle_notification(struct server *server, const char *method, const json_t *params)
{
    const json_t *document = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(document, "uri"));
    if (!strcmp(method, "exit"))
        server->is_over = true;
    else if (!strcmp(method, "textDocument/didOpen"))
        open_text(server, document);
    else if (!strcmp(method, "textDocument/didChange"))
        change_text(server, params);
    else if (!strcmp(method, "textDocument/didClose") && uri)
        close_text(server, uri);
}

static void handle_message(struct server *server, const json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    json_t *id = json_object_get(message, "id");
    const json_t *params = json_object_get(message, "params");
    if (!method)
        return; // a reply
    pthread_mutex_lock(&server->lock);
    if (id)
        handle_request(server, id, method, params);
    else
        handle_notification(server, method, params);
    pthread_mutex_unlock(&server->lock);
}

static void serve(struct server *server)
{
    const char *fault;
    while (!server->is_over) {
        json_t *message = message_read(server->from, &fault);
        if (!message && !fault)
            return;
        if (message) {
            handle_message(server, message);
        } else {
            pthread_mutex_lock(&server->lock);
            send_error(server, NULL, PARSE_ERROR, fault);
            pthread_mutex_unlock(&server->lock);
        }
        json_decref(message);
    }
}

int server_run(FILE *from, FILE *to, size_t limit)
{
    struct server server = {.from = from, .to = to, .limit = limit};
    pthread_t thread;
    pthread_mutex_init(&server.lock, NULL);
    pthread_cond_init(&server.changed, NULL);
    if (pthread_create(&thread, NULL, analyse_texts, &server))
        return 1;
    serve(&server);
    pthread_mutex_lock(&server.lock);
    server.ends = true;
    pthread_cond_signal(&server.changed);
    pthread_mutex_unlock(&server.lock);
    pthread_join(thread, NULL);
    while (server.texts)
        close_text(&server, server.texts->document->uri);
    pthread_cond_destroy(&server.changed);
    pthread_mutex_destroy(&server.lock);
    return server.is_shut ? 0 : 1;
}
