#include "backend/tables/build.h"
#include "backend/tags/tag_text.h"
#include "backend/emit/text.h"
#include "backend/tags/token_digest.h"
#include "support/number.h"
#include <limits.h>
#include <string.h>

const struct tag_kind_info tag_kinds[TAG_KIND_COUNT] = {
#define TAG_KIND(name, word, at_instruction) {word, sizeof word - 1, at_instruction},
    TAG_KINDS
#undef TAG_KIND
};

const struct tag_spelling tag_spellings[TAG_STYLES] = {
    [TAGS_PRAGMA] = {".pragma \"" TAG_PREFIX, "\";"},
    [TAGS_COMMENT] = {"/*" TAG_PREFIX, "*/"},
    [TAGS_PRAGMA_FULL] = {".pragma \"" TAG_PREFIX, "\";"},
    [TAGS_COMMENT_FULL] = {"/*" TAG_PREFIX, "*/"},
};

enum tag_kind tag_kind(const char *content, uint32_t length, uint32_t *rest)
{
    const char *blank = memchr(content, ' ', length);
    uint32_t word = blank ? (uint32_t)(blank - content) : length;
    *rest = word;
    for (enum tag_kind kind = 0; kind < TAG_KIND_COUNT; kind++)
        if (tag_kinds[kind].length == word && !memcmp(tag_kinds[kind].word, content, word))
            return kind;
    return TAG_KIND_COUNT;
}

bool tags_are_small(const struct tags *tags)
{
    return tags->list.n && tags->list.v[0].kind == TAG_TAGS;
}

bool tags_are(const struct tags *tags, enum tag_style style)
{
    bool comments = style == TAGS_COMMENT || style == TAGS_COMMENT_FULL;
    for (uint32_t i = 0; i < tags->list.n; i++)
        if ((tags->list.v[i].style == TAGS_COMMENT) != comments)
            return false;
    return tags->list.n && style != TAGS_PAPER && style != TAGS_NONE &&
           tags_are_small(tags) != tag_style_is_full(style);
}

void tags_digest_add(struct sha256_ctx *digest, uint64_t place, const char *lead,
                     const char *content, uint32_t length)
{
    char number[NUMBER_TEXT];
    size_t digits = number_uint(number, place);
    number[digits++] = ' ';
    sha256_update(digest, digits, (const uint8_t *)number);
    sha256_update(digest, strlen(lead), (const uint8_t *)lead);
    sha256_update(digest, length, (const uint8_t *)content);
    sha256_update(digest, 1, (const uint8_t *)"\n");
}

void tags_digest(struct tag_digests *digests, const struct tags *tags, const struct source *plain)
{
    struct sha256_ctx all;
    struct token_digest tokens;
    uint32_t done = 0;
    sha256_init(&all);
    token_digest_init(&tokens);
    for (uint32_t i = 0; i < tags->list.n; i++) {
        const struct tag *tag = &tags->list.v[i];
        uint32_t own = tag->kind == TAG_TAGS ? TAG_DIGESTS_LENGTH : 0;
        uint32_t length = tag->length > own ? tag->length - own : tag->length;
        token_digest_add(&tokens, plain->text + done, tag->at - done);
        done = tag->at;
        if (tag->kind != TAG_DIGEST)
            tags_digest_add(&all, tokens.bytes, "", tag->content, length);
    }
    token_digest_add(&tokens, plain->text + done, plain->length - done);
    token_digest_end(&tokens, digests->text);
    tables_digest_end(digests->tags, &all);
}

// Finding. The scan parses only as much of PTX as it needs to skip comments and strings.

struct scan {
    const char *text;
    uint32_t length, at;
    uint32_t depth; // of braces
};

static bool starts(const struct scan *scan, uint32_t at, const char *with)
{
    size_t length = strlen(with);
    return length <= scan->length - at && !memcmp(scan->text + at, with, length);
}

// Returns the offset after the next `what` from `at` on, or the end of the text.
static uint32_t end_of_match(const struct scan *scan, uint32_t at, const char *what)
{
    size_t length = strlen(what);
    const char *found = memmem(scan->text + at, scan->length - at, what, length);
    return found ? (uint32_t)(found - scan->text + length) : scan->length;
}

static bool first_in_line(const struct scan *scan)
{
    uint32_t at = scan->at;
    while (at && (scan->text[at - 1] == ' ' || scan->text[at - 1] == '\t'))
        at--;
    return !at || scan->text[at - 1] == '\n';
}

// Returns the offset after the string that begins here. An unterminated quotation mark is one
// character.
static uint32_t skip_string(const struct scan *scan)
{
    for (uint32_t at = scan->at + 1; at < scan->length && scan->text[at] != '\n'; at++) {
        if (scan->text[at] == '"')
            return at + 1;
        at += scan->text[at] == '\\';
    }
    return scan->at + 1;
}

// Returns the offset after the comment, string or line that begins here, or the current offset if
// none does.
static uint32_t skip_opaque(const struct scan *scan)
{
    switch (scan->text[scan->at]) {
    case '"': return skip_string(scan);
    case '/':
        return starts(scan, scan->at, "//")   ? end_of_match(scan, scan->at, "\n")
               : starts(scan, scan->at, "/*") ? end_of_match(scan, scan->at + 2, "*/")
                                              : scan->at;
    case '#': return first_in_line(scan) ? end_of_match(scan, scan->at, "\n") : scan->at;
    case '@': return starts(scan, scan->at, "@@") ? end_of_match(scan, scan->at, "\n") : scan->at;
    }
    return scan->at;
}

static bool is_content(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

// Reads the tag of this style that begins at `at`, without its blank.
static bool scan_tag(const struct scan *scan, uint32_t at, enum tag_style style, struct tag *tag)
{
    const char *open = tag_spellings[style].open, *close = tag_spellings[style].close;
    if (!starts(scan, at, open))
        return false;
    uint32_t begin = at + (uint32_t)strlen(open), end = begin;
    while (end < scan->length && is_content(scan->text[end]) &&
           !(scan->text[end] == *close && starts(scan, end, close)))
        end++;
    if (end == begin || end == scan->length || !starts(scan, end, close))
        return false;
    *tag = (struct tag){
        .begin = at,
        .end = end + (uint32_t)strlen(close),
        .content = scan->text + begin,
        .length = end - begin,
        .style = style,
    };
    return true;
}

// Reads the tag whose string or comment begins here. Text before `from` belongs to a preceding
// token.
static bool find_tag(const struct scan *scan, uint32_t from, struct tag *tag)
{
    static const char pragma[] = ".pragma ";
    uint32_t before = sizeof pragma - 1;
    if (!scan->depth)
        return false;
    if (scan->text[scan->at] == '/')
        return scan_tag(scan, scan->at, TAGS_COMMENT, tag);
    return scan->text[scan->at] == '"' && scan->at - from >= before &&
           scan_tag(scan, scan->at - before, TAGS_PRAGMA, tag);
}

// Sets the tag's kind, and extends the tag by the blank that was written with it.
static void include_blank(const struct scan *scan, struct tag *tag, uint32_t min)
{
    tag->kind = tag_kind(tag->content, tag->length, &tag->rest);
    if (tag->kind < TAG_KIND_COUNT && !tag_kinds[tag->kind].at_instruction)
        tag->begin -= tag->begin > min && scan->text[tag->begin - 1] == ' ';
    else
        tag->end += tag->end < scan->length && scan->text[tag->end] == ' ';
}

// Returns the offset of the first character from `at` on at which a string, comment, line or scope
// may begin or end.
static uint32_t skip_plain(const struct scan *scan, uint32_t at)
{
    static const bool matters[UCHAR_MAX + 1] = {
        ['"'] = true, ['/'] = true, ['#'] = true, ['@'] = true, ['{'] = true, ['}'] = true,
        [0] = true, // follows the text
    };
    const char *text = scan->text;
    while (!matters[(unsigned char)text[at]])
        at++;
    return at;
}

void tags_find(struct tags *tags, struct arena *arena, const struct source *source)
{
    struct scan scan = {.text = source->text, .length = source->length};
    uint32_t removed = 0, last = 0, from = 0;
    *tags = (struct tags){0};
    if (!memmem(source->text, source->length, TAG_PREFIX, strlen(TAG_PREFIX)))
        return;
    scan.at = skip_plain(&scan, 0);
    while (scan.at < scan.length) {
        struct tag tag;
        if (find_tag(&scan, from, &tag)) {
            include_blank(&scan, &tag, last);
            tag.at = tag.begin - removed;
            removed += tag.end - tag.begin;
            last = from = tag.end;
            scan.at = skip_plain(&scan, from);
            vec_push(arena, &tags->list, tag);
            continue;
        }
        uint32_t next = skip_opaque(&scan);
        char c = scan.text[scan.at];
        if (next == scan.at) {
            scan.depth += c == '{';
            scan.depth -= c == '}' && scan.depth;
            next++;
        }
        from = next;
        scan.at = skip_plain(&scan, from);
    }
}

char *tags_strip(struct arena *arena, const struct source *source, const struct tags *tags,
                 uint32_t *length)
{
    struct text text;
    uint32_t at = 0;
    text_init(&text, arena);
    for (uint32_t i = 0; i < tags->list.n; i++) {
        text_add(&text, source->text + at, tags->list.v[i].begin - at);
        at = tags->list.v[i].end;
    }
    text_add(&text, source->text + at, source->length - at);
    return text_end(&text, length);
}
