// Decoding one function: what the rows' `prepare` may use.
#pragma once
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/decode/slots.h"

// Temporary slots get their place when the whole function is known; until then they are numbered,
// by the class of their width.
enum { TEMP_CLASS_SHIFT = 24, TEMP_MARK = 1 << 28, WIDTH_CLASSES = 6 };

// 0: predicate; 1 to 5: 1, 2, 4, 8, 16 bytes.
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
    struct slots slots;
    struct arena scratch;
    // The instruction at hand.
    uint32_t id;
    const struct ir_inst *inst;
    const uint16_t *mods;
    uint32_t mod_count;
    uint32_t temps[WIDTH_CLASSES],
        most_temps[WIDTH_CLASSES]; // temporary slots of each width: used, and at most
    // Codes to be put behind the instruction's own: results that are wider than what it computes.
    VEC(struct code) behind;
    VEC(uint32_t) branches; // codes whose targets still are blocks
    uint32_t *block_code;   // first code of each block
};

// The n-th operand of the instruction with this role, or NULL.
const struct ir_operand *decode_operand(const struct decoder *d, enum ir_role role, uint32_t n);
// The operand of this role is one register that was declared as a vector.
bool decode_is_vector(const struct decoder *d, enum ir_role role);
// Element `n` of {a, b, …}, or of such a register, for which `own` gives room.
const struct ir_operand *decode_vector(const struct decoder *d, enum ir_role role, uint32_t n,
                                       struct ir_operand *own);
bool decode_has(const struct decoder *d, uint16_t word);

// The slot of an operand that is read in lanes of `width` bytes (WIDTH_PREDICATE: a predicate).
// Registers of another width are converted by a code that is put in front: cut, or filled with the
// sign for signed `type`, else with zeros. SLOT_NONE when the operand is not understood.
uint32_t decode_source(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                       uint16_t type);
// The slot that a result of `width` bytes goes to; a wider register is filled as above by a code
// put behind, a sink gets a slot that nobody reads.
uint32_t decode_result(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                       uint16_t type);
uint32_t decode_temp_place(uint32_t slot, const uint32_t begin[WIDTH_CLASSES]);
// The address of a variable or function, with the operand's offset.
uint32_t decode_symbol(struct decoder *d, const struct ir_operand *operand, uint32_t width);
// A value in every lane.
uint32_t decode_constant(struct decoder *d, uint64_t value, uint32_t width);
// A slot for the time of one instruction.
uint32_t decode_temp(struct decoder *d, uint32_t width);
// The register's own slot and width.
uint32_t decode_register(const struct decoder *d, const struct ir_operand *operand,
                         uint32_t *width);
// Bits of an immediate as the type wants them.
uint64_t decode_bits(const struct decoder *d, const struct ir_operand *operand, uint32_t width,
                     uint16_t type);
// Puts a code in front of the instruction's own.
void decode_before(struct decoder *d, struct code code);
// Slot of a value that is the same for a whole launch; made once.
uint32_t decode_launch_value(struct decoder *d, struct launch_value value);

// Last step of program_build: functions take over what those that they call may do.
void program_close(struct program *program);

// Bytes that an operand of this type takes in memory: 1 for 8 bits and less.
static inline uint32_t decode_type_bytes(uint16_t type)
{
    return ((uint32_t)ir_type_bits(type) + 7) / 8;
}

static inline bool decode_is_signed(uint16_t type)
{
    return type == W_s8 || type == W_s16 || type == W_s32 || type == W_s64;
}
