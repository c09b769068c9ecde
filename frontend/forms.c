// Compiles the text of the tables. The tables are part of the program, so their faults are found by
// a test, which compiles all of them (tests/unit/frontend/forms.c).
#include "frontend/forms_internal.h"
#include <stdlib.h>
#include <string.h>

struct form_row {
    uint16_t version, last;
    const char *targets;
    uint16_t op;
    const char *modifiers, *operands;
};

static const struct form_row rows[] = {
#define FORM_UNTIL(version, last, targets, op, modifiers, operands)                                \
    {version, last, targets, OP_##op, modifiers, operands},
#define FORM(version, targets, op, modifiers, operands)                                            \
    {version, 0, targets, OP_##op, modifiers, operands},
#include "frontend/forms.def"
#undef FORM
#undef FORM_UNTIL
};
enum { ROW_COUNT = ARRAY_LENGTH(rows) };

static const struct {
    const char *name, *words;
} sets[] = {
#define FORM_SET(name, words) {#name, words},
#include "frontend/form_sets.def"
#undef FORM_SET
};

typedef VEC(struct form_word) word_list;

struct forms *forms_new(struct arena *arena)
{
    struct forms *forms = ARENA_NEW(arena, struct forms);
    forms->arena = arena;
    intern_init(&forms->words, arena);
    isa_intern(&forms->words);
    for (uint32_t i = 0; i < ROW_COUNT; i++)
        forms->count[rows[i].op]++;
    return forms;
}

static uint16_t word_id(const struct forms *forms, const char *text, size_t length)
{
    uint32_t word = intern_find(&forms->words, text, length) - OP_COUNT;
    return word < WORD_COUNT ? (uint16_t)word : W_UNKNOWN;
}

// Modifiers

// Parses 86/100a,103a.
static struct form_need parse_need(struct arena *arena, const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);
    struct form_need need = {(uint16_t)atoi(text), 0, ""};
    if (slash)
        need.targets = arena_strndup(arena, slash + 1, length - (size_t)(slash - text) - 1);
    return need;
}

static void add_words(struct forms *forms, word_list *list, const char *text, size_t length,
                      const struct form_need *need);

static void add_set(struct forms *forms, word_list *list, const char *name, size_t length,
                    const struct form_need *need)
{
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++)
        if (strlen(sets[i].name) == length && !memcmp(sets[i].name, name, length)) {
            add_words(forms, list, sets[i].words, strlen(sets[i].words), need);
            return;
        }
    vec_push(forms->arena, list, (struct form_word){W_UNKNOWN, *need});
}

static void add_words(struct forms *forms, word_list *list, const char *text, size_t length,
                      const struct form_need *outer)
{
    const char *end = text + length;
    for (;;) {
        while (text < end && *text == ' ')
            text++;
        size_t size = 0;
        while (text + size < end && text[size] != ' ')
            size++;
        if (!size)
            return;
        const char *at = memchr(text, '@', size);
        size_t word = at ? (size_t)(at - text) : size;
        struct form_need need = at ? parse_need(forms->arena, at + 1, size - word - 1) : *outer;
        if (*text == '$')
            add_set(forms, list, text + 1, word - 1, &need);
        else
            vec_push(forms->arena, list, (struct form_word){word_id(forms, text, word), need});
        text += size;
    }
}

// Parses one item of the modifiers. Returns the text after it.
static const char *parse_modifier(struct forms *forms, struct form_modifier *slot, const char *text)
{
    word_list list = {0};
    *slot = (struct form_modifier){.fixed = *text == '^'};
    text += slot->fixed;
    slot->optional = *text == '{';
    bool bracketed = *text == '{' || *text == '(';
    const char *begin = text + bracketed;
    const char *end = begin + strcspn(begin, bracketed ? "})" : " =");
    struct form_need none = {0, 0, ""};
    add_words(forms, &list, begin, (size_t)(end - begin), &none);
    slot->words = list.v;
    slot->word_count = list.n;
    if (bracketed && *end)
        end++;
    if (*end == '=') {
        slot->capture = end[1];
        end += 2;
    }
    return end + strspn(end, " ");
}

// Operands

static uint16_t parse_type(const struct forms *forms, struct form_operand *operand,
                           const char *text, size_t length)
{
    char word[24] = ".";
    if (length && text[length - 1] == '+') {
        operand->wider = true;
        length--;
    }
    if (length > 1 && text[0] == '2' && text[1] >= 'T' && text[1] <= 'V') {
        operand->twice = true;
        text++;
        length--;
    }
    if (length == 1 && *text >= 'T' && *text <= 'V')
        return (uint16_t)(FORM_CAPTURED + *text - 'T');
    if (length >= sizeof word - 1)
        return W_UNKNOWN;
    memcpy(word + 1, text, length);
    return word_id(forms, word, length + 1);
}

static bool parse_letter(struct form_operand *operand, char letter)
{
    static const struct {
        char letter;
        uint8_t kind;
    } kinds[] = {{'i', FORM_IMMEDIATE}, {'P', FORM_PREDICATE}, {'L', FORM_LABEL},
                 {'F', FORM_FUNCTION},  {'N', FORM_NAME},      {'?', FORM_ANYTHING},
                 {'r', FORM_REGISTER}};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (kinds[i].letter == letter) {
            operand->kind = kinds[i].kind;
            return true;
        }
    switch (letter) {
    case 'm': operand->read = operand->written = true; return true;
    case 's': return operand->special = true;
    case 'l': return operand->low = true;
    case 'v': return operand->variable = true;
    case '_': return operand->sink = true;
    case 'o': return operand->untyped = true;
    case '*': operand->length = FORM_ANY_LENGTH; return true;
    default: return false;
    }
}

// Parses 4,8,16.
static void parse_values(struct form_operand *operand, const char *text)
{
    char *end;
    do
        operand->value[operand->value_count++] = (uint32_t)strtoul(text, &end, 10);
    while (*end == ',' && operand->value_count < FORM_VALUES && (text = end + 1));
}

// Parses one of the parts between colons.
static void parse_part(const struct forms *forms, struct form_operand *operand, const char *text,
                       size_t length)
{
    if (length == 1 && parse_letter(operand, *text))
        return;
    size_t digits = strspn(text, "0123456789");
    if (memchr(text, ',', length)) {
        parse_values(operand, text);
    } else if (digits == length) {
        operand->length = (uint8_t)atoi(text);
    } else if (digits && text[digits] == '-') {
        char *slash;
        operand->ranged = true;
        operand->min = (uint32_t)strtoul(text, NULL, 10);
        operand->max = (uint32_t)strtoul(text + digits + 1, &slash, 10);
        operand->step = *slash == '/' ? (uint32_t)strtoul(slash + 1, NULL, 10) : 1;
    } else if (text[length - 1] == '#') {
        operand->length = FORM_BY_MODIFIER;
        operand->factor = digits ? (uint8_t)atoi(text) : 1;
    } else {
        operand->type = parse_type(forms, operand, text, length);
    }
}

// Parses the prefix of a name. Returns the name.
static const char *parse_prefix(struct form_operand *operand, const char *text, size_t length)
{
    if (length > 1 && text[0] == '?') {
        operand->optional = true;
        text++;
    } else if (length > 2 && text[1] == '?') {
        operand->link = text[0];
        text += 2;
    }
    if (*text == '-') {
        operand->negated = true;
        text++;
    }
    return text;
}

static struct form_operand parse_operand(const struct forms *forms, const char *text, size_t length,
                                         bool first)
{
    struct form_operand operand = {.kind = FORM_SOURCE, .read = true, .type = W_UNKNOWN};
    const char *end = text + length;
    const char *name = parse_prefix(&operand, text, length);
    if (*name == '[' || *name == '(') {
        operand.name = name + 1;
        operand.name_length = (uint8_t)strcspn(operand.name, ",:])");
        const char *part = operand.name + operand.name_length;
        while (*part == ':') {
            size_t size = strcspn(part + 1, ":,]");
            parse_part(forms, &operand, part + 1, size);
            part += 1 + size;
        }
        operand.kind = *name == '[' ? FORM_ADDRESS : FORM_LIST;
        return operand;
    }
    size_t size = 0;
    while (name + size < end && name[size] != ':' && name[size] != '.')
        size++;
    operand.name = name;
    operand.name_length = (uint8_t)size;
    const char *bar = memchr(name, '|', size);
    operand.pair = !bar ? FORM_SINGLE : bar[1] == '|' ? FORM_ALWAYS_PAIR : FORM_MAYBE_PAIR;
    if (name + size < end && name[size] == '.') {
        operand.selector = (uint8_t)(name[size + 1] - '0');
        size += 2;
    }
    for (const char *part = name + size; part < end;) {
        part++; // the colon
        size_t to = 0;
        while (part + to < end && part[to] != ':')
            to++;
        if (to)
            parse_part(forms, &operand, part, to);
        part += to;
    }
    if (*name == 'd' || (first && operand.kind == FORM_PREDICATE)) {
        operand.written = true;
        operand.read &= operand.read && memmem(name, (size_t)(end - name), ":m", 2);
        if (operand.kind == FORM_SOURCE)
            operand.kind = FORM_REGISTER;
    }
    return operand;
}

static size_t operand_length(const char *text, const char *stops)
{
    size_t length = 0, depth = 0;
    for (; text[length] && (depth || !strchr(stops, text[length])); length++)
        depth += (text[length] == '[' || text[length] == '(') -
                 (size_t)(text[length] == ']' || text[length] == ')');
    return length;
}

static void add_operand(struct form *form, struct form_operand operand)
{
    if (form->operand_count < FORM_OPERANDS)
        form->operand[form->operand_count++] = operand;
}

// Parses [a,b:T,c:T]: the operands after the base address.
static void parse_inside(const struct forms *forms, struct form *form, const char *text)
{
    text += operand_length(text, ",]");
    while (*text == ',') {
        text++;
        size_t length = operand_length(text, ",]");
        struct form_operand operand = parse_operand(forms, text, length, false);
        operand.inside = true;
        add_operand(form, operand);
        text += length;
    }
}

static void parse_operands(const struct forms *forms, struct form *form, const char *text)
{
    for (bool first = true; *text; first = false) {
        size_t length = operand_length(text, " ");
        struct form_operand operand = parse_operand(forms, text, length, first);
        add_operand(form, operand);
        const char *bracket = memchr(text, '[', length);
        if (bracket)
            parse_inside(forms, form, bracket + 1);
        text += length;
        text += strspn(text, " ");
    }
}

static void compile_form(struct forms *forms, struct form *form, const struct form_row *row)
{
    *form = (struct form){.op = row->op,
                          .need = {row->version, row->last, row->targets},
                          .modifiers = row->modifiers,
                          .operands = row->operands};
    for (const char *text = row->modifiers; *text && form->slot_count < FORM_MODIFIERS;)
        text = parse_modifier(forms, &form->slots[form->slot_count++], text);
    parse_operands(forms, form, row->operands);
}

const struct form *forms_of(struct forms *forms, uint16_t op, uint32_t *count)
{
    *count = op < OP_COUNT ? forms->count[op] : 0;
    if (!*count || forms->compiled[op])
        return *count ? forms->compiled[op] : NULL;
    forms->compiled[op] = ARENA_ARRAY(forms->arena, struct form, *count);
    for (uint32_t i = 0, at = 0; i < ROW_COUNT; i++)
        if (rows[i].op == op)
            compile_form(forms, &forms->compiled[op][at++], &rows[i]);
    return forms->compiled[op];
}

// Text

static const char *modifier_text(struct arena *arena, const struct form_modifier *slot)
{
    const char *text = "";
    for (uint32_t i = 0; i < slot->word_count; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? "|" : "",
                            slot->words[i].word < WORD_COUNT ? isa_words[slot->words[i].word].text
                                                             : "?");
    if (slot->optional)
        return arena_printf(arena, "{%s}", text);
    return slot->word_count == 1 ? text : arena_printf(arena, "(%s)", text);
}

const char *form_text(struct arena *arena, const struct form *form)
{
    const char *text = isa_op_names[form->op];
    for (uint32_t i = 0; i < form->slot_count; i++)
        text = arena_printf(arena, "%s%s", text, modifier_text(arena, &form->slots[i]));
    return text;
}
