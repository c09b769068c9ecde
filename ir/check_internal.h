// Shared by the files of the checker.
#pragma once
#include "ir/check.h"

// Reasons why an instruction does not match a form.
enum fault_kind {
    FAULT_NONE,
    FAULT_COUNT,     // too few or too many operands
    FAULT_REGISTER,  // must be a register
    FAULT_VALUE,     // must be a register or an immediate
    FAULT_IMMEDIATE, // must be an integer immediate
    FAULT_NUMBER,    // an immediate of the wrong kind
    FAULT_RANGE,
    FAULT_TYPE, // a register of the wrong type
    FAULT_PREDICATE,
    FAULT_ADDRESS,
    FAULT_BASE,        // an address register of the wrong type
    FAULT_NUMBER_BASE, // a number as address outside .local
    FAULT_INSIDE,      // too few or too many operands in the brackets
    FAULT_LIST,
    FAULT_LABEL,
    FAULT_UNIFIED,
    FAULT_SUM, // neither a name nor a name plus a constant
    FAULT_NAME,
    FAULT_FUNCTION, // must be a function
    FAULT_VECTOR,   // must be a vector
    FAULT_LENGTH,
    FAULT_SCALAR, // must not be a vector
    FAULT_PAIR,   // a second destination is not allowed, or is missing
    FAULT_SELECTOR,
    FAULT_NEGATION,
    FAULT_SPECIAL,       // a special register is not allowed
    FAULT_SPECIAL_SIZE,  // a special register of the wrong size
    FAULT_SINK,          // the sink is not allowed
    FAULT_ADDEND,        // a register to which no constant can be added
    FAULT_CODE,          // a function is used as the address of memory
    FAULT_ELEMENT_WIDTH, // elements of different widths
    FAULT_ELEMENT_KIND,  // neighbouring elements of different kinds of type
    FAULT_OLD_FUNCTION,  // the address of a function, in a version without such addresses
};

struct ir_fault {
    uint8_t kind;
    uint8_t depth;   // number of operands that matched
    uint32_t node;   // node of the fault
    uint32_t number; // FAULT_LENGTH: expected number of elements
    const struct form_operand *spec;
    const struct form_match *match;
};

// The forms that match an opcode with `count` modifiers.
struct spelled_match {
    const struct form_match *match;
    uint16_t op, count;
};

struct ir_check {
    struct ir_module *module;
    uint64_t constants; // bytes of .const variables so far
    struct tree *tree;
    struct forms *forms;
    struct diags *diags, found; // `diags` points to `found`
    struct arena scratch;
    struct ir_function *fn;
    const struct ir_inst *inst;
    uint32_t cursor;                // index of the instruction's operand that was found last
    uint32_t special, special_node; // a special register among the operands, or SPECIAL_COUNT
    // Register types are numbered. Per instruction type, the set of register types that it allows.
    uint8_t number[WORD_COUNT];
    uint32_t exact[WORD_COUNT], wider[WORD_COUNT];
    uint32_t addresses; // register types allowed in an address
    VEC(struct name) targets;
    bool f64_as_f32, independent; // .target map_f64_to_f32, texmode_independent
    VEC(uint32_t)
    prototypes;                              // per name: node of the .callprototype or list with
                                             // this label, or 0
    VEC(uint32_t) labels;                    // names of the labels in `prototypes`
    const struct ir_function *prototypes_of; // the function that they belong to
    VEC(struct spelled_match) spelled;       // by the index of the first modifier
    VEC(uint8_t) allowed;                    // per match: 0 unknown, else enum allowance + 1
};

enum type_kind { TYPE_INTEGER, TYPE_FLOAT, TYPE_BITS, TYPE_HALVES, TYPE_PACKED, TYPE_PREDICATE };
// Returns the kind of a type (isa_word).
enum type_kind check_type_kind(uint16_t type);
// Returns the operand of a name or literal at a node. Must be called in the order of the text.
const struct ir_operand *check_operand_at(struct ir_check *c, uint32_t node);
// Returns the fault of a vector's elements relative to each other, or FAULT_NONE. Sets `at` to the
// node of the element.
enum fault_kind check_elements(struct ir_check *c, uint32_t vector, uint32_t *at);
// Returns the type of the same kind with twice the bits, or W_UNKNOWN.
uint16_t check_twice_as_wide(uint16_t type);
// Return true if a literal can have the type. `kind` is NODE_FLOAT32 or NODE_FLOAT64.
bool check_allows_float(uint8_t kind, uint16_t type);
bool check_allows_integer(uint16_t type);
// Fills the sets of register types.
void check_init_types(struct ir_check *c);
// Checks the initialisers of variables.
void check_data(struct ir_check *c);
// Checks numbers of the current instruction that depend on each other.
void check_numbers(struct ir_check *c);
// Reports functions that are declared but not defined. `found` has the syntax errors.
void check_functions(struct ir_check *c, const struct diags *found);
// Returns true if the current instruction's operands match the form; otherwise sets `fault`.
bool check_operands_fit(struct ir_check *c, const struct form_match *match, struct ir_fault *fault);
// Checks the symbols in a matching instruction.
void check_uses(struct ir_check *c);
// Checks a call against its target.
void check_call(struct ir_check *c);
// Reports a fault of the current instruction.
void check_report_fault(struct ir_check *c, const struct ir_fault *fault);
