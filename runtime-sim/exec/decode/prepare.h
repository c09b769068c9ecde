// The `prepare` functions of rows: they resolve operands that are not simply lanes of one width.
// Each returns NULL, or the feature that is not supported.
#pragma once
#include "runtime-sim/exec/decode/decode.h"
#include "runtime-sim/exec/memory/access.h"

typedef const char *prepare_fn(struct decoder *d, struct code *code);

prepare_fn prepare_branch, prepare_branch_indexed, prepare_call;
prepare_fn prepare_compare;      // setp, set: a comparison, then the Boolean operation
prepare_fn prepare_compare_pair; // setp, set of packed halves
prepare_fn prepare_move;         // mov with vectors, addresses, clocks
prepare_fn prepare_convert, prepare_convert_pack;
prepare_fn prepare_warp_sync, prepare_warp_sync_here;
prepare_fn prepare_set, prepare_barrier;
prepare_fn prepare_rounding;     // rejects rounding modes that arithmetic does not have
prepare_fn prepare_two_or_three; // min, max of f32: number of operands
prepare_fn prepare_load, prepare_store, prepare_atomic, prepare_discard;
prepare_fn prepare_copy, prepare_async_store, prepare_fill, prepare_mbarrier;
prepare_fn prepare_cvta, prepare_isspacep, prepare_mapa, prepare_getctarank, prepare_policy;
prepare_fn prepare_alloca, prepare_stack_save, prepare_stack_restore;
prepare_fn prepare_lop3, prepare_video, prepare_vmad;
prepare_fn prepare_mma, prepare_wmma, prepare_ldmatrix, prepare_movmatrix, prepare_warpgroup;
prepare_fn prepare_tensor, prepare_tensor_map;
prepare_fn prepare_tex, prepare_tld4, prepare_txq, prepare_surface;

// For instructions that access memory

// Returns the n-th address of the instruction, in this space (isa_word; W_UNKNOWN: generic).
// Returns NULL and sets `error` if it is not supported.
struct memory_code *decode_memory(struct decoder *d, uint32_t n, uint16_t space,
                                  const char **error);
// Returns the n-th modifier that is a space, or W_UNKNOWN.
uint16_t decode_space(const struct decoder *d, uint32_t n);
// Returns an empty list for `count` operands.
struct code_list *decode_list(struct decoder *d, uint32_t count);
// Sets the list's first slots to the registers that the values of a load are written to, or its
// slots from `first` on to the `memory->elements` operands that a store writes: the read ones from
// number `operand` on. Return NULL or the unsupported feature.
const char *decode_loaded(struct decoder *d, const struct memory_code *memory,
                          struct code_list *list);
const char *decode_stored(struct decoder *d, const struct memory_code *memory,
                          struct code_list *list, uint32_t first, uint32_t operand);
// Returns the slot of the handle of a texture, sampler or surface: a register, a variable of the
// module, or a parameter of the kernel. REG_SLOT_NONE: not supported.
uint32_t decode_handle(struct decoder *d, const struct ir_operand *operand);

// Moves that other decoders use.

// Copies lanes of code->width bytes.
exec_fn move_copy;
// Returns code that replaces part `index` of the lanes of `whole`, counted from the low end.
struct code move_put(uint32_t whole, uint32_t whole_width, uint32_t part, uint32_t part_width,
                     uint32_t index);
// Returns code that extracts part `index` of the lanes of `whole`.
struct code move_extract(uint32_t part, uint32_t part_width, uint32_t whole, uint32_t whole_width,
                         uint32_t index);
