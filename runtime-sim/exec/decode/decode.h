// Decoding of one function: the interface for the `prepare` functions of rows.
#pragma once
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/lanes/rows.h"

// Temporary slots are placed after the whole function is decoded. Until then they are numbered by
// the class of their width.
enum { TEMP_CLASS_SHIFT = 24, TEMP_MARK = 1 << 28, WIDTH_CLASSES = 6 };

// Returns the class of a width: 0 for a predicate, 1 to 5 for 1, 2, 4, 8 and 16 bytes.
static inline uint32_t decode_width_class(uint32_t width)
{
    return width ? (uint32_t)__builtin_ctz(width) + 1 : 0;
}

struct selection;
struct decoder {
    struct program *program;
    struct selection *selection;
    struct program_function *function;
    const struct ir_function *fn;
    struct reg_slots slots;
    struct arena scratch;
    // The current instruction.
    uint32_t id;
    const struct ir_inst *inst;
    const uint16_t *mods;
    uint32_t mod_count;
    uint32_t temps[WIDTH_CLASSES],
        max_temps[WIDTH_CLASSES]; // temporary slots of each width: in use, and the maximum
    // Codes after the instruction's own: conversions to destinations that are wider than the
    // computed results.
    VEC(struct code) trailing;
    VEC(uint32_t) branches; // codes whose targets are still block numbers
    uint32_t *block_code;   // first code of each block
};

// Returns the n-th operand of the instruction with this role, or NULL.
const struct ir_operand *decode_operand(const struct decoder *d, enum ir_role role, uint32_t n);
// Returns true if operand `first` with this role is a single register that was declared as a
// vector.
bool decode_is_vector(const struct decoder *d, enum ir_role role, uint32_t first);
// Returns element `n` of {a, b, …}, which starts with operand `first` of this role, or of a vector
// register; in the latter case the result is stored in `own`.
const struct ir_operand *decode_vector(const struct decoder *d, enum ir_role role, uint32_t first,
                                       uint32_t n, struct ir_operand *own);
// Returns true if the current instruction has this modifier.
bool decode_has(const struct decoder *d, uint16_t word);

// Returns the slot of an operand that is read in lanes of `width` bytes (WIDTH_PREDICATE: a
// predicate). A code before the instruction converts registers of another width: it truncates them
// or extends them, by the sign for a signed `type`, otherwise by zeros. Returns REG_SLOT_NONE if
// the operand is not supported.
uint32_t decode_source(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                       uint16_t type);
// Returns the slot of a result of `width` bytes. A code after the instruction extends it for a
// wider register, as decode_source does. A sink gets a slot that is not read.
uint32_t decode_result(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                       uint16_t type);
// Sets `ordered`, `alone`, `in_order` and `reduction` from the function's own instructions.
void decode_order(struct decoder *d);
// Records that the function contains reductions with this operation (0: none). Returns true if that
// is new.
bool decode_add_reduction(struct program_function *function, uint16_t reduction);
// Returns the final slot of a temporary slot. `begin` has the start of each width's temporary
// slots.
uint32_t decode_temp_offset(uint32_t slot, const uint32_t begin[WIDTH_CLASSES]);
// Returns a slot with the value of `own` bytes converted to `width` bytes, extended as required by
// the type.
uint32_t decode_resized(struct decoder *d, uint32_t slot, uint32_t own, uint32_t width,
                        uint16_t type);
// Returns the slot of the address of a variable or function plus the operand's offset.
uint32_t decode_symbol(struct decoder *d, const struct ir_operand *operand, uint32_t width);
// Returns the slot of a value that is the same in all lanes.
uint32_t decode_constant(struct decoder *d, uint64_t value, uint32_t width);
// Returns a slot that is valid for the current instruction.
uint32_t decode_temp(struct decoder *d, uint32_t width);
// Returns the slot of the register and stores its width.
uint32_t decode_register(const struct decoder *d, const struct ir_operand *operand,
                         uint32_t *width);
// Returns the bits of an immediate, converted to the type.
uint64_t decode_bits(const struct decoder *d, const struct ir_operand *operand, uint32_t width,
                     uint16_t type);
// Inserts a code before that of the instruction.
void decode_before(struct decoder *d, struct code code);
// Returns the slot of a value that is constant during a launch. The slot is created on the first
// request.
uint32_t decode_launch_value(struct decoder *d, struct launch_value value);

// Last step of program_build: functions inherit the properties of their callees.
void program_close(struct program *program);

// Returns the bytes in memory of a value of this type; 1 for 8 bits or fewer.
static inline uint32_t decode_type_bytes(uint16_t type)
{
    return ((uint32_t)ir_type_bits(type) + 7) / 8;
}

// Returns true for signed integer types.
static inline bool decode_is_signed(uint16_t type)
{
    return type == W_s8 || type == W_s16 || type == W_s32 || type == W_s64;
}

// Selection of the row that executes an instruction

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
