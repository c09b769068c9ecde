// Writes expressions as text, for tests: 4*%tid.x + 4*%ntid.x*%ctaid.x + [out] + 16
#pragma once
#include "passes/analysis/affine/affine.h"
#include <assert.h>

// Special registers come first, then iterations, then the base.
static inline uint64_t affine_text_rank(const struct affines *affines, uint32_t id)
{
    static const uint8_t ranks[] = {[AFFINE_SPECIAL] = 0,
                                    [AFFINE_ITERATION] = 1,
                                    [AFFINE_VERSION] = 2,
                                    [AFFINE_PARAMETER] = 3,
                                    [AFFINE_SYMBOL] = 4};
    const struct affine_atom *atom = affine_atom(affines, id);
    return (uint64_t)ranks[atom->kind] << 56 | (uint64_t)atom->index << 16 | atom->member;
}

static inline uint64_t affine_text_term_rank(const struct affines *affines,
                                             const struct affine_term *term)
{
    uint64_t min = UINT64_MAX;
    for (int i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++) {
        uint64_t rank = affine_text_rank(affines, term->atom[i]);
        min = rank < min ? rank : min;
    }
    return min;
}

static inline uint64_t affine_text_magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

// The factor with the highest rank comes first: a size precedes what it is multiplied by.
static inline const char *affine_text_term(const struct affines *affines, struct arena *arena,
                                           const struct affine_term *term)
{
    uint32_t atoms[AFFINE_FACTORS], n = 0;
    for (; n < AFFINE_FACTORS && term->atom[n] != IR_NONE; n++) {
        uint32_t at = n;
        for (; at &&
               affine_text_rank(affines, atoms[at - 1]) < affine_text_rank(affines, term->atom[n]);
             at--)
            atoms[at] = atoms[at - 1];
        atoms[at] = term->atom[n];
    }
    const char *text = "";
    if (affine_text_magnitude(term->coefficient) != 1)
        text = arena_printf(arena, "%llu*",
                            (unsigned long long)affine_text_magnitude(term->coefficient));
    for (uint32_t i = 0; i < n; i++) {
        const struct affine_atom *atom = affine_atom(affines, atoms[i]);
        const char *name = affine_atom_text(affines, arena, atoms[i]);
        if (atom->is_unsigned)
            name = arena_printf(arena, "u%u(%s)", atom->bits, name);
        text = arena_printf(arena, "%s%s%s", text, i ? "*" : "", name);
    }
    return text;
}

static inline const char *affine_text_sign(const char *before, bool negative)
{
    if (*before)
        return negative ? " - " : " + ";
    return negative ? "-" : "";
}

static inline const char *affine_text(const struct affines *affines, struct arena *arena,
                                      const struct affine *value)
{
    enum { LIMIT = 64 };
    const struct affine_term *order[LIMIT];
    assert(value->count <= LIMIT);
    for (uint32_t i = 0; i < value->count; i++) {
        uint32_t at = i;
        uint64_t rank = affine_text_term_rank(affines, &value->terms[i]);
        for (; at && affine_text_term_rank(affines, order[at - 1]) > rank; at--)
            order[at] = order[at - 1];
        order[at] = &value->terms[i];
    }
    const char *text = "";
    for (uint32_t i = 0; i < value->count; i++)
        text =
            arena_printf(arena, "%s%s%s", text, affine_text_sign(text, order[i]->coefficient < 0),
                         affine_text_term(affines, arena, order[i]));
    if (!value->constant && value->count)
        return text;
    return arena_printf(arena, "%s%s%llu", text, affine_text_sign(text, value->constant < 0),
                        (unsigned long long)affine_text_magnitude(value->constant));
}
