#include "frontend/forms.h"
#include <stdlib.h>
#include <string.h>

struct row {
    uint16_t version;
    const char *targets;
    uint16_t op;
    const char *modifiers, *operands;
};

static const struct row rows[] = {
#define FORM(version, targets, op, modifiers, operands) {version, targets, OP_##op, modifiers, operands},
#include "frontend/forms.def"
#undef FORM
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct {
    const char *name, *words;
} sets[] = {
#define FORM_SET(name, words) {#name, words},
#include "frontend/form_sets.def"
#undef FORM_SET
};

struct form_word {
    uint16_t word;
    struct form_need need;
};

struct form_slot {
    VEC(struct form_word) words;
    bool optional, is_type;
    char capture; // 'T', 'U', 'V', '#' or 0
};

struct memo {
    uint32_t hash, count;
    uint16_t op;
    uint16_t *mods;
    struct form_match match;
    struct memo *next;
};

enum { MEMO_BUCKETS = 1024, MOST_SLOTS = 32 };

struct forms {
    struct arena *arena;
    struct intern words;
    struct form *compiled[OP_COUNT];
    uint32_t count[OP_COUNT];
    struct memo *memo[MEMO_BUCKETS];
};

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

// Compiling. The tables are ours: what is wrong in them is found by a test that compiles all.

static uint16_t word_id(const struct forms *forms, const char *text, size_t length)
{
    uint32_t word = intern_find(&forms->words, text, length) - OP_COUNT;
    return word < WORD_COUNT ? (uint16_t)word : W_UNKNOWN;
}

static struct form_need parse_need(struct arena *arena, const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);
    struct form_need need = {(uint16_t)atoi(text), ""};
    if (slash)
        need.targets = arena_strndup(arena, slash + 1, length - (size_t)(slash - text) - 1);
    return need;
}

static void add_words(struct forms *forms, struct form_slot *slot, const char *text, size_t length);

static void add_set(struct forms *forms, struct form_slot *slot, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strlen(sets[i].name) == length && !memcmp(sets[i].name, name, length))
            add_words(forms, slot, sets[i].words, strlen(sets[i].words));
}

static void add_words(struct forms *forms, struct form_slot *slot, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        text += strspn(text, " ");
        size_t size = strcspn(text, " )}");
        if (text + size > end)
            size = (size_t)(end - text);
        if (!size)
            break;
        const char *at = memchr(text, '@', size);
        if (*text == '$') {
            add_set(forms, slot, text + 1, size - 1);
        } else {
            struct form_word word = {word_id(forms, text, at ? (size_t)(at - text) : size), {0, ""}};
            if (at)
                word.need = parse_need(forms->arena, at + 1, size - (size_t)(at - text) - 1);
            slot->is_type |= isa_is_type(word.word);
            vec_push(forms->arena, &slot->words, word);
        }
        text += size;
    }
}

// One item of the modifiers; returns what follows it.
static const char *parse_slot(struct forms *forms, struct form_slot *slot, const char *text)
{
    *slot = (struct form_slot){.optional = *text == '{'};
    bool bracketed = *text == '{' || *text == '(';
    const char *begin = text + bracketed;
    const char *end = bracketed ? begin + strcspn(begin, "})") : begin + strcspn(begin, " =");
    add_words(forms, slot, begin, (size_t)(end - begin));
    end += bracketed;
    if (*end == '=') {
        slot->capture = end[1];
        end += 2;
    }
    return end + strspn(end, " ");
}

static uint16_t parse_type(const struct forms *forms, struct form_operand *operand, const char *text, size_t length)
{
    char word[24] = ".";
    if (length && text[length - 1] == '+') {
        operand->wider = 1;
        length--;
    }
    if (length > 1 && text[0] == '2' && text[1] >= 'T' && text[1] <= 'V') {
        operand->twice = 1;
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

static const struct {
    char letter;
    uint8_t kind;
} kind_letters[] = {{'i', FORM_IMMEDIATE}, {'P', FORM_PREDICATE}, {'L', FORM_LABEL},   {'F', FORM_FUNCTION},
                    {'N', FORM_NAME},      {'?', FORM_ANYTHING},  {'r', FORM_REGISTER}};

// One part between colons.
static void parse_part(const struct forms *forms, struct form_operand *operand, const char *text, size_t length)
{
    if (length == 1) {
        for (size_t i = 0; i < sizeof kind_letters / sizeof *kind_letters; i++)
            if (kind_letters[i].letter == *text) {
                operand->kind = kind_letters[i].kind;
                return;
            }
        if (*text == 'm') {
            operand->written = operand->read = 1;
            return;
        }
        if (*text == '#' || *text == '*') {
            operand->length = *text == '#' ? FORM_BY_MODIFIER : FORM_ANY_LENGTH;
            return;
        }
    }
    if (strspn(text, "0123456789") >= length)
        operand->length = (uint8_t)atoi(text);
    else
        operand->type = parse_type(forms, operand, text, length);
}

static struct form_operand parse_operand(const struct forms *forms, const char *text, size_t length)
{
    struct form_operand operand = {.kind = FORM_SOURCE, .read = 1, .type = W_UNKNOWN};
    if (*text == '?' && length > 1) {
        operand.optional = 1;
        text++;
        length--;
    }
    if (*text == '[') {
        operand.kind = FORM_ADDRESS;
        operand.coordinates = memchr(text, ',', length) != NULL;
        return operand;
    }
    if (*text == 'd') {
        operand.kind = FORM_DESTINATION;
        operand.written = 1;
        operand.read = 0;
    }
    size_t name = strcspn(text, ":");
    operand.pair = memchr(text, '|', name < length ? name : length) != NULL;
    while (name < length) {
        const char *part = text + name + 1;
        size_t left = length - name - 1, size = strcspn(part, ": ");
        size = size < left ? size : left;
        parse_part(forms, &operand, part, size);
        name += size + 1;
    }
    return operand;
}

static void compile_form(struct forms *forms, struct form *form, const struct row *row)
{
    *form = (struct form){.op = row->op, .need = {row->version, row->targets}, .modifiers = row->modifiers, .operands = row->operands};
    struct form_slot *slots = ARENA_ARRAY(forms->arena, struct form_slot, MOST_SLOTS);
    for (const char *text = row->modifiers; *text && form->slot_count < MOST_SLOTS;)
        text = parse_slot(forms, &slots[form->slot_count++], text);
    form->slots = slots;
    for (const char *text = row->operands; *text && form->operand_count < FORM_OPERANDS;) {
        size_t length = strcspn(text, " ");
        form->operand[form->operand_count++] = parse_operand(forms, text, length);
        text += length;
        text += strspn(text, " ");
    }
}

const struct form *forms_of(struct forms *forms, uint16_t op, uint32_t *count)
{
    *count = forms->count[op];
    if (forms->compiled[op] || !*count)
        return forms->compiled[op];
    forms->compiled[op] = ARENA_ARRAY(forms->arena, struct form, *count);
    for (uint32_t i = 0, at = 0; i < ROW_COUNT; i++)
        if (rows[i].op == op)
            compile_form(forms, &forms->compiled[op][at++], &rows[i]);
    return forms->compiled[op];
}

// Matching: each modifier goes to a slot of its own. Types keep their order; the rest is free.

struct matching {
    const struct form *form;
    const uint16_t *mods;
    uint32_t count, deepest;
    uint8_t slot_of[MOST_SLOTS]; // per modifier
    uint32_t filled;
};

static const struct form_word *slot_word(const struct form_slot *slot, uint16_t word)
{
    for (uint32_t i = 0; i < slot->words.n; i++)
        if (slot->words.v[i].word == word)
            return &slot->words.v[i];
    return NULL;
}

static bool all_required(const struct matching *m)
{
    for (uint32_t i = 0; i < m->form->slot_count; i++)
        if (!m->form->slots[i].optional && !(m->filled >> i & 1))
            return false;
    return true;
}

static bool assign(struct matching *m, uint32_t mod, uint32_t type_from)
{
    if (mod > m->deepest)
        m->deepest = mod;
    if (mod == m->count)
        return all_required(m);
    bool is_type = isa_is_type(m->mods[mod]);
    for (uint32_t i = is_type ? type_from : 0; i < m->form->slot_count; i++) {
        if ((m->filled >> i & 1) || !slot_word(&m->form->slots[i], m->mods[mod]))
            continue;
        m->filled |= 1u << i;
        m->slot_of[mod] = (uint8_t)i;
        if (assign(m, mod + 1, is_type ? i + 1 : type_from))
            return true;
        m->filled &= ~(1u << i);
    }
    return false;
}

static void raise_need(struct form_need *need, const struct form_need *more)
{
    if (more->version > need->version)
        need->version = more->version;
    if (*more->targets)
        need->targets = more->targets;
}

static void take_match(struct form_match *match, const struct matching *m)
{
    match->form = m->form;
    match->need = m->form->need;
    match->vector = 1;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct form_slot *slot = &m->form->slots[m->slot_of[i]];
        raise_need(&match->need, &slot_word(slot, m->mods[i])->need);
        if (slot->capture >= 'T' && slot->capture <= 'V')
            match->type[slot->capture - 'T'] = m->mods[i];
        else if (slot->capture == '#')
            match->vector = (uint8_t)isa_words[m->mods[i]].value;
    }
}

static void match_forms(struct forms *forms, struct form_match *match, uint16_t op, const uint16_t *mods, uint32_t count)
{
    uint32_t form_count, deepest = 0;
    const struct form *all = forms_of(forms, op, &form_count);
    *match = (struct form_match){.type = {W_UNKNOWN, W_UNKNOWN, W_UNKNOWN}, .bad_modifier = UINT32_MAX, .closest = all};
    for (uint32_t i = 0; i < form_count; i++) {
        struct matching m = {.form = &all[i], .mods = mods, .count = count < MOST_SLOTS ? count : MOST_SLOTS};
        if (assign(&m, 0, 0) && count <= MOST_SLOTS) {
            take_match(match, &m);
            return;
        }
        if (m.deepest >= deepest) {
            deepest = m.deepest;
            match->closest = &all[i];
            match->bad_modifier = deepest < count ? deepest : UINT32_MAX;
        }
    }
}

static uint32_t hash_mods(uint16_t op, const uint16_t *mods, uint32_t count)
{
    uint32_t hash = op * 0x9e3779b1u;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ mods[i]) * 0x01000193u + 0x9e3779b1u;
    return hash ^ hash >> 15;
}

const struct form_match *forms_match(struct forms *forms, uint16_t op, const uint16_t *mods, uint32_t count)
{
    uint32_t hash = hash_mods(op, mods, count);
    struct memo **bucket = &forms->memo[hash % MEMO_BUCKETS];
    for (struct memo *memo = *bucket; memo; memo = memo->next)
        if (memo->hash == hash && memo->op == op && memo->count == count && !memcmp(memo->mods, mods, count * sizeof *mods))
            return &memo->match;
    struct memo *memo = ARENA_NEW(forms->arena, struct memo);
    *memo = (struct memo){.hash = hash, .count = count, .op = op, .next = *bucket};
    memo->mods = ARENA_ARRAY(forms->arena, uint16_t, count);
    memcpy(memo->mods, mods, count * sizeof *mods);
    match_forms(forms, &memo->match, op, mods, count);
    *bucket = memo;
    return &memo->match;
}

// Targets: a number, and `a` (this architecture alone) or `f` (its family).

static bool allows_one(const char *needed, const char *target, uint32_t length)
{
    char *end;
    long least = strtol(needed, &end, 10);
    uint32_t at = 0;
    while (at < length && (target[at] < '0' || target[at] > '9'))
        at++;
    long number = 0;
    for (; at < length && target[at] >= '0' && target[at] <= '9'; at++)
        number = number * 10 + (target[at] - '0');
    char suffix = at < length ? target[at] : 0;
    switch (*end) {
    case 'a':
        return number == least && suffix == 'a';
    case 'f':
        return number / 10 == least / 10 && number >= least && (suffix == 'a' || suffix == 'f');
    default:
        return number >= least;
    }
}

bool form_target_allows(const char *targets, const char *target, uint32_t length)
{
    if (!*targets)
        return true;
    for (const char *needed = targets; *needed; needed += strspn(needed, " ")) {
        if (allows_one(needed, target, length))
            return true;
        needed += strcspn(needed, " ");
    }
    return false;
}
