// The versioned content of metadata: the decisions for each kernel. It is written as JSON, as tags
// in the PTX and as an ELF object, and read back from each. docs/reference/metadata.md explains
// every entry.
#pragma once
#include "passes/base/plan.h"
#include <stdio.h>

enum { TABLES_VERSION = 1 };
enum { SHA256_HEX = 64 };

// A text and the digest of its bytes.
struct table_file {
    const char *file;
    char sha256[SHA256_HEX + 1];
};

// The two bits of an instruction's tag in a chain.
enum table_tag { TAG_UNTAGGED, TAG_FIRST, TAG_MIDDLE, TAG_LAST };

struct table_instruction {
    uint32_t line, column; // in the input
    uint32_t index;        // in its kernel in the output; PC = 8 × index
    unsigned tag;          // enum table_tag
    const char *opcode;    // with its modifiers, as in the output
};

struct table_chain {
    uint32_t id; // place in its kernel
    uint32_t pattern;
    VEC(struct table_instruction) instructions; // in the order of the output
    enum response response;
    uint32_t response_flits;
    uint32_t saving;
    double expected_saving;
};

// Result of one cost model for a block.
struct table_estimate {
    enum cost_model cost;
    double in, out, saved_tx, saved_rx; // words of live values; words saved per iteration
    double bw_tx, bw_rx, at_tx, at_rx;
    uint64_t threshold_tx, threshold_rx; // 0: never
    unsigned saves;
    bool candidate;
};

// An entry of a VEC(const char *), in the form that objects have.
struct table_name {
    const char *name;
};

struct table_block {
    uint32_t id; // place in its kernel
    enum block_kind kind;
    uint32_t begin_line, end_line;   // first and last instruction in the input
    uint32_t begin_index, end_index; // in its kernel in the output
    VEC(const char *) live_in, live_out;
    uint32_t loads, stores;
    struct table_estimate estimate;
    bool has_condition; // candidate only if condition >= threshold
    const char *condition;
    uint64_t threshold;
    uint64_t trips;                          // constant iterations, else 0; in small tags only
    bool passed_over;                        // it would save, but an overlapping block saves more
    unsigned measured;                       // MEASURED_…: numbers of the refined model
    VEC(struct table_estimate) alternatives; // by other cost models
};

// Returns true if the block is to be offloaded: always, under its condition, or as an alternative
// to a chosen block around it whose condition is false.
static inline bool table_block_chosen(const struct table_block *block)
{
    return block->estimate.candidate && !block->passed_over;
}

struct table_rejection {
    uint32_t line, column;
    enum candidate_kind kind;
    enum plan_rule rule;
    uint32_t because_line; // 0: no place
    const char *text;
};

// A verdict that differs with a profile. In reports only.
struct table_change {
    const char *kernel;
    enum candidate_kind kind; // chain or block
    uint32_t line, column;    // the chain's or block's first instruction
    uint32_t end_line;        // of its last one
    const char *before, *after, *reason;
};

enum measured_kind { MEASURED_LOAD, MEASURED_STORE, MEASURED_ATOMIC, MEASURED_LOOP };

// Measured numbers of an access or a loop, and those of the analysis. In reports only.
struct table_measurement {
    const char *kernel;
    enum measured_kind kind;
    uint32_t line, column, end_line; // a loop's first instruction, and the line of its last one
    uint64_t times;                  // accesses by warps; entries of a loop by threads
    double mean;                     // lines of an access; iterations of an entry
    uint64_t min, max;               // minimum and maximum of the same
    const char *analysis;            // the result of the analysis
    bool decides;                    // the measured number decided
    // Lines requested from the cache, and those that hit or merged with an earlier request; 0: not
    // counted.
    uint64_t l1_accesses, l1_served, llc_accesses, llc_served;
};

// A value that a simulated machine measured for a chain or block.
struct table_value {
    const char *name, *unit;
    double value;
};

// Measured values of a chain or block, and the expected one. In profiles and reports only.
struct table_outcome {
    const char *kernel;
    enum candidate_kind kind; // chain or block
    uint32_t line, end_line;  // of its first instruction; of a block's last one
    double expected;
    const char *expected_in; // unit
    VEC(struct table_value) measured;
};

struct table_outcomes {
    const char *policy, *machine; // NULL: nothing was measured
    bool is_alone;                // the profile has no numbers of this program's instructions
    VEC(struct table_outcome) list;
};

// A map for spatial cores. In the JSON document only.
struct table_map {
    const char *form;
    uint32_t tokens, cycles; // the rate of a copy
    const char *limit;
    uint32_t copies, cores, lsus, lanes, conditions;
    const char *text;
};

// Text and CUDA source of an instruction of the input. In reports only.
struct table_location {
    uint32_t line, column;
    const char *text;        // the statement, with single blanks
    const char *source_file; // "": unknown
    uint32_t source_line;    // 0: unknown
};

struct table_kernel {
    const char *name;
    uint32_t instructions;      // of the output
    uint32_t loads;             // loads among them that may access global memory
    uint32_t shared_bytes;      // of variables in shared memory; a launch may add to it
    bool service_queue_at_core; // shared memory has room for the service queue
    VEC(struct table_chain) chains;
    VEC(struct table_block) blocks;
    VEC(struct table_map) maps; // at most one
    VEC(struct table_rejection) rejected;
};

struct tables {
    uint32_t version; // TABLES_VERSION
    struct table_file source, output;
    struct pass_options options;
    const char *capability; // keys of the unit near the data that differ from the default; ""
    const char *profile;    // SHA-256 of the file of --profile; ""
    VEC(struct table_kernel) kernels;
    bool compared;                              // changes_find has compared the decisions
    VEC(struct table_change) changes;           // by kernel, then place
    VEC(struct table_measurement) measurements; // in the same order; of executed code
    struct table_outcomes outcomes;
    VEC(struct table_location) places; // by line and column, of the lines that the kernels name
    bool by_source; // reports show places of the CUDA source before those of the PTX
};

// Returns the innermost chosen block around a chosen one, to which it is the alternative, or NULL.
const struct table_block *table_block_around(const struct table_kernel *kernel,
                                             const struct table_block *block);

// Checks properties across entries: ids in order, instructions inside the kernel and in order, no
// instruction in two chains. Returns NULL, or the fault with its place.
const char *tables_check(struct arena *arena, const struct tables *tables);

// Writes the metadata document, {"format": "ptxoffload-metadata", …}.
void tables_write_json(const struct tables *tables, FILE *to);
// Reads it. Adds faults to `diags` (id "metadata"), with the offset if the text is not JSON, else
// with the path of the entry. Returns false if there are faults; `tables` is then undefined.
bool tables_read_json(struct tables *tables, struct arena *arena, const char *text, size_t length,
                      struct diags *diags);

// table_SET_names for each set of words of metadata.def: the words in all formats, NULL after the
// last.
#define WORDS(SET, ...) extern const char *const table_##SET##_names[];
#define WORD(...)
#define BIT(...)
#define END_WORDS
#include "backend/tables/metadata.def"
