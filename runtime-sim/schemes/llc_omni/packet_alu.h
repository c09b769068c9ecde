// The ALU of the service queue: instructions of PTX as its operations, and what these compute, bit
// for bit what the instructions do.
//
// It has what chains are made of by default: f32 and 32-bit integers, one value for each lane.
// Other instructions, 64 and 16 bits, and vectors are not for it.
#pragma once
#include "ir/ir.h"
#include "runtime-sim/schemes/llc_omni/packet.h"

// Where the scalar comes from that the core puts into the packet.
struct packet_scalar {
    uint32_t inst;    // IR_NONE: the chain has none
    uint32_t operand; // in its function
    uint32_t use;     // counted among the instruction's operands with ROLE_USE
    bool predicate;   // 1 bit: 0 or 1 in the packet, as it is before a negation in the text
};

// The instruction as an operation, given for each of its ROLE_USE operands which packet_source it
// is. False: the unit has none such.
bool packet_op_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst,
                  const uint8_t *source, struct packet_op *op);
// Fills in what is the same for all packets of a chain of this pattern: loads first, then what
// computes, then maybe a store, as ir instructions in their order. Left as 0 are from, to, entry,
// mask, scalar, and the addresses. False: the unit cannot do it, or it is not of that pattern.
bool packet_of_chain(const struct ir_module *module, const struct ir_function *fn, uint32_t pattern,
                     const uint32_t *inst, uint32_t count, struct compute_packet *packet,
                     struct packet_scalar *scalar);

// A value as the unit holds it, from the bytes of an element in memory: the result of a load of the
// operand.
uint32_t packet_load_value(const struct packet_operand *operand, const void *bytes);

// Computes all lanes from the loads' values of 32 bits each (the second is not read if there is
// none). The result of pattern 3 is what was loaded; of a comparison whose op.made is
// PACKET_PREDICATE it is ->mask, else u32. Lanes outside the packet's mask are 0.
void packet_compute(const struct compute_packet *packet, const union lanes *operand,
                    union lanes *result);
