// Sums of live-in values: arithmetic and text.
#include "passes/analysis/trip/trip_internal.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 512 };

int64_t trip_extended(int64_t value, unsigned bits, bool is_signed)
{
    uint64_t high = bits < 64 ? (uint64_t)value << (64 - bits) : (uint64_t)value;
    if (bits >= 64)
        return value;
    return is_signed ? (int64_t)high >> (64 - bits) : (int64_t)(high >> (64 - bits));
}

struct linear linear_unknown(void)
{
    return (struct linear){.known = false, .phi = IR_NONE};
}

struct linear linear_constant(int64_t value, unsigned bits)
{
    return (struct linear){.known = true,
                           .phi = IR_NONE,
                           .add = trip_extended(value, bits, true),
                           .bits = (uint8_t)bits};
}

struct linear linear_of_atom(struct trip_atom atom, unsigned bits)
{
    struct linear sum = linear_constant(0, bits);
    if (!atom.text || strlen(atom.text) > MAX_TEXT)
        return linear_unknown();
    sum.terms[sum.count++] = (struct trip_term){1, atom};
    return sum;
}

static bool same_atom(const struct trip_atom *a, const struct trip_atom *b)
{
    return a->form == b->form && a->bits == b->bits && a->version == b->version &&
           !strcmp(a->text, b->text);
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_term(struct linear *to, const struct trip_term *term, int64_t factor)
{
    int64_t coefficient = trip_extended(times(term->coefficient, factor), to->bits, true);
    for (uint32_t i = 0; i < to->count; i++) {
        struct trip_term *at = &to->terms[i];
        if (!same_atom(&at->atom, &term->atom))
            continue;
        at->coefficient = trip_extended(plus(at->coefficient, coefficient), to->bits, true);
        if (!at->coefficient)
            *at = to->terms[--to->count];
        return;
    }
    if (!coefficient)
        return;
    if (to->count == TRIP_TERMS)
        to->known = false;
    else
        to->terms[to->count++] = (struct trip_term){coefficient, term->atom};
}

static void add_counter(struct linear *to, const struct linear *b, int64_t factor)
{
    bool other = to->phi != IR_NONE && (to->phi != b->phi || to->narrow != b->narrow ||
                                        (to->narrow && to->narrow_signed != b->narrow_signed));
    if (b->phi == IR_NONE)
        return;
    to->known &= !other;
    to->phi = b->phi;
    to->narrow = b->narrow;
    to->narrow_signed = b->narrow_signed;
    to->factor = trip_extended(plus(to->factor, times(b->factor, factor)), to->bits, true);
    if (!to->factor)
        to->phi = IR_NONE;
}

struct linear linear_sum(const struct linear *a, const struct linear *b, int64_t factor)
{
    struct linear to = *a;
    to.known &= b->known;
    if (!to.known)
        return linear_unknown();
    add_counter(&to, b, factor);
    for (uint32_t i = 0; i < b->count && to.known; i++)
        add_term(&to, &b->terms[i], factor);
    to.add = trip_extended(plus(to.add, times(b->add, factor)), to.bits, true);
    return to;
}

struct linear linear_scaled(const struct linear *a, int64_t factor)
{
    struct linear zero = linear_constant(0, a->bits);
    return linear_sum(&zero, a, factor);
}

bool linear_same(const struct linear *a, const struct linear *b)
{
    struct linear difference = linear_sum(a, b, -1);
    return difference.known && linear_is_constant(&difference) && !difference.add &&
           a->bits == b->bits && a->narrow == b->narrow;
}

// Text

struct trip_atom trip_function(struct arena *arena, enum trip_form form, unsigned bits,
                               const char *name, const char *a, const char *b)
{
    struct trip_atom atom = {NULL, false, (uint8_t)form, (uint8_t)bits, IR_NONE};
    if (a && b)
        atom.text = arena_printf(arena, "%s(%s, %s)", name, a, b);
    return atom;
}

struct trip_atom trip_product(struct arena *arena, enum trip_form form, unsigned bits,
                              const char *sign, const char *a, const char *b)
{
    struct trip_atom atom = {NULL, true, (uint8_t)form, (uint8_t)bits, IR_NONE};
    if (a && b)
        atom.text = arena_printf(arena, "%s %s %s", a, sign, b);
    return atom;
}

static const char *extended(struct arena *arena, const char *text, unsigned bits, bool is_signed)
{
    return arena_printf(arena, "%c%u(%s)", is_signed ? 's' : 'u', bits, text);
}

// Returns the text of the atom's value, extended from `bits`.
static const char *atom_text(struct arena *arena, const struct trip_atom *atom, unsigned bits,
                             bool is_signed)
{
    bool fits = (atom->form == FORM_UNSIGNED && (atom->bits < bits || !is_signed)) ||
                (atom->form == FORM_SIGNED && is_signed);
    if ((fits && atom->bits <= bits) || bits == 64)
        return atom->text;
    return extended(arena, atom->text, bits, is_signed);
}

static const char *term_text(struct arena *arena, const struct trip_term *term)
{
    uint64_t size =
        term->coefficient < 0 ? -(uint64_t)term->coefficient : (uint64_t)term->coefficient;
    if (size == 1)
        return term->atom.text;
    if (term->atom.is_sum)
        return arena_printf(arena, "%llu * (%s)", (unsigned long long)size, term->atom.text);
    return arena_printf(arena, "%llu * %s", (unsigned long long)size, term->atom.text);
}

static const char *joined(struct arena *arena, const char *sum, bool negative, const char *term)
{
    if (!sum)
        return arena_printf(arena, "%s%s", negative ? "-" : "", term);
    return arena_printf(arena, "%s %c %s", sum, negative ? '-' : '+', term);
}

// Positive terms come first, so that few sums begin with a sign.
static const char *sum_text(struct arena *arena, const struct linear *sum)
{
    const char *text = NULL;
    for (int negative = 0; negative < 2; negative++)
        for (uint32_t i = 0; i < sum->count; i++)
            if ((sum->terms[i].coefficient < 0) == negative)
                text = joined(arena, text, negative, term_text(arena, &sum->terms[i]));
    if (sum->add || !text) {
        uint64_t size = sum->add < 0 ? -(uint64_t)sum->add : (uint64_t)sum->add;
        text = joined(arena, text, sum->add < 0,
                      arena_printf(arena, "%llu", (unsigned long long)size));
    }
    return text;
}

const char *linear_text(struct arena *arena, const struct linear *sum, unsigned bits,
                        bool is_signed)
{
    const struct trip_term *only = &sum->terms[0];
    if (!sum->known || sum->phi != IR_NONE)
        return NULL;
    if (!sum->count)
        return arena_printf(arena, "%lld",
                            (long long)trip_extended(sum->add, bits, is_signed || bits == 64));
    bool alone = sum->count == 1 && !sum->add && only->coefficient == 1;
    const char *text;
    if (alone && only->atom.form != FORM_LOW)
        text = atom_text(arena, &only->atom, bits, is_signed);
    else if (bits == 64)
        text = sum_text(arena, sum);
    else
        text = extended(arena, sum_text(arena, sum), bits, is_signed);
    return strlen(text) > MAX_TEXT ? NULL : text;
}

static bool needs_parentheses(const struct linear *sum, unsigned bits, bool is_signed)
{
    const struct trip_atom *atom = &sum->terms[0].atom;
    bool alone = sum->count == 1 && !sum->add && sum->terms[0].coefficient == 1;
    if (!sum->count)
        return trip_extended(sum->add, bits, is_signed) < 0;
    return alone ? atom->is_sum &&
                       (bits == 64 || atom->form == (is_signed ? FORM_SIGNED : FORM_UNSIGNED))
                 : bits == 64;
}

const char *linear_factor(struct arena *arena, const struct linear *sum, unsigned bits,
                          bool is_signed)
{
    const char *text = linear_text(arena, sum, bits, is_signed);
    if (!text || !needs_parentheses(sum, bits, is_signed))
        return text;
    return arena_printf(arena, "(%s)", text);
}
