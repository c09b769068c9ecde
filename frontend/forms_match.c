// Matching: each modifier fills a slot of its own. Types must be in order among themselves, and so
// must state spaces and layouts; words that are part of the opcode's name have a fixed place; the
// others may be in any order.
#include "frontend/forms_internal.h"
#include <stdlib.h>
#include <string.h>

struct matching {
    const struct form *form;
    const uint16_t *mods;
    uint32_t count, deepest;
    bool partial;                        // more modifiers may follow
    uint8_t modifier_of[FORM_MODIFIERS]; // slot of each modifier
    uint32_t filled;
};

static const struct form_word *modifier_word(const struct form_modifier *slot, uint16_t word)
{
    for (uint32_t i = 0; i < slot->word_count; i++)
        if (slot->words[i].word == word)
            return &slot->words[i];
    return NULL;
}

static bool all_required(const struct matching *m)
{
    for (uint32_t i = 0; i < m->form->slot_count; i++)
        if (!m->form->slots[i].optional && !(m->filled >> i & 1))
            return false;
    return true;
}

// Kinds of words that keep their order, and the first slot that the next word of each kind may
// fill.
enum { ORDER_TYPE, ORDER_SPACE, ORDER_LAYOUT, ORDERED };
struct word_order {
    uint8_t from[ORDERED + 1]; // the last element is for all other words and stays 0
};

static uint32_t ordered(uint16_t word)
{
    return isa_is_type(word)                ? ORDER_TYPE
           : isa_is_space(word)             ? ORDER_SPACE
           : word == W_row || word == W_col ? ORDER_LAYOUT
                                            : ORDERED;
}

// Returns true if an earlier modifier that fills a later slot also fits this one. The order then
// decides between the two, as for the two priorities of createpolicy.
static bool passed_over(const struct matching *m, uint32_t mod, uint32_t i)
{
    for (uint32_t before = 0; before < mod; before++)
        if (m->modifier_of[before] > i && !m->form->slots[i].fixed &&
            modifier_word(&m->form->slots[i], m->mods[before]))
            return true;
    return false;
}

static bool may_match(const struct matching *m, uint32_t mod, uint32_t i)
{
    const struct form_modifier *slot = &m->form->slots[i];
    return !(m->filled >> i & 1) && !(slot->fixed && mod != i) &&
           modifier_word(slot, m->mods[mod]) && !passed_over(m, mod, i);
}

static bool assign(struct matching *m, uint32_t mod, struct word_order order)
{
    if (mod > m->deepest)
        m->deepest = mod;
    if (mod == m->count)
        return m->partial || all_required(m);
    uint32_t kind = ordered(m->mods[mod]);
    for (uint32_t i = order.from[kind]; i < m->form->slot_count; i++) {
        if (!may_match(m, mod, i))
            continue;
        m->filled |= 1u << i;
        m->modifier_of[mod] = (uint8_t)i;
        struct word_order next = order;
        if (kind < ORDERED)
            next.from[kind] = (uint8_t)(i + 1);
        if (assign(m, mod + 1, next))
            return true;
        m->filled &= ~(1u << i);
    }
    return false;
}

static void raise_need(struct form_match *match, const struct form_need *need)
{
    if (need->version > match->version)
        match->version = need->version;
    if (need->last && (!match->last || need->last < match->last))
        match->last = need->last;
    if (!*need->targets)
        return;
    for (uint32_t i = 0; i < FORM_NEEDS; i++) {
        if (match->targets[i] && strcmp(match->targets[i], need->targets))
            continue;
        match->targets[i] = need->targets;
        return;
    }
}

static void store_match(struct form_match *match, const struct matching *m)
{
    *match = (struct form_match){.form = m->form,
                                 .id = match->id,
                                 .type = {W_UNKNOWN, W_UNKNOWN, W_UNKNOWN},
                                 .vector = 1,
                                 .filled = m->filled,
                                 .bad_modifier = UINT32_MAX,
                                 .closest = m->form};
    raise_need(match, &m->form->need);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct form_modifier *slot = &m->form->slots[m->modifier_of[i]];
        raise_need(match, &modifier_word(slot, m->mods[i])->need);
        if (slot->capture >= 'T' && slot->capture <= 'V')
            match->type[slot->capture - 'T'] = m->mods[i];
        else if (slot->capture == '#')
            match->vector = (uint8_t)isa_words[m->mods[i]].value;
    }
}

static void match_forms(struct forms *forms, struct form_match *first, uint16_t op,
                        const uint16_t *mods, uint32_t count)
{
    uint32_t form_count, deepest = 0;
    const struct form *all = forms_of(forms, op, &form_count);
    *first = (struct form_match){.id = forms->match_count++, .bad_modifier = UINT32_MAX};
    struct form_match *last = NULL;
    for (uint32_t i = 0; i < form_count; i++) {
        struct matching m = {.form = &all[i], .mods = mods, .count = count};
        if (count <= FORM_MODIFIERS && assign(&m, 0, (struct word_order){{0}})) {
            struct form_match *match = first;
            if (last) {
                match = ARENA_NEW(forms->arena, struct form_match);
                match->id = forms->match_count++;
                last->next = match;
            }
            store_match(match, &m);
            last = match;
        } else if (!last && (m.deepest > deepest || !first->closest)) {
            deepest = m.deepest;
            first->closest = &all[i];
            first->bad_modifier = deepest < count ? deepest : UINT32_MAX;
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

const struct form_match *forms_match(struct forms *forms, uint16_t op, const uint16_t *mods,
                                     uint32_t count)
{
    uint32_t hash = hash_mods(op, mods, count);
    struct form_memo **bucket = &forms->memo[hash % FORM_BUCKETS];
    for (struct form_memo *memo = *bucket; memo; memo = memo->next)
        if (memo->hash == hash && memo->op == op && memo->count == count &&
            (!count || !memcmp(memo->mods, mods, count * sizeof *mods)))
            return &memo->match;
    struct form_memo *memo = ARENA_NEW(forms->arena, struct form_memo);
    *memo = (struct form_memo){.hash = hash, .count = count, .op = op, .next = *bucket};
    memo->mods = ARENA_ARRAY(forms->arena, uint16_t, count + 1);
    if (count)
        memcpy(memo->mods, mods, count * sizeof *mods);
    match_forms(forms, &memo->match, op, mods, count);
    *bucket = memo;
    return &memo->match;
}

bool forms_accept(struct forms *forms, uint16_t op, const uint16_t *mods, uint32_t count,
                  uint32_t *slot)
{
    uint32_t form_count;
    const struct form *all = forms_of(forms, op, &form_count);
    *slot = FORM_MODIFIERS;
    for (uint32_t i = 0; i < form_count && count && count <= FORM_MODIFIERS; i++) {
        struct matching m = {.form = &all[i], .mods = mods, .count = count, .partial = true};
        if (assign(&m, 0, (struct word_order){{0}}) && m.modifier_of[count - 1] < *slot)
            *slot = m.modifier_of[count - 1];
    }
    return *slot < FORM_MODIFIERS;
}

uint16_t form_operand_type(const struct form_match *match, const struct form_operand *operand)
{
    if (operand->type == W_UNKNOWN || operand->type < FORM_CAPTURED)
        return operand->type;
    return match->type[operand->type - FORM_CAPTURED];
}

bool form_fills(const struct form_match *match, char letter)
{
    for (uint32_t i = 0; i < match->form->slot_count; i++)
        if (match->form->slots[i].capture == letter && match->filled >> i & 1)
            return true;
    return false;
}

int form_operand_presence(const struct form_match *match, const struct form_operand *operand)
{
    if (operand->optional)
        return 0;
    return !operand->link || form_fills(match, operand->link) ? 1 : -1;
}
