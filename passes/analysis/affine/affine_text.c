// Prints atoms: %tid.x, [out+8], i@12
#include "passes/analysis/affine/affine_internal.h"
#include <string.h>

struct atom_writer {
    const struct affines *affines;
    struct arena *arena;
    char text[2048];
    size_t length;
    bool cut;
};

static void put(struct atom_writer *w, const char *text, size_t length)
{
    if (w->length + length >= sizeof w->text) {
        w->cut = true;
        return;
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
}

static void put_text(struct atom_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_number(struct atom_writer *w, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    put(w, digits + at, sizeof digits - at);
}

static void put_name(struct atom_writer *w, uint32_t id)
{
    const struct name *name = tree_name(w->affines->module->tree, id);
    put(w, name->text, name->length);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static void put_iteration(struct atom_writer *w, uint32_t loop)
{
    const struct ir_function *fn = w->affines->fn;
    const struct ir_block *header = &fn->blocks.v[fn->loops.v[loop].header];
    put_text(w, "i@");
    if (header->first < header->end)
        put_number(w, ir_position(w->affines->module, fn, header->first).line);
}

static void put_parameter(struct atom_writer *w, const struct affine_atom *atom)
{
    put_text(w, "[");
    put_name(w, w->affines->module->symbols.v[atom->index].name);
    if (atom->offset) {
        put_text(w, atom->offset < 0 ? "-" : "+");
        put_number(w, magnitude(atom->offset));
    }
    put_text(w, "]");
}

static void put_plain_atom(struct atom_writer *w, const struct affine_atom *atom)
{
    const struct ir_function *fn = w->affines->fn;
    switch (atom->kind) {
    case AFFINE_SPECIAL:
        put_text(w, isa_specials[atom->index].text);
        if (atom->member < WORD_COUNT)
            put_text(w, isa_words[atom->member].text);
        break;
    case AFFINE_PARAMETER: put_parameter(w, atom); break;
    case AFFINE_SYMBOL: put_name(w, w->affines->module->symbols.v[atom->index].name); break;
    case AFFINE_ITERATION: put_iteration(w, atom->index); break;
    default:
        put_text(
            w, ir_register_name(w->affines->module, fn, fn->versions.v[atom->index].reg, w->arena));
        break;
    }
}

const char *affine_atom_text(const struct affines *affines, struct arena *arena, uint32_t atom)
{
    struct atom_writer w;
    w.affines = affines;
    w.arena = arena;
    w.length = 0;
    w.cut = false;
    put_plain_atom(&w, &affines->atoms.v[atom]);
    return w.cut ? "(long)" : arena_strndup(arena, w.text, w.length);
}
