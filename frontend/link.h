// The linker of PTX modules: makes one PTX text of several, as a device linker makes one image of
// several objects. The text is the modules one after the other, so a place in it is a place in a
// module.
//
// Modules are added in groups. Within a group a symbol with linkage (.extern, .visible, .weak,
// .common) is one symbol of all its modules; file-local symbols belong to their module. Different
// groups share no symbol: each is a program of its own, such as a fatbin or a module of the driver.
// Symbols whose names the text already has are renamed, which the caller learns.
//
// Modules without .version, with addresses of 32 bits, or with symbols that do not match are
// rejected and change nothing.
#pragma once
#include "support/intern.h"

struct link_input {
    const char *name; // of the module, for messages
    const char *text;
    uint32_t length;
};

struct link_name {
    const char *from, *to; // name in the module; name in the program
};

struct link_names {
    VEC(struct link_name) list;
};

struct link {
    struct arena *arena; // set by the caller, as `provides`; all else is zero at first
    // Returns true for a function that needs no definition, such as vprintf. NULL: no function.
    bool (*provides)(const char *name, size_t length);
    VEC(char) text; // without the two final NUL bytes
    uint32_t modules;
    uint32_t version, target; // maximum of all modules: 90 for 9.0, 80 for sm_80
    char suffix;              // of the target: 'a', 'f' or 0
    uint32_t files;           // highest .file number
    struct intern defined;    // names of all definitions
};

// Appends a group of modules. Stores the group's renamed symbols in *names. Returns NULL, or the
// errors as sentences without a full stop, separated by "; ": as for nvlink these are undefined and
// multiply defined symbols, and symbols whose state space, size or prototype differ. A symbol that
// a group of one module only declares is no error, because nothing may use it.
const char *link_add(struct link *link, const struct link_input *inputs, uint32_t count,
                     struct link_names *names);
// Returns the name in the program of a group's symbol. Of local symbols with equal names it is the
// first.
const char *link_find_name(const struct link_names *names, const char *name);
// Returns the program's text: `*length` bytes, then two NUL bytes, in the arena of the link.
const char *link_text(struct link *link, uint32_t *length);
