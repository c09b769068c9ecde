// The capability of the unit near the data, and the instructions that it covers.
//
// The default is the unit of [000]: an SP unit on 32 bits (§5), and packets as in Fig. 5. A YAML
// file lists the differences:
//
//     vector: 4
//     operations: [add, mul, fma, setp]
#pragma once
#include "passes/base/plan.h"
#include "support/diag.h"

struct capability {
    uint32_t types;      // bit per type, see capability_type_name
    uint32_t operations; // bit per row of the table of operations
    uint32_t lanes, flit_bytes, packet_bytes, scalars, scalar_bytes, vector, sub_word;
    uint32_t header_bytes, sectors, sector_packets;
    uint32_t service_queue_bytes, shared_bytes;
    const char *text; // keys that differ from the initial values, as in a file; "": none
};

// The default, with the initial values of capability.def.
extern const struct capability capability_usual;

// Reads a file into a capability, of which the keys that it lacks keep their values. Returns false,
// with errors of id "capability" and their places, if the file is invalid. `text` is allocated in
// the arena.
bool capability_read(struct capability *capability, struct arena *arena,
                     const struct source *source, struct diags *diags);
// Returns the keys whose values differ from those of another capability, as in a file; "": none.
const char *capability_differences(struct arena *arena, const struct capability *capability,
                                   const struct capability *other);
// Reads the `text` of another capability, from tags or an object. Returns false if it is invalid.
bool capability_from_text(struct capability *capability, struct arena *arena, const char *text);

static inline const struct capability *capability_of(const struct pass_options *options)
{
    return options->capability ? options->capability : &capability_usual;
}

enum alu_kind {
    ALU_NONE,    // not supported
    ALU_COMPUTE, // one result
    ALU_FUSED,   // one result, from a product and an addend
    ALU_COMPARE, // a predicate, or the 0 and −1 of `set`
};

struct alu {
    enum alu_kind kind;
    enum plan_rule rule; // reason of ALU_NONE: RULE_OPERATION or RULE_TYPE
};

// Returns how the ALU executes the instruction, or ALU_NONE with the rule that rejects it.
struct alu alu_of(const struct capability *capability, const struct ir_module *module,
                  const struct ir_function *fn, uint32_t inst);

// Returns true if the operand (role USE) is a source of the operation: all except lop3's table.
bool alu_is_source(const struct ir_function *fn, uint32_t operand);
// Returns true if the ALU supports the type.
bool alu_has_type(const struct capability *capability, uint16_t type);

// Return the word of a bit of `types` or `operations`, or NULL after the last bit.
const char *capability_type_name(uint32_t bit);
const char *capability_operation_name(uint32_t bit);

// Class of a memory access for the unit.
enum access_width {
    ACCESS_WHOLE, // values of a supported type
    ACCESS_PART,  // values of 8 or 16 bits, converted
    ACCESS_COPY,  // values of 64 bits that no operation supports; they can be copied [000 Table 1,
                  // pattern 3]
    ACCESS_NOT,   // too long or too short
    ACCESS_TYPE,  // of an unsupported type
};
// Returns the class of a load or store.
enum access_width capability_access(const struct capability *capability, const struct ir_inst *at);

// Returns the number of packets of one warp if each lane accesses this many adjacent bytes: the
// number of 128-byte lines or of groups of `lanes` lanes, whichever is greater.
uint32_t capability_packets(const struct capability *capability, uint32_t lane_bytes);
// Returns the flits of a packet without data.
uint32_t capability_head_flits(const struct capability *capability);
// Returns the flits of the requests and replies of a load or store that touches this many lines and
// sectors, both above 0: a packet with data and one without for each line, or with sector_packets
// for each sector. With sectors, the packet of a line has its mean number of them.
double capability_access_flits(const struct capability *capability, double lines, double sectors);
// Returns the flits of a request or response with this many bytes of data per lane, heads included.
uint32_t capability_data_flits(const struct capability *capability, uint32_t lane_bytes);
// Returns the flits of a packet.
uint32_t capability_packet_flits(const struct capability *capability);
// Returns the bytes of a packet that a chain uses: operation, source and destination (8), 48 bits
// for each address, 2 bits for each operand's lanes and for the length of vectors, and the scalars
// [000 Fig. 5].
uint32_t capability_packet_use(const struct capability *capability, uint32_t addresses,
                               uint32_t scalars);
