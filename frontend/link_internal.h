// Shared by the files of the linker.
#pragma once
#include "frontend/link.h"
#include <string.h>

enum link_token_kind {
    TOKEN_END,
    TOKEN_SPACE,
    TOKEN_WORD,
    TOKEN_DOT_WORD,
    TOKEN_NUMBER,
    TOKEN_OTHER,
};

struct link_token {
    enum link_token_kind kind;
    uint32_t length;
    const char *at;
};

// Returns the token at `at`, which ends before `end`.
struct link_token link_next_token(const char *at, const char *end);
bool link_token_is(const struct link_token *token, const char *text);
bool link_token_is_one_of(const struct link_token *token, const char *const *list);

// In order of strength: of several definitions the strongest is linked.
enum link_linkage { LINK_LOCAL, LINK_EXTERN, LINK_COMMON, LINK_WEAK, LINK_VISIBLE };

// A declaration or definition on module level: a function, a kernel, one variable of a statement.
struct link_item {
    struct link_token name;
    struct link_token space; // .func, .entry, .alias or the state space
    enum link_linkage linkage;
    bool defines;
    bool dropped;               // not written: the symbol is declared or defined elsewhere
    uint32_t symbol;            // in the group; UINT32_MAX: local
    uint32_t first, statement;  // first item of its statement; number of the statement
    const char *begin, *end;    // the statement
    const char *head_end;       // end of the name with its parameters or dimensions
    const char *declarator_end; // of a variable, with its initialiser
    bool no_return;
};

struct link_module {
    struct link *link;
    const struct link_input *input;
    const char *end;
    uint32_t version, target, address_bits, files;
    char suffix;
    VEC(struct link_item) items;           // in the order of the text
    VEC(struct link_token) labels;         // of debugging sections
    VEC(const struct link_name *) renames; // sorted by name
};

// Finds the module's header, declarations and labels.
void link_scan(struct link_module *module);

static inline bool link_is_function(const struct link_item *item)
{
    return item->space.at[1] == 'f' || item->space.at[1] == 'e' || item->space.at[1] == 'a';
}

// A symbol with linkage of a group's modules.
struct link_symbol {
    struct link_item *item; // its definition, or else its first declaration
    struct link_module *module;
    uint32_t modules; // number of modules that declare it
    struct link_module *last;
    bool is_shared; // one symbol of all modules; false: each has a dynamic array of its own
};

struct link_group {
    struct link *link;
    struct link_module *modules;
    uint32_t count;
    struct intern names;
    VEC(struct link_symbol) symbols; // by id in `names`
    struct link_names *renamed;
    const char *errors; // NULL: none
};

// Appends the text of the group's modules to that of the link.
void link_write(const struct link_group *group);
