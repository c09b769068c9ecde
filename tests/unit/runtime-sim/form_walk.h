// Enumerates instructions of every form of an opcode in the frontend, with the words and kinds of
// operands that the form accepts.
//
// Registers are named %r8_3, %r16_3, %r32_3, %r64_3, %r128_3 and %p3, vectors of special registers
// %v32. Addresses are in %r64_3; a variable is called `variable`.
#pragma once
#include "tests/unit/runtime-sim/kernel.h"
#include "frontend/forms.h"

// Declarations of these registers.
#define FORM_REGISTERS                                                                             \
    ".reg .pred %p<90>; .reg .b8 %r8_<90>; .reg .b16 %r16_<90>; .reg .b32 %r32_<90>; "             \
    ".reg .b64 %r64_<90>; .reg .b128 %r128_<90>; .reg .v4 .b16 %v16; .reg .v4 .b32 %v32;\n"

// Variants of the operands. Further variants give instructions of their own only where they make a
// difference.
enum form_variant {
    FORM_PLAIN,     // registers, no more operands than need be
    FORM_OPTIONALS, // those too that may be missing
    FORM_WIDER,     // registers wider than the type, where these may be
    FORM_NUMBERS,   // immediates for registers, predicates negated
    FORM_SPECIALS,  // special registers
    FORM_VARIABLES, // addresses of variables
    FORM_SINKS,     // results that nobody wants
    FORM_VARIANTS,
};

enum form_words {
    FORM_ALL_WORDS, // each combination
    FORM_EACH_WORD, // each word once, with as few others as may be
};

enum { FORM_REGISTERS_MAX = 40, FORM_TEXT = 512 };

struct form_register {
    uint32_t bits, number; // 1 bit: a predicate
    bool written, read;
};

struct form_walk {
    enum form_words which;
    uint32_t variants; // how many of them, from FORM_PLAIN
    void (*accept)(struct form_walk *walk);
    void *own; // take's

    // What take finds: the instruction without a semicolon, its opcode and words alone, and the
    // registers that it names (not in FORM_WIDER).
    char text[FORM_TEXT];
    size_t name_length;
    struct form_register registers[FORM_REGISTERS_MAX];
    uint32_t register_count;
    enum form_variant variant;
    const struct form *form;
    const struct form_match *match;

    struct arena arena;
    struct memory memory;
    struct forms *forms;
    size_t length;
    uint16_t words[FORM_MODIFIERS];
    uint32_t word_count;
    char before[FORM_VARIANTS][FORM_TEXT];
};

// Initialises the walk. Requires which, variants and take. form_walk_op calls take for each
// instruction of the opcode and returns their number.
void form_walk_begin(struct form_walk *walk);
uint32_t form_walk_op(struct form_walk *walk, uint16_t op);
void form_walk_end(struct form_walk *walk);
