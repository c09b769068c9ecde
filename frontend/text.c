// Checks of a text before it is parsed: bytes that PTX does not allow, and the kind of a fragment.
#include "frontend/parser.h"
#include <string.h>

static void report_zeros(const struct source *source, struct diags *diags)
{
    const char *text = source->text, *end = text + source->length;
    while (end > text && !end[-1]) // padding in a fatbin, without meaning
        end--;
    for (const char *at = text; (at = memchr(at, 0, (size_t)(end - at)));) {
        const char *stop = at;
        while (stop < end && !*stop)
            stop++;
        diag_add(diags, DIAG_ERROR, "syntax", (uint32_t)(at - text), (uint32_t)(stop - text),
                 "NUL bytes in the text: %zu", (size_t)(stop - at));
        at = stop;
    }
}

// Returns the first byte outside ASCII, or the length.
static uint32_t find_other(const char *text, uint32_t length)
{
    uint32_t at = 0;
    for (uint64_t word; length - at >= sizeof word; at += (uint32_t)sizeof word) {
        memcpy(&word, text + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < length && !((unsigned char)text[at] & 0x80))
        at++;
    return at;
}

void text_check(const struct source *source, struct diags *diags)
{
    report_zeros(source, diags);
    uint32_t at = find_other(source->text, source->length), end = at + 1;
    if (at == source->length)
        return;
    while (end < source->length && ((unsigned char)source->text[end] & 0xc0) == 0x80)
        end++;
    diag_add(diags, DIAG_WARNING, "non-ascii", at, end,
             "not ASCII: ptxas rejects such a text, even in comments");
}

// Words that occur only at module level.
static const uint16_t module_words[] = {W_entry,  W_func,    W_version, W_target, W_address_size,
                                        W_extern, W_visible, W_weak,    W_common, W_alias,
                                        W_file,   W_section, W_const};

bool text_is_body(const struct parser *p)
{
    const char *at = p->base, *end = at + p->tree->source->length;
    for (; (at = memchr(at, '.', (size_t)(end - at))); at++) {
        const char *stop = at + 1;
        while (stop < end && (*stop == '_' || ((*stop | 0x20) >= 'a' && (*stop | 0x20) <= 'z')))
            stop++;
        uint32_t begin = (uint32_t)(at - p->base);
        bool first = parser_skip_trivia(p, 0) == begin;
        uint32_t word = intern_find(&p->tree->names, at, (size_t)(stop - at)) - OP_COUNT;
        if (word == W_entry || word == W_func)
            return false;
        for (size_t i = 0; first && i < ARRAY_LENGTH(module_words); i++)
            if (word == module_words[i])
                return false;
    }
    return true;
}
