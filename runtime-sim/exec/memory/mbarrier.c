// mbarrier: arrivals and bytes for which a phase waits. Waiting threads poll, and yield after each
// unsuccessful test.
#include "runtime-sim/exec/memory/mbarrier.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/memory_ops.h"
#include <string.h>

enum { COUNT_BITS = 20, BYTES_BITS = 22 };
#define MAX_COUNT ((UINT64_C(1) << COUNT_BITS) - 1)

struct mbarrier {
    uint64_t pending : COUNT_BITS, expected : COUNT_BITS;
    int64_t bytes : BYTES_BITS;
    uint64_t phase : 1, valid : 1;
};

static struct mbarrier load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    struct mbarrier barrier = {.pending = word & MAX_COUNT,
                               .expected = word >> COUNT_BITS & MAX_COUNT,
                               .phase = word >> 62 & 1,
                               .valid = word >> 63};
    barrier.bytes = (int64_t)(word << 2) >> (2 * COUNT_BITS + 2);
    return barrier;
}

static uint64_t word_of(const struct mbarrier *barrier)
{
    uint64_t bytes = (uint64_t)barrier->bytes & ((UINT64_C(1) << BYTES_BITS) - 1);
    return barrier->pending | (uint64_t)barrier->expected << COUNT_BITS | bytes << 2 * COUNT_BITS |
           (uint64_t)barrier->phase << 62 | (uint64_t)barrier->valid << 63;
}

// Stores the state. The phase ends when no arrivals and no bytes are pending.
static void store(struct cta *cta, uint8_t *at, struct mbarrier barrier)
{
    if (barrier.valid && !barrier.pending && !barrier.bytes) {
        barrier.phase ^= 1;
        barrier.pending = barrier.expected;
        cta->events++;
    }
    uint64_t word = word_of(&barrier);
    memcpy(at, &word, sizeof word);
}

static bool find(struct warp *warp, struct access *access, uint32_t lane, bool valid,
                 struct spot *spot)
{
    if (!access_find(warp, access, lane, 8, 8, spot))
        return false;
    if (spot->space == W_shared && (!valid || load(spot->host).valid))
        return true;
    warp_fault(warp, access->code, 1u << lane,
               spot->space == W_shared ? "there is no mbarrier at shared address 0x%llx"
                                       : "an mbarrier is not in shared memory: address 0x%llx",
               (unsigned long long)spot->address);
    return false;
}

bool mbarrier_find(struct warp *warp, struct access *access, uint32_t lane, struct spot *spot)
{
    access->reads = access->writes = access->atomic = true;
    return find(warp, access, lane, true, spot);
}

void mbarrier_look(const uint8_t *at, uint32_t *come, uint32_t *expected, int64_t *bytes)
{
    struct mbarrier barrier = load(at);
    *expected = (uint32_t)barrier.expected;
    *come = (uint32_t)(barrier.expected - barrier.pending);
    *bytes = barrier.bytes;
}

void mbarrier_complete(struct cta *cta, uint8_t *at, uint64_t bytes)
{
    struct mbarrier barrier = load(at);
    barrier.bytes -= (int64_t)bytes;
    store(cta, at, barrier);
}

static bool arrive(struct warp *warp, const struct code *code, uint8_t *at, uint32_t lane,
                   uint64_t count)
{
    const struct mbarrier_code *what = code->extra;
    struct mbarrier barrier = load(at);
    if (what->expects)
        barrier.bytes += (int64_t)count;
    count = what->expects ? 1 : count;
    if (what->quiet)
        return true;
    if (count > barrier.pending) {
        warp_fault(warp, code, 1u << lane,
                   "%llu arrivals at an mbarrier that expects %u in this phase",
                   (unsigned long long)count, (unsigned)barrier.pending);
        return false;
    }
    barrier.pending -= count & MAX_COUNT;
    if (what->drops)
        barrier.expected -= count & MAX_COUNT;
    store(warp->cta, at, barrier);
    return true;
}

static bool init(struct warp *warp, const struct code *code, uint8_t *at, uint32_t lane,
                 uint64_t count)
{
    if (!count || count > MAX_COUNT) {
        warp_fault(warp, code, 1u << lane, "an mbarrier cannot count to %llu",
                   (unsigned long long)count);
        return false;
    }
    store(
        warp->cta, at,
        (struct mbarrier){.pending = count & MAX_COUNT, .expected = count & MAX_COUNT, .valid = 1});
    return true;
}

// Returns true if the phase with this state or parity has ended.
static bool has_ended(const struct mbarrier_code *what, const struct mbarrier *barrier,
                      uint64_t value)
{
    return barrier->phase != (what->parity ? value & 1 : value >> 62 & 1);
}

static bool one_lane(struct warp *warp, const struct code *code, uint8_t *at, uint32_t lane,
                     uint64_t value)
{
    const struct mbarrier_code *what = code->extra;
    struct mbarrier barrier = load(at);
    union lanes *to = &warp->temp[0];
    switch (what->op) {
    case MBARRIER_INIT: return init(warp, code, at, lane, value);
    case MBARRIER_INVALIDATE: memset(at, 0, 8); return true;
    case MBARRIER_ARRIVE:
        to->u64[lane] = word_of(&barrier);
        return arrive(warp, code, at, lane, value);
    case MBARRIER_EXPECT: mbarrier_complete(warp->cta, at, 0 - value); return true;
    case MBARRIER_COMPLETE: mbarrier_complete(warp->cta, at, value); return true;
    default: to->mask |= (uint32_t)has_ended(what, &barrier, value) << lane; return true;
    }
}

static uint64_t operand(const struct warp *warp, const struct code *code, uint32_t lane)
{
    if (!code->source_count)
        return 1;
    const void *lanes = warp_register_lanes(warp, code->s[0]);
    return code->value == 8 ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}

bool mbarrier_blocks(struct warp *warp, const struct code *code, uint32_t mask)
{
    const struct mbarrier_code *what = code->extra;
    const struct path *path = &warp->paths.v[warp->current];
    struct access access;
    if (code->step != step_mbarrier || !what->waits || !mask)
        return false;
    warp->bases[BASE_FRAME] = warp->frames + path->frame;
    access_addresses(warp, path, code, what->memory, mask, 8, &access);
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct spot spot = {.space = what->memory->space, .address = access.address[lane]};
        access_settle(warp->cta, &spot);
        if (spot.space != W_shared || spot.address % 8 || spot.address >= warp->cta->shared_bytes)
            return false;
        struct mbarrier barrier = load(warp->cta->shared + spot.address);
        if (!barrier.valid || has_ended(what, &barrier, operand(warp, code, lane)))
            return false;
    }
    return true;
}

enum step_result step_mbarrier(struct warp *warp, struct path *path, const struct code *code,
                               uint32_t mask)
{
    const struct mbarrier_code *what = code->extra;
    struct access *access = &warp->access;
    if (!mask)
        return STEP_NEXT;
    access_addresses(warp, path, code, what->memory, mask, 8, access);
    access->reads = what->op != MBARRIER_INIT;
    access->writes = access->atomic = true;
    if (what->op == MBARRIER_TEST)
        warp->temp[0].mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        struct spot spot;
        if (!find(warp, access, lane, what->op != MBARRIER_INIT, &spot) ||
            !one_lane(warp, code, spot.host, lane, operand(warp, code, lane)))
            return STEP_FAULT;
    }
    if (what->op == MBARRIER_TEST && !(warp->temp[0].mask & mask) && warp->budget > 1)
        warp->budget = 1;
    if (code->d != REG_SLOT_NONE)
        warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, code->width);
    return STEP_NEXT;
}

enum step_result step_mbarrier_pending(struct warp *warp, struct path *path,
                                       const struct code *code, uint32_t mask)
{
    const uint64_t *state = warp_register_lanes(warp, code->s[0]);
    (void)path;
    for (uint32_t i = 0; i < LANES; i++)
        warp->temp[0].u32[i] = (uint32_t)(state[i] & MAX_COUNT);
    if (mask)
        warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, 4);
    return STEP_NEXT;
}
