// Shared by the files that check directives and declarations.
#pragma once
#include "frontend/directives.h"
#include "frontend/forms.h"

enum directive_context { MODULE = 1, BODY = 2, ENTRY = 4, FUNC = 8, CALL = 16, SPEC = 32 };

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
    uint32_t broken;   // offset of the first syntax error; NO_OFFSET: no error
    VEC(struct name) targets;
    // Debugging information, frontend/debug.c
    VEC(uint32_t) files;              // .file directives
    struct intern places;             // file, line and column of .loc directives
    struct intern placed, labels;     // labels of all sections, and of sections named .debug_str
    VEC(struct label_use) label_uses; // labels named by function_name of .loc
    uint32_t sections, debug;         // number of sections; node of the word `debug` of .target
};

// Reports a fault at a node.
void directive_fault(struct directives *d, const char *id, uint32_t node, const char *text);
// Reports a fault at the first word of a node: `.reg` of a whole declaration.
void directive_fault_word(struct directives *d, const char *id, uint32_t node, const char *text);
// Returns the offset of the end of a node's first word.
uint32_t directive_word_end(const struct directives *d, uint32_t node);
// Checks that the module has the version and target that `word` requires. `node` begins with it.
void directive_check_needs(struct directives *d, uint16_t word, uint32_t node);

// Returns true if one of the module's targets is in `targets`, a list as in forms.h.
bool directive_target_allows(const struct directives *d, const char *targets);
// Checks version and target of a word without a row in directives.def. `needs` and `last` are PTX
// versions × 10.
void directive_check_word(struct directives *d, uint32_t node, const char *text, uint16_t needs,
                          uint16_t last, const char *targets);

// frontend/declarations.c: checks a NODE_DECL. `place` is MODULE, BODY, or, for parameters, ENTRY,
// FUNC or CALL. Returns its state space.
uint16_t declaration_check(struct directives *d, uint32_t decl, enum directive_context place);
// Checks the linkage and attributes before a function's name.
void declaration_check_function(struct directives *d, uint32_t function);

// frontend/debug.c: checks sections, @@dwarf lines, .file and .loc.
void debug_check_section(struct directives *d, uint32_t node);
void debug_check_dwarf(struct directives *d, uint32_t node);
void debug_check_file(struct directives *d, uint32_t directive);
void debug_check_loc(struct directives *d, uint32_t directive);
// Checks at the end of the module that the labels named by .loc exist, and that .target debug has
// its sections.
void debug_check_labels(struct directives *d);
void debug_check_target(struct directives *d);

// frontend/pragmas.c: checks a .pragma and each of its strings.
void pragma_check(struct directives *d, uint32_t directive, enum directive_context place);
