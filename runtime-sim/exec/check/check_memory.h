// Checks for errors that do not cause faults: races, in which two threads access the same bytes
// without order and at least one of them writes; and reads of bytes and registers that were never
// written.
//
// Two accesses are ordered if the same thread executes them; if a barrier of all threads of their
// CTA is between them; or if the thread of the first access (if it is in another CTA: that CTA) has
// since executed an operation that orders memory and the thread of the second access has executed
// one after that. Such operations are a barrier of some threads, bar.warp.sync, an atomic or
// ordered access, and a fence. Atomic accesses do not race with each other, and neither do two
// writes of the same value.
#pragma once
#include "runtime-sim/exec/memory/image.h"
#include "runtime-sim/exec/decode/code.h"

enum check_kind { CHECK_RACE, CHECK_UNWRITTEN, CHECK_REGISTER };
enum { CHECK_NEAREST = 160 };

struct access_site {
    uint32_t function, inst; // program function and instruction
    uint32_t cta[3], thread[3];
    bool writes, atomic;
};

struct check_report {
    uint8_t kind;                // check_kind
    uint16_t space;              // W_global, W_shared, W_local
    uint64_t address;            // address in `space`
    char nearest[CHECK_NEAREST]; // description of the location, or ""
    uint32_t reg;                // for CHECK_REGISTER: register of the function; the address is not
                                 // used
    uint32_t launch;             // %gridid of the launch
    struct access_site first;    // for a race: the earlier access
    struct access_site second;   // the access at which the error was found
    uint64_t times;              // number of conflicts between the same two instructions
};

struct check_cta;
struct check_shadow;
struct cluster;
struct launch;
struct cta;
struct warp;
struct access;
struct spot;

struct check {
    bool race, uninit;
    uint32_t limit; // maximum number of reports
    uint64_t found; // total number, including those beyond the limit
    struct arena *arena;
    VEC(struct check_report) reports; // one per pair of instructions
    // During one launch:
    struct arena *scratch;
    const struct launch *launch;
    uint32_t threads;                     // threads per CTA
    uint32_t now;                         // number of operations that ordered memory so far
    struct check_cta **ctas;              // by linear index
    VEC(struct check_shadow *) allocated; // global memory, by index in the image
};

// Initialises the checks: of races, and of reads of unwritten bytes and registers.
void check_init(struct check *check, struct arena *arena, bool race, bool uninit, uint32_t limit);

// Called at the start of a launch. `scratch` must live as long as the launch.
void check_begin(struct check *check, const struct launch *launch, struct arena *scratch);
// Called when a CTA starts. Its shared and local memory are unwritten.
void check_start(struct check *check, struct cta *cta);
// Called before a lane accesses `bytes` bytes.
void check_access(struct check *check, struct warp *warp, const struct access *access,
                  uint32_t lane, const struct spot *spot, uint64_t bytes);
// Called when lanes read a register that they have not written.
void check_register(struct check *check, const struct warp *warp, uint32_t function,
                    const struct code *code, uint32_t lanes, uint32_t reg);
// Called when a barrier completes. `arrived` has the threads per warp.
void check_barrier(struct check *check, const struct cta *cta, const uint32_t *arrived);
// Called when a cluster barrier completes.
void check_cluster(struct check *check, const struct cluster *cluster);
// Called after lanes have executed an operation that orders memory within their CTA, or beyond it.
void check_order(struct check *check, const struct warp *warp, uint32_t mask, bool beyond);
