// The forms of each instruction, as the PTX manual spells them, and how an instruction is matched
// against them. frontend/forms*.def hold one line per form:
//
//     FORM(version, "targets", op, "modifiers", "operands")
//
// version    first PTX version × 10: 70 for 7.0
// targets    first target: "50"; architecture- or family-specific ones: "90a", "100f", several: "90a 100f"
// modifiers  in the manual's order, separated by spaces:
//     .word          must stand there
//     {.word}        may stand there
//     (.a .b)        exactly one of these          (.a .b)=T   and its type is called T (or U, V)
//     {.a .b}        at most one of these          {.v2 .v4}=#  and it is the vector length
//     $set  {$set}   a set of FORM_SET
//     .word@86/90a   this word needs PTX 8.6 and target 90a
//   Their order in an instruction is free, as it is for ptxas; types keep theirs.
// operands   separated by spaces; a name from the manual, a colon and what it may be:
//     d:T            register of type T that is written, or _        d:m:T  read and written
//     a:T            register or immediate of type T that is read
//     a:r:T          register only            a:i   integer immediate
//     p:P            predicate, written for the first operand, else read and maybe negated (!p)
//     d|p:T          d and, if it stands there, a second destination p (a predicate)
//     [a]            address            [a,…]  address with coordinates
//     d:4:T          vector of exactly four   d:#:T  as long as the vector modifier says
//     d:*:T          vector of any length, or a scalar
//     l:L  f:F       label, function          n:N  name of a variable, texture or list
//     a:?            anything
//   Types: T, U, V as captured, or a type's name without its dot; 2T twice as wide; T+ registers of T
//   or wider (ld, st, cvt). b32 takes any register of 32 bits. `?` in front: may be missing.
#pragma once
#include "frontend/isa.h"

enum { FORM_TYPES = 3, FORM_OPERANDS = 10 };

enum form_operand_kind {
    FORM_DESTINATION,
    FORM_SOURCE,
    FORM_REGISTER,
    FORM_IMMEDIATE,
    FORM_PREDICATE,
    FORM_ADDRESS,
    FORM_LABEL,
    FORM_FUNCTION,
    FORM_NAME,
    FORM_ANYTHING,
};

enum { FORM_SCALAR = 0, FORM_ANY_LENGTH = 254, FORM_BY_MODIFIER = 255 };

struct form_operand {
    uint8_t kind;   // form_operand_kind
    uint8_t length; // FORM_SCALAR, a number, FORM_ANY_LENGTH or FORM_BY_MODIFIER
    uint8_t written : 1, read : 1, optional : 1, pair : 1, wider : 1, twice : 1, coordinates : 1;
    uint16_t type; // isa_word; or FORM_CAPTURED + 0 … FORM_TYPES−1; W_UNKNOWN: any
};
enum { FORM_CAPTURED = 0x8000 };

struct form_need {
    uint16_t version;
    const char *targets;
};

// A form's text, compiled.
struct form {
    uint16_t op;
    struct form_need need;
    const char *modifiers, *operands; // as written in the table
    const struct form_slot *slots;
    uint32_t slot_count;
    struct form_operand operand[FORM_OPERANDS];
    uint32_t operand_count;
};

struct form_match {
    const struct form *form; // NULL: none matches
    uint16_t type[FORM_TYPES];
    uint8_t vector; // elements
    struct form_need need; // the most that form and words need
    // When none matches: the modifier that the closest form does not take, or UINT32_MAX when
    // modifiers are missing; and that form.
    uint32_t bad_modifier;
    const struct form *closest;
};

struct forms;
// All tables, compiled as they are asked for. Lives in the arena. `names`: for the dot words.
struct forms *forms_new(struct arena *arena);
// The match is remembered: asking again for the same modifiers is a look-up.
const struct form_match *forms_match(struct forms *forms, uint16_t op, const uint16_t *mods, uint32_t count);
// All forms of an opcode.
const struct form *forms_of(struct forms *forms, uint16_t op, uint32_t *count);

// True if a module for `target` ("sm_90a") may use what needs one of `targets`.
bool form_target_allows(const char *targets, const char *target, uint32_t length);
