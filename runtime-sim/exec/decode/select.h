// Selects the row that executes an instruction.
#pragma once
#include "runtime-sim/exec/decode/decode.h"

struct selection;
// Prepares the selection for a module and an instruction set. Allocates in `arena`.
struct selection *select_new(struct arena *arena, const struct ir_module *module,
                             const struct lanes_table *lanes);
// Returns the row of the current instruction, or NULL. Sets the code's attributes and rounding.
const struct exec_row *select_row(struct selection *selection, const struct decoder *d,
                                  struct code *code);
// Returns the row with these isa_words, in this order, and attributes; for a `prepare` that
// combines parts. NULL: no such row.
const struct exec_row *select_words(struct selection *selection, uint16_t op, const uint16_t *words,
                                    uint32_t count, uint16_t attributes);
