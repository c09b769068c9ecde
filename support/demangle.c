// libiberty's demangler prints through a callback. It allocates from the stack only and has no
// state, so a jump out of the callback is safe.
#include "support/demangle.h"
#include <libiberty/demangle.h>
#include <string.h>

enum { MOST_NAME = 4096, MAX_TEXT = 1 << 18, MAX_COPIES = 4096 };

struct demangled_text {
    struct arena *arena;
    VEC(char) text;
    jmp_buf on_excess;
};

static void add_text(const char *text, size_t length, void *opaque)
{
    struct demangled_text *to = opaque;
    if (length > MAX_TEXT - to->text.n)
        longjmp(to->on_excess, 1);
    for (size_t i = 0; i < length; i++)
        vec_push(to->arena, &to->text, text[i]);
}

// Returns the demangled name, or NULL if it is malformed or too long.
static const char *print(struct arena *arena, const char *mangled, int options)
{
    struct demangled_text *to = ARENA_NEW(arena, struct demangled_text);
    to->arena = arena;
    if (setjmp(to->on_excess))
        return NULL;
    // Without this option names of more than 1024 bytes are malformed.
    if (!cplus_demangle_v3_callback(mangled, options | DMGL_NO_RECURSE_LIMIT, add_text, to))
        return NULL;
    vec_push(arena, &to->text, '\0');
    return to->text.v;
}

// Returns true if the demangler's stack stays below about 1 MiB. For printing, it reserves a table
// whose size is the number of references to template parameters times the number of templates.
static bool is_small(const char *mangled, size_t length)
{
    size_t references = 0, templates = 0;
    for (size_t i = 0; i < length; i++) {
        references += (mangled[i] == 'R' || mangled[i] == 'O') && mangled[i + 1] == 'T';
        templates += mangled[i] == 'I';
    }
    return length <= MOST_NAME && references * templates <= MAX_COPIES;
}

// Brackets around a place in a demangled text.
struct nesting {
    int round, angle;
};

// Counts the bracket at `at`. A '<' in other brackets may be an operator and does not count.
static void count_bracket(struct nesting *nesting, const char *text, size_t at)
{
    char c = text[at];
    nesting->round += c == '(' || c == '[' || c == '{';
    nesting->round -= c == ')' || c == ']' || c == '}';
    if (!nesting->round)
        nesting->angle += (c == '<') - (c == '>' && at && text[at - 1] != '-');
}

// Returns the length of the text up to an unnested `end`.
static size_t length_until(const char *text, char end)
{
    struct nesting nesting = {0};
    size_t at = 0;
    for (; text[at] && (nesting.round || nesting.angle || text[at] != end); at++)
        count_bracket(&nesting, text, at);
    return at;
}

// Returns the length of the name without the template arguments at its end.
static size_t bare_length(const char *name, size_t length)
{
    struct nesting nesting = {0};
    size_t begin = length, end = 0;
    for (size_t at = 0; at < length; at++) {
        int before = nesting.angle;
        count_bracket(&nesting, name, at);
        if (before == 0 && nesting.angle == 1)
            begin = at;
        else if (before == 1 && nesting.angle == 0)
            end = at + 1;
    }
    return end == length ? begin : length;
}

static void split_parameters(struct arena *arena, struct demangled *to, const char *list)
{
    size_t all = length_until(list, ')');
    list = arena_strndup(arena, list, all);
    for (size_t at = 0; at < all; at += 2) { // ", "
        size_t length = length_until(list + at, ',');
        vec_push(arena, &to->parameters, arena_strndup(arena, list + at, length));
        at += length;
    }
}

bool demangle(struct demangled *to, struct arena *arena, const char *mangled)
{
    size_t length = strcspn(mangled, "."); // without suffixes of clones
    *to = (struct demangled){0};
    // T and G are data, such as virtual tables.
    if (strncmp(mangled, "_Z", 2) || strchr("TG", mangled[2]) || !is_small(mangled, length))
        return false;
    mangled = arena_strndup(arena, mangled, length);
    const int options = DMGL_ANSI | DMGL_PARAMS;
    const char *text = print(arena, mangled, options);
    const char *rest = text ? print(arena, mangled, options | DMGL_RET_DROP) : NULL;
    const char *name = rest ? print(arena, mangled, DMGL_ANSI) : NULL;
    if (!name)
        return false;
    const char *at = strstr(text, rest);
    if (!at) // a variable: the result type that is missing is one of a template argument
        at = rest = text;
    size_t name_length = strlen(name);
    if (!name_length || strncmp(rest, name, name_length))
        return false;
    to->text = text;
    to->name = (uint32_t)(at - text);
    to->bare_end = to->name + (uint32_t)bare_length(name, name_length);
    to->name_end = to->name + (uint32_t)name_length;
    if (rest[name_length] == '(')
        split_parameters(arena, to, rest + name_length + 1);
    return true;
}
