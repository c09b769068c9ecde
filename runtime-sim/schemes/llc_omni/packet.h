// A ComputePacket: what a core sends to the node that is to compute one chain for one warp [000
// §4.1, Fig. 5], bit by bit. docs/offload.md has the layout.
//
// A packet speaks of one line of 128 bytes for each operand: a warp whose lanes touch several lines
// sends one for each combination, with those lanes in its mask [000 §4.5]. With all 32 lanes, each
// operand's at one address or side by side, it is one flit whatever the pattern; a mask and the
// places of irregular lanes follow in flits of their own.
#pragma once
#include "runtime-sim/exec/decode/code.h"

enum {
    PACKET_FLIT = 32, // bytes
    PACKET_MOST_FLITS = 4,
    PACKET_LOADS = 2,
    PACKET_OPS = 2,
    PACKET_SOURCES = 3,
    PACKET_PATTERNS = 9,  // numbered from 1
    PACKET_NODES = 512,   // that a packet can name
    PACKET_ENTRIES = 256, // of an offload queue that it can name
    PACKET_ADDRESS = 48,  // bits of an address
};

// Where the lanes of an operand lie.
enum packet_lanes {
    PACKET_UNIFORM, // all at one address
    PACKET_UP,      // each one element behind the lane before
    PACKET_DOWN,    // each one element before the lane before
    PACKET_IRREGULAR,
};

struct packet_operand {
    uint64_t base;         // of lane 0, whether it takes part or not; PACKET_IRREGULAR: of the line
    uint8_t bytes;         // of an element: 1, 2, 4
    bool is_signed;        // loads of 1 and 2 bytes: extended by their sign, else by zeros
    uint8_t lanes;         // packet_lanes
    uint8_t offset[LANES]; // PACKET_IRREGULAR: elements from the line's beginning, else 0
};

enum packet_function {
    PACKET_NOTHING,
#define PACKET_FUNCTION(name, sources, detail) PACKET_##name,
#include "runtime-sim/schemes/llc_omni/packet_functions.def"
#undef PACKET_FUNCTION
    PACKET_FUNCTIONS,
};

// What the 4 bits of packet_op.detail are. ROUND: code_round in the two bits from
// PACKET_ROUND_SHIFT on.
enum packet_detail {
    PACKET_NONE,  // 0
    PACKET_TABLE, // bit 2a + b: the result where the bits of the sources are a and b
    PACKET_ROUND_SAT_FTZ,
    PACKET_ROUND_SAT,
    PACKET_ROUND_FTZ,
    PACKET_SAT_FTZ,
    PACKET_FTZ,
    PACKET_CHOICE,      // of min and max: .ftz .NaN .abs .xorsign
    PACKET_COMPARE,     // packet_comparison, PACKET_GE at most
    PACKET_COMPARE_F32, // packet_comparison
};
enum packet_detail_bit {
    PACKET_WITH_FTZ = 1,
    PACKET_WITH_SAT = 2,
    PACKET_ROUND_SHIFT = 2,
    PACKET_WITH_NAN = 2, // PACKET_CHOICE
    PACKET_WITH_ABS = 4,
    PACKET_WITH_XORSIGN = 8,
};
// Of floating point the first ones are false for NaN, the others true.
enum packet_comparison {
    PACKET_EQ,
    PACKET_NE,
    PACKET_LT,
    PACKET_LE,
    PACKET_GT,
    PACKET_GE,
    PACKET_EQU,
    PACKET_NEU,
    PACKET_LTU,
    PACKET_LEU,
    PACKET_GTU,
    PACKET_GEU,
    PACKET_NUM,
    PACKET_NAN,
    PACKET_COMPARISONS,
};

enum packet_source { PACKET_LOAD_0, PACKET_LOAD_1, PACKET_SCALAR, PACKET_PREVIOUS };

// The Boolean operation of a comparison with the scalar as a predicate (not 0: true).
enum packet_boolean { PACKET_ALONE, PACKET_AND, PACKET_OR, PACKET_XOR };
// What a comparison makes; but for the predicate it is 0 where it is false.
enum packet_made { PACKET_PREDICATE, PACKET_ALL_ONES, PACKET_ONE_F32 };

struct packet_op {
    uint8_t function; // packet_function
    uint8_t detail;
    uint8_t source[PACKET_SOURCES]; // packet_source; beyond the function's sources: 0
    // Comparisons only, else 0.
    uint8_t boolean; // packet_boolean
    bool negated;    // the scalar, for the Boolean operation
    uint8_t made;    // packet_made
};

struct compute_packet {
    uint8_t pattern; // 1 … 9 [000 Table 1]
    uint16_t from;   // node of the core that has made it
    uint16_t to;     // node that is to compute it
    uint8_t entry;   // of that core's offload queue
    uint32_t mask;   // lanes that take part; not 0
    uint8_t load_count;
    bool has_store;
    bool has_scalar;
    uint8_t op_count;
    struct packet_op op[PACKET_OPS]; // in the order of the chain
    uint32_t scalar;
    // The loads in the order of the chain. Of those that there are not, all members are 0.
    struct packet_operand load[PACKET_LOADS], store;
};

// Sources of a function, or 0 if the number is none's; what its detail is.
uint32_t packet_sources(uint32_t function);
enum packet_detail packet_detail_of(uint32_t function);
// The bits of its detail that may be set.
uint8_t packet_detail_bits(uint32_t function);
// Is it one that computes with f32 as a core's unit for these does? Conversions are none.
bool packet_is_float(uint32_t function);

// Puts the lanes' addresses into an operand whose `bytes` (and is_signed) are there. False, and
// nothing is changed, if the elements of the mask's lanes do not all lie within one line, each on a
// multiple of its size.
bool packet_place(struct packet_operand *operand, const uint64_t *address, uint32_t mask);
// The address of a lane's element. Of a lane outside the mask it says nothing.
uint64_t packet_address(const struct packet_operand *operand, uint32_t lane);
// The line of 128 bytes in which the operand of the mask's lanes lies.
uint64_t packet_line(const struct packet_operand *operand, uint32_t mask);

bool packet_compares(const struct packet_op *op);
// Bits that each lane's place takes; 0 if the lanes are regular.
uint32_t packet_offset_bits(const struct packet_operand *operand);
// Fills in load_count, has_store, op_count and has_scalar, which follow from pattern and
// operations.
void packet_complete(struct compute_packet *packet);
// Is it one that packet_encode can write and packet_decode gives back as it is?
bool packet_is_sound(const struct compute_packet *packet);
// Flits that it takes: 1, and what mask and irregular lanes need.
uint32_t packet_flits(const struct compute_packet *packet);
// Flits of the response to it, the head included: 1, or 5 where data go back.
uint32_t packet_response_flits(const struct compute_packet *packet);
// Writes the packet, which is sound, into room for PACKET_MOST_FLITS · PACKET_FLIT bytes; returns
// how many flits it has filled.
uint32_t packet_encode(const struct compute_packet *packet, uint8_t *flits);
// Reads what packet_encode has written. False, with *packet not to be used, for anything else: so
// many flits that it would not write for any packet.
bool packet_decode(struct compute_packet *packet, const uint8_t *flits, uint32_t count);
// Is the first flit that of a ComputePacket? The bit by which the network interface divides them.
bool packet_is_compute(const uint8_t *flit);
