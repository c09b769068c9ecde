#include "support/intern.h"
#include <string.h>

// Loads up to 8 bytes as a number, without a function call.
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

// Each step is a bijection of 64 bits, so short texts of equal length never collide.
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

// Names that differ only in their last digit are in adjacent slots, because registers are numbered
// in the order of the text. `hash` is unique among texts of the same length, up to 8 bytes.
struct intern_key {
    uint64_t hash;
    uint32_t place; // index of the slot before masking
};

static struct intern_key key_of(const char *text, size_t length)
{
    unsigned digit = length > 1 ? (unsigned)((unsigned char)text[length - 1] - '0') : UINT32_MAX;
    bool numbered = digit < 10;
    if (length <= 8) {
        uint64_t word = load_short(text, length);
        struct intern_key key = {mix(length, word), 0};
        uint64_t stem = numbered ? word ^ (uint64_t)('0' + digit) << (8 * (length - 1)) : 0;
        key.place = numbered ? (uint32_t)mix(length, stem) * 16 + digit : (uint32_t)key.hash;
        return key;
    }
    uint64_t stem = hash_text(text, length - numbered);
    if (!numbered)
        return (struct intern_key){stem, (uint32_t)stem};
    return (struct intern_key){mix(stem, digit), (uint32_t)stem * 16 + digit};
}

static bool same(const struct intern *intern, const struct intern_entry *slot, const char *text,
                 size_t length, uint64_t hash)
{
    return slot->hash == hash && slot->length == length &&
           (length <= 8 || !memcmp(intern->names.v[slot->name - 1].text, text, length));
}

// Returns the text's slot, or the free slot in which it belongs.
static struct intern_entry *find_entry(const struct intern *intern, const char *text, size_t length,
                                       struct intern_key key)
{
    uint32_t slot = key.place & intern->mask;
    while (intern->table[slot].name && !same(intern, &intern->table[slot], text, length, key.hash))
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
        struct intern_key key = key_of(name->text, name->length);
        uint32_t slot = key.place & intern->mask;
        while (intern->table[slot].name)
            slot = (slot + 1) & intern->mask;
        intern->table[slot] = (struct intern_entry){key.hash, id + 1, name->length};
    }
}

void intern_init(struct intern *intern, struct arena *arena)
{
    enum { ENTRIES = 256 }; // many tables hold few names
    *intern = (struct intern){.arena = arena};
    intern->recent = ARENA_ARRAY(arena, struct intern_entry, INTERN_RECENT);
    enlarge(intern, ENTRIES);
}

uint32_t intern_find(const struct intern *intern, const char *text, size_t length)
{
    return find_entry(intern, text, length, key_of(text, length))->name - 1;
}

static uint32_t add_key(struct intern *intern, const char *text, size_t length,
                        struct intern_key key)
{
    struct intern_entry *slot = find_entry(intern, text, length, key);
    if (slot->name)
        return slot->name - 1;
    vec_push(intern->arena, &intern->names,
             (struct name){.text = text, .length = (uint32_t)length});
    *slot = (struct intern_entry){key.hash, intern->names.n, (uint32_t)length};
    if (intern->names.n * 2 > intern->mask)
        enlarge(intern, (intern->mask + 1) * 2);
    return intern->names.n - 1;
}

uint32_t intern_add(struct intern *intern, const char *text, size_t length)
{
    struct intern_key key = key_of(text, length);
    if (length > 8)
        return add_key(intern, text, length, key);
    struct intern_entry *recent = &intern->recent[key.place % INTERN_RECENT];
    if (recent->hash != key.hash || recent->length != length || !recent->name)
        *recent = (struct intern_entry){key.hash, add_key(intern, text, length, key) + 1,
                                        (uint32_t)length};
    return recent->name - 1;
}
