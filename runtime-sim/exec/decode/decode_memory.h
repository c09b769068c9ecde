// For the `prepare` functions of instructions that access memory.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/decode/prepare.h"

// Returns the n-th address of the instruction, in this space (isa_word; W_UNKNOWN: generic).
// Returns NULL and sets `error` if it is not supported.
struct memory_code *decode_memory(struct decoder *d, uint32_t n, uint16_t space,
                                  const char **error);
// Returns the n-th modifier that is a space, or W_UNKNOWN.
uint16_t decode_space(const struct decoder *d, uint32_t n);
// Returns an empty list for `count` operands.
struct code_list *decode_list(struct decoder *d, uint32_t count);
