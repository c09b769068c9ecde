// Selection of the row that executes an instruction.
#pragma once
#include "runtime-sim/exec/decode/decode.h"

struct selection;
struct selection *select_new(struct arena *arena, const struct ir_module *module,
                             const struct lanes_table *lanes);
// Returns the row, or NULL; sets the code's attributes and rounding.
const struct exec_row *select_row(struct selection *selection, const struct decoder *d,
                                  struct code *code);
// Returns the row with these isa_words in this order, with the code's own attributes: for a
// `prepare` that combines parts.
const struct exec_row *select_words(struct selection *selection, uint16_t op, const uint16_t *words,
                                    uint32_t count, uint16_t attributes);
