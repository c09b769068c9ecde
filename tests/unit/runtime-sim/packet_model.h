// Names and meanings of what is in a ComputePacket, for tests.
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

// The second predicate of setp where the first is `mask`. Whether it is the opposite of the first
// depends on the scalar: x and 0 is as false as its opposite and 0.
static inline uint32_t packet_second_predicate(const struct compute_packet *packet, uint32_t mask)
{
    const struct packet_op *op = &packet->op[0];
    bool other = (packet->scalar != 0) != op->negated;
    bool same = (op->boolean == PACKET_AND && !other) || (op->boolean == PACKET_OR && other);
    return (same ? mask : ~mask) & packet->mask;
}

// The bytes of an element that a store takes from a value.
static inline void packet_store_value(const struct packet_operand *operand, void *bytes,
                                      uint32_t value)
{
    memcpy(bytes, &value, operand->bytes);
}
