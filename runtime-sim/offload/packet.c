#include "runtime-sim/offload/packet.h"
#include <string.h>

#define ADDRESS_MASK ((UINT64_C(1) << PACKET_ADDRESS) - 1)

// Functions

static const struct function {
    const char *name;
    uint8_t sources, detail;
} functions[PACKET_FUNCTIONS] = {
    [PACKET_NOTHING] = {"nothing", 0, PACKET_NONE},
#define PACKET_FUNCTION(name, sources, detail) [PACKET_##name] = {#name, sources, PACKET_##detail},
#include "runtime-sim/offload/packet_functions.def"
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

const char *packet_function_name(uint32_t function)
{
    return function < PACKET_FUNCTIONS ? functions[function].name : NULL;
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
    return address & ~(uint64_t)(PACKET_LINE - 1);
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

bool packet_place(struct packet_operand *operand, const uint64_t *address, uint32_t mask)
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

// Bits that name an element in a line.
static uint32_t offset_bits(const struct packet_operand *operand)
{
    return operand->bytes == 1 ? 7 : operand->bytes == 2 ? 6 : 5;
}

static uint32_t lanes_bits(const struct packet_operand *operand)
{
    return operand->lanes == PACKET_IRREGULAR ? LANES * offset_bits(operand) : 0;
}

uint32_t packet_flits(const struct compute_packet *packet)
{
    enum { FLIT_BITS = 8 * PACKET_FLIT };
    uint32_t bits = packet->mask == FULL_MASK ? 0 : LANES;
    bits += lanes_bits(&packet->load[0]) + lanes_bits(&packet->load[1]);
    bits += lanes_bits(&packet->store);
    return 1 + (bits + FLIT_BITS - 1) / FLIT_BITS;
}

uint32_t packet_response_flits(const struct compute_packet *packet)
{
    enum { ACK = 1, DATA = 1 + PACKET_LINE / PACKET_FLIT };
    return packet->pattern == 2 || packet->pattern == 8 ? DATA : ACK;
}

struct bits {
    uint8_t *at;
    uint32_t place;
};

static void put(struct bits *bits, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, bits->place++)
        bits->at[bits->place / 8] |= (uint8_t)((value >> i & 1) << bits->place % 8);
}

static uint64_t take(struct bits *bits, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++, bits->place++)
        value |= (uint64_t)(bits->at[bits->place / 8] >> bits->place % 8 & 1) << i;
    return value;
}

enum field {
#define PACKET_FIELD(name, bits, text) FIELD_##name,
#include "runtime-sim/offload/packet_fields.def"
#undef PACKET_FIELD
    FIELDS,
};

static const uint8_t field_bits[FIELDS] = {
#define PACKET_FIELD(name, bits, text) [FIELD_##name] = bits,
#include "runtime-sim/offload/packet_fields.def"
#undef PACKET_FIELD
};

bool packet_is_compute(const uint8_t *flit)
{
    return flit[0] & 1;
}

// Elements, by their number in the packet.
static const struct {
    uint8_t bytes;
    bool is_signed;
} elements[] = {{4, false}, {1, false}, {1, true}, {2, false}, {2, true}};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static uint64_t element_of(const struct packet_operand *operand)
{
    for (uint32_t i = 0; i < ELEMENTS; i++)
        if (elements[i].bytes == operand->bytes && elements[i].is_signed == operand->is_signed)
            return i;
    return 0;
}

// A store has no sign.
static const uint8_t stored_bytes[] = {4, 1, 2, 0};

static uint64_t stored_element_of(const struct packet_operand *operand)
{
    return operand->bytes & 3;
}

static void write_op(uint64_t *field, const struct packet_op *op)
{
    field[FIELD_function_0] = op->function;
    field[FIELD_detail_0] = op->detail;
    for (uint32_t i = 0; i < PACKET_SOURCES; i++)
        field[FIELD_source_0a + i] = op->source[i];
}

static void write_ops(uint64_t *field, const struct compute_packet *packet)
{
    enum { SECOND = FIELD_function_1 - FIELD_function_0 };
    write_op(field, &packet->op[0]);
    write_op(field + SECOND, &packet->op[1]);
    const struct packet_op *op = &packet->op[0];
    field[FIELD_detail_1] |= op->boolean | (uint64_t)op->negated << 2;
    field[FIELD_source_1a] |= op->made;
}

static void write_fields(uint64_t *field, const struct compute_packet *packet)
{
    field[FIELD_compute] = 1;
    field[FIELD_pattern] = packet->pattern;
    field[FIELD_masked] = packet->mask != FULL_MASK;
    field[FIELD_to] = packet->to;
    field[FIELD_from] = packet->from;
    field[FIELD_entry] = packet->entry;
    write_ops(field, packet);
    for (uint32_t i = 0; i < PACKET_LOADS; i++) {
        field[FIELD_lanes_0 + i] = packet->load[i].lanes;
        field[FIELD_element_0 + i] = element_of(&packet->load[i]);
        field[FIELD_address_0 + i] = packet->load[i].base;
    }
    field[FIELD_lanes_store] = packet->store.lanes;
    field[FIELD_element_store] = stored_element_of(&packet->store);
    field[FIELD_address_store] = packet->store.base;
    field[FIELD_scalar] = packet->scalar;
}

static void put_lanes(struct bits *bits, const struct packet_operand *operand)
{
    uint32_t count = offset_bits(operand);
    for (uint32_t i = 0; i < LANES && operand->lanes == PACKET_IRREGULAR; i++)
        put(bits, operand->offset[i], count);
}

uint32_t packet_encode(const struct compute_packet *packet, uint8_t *flits)
{
    uint64_t field[FIELDS] = {0};
    struct bits bits = {flits, 0};
    uint32_t count = packet_flits(packet);
    memset(flits, 0, (size_t)count * PACKET_FLIT);
    write_fields(field, packet);
    for (uint32_t i = 0; i < FIELDS; i++)
        put(&bits, field[i], field_bits[i]);
    if (packet->mask != FULL_MASK)
        put(&bits, packet->mask, LANES);
    put_lanes(&bits, &packet->load[0]);
    put_lanes(&bits, &packet->load[1]);
    put_lanes(&bits, &packet->store);
    return count;
}

// Decoding

static struct packet_op read_op(const uint64_t *field)
{
    struct packet_op op = {.function = (uint8_t)field[FIELD_function_0],
                           .detail = (uint8_t)field[FIELD_detail_0]};
    for (uint32_t i = 0; i < PACKET_SOURCES; i++)
        op.source[i] = (uint8_t)field[FIELD_source_0a + i];
    return op;
}

static bool compares(const struct packet_op *op)
{
    enum packet_detail detail = packet_detail_of(op->function);
    return detail == PACKET_COMPARE || detail == PACKET_COMPARE_F32;
}

static void read_ops(struct compute_packet *packet, const uint64_t *field)
{
    enum { SECOND = FIELD_function_1 - FIELD_function_0 };
    struct packet_op *op = packet->op;
    op[0] = read_op(field);
    op[1] = read_op(field + SECOND);
    if (compares(&op[0])) {
        op[0].boolean = op[1].detail & 3;
        op[0].negated = op[1].detail >> 2 & 1;
        op[0].made = op[1].source[0];
        op[1].detail &= 8;
        op[1].source[0] = 0;
    }
    packet->op_count = op[1].function ? 2 : op[0].function != 0;
}

static void read_loads(struct compute_packet *packet, const uint64_t *field)
{
    for (uint32_t i = 0; i < PACKET_LOADS; i++) {
        struct packet_operand *load = &packet->load[i];
        uint64_t element = field[FIELD_element_0 + i];
        load->lanes = (uint8_t)field[FIELD_lanes_0 + i];
        load->base = field[FIELD_address_0 + i];
        if (i >= packet->load_count)
            load->bytes = (uint8_t)element; // which packet_is_sound wants to be 0
        else if (element < ELEMENTS) {
            load->bytes = elements[element].bytes;
            load->is_signed = elements[element].is_signed;
        }
    }
}

static void read_store(struct compute_packet *packet, const uint64_t *field)
{
    uint64_t element = field[FIELD_element_store];
    packet->store.lanes = (uint8_t)field[FIELD_lanes_store];
    packet->store.base = field[FIELD_address_store];
    packet->store.bytes = packet->has_store ? stored_bytes[element] : (uint8_t)element;
}

static void take_lanes(struct bits *bits, struct packet_operand *operand)
{
    uint32_t count = offset_bits(operand);
    for (uint32_t i = 0; i < LANES && operand->lanes == PACKET_IRREGULAR; i++)
        operand->offset[i] = (uint8_t)take(bits, count);
}

// The patterns [000 Table 1].
static const struct shape {
    uint8_t loads, most_ops, store;
} shapes[PACKET_PATTERNS + 1] = {{0},       {2, 1, 1}, {2, 1, 0}, {1, 0, 1}, {1, 1, 1},
                                 {2, 1, 0}, {1, 1, 0}, {1, 1, 1}, {2, 2, 0}, {2, 2, 1}};

static bool uses_scalar(const struct compute_packet *packet)
{
    bool uses = packet->op[0].boolean != PACKET_ALONE;
    for (uint32_t i = 0; i < PACKET_OPS; i++)
        for (uint32_t k = 0; k < PACKET_SOURCES; k++)
            uses |= packet->op[i].source[k] == PACKET_SCALAR;
    return uses;
}

static void read_fields(struct compute_packet *packet, const uint64_t *field)
{
    *packet = (struct compute_packet){.pattern = (uint8_t)field[FIELD_pattern],
                                      .from = (uint16_t)field[FIELD_from],
                                      .to = (uint16_t)field[FIELD_to],
                                      .entry = (uint8_t)field[FIELD_entry],
                                      .scalar = (uint32_t)field[FIELD_scalar]};
    const struct shape *shape = &shapes[packet->pattern];
    packet->load_count = shape->loads;
    packet->has_store = shape->store;
    read_ops(packet, field);
    packet->has_scalar = uses_scalar(packet);
    read_loads(packet, field);
    read_store(packet, field);
}

static bool is_zero(const uint8_t *at, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (at[i / 8] >> i % 8 & 1)
            return false;
    return true;
}

bool packet_decode(struct compute_packet *packet, const uint8_t *flits, uint32_t count)
{
    uint64_t field[FIELDS];
    uint8_t copy[PACKET_MOST_FLITS * PACKET_FLIT];
    if (!count || count > PACKET_MOST_FLITS)
        return false;
    memcpy(copy, flits, (size_t)count * PACKET_FLIT);
    struct bits bits = {copy, 0};
    for (uint32_t i = 0; i < FIELDS; i++)
        field[i] = take(&bits, field_bits[i]);
    if (!field[FIELD_compute] || field[FIELD_unused] || field[FIELD_pattern] > PACKET_PATTERNS)
        return false;
    read_fields(packet, field);
    packet->mask = field[FIELD_masked] ? 0 : FULL_MASK;
    if (packet_flits(packet) != count)
        return false;
    if (field[FIELD_masked])
        packet->mask = (uint32_t)take(&bits, LANES);
    take_lanes(&bits, &packet->load[0]);
    take_lanes(&bits, &packet->load[1]);
    take_lanes(&bits, &packet->store);
    return is_zero(copy, bits.place, count * 8 * PACKET_FLIT) &&
           field[FIELD_masked] == (packet->mask != FULL_MASK) && packet_is_sound(packet);
}

// Soundness

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
    if (!compares(op))
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

// f(a, g(b, i)), in two operations or as b·i + a.
static bool is_nested(const struct compute_packet *packet)
{
    const struct packet_op *op = packet->op;
    uint32_t inner = used_by(&op[0]), outer = used_by(&op[1]);
    if (packet->op_count == 1)
        return is_fused(op) && inner == (LOAD_0 | LOAD_1 | SCALAR) &&
               op->source[2] != PACKET_SCALAR;
    return !is_fused(&op[0]) && !is_fused(&op[1]) && !compares(&op[0]) && !compares(&op[1]) &&
           ((inner == (LOAD_0 | SCALAR) && outer == (LOAD_1 | PREVIOUS)) ||
            (inner == (LOAD_1 | SCALAR) && outer == (LOAD_0 | PREVIOUS)));
}

static bool has_pattern(const struct compute_packet *packet)
{
    const struct packet_op *op = packet->op;
    uint32_t used = used_by(op);
    bool one = packet->op_count == 1, plain = one && !is_fused(op) && !compares(op);
    switch (packet->pattern) {
    case 1:
    case 2: return plain && used == (LOAD_0 | LOAD_1);
    case 3: return packet->op_count == 0;
    case 4: return plain && used == LOAD_0;
    case 5: return one && compares(op) && used == (LOAD_0 | LOAD_1);
    case 6:
        return one && compares(op) && (used == LOAD_0 || used == (LOAD_0 | SCALAR)) &&
               (!op->boolean || (op->source[0] | op->source[1]) == PACKET_LOAD_0);
    case 7: return plain && used == (LOAD_0 | SCALAR);
    default: return is_nested(packet);
    }
}

// The lanes of the mask stay within one line.
static bool in_line(const struct packet_operand *operand, uint32_t mask)
{
    if (operand->lanes == PACKET_IRREGULAR)
        return operand->base % PACKET_LINE == 0;
    uint32_t first = (uint32_t)__builtin_ctz(mask), last = 31 - (uint32_t)__builtin_clz(mask);
    return line_of(packet_address(operand, first)) == line_of(packet_address(operand, last));
}

static bool is_operand(const struct packet_operand *operand, uint32_t mask)
{
    bool sized = operand->bytes == 1 || operand->bytes == 2 || operand->bytes == 4;
    if (!sized || (operand->is_signed && operand->bytes == 4) ||
        operand->lanes > PACKET_IRREGULAR || operand->base != within(operand->base) ||
        operand->base % operand->bytes || !in_line(operand, mask))
        return false;
    for (uint32_t i = 0; i < LANES; i++) {
        bool there = operand->lanes == PACKET_IRREGULAR && mask >> i & 1;
        if (operand->offset[i] >= (there ? PACKET_LINE / operand->bytes : 1))
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

bool packet_is_sound(const struct compute_packet *packet)
{
    if (!packet->pattern || packet->pattern > PACKET_PATTERNS || !packet->mask)
        return false;
    const struct shape *shape = &shapes[packet->pattern];
    const struct packet_op *op = packet->op;
    uint32_t count = op[1].function ? 2 : op[0].function != 0;
    return packet->from < PACKET_NODES && packet->to < PACKET_NODES &&
           packet->load_count == shape->loads && packet->has_store == shape->store &&
           packet->op_count == count && count <= shape->most_ops && is_op(&op[0]) &&
           is_op(&op[1]) && has_pattern(packet) && packet->has_scalar == uses_scalar(packet) &&
           (packet->has_scalar || !packet->scalar) && !packet->store.is_signed &&
           is_there(&packet->load[0], shape->loads > 0, packet->mask) &&
           is_there(&packet->load[1], shape->loads > 1, packet->mask) &&
           is_there(&packet->store, shape->store, packet->mask);
}
