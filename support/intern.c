#include "support/intern.h"
#include <string.h>

// Up to 8 bytes as a number, without a call for so few.
static uint64_t load_short(const char *text, size_t length)
{
    uint32_t low, high;
    if (length >= 4) {
        memcpy(&low, text, 4);
        memcpy(&high, text + length - 4, 4);
        return low | (uint64_t)high << (8 * (length - 4));
    }
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return word;
}

// Each step is a bijection of 64 bits, so short texts of one length never collide.
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = length;
    for (; length > 8; text += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = mix(hash, word);
    }
    return mix(hash, load_short(text, length));
}

static bool same(const struct intern *intern, const struct intern_slot *slot, const char *text,
                 size_t length, uint64_t hash)
{
    return slot->hash == hash && slot->length == length &&
           (length <= 8 || !memcmp(intern->names.v[slot->name - 1].text, text, length));
}

// The text's place in the table: where it is, or where it belongs.
static struct intern_slot *find_slot(const struct intern *intern, const char *text, size_t length,
                                     uint64_t hash)
{
    uint32_t slot = (uint32_t)hash & intern->mask;
    while (intern->table[slot].name && !same(intern, &intern->table[slot], text, length, hash))
        slot = (slot + 1) & intern->mask;
    return &intern->table[slot];
}

static void enlarge(struct intern *intern, uint32_t slots)
{
    size_t size = sizeof *intern->table, before = intern->mask ? intern->mask + 1 : 0;
    intern->table = arena_grow(intern->arena, intern->table, before * size, slots * size);
    memset(intern->table, 0, slots * size);
    intern->mask = slots - 1;
    for (uint32_t id = 0; id < intern->names.n; id++) {
        const struct name *name = &intern->names.v[id];
        uint64_t hash = hash_text(name->text, name->length);
        uint32_t slot = (uint32_t)hash & intern->mask;
        while (intern->table[slot].name)
            slot = (slot + 1) & intern->mask;
        intern->table[slot] = (struct intern_slot){hash, id + 1, name->length};
    }
}

void intern_init(struct intern *intern, struct arena *arena)
{
    enum { SLOTS = 2048 };
    *intern = (struct intern){.arena = arena};
    enlarge(intern, SLOTS);
}

uint32_t intern_find(const struct intern *intern, const char *text, size_t length)
{
    return find_slot(intern, text, length, hash_text(text, length))->name - 1;
}

uint32_t intern_add(struct intern *intern, const char *text, size_t length)
{
    uint64_t hash = hash_text(text, length);
    struct intern_slot *slot = find_slot(intern, text, length, hash);
    if (slot->name)
        return slot->name - 1;
    vec_push(intern->arena, &intern->names,
             (struct name){.text = text, .length = (uint32_t)length});
    *slot = (struct intern_slot){hash, intern->names.n, (uint32_t)length};
    if (intern->names.n * 2 > intern->mask)
        enlarge(intern, (intern->mask + 1) * 2);
    return intern->names.n - 1;
}
