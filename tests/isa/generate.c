// Walks the table of forms and writes instructions: each word of each modifier, all pairs of types,
// operands that may be missing, immediates, sinks; then the same with one thing changed.
#include "tests/isa/captured.h"
#include "tests/isa/generate_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PAIRS = 160 };

// Version and target

struct known_target {
    const char *text;
    uint16_t version;
};

static const struct known_target targets[] = {
#define TARGET(text, version) {text, version},
#include "frontend/targets.def"
#undef TARGET
};
enum { TARGET_COUNT = sizeof targets / sizeof *targets };

static const uint8_t versions[] = {13, 14, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50,
                                   60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77,
                                   78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91};
enum { VERSION_COUNT = sizeof versions / sizeof *versions };

// ptxas no longer builds for sm_101, the former name of sm_110, and never did for 21 and 82.
static bool required_target(const char *text)
{
    return strncmp(text, "101", 3) && strcmp(text, "21") && strcmp(text, "82");
}

static bool target_good(const struct form_match *match, const char *target)
{
    for (uint32_t i = 0; i < FORM_NEEDS && match->targets[i]; i++)
        if (!form_target_allows(match->targets[i], target, (uint32_t)strlen(target)))
            return false;
    return true;
}

// The oldest version and target that a match needs; false if there is none.
static bool min_need(const struct form_match *match, uint16_t *version, const char **target)
{
    for (uint32_t i = 0; i < TARGET_COUNT; i++) {
        if (!required_target(targets[i].text) || !target_good(match, targets[i].text))
            continue;
        uint16_t min = match->last && match->last < 14   ? 13
                       : match->last && match->last < 23 ? match->last
                                                         : 23;
        if (atoi(targets[i].text) < 20 && !(match->last && match->last < 14) &&
            match->version <= 14)
            min = 14;
        if (match->version > min)
            min = match->version;
        if (targets[i].version > min)
            min = targets[i].version;
        if (match->last && min > match->last)
            continue;
        *version = min;
        *target = targets[i].text;
        return true;
    }
    return false;
}

static uint16_t version_before(uint16_t version)
{
    uint16_t before = 0;
    for (uint32_t i = 0; i < VERSION_COUNT && versions[i] < version; i++)
        before = versions[i];
    return before;
}

static uint16_t version_after(uint16_t version)
{
    for (uint32_t i = 0; i < VERSION_COUNT; i++)
        if (versions[i] > version)
            return versions[i];
    return 0;
}

static uint16_t version_of(const char *target)
{
    return form_target_version(target, (uint32_t)strlen(target));
}

// Operands

static const char *register_of(uint16_t type, bool twice)
{
    if (type >= WORD_COUNT)
        return "ru";
    uint32_t bits = isa_words[type].value * (twice ? 2u : 1u);
    char kind = isa_words[type].text[1];
    bool packed =
        strchr(isa_words[type].text, 'x') || type == W_tf32 || type == W_bf16 || type == W_f16;
    if (type == W_pred)
        return "p";
    if (packed || (kind != 'u' && kind != 's' && kind != 'f'))
        kind = 'b';
    static const char *const names[][4] = {{"xb", "xu", "xs", "xb"},
                                           {"hb", "hu", "hs", "hb"},
                                           {"rb", "ru", "rs", "rf"},
                                           {"db", "du", "ds", "df"},
                                           {"qb", "qb", "qb", "qb"}};
    uint32_t size = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : bits <= 64 ? 3 : 4;
    return names[size][kind == 'b' ? 0 : kind == 'u' ? 1 : kind == 's' ? 2 : 3];
}

static const char *immediate_of(struct maker *m, const struct form_operand *spec, uint16_t type)
{
    if (spec->ranged || spec->value_count)
        return arena_printf(m->arena, "%u", spec->ranged ? spec->min : spec->value[0]);
    return type == W_f32 || type == W_f64 ? "1.5" : "0";
}

static bool allows_immediate(const struct form_operand *spec, uint16_t type)
{
    if (spec->kind == FORM_IMMEDIATE || (spec->kind == FORM_PREDICATE && !spec->written))
        return true;
    if (spec->kind != FORM_SOURCE || spec->length || type >= WORD_COUNT)
        return false;
    const char *text = isa_words[type].text;
    return type == W_f32 || type == W_f64 ||
           (strchr("usb", text[1]) && text[2] >= '0' && text[2] <= '9' && !strchr(text, 'x'));
}

// What an address names: memory of the instruction's space, a texture, a surface; or a register.
static const char *address_of(const struct form *form, const struct form_operand *spec,
                              const uint16_t *mods, uint32_t count, uint32_t nth)
{
    enum isa_class class = isa_form(form->op, mods, count).class;
    bool query = form->op == OP_txq || form->op == OP_suq;
    if (class == CLASS_TEXTURE || class == CLASS_SURFACE || query)
        return class == CLASS_SURFACE || form->op == OP_suq ? "su" : "tx";
    for (uint32_t i = 0; i < count && !nth; i++) {
        const char *text = mods[i] < WORD_COUNT ? isa_words[mods[i]].text : "";
        if (!strncmp(text, ".param", 6))
            return form->op == OP_st ? "lp" : "pp";
        if (!strcmp(text, ".const") || !strcmp(text, ".local"))
            return text[1] == 'c' ? "cv" : "lv";
    }
    return spec->type == W_UNKNOWN ? "db1" : spec->untyped ? "rb1" : "ru1";
}

const char *maker_value(struct maker *m, const struct form_match *match,
                        const struct form_operand *spec, uint32_t number)
{
    uint16_t type = form_operand_type(match, spec);
    if (type == W_UNKNOWN && spec->sink && spec->written)
        return "_";
    if (type == W_UNKNOWN && spec->special)
        return "%tid";
    if (spec->kind == FORM_IMMEDIATE || (m->immediates && allows_immediate(spec, type)))
        return immediate_of(m, spec, type);
    return arena_printf(m->arena, "%s%u",
                        spec->kind == FORM_PREDICATE ? "p" : register_of(type, spec->twice),
                        number);
}

static const char *vector_text(struct maker *m, const struct form_match *match,
                               const struct form_operand *spec)
{
    uint32_t count = spec->length == FORM_ANY_LENGTH    ? 4
                     : spec->length == FORM_BY_MODIFIER ? (uint32_t)match->vector * spec->factor
                                                        : spec->length;
    const char *text = "{";
    for (uint32_t i = 0; i < count; i++)
        text = arena_printf(m->arena, "%s%s%s", text, i ? ", " : "",
                            maker_value(m, match, spec, i % 8));
    return arena_printf(m->arena, "%s}", text);
}

static const char *plain_operand(struct maker *m, const struct form_match *match,
                                 const struct form_operand *spec, uint32_t index)
{
    switch (spec->kind) {
    case FORM_LABEL: return "L";
    case FORM_FUNCTION: return "fn";
    case FORM_NAME: return m->form->op == OP_call ? "C" : "T";
    case FORM_LIST: return "()";
    case FORM_ANYTHING: return "fn";
    default: break;
    }
    if (m->sinks && spec->sink && !spec->length)
        return "_";
    const char *text =
        spec->length ? vector_text(m, match, spec) : maker_value(m, match, spec, index % 8);
    if (spec->pair == FORM_ALWAYS_PAIR || (spec->pair && m->all_optional))
        text = arena_printf(m->arena, "%s|p%u", text, index + 1);
    return text;
}

static const char *operand_text(struct maker *m, const struct form_match *match,
                                const uint16_t *mods, uint32_t count, uint32_t *index,
                                uint32_t *addresses)
{
    const struct form *form = match->form;
    const struct form_operand *spec = &form->operand[*index];
    uint32_t at = (*index)++;
    if (spec->kind != FORM_ADDRESS)
        return m->changed == (int)at ? m->replacement : plain_operand(m, match, spec, at);
    const char *text =
        arena_printf(m->arena, "[%s",
                     m->changed == (int)at ? m->replacement
                                           : address_of(form, spec, mods, count, (*addresses)++));
    for (; *index < form->operand_count && form->operand[*index].inside; (*index)++) {
        int presence = form_operand_presence(match, &form->operand[*index]);
        bool sampler = form->operand[*index].kind == FORM_ANYTHING; // in independent mode only
        if (presence > 0 || (!presence && m->all_optional && !sampler))
            text = arena_printf(m->arena, "%s, %s", text,
                                m->changed == (int)*index
                                    ? m->replacement
                                    : plain_operand(m, match, &form->operand[*index], *index));
    }
    return arena_printf(m->arena, "%s]", text);
}

// One instruction

uint32_t maker_words(const struct maker *m, uint16_t *mods)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->form->slot_count; i++)
        if (m->choice[i] >= 0 && m->dropped_slot != (int)i)
            mods[count++] = m->form->slots[i].words[m->choice[i]].word;
    return count;
}

// The match of the chosen words with this very form.
const struct form_match *maker_match(const struct maker *m, const uint16_t *mods, uint32_t count)
{
    const struct form_match *match = forms_match(m->forms, m->form->op, mods, count);
    while (match && match->form != m->form)
        match = match->next;
    return match;
}

static const char *instruction_text(struct maker *m, const struct form_match *match,
                                    const uint16_t *mods, uint32_t count)
{
    const char *text = isa_op_names[m->form->op];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (int)i == m->swapped ? i + 1 : (int)i == m->swapped + 1 ? i - 1 : i;
        text = arena_printf(m->arena, "%s%s", text, isa_words[mods[m->swapped < 0 ? i : at]].text);
    }
    if (m->extra_word)
        text = arena_printf(m->arena, "%s%s", text, m->extra_word);
    bool first = true;
    uint32_t addresses = 0;
    for (uint32_t i = 0; i < m->form->operand_count;) {
        uint32_t at = i;
        int presence = form_operand_presence(match, &m->form->operand[i]);
        const char *operand = operand_text(m, match, mods, count, &i, &addresses);
        if (presence < 0 || (!presence && !m->all_optional) || m->dropped == (int)at)
            continue;
        text = arena_printf(m->arena, "%s%s%s", text, first ? " " : ", ", operand);
        first = false;
    }
    if (m->added)
        text = arena_printf(m->arena, "%s%s%s", text, first ? " " : ", ", m->added);
    return arena_printf(m->arena, "%s;", text);
}

// Registers .b128 need a newer module themselves, and that is not what is judged.
static bool registers_good(const struct maker *m, uint16_t version, const char *target)
{
    bool wide = m->changed >= 0 && !strcmp(m->replacement, "qb1");
    return !wide || (version >= 83 && atoi(target) >= 70);
}

static void send(struct maker *m, uint16_t version, const char *target, const char *text)
{
    if (!registers_good(m, version, target))
        return;
    m->sink(m->to, &(struct sample){m->form, m->row, version, target, text});
}

// The instruction as chosen, with what its words need.
void maker_send(struct maker *m)
{
    uint16_t mods[MAX_WORDS], version;
    const char *target;
    int dropped = m->dropped_slot;
    m->dropped_slot = -1;
    uint32_t count = maker_words(m, mods);
    const struct form_match *match = maker_match(m, mods, count);
    m->dropped_slot = dropped;
    if (!match || !min_need(match, &version, &target))
        return;
    count = maker_words(m, mods);
    send(m, version, target, instruction_text(m, match, mods, count));
}

void maker_first(struct maker *m)
{
    for (uint32_t i = 0; i < m->form->slot_count; i++)
        m->choice[i] = m->form->slots[i].optional ? -1 : 0;
}

// What the form spells

static bool is_type_modifier(const struct form_modifier *slot)
{
    return slot->capture >= 'T' && slot->capture <= 'V' && slot->word_count > 1;
}

static void vary_words(struct maker *m)
{
    for (uint32_t i = 0; i < m->form->slot_count; i++) {
        for (uint32_t w = 0; w < m->form->slots[i].word_count; w++) {
            maker_first(m);
            if (m->choice[i] == (int8_t)w)
                continue;
            m->choice[i] = (int8_t)w;
            maker_send(m);
        }
    }
}

// Every pair of types of two slots.
static void vary_types(struct maker *m)
{
    uint32_t first = 0, made = 0;
    while (first < m->form->slot_count && !is_type_modifier(&m->form->slots[first]))
        first++;
    for (uint32_t second = first + 1; second < m->form->slot_count; second++) {
        if (!is_type_modifier(&m->form->slots[second]))
            continue;
        maker_first(m);
        for (uint32_t a = 1; a < m->form->slots[first].word_count; a++)
            for (uint32_t b = 1; b < m->form->slots[second].word_count && made < MAX_PAIRS;
                 b++, made++) {
                m->choice[first] = (int8_t)a;
                m->choice[second] = (int8_t)b;
                maker_send(m);
            }
    }
}

static void vary_operands(struct maker *m)
{
    maker_first(m);
    m->all_optional = true;
    maker_send(m);
    m->all_optional = false;
    m->immediates = true;
    maker_send(m);
    m->immediates = false;
    m->sinks = true;
    maker_send(m);
    m->sinks = false;
    for (uint32_t i = 0; i < m->form->slot_count; i++) // all that may stand there at once
        m->choice[i] = 0;
    maker_send(m);
    for (uint32_t i = 0; i < m->form->slot_count; i++) // the last of each
        m->choice[i] = (int8_t)(m->form->slots[i].word_count - 1);
    m->all_optional = true;
    maker_send(m);
    m->all_optional = false;
}

// One thing changed

// True if an earlier form of the opcode has operands of the same types: then its changes do.
static bool operands_seen(const struct maker *m)
{
    for (const struct form *form = m->form - m->row; form < m->form; form++) {
        bool same = !strcmp(form->operands, m->form->operands);
        for (char letter = 'T'; letter <= 'V' && same; letter++) {
            const struct form_modifier *a = form_captured(form, letter),
                                       *b = form_captured(m->form, letter);
            same = !a == !b && (!a || a->words[0].word == b->words[0].word);
        }
        if (same)
            return true;
    }
    return false;
}

// ptxas runs out of memory on a predicate as the address of a bulk copy.
static bool for_address(const char *replacement)
{
    static const char *const tried[] = {"hf1", "rf1", "df1", "du1", "1"};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (!strcmp(tried[i], replacement))
            return true;
    return false;
}

static void change_registers(struct maker *m)
{
    static const char *const registers[] = {
        "p1",  "xu1", "hb1",        "hu1", "hf1",  "rb1",     "ru1",        "rs1",
        "rf1", "db1", "du1",        "df1", "qb1",  "%laneid", "gv",         "_",
        "0",   "1.5", "0f3f800000", "!p1", "-ru1", "ru1.b1",  "{ru1, ru2}", "[du1]"};
    maker_first(m);
    for (uint32_t i = 0; i < m->form->operand_count; i++) {
        m->changed = (int)i;
        for (size_t r = 0; r < sizeof registers / sizeof *registers; r++) {
            m->replacement = registers[r];
            if (m->form->operand[i].kind == FORM_ADDRESS && !for_address(registers[r]))
                continue;
            maker_send(m);
        }
    }
    m->changed = -1;
}

// A scalar in braces, and the one element of a vector without them.
static void change_braces(struct maker *m)
{
    uint16_t mods[MAX_WORDS];
    maker_first(m);
    uint32_t count = maker_words(m, mods);
    const struct form_match *match = maker_match(m, mods, count);
    for (uint32_t i = 0; match && i < m->form->operand_count; i++) {
        const struct form_operand *spec = &m->form->operand[i];
        bool value = spec->kind == FORM_SOURCE || spec->kind == FORM_REGISTER;
        if (!value || spec->length > 1 || spec->sink)
            continue;
        const char *text = maker_value(m, match, spec, i % 8);
        m->changed = (int)i;
        m->replacement = spec->length ? text : arena_printf(m->arena, "{%s}", text);
        maker_send(m);
    }
    m->changed = -1;
}

static void change_order(struct maker *m)
{
    uint16_t mods[MAX_WORDS];
    maker_first(m);
    uint32_t count = maker_words(m, mods);
    for (uint32_t i = 0; i + 1 < count; i++) {
        m->swapped = (int)i;
        if (i == 0 || i + 2 == count)
            maker_send(m);
    }
    m->swapped = -1;
}

static void change_count(struct maker *m)
{
    maker_first(m);
    for (uint32_t i = 0; i < m->form->operand_count; i++) {
        m->dropped = (int)i;
        if (i == 0 || i + 1 == m->form->operand_count)
            maker_send(m);
    }
    m->dropped = -1;
    m->added = "ru5";
    maker_send(m);
    m->added = NULL;
}

static void change_words(struct maker *m)
{
    static const char *const foreign[] = {".sat", ".ftz",    ".rn", ".rzi", ".relu", ".cc",
                                          ".lt",  ".global", ".v2", ".u32", ".f32",  ".sync"};
    maker_first(m);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        m->extra_word = foreign[i];
        maker_send(m);
    }
    m->extra_word = NULL;
    for (uint32_t i = 0; i < m->form->slot_count; i++) {
        m->dropped_slot = (int)i;
        if (!m->form->slots[i].optional)
            maker_send(m);
    }
    m->dropped_slot = -1;
}

static const char *target_before(const struct form_match *match, uint16_t version,
                                 const char *target)
{
    const char *before = NULL;
    for (uint32_t i = 0; i < TARGET_COUNT; i++) {
        if (!strcmp(targets[i].text, target))
            break;
        if (targets[i].version <= version && required_target(targets[i].text) &&
            !target_good(match, targets[i].text))
            before = targets[i].text;
    }
    return before;
}

// One version older, one target older, one version too new.
static void change_needs(struct maker *m)
{
    uint16_t mods[MAX_WORDS], version;
    const char *target;
    maker_first(m);
    uint32_t count = maker_words(m, mods);
    const struct form_match *match = maker_match(m, mods, count);
    if (!match || !min_need(match, &version, &target))
        return;
    const char *text = instruction_text(m, match, mods, count);
    uint16_t before = version_before(version);
    if (before >= 14 && version_of(target) <= before)
        send(m, before, target, text);
    const char *older = target_before(match, version, target);
    if (older)
        send(m, version, older, text);
    uint16_t behind = match->last ? version_after(match->last) : 0;
    if (behind)
        send(m, behind, target, text);
}

void generate(struct arena *arena, struct forms *forms, uint16_t op, sample_sink *sink, void *to)
{
    uint32_t count;
    const struct form *all = forms_of(forms, op, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct maker m = {.arena = arena,
                          .forms = forms,
                          .form = &all[i],
                          .row = i,
                          .sink = sink,
                          .to = to,
                          .changed = -1,
                          .dropped = -1,
                          .dropped_slot = -1,
                          .swapped = -1};
        maker_first(&m);
        maker_send(&m);
        vary_words(&m);
        vary_types(&m);
        vary_operands(&m);
        if (!operands_seen(&m)) {
            change_registers(&m);
            change_braces(&m);
            change_count(&m);
            change_values(&m);
        }
        change_order(&m);
        change_words(&m);
        change_needs(&m);
    }
}
