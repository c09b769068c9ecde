// The rows of the lists of instructions and source lines, which are written as text (annotate.c) and
// as HTML (html_source.c).
#pragma once
#include "runtime-sim/run/listing.h"
#include "tools/sim/sim_report.h"

enum { SOURCE_TOP = 10, SOURCE_REASONS = 2 };

// The numbers of a row. A ratio is NAN if nothing was counted.
struct source_row {
    uint64_t slots, issued; // slot cycles with a warp; those in which it issued
    uint64_t warps, lanes;  // executions; lanes of all executions
    double lines, ideal;    // lines per access; without gaps between the bytes
    double banks, best;     // cycles of an access to shared memory; without bank conflicts
    double l1, llc;         // fraction of reads that hit
    uint64_t dram;          // requests to the DRAM
    double latency;         // mean of loads
    struct source_reason {
        const char *name;
        uint64_t cycles;
    } reasons[SOURCE_REASONS]; // largest reasons of waiting; name NULL: no more
};
// Computes the numbers of a row.
struct source_row source_row(const struct site_listing *listing,
                             const struct listing_counts *counts);

// A row of a list of the busiest ones: a line of the source if the kernel has any, else an
// instruction.
struct source_top {
    const struct listing_kernel *kernel;
    const struct listing_line *line; // NULL: an instruction
    const struct listing_inst *inst; // NULL: a line
    struct source_row row;
};
// Finds the rows with the most slot cycles, of one kernel or (NULL) of all. Returns their number.
uint32_t source_find_top(const struct site_listing *listing, const struct listing_kernel *kernel,
                         struct source_top top[SOURCE_TOP]);
// Returns the slot cycles of a kernel.
uint64_t source_slots(const struct site_listing *listing, const struct listing_kernel *kernel);

// Reads the sources of the program. A file is searched beside the program, by its whole name and by
// its last part, and in the current folder.
struct source_files {
    struct arena *arena;
    const char *program;
    VEC(struct source_file {
        const char *name;
        const struct source *source; // NULL: not found
    })
    list;
};
// Returns the file that .file names, or NULL if it is not found.
const struct source *source_find(struct source_files *files, const char *name);
// Returns the line's text; an empty one beyond the end.
struct file_text source_text(const struct source *source, uint32_t line);
// Returns the text of an instruction with single blanks.
const char *source_statement(const struct site_listing *listing, const struct listing_inst *inst,
                             struct arena *arena);

// Returns a place as file:line, with the calls through which it was inlined.
const char *source_place(const struct ir_loc *loc, struct arena *arena);

// Writes a share of cycles: "12.3".
#define SOURCE_PERCENT(part, all) (100.0 * (double)(part) / (double)((all) ? (all) : 1))
