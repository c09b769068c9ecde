// What the unit near the data can do, and which instructions that covers.
//
// Without a file it is what [000] describes: an SP unit on 32 bits (§5), and packets as in Fig. 5.
// A file in YAML names what differs:
//
//     vector: 4
//     operations: [add, mul, fma, setp]
#pragma once
#include "passes/base/plan.h"
#include "support/diag.h"

struct capability {
    uint32_t types;      // bit per capability_types
    uint32_t operations; // bit per row of the table of operations
    uint32_t lanes, flit_bytes, packet_bytes, scalars, scalar_bytes, vector, sub_word;
    uint32_t service_queue_bytes, shared_bytes;
    const char *text; // keys that differ from the initial values, as in a file; "": none
};

// With the initial values of capability.def.
extern const struct capability capability_usual;

// Reads a file's text, which inherits the usual values. False, with errors of id "capability" that
// have their place, if it is no such file. `text` is made in the arena.
bool capability_read(struct capability *capability, struct arena *arena,
                     const struct source *source, struct diags *diags);
// Reads what `text` of another one says: of tags or an object. False if it is none.
bool capability_from_text(struct capability *capability, struct arena *arena, const char *text);

static inline const struct capability *capability_of(const struct pass_options *options)
{
    return options->capability ? options->capability : &capability_usual;
}

enum alu_kind {
    ALU_NONE,    // not one of its operations
    ALU_COMPUTE, // one result
    ALU_FUSED,   // the same from a product and an addend
    ALU_COMPARE, // a predicate, or the 0 and −1 of `set`
};

struct alu {
    enum alu_kind kind;
    enum plan_rule rule; // why not: RULE_OPERATION or RULE_TYPE
};

struct alu alu_of(const struct capability *capability, const struct ir_module *module,
                  const struct ir_function *fn, uint32_t inst);

// True if the operand (role USE) is something that the operation computes with: all but lop3's
// table.
bool alu_is_source(const struct ir_function *fn, uint32_t operand);
// True if the type is one that the ALU computes.
bool alu_has_type(const struct capability *capability, uint16_t type);

// The words of `types` and `operations`, by bit; beyond the last: NULL.
const char *capability_type_name(uint32_t bit);
const char *capability_operation_name(uint32_t bit);

// What an access of memory is to the unit.
enum access_width {
    ACCESS_WHOLE, // values of a type that it computes
    ACCESS_PART,  // of 8 or 16 bits, converted
    ACCESS_NOT,   // too long or too short
    ACCESS_TYPE,  // of a type that it does not know
};
enum access_width capability_access(const struct capability *capability, const struct ir_inst *at);

// Packets that one warp needs if each of its lanes accesses so many bytes side by side: one for
// each 128-byte line, and for each group of lanes.
uint32_t capability_packets(const struct capability *capability, uint32_t lane_bytes);
// Flits of a request or response with so many bytes of data for a warp, heads included.
uint32_t capability_data_flits(const struct capability *capability, uint32_t lane_bytes);
// Flits of a packet.
uint32_t capability_packet_flits(const struct capability *capability);
// Bytes of a packet that a chain fills: what it is to do and for whom (8), 48 bits for each
// address, 2 bits for each operand's lanes and for the length of vectors, and the scalars [000 Fig.
// 5].
uint32_t capability_packet_use(const struct capability *capability, uint32_t addresses,
                               uint32_t scalars);
