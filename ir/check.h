// The checker: every instruction against the forms of its opcode.
#pragma once
#include "frontend/forms.h"
#include "ir/ir.h"

// Reports to `diags`, by id:
//   modifier  a modifier that the instruction does not take, or one that is missing
//   operands  how many operands there are
//   type      what an operand is, against what the form takes
//   version   what needs a newer PTX than the module's (or is no longer in it)
//   target    what needs another target than the module's
// A module whose .version is newer than the tables gets warnings in place of errors [modifier], and
// such instructions become opaque. Opcodes without any form are passed over.
void ir_check(struct ir_module *module, struct forms *forms, struct diags *diags);

// The same in steps: `begin` requires the module's symbols, `function` a function that is built;
// `end` checks the variables' values and reports all that was found.
struct ir_check;
struct ir_check *ir_check_begin(struct ir_module *module, struct forms *forms);
void ir_check_function(struct ir_check *check, struct ir_function *fn);
void ir_check_end(struct ir_check *check, struct diags *diags);
