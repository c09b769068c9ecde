// Counts of timed launches by instruction and by line of the CUDA source (gpu/core/sites.h).
#pragma once
#include "backend/tables/tables.h"
#include "ir/loc.h"
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/run/session.h"

struct listing_counts {
    struct core_site core;
    struct memsys_site memory;
};

// An instruction of a function that a kernel has executed. The number of the function's
// instructions stands for its end.
struct listing_inst {
    uint32_t function, inst;  // program function, and instruction of its IR
    uint32_t site;            // its counts
    uint32_t line;            // index of its line in `lines` of the kernel
    uint32_t chain, block;    // of the metadata: 1 + id; 0: in none, or not known
    const struct ir_loc *loc; // innermost place in the source; NULL: not known
};

// A line of the source with the sums of its instructions. Code that was inlined counts for the line
// of the inlined function.
struct listing_line {
    const char *file; // NULL: instructions whose line is not known
    uint32_t number;
    struct listing_counts counts;
};

struct listing_kernel {
    const struct device_kernel *kernel;
    VEC(struct listing_inst) insts; // in the order of the program
    VEC(struct listing_line) lines; // by file and number
};

struct site_listing {
    const struct sites *sites;
    const struct program *program;
    const struct stat_key *core_keys; // of struct core_site
    uint32_t core_key_count;
    VEC(struct listing_kernel) kernels; // in the order of device->kernels
};

// Collects the counts of a run. `tables`: the program's metadata, or NULL. Returns NULL unless the
// device counts by instruction.
const struct site_listing *listing_collect(struct session *session, const struct tables *tables);
// Returns the counts of a site.
struct listing_counts listing_counts(const struct site_listing *listing, uint32_t site);
// Returns the position of an instruction in the program.
struct source_position listing_position(const struct site_listing *listing,
                                        const struct listing_inst *inst);
// Returns the text of an instruction in the program; that of a function's end is "}".
struct file_text listing_text(const struct site_listing *listing, const struct listing_inst *inst);
// Calls the function for each count that is not 0, in the order of the statistics.
typedef void listing_function(void *context, const struct stat_key *key, uint64_t value);
void listing_each(const struct site_listing *listing, const struct listing_counts *counts,
                  listing_function *function, void *context);
// Writes the members `instructions` and `lines` of a kernel, and `no_instruction` of the totals.
void listing_write_kernel(const struct site_listing *listing, const struct device_kernel *kernel,
                          struct json *json);
void listing_write_rest(const struct site_listing *listing, struct json *json);
// Writes the places of inlined code as `source`, from the innermost call outwards; null without a
// place.
void listing_write_origin(struct json *json, const struct ir_loc *loc);
