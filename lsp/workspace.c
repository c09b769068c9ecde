#include "lsp/workspace.h"
#include "lsp/answers.h"
#include "lsp/scan.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 1000, MAX_SYMBOLS = 500, MAX_DEPTH = 8, MAX_ENTRIES = 100000 };
enum { MAX_BYTES = 64 << 20 };

// Paths

static int hex(char digit)
{
    const char *digits = "0123456789abcdef";
    const char *at = digit ? strchr(digits, digit | 0x20) : NULL;
    return at ? (int)(at - digits) : -1;
}

// Returns the path of a file's URI, or NULL. The caller frees it.
static char *path_of(const char *uri)
{
    static const char scheme[] = "file://";
    if (!uri || strncmp(uri, scheme, sizeof scheme - 1))
        return NULL;
    char *path = strdup(uri + sizeof scheme - 1), *to = path;
    for (const char *at = path; at && *at; at++) {
        bool coded = *at == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0;
        *to++ = coded ? (char)(hex(at[1]) * 16 + hex(at[2])) : *at;
        at += coded ? 2 : 0;
    }
    if (path)
        *to = 0;
    return path;
}

// Returns the URI of a path. The caller frees it.
static char *uri_of(const char *path)
{
    char *uri = NULL;
    size_t size;
    FILE *to = open_memstream(&uri, &size);
    if (!to)
        return NULL;
    fputs("file://", to);
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
            strchr("0123456789/-._~", *at))
            fputc(*at, to);
        else
            fprintf(to, "%%%02X", *at);
    return fclose(to) ? NULL : uri;
}

static void add_folder(struct workspace *workspace, const json_t *uri)
{
    char *path = path_of(json_string_value(uri));
    if (path && workspace->count < WORKSPACE_FOLDERS)
        workspace->folders[workspace->count++] = path;
    else
        free(path);
}

void workspace_open(struct workspace *workspace, const json_t *params)
{
    const json_t *folders = json_object_get(params, "workspaceFolders"), *folder;
    size_t i;
    workspace_close(workspace);
    json_array_foreach(folders, i, folder) add_folder(workspace, json_object_get(folder, "uri"));
    if (!workspace->count)
        add_folder(workspace, json_object_get(params, "rootUri"));
}

void workspace_close(struct workspace *workspace)
{
    while (workspace->count)
        free(workspace->folders[--workspace->count]);
}

// Search

struct workspace_search {
    const char *wanted;
    const struct lsp_document *const *open;
    uint32_t open_count;
    json_t *list;
    const struct lsp_document *document; // the current text
    uint32_t files, entries;
    uint64_t bytes;
};

static bool is_over(const struct workspace_search *s)
{
    return s->files >= MAX_FILES || s->bytes >= MAX_BYTES || s->entries >= MAX_ENTRIES ||
           json_array_size(s->list) >= MAX_SYMBOLS;
}

static void take_symbol(void *context, const struct lsp_symbol *symbol)
{
    struct workspace_search *s = context;
    const struct lsp_document *document = s->document;
    const char *name = document->text + symbol->name.begin;
    uint32_t length = symbol->name.end - symbol->name.begin;
    if (symbol->kind == LSP_LABEL || *name == '.' || is_over(s) ||
        (*s->wanted && !memmem(name, length, s->wanted, strlen(s->wanted))))
        return;
    json_array_append_new(s->list,
                          json_pack("{s:o, s:i, s:{s:s, s:o}}", "name",
                                    protocol_span_text(document, symbol->name), "kind",
                                    symbol_kind(symbol->kind), "location", "uri", document->uri,
                                    "range", protocol_range(document, symbol->name)));
}

static void search_document(struct workspace_search *s, const struct lsp_document *document)
{
    s->document = document;
    scan_symbols(document, take_symbol, s);
}

static bool is_open(const struct workspace_search *s, const char *path)
{
    bool found = false;
    for (uint32_t i = 0; i < s->open_count && !found; i++) {
        char *open = path_of(s->open[i]->uri);
        found = open && !strcmp(open, path);
        free(open);
    }
    return found;
}

static void search_file(struct workspace_search *s, const char *path, uint64_t size)
{
    s->files++;
    if (is_open(s, path) || s->bytes + size > MAX_BYTES)
        return;
    s->bytes += size;
    FILE *from = fopen(path, "rb");
    char *text = malloc(size + 1), *uri = uri_of(path);
    size_t length = from && text ? fread(text, 1, size, from) : 0;
    struct lsp_document *document = uri ? document_open(uri, text, (uint32_t)length) : NULL;
    if (document)
        search_document(s, document);
    document_free(document);
    free(uri);
    free(text);
    if (from)
        fclose(from);
}

static bool is_ptx(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, ".ptx");
}

static void search_folder(struct workspace_search *s, const char *path, int depth);

static void search_entry(struct workspace_search *s, const char *folder, const char *name,
                         int depth)
{
    struct stat status;
    char *path = NULL;
    s->entries++;
    if (*name == '.' || asprintf(&path, "%s/%s", folder, name) < 0)
        return;
    if (!lstat(path, &status)) {
        if (S_ISDIR(status.st_mode) && depth < MAX_DEPTH)
            search_folder(s, path, depth + 1);
        else if (S_ISREG(status.st_mode) && is_ptx(name))
            search_file(s, path, (uint64_t)status.st_size);
    }
    free(path);
}

// The order of entries is alphabetical, so that the result is the same on each machine.
static void search_folder(struct workspace_search *s, const char *path, int depth)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (!is_over(s))
            search_entry(s, path, entries[i]->d_name, depth);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

json_t *workspace_symbols(const struct workspace *workspace, const json_t *params,
                          const struct lsp_document *const *open, uint32_t open_count)
{
    const char *wanted = json_string_value(json_object_get(params, "query"));
    struct workspace_search s = {.wanted = wanted ? wanted : "",
                                 .open = open,
                                 .open_count = open_count,
                                 .list = json_pack("[]")};
    for (uint32_t i = 0; i < open_count; i++)
        search_document(&s, open[i]);
    for (uint32_t i = 0; i < workspace->count; i++)
        search_folder(&s, workspace->folders[i], 0);
    return s.list;
}
