#include "tests/unit/runtime-sim/form_walk.h"

static void put(struct form_walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct form_walk *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, list);
    va_end(list);
    assert_in_range(w->length, 0, sizeof w->text - 1);
}

// Operands

static void put_register(struct form_walk *w, const struct form_operand *operand, uint32_t bits,
                         uint32_t n)
{
    assert_in_range(w->register_count, 0, FORM_REGISTERS_MAX - 1);
    w->registers[w->register_count++] =
        (struct form_register){bits, n, operand->written, !operand->written || operand->read};
    if (bits == 1)
        put(w, "%%p%u", n);
    else
        put(w, "%%r%u_%u", bits, n);
}

// Returns a number of a floating-point type in its own notation.
static const char *number_of(uint16_t type)
{
    return type == W_f32 ? "0f3FC00000" : type == W_f64 ? "0d3FF8000000000000" : "1";
}

static bool allows_numbers(uint16_t type)
{
    const char *name = type == W_UNKNOWN ? ".b32" : isa_words[type].text;
    return strchr("usb", name[1]) || type == W_f32 || type == W_f64;
}

// Writes an immediate in the middle of its range: at the ends some functions are constant.
static void put_immediate(struct form_walk *w, const struct form_operand *operand)
{
    uint32_t step = operand->step ? operand->step : 1;
    if (operand->value_count)
        put(w, "%u", operand->value[0]);
    else if (operand->ranged)
        put(w, "%u", operand->min + (operand->max - operand->min) / 2 / step * step);
    else
        put(w, "8");
}

static void put_scalar(struct form_walk *w, const struct form_operand *operand, uint32_t n)
{
    uint16_t type = form_operand_type(w->match, operand);
    uint32_t bits = type == W_UNKNOWN ? 32 : ir_type_bits(type);
    bool source = operand->kind == FORM_SOURCE && !operand->written;
    bits = operand->twice ? 2 * bits : bits;
    if (w->variant == FORM_SINKS && operand->sink)
        put(w, "_");
    else if (w->variant == FORM_WIDER && operand->wider && bits < 64)
        put(w, "%%r64_%u", n);
    else if (w->variant == FORM_NUMBERS && source && !operand->special && allows_numbers(type))
        put(w, "%s", operand->ranged ? "1" : number_of(type));
    else if (w->variant == FORM_SPECIALS && source && operand->special && bits < 64)
        put(w, w->match->vector > 1 ? "%%tid" : "%%tid.y");
    else if (w->variant == FORM_VARIABLES && source && operand->variable && bits >= 32)
        put(w, "variable");
    else if (type == W_UNKNOWN && operand->special) // a vector, as special registers are
        put(w, "%%v%u", ir_type_bits(w->match->type[0]));
    else
        put_register(w, operand, bits, n);
}

static void put_vector(struct form_walk *w, const struct form_operand *operand, uint32_t n)
{
    uint32_t length = operand->length == FORM_BY_MODIFIER ? w->match->vector : operand->length;
    for (uint32_t i = 0; i < length; i++) {
        put(w, i ? ", " : "{");
        if (w->variant == FORM_SINKS && operand->sink && i != 1) // one is wanted
            put_register(w, operand, ir_type_bits(form_operand_type(w->match, operand)), n + i);
        else
            put_scalar(w, operand, n + i);
    }
    put(w, "}");
}

static void put_operand(struct form_walk *w, const struct form_operand *operand, uint32_t n)
{
    switch (operand->kind) {
    case FORM_PREDICATE:
        put(w, w->variant == FORM_NUMBERS && !operand->written ? "!" : "");
        put_register(w, operand, 1, n);
        break;
    case FORM_ADDRESS: put(w, "[%%r64_%u]", n); break;
    case FORM_IMMEDIATE: put_immediate(w, operand); break;
    case FORM_SOURCE:
    case FORM_REGISTER:
        if (operand->length == FORM_SCALAR)
            put_scalar(w, operand, n);
        else
            put_vector(w, operand, n);
        break;
    default: fail_msg("%s: an operand of a kind that is not known here", w->text);
    }
    if (operand->pair == FORM_ALWAYS_PAIR ||
        (operand->pair == FORM_MAYBE_PAIR && w->variant != FORM_PLAIN)) {
        put(w, "|");
        put_register(w, operand, 1, n + 1);
    }
}

// Instructions

static void put_instruction(struct form_walk *w)
{
    w->length = w->register_count = 0;
    put(w, "%s", isa_op_names[w->form->op]);
    for (uint32_t i = 0; i < w->word_count; i++)
        put(w, "%s", isa_words[w->words[i]].text);
    w->name_length = w->length;
    const char *between = " ";
    for (uint32_t i = 0; i < w->form->operand_count; i++) {
        const struct form_operand *operand = &w->form->operand[i];
        int presence = form_operand_presence(w->match, operand);
        if (presence < 0 || (!presence && w->variant != FORM_OPTIONALS))
            continue;
        put(w, "%s", between);
        put_operand(w, operand, 8 * i); // a vector's registers are numbered on
        between = ", ";
    }
}

static uint32_t walk_variants(struct form_walk *w)
{
    uint32_t taken = 0;
    for (w->variant = FORM_PLAIN; w->variant < w->variants; w->variant++) {
        bool known = false;
        put_instruction(w);
        for (uint32_t i = 0; i < w->variant; i++)
            known |= !strcmp(w->before[i], w->text);
        memcpy(w->before[w->variant], w->text, w->length + 1);
        if (known)
            continue;
        w->accept(w);
        taken++;
    }
    return taken;
}

static uint32_t walk_words(struct form_walk *w)
{
    w->match = forms_match(w->forms, w->form->op, w->words, w->word_count);
    while (w->match && w->match->form != w->form)
        w->match = w->match->next;
    return w->match ? walk_variants(w) : 0;
}

// Tries all combinations of the words of this slot and the following ones.
static uint32_t all_words(struct form_walk *w, uint32_t index)
{
    if (index == w->form->slot_count)
        return walk_words(w);
    const struct form_modifier *slot = &w->form->slots[index];
    uint32_t taken = slot->optional ? all_words(w, index + 1) : 0;
    for (uint32_t i = 0; i < slot->word_count; i++) {
        w->words[w->word_count++] = slot->words[i].word;
        taken += all_words(w, index + 1);
        w->word_count--;
    }
    return taken;
}

// Tries one word, with as few others as possible.
static uint32_t one_word(struct form_walk *w, uint32_t slot, uint32_t word)
{
    w->word_count = 0;
    for (uint32_t i = 0; i < w->form->slot_count && i < FORM_MODIFIERS; i++)
        if (i == slot)
            w->words[w->word_count++] = w->form->slots[i].words[word].word;
        else if (!w->form->slots[i].optional)
            w->words[w->word_count++] = w->form->slots[i].words[0].word;
    return walk_words(w);
}

static uint32_t each_word(struct form_walk *w)
{
    uint32_t taken = one_word(w, FORM_MODIFIERS, 0);
    for (uint32_t slot = 0; slot < w->form->slot_count; slot++)
        for (uint32_t word = 0; word < w->form->slots[slot].word_count; word++)
            taken += one_word(w, slot, word);
    return taken;
}

void form_walk_begin(struct form_walk *walk)
{
    if (setjmp(walk->memory.on_failure))
        abort();
    arena_init(&walk->arena, &walk->memory);
    walk->forms = forms_new(&walk->arena);
}

uint32_t form_walk_op(struct form_walk *walk, uint16_t op)
{
    uint32_t count, taken = 0;
    const struct form *forms = forms_of(walk->forms, op, &count);
    for (uint32_t i = 0; i < count; i++) {
        walk->form = &forms[i];
        walk->word_count = 0;
        taken += walk->which == FORM_ALL_WORDS ? all_words(walk, 0) : each_word(walk);
    }
    return taken;
}

void form_walk_end(struct form_walk *walk)
{
    arena_free(&walk->arena);
}
