// bar and barrier. A barrier completes when enough threads have arrived.
//
// Threads that have ended or do not exist arrive with the last thread of their warp, because thread
// counts are multiples of the warp size.
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/exec/warp/steps.h"
#include <string.h>

static uint32_t count_come(const struct cta *cta, const struct barrier *barrier)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        uint32_t come = barrier->arrived[i];
        bool whole = come && !(cta->warps[i].live & ~come);
        count += whole ? LANES : (uint32_t)__builtin_popcount(come);
    }
    return count;
}

static bool all_come(const struct cta *cta, const struct barrier *barrier)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].live & ~barrier->arrived[i])
            return false;
    return true;
}

static bool is_open(const struct cta *cta, const struct barrier *barrier)
{
    return barrier->expected ? count_come(cta, barrier) >= barrier->expected
                             : all_come(cta, barrier);
}

// Writes the result of bar.red for the lanes of one path.
static void write_result(struct warp *warp, const struct path *path, const struct code *code,
                         const struct barrier *barrier)
{
    const struct barrier_code *what = code->extra;
    if (what->reduce == BARRIER_PLAIN)
        return;
    uint32_t *d = reg_slot_lanes((uint8_t *const[]){warp->frames + path->frame, warp->bases[1],
                                                    warp->bases[2], warp->bases[3]},
                                 code->d); // a predicate's slot has the size of a word
    bool holds =
        what->reduce == BARRIER_AND ? barrier->trues == barrier->threads : barrier->trues > 0;
    if (what->reduce != BARRIER_COUNT) {
        *d = (*d & ~path->mask) | (holds ? path->mask : 0);
        return;
    }
    for (uint32_t i = 0; i < LANES; i++)
        if (path->mask >> i & 1)
            d[i] = barrier->trues;
}

static void open(struct cta *cta, uint32_t number)
{
    struct barrier *barrier = &cta->barriers[number];
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp *warp = &cta->warps[w];
        for (uint32_t i = 0; i < warp->paths.n; i++) {
            struct path *path = &warp->paths.v[i];
            if (path->state != PATH_BARRIER || path->wait != number)
                continue;
            write_result(warp, path, &warp->program->codes.v[path->pc - 1], barrier);
            path->state = PATH_READY;
        }
    }
    if (cta->launch->check)
        check_barrier(cta->launch->check, cta, barrier->arrived);
    memset(barrier, 0, sizeof *barrier);
    cta->busy &= ~(1u << number);
    cta->opened |= 1u << number;
    cta->events++;
}

void barrier_check(struct cta *cta)
{
    for (uint32_t rest = cta->busy; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest);
        if (is_open(cta, &cta->barriers[i]))
            open(cta, i);
    }
}

void barrier_clear(struct cta *cta)
{
    for (uint32_t rest = cta->busy; rest; rest &= rest - 1)
        memset(&cta->barriers[__builtin_ctz(rest)], 0, sizeof *cta->barriers);
    cta->busy = 0;
}

static enum step_result come(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask, uint32_t number, uint32_t expected)
{
    const struct barrier_code *what = code->extra;
    struct barrier *barrier = &warp->cta->barriers[number];
    if (barrier->arrived[warp->index] & mask)
        return warp_fault(warp, code, mask, "a thread arrives at barrier %u a second time", number);
    if (what->reduce != BARRIER_PLAIN) {
        uint32_t trues = *(const uint32_t *)warp_register_lanes(warp, code->s[2]);
        barrier->trues += (uint32_t)__builtin_popcount(trues & mask);
        barrier->threads += (uint32_t)__builtin_popcount(mask);
    }
    warp->cta->busy |= 1u << number;
    barrier->arrived[warp->index] |= mask;
    if (expected > barrier->expected)
        barrier->expected = expected;
    if (what->arrive) {
        barrier_check(warp->cta);
        return STEP_NEXT;
    }
    path->pc++;
    path->state = PATH_BARRIER;
    path->wait = number;
    barrier_check(warp->cta);
    return path->state == PATH_READY ? STEP_JUMP : STEP_LEAVE;
}

// Reads an operand for the lanes in `mask`, which must have the same value in all of them. Returns
// false if the values differ.
static bool read_uniform(struct warp *warp, const struct code *code, uint32_t which, uint32_t mask,
                         const char *what, uint32_t *value)
{
    const uint32_t *lanes = warp_register_lanes(warp, code->s[which]);
    *value = lanes[__builtin_ctz(mask)];
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (lanes[lane] == *value)
            continue;
        warp_fault(warp, code, 1u << lane,
                   "threads of a warp arrive at a barrier with different %s: %u and %u", what,
                   *value, lanes[lane]);
        return false;
    }
    return true;
}

enum step_result step_barrier(struct warp *warp, struct path *path, const struct code *code,
                              uint32_t mask)
{
    const struct barrier_code *what = code->extra;
    if (!mask)
        return STEP_NEXT;
    uint32_t number, expected = 0;
    if (warp->cta->detached)
        return detached_fault(warp, code, mask, "barriers");
    if (!read_uniform(warp, code, 0, mask, "numbers", &number) ||
        (what->counted && !read_uniform(warp, code, 1, mask, "counts of threads", &expected)))
        return STEP_FAULT;
    if (number >= BARRIERS)
        return warp_fault(warp, code, mask, "barrier %u does not exist", number);
    // Lanes whose guard is false continue separately.
    if (mask != path->mask) {
        uint32_t self = warp->current;
        warp_fork(warp, path, path->pc + 1, path->mask & ~mask, path->reconvergence);
        path = &warp->paths.v[self];
        path->mask = mask;
    }
    return come(warp, path, code, mask, number, expected);
}
