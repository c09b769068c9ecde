// The checker: compares every instruction with the forms of its opcode.
#pragma once
#include "frontend/forms.h"
#include "ir/ir.h"

// Reports faults to `diags`, by id:
//   modifier  a modifier that the instruction does not allow, or a missing one
//   operands  a wrong number of operands
//   type      an operand that does not match the form
//   version   a feature that requires a newer PTX than the module's, or that was removed from it
//   target    a feature that requires another target than the module's
// If the module's .version is newer than the tables, [modifier] is a warning instead of an error,
// and such instructions become opaque. Opcodes without a form are not checked.
void ir_check(struct ir_module *module, struct forms *forms, struct diags *diags);

// Checks on up to `threads` threads. If one finds a fault, all functions are checked again in
// order, so that the reports do not depend on the number of threads.
void ir_check_parallel(struct ir_module *module, struct arena *arena, struct diags *diags,
                       uint32_t threads);

// The checker in steps. ir_check_begin requires the module's symbols, ir_check_function a complete
// function. ir_check_variables checks the bytes of the symbols from `first` on, before they are
// dropped. ir_check_end checks all that are left, and the variables' values, and reports all
// faults.
struct ir_check;
struct ir_check *ir_check_begin(struct ir_module *module, struct forms *forms);
void ir_check_function(struct ir_check *check, struct ir_function *fn);
void ir_check_variables(struct ir_check *check, uint32_t first);
// Returns true if a fault was found so far.
bool ir_check_found(const struct ir_check *check);
void ir_check_end(struct ir_check *check, struct diags *diags);
