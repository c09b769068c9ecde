// The reader of mangled names, shared by demangle.c and demangle_types.c.
#pragma once
#include "support/demangle.h"
#include <string.h>

enum { DEEPEST = 200, MOST_TEXT = 1 << 18, MOST_PARTS = 10000, NO_PACK = UINT32_MAX };

// A type, name or template argument. The name of an object of the type stands between the two
// halves: "void (*" ")(int)".
struct name_part {
    const char *left, *right;
    bool is_function, is_array; // a pointer to it needs parentheses
    bool is_pack;               // has `elements` instead of text
    const struct name_parts *elements;
};

struct name_parts {
    VEC(struct name_part) list;
};

struct reader {
    struct arena *arena;
    const char *at;
    uint32_t depth, text, steps; // limits used so far
    bool failed;
    struct name_parts known;            // substitutions S_, S0_ …
    const struct name_parts *arguments; // template arguments T_, T0_ …
    uint32_t pack, pack_length;         // index of the pack element being written; NO_PACK: no pack
};

// A name while it is read.
struct naming {
    const char *text, *bare; // with and without the last template arguments
    const char *behind;      // text after the parameters: " const"
    const struct name_parts *arguments;
    bool is_template;
};

// After a failure every function still returns printable text.

// Marks the name as unreadable; the rest of it counts as empty.
static inline void fail(struct reader *r)
{
    r->failed = true;
    r->at = "";
}

// Counts a step and a level of nesting, which the caller leaves by decrementing `depth`. Returns
// false after a failure or beyond a limit.
static inline bool enter(struct reader *r)
{
    if (++r->depth > DEEPEST || ++r->steps > MOST_PARTS)
        fail(r);
    return !r->failed;
}

// Returns the concatenation of three texts; fails if the total length exceeds the limit.
static inline const char *join(struct reader *r, const char *a, const char *b, const char *c)
{
    size_t length = strlen(a) + strlen(b) + strlen(c);
    if (length > MOST_TEXT - r->text)
        fail(r);
    if (r->failed)
        return "";
    r->text += (uint32_t)length;
    return arena_printf(r->arena, "%s%s%s", a, b, c);
}

// Consume a character or word if it is next. Return true if it was.
static inline bool take(struct reader *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static inline bool take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length))
        return false;
    r->at += length;
    return true;
}

// Consumes a character that must be next, or fails.
static inline void need(struct reader *r, char c)
{
    if (!take(r, c))
        fail(r);
}

// Reads a decimal number of at most MOST_TEXT, or fails.
static inline uint32_t take_number(struct reader *r)
{
    uint32_t value = 0;
    if (*r->at < '0' || *r->at > '9')
        fail(r);
    while (*r->at >= '0' && *r->at <= '9') {
        value = value * 10 + (uint32_t)(*r->at++ - '0');
        if (value > MOST_TEXT)
            fail(r);
    }
    return value;
}

static inline struct name_part part_of(const char *text)
{
    return (struct name_part){.left = text, .right = ""};
}

// Adds a part to the substitutions.
static inline void remember(struct reader *r, struct name_part part)
{
    if (!r->failed)
        vec_push(r->arena, &r->known.list, part);
}

// Names

// Reads a name.
void demangle_name(struct reader *r, struct naming *name);
// Returns the part as text; a pack becomes a list of its elements.
const char *demangle_whole(struct reader *r, const struct name_part *part);
// Reads template arguments up to and including E.
void demangle_arguments(struct reader *r, struct naming *name);
// Reads a source name: its length and its characters.
const char *demangle_source_name(struct reader *r);
// Reads a substitution after S, except St.
struct name_part demangle_known(struct reader *r);
// Reads a template parameter after T. For a pack, returns the element being written, or the whole
// pack.
struct name_part demangle_parameter(struct reader *r);

// Types

// Reads a type.
struct name_part demangle_type(struct reader *r);
// Returns the list of types before `end`, which is not consumed; "" for a single void. Appends each
// type to `to` unless it is NULL.
const char *demangle_parameters(struct reader *r, char end, struct demangled *to);
