// Name resolution during lowering: scopes, register families, labels. Faults are reported by the
// rules of ptxas, once per function and name:
//   undeclared    a name without a declaration, or one declared only later
//   redefinition  a second declaration in a scope, with a note at the first
//   label         a label that is not in scope
// Private to the floor.
#pragma once
#include "ir/ir.h"

enum binding_kind {
    BOUND_NOTHING,
    BOUND_REGISTER,
    BOUND_SYMBOL,
    BOUND_COUNTED, // a family name<count>
    BOUND_FAULTY,  // contradictory declarations, which were reported
};

struct binding {
    uint8_t kind;
    uint32_t depth; // depth of the declaring scope: 0 for the module, 1 for a function
    uint32_t index;
    uint32_t node; // first declaration
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

// The family name<count>: registers or variables name0 …, which are created when first used.
struct counted {
    uint32_t count, decl, scope;
    struct declared_type type;
    bool faulty;
    uint32_t *made;       // per number: id + 1
    struct binding outer; // the family of the same name that this one partly hides
};

// A name divided into prefix and number; computed once.
struct split {
    uint32_t prefix; // name id + 1; 0: not computed; IR_NONE: no number, or the prefix is not a
                     // name
    uint32_t number; // without prefix: number of names when it was searched
};

// The result of the last look-up of a name.
struct resolved_name {
    uint32_t scopes; // value of `scopes` in struct names at that time
    struct binding binding;
};

// The meaning of a name at the current position.
struct name_meaning {
    struct resolved_name resolved;
    struct split split;
    struct binding binding, family; // a family and a single name are independent
    uint32_t reg;                   // id + 1 of a register of the function with this name
    uint32_t label;                 // last label + 1
    uint32_t labels;                // last label + 1 that has this name as prefix
    uint32_t member;                // last member + 1 that has this name as prefix
};

struct label {
    uint32_t name, block, scope, next; // next label with this name, or IR_NONE
    uint32_t targets;                  // node of the list or prototype that it labels, or IR_NONE
    uint32_t node;
    uint32_t like; // next label with the same prefix, or IR_NONE
};

// Labels sorted by name and scope.
struct scoped_label {
    uint32_t name, scope, label;
    uint32_t around; // index of the label in the next enclosing scope, or IR_NONE
};

// A declared name that ends in a number, listed by its prefix.
struct family_member {
    uint32_t name, next; // next member with this prefix, or IR_NONE
};

struct names {
    struct ir_module *module;
    struct diags *diags;
    struct arena *scratch;       // lives as long as the module
    struct arena *lists;         // lives as long as the function
    struct ir_function *fn;      // NULL at module level
    uint32_t count;              // number of names
    VEC(struct name_meaning) of; // by name
    uint32_t scopes;             // changes whenever a binding is made or undone
    uint32_t depth;
    VEC(struct undo) undo;
    VEC(struct counted) counted;
    VEC(struct label) labels;
    VEC(struct scoped_label)
    places; // all labels; filled when a name with several labels is looked
            // up
    VEC(struct family_member) members;
    VEC(uint32_t) declarations;         // declaration of each symbol of the module
    uint64_t *unread, *unread_families; // names in unparsed text that may contain their
                                        // declarations
    bool unread_registers;              // unparsed text declares registers, whose names are unknown
    uint32_t *reported;                 // per name: the function in which it was reported last, + 1
    uint32_t guesses;
};

// Initialises the resolution for a module. `scratch` lives as long as the module, `lists` as long
// as a function.
void names_init(struct names *names, struct ir_module *module, struct diags *diags,
                struct arena *scratch, struct arena *lists);
// Adds the names that the tree has received since the last call.
void names_grow(struct names *names);
// Removes all bindings since `undo` (names->undo.n at that time).
void names_leave(struct names *names, uint32_t undo);
// Declares a family of registers; `declarator` has the flag NODE_COUNTED.
void names_declare_family(struct names *names, uint32_t declarator, uint32_t scope,
                          const struct declared_type *type);
// Declares a register.
void names_declare_register(struct names *names, uint32_t declarator, uint32_t scope,
                            const struct declared_type *type);
// Declares a symbol. `decl` is the declaration that contains the symbol's node, or that node.
// Returns its id.
uint32_t names_declare_symbol(struct names *names, uint32_t decl, uint32_t scope,
                              const struct ir_symbol *symbol);
// Adds a register to the function. Returns its id.
uint32_t names_add_register(struct names *names, uint32_t name, uint32_t decl, uint32_t scope,
                            const struct declared_type *type);
// Returns the binding of a name at the current position.
struct binding names_resolve(struct names *names, uint32_t name);
// Returns true if the binding is a symbol of the module that is declared only after the node.
bool names_is_later(struct names *names, struct binding binding, uint32_t node);
// Reports that the name at a node is undeclared.
void names_undeclared(struct names *names, uint32_t node);
// Adds a diagnostic at the name that a node uses or declares.
void names_add_diag(struct names *names, enum severity severity, const char *id, uint32_t node,
                    const char *text);
// Reports a second declaration, with a note at the first.
void names_report_again(struct names *names, uint32_t node, uint32_t first, const char *what);

// Adds a label of the current function.
void names_add_label(struct names *names, struct label label);
// Returns the label for a name at a node; if there are several, the one in the innermost scope
// around the node. Returns NULL if it is out of scope. Requires that all labels of the function are
// known.
const struct label *names_find_label(struct names *names, uint32_t name, uint32_t at);
// Removes the labels of a function.
void names_forget_labels(struct names *names);
// Reports that the name at a node is not a label.
void names_no_label(struct names *names, uint32_t node);

// ir/symbols.c: checks a symbol that a module declares again. Returns true if the new declaration
// replaces the old one.
bool names_redeclare(struct names *names, const struct ir_symbol *old, uint32_t old_decl,
                     const struct ir_symbol *symbol, uint32_t decl);
// Returns the difference between the prototypes of two functions as a text, or NULL.
const char *names_compare_prototypes(const struct names *names, uint32_t a, uint32_t b);
// Checks .alias NEW, OLD: both must be functions, and NEW must not have a body.
void names_check_alias(struct names *names, uint32_t directive);
