// Changes the white space and comments of tagged PTX, as compilers do when they pack a program.
#pragma once
#include "tests/unit/backend/made.h"

struct repack {
    struct made *made;
    const char *text;
    size_t length, at;
    bool packs; // as nvcc; else at random
    struct text to;
};

static inline bool repack_starts(const struct repack *r, const char *what)
{
    return r->length - r->at >= strlen(what) && !memcmp(r->text + r->at, what, strlen(what));
}

// Copies the text up to and including the next `what`.
static inline void repack_copy(struct repack *r, size_t from, const char *what)
{
    const char *found = memmem(r->text + from, r->length - from, what, strlen(what));
    size_t end = found ? (size_t)(found - r->text) + strlen(what) : r->length;
    text_add(&r->to, r->text + r->at, end - r->at);
    r->at = end;
}

// Skips white space and comments. Returns true if they contain a line end.
static inline bool repack_skip(struct repack *r)
{
    bool ends = false;
    for (; r->at < r->length; r->at++) {
        const char *end = NULL;
        if (repack_starts(r, "//") || repack_starts(r, "/*")) {
            const char *what = r->text[r->at + 1] == '/' ? "\n" : "*/";
            end = memmem(r->text + r->at + 2, r->length - r->at - 2, what, strlen(what));
            r->at = !end ? r->length - 1 : (size_t)(end - r->text) + strlen(what) - 1;
            ends |= *what == '\n';
        } else if (r->text[r->at] == '\n') {
            ends = true;
        } else if (!memchr(" \t\r\v\f", r->text[r->at], 5)) {
            break;
        }
    }
    return ends;
}

// Returns true for a tag. A tag stays in its instruction's line, with one blank between them.
static inline bool repack_is_tag(const struct repack *r, size_t begin)
{
    return repack_starts(r, ".pragma \"ptxoffload.") ||
           (begin >= 2 && !memcmp(r->text + begin - 2, "\";", 2)) ||
           (begin >= 7 && !memcmp(r->text + begin - 7, ".pragma", 7));
}

static inline void repack_gap(struct repack *r)
{
    static const char *const gaps[] = {" ",           "\n",   "\t \n\t", " /* \" */ ",
                                       "// it's\n\n", "/**/", "\r\n"};
    size_t begin = r->at;
    bool ends = repack_skip(r);
    if (repack_is_tag(r, begin) || r->at == r->length)
        text_add(&r->to, r->text + begin, r->at - begin);
    else if (repack_starts(r, "#") || repack_starts(r, "@@"))
        text_string(&r->to, "\n");
    else if (r->packs)
        text_string(&r->to, ends ? "\n" : " ");
    else
        text_string(&r->to, gaps[made_random(r->made, sizeof gaps / sizeof *gaps)]);
}

// Returns the repacked text, in the arena. Requires tags in pragma style.
__attribute__((unused)) static char *repack(struct made *made, const char *text, size_t length,
                                            bool packs, uint32_t *new_length)
{
    struct repack r = {.made = made, .text = text, .length = length, .packs = packs};
    text_init(&r.to, &made->program.arena);
    while (r.at < length) {
        bool line = repack_starts(&r, "@@") ||
                    (repack_starts(&r, "#") && (!r.at || text[r.at - 1] == '\n'));
        if (line)
            repack_copy(&r, r.at, "\n");
        else if (text[r.at] == '"')
            repack_copy(&r, r.at + 1, "\"");
        else if (memchr(" \t\r\v\f\n", text[r.at], 6) || repack_starts(&r, "//") ||
                 repack_starts(&r, "/*"))
            repack_gap(&r);
        else
            text_add(&r.to, text + r.at++, 1);
    }
    return text_end(&r.to, new_length);
}

// Returns true if two texts without comments, of this length, differ in white space only.
__attribute__((unused)) static bool repack_equal(const char *a, const char *b, size_t length)
{
    const char *a_end = a + length, *b_end = b + length;
    for (;; a++, b++) {
        while (a < a_end && strchr(" \t\r\n", *a))
            a++;
        while (b < b_end && strchr(" \t\r\n", *b))
            b++;
        if (a == a_end || b == b_end || *a != *b)
            return a == a_end && b == b_end;
    }
}
