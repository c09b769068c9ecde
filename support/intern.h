// Names as dense ids: the same text has the same id, the first name has id 0.
#pragma once
#include "support/arena.h"
#include "support/vec.h"

struct name {
    const char *text; // not terminated
    uint32_t length;
};

// The data of a look-up is contiguous: most look-ups do not read the name's text.
struct intern_slot {
    uint64_t hash; // for up to 8 bytes it is unique among texts of this length
    uint32_t name; // id + 1, or 0
    uint32_t length;
};

enum { INTERN_RECENT = 1024 };

struct intern {
    struct arena *arena;
    VEC(struct name) names;
    struct intern_slot *recent; // short names, by hash: registers are named again and again
    struct intern_slot *table;  // open addressing
    uint32_t mask;
};

void intern_init(struct intern *intern, struct arena *arena);
// Returns the id of the text. A new name keeps a pointer to `text`, which must outlive the table.
uint32_t intern_add(struct intern *intern, const char *text, size_t length);
// Returns the id, or UINT32_MAX if the text was never added.
uint32_t intern_find(const struct intern *intern, const char *text, size_t length);
