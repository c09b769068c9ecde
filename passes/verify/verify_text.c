#include "passes/verify/verify_window.h"
#include "support/source.h"
#include <limits.h>
#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static bool starts_with(const struct item_reader *r, uint32_t at, const char *word)
{
    size_t length = strlen(word);
    return r->length - at >= length && !memcmp(r->text + at, word, length);
}

static bool begins_comment(const struct item_reader *r, uint32_t at)
{
    return r->text[at] == '/' && (starts_with(r, at, "/*") || starts_with(r, at, "//"));
}

// Returns the offset of the first character from `at` on that is in the table. The table contains
// NUL, which follows the text.
static uint32_t skip(const struct item_reader *r, uint32_t at, const bool matters[UCHAR_MAX + 1])
{
    const char *text = r->text;
    for (; at < r->length; at++) {
        while (!matters[(unsigned char)text[at]])
            at++;
        if (text[at])
            break;
    }
    return at < r->length ? at : r->length;
}

static uint32_t past_comment(const struct item_reader *r, uint32_t at)
{
    bool line = r->text[at + 1] == '/';
    for (at += 2; at < r->length; at++) {
        if (line && r->text[at] == '\n')
            return at;
        if (!line && starts_with(r, at, "*/"))
            return at + 2;
    }
    return at;
}

static uint32_t past_string(const struct item_reader *r, uint32_t at)
{
    static const bool matters[UCHAR_MAX + 1] = {
        ['"'] = true, ['\n'] = true, ['\\'] = true, [0] = true};
    for (at = skip(r, at + 1, matters); at < r->length && r->text[at] == '\\';)
        at = at + 1 < r->length ? skip(r, at + 2, matters) : at + 1;
    return at < r->length ? at + 1 : at;
}

static uint32_t past_blanks(const struct item_reader *r, uint32_t at)
{
    while (at < r->length) {
        if (source_is_blank(r->text[at]))
            at++;
        else if (begins_comment(r, at))
            at = past_comment(r, at);
        else
            break;
    }
    return at;
}

// Skips `.pragma "ptxoffload.…";`, or a tag in the paper's spelling, `[01]`.
static bool pass_tag(struct item_reader *r)
{
    static const char pragma[] = ".pragma";
    uint32_t at = r->at;
    if (starts_with(r, at, pragma)) {
        at = past_blanks(r, at + (uint32_t)strlen(pragma));
        if (!starts_with(r, at, "\"ptxoffload."))
            return false;
        at = past_blanks(r, past_string(r, at));
        r->at = at + (at < r->length && r->text[at] == ';');
        return true;
    }
    bool paper = r->length - at >= 4 && r->text[at] == '[' && r->text[at + 3] == ']';
    r->at += paper ? 4 : 0;
    return paper;
}

// .loc has no semicolon. It has three numbers; in inlined code `, function_name NAME [+ N],
// inlined_at` and three more follow.
static uint32_t past_word(const struct item_reader *r, uint32_t at)
{
    at = past_blanks(r, at);
    while (at < r->length && is_word(r->text[at]))
        at++;
    return at;
}

static uint32_t past_words(const struct item_reader *r, uint32_t at, int count)
{
    while (count-- > 0)
        at = past_word(r, at);
    return at;
}

static uint32_t past_sign(const struct item_reader *r, uint32_t at, char sign, bool *found)
{
    uint32_t next = past_blanks(r, at);
    *found = next < r->length && r->text[next] == sign;
    return *found ? next + 1 : at;
}

static bool pass_loc(struct item_reader *r)
{
    bool found;
    if (!starts_with(r, r->at, ".loc") || (r->at + 4 < r->length && is_word(r->text[r->at + 4])))
        return false;
    uint32_t at = past_words(r, r->at + 4, 3);
    for (at = past_sign(r, at, ',', &found); found; at = past_sign(r, at, ',', &found)) {
        bool inlined = starts_with(r, past_blanks(r, at), "inlined_at");
        at = past_words(r, at, inlined ? 4 : 2);
        at = past_sign(r, at, '+', &found);
        at = found ? past_word(r, at) : at;
    }
    r->loc = r->at;
    r->loc_end = r->at = at;
    return true;
}

static bool is_label_end(const struct item_reader *r, uint32_t at)
{
    return r->text[at] == ':' && r->text[at - 1] != ':' &&
           (at + 1 == r->length || r->text[at + 1] != ':');
}

// A directive ends at its semicolon or at a brace. Its contents are only compared as text.
static uint32_t past_directive(const struct item_reader *r, uint32_t at)
{
    while (at < r->length) {
        char c = r->text[at];
        if (c == '"')
            at = past_string(r, at);
        else if (begins_comment(r, at))
            at = past_comment(r, at);
        else if (c == ';' || c == '{')
            return at + 1;
        else if (c == '}')
            return at;
        else
            at++;
    }
    return at;
}

// An instruction may contain braces of vectors. If one is never closed, the semicolon ends the
// instruction.
static uint32_t past_instruction(const struct item_reader *r, uint32_t at, enum item_kind *kind)
{
    static const bool matters[UCHAR_MAX + 1] = {
        [';'] = true, ['{'] = true, ['}'] = true, ['/'] = true, [':'] = true, [0] = true};
    uint32_t begin = at, depth = 0;
    *kind = ITEM_INSTRUCTION;
    for (at = skip(r, at, matters); at < r->length; at = skip(r, at + 1, matters)) {
        char c = r->text[at];
        if (c == ';')
            return at + 1;
        if (c == '{')
            depth++;
        if (c == '}' && !depth--)
            return at;
        if (c == '/' && begins_comment(r, at))
            at = past_comment(r, at) - 1;
        if (c == ':' && at > begin && is_label_end(r, at)) {
            *kind = ITEM_FIXED;
            return at + 1;
        }
    }
    return at;
}

// Reads the item that begins here, if it is the same instruction up to its semicolon as `like` in
// another text: what ends an instruction depends on its own bytes only.
static bool pass_same(struct item_reader *r, const struct item_reader *other,
                      const struct item *like)
{
    uint32_t length = like->end - like->begin;
    if (like->kind != ITEM_INSTRUCTION || other->text[like->end - 1] != ';' ||
        r->length - r->at < length ||
        memcmp(r->text + r->at, other->text + like->begin, length) != 0)
        return false;
    r->at += length;
    return true;
}

struct item item_next(struct item_reader *r, const struct item_reader *other,
                      const struct item *like)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (!r->at && starts_with(r, 0, mark))
        r->at = (uint32_t)strlen(mark);
    do
        r->at = past_blanks(r, r->at);
    while (r->at < r->length && (pass_tag(r) || pass_loc(r)));
    struct item item = {ITEM_END, r->at, r->at, r->loc, r->loc_end};
    if (r->at >= r->length)
        return item;
    item.kind = ITEM_FIXED;
    char c = r->text[r->at];
    if (like && pass_same(r, other, like))
        item.kind = ITEM_INSTRUCTION;
    else if (c == '{' || c == '}' || c == ';')
        r->at++;
    else if (c == '.')
        r->at = past_directive(r, r->at);
    else
        r->at = past_instruction(r, r->at, &item.kind);
    item.end = r->at;
    return item;
}

// Words

// Returns true if the words or signs on both sides of a blank would merge without it. A dot starts
// a new word unless it may be part of a number.
static bool grows_together(const struct text_words *words, char next)
{
    static const char signs[] = "<>=&|!:";
    char before = words->before;
    if (next == '.') {
        char behind = words->at + 1 < words->end ? words->text[words->at + 1] : ' ';
        return (is_word(before) || before == '.') &&
               !(is_word(behind) && !(behind >= '0' && behind <= '9'));
    }
    return ((is_word(before) || before == '.') && is_word(next)) ||
           (before && strchr(signs, before) && strchr(signs, next));
}

int words_next(struct text_words *w)
{
    struct item_reader r = {.text = w->text, .length = w->end};
    uint32_t at = w->quoted ? w->at : past_blanks(&r, w->at);
    bool gap = at > w->at;
    w->at = at < w->end ? at : w->end;
    if (w->at == w->end)
        return -1;
    char next = w->text[w->at];
    if (gap && grows_together(w, next))
        return w->before = ' ';
    bool escaped = w->quoted && w->before == '\\';
    w->before = escaped && next == '\\' ? ' ' : next;
    if (next == '"' && !escaped)
        w->quoted = !w->quoted;
    w->at++;
    return (unsigned char)next;
}

bool words_same(struct text_words *a, struct text_words *b)
{
    int next;
    do {
        next = words_next(a);
        if (next != words_next(b))
            return false;
    } while (next >= 0);
    return true;
}

// Parts

static struct text_part trimmed(const struct item_reader *r, uint32_t begin, uint32_t end)
{
    begin = past_blanks(r, begin);
    while (end > begin && source_is_blank(r->text[end - 1]))
        end--;
    return (struct text_part){begin, end};
}

static void add_operand(struct parts *parts, struct text_part part)
{
    if (parts->operands < MAX_PARTS)
        parts->operand[parts->operands] = part;
    parts->operands++;
}

void parts_read(struct parts *parts, const char *text, const struct item *item)
{
    struct item_reader r = {.text = text, .length = item->end};
    uint32_t at = item->begin, begin;
    int depth = 0;
    *parts = (struct parts){0};
    if (text[at] == '@') {
        begin = at++;
        at = past_blanks(&r, at);
        at += at < r.length && text[at] == '!';
        at = past_word(&r, at);
        parts->guard = (struct text_part){begin, at};
        at = past_blanks(&r, at);
    }
    begin = at;
    while (at < item->end && (is_word(text[at]) || text[at] == '.' || text[at] == ':'))
        at++;
    parts->opcode = (struct text_part){begin, at};
    for (begin = at; at < item->end; at++) {
        char c = text[at];
        depth += (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
        if ((c == ',' && !depth) || c == ';') {
            if (trimmed(&r, begin, at).begin < at)
                add_operand(parts, trimmed(&r, begin, at));
            begin = at + 1;
        }
    }
}
