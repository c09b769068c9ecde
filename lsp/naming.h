// Names by scope: which declaration a name belongs to, and all places that name it.
//
// A body and its function's parameters are one scope; each block in braces is a scope within it. A
// name belongs to the innermost declaration around it, as written or as a member of a family
// `stem<n>`. Registers and variables are declared before their use; labels name the whole scope.
#pragma once
#include "lsp/tokens.h"

enum naming_kind {
    NAMING_REGISTER,
    NAMING_PARAMETER,
    NAMING_LOCAL, // variable of a function
    NAMING_LABEL,
    NAMING_VARIABLE, // variable of the module
    NAMING_FUNCTION,
};

struct naming_declaration {
    enum naming_kind kind;
    struct lsp_span name;
    struct lsp_span statement; // the directive with its semicolon; a parameter's; the label
    uint32_t scope;            // index in `scopes`
    uint32_t count;            // of a family; 0: a single name
    uint32_t first;            // offset of the first name of the statement, after the type
};

// The declarations of a function.
struct naming {
    const struct lsp_document *document;
    struct scan_item item;
    VEC(struct lsp_span) scopes;                 // the first one is the function
    VEC(struct naming_declaration) declarations; // sorted by name
};

// Reads the declarations of a function.
void naming_read(struct naming *names, struct arena *arena, const struct lsp_document *document,
                 const struct scan_item *item);
// Returns the declaration of the name in this span, or NULL.
const struct naming_declaration *naming_resolve(const struct naming *names, struct lsp_span name);
// Returns true if the declaration is visible at the offset.
bool naming_is_visible(const struct naming *names, const struct naming_declaration *declaration,
                       uint32_t offset);

// A name with its declaration.
struct naming_symbol {
    struct lsp_span name; // at the place that was asked for
    struct naming_declaration declaration;
    bool is_local;  // declared in the function `names`, else in the module
    bool is_family; // all members of a family are meant
    struct naming names;
    struct lsp_span scope; // of the declaration; the text for names of the module
};

// Finds the symbol that a place names. Returns false if nothing there has a declaration.
bool naming_find(struct naming_symbol *symbol, struct arena *arena,
                 const struct lsp_document *document, uint32_t offset);

enum naming_use { NAMING_TEXT = 1, NAMING_READ, NAMING_WRITE }; // numbers of the protocol

struct naming_place {
    struct lsp_span name;
    enum naming_use use;
    bool declares;
};
struct naming_places {
    VEC(struct naming_place) list; // in the order of the text
};
// Collects all places that name the symbol, declarations included.
void naming_collect(struct naming_places *places, const struct naming_symbol *symbol,
                    struct arena *arena);

// Returns why a symbol cannot get a new name, in words, or NULL if it can.
const char *naming_refuse(const struct naming_symbol *symbol, struct arena *arena,
                          const char *name);
