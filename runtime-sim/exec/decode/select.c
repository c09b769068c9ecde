// Rows are grouped by opcode. The words of an opcode's rows are compiled to isa_words when it is
// first used.
#include "runtime-sim/exec/decode/decode.h"
#include "runtime-sim/exec/lanes/rows.h"
#include <string.h>

enum { WORDS = 8 };

struct row_choice {
    const struct exec_row *row;
    uint16_t words[WORDS];
    uint32_t count;
    bool any;
};

struct choices {
    bool made;
    VEC(struct row_choice) list;
};

struct selection {
    struct arena *arena;
    const struct intern *names;
    const struct lanes_table *lanes;
    struct choices of[OP_COUNT];
};

struct selection *select_new(struct arena *arena, const struct ir_module *module,
                             const struct lanes_table *lanes)
{
    struct selection *selection = ARENA_NEW(arena, struct selection);
    selection->arena = arena;
    selection->names = &module->tree->names;
    selection->lanes = lanes;
    return selection;
}

// Attributes set by modifiers other than types and operations.
static const struct {
    uint16_t word;
    uint8_t attribute, round;
} attribute_words[] = {
    {W_ftz, ATTR_FTZ, 0},
    {W_sat, ATTR_SAT, 0},
    {W_satfinite, ATTR_SAT, 0},
    {W_NaN, ATTR_NAN, 0},
    {W_abs, ATTR_ABS, 0},
    {W_xorsign, ATTR_XORSIGN, 0},
    {W_relu, ATTR_RELU, 0},
    {W_oob, ATTR_OOB, 0},
    {W_rn, 0, ROUND_NEAREST},
    {W_rz, ATTR_ROUND, ROUND_ZERO},
    {W_rm, ATTR_ROUND, ROUND_DOWN},
    {W_rp, ATTR_ROUND, ROUND_UP},
    {W_rna, ATTR_ROUND, ROUND_AWAY},
    {W_rs, ATTR_ROUND, ROUND_STOCHASTIC},
    {W_rni, 0, ROUND_NEAREST},
    {W_rzi, ATTR_ROUND, ROUND_ZERO},
    {W_rmi, ATTR_ROUND, ROUND_DOWN},
    {W_rpi, ATTR_ROUND, ROUND_UP},
};

// Returns true for words without effect on the result of a warp, and for the Boolean operation of a
// comparison, which its `prepare` handles.
static bool means_nothing(uint16_t word)
{
    return word == W_uni || word == W_aligned ||
           (word < WORD_COUNT && isa_words[word].kind == KIND_BOOLEAN);
}

static bool match_attribute(uint16_t word, uint32_t *attributes, uint8_t *round)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(attribute_words); i++) {
        if (attribute_words[i].word != word)
            continue;
        *attributes |= attribute_words[i].attribute;
        if (isa_words[word].kind == KIND_ROUND)
            *round = attribute_words[i].round;
        return true;
    }
    return means_nothing(word);
}

static void compile_words(struct selection *selection, struct row_choice *choice)
{
    const char *at = choice->row->words;
    choice->any = !at;
    while (at && *at) {
        size_t length = strcspn(at, " ");
        char text[64] = ".";
        memcpy(text + 1, at, length);
        uint32_t id = intern_find(selection->names, text, length + 1);
        choice->words[choice->count++] =
            (uint16_t)(id == UINT32_MAX || id < OP_COUNT ? W_UNKNOWN : id - OP_COUNT);
        at += length + (at[length] == ' ');
    }
}

static const uint8_t first_group[OP_COUNT] = {
#define ISA_OP(name, class, roles, time, rows) [OP_##name] = EXEC_##rows,
#define ISA_SUB(name, modifier, class, roles)
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
};

static const struct choices *choices_of(struct selection *selection, uint16_t op)
{
    struct choices *choices = &selection->of[op];
    if (choices->made)
        return choices;
    choices->made = true;
    for (uint32_t group = first_group[op]; selection->lanes->rows[group]; group++) {
        for (const struct exec_row *row = selection->lanes->rows[group]; row->lanes || row->step;
             row++) {
            if (row->op != op)
                continue;
            struct row_choice choice = {.row = row};
            compile_words(selection, &choice);
            vec_push(selection->arena, &choices->list, choice);
        }
    }
    return choices;
}

// Matches a word of the row. Words may be in any order, except that types must be in order, and so
// must state spaces.
static bool match_word(const struct row_choice *choice, uint16_t word, uint32_t *taken)
{
    for (uint32_t n = 0; n < choice->count; n++) {
        if (*taken >> n & 1)
            continue;
        if (choice->words[n] == word) {
            *taken |= 1u << n;
            return true;
        }
        if ((isa_is_type(word) && isa_is_type(choice->words[n])) ||
            (isa_is_space(word) && isa_is_space(choice->words[n])))
            return false;
    }
    return false;
}

// Returns true if the instruction has all words of the row and its other words are attributes.
static bool fits(const struct row_choice *choice, const uint16_t *words, uint32_t count,
                 uint32_t *attributes, uint8_t *round)
{
    uint32_t taken = 0;
    *attributes = 0;
    *round = ROUND_NEAREST;
    for (uint32_t i = 0; i < count; i++)
        if (!match_word(choice, words[i], &taken) &&
            !match_attribute(words[i], attributes, round) && !choice->any)
            return false;
    return taken == (1u << choice->count) - 1 &&
           (choice->any || !(*attributes & ~choice->row->allowed));
}

const struct exec_row *select_row(struct selection *selection, const struct decoder *d,
                                  struct code *code)
{
    if (d->inst->op == OP_OPAQUE)
        return NULL;
    const struct choices *choices = choices_of(selection, d->inst->op);
    for (uint32_t i = 0; i < choices->list.n; i++) {
        uint32_t attributes;
        if (!fits(&choices->list.v[i], d->mods, d->mod_count, &attributes, &code->round))
            continue;
        code->attributes = (uint8_t)attributes;
        return choices->list.v[i].row;
    }
    return NULL;
}

const struct exec_row *select_words(struct selection *selection, uint16_t op, const uint16_t *words,
                                    uint32_t count, uint16_t attributes)
{
    const struct choices *choices = choices_of(selection, op);
    for (uint32_t i = 0; i < choices->list.n; i++) {
        uint32_t own;
        uint8_t round;
        if (fits(&choices->list.v[i], words, count, &own, &round) &&
            !(attributes & ~choices->list.v[i].row->allowed))
            return choices->list.v[i].row;
    }
    return NULL;
}
