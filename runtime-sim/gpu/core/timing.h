// Issue info of each instruction: unit, latency class, registers, marks of schemes.
//
// Registers are those of the simulator's frames: as in hardware, PTX registers with disjoint
// lifetimes may share one. They are numbered densely in each function.
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/exec/warp/slots_used.h"
#include "runtime-sim/cache/cache.h"
#include "runtime-sim/exec/decode/program.h"

struct core_config {
#define CONFIG_DEF "runtime-sim/gpu/core/core.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct config_key core_keys[];
extern const uint32_t core_key_count;

enum unit {
    UNIT_ALU,
    UNIT_SFU,
    UNIT_FP64,
    UNIT_MATRIX,
    UNIT_MEMORY,
    UNIT_CONTROL, // no unit
    UNIT_INT,     // integer units; classes have UNIT_ALU instead, see core_kind.alu
    UNITS,
};

enum timing_class {
#define TIMING(name, ...) TIMING_##name,
#include "runtime-sim/gpu/core/timing.def"
#undef TIMING
    TIMING_CLASSES,
};

// Conditions for issue: accesses that must be complete.
enum timing_wait {
    WAIT_LOADS = 1,  // the warp's loads and atomics
    WAIT_STORES = 2, // its stores and reductions, which must be acknowledged
    WAIT_DIRECT = 4, // accesses that bypass the L1
    WAIT_CTA = 8,    // the CTA's accesses up to its last synchronisation, and the warp's own
};

// Instructions that start asynchronous work, and those that wait for it.
enum timing_async {
    ASYNC_NONE,
    ASYNC_COPY,        // cp.async
    ASYNC_COPY_COMMIT, // ends a group of a kind
    ASYNC_COPY_WAIT,   // waits until at most `pending` committed groups are incomplete
    ASYNC_COPY_WAIT_ALL,
    ASYNC_BULK, // bulk copy
    ASYNC_BULK_COMMIT,
    ASYNC_BULK_WAIT,
    ASYNC_BULK_WAIT_READ, // waits until the sources have been read
    ASYNC_MATRIX,         // wgmma
    ASYNC_MATRIX_COMMIT,
    ASYNC_MATRIX_WAIT,
    ASYNC_TRY_WAIT, // mbarrier.try_wait
};

enum matrix_rate {
    MATRIX_UNRATED,
#define MATRIX_RATE(name, text) MATRIX_RATE_##name,
#include "runtime-sim/gpu/core/matrix.def"
#undef MATRIX_RATE
    MATRIX_RATES,
};

// The work of a matrix product for one warp.
struct timing_matrix {
    uint32_t products; // multiply-adds, without those of a sparse matrix's zeros
    uint16_t bytes;    // bytes of shared memory that a warpgroup reads
    uint8_t rate;      // enum matrix_rate
};

enum { TIMING_MARKS = 2 };

// A scheme's mark of an instruction.
struct timing_mark {
    uint32_t plan;         // number in the plan
    uint8_t scheme, place; // scheme: 1 + number of the registered scheme, or 0 for no mark; place:
                           // position in the plan
};

struct timing {
    uint8_t class;   // enum timing_class
    uint8_t unit;    // enum unit
    uint8_t waits;   // enum timing_wait
    bool is_float;   // f32 or narrower; used for energy
    bool acquires;   // later accesses wait for it
    bool sleeps;     // nanosleep
    bool orders;     // it orders the warp's accesses for other warps of the CTA
    uint8_t async;   // enum timing_async
    uint8_t pending; // groups, for instructions that wait
    struct timing_matrix matrix;
    bool shared; // at issue it accesses state that other cores see; such instructions execute in
                 // a fixed order
    uint16_t read_count, write_count;
    const uint16_t *registers;                // registers that are read, then those that are
                                              // written
    uint16_t operands_read, operands_written; // numbers of PTX operands; used for energy
    uint32_t inst, function;                  // instruction; program function
    struct timing_mark marks[TIMING_MARKS];
    uint8_t kind;
    bool ends_capture; // the capture of a scheme ends when the warp reaches this instruction
};

struct timings {
    const struct program *program;
    struct timing *list; // one per instruction, in the order of the code
    uint32_t *of;        // per code: the instruction to which it belongs or leads
    uint32_t count;
    uint32_t max_registers; // maximum over functions
    struct reg_slots_used used;
};

// Marks an instruction for a scheme, unless this scheme or TIMING_MARKS others have already marked
// it.
static inline void timing_mark(struct timing *timing, uint8_t scheme, uint32_t plan, uint8_t place)
{
    uint32_t i = 0;
    while (i < TIMING_MARKS && timing->marks[i].scheme && timing->marks[i].scheme != scheme + 1)
        i++;
    if (i < TIMING_MARKS && !timing->marks[i].scheme)
        timing->marks[i] = (struct timing_mark){plan, (uint8_t)(scheme + 1), place};
}
// Returns the scheme's mark, or NULL.
static inline const struct timing_mark *timing_mark_of(const struct timing *timing, uint8_t scheme)
{
    for (uint32_t i = 0; i < TIMING_MARKS; i++)
        if (timing->marks[i].scheme == scheme + 1)
            return &timing->marks[i];
    return NULL;
}

// Builds the issue info of a program.
void timings_build(struct timings *timings, struct arena *arena, const struct program *program);
// Returns the place in the list of an instruction of a program function; `count`: it has none.
uint32_t timings_find(const struct timings *timings, uint32_t function, uint32_t inst);
// Returns true if a class uses the integer units of a core that has some.
bool timing_is_int(uint32_t class);
// Return the cycles from issue to the use of the result, and those in which the unit is busy.
uint32_t timing_latency(const struct core_config *config, uint32_t class);
uint32_t timing_interval(const struct core_config *config, uint32_t class);
// Returns the cycles in which a matrix product keeps its unit busy; `otherwise` if its type has no
// rate.
uint32_t timing_matrix_interval(const struct core_config *config, const struct timing *timing,
                                uint32_t otherwise);
