// The forms of each instruction, as the PTX manual spells them, and how an instruction is matched
// with them. frontend/forms_*.def hold one line per form:
//
//     FORM(version, "targets", op, "modifiers", "operands")
//     FORM_UNTIL(version, last version, "targets", op, "modifiers", "operands")
//
// version    first PTX version × 10: 70 for 7.0
// targets    first target, or alternatives: "50", "90a 100f", "<70" (targets below 70); 90a is that
//            architecture alone, 100f members of its family from there on, "" any target
// modifiers  in the manual's order, separated by spaces:
//     .word        required
//     {.word}      optional
//     (.a .b)      exactly one of these
//     {.a .b}      at most one of these
//     $set         a set of FORM_SET, also among words in brackets; alone it means (…), and {$set}
//                  means {…}
//     ^.word ^(…)  part of the opcode's name, with a fixed place, counted from the opcode (mul.lo,
//                  bar.sync)
//     .word@86/90a the word requires PTX 8.6 and target 90a; @86 or @/90a for only one of them;
//                  targets with commas: @86/100a,103a; $set@86/90a: each word of the set
//     …=T          captures the word as T (or U, V), a type for operands
//     …=#          the word is the vector length (its value in words.def)
//     …=x          another lower-case letter: operands may depend on the word's presence
//   As in ptxas, modifiers may be in any order, except that types must be in order, state spaces
//   must be in order, and words marked ^ have a fixed place.
//   If several forms with the same modifiers differ in their operands, the first that matches is
//   used.
// operands   separated by spaces; a name from the manual, a colon and the allowed kinds:
//     d:T          register of type T that is written (names that begin with d), or
//     a:T          register or immediate of type T that is read
//     r            register only                  i  integer immediate only
//     0-255        immediates in this range       24-256/8  only multiples of 8
//     4,8,16       one of these immediates
//     l            the range applies to its low 32 bits
//     s            also a special register        v  also the address of a variable or function
//     m            (d:m:T) also read              o  only a register declared as .bN
//     _            also the sink _; without a type, only the sink
//     P            predicate; as a source it may be negated (!p) or a number; the first operand
//                  and names that begin with d are written
//     d|p:T        d and an optional second destination p, a predicate; d||p: it is required;
//                  p|q:P two predicates
//     [a]          address; [a:o:b32] in a register of that type; [a,c:2:s32] with more
//                  inside
//     (a)          parenthesised list
//     4:T          vector of exactly four         #:T  of the vector modifier's length
//     4#:T         four times that                *:T  vector of any length, or a scalar
//     L  label     F  function                    N  name of a variable, texture, prototype or list
//     ?  anything
//     -a           may be negated (vmad); the range applies to an immediate's magnitude
//     a.1          optional selector: .b0 … .b3, .h0, .h1; a.2: .h10 …; a.4: .b3210 …
//     ?a           optional                       x?a  present if and only if slot x is filled
//   Types: T, U, V as captured, or a type's name without its dot; 2T twice as wide; T+ registers of
//   T or wider (ld, st, cvt). .bN accepts any register of that size.
#pragma once
#include "frontend/isa.h"

enum {
    FORM_TYPES = 3,
    FORM_OPERANDS = 12,
    FORM_MODIFIERS = 20,
    FORM_NEEDS = 8,
    FORM_VALUES = 6,
    FORM_TABLE_VERSION = 91, // the newest PTX that the tables describe
};

enum form_operand_kind {
    FORM_SOURCE, // register or immediate
    FORM_REGISTER,
    FORM_IMMEDIATE,
    FORM_PREDICATE,
    FORM_ADDRESS,
    FORM_LIST,
    FORM_LABEL,
    FORM_FUNCTION,
    FORM_NAME,
    FORM_ANYTHING,
};

enum form_pair { FORM_SINGLE, FORM_MAYBE_PAIR, FORM_ALWAYS_PAIR };

enum { FORM_SCALAR = 0, FORM_ANY_LENGTH = 254, FORM_BY_MODIFIER = 255 };

struct form_operand {
    uint8_t kind;     // form_operand_kind
    uint8_t length;   // FORM_SCALAR, a number, FORM_ANY_LENGTH or FORM_BY_MODIFIER
    uint8_t factor;   // multiplies FORM_BY_MODIFIER
    uint8_t pair;     // form_pair
    uint8_t selector; // 0, 1, 2 or 4 parts
    char link;        // letter of the slot that it depends on, or 0
    bool written, read, optional;
    bool inside; // part of the preceding address, inside its brackets
    bool wider, twice, negated, special, variable, sink, untyped, low;
    uint8_t name_length;
    const char *name; // as in the table; not terminated
    uint16_t type;    // isa_word; FORM_CAPTURED + 0 … FORM_TYPES−1; W_UNKNOWN: any
    bool ranged;
    uint32_t min, max, step; // of an immediate, if ranged
    uint32_t value[FORM_VALUES];
    uint32_t value_count; // if not 0, an immediate must be one of these
};
enum { FORM_CAPTURED = 0x8000 };

// The requirements of a feature on the module.
struct form_need {
    uint16_t version, last; // PTX versions × 10; last: 0 if the feature is still supported
    const char *targets;    // never NULL
};

struct form_word {
    uint16_t word;
    struct form_need need;
};

struct form_modifier {
    const struct form_word *words;
    uint32_t word_count;
    bool optional, fixed; // fixed: its place counted from the opcode is its place in the form
    char capture;         // 'T', 'U', 'V', '#', a lower-case letter, or 0
};

// A form's text, compiled.
struct form {
    uint16_t op;
    struct form_need need;
    const char *modifiers, *operands; // as written in the table
    struct form_modifier slots[FORM_MODIFIERS];
    uint32_t slot_count;
    struct form_operand operand[FORM_OPERANDS];
    uint32_t operand_count;
};

struct form_match {
    const struct form *form;       // NULL: no form matches
    const struct form_match *next; // another form with the same modifiers
    uint32_t id;                   // dense over all matches of a `struct forms`
    uint16_t type[FORM_TYPES];
    uint8_t vector;                  // elements
    uint32_t filled;                 // bit n: slot n of the form is filled
    uint16_t version, last;          // PTX versions that form and words together require
    const char *targets[FORM_NEEDS]; // each must allow the module's target; NULL after the last
    // If no form matches: the modifier that the closest form does not accept, or UINT32_MAX if
    // modifiers are missing; and that form.
    uint32_t bad_modifier;
    const struct form *closest; // NULL: the table has no form of this opcode
};

struct forms;
// Returns the tables, which are compiled on demand. Allocates in the arena.
struct forms *forms_new(struct arena *arena);
// Returns the match of an opcode with its modifiers. Matches are cached, so a repeated request is a
// look-up.
const struct form_match *forms_match(struct forms *forms, uint16_t op, const uint16_t *mods,
                                     uint32_t count);
// Returns true if the modifiers of some form begin with these `count` > 0 ones, in an order that is
// allowed. *slot is the first slot of a form that the last one fills.
bool forms_accept(struct forms *forms, uint16_t op, const uint16_t *mods, uint32_t count,
                  uint32_t *slot);
// Returns all forms of an opcode.
const struct form *forms_of(struct forms *forms, uint16_t op, uint32_t *count);

// Returns the form as the manual prints it: "mad(.hi|.lo){.cc}(.u32|.s32)".
const char *form_text(struct arena *arena, const struct form *form);
// Returns the isa_word of an operand's type in a match, or W_UNKNOWN.
uint16_t form_operand_type(const struct form_match *match, const struct form_operand *operand);
// Returns true if a word fills the slot with this letter.
bool form_fills(const struct form_match *match, char letter);
// Returns 1 if the operand is required, 0 if it is optional and −1 if it is not allowed.
int form_operand_presence(const struct form_match *match, const struct form_operand *operand);

// Returns true if a module for `target` ("sm_90a") may use a feature that requires one of
// `targets`.
bool form_target_allows(const char *targets, const char *target, uint32_t length);
// Returns the first PTX version × 10 of a target ("sm_90a", "compute_90a"), or 0 if it is unknown.
uint16_t form_target_version(const char *target, uint32_t length);
// Returns `targets` in words: "sm_90a, or sm_100f and later ones of its family".
const char *form_targets_text(struct arena *arena, const char *targets);
