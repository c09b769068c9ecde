#include "runtime-sim/device/kernel_name.h"
#include "support/demangle.h"
#include "support/nearest.h"
#include <string.h>

enum { MAX_LISTED = 8, MAX_SHOWN = 40, MAX_MEANT = 120 };

// Ways to name a kernel, most exact first. The first way that names any kernel is used.
enum way { WAY_SIGNATURE, WAY_NAME, WAY_END, WAYS };

struct kernel_names {
    const char *mangled;
    struct demangled cxx; // cxx.text is NULL if it is not a C++ name
};

static bool is_entry(const struct program *program, uint32_t index)
{
    return program->module->functions.v[program->functions.v[index].function].is_entry;
}

const char *kernel_name(const struct program *program, struct arena *arena,
                        const struct program_function *function)
{
    const struct ir_module *module = program->module;
    const struct name *name = tree_name(module->tree, module->functions.v[function->function].name);
    return arena_strndup(arena, name->text, name->length);
}

static struct kernel_names names_of(const struct program *program, struct arena *arena,
                                    uint32_t index)
{
    struct kernel_names names = {kernel_name(program, arena, &program->functions.v[index]), {0}};
    if (!demangle(&names.cxx, arena, names.mangled))
        names.cxx.text = NULL;
    return names;
}

// Comparison

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns the text without blanks, except one between words.
static const char *pack(struct arena *arena, const char *text, size_t length)
{
    char *to = arena_strndup(arena, text, length);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ' && text[i] != '\t')
            to[n++] = text[i];
        else if (n && is_word(to[n - 1]) && is_word(text[i + 1 < length ? i + 1 : i]))
            to[n++] = ' ';
    }
    to[n] = 0;
    return to;
}

static bool is_same(struct arena *arena, const char *packed, const char *text, size_t length)
{
    return !strcmp(packed, pack(arena, text, length));
}

// Returns true if the name is the end of text[0 … length) after a "::" outside brackets.
static bool is_end(struct arena *arena, const char *packed, const char *text, size_t scope,
                   size_t length)
{
    int depth = 0;
    for (size_t i = 0; i + 2 < scope; i++) {
        depth += text[i] == '<' || text[i] == '(' || text[i] == '{';
        depth -= text[i] == '>' || text[i] == ')' || text[i] == '}';
        if (!depth && text[i] == ':' && text[i + 1] == ':' &&
            is_same(arena, packed, text + i + 2, length - i - 2))
            return true;
    }
    return false;
}

static bool is_named(struct arena *arena, const struct kernel_names *names, const char *packed,
                     enum way way)
{
    const struct demangled *cxx = &names->cxx;
    if (!cxx->text)
        return false;
    const char *name = cxx->text + cxx->name;
    size_t all = strlen(name), with = cxx->name_end - cxx->name, bare = cxx->bare_end - cxx->name;
    switch (way) {
    case WAY_SIGNATURE:
        return is_same(arena, packed, cxx->text, all + cxx->name) ||
               is_same(arena, packed, name, all);
    case WAY_NAME: return is_same(arena, packed, name, with) || is_same(arena, packed, name, bare);
    default:
        return is_end(arena, packed, name, bare, all) || is_end(arena, packed, name, bare, with) ||
               is_end(arena, packed, name, bare, bare);
    }
}

// Messages

static const char *shown(struct arena *arena, const char *text, size_t max)
{
    size_t length = strlen(text);
    return length <= max ? text : arena_printf(arena, "%.*s…", (int)max, text);
}

static const char *add_listed(struct arena *arena, const char *list,
                              const struct kernel_names *names, size_t max)
{
    const struct demangled *cxx = &names->cxx;
    const char *text = cxx->text ? cxx->text + cxx->name : names->mangled;
    return arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "", shown(arena, text, max));
}

const char *kernel_list(const struct program *program, struct arena *arena)
{
    const char *list = "";
    uint32_t entries = 0;
    for (uint32_t i = 0; i < program->functions.n; i++) {
        if (!is_entry(program, i))
            continue;
        struct kernel_names names = names_of(program, arena, i);
        if (++entries <= MAX_LISTED)
            list = add_listed(arena, list, &names, MAX_SHOWN);
    }
    if (!entries)
        return "the program has no kernel";
    if (entries == 1)
        return arena_printf(arena, "the program's kernel is %s", list);
    list = arena_printf(arena, "the program has %u kernels: %s", entries, list);
    return entries > MAX_LISTED ? arena_printf(arena, "%s and %u more", list, entries - MAX_LISTED)
                                : list;
}

static const char *nearest_kernel(const struct program *program, struct arena *arena,
                                  const char *text)
{
    struct nearest nearest;
    nearest_init(&nearest, text, strlen(text));
    for (uint32_t i = 0; i < program->functions.n; i++) {
        if (!is_entry(program, i))
            continue;
        struct kernel_names names = names_of(program, arena, i);
        const struct demangled *cxx = &names.cxx;
        nearest_offer(&nearest, names.mangled, strlen(names.mangled));
        if (!cxx->text)
            continue;
        const char *begin = cxx->text + cxx->name, *end = cxx->text + cxx->bare_end, *last = end;
        nearest_offer(&nearest, begin, (size_t)(end - begin));
        while (last > begin && (is_word(last[-1]) || last[-1] == '$'))
            last--;
        nearest_offer(&nearest, last, (size_t)(end - last));
    }
    return nearest.best ? arena_strndup(arena, nearest.best, nearest.best_length) : NULL;
}

static void say_unknown(const struct program *program, struct arena *arena, const char *text,
                        struct kernel_fault *fault)
{
    const char *nearest = nearest_kernel(program, arena, text);
    fault->text = nearest
                      ? arena_printf(arena, "unknown kernel '%s'; did you mean '%s'?",
                                     shown(arena, text, MAX_MEANT), nearest)
                      : arena_printf(arena, "unknown kernel '%s'", shown(arena, text, MAX_MEANT));
    fault->kernels = kernel_list(program, arena);
}

const struct program_function *kernel_find(const struct program *program, struct arena *arena,
                                           const char *text, struct kernel_fault *fault)
{
    const struct program_function *found = program_find(program, text);
    const char *packed = pack(arena, text, strlen(text)), *list = "";
    uint32_t count = 0;
    for (int way = 0; !found && !count && way < WAYS; way++)
        for (uint32_t i = 0; i < program->functions.n; i++) {
            struct kernel_names names = {0};
            if (is_entry(program, i))
                names = names_of(program, arena, i);
            if (!is_named(arena, &names, packed, (enum way)way))
                continue;
            if (++count <= MAX_LISTED)
                list = add_listed(arena, list, &names, MAX_SHOWN);
            found = &program->functions.v[i];
        }
    if (found && count <= 1)
        return found;
    if (!count) {
        say_unknown(program, arena, text, fault);
        return NULL;
    }
    fault->text = arena_printf(arena, "'%s' names %u kernels: add the signature to select one",
                               shown(arena, text, MAX_MEANT), count);
    fault->kernels = arena_printf(arena, "they are %s%s", list, count > MAX_LISTED ? ", …" : "");
    return NULL;
}
