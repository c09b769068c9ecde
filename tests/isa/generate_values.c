// Every kind of operand expression at every operand: sums, names of variables and functions,
// special registers, numbers out of range; and the same as elements of vectors.
#include "tests/isa/generate_internal.h"

// OWN stands for the register that the form asks for.
#define OWN "\1"

// A sum of a function and a number ends a run of ptxas, so tests/isa/modules has it.
static const char *const values[] = {
    OWN "+1",    "rf1+1", "gv+4",  "gv[1]",        "fn", "k",         "pp+4",
    "%laneid+1", "%tid",  "%smid", "{" OWN ", _}", "-1", "4294967296"};
static const char *const elements[] = {OWN "+1", "_", "gv", "fn", "5", "%laneid"};
static const char *const addresses[] = {OWN "+4", "gv+4", "fn", "4+4", "%laneid", "gv[1]"};
enum {
    VALUE_COUNT = sizeof values / sizeof *values,
    ELEMENT_COUNT = sizeof elements / sizeof *elements,
    ADDRESS_COUNT = sizeof addresses / sizeof *addresses,
};

// The value with the register in the place of OWN.
static const char *fill_own(struct maker *m, const char *value, const char *own)
{
    const char *text = "";
    for (; *value; value++)
        text = *value == *OWN ? arena_printf(m->arena, "%s%s", text, own)
                              : arena_printf(m->arena, "%s%c", text, *value);
    return text;
}

static uint32_t vector_length(const struct form_match *match, const struct form_operand *spec)
{
    return spec->length == FORM_ANY_LENGTH    ? 4
           : spec->length == FORM_BY_MODIFIER ? (uint32_t)match->vector * spec->factor
                                              : spec->length;
}

// One element of the vector is the value, the last or the first one.
static void change_element(struct maker *m, const struct form_match *match,
                           const struct form_operand *spec, const char *value, uint32_t place)
{
    const char *text = "{";
    for (uint32_t i = 0; i < vector_length(match, spec); i++) {
        const char *own = maker_value(m, match, spec, i % 8);
        text = arena_printf(m->arena, "%s%s%s", text, i ? ", " : "",
                            i == place ? fill_own(m, value, own) : own);
    }
    m->replacement = arena_printf(m->arena, "%s}", text);
    maker_send(m);
}

static void change_elements(struct maker *m, const struct form_match *match,
                            const struct form_operand *spec)
{
    uint32_t length = vector_length(match, spec);
    for (uint32_t i = 0; i < ELEMENT_COUNT; i++) {
        change_element(m, match, spec, elements[i], 0);
        if (length > 1)
            change_element(m, match, spec, elements[i], length - 1);
    }
}

static void change_whole(struct maker *m, const struct form_match *match,
                         const struct form_operand *spec, const char *const *list, uint32_t count)
{
    const char *own = spec->kind == FORM_ADDRESS     ? spec->type == W_UNKNOWN ? "db1"
                                                       : spec->untyped         ? "rb1"
                                                                               : "ru1"
                      : spec->kind == FORM_IMMEDIATE ? "ru1"
                                                     : maker_value(m, match, spec, 1);
    for (uint32_t i = 0; i < count; i++) {
        m->replacement = fill_own(m, list[i], own);
        maker_send(m);
    }
}

// Numbers next to those that the form lists.
static void change_number(struct maker *m, const struct form_operand *spec)
{
    if (spec->ranged) {
        m->replacement = arena_printf(m->arena, "%u", spec->max + spec->step);
        maker_send(m);
        m->replacement = arena_printf(m->arena, "%lu", spec->min + (1ul << 32));
        maker_send(m);
    }
}

void change_values(struct maker *m)
{
    uint16_t mods[MAX_WORDS];
    maker_first(m);
    uint32_t count = maker_words(m, mods);
    const struct form_match *match = maker_match(m, mods, count);
    for (uint32_t i = 0; match && i < m->form->operand_count; i++) {
        const struct form_operand *spec = &m->form->operand[i];
        m->changed = (int)i;
        m->all_optional = spec->optional;
        if (spec->kind == FORM_ADDRESS)
            change_whole(m, match, spec, addresses, ADDRESS_COUNT);
        else
            change_whole(m, match, spec, values, VALUE_COUNT);
        if (spec->length)
            change_elements(m, match, spec);
        change_number(m, spec);
    }
    m->changed = -1;
    m->all_optional = false;
}
