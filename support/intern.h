// Maps names to dense ids: equal texts have the same id, and the first name has id 0.
// hsearch and tsearch of the C library have no ids and cannot allocate from an arena.
#pragma once
#include "support/arena.h"
#include "support/vec.h"

struct name {
    const char *text; // not NUL-terminated
    uint32_t length;
};

// A table slot. Most look-ups use only these contiguous data, not the name's text.
struct intern_entry {
    uint64_t hash; // unique among texts of this length if it is up to 8 bytes
    uint32_t name; // id + 1, or 0
    uint32_t length;
};

enum { INTERN_RECENT = 1024 };

struct intern {
    struct arena *arena;
    VEC(struct name) names;
    struct intern_entry *recent; // cache of short names by hash: registers recur often
    struct intern_entry *table;  // open addressing
    uint32_t mask;
};

// Initialises an empty table.
void intern_init(struct intern *intern, struct arena *arena);
// Returns the id of the text, added if it is new. The table keeps a pointer to `text`, which must
// outlive it.
uint32_t intern_add(struct intern *intern, const char *text, size_t length);
// Returns the id, or UINT32_MAX if the text was never added.
uint32_t intern_find(const struct intern *intern, const char *text, size_t length);
