// Expressions for people: 4*%tid.x + 4*%ntid.x*%ctaid.x + [out] + 16
#include "passes/analysis/affine_internal.h"
#include <string.h>

struct writer {
    const struct affines *affines;
    char text[2048];
    size_t length;
    bool cut;
};

static void put(struct writer *w, const char *text, size_t length)
{
    if (w->length + length >= sizeof w->text) {
        w->cut = true;
        return;
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
}

static void put_text(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_number(struct writer *w, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    put(w, digits + at, sizeof digits - at);
}

static void put_name(struct writer *w, uint32_t id)
{
    const struct name *name = tree_name(w->affines->module->tree, id);
    put(w, name->text, name->length);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static void put_iteration(struct writer *w, uint32_t loop)
{
    const struct ir_function *fn = w->affines->fn;
    const struct ir_block *header = &fn->blocks.v[fn->loops.v[loop].header];
    put_text(w, "i@");
    if (header->first < header->end)
        put_number(w, ir_place(w->affines->module, fn, header->first).line);
}

static void put_parameter(struct writer *w, const struct affine_atom *atom)
{
    put_text(w, "[");
    put_name(w, w->affines->module->symbols.v[atom->index].name);
    if (atom->offset) {
        put_text(w, atom->offset < 0 ? "-" : "+");
        put_number(w, magnitude(atom->offset));
    }
    put_text(w, "]");
}

static void put_plain_atom(struct writer *w, const struct affine_atom *atom)
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
    default: put_name(w, fn->registers.v[fn->versions.v[atom->index].reg].name); break;
    }
}

static void put_atom(struct writer *w, const struct affine_atom *atom)
{
    if (atom->is_unsigned) {
        put_text(w, "u");
        put_number(w, atom->bits);
        put_text(w, "(");
    }
    put_plain_atom(w, atom);
    if (atom->is_unsigned)
        put_text(w, ")");
}

// What differs between threads comes first, then between CTAs and iterations, then the base.
static uint64_t rank(const struct affines *a, uint32_t id)
{
    static const uint8_t ranks[] = {[AFFINE_SPECIAL] = 0,
                                    [AFFINE_ITERATION] = 1,
                                    [AFFINE_VERSION] = 2,
                                    [AFFINE_PARAMETER] = 3,
                                    [AFFINE_SYMBOL] = 4};
    const struct affine_atom *atom = &a->atoms.v[id];
    return (uint64_t)ranks[atom->kind] << 56 | (uint64_t)atom->index << 16 | atom->member;
}

static uint64_t term_rank(const struct affines *a, const struct affine_term *term)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++)
        least = rank(a, term->atom[i]) < least ? rank(a, term->atom[i]) : least;
    return least;
}

// Factors the other way round, so that a size stands before what it is multiplied with.
static void put_term(struct writer *w, const struct affine_term *term)
{
    uint32_t atoms[AFFINE_FACTORS], n = 0;
    for (; n < AFFINE_FACTORS && term->atom[n] != IR_NONE; n++) {
        uint32_t at = n;
        for (; at && rank(w->affines, atoms[at - 1]) < rank(w->affines, term->atom[n]); at--)
            atoms[at] = atoms[at - 1];
        atoms[at] = term->atom[n];
    }
    if (magnitude(term->coefficient) != 1) {
        put_number(w, magnitude(term->coefficient));
        put_text(w, "*");
    }
    for (uint32_t i = 0; i < n; i++) {
        put_text(w, i ? "*" : "");
        put_atom(w, &w->affines->atoms.v[atoms[i]]);
    }
}

static void put_sign(struct writer *w, bool negative)
{
    if (w->length)
        put_text(w, negative ? " - " : " + ");
    else if (negative)
        put_text(w, "-");
}

const char *affine_atom_text(const struct affines *affines, struct arena *arena, uint32_t atom)
{
    struct writer w;
    w.affines = affines;
    w.length = 0;
    w.cut = false;
    put_plain_atom(&w, &affines->atoms.v[atom]);
    return w.cut ? "(long)" : arena_strndup(arena, w.text, w.length);
}

const char *affine_text(const struct affines *affines, struct arena *arena,
                        const struct affine *value)
{
    struct writer w;
    const struct affine_term *order[AFFINE_MOST_TERMS];
    w.affines = affines;
    w.length = 0;
    w.cut = false;
    for (uint32_t i = 0; i < value->count; i++) {
        uint32_t at = i;
        for (; at && term_rank(affines, order[at - 1]) > term_rank(affines, &value->terms[i]); at--)
            order[at] = order[at - 1];
        order[at] = &value->terms[i];
    }
    for (uint32_t i = 0; i < value->count; i++) {
        put_sign(&w, order[i]->coefficient < 0);
        put_term(&w, order[i]);
    }
    if (value->constant || !value->count) {
        put_sign(&w, value->constant < 0);
        put_number(&w, magnitude(value->constant));
    }
    return w.cut ? "(long)" : arena_strndup(arena, w.text, w.length);
}
