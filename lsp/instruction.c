#include "lsp/instruction.h"
#include <string.h>

bool instruction_read(struct instruction *instruction, struct arena *arena, const char *text,
                      uint32_t length)
{
    struct intern words;
    intern_init(&words, arena);
    isa_intern(&words);
    *instruction = (struct instruction){.forms = forms_new(arena)};
    const char *end = text + length, *dot = memchr(text, '.', length);
    uint32_t op = intern_find(&words, text, (size_t)((dot ? dot : end) - text));
    instruction->op = op < OP_COUNT ? (uint16_t)op : (uint16_t)OP_COUNT;
    for (const char *at = dot; at && at < end; at = dot) {
        dot = memchr(at + 1, '.', (size_t)(end - at) - 1);
        uint32_t word = intern_find(&words, at, (size_t)((dot ? dot : end) - at)) - OP_COUNT;
        if (instruction->count == FORM_MODIFIERS)
            return false;
        instruction->mods[instruction->count++] =
            word < WORD_COUNT ? (uint16_t)word : (uint16_t)W_UNKNOWN;
    }
    if (op >= OP_COUNT)
        return false;
    instruction->match =
        forms_match(instruction->forms, instruction->op, instruction->mods, instruction->count);
    return true;
}

// Sentences

static const char *const kinds[] = {
    [FORM_SOURCE] = "register or immediate",
    [FORM_REGISTER] = "register",
    [FORM_IMMEDIATE] = "integer immediate",
    [FORM_PREDICATE] = "predicate register",
    [FORM_ADDRESS] = "address: a register or variable, and an offset in bytes",
    [FORM_LIST] = "list in parentheses",
    [FORM_LABEL] = "label of this function",
    [FORM_FUNCTION] = "function, or a register with its address",
    [FORM_NAME] = "name of a variable, texture, prototype or list of targets",
    [FORM_ANYTHING] = "operand of any kind",
};

static const char *type_text(struct arena *arena, const struct form_match *match,
                             const struct form_operand *operand)
{
    uint16_t type = form_operand_type(match, operand);
    if (type >= WORD_COUNT || operand->kind == FORM_PREDICATE)
        return "";
    return arena_printf(arena, " of %s%s%s", operand->twice ? "twice the width of " : "type ",
                        isa_words[type].text, operand->wider ? " or wider" : "");
}

static const char *vector_text(struct arena *arena, const struct form_match *match,
                               const struct form_operand *operand)
{
    uint32_t length = operand->length == FORM_BY_MODIFIER
                          ? (uint32_t)match->vector * operand->factor
                          : operand->length;
    if (operand->length == FORM_SCALAR || length == 1)
        return "";
    if (operand->length == FORM_ANY_LENGTH)
        return "vector or one: ";
    return arena_printf(arena, "vector of %u: each a ", length);
}

static const char *limits_text(struct arena *arena, const struct form_operand *operand)
{
    const char *text = "";
    if (operand->ranged)
        text = arena_printf(arena, ", from %u to %u", operand->min, operand->max);
    if (operand->ranged && operand->step > 1)
        text = arena_printf(arena, "%s in steps of %u", text, operand->step);
    for (uint32_t i = 0; i < operand->value_count; i++)
        text = arena_printf(arena, "%s%s%u", text, i ? ", " : ", one of ", operand->value[i]);
    return text;
}

static const char *sentence(struct arena *arena, const struct form_match *match,
                            const struct form_operand *operand)
{
    const char *access = operand->written && operand->read ? "Read and written"
                         : operand->written                ? "Written"
                                                           : "Read";
    const char *pair = operand->pair == FORM_SINGLE       ? ""
                       : operand->pair == FORM_MAYBE_PAIR ? ", with | and a second one if needed"
                                                          : ", with | and a second one";
    return arena_printf(
        arena, "%s%s: %s%s%s%s%s%s%s%s%s.", access, operand->optional ? ", may be left out" : "",
        vector_text(arena, match, operand), kinds[operand->kind], type_text(arena, match, operand),
        limits_text(arena, operand), pair, operand->special ? ", or a special register" : "",
        operand->variable ? ", or the address of a variable or function" : "",
        operand->sink ? ", or _ for a value without use" : "",
        operand->kind == FORM_PREDICATE && !operand->written ? ", with ! negated" : "");
}

// Forms

static const char *operand_text(struct arena *arena, const struct form_operand *operand)
{
    int length = operand->name_length;
    const char *name = operand->name;
    switch (operand->kind) {
    case FORM_ADDRESS: return arena_printf(arena, "[%.*s", length, name);
    case FORM_LIST: return arena_printf(arena, "(%.*s)", length, name);
    default:
        if (operand->length == FORM_SCALAR || operand->length == FORM_ANY_LENGTH)
            return arena_printf(arena, "%.*s", length, name);
        return arena_printf(arena, "{%.*s}", length, name);
    }
}

// Writes the operands, those that `match` does not allow left out. Without `match`, all.
static void write_operands(struct instruction_text *to, struct arena *arena,
                           const struct form_match *match, const struct form *form)
{
    bool open = false, first = true;
    for (uint32_t i = 0; i < form->operand_count; i++) {
        const struct form_operand *operand = &form->operand[i];
        if (match && form_operand_presence(match, operand) < 0)
            continue;
        if (open && !operand->inside) {
            to->text = arena_printf(arena, "%s]", to->text);
            open = false;
        }
        to->text = arena_printf(arena, "%s%s", to->text, first ? " " : ", ");
        first = false;
        struct instruction_operand place = {.begin = (uint32_t)strlen(to->text),
                                            .operand = operand};
        to->text = arena_printf(arena, "%s%s", to->text, operand_text(arena, operand));
        place.end = (uint32_t)strlen(to->text);
        place.sentence = match ? sentence(arena, match, operand) : NULL;
        vec_push(arena, &to->operands, place);
        open |= operand->kind == FORM_ADDRESS && !operand->inside;
    }
    if (open)
        to->text = arena_printf(arena, "%s]", to->text);
}

struct instruction_text instruction_write(struct arena *arena, const struct form_match *match,
                                          const char *name)
{
    struct instruction_text text = {.text = name};
    write_operands(&text, arena, match, match->form);
    return text;
}

const char *instruction_form(struct arena *arena, const struct form *form)
{
    struct instruction_text text = {.text = form_text(arena, form)};
    write_operands(&text, arena, NULL, form);
    return text.text;
}

const char *instruction_need(struct arena *arena, const struct form_need *need)
{
    const char *text = arena_printf(arena, "PTX %u.%u", need->version / 10u, need->version % 10u);
    if (need->last)
        text = arena_printf(arena, "%s to %u.%u", text, need->last / 10u, need->last % 10u);
    return *need->targets
               ? arena_printf(arena, "%s, %s", text, form_targets_text(arena, need->targets))
               : text;
}

const char *instruction_word_kind(uint16_t word)
{
    static const char *const names[] = {
        [KIND_TYPE] = "type",      [KIND_SPACE] = "state space",   [KIND_ORDER] = "memory order",
        [KIND_SCOPE] = "scope",    [KIND_CACHE] = "cache",         [KIND_VECTOR] = "vector",
        [KIND_ROUND] = "rounding", [KIND_COMPARE] = "comparison",  [KIND_BOOLEAN] = "combination",
        [KIND_LINK] = "linkage",   [KIND_DIRECTIVE] = "directive", [KIND_PLAIN] = "modifier",
    };
    return word < WORD_COUNT ? names[isa_words[word].kind] : "modifier";
}
