// A ComputePacket: the request of a core to a node to compute one chain for one warp [000 §4.1,
// Fig. 5], bit by bit. docs/reference/offload.md has the layout.
//
// A packet names one line of 128 bytes for each operand. A warp whose lanes access several lines
// sends one packet for each combination, with its lanes in the mask [000 §4.5]. If all 32 lanes are
// active, and the lanes of each operand access one address or adjacent elements, a packet of any
// pattern is one flit. A mask and the offsets of irregular lanes follow in further flits.
#pragma once
#include "passes/base/plan.h"
#include "runtime-sim/exec/decode/code.h"

enum {
    PACKET_FLIT = 32, // bytes
    PACKET_MAX_FLITS = 4,
    PACKET_LOADS = 2,
    PACKET_OPS = 2,
    PACKET_SOURCES = 3,
    PACKET_NODES = 512,   // nodes that a packet can name
    PACKET_ENTRIES = 256, // entries of an offload queue that a packet can name
    PACKET_ADDRESS = 48,  // bits of an address
};

// Addresses of an operand's lanes.
enum packet_lanes {
    PACKET_UNIFORM, // all at one address
    PACKET_UP,      // each one element above that of the previous lane
    PACKET_DOWN,    // each one element below that of the previous lane
    PACKET_IRREGULAR,
};

struct packet_operand {
    uint64_t base;         // address of lane 0, active or not; PACKET_IRREGULAR: of the line
    uint8_t bytes;         // size of an element: 1, 2 or 4; 8 in copies
    bool is_signed;        // loads of 1 and 2 bytes are sign-extended, else zero-extended
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

// Meaning of the 4 bits of packet_op.detail. ROUND is a code_round in the two bits from
// PACKET_ROUND_SHIFT on.
enum packet_detail {
    PACKET_NONE,  // 0
    PACKET_TABLE, // bit 2a + b is the result where the bits of the sources are a and b
    PACKET_ROUND_SAT_FTZ,
    PACKET_ROUND_SAT,
    PACKET_ROUND_FTZ,
    PACKET_SAT_FTZ,
    PACKET_FTZ,
    PACKET_CHOICE,      // min and max: .ftz .NaN .abs .xorsign
    PACKET_COMPARE,     // packet_comparison, at most PACKET_GE
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
// For f32 with a NaN source, EQ to GE are false, and EQU to GEU are true.
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

// Boolean operation that combines a comparison with the scalar as a predicate (true if not 0).
enum packet_boolean { PACKET_ALONE, PACKET_AND, PACKET_OR, PACKET_XOR };
// Result of a true comparison. The result of a false one is 0.
enum packet_made { PACKET_PREDICATE, PACKET_ALL_ONES, PACKET_ONE_F32 };

struct packet_op {
    uint8_t function; // packet_function
    uint8_t detail;
    uint8_t source[PACKET_SOURCES]; // packet_source; beyond the function's sources: 0
    // Comparisons only, else 0.
    uint8_t boolean; // packet_boolean
    bool negated;    // the Boolean operation negates the scalar
    uint8_t made;    // packet_made
};

struct compute_packet {
    uint8_t pattern; // from 1 [000 Table 1]
    uint16_t from;   // node of the core that sends it
    uint16_t to;     // node that computes it
    uint8_t entry;   // entry of that core's offload queue
    uint32_t mask;   // active lanes; not 0
    uint8_t load_count;
    bool has_store;
    bool has_scalar;
    uint8_t op_count;
    struct packet_op op[PACKET_OPS]; // in the order of the chain
    uint32_t scalar;
    // Loads in the order of the chain. All members of absent operands are 0.
    struct packet_operand load[PACKET_LOADS], store;
};

// packet_sources returns the number of sources of a function, or 0 if the function is unknown.
// packet_detail_of returns the meaning of its detail.
uint32_t packet_sources(uint32_t function);
enum packet_detail packet_detail_of(uint32_t function);
// Returns the bits of its detail that may be set.
uint8_t packet_detail_bits(uint32_t function);
// Returns true for functions of a core's FP32 unit, which do not include conversions.
bool packet_is_float(uint32_t function);

// Sets the addresses of an operand's lanes. Requires its `bytes`. Returns false, without a change,
// unless the elements of all lanes of the mask are in one line and aligned to their size.
bool packet_operand_offset(struct packet_operand *operand, const uint64_t *address, uint32_t mask);
// Returns the address of a lane's element. The value is undefined for a lane outside the mask.
uint64_t packet_address(const struct packet_operand *operand, uint32_t lane);
// Returns the line of 128 bytes of an operand.
uint64_t packet_line(const struct packet_operand *operand, uint32_t mask);

// Returns true for a comparison.
bool packet_compares(const struct packet_op *op);
// Returns the number of bits of each lane's offset; 0 if the lanes are regular.
uint32_t packet_offset_bits(const struct packet_operand *operand);
// Sets load_count, has_store, op_count and has_scalar from the pattern and the operations.
void packet_complete(struct compute_packet *packet);
// Returns true if packet_encode can write the packet and packet_decode returns an equal one.
bool packet_is_sound(const struct compute_packet *packet);
// Returns the flits of a packet: 1, plus those of the mask and of irregular lanes.
uint32_t packet_flits(const struct compute_packet *packet);
// Returns the flits of its response, including the head: 1, or 5 with data.
uint32_t packet_response_flits(const struct compute_packet *packet);
// Writes a sound packet to `flits`, which has room for PACKET_MAX_FLITS · PACKET_FLIT bytes.
// Returns the number of flits.
uint32_t packet_encode(const struct compute_packet *packet, uint8_t *flits);
// Reads a packet that packet_encode has written. Returns false, with *packet undefined, for any
// other `count` flits.
bool packet_decode(struct compute_packet *packet, const uint8_t *flits, uint32_t count);
// Returns true if a message's first flit is that of a ComputePacket. Network interfaces test only
// this bit.
bool packet_is_compute(const uint8_t *flit);
