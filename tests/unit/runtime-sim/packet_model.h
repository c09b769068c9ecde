// Names and meanings of the contents of a ComputePacket, for tests.
#pragma once
#include "runtime-sim/schemes/llc_omni/packet.h"
#include <string.h>

static inline const char *packet_function_name(uint32_t function)
{
    static const char *const names[PACKET_FUNCTIONS] = {
        [PACKET_NOTHING] = "nothing",
#define PACKET_FUNCTION(name, sources, detail) [PACKET_##name] = #name,
#include "runtime-sim/schemes/llc_omni/packet_functions.def"
#undef PACKET_FUNCTION
    };
    return names[function];
}

// Returns the second predicate of setp for the first one, `mask`. They are not always opposites: if
// the scalar is 0, both "x and scalar" and "not x and scalar" are false.
static inline uint32_t packet_second_predicate(const struct compute_packet *packet, uint32_t mask)
{
    const struct packet_op *op = &packet->op[0];
    bool other = (packet->scalar != 0) != op->negated;
    bool same = (op->boolean == PACKET_AND && !other) || (op->boolean == PACKET_OR && other);
    return (same ? mask : ~mask) & packet->mask;
}

// Sets the bytes of an element that a store writes for a value.
static inline void packet_store_value(const struct packet_operand *operand, void *bytes,
                                      uint32_t value)
{
    memcpy(bytes, &value, operand->bytes);
}
