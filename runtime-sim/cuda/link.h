// Several modules of PTX as one program. Each module has names of its own: a name that the program
// has already is changed, with all its uses, unless it is only declared (.extern), as vprintf.
// Module by module the text grows at its end, so that what was there keeps its place.
#pragma once
#include "support/vec.h"

struct link_name {
    const char *from, *to; // in the module, in the program
};

struct link_names {
    VEC(struct link_name) list;
};

struct link {
    struct arena *arena;
    VEC(char) text; // without the two NUL bytes at the end
    uint32_t modules;
    uint32_t version, target;  // 90 for 9.0; 80 for sm_80: the newest of all modules
    uint32_t files;            // highest number of a .file
    VEC(const char *) defined; // names with a definition, in the order of definition
    const char **table;        // the same by hash, open addressing
    uint32_t table_size, names;
};

// Adds a module. Stores its changed names in *names. Returns NULL, or the fault as a sentence.
const char *link_add(struct link *link, const char *text, uint32_t length,
                     struct link_names *names);
// Returns the name in the program.
const char *link_find_name(const struct link_names *names, const char *name);
// Returns the program's text: `*length` bytes, then two NUL bytes, in the arena of the link.
const char *link_text(struct link *link, uint32_t *length);
