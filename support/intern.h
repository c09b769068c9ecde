// Names as dense ids: the same text has the same id, the first name has id 0.
#pragma once
#include "support/arena.h"
#include "support/vec.h"

struct name {
    const char *text; // not terminated
    uint32_t length;
};

// What a look-up needs lies together: most find their name without looking at its text.
struct intern_slot {
    uint64_t hash; // for up to 8 bytes no other text of this length has it
    uint32_t name; // id + 1, or 0
    uint32_t length;
};

struct intern {
    struct arena *arena;
    VEC(struct name) names;
    struct intern_slot *table; // open addressing
    uint32_t mask;
};

void intern_init(struct intern *intern, struct arena *arena);
// The id of the text; a new name keeps pointing to `text`, which must outlive the table.
uint32_t intern_add(struct intern *intern, const char *text, size_t length);
// The id, or UINT32_MAX if the text was never added.
uint32_t intern_find(const struct intern *intern, const char *text, size_t length);
