// A network file of BookSim: `name = value;`, with comments from // to the end of a line.
#include "runtime-sim/base/foreign.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct foreign_row rows[] = {
#define COPY(name, key, text) {name, FOREIGN_COPY, key, text},
#define RULE(name, absent, text) {name, FOREIGN_RULE, absent, text},
#define ONLY(name, value, text) {name, FOREIGN_ONLY, value, text},
#define IGNORED(name, text) {name, FOREIGN_IGNORED, NULL, text},
#define ASSUMED(key, value, text) {key, FOREIGN_ASSUMED, value, text},
#include "runtime-sim/base/booksim.def"
#undef COPY
#undef RULE
#undef ONLY
#undef IGNORED
#undef ASSUMED
};

static size_t name_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static bool is_booksim(const char *line)
{
    size_t length = name_length(line);
    const char *equals = line + length + strspn(line + length, " \t");
    return length && *equals == '=';
}

static const char *skip_blanks(const char *at)
{
    for (;;) {
        while (*at && (unsigned char)*at <= ' ')
            at++;
        if (strncmp(at, "//", 2))
            return at;
        at += strcspn(at, "\n");
    }
}

// Returns the value without blanks, and '?' for other bytes that a comment cannot have.
static const char *value_text(struct arena *arena, const char *from, const char *to)
{
    char *text = arena_strndup(arena, from, (size_t)(to - from)), *end = text;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at > ' ')
            *end++ = *at < 127 && *at > 0 ? *at : '?';
    *end = 0;
    return text;
}

static void scan(struct foreign *f)
{
    const char *text = f->source->text;
    for (const char *at = skip_blanks(text); *at;) {
        size_t length = name_length(at);
        const char *equals = at + length + strspn(at + length, " \t\r\n");
        const char *end = at + strcspn(at, ";");
        if (!length || equals >= end || *equals != '=' || !*end) {
            diag_add(f->diags, DIAG_ERROR, "config", (uint32_t)(at - text), (uint32_t)(end - text),
                     "a parameter must have the form 'name = value;'");
            return;
        }
        foreign_add(f, arena_strndup(f->arena, at, length), value_text(f->arena, equals + 1, end),
                    (uint32_t)(at - text), (uint32_t)(end - text));
        at = skip_blanks(end + 1);
    }
}

static void put_topology(struct foreign *f)
{
    const char *topology = foreign_word(f, "topology");
    uint32_t k = foreign_number(f, "k"), n = foreign_number(f, "n");
    if (!topology)
        return;
    if (!strcmp(topology, "fly") && n == 1) {
        foreign_put(f, "topology", "noc.topology", "crossbar");
        foreign_put(f, "k", "noc.nodes", "%u", k);
    } else if (!strcmp(topology, "fly")) {
        foreign_put(f, "topology", "noc.topology", "fly");
        foreign_put(f, "k", "noc.radix", "%u", k);
        foreign_put(f, "n", "noc.stages", "%u", n);
    } else if (!strcmp(topology, "mesh") && n == 2) {
        foreign_put(f, "topology", "noc.topology", "mesh");
        foreign_put(f, "k", "noc.width", "%u", k);
        foreign_put(f, "k", "noc.height", "%u", k);
    } else {
        foreign_refuse(f, "topology",
                       "must be fly, or mesh with n = 2: there are no other topologies");
    }
}

// Sets a key to the word of ours for one of theirs.
static void put_word(struct foreign *f, const char *name, const char *key,
                     const char *const (*words)[2])
{
    const char *word = foreign_word(f, name), *known = "";
    for (; word && (*words)[0]; words++) {
        known = arena_printf(f->arena, "%s%s%s", known, *known ? ", " : "", (*words)[0]);
        if (strcmp((*words)[0], word))
            continue;
        if (*(*words)[1])
            foreign_put(f, name, key, "%s", (*words)[1]);
        return;
    }
    if (word)
        foreign_refuse(f, name, "is '%s', where only %s are known", word, known);
}

static void put_speedup(struct foreign *f)
{
    const char *name = "internal_speedup", *text = foreign_word(f, name);
    char *end;
    double internal = strtod(text, &end);
    if (*end || !(internal >= 1 && internal <= 64)) {
        foreign_refuse(f, name, "must be a number from 1 to 64");
        return;
    }
    double both = internal * foreign_number(f, "input_speedup");
    foreign_put(f, foreign_find(f, name) ? name : "input_speedup", "noc.speedup", "%.0f", both);
}

static void put_queues(struct foreign *f)
{
    enum { INJECTION = 9 };
    uint32_t input = foreign_number(f, "input_buffer_size");
    foreign_put(f, "input_buffer_size", "noc.injection_queue", "%u", input ? input : INJECTION);
    foreign_put(f, "boundary_buffer_size", "noc.ejection_queue", "%u",
                foreign_number(f, "boundary_buffer_size"));
}

static void translate(struct foreign *f)
{
    static const char *const routings[][2] = {
        {"dest_tag", ""},          {"dor", "xy"}, {"dim_order", "xy"}, {"xy", "xy"}, {"yx", "yx"},
        {"min_adapt", "adaptive"}, {NULL, NULL}};
    static const char *const allocators[][2] = {
        {"islip", "islip"}, {"separable_input_first", "separable"}, {NULL, NULL}};
    static const char *const reuses[][2] = {{"0", "tail"}, {"1", "empty"}, {NULL, NULL}};
    uint32_t iterations = foreign_number(f, "alloc_iters");
    put_topology(f);
    put_word(f, "routing_function", "noc.routing", routings);
    put_word(f, "vc_allocator", "noc.vc_allocator", allocators);
    put_word(f, "sw_allocator", "noc.sw_allocator", allocators);
    put_word(f, "wait_for_tail_credit", "noc.vc_reuse", reuses);
    foreign_put(f, "alloc_iters", "noc.vc_alloc_iterations", "%u", iterations);
    foreign_put(f, "alloc_iters", "noc.sw_alloc_iterations", "%u", iterations);
    put_speedup(f);
    put_queues(f);
    foreign_assume(f);
}

const struct foreign_format foreign_booksim = {
    "BookSim", rows, ARRAY_LENGTH(rows), is_booksim, scan, translate,
};
