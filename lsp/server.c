#include "lsp/server.h"
#include "lsp/answers.h"
#include "lsp/workspace.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REST = 150 }; // milliseconds without an edit before an analysis starts

enum {
    NOT_INITIALISED = -32002,
    PARSE_ERROR = -32700,
    NO_METHOD = -32601,
    BAD_PARAMETERS = -32602,
    REQUEST_FAILED = -32803
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
    bool refreshes_hints, refreshes_lenses; // the editor accepts these requests
    struct workspace workspace;
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

// Messages

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

static void publish(struct server *server, const struct open_text *text)
{
    json_t *list = json_pack("[]");
    const struct lsp_document *document = text->document;
    const struct lsp_result *result = text->result;
    for (uint32_t i = 0; result && i < result->finding_count; i++)
        json_array_append_new(list, protocol_finding(document, &result->findings[i]));
    message_write(server->to,
                  json_pack("{s:s, s:s, s:{s:s, s:I, s:o}}", "jsonrpc", "2.0", "method",
                            "textDocument/publishDiagnostics", "params", "uri", document->uri,
                            "version", (json_int_t)document->version, "diagnostics", list));
}

// Requests that the editor asks again for what depends on an analysis. The editor's reply has no
// content.
static void refresh(struct server *server)
{
    const struct {
        bool wanted;
        const char *method;
    } all[] = {{server->refreshes_hints, "workspace/inlayHint/refresh"},
               {server->refreshes_lenses, "workspace/codeLens/refresh"}};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        if (all[i].wanted)
            message_write(server->to, json_pack("{s:s, s:s, s:s}", "jsonrpc", "2.0", "id",
                                                all[i].method, "method", all[i].method));
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
        refresh(server);
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
            document_change(text->document, !range,
                            protocol_read_position(json_object_get(range, "start")),
                            protocol_read_position(json_object_get(range, "end")),
                            json_string_value(content), (uint32_t)json_string_length(content));
    }
    touch(server, text, document);
}

// Requests

static bool accepts_refresh(const json_t *params, const char *what)
{
    const json_t *workspace = json_object_get(json_object_get(params, "capabilities"), "workspace");
    return json_is_true(json_object_get(json_object_get(workspace, what), "refreshSupport"));
}

static json_t *initialise(struct server *server, const json_t *params)
{
    server->is_initialised = true;
    server->refreshes_hints = accepts_refresh(params, "inlayHint");
    server->refreshes_lenses = accepts_refresh(params, "codeLens");
    workspace_open(&server->workspace, params);
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", answers_capabilities(), "serverInfo",
                     "name", "ptxoffload-lsp", "version", PTXOFFLOAD_VERSION);
}

static json_t *shut_down(struct server *server, const json_t *params)
{
    (void)params;
    server->is_shut = true;
    return NULL;
}

static json_t *find_symbols(struct server *server, const json_t *params)
{
    uint32_t count = 0;
    for (const struct open_text *text = server->texts; text; text = text->next)
        count++;
    const struct lsp_document **open = calloc(count + 1, sizeof *open);
    count = 0;
    for (const struct open_text *text = server->texts; text && open; text = text->next)
        open[count++] = text->document;
    json_t *symbols = workspace_symbols(&server->workspace, params, open, count);
    free(open);
    return symbols;
}

// Requests about no text
static const struct {
    const char *method;
    json_t *(*answer)(struct server *server, const json_t *params);
} requests[] = {
    {"initialize", initialise},
    {"shutdown", shut_down},
    {"workspace/symbol", find_symbols},
};

// Answers a request about a text. If memory runs out, the reply is an error.
static void answer(struct server *server, json_t *id, const struct lsp_method *method,
                   const struct open_text *text, const json_t *params)
{
    struct memory memory = {0};
    struct arena arena;
    struct lsp_query query = {.document = text->document,
                              .result = text->is_analysed ? text->result : NULL,
                              .params = params,
                              .arena = &arena,
                              .limit = server->limit};
    json_t *result = NULL;
    query.offset = document_offset(text->document,
                                   protocol_read_position(json_object_get(params, "position")));
    if (setjmp(memory.on_failure)) {
        send_error(server, id, REQUEST_FAILED, "out of memory");
    } else {
        arena_init(&arena, &memory);
        result = method->answer(&query);
        if (query.error)
            send_error(server, id, REQUEST_FAILED, query.error);
        else
            send_reply(server, id, result);
    }
    memory_free(&memory);
}

static void handle_text_request(struct server *server, json_t *id, const struct lsp_method *method,
                                const json_t *params)
{
    const char *uri =
        json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    const struct open_text *text = uri ? find_text(server, uri) : NULL;
    if (!server->is_initialised)
        send_error(server, id, NOT_INITIALISED, "initialize is the first request");
    else if (!text)
        send_error(server, id, BAD_PARAMETERS, "the text is not open");
    else
        answer(server, id, method, text, params);
}

static void handle_request(struct server *server, json_t *id, const char *method,
                           const json_t *params)
{
    for (size_t i = 0; i < ARRAY_LENGTH(requests); i++)
        if (!strcmp(requests[i].method, method)) {
            send_reply(server, id, requests[i].answer(server, params));
            return;
        }
    for (const struct lsp_method *known = lsp_methods; known->name; known++)
        if (!strcmp(known->name, method)) {
            handle_text_request(server, id, known, params);
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
    workspace_close(&server.workspace);
    pthread_cond_destroy(&server.changed);
    pthread_mutex_destroy(&server.lock);
    return server.is_shut ? 0 : 1;
}
