// The content of the instruction tables about an opcode with its modifiers, in words.
#pragma once
#include "frontend/forms.h"
#include "lsp/tokens.h"

struct instruction {
    struct forms *forms;
    uint16_t op; // OP_COUNT: unknown
    uint16_t mods[FORM_MODIFIERS + 1];
    uint32_t count;
    const struct form_match *match; // its `form` is NULL if no form matches
};

// Reads an opcode with its modifiers. Returns false if the opcode is unknown or has too many
// modifiers.
bool instruction_read(struct instruction *instruction, struct arena *arena, const char *text,
                      uint32_t length);

// A form as it is written: "mad.lo.s32 d, a, b, c".
struct instruction_operand {
    uint32_t begin, end; // its place in the text
    const struct form_operand *operand;
    const char *sentence; // what it is
};
struct instruction_text {
    const char *text;
    VEC(struct instruction_operand) operands;
};
// Writes a matching form with the modifiers `name`, such as "mad.lo.s32".
struct instruction_text instruction_write(struct arena *arena, const struct form_match *match,
                                          const char *name);
// Writes a form as the manual prints it, with its operands. Returns the text.
const char *instruction_form(struct arena *arena, const struct form *form);
// Returns the PTX version and target that a form requires: "PTX 7.0, sm_80".
const char *instruction_need(struct arena *arena, const struct form_need *need);

// Returns what a word that begins with a dot is: "type", "state space", …
const char *instruction_word_kind(uint16_t word);
