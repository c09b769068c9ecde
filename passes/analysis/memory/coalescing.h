// Number of lines and sectors of memory that one access of a warp touches.
//
// Requires the expressions of addresses (passes/analysis/affine/affine.h). Results hold for a warp
// with all its lanes. Assumptions:
//   - pointers that are kernel parameters, and global variables, are aligned to 256 bytes;
//   - a block of unknown shape has one dimension and whole warps; in a function that reads %tid.y
//     or %tid.z it has rows of whole warps, if `assumes` says so;
//   - 32-bit arithmetic in the address does not wrap around, if `assumes` says so;
//   - an access is aligned to its size, as PTX requires;
//   - words of local memory are adjacent for the lanes of a warp.
// If a warp's offset within a line is unknown before the kernel starts (a row of a matrix of any
// width), all possible offsets have equal weight.
#pragma once
#include "passes/analysis/affine/affine.h"
#include "support/gpu.h"

enum { COALESCING_LINE = LINE_BYTES };
enum {
    COALESCING_ROWS = 1 << 4
}; // an assumption, in addition to those of passes/analysis/affine/affine.h

struct ratio {
    uint64_t count, of; // in lowest terms
};

struct coalescing {
    bool access;        // an access to global, local or generic memory
    bool known;         // the lanes' distances are known; else only the bounds are valid
    bool uniform;       // known, and all lanes have the same address
    bool even;          // known, and `stride` is the distance from each lane to the next
    uint16_t space;     // W_global, W_local, or W_UNKNOWN
    uint8_t assumes;    // AFFINE_SIGNED | … | COALESCING_ROWS
    uint32_t bytes;     // per lane, all elements of a vector
    int64_t stride;     // bytes
    uint32_t granule;   // the warp's first address is known modulo this many bytes; up to 128
    struct ratio lines; // mean per access; if unknown, mean of the bounds
    struct ratio sectors;
    uint32_t min, max;     // lines of one access
    uint32_t min_s, max_s; // sectors
    uint32_t because;      // if unknown: the atom of the address with unknown differences
                           // between the lanes
};

struct coalescings;

// Creates the analysis of a function; it computes on demand. Time is proportional to the warps of a
// block of known shape.
struct coalescings *coalescings_new(struct arena *arena, const struct ir_module *module,
                                    const struct ir_function *fn, struct affines *affines,
                                    struct block_shape shape);
// Returns the result for an instruction; `access` is false if it does not access such memory.
struct coalescing coalescing_of(struct coalescings *coalescings, uint32_t inst);

// Returns true if every access of a whole warp touches the same number of lines.
static inline bool coalescing_is_exact(const struct coalescing *c)
{
    return c->known && c->min == c->max;
}

// Returns the result as a clause for remarks: "the lanes of a warp are 8 bytes apart: 2 lines for
// each access".
const char *coalescing_text(struct coalescings *coalescings, struct arena *arena, uint32_t inst);

// Returns the ratio in lowest terms.
struct ratio ratio_of(uint64_t count, uint64_t of);
