#include "support/intern.h"
#include <string.h>

// FNV-1a over 8 bytes at a time; names are short.
static uint32_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u ^ length;
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    uint64_t word = 0;
    memcpy(&word, text, length);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

static bool same(const struct name *name, const char *text, size_t length, uint32_t hash)
{
    return name->hash == hash && name->length == length && !memcmp(name->text, text, length);
}

static void rebuild(struct intern *intern, uint32_t slots)
{
    intern->table = ARENA_ARRAY(intern->arena, uint32_t, slots);
    intern->mask = slots - 1;
    for (uint32_t id = 0; id < intern->names.n; id++) {
        uint32_t slot = intern->names.v[id].hash & intern->mask;
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

static uint32_t find_slot(const struct intern *intern, const char *text, size_t length, uint32_t hash)
{
    uint32_t slot = hash & intern->mask;
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
    uint32_t hash = hash_text(text, length);
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
