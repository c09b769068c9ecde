#include "frontend/ptx_header.h"
#include "support/source.h"
#include <string.h>

struct cursor {
    const char *at, *end;
};

static bool accept_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length))
        return false;
    c->at += length;
    return true;
}

// Moves past the next `word`, or to the end of the text.
static void skip_past(struct cursor *c, const char *word)
{
    const char *found = memmem(c->at, (size_t)(c->end - c->at), word, strlen(word));
    c->at = found ? found + strlen(word) : c->end;
}

static void skip_blanks(struct cursor *c)
{
    for (;;) {
        while (c->at < c->end && source_is_blank(*c->at))
            c->at++;
        if (accept_word(c, "//"))
            skip_past(c, "\n");
        else if (accept_word(c, "/*"))
            skip_past(c, "*/");
        else
            return;
    }
}

static bool parse_number(struct cursor *c, uint32_t *number)
{
    const char *begin = c->at;
    uint32_t value = 0;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && value < 10000)
        value = value * 10 + (uint32_t)(*c->at++ - '0');
    *number = value;
    return c->at != begin;
}

static bool is_in_word(char byte)
{
    return byte == '_' || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z');
}

size_t arch_read(const char *text, size_t size, uint32_t *arch, char *suffix)
{
    struct cursor c = {text, text + size};
    if (!accept_word(&c, "sm_") && !accept_word(&c, "compute_"))
        accept_word(&c, "lto_");
    *suffix = 0;
    if (!parse_number(&c, arch) || !*arch)
        return 0;
    if (c.at < c.end && (*c.at == 'a' || *c.at == 'f'))
        *suffix = *c.at++;
    return c.at < c.end && is_in_word(*c.at) ? 0 : (size_t)(c.at - text);
}

bool ptx_header_read(struct ptx_header *header, const char *text, size_t size)
{
    struct cursor c = {text, text + size};
    uint32_t major, minor;
    *header = (struct ptx_header){0};
    accept_word(&c, "\xef\xbb\xbf"); // a byte order mark
    skip_blanks(&c);
    if (!accept_word(&c, ".version"))
        return false;
    skip_blanks(&c);
    if (!parse_number(&c, &major) || !accept_word(&c, ".") || !parse_number(&c, &minor))
        return false;
    *header = (struct ptx_header){.major = (uint16_t)major, .minor = (uint16_t)minor};
    skip_blanks(&c);
    if (!accept_word(&c, ".target"))
        return true;
    skip_blanks(&c);
    if (!arch_read(c.at, (size_t)(c.end - c.at), &header->arch, &header->suffix))
        header->arch = 0, header->suffix = 0;
    return true;
}
