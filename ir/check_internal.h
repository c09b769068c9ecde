// Shared by the files of the checker.
#pragma once
#include "ir/check.h"

// Reasons why an instruction does not match a form.
enum fault_kind {
    FAULT_NONE,
    FAULT_COUNT,     // too few or too many operands
    FAULT_REGISTER,  // must be a register
    FAULT_VALUE,     // must be a register or an immediate
    FAULT_IMMEDIATE, // must be an integer
    FAULT_NUMBER,    // an immediate of another kind
    FAULT_RANGE,
    FAULT_TYPE, // a register of another type
    FAULT_PREDICATE,
    FAULT_ADDRESS,
    FAULT_BASE,        // an address register of another type
    FAULT_NUMBER_BASE, // a number as address, outside of .local
    FAULT_INSIDE,      // too few or too many operands in the brackets
    FAULT_LIST,
    FAULT_LABEL,
    FAULT_UNIFIED,
    FAULT_SUM, // neither a name nor a name + a constant
    FAULT_NAME,
    FAULT_FUNCTION, // must be a function
    FAULT_VECTOR,   // must be a vector
    FAULT_LENGTH,
    FAULT_SCALAR, // must not be a vector
    FAULT_PAIR,   // the second destination
    FAULT_SELECTOR,
    FAULT_NEGATION,
    FAULT_SPECIAL,       // a special register
    FAULT_SPECIAL_SIZE,  // one of another size
    FAULT_SINK,          // the sink
    FAULT_ADDEND,        // a register to which no constant can be added
    FAULT_CODE,          // the address of memory is a function
    FAULT_ELEMENT_WIDTH, // an element of another width than one before it
    FAULT_ELEMENT_KIND,  // an element of another kind of type than its neighbour
    FAULT_OLD_FUNCTION,  // a function in a version without addresses of functions
};

struct ir_fault {
    uint8_t kind;
    uint8_t depth;   // number of matching operands
    uint32_t node;   // place
    uint32_t number; // FAULT_LENGTH: expected number of elements
    const struct form_operand *spec;
    const struct form_match *match;
};

// The forms that match an opcode and `count` modifiers.
struct spelled_match {
    const struct form_match *match;
    uint16_t op, count;
};

struct ir_check {
    struct ir_module *module;
    uint64_t constants; // bytes of .const variables so far
    struct tree *tree;
    struct forms *forms;
    struct diags *diags, found; // `diags` is `found`
    struct arena scratch;
    struct ir_function *fn;
    const struct ir_inst *inst;
    uint32_t cursor;                // operand of the instruction that was found last
    uint32_t special, special_node; // a special register among the operands, or SPECIAL_COUNT
    // Register types are numbered; per instruction type, sets of those that it takes.
    uint8_t number[WORD_COUNT];
    uint32_t exact[WORD_COUNT], wider[WORD_COUNT];
    uint32_t addresses; // those that an address may have
    VEC(struct name) targets;
    bool f64_as_f32, independent;            // .target map_f64_to_f32, texmode_independent
    VEC(uint32_t) prototypes;                // by name of a label: node of a .callprototype, or 0
    VEC(uint32_t) labels;                    // names of the labels that are in `prototypes`
    const struct ir_function *prototypes_of; // the function that they are from
    VEC(struct spelled_match) spelled;       // by the place of the modifiers
    VEC(uint8_t) allowed;                    // by match: 0 unknown, else enum allowance + 1
};

enum type_kind { TYPE_INTEGER, TYPE_FLOAT, TYPE_BITS, TYPE_HALVES, TYPE_PACKED, TYPE_PREDICATE };
enum type_kind check_type_kind(uint16_t type);
// Returns the operand of a name or literal at a node. Calls have the order of the text.
const struct ir_operand *check_operand_at(struct ir_check *c, uint32_t node);
// Returns the fault that the elements of a vector have together, or FAULT_NONE; `at`: its element.
enum fault_kind check_elements(struct ir_check *c, uint32_t vector, uint32_t *at);
// Returns the type of the same kind with twice the bits, or W_UNKNOWN.
uint16_t check_twice_as_wide(uint16_t type);
// Return true if a number can stand for the type. `kind`: NODE_FLOAT32 or NODE_FLOAT64.
bool check_takes_float(uint8_t kind, uint16_t type);
bool check_takes_integer(uint16_t type);
void check_init_types(struct ir_check *c);
void check_data(struct ir_check *c);
void check_numbers(struct ir_check *c);
// `found` has the faults of the syntax.
void check_functions(struct ir_check *c, const struct diags *found);
// Returns true if the current instruction's operands match the form; otherwise sets `fault`.
bool check_operands_fit(struct ir_check *c, const struct form_match *match, struct ir_fault *fault);
// Checks the symbols that a matching instruction names.
void check_uses(struct ir_check *c);
// Checks a call against what it calls.
void check_call(struct ir_check *c);
void check_report_fault(struct ir_check *c, const struct ir_fault *fault);
