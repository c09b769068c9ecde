// Encodes and decodes ComputePackets.
#include "runtime-sim/schemes/llc_omni/packet.h"
#include "support/integer.h"
#include <string.h>

// A packet's bits, with room for an access of 8 bytes at the last one. Fields have at most 56 bits.
// Requires a little-endian host.
struct bits {
    uint8_t at[PACKET_MAX_FLITS * PACKET_FLIT + 8];
    uint32_t place;
};

static void put(struct bits *bits, uint64_t value, uint32_t count)
{
    uint64_t word;
    memcpy(&word, bits->at + bits->place / 8, sizeof word);
    word |= (value & ((UINT64_C(1) << count) - 1)) << bits->place % 8;
    memcpy(bits->at + bits->place / 8, &word, sizeof word);
    bits->place += count;
}

static uint64_t read_bits(struct bits *bits, uint32_t count)
{
    uint64_t word;
    memcpy(&word, bits->at + bits->place / 8, sizeof word);
    word = word >> bits->place % 8 & ((UINT64_C(1) << count) - 1);
    bits->place += count;
    return word;
}

enum field {
#define PACKET_FIELD(name, bits, text) FIELD_##name,
#include "runtime-sim/schemes/llc_omni/packet_fields.def"
#undef PACKET_FIELD
    FIELDS,
};

static const uint8_t field_bits[FIELDS] = {
#define PACKET_FIELD(name, bits, text) [FIELD_##name] = bits,
#include "runtime-sim/schemes/llc_omni/packet_fields.def"
#undef PACKET_FIELD
};

_Static_assert(0
#define PACKET_FIELD(name, bits, text) +bits
#include "runtime-sim/schemes/llc_omni/packet_fields.def"
#undef PACKET_FIELD
                   == 8 * PACKET_FLIT,
               "the fields fill a flit");
_Static_assert(PACKET_FUNCTIONS <= 64, "a function's number has 6 bits");
_Static_assert(CHAIN_PATTERNS < 16, "a pattern's number has 4 bits");

bool packet_is_compute(const uint8_t *flit)
{
    return flit[0] & 1;
}

// Element types of loads, by number in the packet.
static const struct {
    uint8_t bytes;
    bool is_signed;
} elements[] = {{4, false}, {1, false}, {1, true}, {2, false}, {2, true}, {8, false}};
enum { ELEMENTS = ARRAY_LENGTH(elements) };

static uint64_t element_of(const struct packet_operand *operand)
{
    for (uint32_t i = 0; i < ELEMENTS; i++)
        if (elements[i].bytes == operand->bytes && elements[i].is_signed == operand->is_signed)
            return i;
    return 0;
}

// Element sizes of stores, by number in the packet. Stores have no sign.
static const uint8_t stored_bytes[] = {4, 1, 2, 8};

static uint64_t stored_element_of(const struct packet_operand *operand)
{
    return operand->bytes == 8 ? 3 : operand->bytes & 3;
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
    uint32_t count = packet_offset_bits(operand);
    for (uint32_t i = 0; i < LANES && count; i++)
        put(bits, operand->offset[i], count);
}

uint32_t packet_encode(const struct compute_packet *packet, uint8_t *flits)
{
    uint64_t field[FIELDS] = {0};
    struct bits bits = {.place = 0};
    uint32_t count = packet_flits(packet);
    write_fields(field, packet);
    for (uint32_t i = 0; i < FIELDS; i++)
        put(&bits, field[i], field_bits[i]);
    if (packet->mask != FULL_MASK)
        put(&bits, packet->mask, LANES);
    put_lanes(&bits, &packet->load[0]);
    put_lanes(&bits, &packet->load[1]);
    put_lanes(&bits, &packet->store);
    memcpy(flits, bits.at, (size_t)count * PACKET_FLIT);
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

static void read_ops(struct compute_packet *packet, const uint64_t *field)
{
    enum { SECOND = FIELD_function_1 - FIELD_function_0 };
    struct packet_op *op = packet->op;
    op[0] = read_op(field);
    op[1] = read_op(field + SECOND);
    if (packet_compares(&op[0])) {
        op[0].boolean = op[1].detail & 3;
        op[0].negated = op[1].detail >> 2 & 1;
        op[0].made = op[1].source[0];
        op[1].detail &= 8;
        op[1].source[0] = 0;
    }
}

static void read_loads(struct compute_packet *packet, const uint64_t *field)
{
    for (uint32_t i = 0; i < PACKET_LOADS; i++) {
        struct packet_operand *load = &packet->load[i];
        uint64_t element = field[FIELD_element_0 + i];
        load->lanes = (uint8_t)field[FIELD_lanes_0 + i];
        load->base = field[FIELD_address_0 + i];
        if (i >= packet->load_count)
            load->bytes = (uint8_t)element; // packet_is_sound requires 0
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

static void read_lanes(struct bits *bits, struct packet_operand *operand)
{
    uint32_t count = packet_offset_bits(operand);
    for (uint32_t i = 0; i < LANES && count; i++)
        operand->offset[i] = (uint8_t)read_bits(bits, count);
}

static void read_fields(struct compute_packet *packet, const uint64_t *field)
{
    *packet = (struct compute_packet){.pattern = (uint8_t)field[FIELD_pattern],
                                      .from = (uint16_t)field[FIELD_from],
                                      .to = (uint16_t)field[FIELD_to],
                                      .entry = (uint8_t)field[FIELD_entry],
                                      .scalar = (uint32_t)field[FIELD_scalar]};
    read_ops(packet, field);
    packet_complete(packet);
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
    struct bits bits = {.place = 0};
    if (!count || count > PACKET_MAX_FLITS)
        return false;
    memcpy(bits.at, flits, (size_t)count * PACKET_FLIT);
    for (uint32_t i = 0; i < FIELDS; i++)
        field[i] = read_bits(&bits, field_bits[i]);
    if (!field[FIELD_compute] || field[FIELD_unused] || field[FIELD_pattern] > CHAIN_PATTERNS)
        return false;
    read_fields(packet, field);
    packet->mask = field[FIELD_masked] ? 0 : FULL_MASK;
    if (packet_flits(packet) != count)
        return false;
    if (field[FIELD_masked])
        packet->mask = (uint32_t)read_bits(&bits, LANES);
    read_lanes(&bits, &packet->load[0]);
    read_lanes(&bits, &packet->load[1]);
    read_lanes(&bits, &packet->store);
    return is_zero(bits.at, bits.place, count * 8 * PACKET_FLIT) &&
           field[FIELD_masked] == (packet->mask != FULL_MASK) && packet_is_sound(packet);
}
