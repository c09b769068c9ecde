// Name resolution while a module is lowered: scopes, families of registers, labels. Faults are
// reported by ptxas' rules, each once per function and name:
//   undeclared    a name without a declaration, or with a later one only
//   redefinition  a second declaration in a scope, with a note at the first
//   label         a label that is not in scope
// Private to the floor.
#pragma once
#include "ir/ir.h"

enum binding_kind {
    BOUND_NOTHING,
    BOUND_REGISTER,
    BOUND_SYMBOL,
    BOUND_COUNTED, // a family
    BOUND_FAULTY,  // declared twice, differently: not reported again
};

struct binding {
    uint8_t kind;
    uint32_t depth; // of the scope that declares it: 0 for the module, 1 for a function
    uint32_t index;
    uint32_t node; // of its first declaration
};

struct undo {
    uint32_t name;
    bool family;
    struct binding before;
};

struct declared_type {
    uint16_t space, type, bits;
    uint32_t align, vector;
};

// name<count>: registers or variables name0 … ; created at their first use.
struct counted {
    uint32_t count, decl, scope;
    struct declared_type type;
    bool faulty;
    uint32_t *made;       // id + 1
    struct binding outer; // the family of the same name that this one hides in part
};

// A name as prefix and number, computed once.
struct split {
    uint32_t prefix; // name id + 1; 0: not looked at; IR_NONE: no number, or no name is the prefix
    uint32_t number; // without prefix: the number of names when it was looked for
};

// The result of the last lookup of a name.
struct resolved_name {
    uint32_t scopes; // the same member of struct names at that time
    struct binding binding;
};

// The meaning of one name at the current place.
struct name_meaning {
    struct resolved_name resolved;
    struct split split;
    struct binding binding, family; // a family and a name of its own are independent
    uint32_t reg;                   // a register + 1, if it is one of the function with this name
    uint32_t label;                 // last label + 1
    uint32_t labels;                // last label + 1 whose name begins with this one
    uint32_t member;                // last member + 1 of those whose name begins with this one
};

struct label {
    uint32_t name, block, scope, next; // next label with this name, or IR_NONE
    uint32_t targets;                  // node of the list or prototype that it names, or IR_NONE
    uint32_t node;
    uint32_t like; // next label whose name has this one's prefix, or IR_NONE
};

// A label among those of its name, which are sorted by scope.
struct label_place {
    uint32_t name, scope, label;
    uint32_t around; // place of the label in the next scope around this one, or IR_NONE
};

// A declared name that ends in a number, for its prefix.
struct family_member {
    uint32_t name, next; // next one with this prefix, or IR_NONE
};

struct names {
    struct ir_module *module;
    struct diags *diags;
    struct arena *scratch;       // for one module
    struct arena *lists;         // for one function
    struct ir_function *fn;      // NULL at module level
    uint32_t count;              // of names
    VEC(struct name_meaning) of; // by name
    uint32_t scopes;             // changes with every binding that is made or undone
    uint32_t depth;
    VEC(struct undo) undo;
    VEC(struct counted) counted;
    VEC(struct label) labels;
    VEC(struct label_place) places; // of the labels, once one of several is looked for
    VEC(struct family_member) members;
    VEC(uint32_t) declarations;         // of the module's symbols, by symbol
    uint64_t *unread, *unread_families; // names in parts that may have been declarations
    bool unread_registers;              // a part declares registers: of any names
    uint32_t *reported;                 // per name: the function in which it was reported last, + 1
    uint32_t guesses;
};

void names_init(struct names *names, struct ir_module *module, struct diags *diags,
                struct arena *scratch, struct arena *lists);
// Takes the names that the tree has got since the last call.
void names_grow(struct names *names);
// Removes all bindings since `undo` (names->undo.n at that time).
void names_leave(struct names *names, uint32_t undo);
// Declares the registers of a family; `declarator` has the flag NODE_COUNTED.
void names_declare_family(struct names *names, uint32_t declarator, uint32_t scope,
                          const struct declared_type *type);
void names_declare_register(struct names *names, uint32_t declarator, uint32_t scope,
                            const struct declared_type *type);
// `decl`: the declaration around the symbol's node, or that node itself. Returns its id.
uint32_t names_declare_symbol(struct names *names, uint32_t decl, uint32_t scope,
                              const struct ir_symbol *symbol);
uint32_t names_add_register(struct names *names, uint32_t name, uint32_t decl, uint32_t scope,
                            const struct declared_type *type);
// Returns the binding of a name at the current place.
struct binding names_resolve(struct names *names, uint32_t name);
// Returns true if it is a symbol of the module that is declared after the node only.
bool names_is_later(struct names *names, struct binding binding, uint32_t node);
void names_undeclared(struct names *names, uint32_t node);
// Adds a diagnostic at the name that a node uses or declares.
void names_add_diag(struct names *names, enum severity severity, const char *id, uint32_t node,
                    const char *text);
void names_report_again(struct names *names, uint32_t node, uint32_t first, const char *what);

void names_add_label(struct names *names, struct label label);
// Returns the label for a name at a node; of several, the one in the innermost scope around the
// node. Requires that all labels of the function are known.
const struct label *names_find_label(struct names *names, uint32_t name, uint32_t at);
void names_forget_labels(struct names *names);
void names_no_label(struct names *names, uint32_t node);

// ir/symbols.c: symbols that a module declares more than once. Returns true if the new declaration
// replaces the old one.
bool names_redeclare(struct names *names, const struct ir_symbol *old, uint32_t old_decl,
                     const struct ir_symbol *symbol, uint32_t decl);
// Returns the difference of the prototypes of two functions, or NULL.
const char *names_compare_prototypes(const struct names *names, uint32_t a, uint32_t b);
// Checks .alias NEW, OLD: both must be functions, and the new one has no body.
void names_check_alias(struct names *names, uint32_t directive);
