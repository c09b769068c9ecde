// Links several PTX modules into one program. Each module has its own namespace: a name that the
// program already has is renamed, with all its uses, unless the module only declares it (.extern),
// such as vprintf. Text is only appended, so existing code keeps its position.
#pragma once
#include "support/vec.h"

struct link_name {
    const char *from, *to; // name in the module; name in the program
};

struct link_names {
    VEC(struct link_name) list;
};

struct link {
    struct arena *arena;
    VEC(char) text; // without the two final NUL bytes
    uint32_t modules;
    uint32_t version, target;  // maximum of all modules: 90 for 9.0, 80 for sm_80
    uint32_t files;            // highest .file number
    VEC(const char *) defined; // defined names, in order of definition
    const char **table;        // `defined` by hash, open addressing
    uint32_t table_size, names;
};

// Appends a module. Stores its renamed symbols in *names. Returns NULL, or the error as a sentence.
const char *link_add(struct link *link, const char *text, uint32_t length,
                     struct link_names *names);
// Returns the name in the program of a module's symbol.
const char *link_find_name(const struct link_names *names, const char *name);
// Returns the program's text: `*length` bytes, then two NUL bytes, in the arena of the link.
const char *link_text(struct link *link, uint32_t *length);
