// Shared by the files that check directives and declarations.
#pragma once
#include "frontend/directives.h"
#include "frontend/forms.h"

enum directive_place { MODULE = 1, BODY = 2, ENTRY = 4, FUNC = 8, CALL = 16, SPEC = 32 };

struct directives {
    const struct tree *tree;
    struct arena scratch;
    struct diags *diags;
    uint16_t version; // × 10; 0: unknown
    bool independent; // .target texmode_independent
    VEC(struct name) targets;
    VEC(uint32_t) files; // indices of .file directives
};

void directive_fault(struct directives *d, const char *id, uint32_t node, const char *text);
// Reports a fault at the first word of a node: `.reg` of a whole declaration.
void directive_fault_word(struct directives *d, const char *id, uint32_t node, const char *text);
// Returns the end of a node's first word.
uint32_t directive_word_end(const struct directives *d, uint32_t node);
// Checks version and target that a word needs; `node` begins with it.
void directive_check_needs(struct directives *d, uint16_t word, uint32_t node);

// frontend/declarations.c: checks a NODE_DECL in a place: MODULE, BODY, ENTRY or FUNC (parameters).
void declaration_check(struct directives *d, uint32_t decl, enum directive_place place);
// Checks linkage and attributes before a function's name.
void declaration_check_function(struct directives *d, uint32_t function);
