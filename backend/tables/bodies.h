// The function bodies of a text and their instructions, numbered as in the tables.
#pragma once
#include "backend/emit/writer.h"
#include "frontend/tree.h"

struct body_inst {
    uint32_t begin, end; // in the text
    uint32_t node;       // of the tree
};

struct body {
    const struct tree *tree;
    uint32_t node; // NODE_FUNCTION
    uint32_t open; // offset after its opening brace
    uint32_t end;
    uint32_t loads;              // loads that name global memory, or no space
    VEC(struct body_inst) insts; // in the order of the text
};

struct bodies {
    const char *text;
    uint32_t length;
    VEC(struct body) list; // in the order of the text
};

// Finds the bodies of the tree's own text.
void bodies_find(struct bodies *bodies, struct arena *arena, const struct tree *tree);
// Finds the bodies of the text that the edits produce. Requires edits with keep_instructions.
void bodies_written(struct bodies *bodies, struct arena *arena, const struct tree *tree,
                    const struct written *written);
// Returns true if the edits only move instructions of the text: none is added, removed or changed.
bool keep_instructions(const struct edits *edits, const struct source *source);
// Returns the body that contains the offset, or NULL.
const struct body *bodies_at(const struct bodies *bodies, uint32_t offset);
// Returns the function's name, in the arena.
const char *body_name(const struct body *body, struct arena *arena);

static inline bool body_is_entry(const struct body *body)
{
    return body->tree->nodes.v[body->node].aux == W_entry;
}

static inline const struct body_inst *body_inst(const struct body *body, uint32_t index)
{
    return &body->insts.v[index];
}

// Returns the index of the first instruction at or after the offset, or the number of instructions.
uint32_t body_find(const struct body *body, uint32_t offset);
// Returns an instruction's opcode with its modifiers, without white space and comments.
const char *body_opcode(const struct body *body, struct arena *arena, uint32_t index);
