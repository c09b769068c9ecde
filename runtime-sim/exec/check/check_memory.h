// What kernels must not do and get away with: two threads that access the same bytes in no order,
// one of them writing (races), and reads of bytes and registers that nobody ever wrote.
//
// Two accesses have an order if they are one thread's; if a barrier of all threads of their CTA
// stands between; or if the thread (in another CTA: the CTA) of the first has taken part in
// something that orders memory since – a barrier of some threads, bar.warp.sync, an atomic or
// ordered access, a fence – and that of the second after it. Atomic accesses make no races among
// themselves, nor do two that write the same value.
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
    uint64_t address;            // in it
    char nearest[CHECK_NEAREST]; // where that is, in words, or ""
    uint32_t reg;                // CHECK_REGISTER: of the function, and nothing of an address
    uint32_t launch;             // its %gridid
    struct check_place first;    // of a race: what came first
    struct check_place second;   // the access that was found out
    uint64_t times;              // that the same two instructions met
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
    uint32_t limit; // of reports
    uint64_t found; // in all, those beyond the limit too
    struct arena *arena;
    VEC(struct check_report) reports; // one for each pair of instructions
    // For one launch.
    struct arena *scratch;
    const struct launch *launch;
    uint32_t threads;                     // of a CTA
    uint32_t now;                         // counts what orders memory
    struct check_cta **ctas;              // by linear index
    VEC(struct check_shadow *) allocated; // global memory, by place in the image
};

void check_init(struct check *check, struct arena *arena, bool race, bool uninit, uint32_t limit);

// For the core. `scratch` lives as long as the launch.
void check_begin(struct check *check, const struct launch *launch, struct arena *scratch);
// A CTA begins: its shared and local memory is new.
void check_start(struct check *check, struct cta *cta);
// One lane is about to access `bytes` bytes.
void check_access(struct check *check, struct warp *warp, const struct access *access,
                  uint32_t lane, const struct spot *spot, uint64_t bytes);
// Lanes read a register that they have not written.
void check_register(struct check *check, const struct warp *warp, uint32_t function,
                    const struct code *code, uint32_t lanes, uint32_t reg);
// A barrier opens for the threads that have come, by warp.
void check_barrier(struct check *check, const struct cta *cta, const uint32_t *arrived);
// A barrier opens for all threads of the cluster.
void check_cluster(struct check *check, const struct cluster *cluster);
// Lanes have done what orders memory within their CTA, or beyond it.
void check_order(struct check *check, const struct warp *warp, uint32_t mask, bool beyond);
