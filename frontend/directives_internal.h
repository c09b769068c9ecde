// Shared by the files that check directives and declarations.
#pragma once
#include "frontend/directives.h"
#include "frontend/forms.h"

enum directive_place { MODULE = 1, BODY = 2, ENTRY = 4, FUNC = 8, CALL = 16, SPEC = 32 };

struct label_use {
    uint32_t name, begin, end;
};

struct directives {
    const struct tree *tree;
    struct arena scratch;
    struct diags *diags;
    uint16_t version;  // × 10; 0: unknown
    bool independent;  // .target texmode_independent
    uint16_t function; // W_entry or W_func: the kind of the current function
    bool defined;      // the current function has a body
    uint32_t broken;   // place of the first fault of the syntax; NO_OFFSET: none
    VEC(struct name) targets;
    // Debugging information, frontend/debug.c
    VEC(uint32_t) files;              // .file directives
    struct intern places;             // file, line and column of .loc directives
    struct intern placed, labels;     // labels of all sections, of those named .debug_str
    VEC(struct label_use) label_uses; // in function_name of .loc
    uint32_t sections, debug;         // number of sections; the word `debug` of .target
};

void directive_fault(struct directives *d, const char *id, uint32_t node, const char *text);
// Reports a fault at the first word of a node: `.reg` of a whole declaration.
void directive_fault_word(struct directives *d, const char *id, uint32_t node, const char *text);
// Returns the end of a node's first word.
uint32_t directive_word_end(const struct directives *d, uint32_t node);
// Checks version and target that a word needs; `node` begins with it.
void directive_check_needs(struct directives *d, uint16_t word, uint32_t node);

// Returns true if one of the module's targets is among these, as in forms.h.
bool directive_target_allows(const struct directives *d, const char *targets);
// Checks version and target for what has no row of directives.def.
void directive_check_word(struct directives *d, uint32_t node, const char *text, uint16_t needs,
                          uint16_t last, const char *targets);

// frontend/declarations.c: checks a NODE_DECL in a place: MODULE, BODY, or ENTRY, FUNC or CALL
// (parameters). Returns its state space.
uint16_t declaration_check(struct directives *d, uint32_t decl, enum directive_place place);
// Checks linkage and attributes before a function's name.
void declaration_check_function(struct directives *d, uint32_t function);

// frontend/debug.c
void debug_check_section(struct directives *d, uint32_t node);
void debug_check_dwarf(struct directives *d, uint32_t node);
void debug_check_file(struct directives *d, uint32_t directive);
void debug_check_loc(struct directives *d, uint32_t directive);
// At the end of the module: labels of sections that .loc names, and sections for .target debug.
void debug_check_labels(struct directives *d);
void debug_check_target(struct directives *d);

// frontend/pragmas.c
void pragma_check(struct directives *d, uint32_t directive, enum directive_place place);
