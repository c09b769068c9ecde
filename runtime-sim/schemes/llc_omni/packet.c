#include "runtime-sim/schemes/llc_omni/packet.h"
#include "support/integer.h"
#include <string.h>

#define ADDRESS_MASK ((UINT64_C(1) << PACKET_ADDRESS) - 1)

static const struct chain_pattern *row_of(const struct compute_packet *packet)
{
    return &chain_patterns[packet->pattern <= CHAIN_PATTERNS ? packet->pattern : 0];
}

// Functions

static const struct function {
    uint8_t sources, detail;
} functions[PACKET_FUNCTIONS] = {
    [PACKET_NOTHING] = {0, PACKET_NONE},
#define PACKET_FUNCTION(name, sources, detail) [PACKET_##name] = {sources, PACKET_##detail},
#include "runtime-sim/schemes/llc_omni/packet_functions.def"
#undef PACKET_FUNCTION
};

uint32_t packet_sources(uint32_t function)
{
    return function < PACKET_FUNCTIONS ? functions[function].sources : 0;
}

enum packet_detail packet_detail_of(uint32_t function)
{
    return function < PACKET_FUNCTIONS ? functions[function].detail : PACKET_NONE;
}

uint8_t packet_detail_bits(uint32_t function)
{
    static const uint8_t bits[] = {
        [PACKET_NONE] = 0,         [PACKET_TABLE] = 15,     [PACKET_ROUND_SAT_FTZ] = 15,
        [PACKET_ROUND_SAT] = 14,   [PACKET_ROUND_FTZ] = 13, [PACKET_SAT_FTZ] = 3,
        [PACKET_FTZ] = 1,          [PACKET_CHOICE] = 15,    [PACKET_COMPARE] = 7,
        [PACKET_COMPARE_F32] = 15,
    };
    return bits[packet_detail_of(function)];
}

bool packet_is_float(uint32_t function)
{
    return (function >= PACKET_add_f32 && function <= PACKET_neg_f32) ||
           function == PACKET_set_f32 || function == PACKET_set_ftz_f32;
}

// Operands

static uint64_t within(uint64_t address)
{
    return address & ADDRESS_MASK;
}

uint64_t packet_address(const struct packet_operand *operand, uint32_t lane)
{
    uint64_t distance = (uint64_t)lane * operand->bytes;
    switch (operand->lanes) {
    case PACKET_UP: return within(operand->base + distance);
    case PACKET_DOWN: return within(operand->base - distance);
    case PACKET_IRREGULAR:
        return within(operand->base + (uint64_t)operand->offset[lane] * operand->bytes);
    default: return operand->base;
    }
}

static uint64_t line_of(uint64_t address)
{
    return address & ~(uint64_t)(LINE_BYTES - 1);
}

uint64_t packet_line(const struct packet_operand *operand, uint32_t mask)
{
    return line_of(packet_address(operand, (uint32_t)__builtin_ctz(mask)));
}

static bool fits(const struct packet_operand *operand, const uint64_t *address, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1)
        if (packet_address(operand, (uint32_t)__builtin_ctz(left)) != address[__builtin_ctz(left)])
            return false;
    return true;
}

bool packet_operand_offset(struct packet_operand *operand, const uint64_t *address, uint32_t mask)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint64_t line = line_of(address[first]), behind = (uint64_t)first * operand->bytes;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t at = address[__builtin_ctz(left)];
        if (line_of(at) != line || at % operand->bytes || at != within(at))
            return false;
    }
    memset(operand->offset, 0, sizeof operand->offset);
    const uint64_t bases[] = {[PACKET_UNIFORM] = address[first],
                              [PACKET_UP] = within(address[first] - behind),
                              [PACKET_DOWN] = within(address[first] + behind)};
    for (operand->lanes = PACKET_UNIFORM; operand->lanes < PACKET_IRREGULAR; operand->lanes++) {
        operand->base = bases[operand->lanes];
        if (fits(operand, address, mask))
            return true;
    }
    operand->base = line;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        operand->offset[lane] = (uint8_t)((address[lane] - line) / operand->bytes);
    }
    return true;
}

// Flits

uint32_t packet_offset_bits(const struct packet_operand *operand)
{
    if (operand->lanes != PACKET_IRREGULAR)
        return 0;
    return operand->bytes == 1 ? 7 : operand->bytes == 2 ? 6 : operand->bytes == 8 ? 4 : 5;
}

uint32_t packet_flits(const struct compute_packet *packet)
{
    enum { FLIT_BITS = 8 * PACKET_FLIT };
    uint32_t bits = packet->mask == FULL_MASK ? 0 : LANES;
    for (uint32_t i = 0; i < PACKET_LOADS; i++)
        bits += LANES * packet_offset_bits(&packet->load[i]);
    bits += LANES * packet_offset_bits(&packet->store);
    return 1 + divide_up(bits, FLIT_BITS);
}

uint32_t packet_response_flits(const struct compute_packet *packet)
{
    enum { ACK = 1, DATA = 1 + LINE_BYTES / PACKET_FLIT };
    return row_of(packet)->response == RESPONSE_DATA ? DATA : ACK;
}

// Soundness

bool packet_compares(const struct packet_op *op)
{
    enum packet_detail detail = packet_detail_of(op->function);
    return detail == PACKET_COMPARE || detail == PACKET_COMPARE_F32;
}

static bool uses_scalar(const struct compute_packet *packet)
{
    bool uses = packet->op[0].boolean != PACKET_ALONE;
    for (uint32_t i = 0; i < PACKET_OPS; i++)
        for (uint32_t k = 0; k < PACKET_SOURCES; k++)
            uses |= packet->op[i].source[k] == PACKET_SCALAR;
    return uses;
}

void packet_complete(struct compute_packet *packet)
{
    const struct chain_pattern *shape = row_of(packet);
    const struct packet_op *op = packet->op;
    packet->load_count = shape->loads;
    packet->has_store = shape->stores;
    packet->op_count = op[1].function ? 2 : op[0].function != 0;
    packet->has_scalar = uses_scalar(packet);
}

static bool is_detail(const struct packet_op *op)
{
    enum packet_detail detail = packet_detail_of(op->function);
    uint32_t comparisons = detail == PACKET_COMPARE       ? PACKET_GE + 1
                           : detail == PACKET_COMPARE_F32 ? PACKET_COMPARISONS
                                                          : UINT32_MAX;
    return !(op->detail & ~packet_detail_bits(op->function)) && op->detail < comparisons;
}

static bool is_op(const struct packet_op *op)
{
    if (op->function >= PACKET_FUNCTIONS || !is_detail(op))
        return false;
    for (uint32_t i = 0; i < PACKET_SOURCES; i++)
        if (op->source[i] > PACKET_PREVIOUS || (i >= packet_sources(op->function) && op->source[i]))
            return false;
    if (!packet_compares(op))
        return !op->boolean && !op->negated && !op->made;
    return op->boolean <= PACKET_XOR && op->made <= PACKET_ONE_F32 && (op->boolean || !op->negated);
}

enum { LOAD_0 = 1 << PACKET_LOAD_0, LOAD_1 = 1 << PACKET_LOAD_1 };
enum { SCALAR = 1 << PACKET_SCALAR, PREVIOUS = 1 << PACKET_PREVIOUS };

static uint32_t used_by(const struct packet_op *op)
{
    uint32_t used = op->boolean ? SCALAR : 0;
    for (uint32_t i = 0; i < packet_sources(op->function); i++)
        used |= 1u << op->source[i];
    return used;
}

static bool is_fused(const struct packet_op *op)
{
    return op->function == PACKET_fma_f32 ||
           (op->function >= PACKET_mad_lo && op->function <= PACKET_mad_hi_sat);
}

// Returns true for f(a, g(b, i)), in two operations or as b·i + a.
static bool is_nested(const struct compute_packet *packet)
{
    const struct packet_op *op = packet->op;
    uint32_t inner = used_by(&op[0]), outer = used_by(&op[1]);
    if (packet->op_count == 1)
        return is_fused(op) && inner == (LOAD_0 | LOAD_1 | SCALAR) &&
               op->source[2] != PACKET_SCALAR;
    return !is_fused(&op[0]) && !is_fused(&op[1]) && !packet_compares(&op[0]) &&
           !packet_compares(&op[1]) &&
           ((inner == (LOAD_0 | SCALAR) && outer == (LOAD_1 | PREVIOUS)) ||
            (inner == (LOAD_1 | SCALAR) && outer == (LOAD_0 | PREVIOUS)));
}

// Returns true if the operations have the form of the packet's pattern. A comparison with the
// scalar has it as a source, or combines it as a predicate with h(a, a).
static bool has_pattern(const struct compute_packet *packet)
{
    const struct chain_pattern *shape = row_of(packet);
    const struct packet_op *op = packet->op;
    uint32_t used = used_by(op), loads = shape->loads == 2 ? LOAD_0 | LOAD_1 : LOAD_0;
    if (shape->operations == 2)
        return is_nested(packet);
    if (packet->op_count != shape->operations)
        return false;
    if (!packet->op_count)
        return true;
    if (is_fused(op) || packet_compares(op) != (shape->response == RESPONSE_BITMAP))
        return false;
    if (used == loads)
        return shape->scalars & 1;
    return shape->scalars >> 1 && used == (loads | SCALAR) &&
           (!op->boolean || (op->source[0] | op->source[1]) == PACKET_LOAD_0);
}

// Returns true if the lanes of the mask access one line.
static bool in_line(const struct packet_operand *operand, uint32_t mask)
{
    if (operand->lanes == PACKET_IRREGULAR)
        return operand->base % LINE_BYTES == 0;
    uint32_t first = (uint32_t)__builtin_ctz(mask), last = 31 - (uint32_t)__builtin_clz(mask);
    return line_of(packet_address(operand, first)) == line_of(packet_address(operand, last));
}

static bool is_operand(const struct packet_operand *operand, uint32_t mask)
{
    bool sized =
        operand->bytes == 1 || operand->bytes == 2 || operand->bytes == 4 || operand->bytes == 8;
    if (!sized || (operand->is_signed && operand->bytes >= 4) ||
        operand->lanes > PACKET_IRREGULAR || operand->base != within(operand->base) ||
        operand->base % operand->bytes || !in_line(operand, mask))
        return false;
    for (uint32_t i = 0; i < LANES; i++) {
        bool there = operand->lanes == PACKET_IRREGULAR && mask >> i & 1;
        if (operand->offset[i] >= (there ? LINE_BYTES / operand->bytes : 1))
            return false;
    }
    return true;
}

static bool is_none(const struct packet_operand *operand)
{
    if (operand->base || operand->bytes || operand->is_signed || operand->lanes)
        return false;
    for (uint32_t i = 0; i < LANES; i++)
        if (operand->offset[i])
            return false;
    return true;
}

static bool is_there(const struct packet_operand *operand, bool wanted, uint32_t mask)
{
    return wanted ? is_operand(operand, mask) : is_none(operand);
}

// The unit copies values of 8 bytes, but does not compute with them.
static bool is_wide(const struct compute_packet *packet)
{
    return packet->load[0].bytes == 8 || packet->load[1].bytes == 8 || packet->store.bytes == 8;
}

static bool is_copy(const struct compute_packet *packet)
{
    return !packet->op_count && packet->load[0].bytes == packet->store.bytes;
}

bool packet_is_sound(const struct compute_packet *packet)
{
    struct compute_packet whole = *packet;
    packet_complete(&whole);
    if (!packet->pattern || packet->pattern > CHAIN_PATTERNS || !packet->mask)
        return false;
    if (is_wide(packet) && !is_copy(packet))
        return false;
    return packet->from < PACKET_NODES && packet->to < PACKET_NODES &&
           packet->load_count == whole.load_count && packet->has_store == whole.has_store &&
           packet->op_count == whole.op_count && packet->has_scalar == whole.has_scalar &&
           (packet->has_scalar || !packet->scalar) && is_op(&packet->op[0]) &&
           is_op(&packet->op[1]) && has_pattern(packet) && !packet->store.is_signed &&
           is_there(&packet->load[0], true, packet->mask) &&
           is_there(&packet->load[1], packet->load_count > 1, packet->mask) &&
           is_there(&packet->store, packet->has_store, packet->mask);
}
