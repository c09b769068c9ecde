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

static bool same(const struct name *name, const char *text, size_t length, uint64_t hash)
{
    return name->hash == hash && name->length == length &&
           (length <= 8 || !memcmp(name->text, text, length));
}

static void rebuild(struct intern *intern, uint32_t slots)
{
    intern->table = ARENA_ARRAY(intern->arena, uint32_t, slots);
    intern->mask = slots - 1;
    for (uint32_t id = 0; id < intern->names.n; id++) {
        uint32_t slot = (uint32_t)intern->names.v[id].hash & intern->mask;
        while (intern->table[slot])
            slot = (slot + 1) & intern->mask;
        intern->table[slot] = id + 1;
    }
}

void intern_init(struct intern *intern, struct arena *arena)
{
    *intern = (struct intern){.arena = arena};
    rebuild(intern, 4096);
}

static uint32_t find_slot(const struct intern *intern, const char *text, size_t length,
                          uint64_t hash)
{
    uint32_t slot = (uint32_t)hash & intern->mask;
    for (uint32_t id; (id = intern->table[slot]); slot = (slot + 1) & intern->mask)
        if (same(&intern->names.v[id - 1], text, length, hash))
            break;
    return slot;
}

uint32_t intern_find(const struct intern *intern, const char *text, size_t length)
{
    return intern->table[find_slot(intern, text, length, hash_text(text, length))] - 1;
}

uint32_t intern_add(struct intern *intern, const char *text, size_t length)
{
    uint64_t hash = hash_text(text, length);
    uint32_t slot = find_slot(intern, text, length, hash);
    if (intern->table[slot])
        return intern->table[slot] - 1;
    vec_push(intern->arena, &intern->names,
             (struct name){.text = text, .length = (uint32_t)length, .hash = hash});
    intern->table[slot] = intern->names.n;
    if (intern->names.n * 2 > intern->mask)
        rebuild(intern, (intern->mask + 1) * 4);
    return intern->names.n - 1;
}
