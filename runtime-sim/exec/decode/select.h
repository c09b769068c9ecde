// Which row executes an instruction.
#pragma once
#include "runtime-sim/exec/decode/decode.h"

struct selection;
struct selection *select_new(struct arena *arena, const struct ir_module *module,
                             const struct lanes_table *lanes);
// The row, or NULL; sets the code's attributes and rounding.
const struct exec_row *select_row(struct selection *selection, const struct decoder *d,
                                  struct code *code);
// The row whose words are these isa_words in this order, with the code's own attributes: for what a
// `prepare` puts together from parts.
const struct exec_row *select_words(struct selection *selection, uint16_t op, const uint16_t *words,
                                    uint32_t count, uint16_t attributes);
