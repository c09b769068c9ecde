// Checks of errors that do not fail: races, in which two threads access the same bytes without
// order
// and at least one writes, and reads of bytes and registers that were never written.
//
// Two accesses are ordered if they are of one thread; if a barrier of all threads of their CTA
// is between them; or if the thread (in another CTA: the CTA) of the first one has executed an
// operation that orders memory since – a barrier of some threads, bar.warp.sync, an atomic or
// ordered access, a fence – and that of the second one after it. Atomic accesses do not race with
// each other, and neither do two that write the same value.
#pragma once
#include "runtime-sim/exec/memory/image.h"
#include "runtime-sim/exec/decode/code.h"

enum check_kind { CHECK_RACE, CHECK_UNWRITTEN, CHECK_REGISTER };
enum { CHECK_NEAREST = 160 };

struct check_place {
    uint32_t function, inst; // program function and instruction
    uint32_t cta[3], thread[3];
    bool writes, atomic;
};

struct check_report {
    uint8_t kind;                // check_kind
    uint16_t space;              // W_global, W_shared, W_local
    uint64_t address;            // address in this space
    char nearest[CHECK_NEAREST]; // description of the place, or ""
    uint32_t reg;                // CHECK_REGISTER: register of the function; the address is not
                                 // used
    uint32_t launch;             // its %gridid
    struct check_place first;    // of a race: the earlier access
    struct check_place second;   // the access at which the error was found
    uint64_t times;              // number of times that the same two instructions conflicted
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
    uint32_t limit; // at most this many reports
    uint64_t found; // total, including those beyond the limit
    struct arena *arena;
    VEC(struct check_report) reports; // one for each pair of instructions
    // During one launch:
    struct arena *scratch;
    const struct launch *launch;
    uint32_t threads;                     // of a CTA
    uint32_t now;                         // number of operations that ordered memory
    struct check_cta **ctas;              // by linear index
    VEC(struct check_shadow *) allocated; // global memory, by place in the image
};

void check_init(struct check *check, struct arena *arena, bool race, bool uninit, uint32_t limit);

// Called by the executor. `scratch` lives as long as the launch.
void check_begin(struct check *check, const struct launch *launch, struct arena *scratch);
// Called when a CTA begins: its shared and local memory is new.
void check_start(struct check *check, struct cta *cta);
// Called before a lane accesses `bytes` bytes.
void check_access(struct check *check, struct warp *warp, const struct access *access,
                  uint32_t lane, const struct spot *spot, uint64_t bytes);
// Called when lanes read a register that they have not written.
void check_register(struct check *check, const struct warp *warp, uint32_t function,
                    const struct code *code, uint32_t lanes, uint32_t reg);
// Called when a barrier completes for the arrived threads, by warp.
void check_barrier(struct check *check, const struct cta *cta, const uint32_t *arrived);
// Called when a barrier of the cluster completes.
void check_cluster(struct check *check, const struct cluster *cluster);
// Called after lanes have executed an operation that orders memory within their CTA, or beyond it.
void check_order(struct check *check, const struct warp *warp, uint32_t mask, bool beyond);
