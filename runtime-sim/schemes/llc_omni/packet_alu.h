// The ALU of the service queue: converts PTX instructions to its operations, and computes their
// results, which equal those of the instructions bit for bit.
//
// It supports the operations that chains have by default: f32 and 32-bit integers, one value per
// lane, and comparisons of 16-bit integers, which are extended to 32 bits. It does not support
// other operations of 16 bits, 64 bits, vectors, or other instructions.
#pragma once
#include "ir/ir.h"
#include "runtime-sim/schemes/llc_omni/packet.h"
#include <stdbool.h>
#include <stdint.h>

// Operand from which the packet gets its scalar.
struct packet_scalar {
    uint32_t inst;    // IR_NONE: no scalar
    uint32_t operand; // index in the function
    uint32_t use;     // index among the instruction's operands with ROLE_USE
    bool predicate;   // a predicate, which is 0 or 1 in the packet, without the text's negation
    // How a value of 16 bits becomes one of 32.
    enum packet_extension { EXTENDS_NOT, EXTENDS_ZERO, EXTENDS_SIGN } extends;
};

// Returns the scalar that the packet has if the register has these lanes.
uint32_t packet_scalar_value(const struct packet_scalar *scalar, const union lanes *lanes,
                             uint32_t lane);

// Converts an instruction to an operation. `source` has the packet_source of each ROLE_USE operand.
// Returns false if the ALU does not support it.
bool packet_op_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst,
                  const uint8_t *source, struct packet_op *op);
// Sets the members that all packets of a chain of this pattern share. The instructions are loads,
// then operations, then at most one store. The members from, to, entry, mask, scalar, and the
// addresses are set to 0. Returns false if the ALU does not support the chain, or if the chain does
// not have that pattern.
bool packet_of_chain(const struct ir_module *module, const struct ir_function *fn, uint32_t pattern,
                     const uint32_t *inst, uint32_t count, struct compute_packet *packet,
                     struct packet_scalar *scalar);

// Returns the value that a load of the operand gives for an element of these bytes in memory.
uint32_t packet_load_value(const struct packet_operand *operand, const void *bytes);

// Computes all lanes from the loads' 32-bit values; operand[1] is read only if the pattern has two
// loads. The result of pattern 3 is the loaded value. The result of a comparison whose op.made is
// PACKET_PREDICATE is in result->mask, other results are in result->u32. Lanes outside the packet's
// mask are 0.
void packet_compute(const struct compute_packet *packet, const union lanes *operand,
                    union lanes *result);

// f32 arithmetic with the results of PTX. It uses integers, and is independent of the host's
// floating-point state.
//
// With .ftz, a subnormal source becomes a zero of its sign, and so does a result that is below the
// least normal number when rounded with an unbounded exponent. With .sat, results are clamped to
// 0 … 1, and NaN becomes +0. Every NaN result is 0x7fffffff.

#define PACKET_F32_NAN UINT32_C(0x7fffffff)
#define PACKET_F32_ONE UINT32_C(0x3f800000)

struct packet_rounding {
    uint8_t mode; // code_round, at most ROUND_UP
    bool ftz, sat;
};

// Returns true for a NaN.
bool packet_f32_is_nan(uint32_t a);
// Flushes a subnormal to a zero of its sign.
uint32_t packet_f32_flush(uint32_t a);
// Clamps to 0 … 1; NaN becomes +0.
uint32_t packet_f32_saturate(uint32_t a);
// Return a · b (mul), a · b + c (fma), a + b (add), and ±magnitude (of_integer), each rounded once.
uint32_t packet_f32_mul(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_fma(struct packet_rounding how, uint32_t a, uint32_t b, uint32_t c);
uint32_t packet_f32_add(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_of_integer(struct packet_rounding how, bool negative, uint32_t magnitude);
// Rounds to an integer in f32.
uint32_t packet_f32_integral(struct packet_rounding how, uint32_t a);
// Convert to a signed or an unsigned 32-bit integer. Values outside the range are clamped, and NaN
// becomes 0.
uint32_t packet_f32_to_s32(struct packet_rounding how, uint32_t a);
uint32_t packet_f32_to_u32(struct packet_rounding how, uint32_t a);
// Compares two numbers. Requires that neither is a NaN. Returns a value below, equal to or above 0.
// Zeros are equal.
int packet_f32_order(uint32_t a, uint32_t b);
