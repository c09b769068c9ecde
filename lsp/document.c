#include "lsp/analysis.h"
#include "support/integer.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

enum { TERMINATOR = 1 };
#define MAX_BYTES (UINT32_C(1) << 31)

// Lines

static bool push_line(struct lsp_document *document, uint32_t offset)
{
    if (document->line_count == document->line_room) {
        uint32_t room = document->line_room ? document->line_room * 2 : 256;
        uint32_t *lines = realloc(document->lines, room * sizeof *lines);
        if (!lines)
            return false;
        document->lines = lines;
        document->line_room = room;
    }
    document->lines[document->line_count++] = offset;
    return true;
}

// Returns the start of the next line end, or `end`. The next carriage return is cached, because
// carriage returns are rare.
static const char *find_end(const char *at, const char *end, const char **next_return)
{
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    if (*next_return < at) {
        *next_return = memchr(at, '\r', (size_t)(end - at));
        *next_return = *next_return ? *next_return : end;
    }
    feed = feed ? feed : end;
    return *next_return < feed ? *next_return : feed;
}

// Updates the line starts from the line that contains the offset on. The line before is included,
// because an edit may join or separate a carriage return and a line feed.
static bool find_lines(struct lsp_document *document, uint32_t offset)
{
    uint32_t from = offset ? offset - 1 : 0;
    while (document->line_count && document->lines[document->line_count - 1] > from)
        document->line_count--;
    if (!document->line_count && !push_line(document, 0))
        return false;
    const char *at = document->text + document->lines[document->line_count - 1];
    const char *end = document->text + document->length, *next_return = NULL;
    while ((at = find_end(at, end, &next_return)) < end) {
        at += at[0] == '\r' && at[1] == '\n' ? 2 : 1;
        if (!push_line(document, (uint32_t)(at - document->text)))
            return false;
    }
    return true;
}

// Positions

// Returns the number of bytes of the character at `at`; *units is its number of UTF-16 code units.
// An invalid byte counts as one of each.
static uint32_t step_over(const char *at, const char *end, uint32_t *units)
{
    unsigned char first = (unsigned char)*at;
    uint32_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (uint32_t i = 1; i < bytes; i++)
        if (at + i >= end || ((unsigned char)at[i] & 0xc0) != 0x80) {
            bytes = 1;
            break;
        }
    *units = bytes == 4 ? 2 : 1;
    return bytes;
}

static uint32_t line_end(const struct lsp_document *document, uint32_t line)
{
    if (line + 1 == document->line_count)
        return document->length;
    uint32_t end = document->lines[line + 1] - 1;
    bool pair = document->text[end] == '\n' && end > document->lines[line] &&
                document->text[end - 1] == '\r';
    return end - pair;
}

uint32_t document_offset(const struct lsp_document *document, struct lsp_position place)
{
    if (place.line >= document->line_count)
        return document->length;
    const char *at = document->text + document->lines[place.line];
    const char *end = document->text + line_end(document, place.line);
    for (uint32_t units, left = place.character; at < end && left;) {
        uint32_t bytes = step_over(at, end, &units);
        if (units > left)
            break;
        at += bytes;
        left -= units;
    }
    return (uint32_t)(at - document->text);
}

struct lsp_position document_position(const struct lsp_document *document, uint32_t offset)
{
    offset = (uint32_t)smaller(offset, document->length);
    uint32_t low = SEARCH(i, 1, document->line_count, document->lines[i] <= offset) - 1;
    struct lsp_position place = {low, 0};
    const char *at = document->text + document->lines[low], *end = document->text + offset;
    for (uint32_t units; at < end; place.character += units)
        at += step_over(at, end, &units);
    return place;
}

// Text

static bool reserve(struct lsp_document *document, uint64_t length)
{
    if (length + TERMINATOR <= document->room)
        return true;
    if (length >= MAX_BYTES)
        return false;
    uint64_t room = length + length / 8 + 4096;
    char *text = realloc(document->text, room);
    if (!text)
        return false;
    document->text = text;
    document->room = (uint32_t)room;
    return true;
}

struct lsp_document *document_open(const char *uri, const char *text, uint32_t length)
{
    struct lsp_document *document = calloc(1, sizeof *document);
    if (!document)
        return NULL;
    document->uri = strdup(uri);
    if (document->uri && document_change(document, true, (struct lsp_position){0, 0},
                                         (struct lsp_position){0, 0}, text, length))
        return document;
    document_free(document);
    return NULL;
}

void document_free(struct lsp_document *document)
{
    if (!document)
        return;
    free(document->uri);
    free(document->text);
    free(document->lines);
    free(document);
}

bool document_change(struct lsp_document *document, bool whole, struct lsp_position begin,
                     struct lsp_position end, const char *text, uint32_t length)
{
    uint32_t from = whole ? 0 : document_offset(document, begin);
    uint32_t to = whole ? document->length : document_offset(document, end);
    if (to < from)
        to = from;
    uint64_t after = (uint64_t)document->length - (to - from) + length;
    if (!reserve(document, after))
        return false;
    memmove(document->text + from + length, document->text + to, document->length - to);
    memcpy(document->text + from, text, length);
    document->length = (uint32_t)after;
    document->text[after] = 0;
    document->edits++;
    return find_lines(document, from);
}
