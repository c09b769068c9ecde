// cp.async, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async and st.bulk, lane by lane.
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/memory/bulk.h"
#include "runtime-sim/exec/memory/mbarrier.h"
#include <string.h>

struct copy {
    struct access to, from, barrier;
};

static uint32_t number(const struct warp *warp, const struct code *code, uint32_t n, uint32_t lane)
{
    return ((const uint32_t *)warp_register_lanes(warp, code->s[n]))[lane];
}

static void begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask, struct copy *copy)
{
    const struct async_code *what = code->extra;
    access_addresses(warp, path, code, what->to, mask, 0, &copy->to);
    if (what->from)
        access_addresses(warp, path, code, what->from, mask, 0, &copy->from);
    if (what->barrier)
        access_addresses(warp, path, code, what->barrier, mask, 8, &copy->barrier);
    copy->to.writes = copy->from.reads = true;
    copy->to.reads = copy->to.atomic = what->op != NULL;
}

// Writes bytes to one location. A reduction combines them with the present value.
static void put(const struct code *code, const struct spot *to, const uint8_t *from, uint32_t bytes,
                uint32_t mask)
{
    const struct async_code *what = code->extra;
    uint8_t old[16];
    if (what->op)
        for (uint32_t at = 0; at < bytes; at += what->element)
            atomic_in(what->op, to->space)(to->host + at, from + at, from + at, old);
    else if (what->masked)
        for (uint32_t at = 0; at < bytes; at++)
            to->host[at] = mask >> at % 16 & 1 ? from[at] : to->host[at];
    else
        memmove(to->host, from, bytes);
}

// Writes to the corresponding location in each CTA in `mask`, and signals the barriers of these
// CTAs.
static enum step_result put_each(struct warp *warp, const struct access *access, uint32_t lane,
                                 const struct spot *to, const uint8_t *from, uint32_t bytes,
                                 const struct spot *barrier, uint32_t mask)
{
    const struct cluster *cluster = &warp->cta->cluster;
    for (; mask; mask &= mask - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(mask);
        if (rank >= cluster->count)
            return warp_fault(warp, access->code, 1u << lane, "the cluster has no CTA %u", rank);
        struct spot spot = *to;
        spot.cta = cluster->ctas[rank];
        spot.host = spot.cta->shared + to->address;
        if (warp->check)
            check_access(warp->check, warp, access, lane, &spot, bytes);
        put(access->code, &spot, from, bytes, 0);
        bulk_arrives(warp, spot.cta, barrier->address, bytes);
    }
    if (warp->check) // waits at these mbarriers are ordered after the copies
        check_order(warp->check, warp, 1u << lane, true);
    return STEP_NEXT;
}

// Returns the number of bytes that a lane's copy reads. The rest is filled with zeros.
static uint32_t bytes_read(const struct warp *warp, const struct code *code, uint32_t lane,
                           uint32_t bytes)
{
    const struct async_code *what = code->extra;
    if (what->ignored)
        return *(const uint32_t *)warp_register_lanes(warp, code->s[1]) >> lane & 1 ? 0 : bytes;
    uint32_t limit = what->limited ? number(warp, code, 1, lane) : bytes;
    return limit < bytes ? limit : bytes;
}

// Records what a bulk copy accesses. With a machine its time is not that of the warp's accesses.
static void record(const struct warp *warp, const struct async_code *what, const struct spot *to,
                   const struct spot *from, uint32_t bytes)
{
    if (!warp->bulk || !what->bulk)
        return;
    if (from->space == W_global)
        bulk_touch(warp, TOUCHED_READ, false, from->address, bytes);
    if (to->space == W_global)
        bulk_touch(warp, TOUCHED_WRITTEN, what->op != NULL, to->address, bytes);
    else if (from->space != W_global)
        warp->bulk->cluster_bytes += bytes;
    warp->bulk->grouped |= what->grouped;
}

static enum step_result copy_lane(struct warp *warp, const struct code *code, struct copy *copy,
                                  uint32_t lane)
{
    const struct async_code *what = code->extra;
    uint32_t bytes = number(warp, code, 0, lane), align = what->alignment ? what->alignment : bytes;
    uint32_t read = bytes_read(warp, code, lane, bytes);
    uint32_t mask = what->multicast || what->masked ? number(warp, code, 1, lane) & 0xffff : 0;
    struct spot to, from = {0}, barrier;
    if (bytes & (align - 1))
        return warp_fault(warp, code, 1u << lane, "a copy of %u bytes is not a multiple of %u",
                          bytes, align);
    if (!bytes)
        return STEP_NEXT;
    if (!access_find(warp, &copy->to, lane, bytes, align, &to) ||
        (read && !access_find(warp, &copy->from, lane, read, align, &from)))
        return STEP_FAULT;
    if (what->barrier && !mbarrier_find(warp, &copy->barrier, lane, &barrier))
        return STEP_FAULT;
    record(warp, what, &to, &from, bytes);
    if (what->multicast)
        return put_each(warp, &copy->to, lane, &to, from.host, bytes, &barrier, mask);
    if (read)
        put(code, &to, from.host, read, mask);
    memset(to.host + read, 0, bytes - read);
    if (what->barrier)
        bulk_arrives(warp, barrier.cta, barrier.address, bytes);
    return STEP_NEXT;
}

// Executes `lane` for each lane. The time of recorded copies is not that of the warp's accesses.
static enum step_result
each_lane(struct warp *warp, const struct path *path, const struct code *code, uint32_t mask,
          enum step_result (*lane)(struct warp *, const struct code *, struct copy *, uint32_t))
{
    const struct async_code *what = code->extra;
    struct touched *touched = warp->touched;
    enum step_result result = STEP_NEXT;
    struct copy copy;
    if (!mask)
        return STEP_NEXT;
    begin(warp, path, code, mask, &copy);
    mask = what->once ? mask & -mask : mask;
    if (warp->bulk && what->bulk)
        warp->touched = NULL;
    for (; mask && result == STEP_NEXT; mask &= mask - 1)
        result = lane(warp, code, &copy, (uint32_t)__builtin_ctz(mask));
    warp->touched = touched;
    return result;
}

enum step_result step_copy(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    return each_lane(warp, path, code, mask, copy_lane);
}

static enum step_result store_lane(struct warp *warp, const struct code *code, struct copy *copy,
                                   uint32_t lane)
{
    const struct async_code *what = code->extra;
    uint32_t bytes = what->to->bytes, all = bytes * code->list->count;
    struct spot to, barrier, from = {.space = W_reg};
    if (!access_find(warp, &copy->to, lane, all, all, &to) ||
        !mbarrier_find(warp, &copy->barrier, lane, &barrier))
        return STEP_FAULT;
    record(warp, what, &to, &from, all);
    for (uint32_t i = 0; i < code->list->count; i++, to.host += bytes)
        put(code, &to,
            (const uint8_t *)warp_register_lanes(warp, code->list->slot[i]) + (size_t)lane * bytes,
            bytes, 0);
    bulk_arrives(warp, barrier.cta, barrier.address, all);
    return STEP_NEXT;
}

enum step_result step_async_store(struct warp *warp, struct path *path, const struct code *code,
                                  uint32_t mask)
{
    return each_lane(warp, path, code, mask, store_lane);
}

enum step_result step_fill(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    struct copy copy;
    if (!mask)
        return STEP_NEXT;
    begin(warp, path, code, mask, &copy);
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct spot to;
        uint32_t bytes = number(warp, code, 0, lane);
        if (!access_find(warp, &copy.to, lane, bytes, 8, &to))
            return STEP_FAULT;
        memset(to.host, 0, bytes);
    }
    return STEP_NEXT;
}
