// How many lines and sectors of memory one access of a warp touches.
//
// Needs the expressions of addresses (passes/analysis/affine.h). Answers hold for a warp with all
// its lanes; what is assumed:
//   - pointers that are kernel parameters, and global variables, are aligned to 256 bytes;
//   - a block of unknown shape has one dimension and whole warps; of a function that reads %tid.y
//     or %tid.z, rows of whole warps, where `assumes` says so;
//   - 32-bit arithmetic on the way to the address does not wrap around, where `assumes` says so;
//   - an access is aligned to its size, as PTX demands;
//   - words of local memory lie side by side for the lanes of a warp.
// Where a warp's place within a line depends on what is not known before the kernel runs (a row of
// a matrix of any width), all places that are possible count the same.
#pragma once
#include "passes/analysis/affine.h"
#include "support/gpu.h"

enum { COALESCING_LINE = LINE_BYTES };
enum { COALESCING_ROWS = 1 << 4 }; // what is assumed, beside that of passes/analysis/affine.h

struct ratio {
    uint64_t count, of; // in lowest terms
};

struct coalescing {
    bool access;        // it is one, of global or local memory, or generic and maybe of those
    bool known;         // the lanes' distances are; else only the bounds say something
    bool uniform;       // known, and all lanes have the same address
    bool even;          // known, and `stride` is the distance from each lane to the next
    uint16_t space;     // W_global, W_local, or W_UNKNOWN
    uint8_t assumes;    // AFFINE_SIGNED | … | COALESCING_ROWS
    uint32_t bytes;     // of a lane, all elements of a vector
    int64_t stride;     // bytes
    uint32_t granule;   // of the warp's first address: known modulo this many bytes; up to 128
    struct ratio lines; // mean of one access; if not known, that of its bounds
    struct ratio sectors;
    uint32_t least, most;     // lines of one access
    uint32_t least_s, most_s; // sectors
    uint32_t because;         // not known: an atom of the address that the lanes differ in
};

struct coalescings;

// Works on demand, in time proportional to the warps of a block of known shape.
struct coalescings *coalescings_new(struct arena *arena, const struct ir_module *module,
                                    const struct ir_function *fn, struct affines *affines,
                                    struct block_shape shape);
struct coalescing coalescing_of(struct coalescings *coalescings, uint32_t inst);

// True if every access of a whole warp touches the same number of lines.
static inline bool coalescing_is_exact(const struct coalescing *c)
{
    return c->known && c->least == c->most;
}

// Half a sentence on what was found, for remarks: "the lanes of a warp are 8 bytes apart: 2 lines
// for each access".
const char *coalescing_text(struct coalescings *coalescings, struct arena *arena, uint32_t inst);

struct ratio ratio_of(uint64_t count, uint64_t of);
