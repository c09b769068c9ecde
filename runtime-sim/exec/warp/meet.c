// Instructions that several lanes execute together: shfl, vote, match, redux, elect, bar.warp.
//
// The instruction names its lanes. The path that arrives first waits at the instruction for the
// other lanes, until each has arrived on any path or has ended. The instruction is then executed
// once for all of them.
#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/memory_ops.h"

static const union lanes *source(const struct warp *warp, const struct code *code, uint32_t n)
{
    return warp_register_lanes(warp, code->s[n]);
}

// Synchronisation

// Returns the lanes that the code names for one lane. The operand with them is counted from 1.
static uint32_t named_by(const struct warp *warp, const struct code *code, uint32_t lane)
{
    return source(warp, code, (uint32_t)code->value - 1)->u32[lane];
}

// Returns the lanes in `mask` for which the code names these lanes; usually all.
static uint32_t naming(const struct warp *warp, const struct code *code, uint32_t named,
                       uint32_t mask)
{
    const union lanes *masks = source(warp, code, (uint32_t)code->value - 1);
    uint32_t differ = 0, same = 0;
    for (uint32_t i = 0; i < LANES; i++)
        differ |= (masks->u32[i] ^ named) & -(mask >> i & 1);
    if (!differ)
        return mask;
    for (uint32_t i = 0; i < LANES; i++)
        same |= (uint32_t)(masks->u32[i] == named) << i;
    return same & mask;
}

static const struct code *code_of(const struct warp *warp, const struct path *path)
{
    return &warp->program->codes.v[path->pc];
}

// Returns the operand of a path.
static void *operand(const struct warp *warp, const struct path *path, uint32_t slot)
{
    uint8_t *bases[4] = {warp->frames + path->frame, warp->bases[BASE_WARP],
                         warp->bases[BASE_LAUNCH], warp->bases[BASE_PROGRAM]};
    return reg_slot_lanes(bases, slot);
}

static bool is_here(const struct path *path, const struct path *other)
{
    return other->frame == path->frame && other->pc == path->pc;
}

// Returns true for instructions that differ only in their registers.
static bool is_alike(const struct code *a, const struct code *b)
{
    return a->step == b->step && a->type == b->type && a->attributes == b->attributes;
}

// Returns true if another path waits at the instruction. All lanes of a waiting path name the same
// lanes.
static bool waits_too(const struct warp *warp, const struct path *path, const struct path *other,
                      uint32_t named, bool anywhere)
{
    const struct code *code = code_of(warp, other);
    if (other == path || other->state != PATH_LANES ||
        (anywhere ? !is_alike(code, code_of(warp, path)) : !is_here(path, other)))
        return false;
    const union lanes *masks = operand(warp, other, code->s[code->value - 1]);
    return masks->u32[__builtin_ctz(other->mask)] == named;
}

// The lanes that have arrived, and whether some of them are on other paths.
struct coming {
    uint32_t lanes;
    bool apart;
};

static struct coming come(const struct warp *warp, const struct path *path, uint32_t named,
                          bool anywhere)
{
    struct coming coming = {.lanes = path->mask};
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        const struct path *other = &warp->paths.v[i];
        if (!waits_too(warp, path, other, named, anywhere))
            continue;
        coming.lanes |= other->mask;
        coming.apart |= !is_here(path, other);
    }
    return coming;
}

static void go_on(struct warp *warp, const struct path *path, uint32_t named, bool anywhere)
{
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        struct path *other = &warp->paths.v[i];
        if (!waits_too(warp, path, other, named, anywhere))
            continue;
        other->state = PATH_READY;
        other->pc++;
    }
}

static void write_results(struct warp *warp, const struct code *code, uint32_t mask)
{
    if (code->d != REG_SLOT_NONE)
        warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, code->width);
    if (code->d2 != REG_SLOT_NONE)
        warp->ops->blend(warp_register_lanes(warp, code->d2), &warp->temp[1], mask, code->width2);
}

static void execute(struct warp *warp, const struct code *code, uint32_t mask, warp_sync_fn *fn)
{
    if (!fn && warp->check) // bar.warp.sync
        check_order(warp->check, warp, mask, false);
    if (!fn)
        return;
    fn(warp, code, mask);
    write_results(warp, code, mask);
}

// Lanes on several paths: operands are gathered from the paths, and each path gets its results.

struct together {
    union lanes lanes[CODE_SOURCES];
    struct code code; // its sources are `lanes`
};

static void bring(const struct warp *warp, const struct path *path, struct together *together)
{
    const struct code *code = code_of(warp, path);
    const uint8_t *widths = code->extra;
    for (uint32_t i = 0; i < code->source_count; i++)
        warp->ops->blend(&together->lanes[i], operand(warp, path, code->s[i]), path->mask,
                         widths[i]);
}

static void execute_apart(struct warp *warp, const struct path *path, uint32_t named, uint32_t mask,
                          warp_sync_fn *fn)
{
    struct together together = {.code = *code_of(warp, path)};
    uint8_t *frame = warp->bases[BASE_FRAME];
    bring(warp, path, &together);
    for (uint32_t i = 0; i < warp->paths.n; i++)
        if (waits_too(warp, path, &warp->paths.v[i], named, true))
            bring(warp, &warp->paths.v[i], &together);
    for (uint32_t i = 0; i < together.code.source_count; i++)
        together.code.s[i] = REG_SLOT(BASE_FRAME, i * sizeof *together.lanes);
    warp->bases[BASE_FRAME] = (uint8_t *)together.lanes;
    fn(warp, &together.code, mask);
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        const struct path *other = &warp->paths.v[i];
        if (!waits_too(warp, path, other, named, true))
            continue;
        warp->bases[BASE_FRAME] = warp->frames + other->frame;
        write_results(warp, code_of(warp, other), other->mask);
    }
    warp->bases[BASE_FRAME] = frame;
    write_results(warp, code_of(warp, path), path->mask);
}

// Returns true if the lanes name several groups, such as the tiles of a cooperative group, and all
// lanes of all groups are on this path.
static bool groups_are_here(const struct warp *warp, const struct code *code, uint32_t mask)
{
    for (uint32_t rest = mask; rest;) {
        uint32_t named = named_by(warp, code, (uint32_t)__builtin_ctz(rest));
        uint32_t group = naming(warp, code, named, rest);
        if (group != (named & warp->live))
            return false;
        rest &= ~group;
    }
    return true;
}

static enum step_result execute_groups(struct warp *warp, const struct code *code, uint32_t mask,
                                       warp_sync_fn *fn)
{
    for (uint32_t rest = mask; rest;) {
        uint32_t named = named_by(warp, code, (uint32_t)__builtin_ctz(rest));
        uint32_t group = naming(warp, code, named, rest);
        execute(warp, code, group, fn);
        rest &= ~group;
    }
    return STEP_NEXT;
}

// Splits off the other lanes of the path, which continue at `pc`.
static struct path *part(struct warp *warp, struct path *path, uint32_t pc, uint32_t mask)
{
    uint32_t self = warp->current;
    if (mask == path->mask)
        return path;
    warp_fork(warp, path, pc, path->mask & ~mask, path->reconvergence);
    path = &warp->paths.v[self];
    path->mask = mask;
    return path;
}

static enum step_result wait_for(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t named, warp_sync_fn *fn, bool anywhere)
{
    if (path->mask & ~named)
        return warp_fault(warp, code, path->mask & ~named, "the lane is not in the mask 0x%08x",
                          named);
    struct coming coming = come(warp, path, named, anywhere);
    if (named & warp->live & ~coming.lanes) {
        path->state = PATH_LANES;
        return STEP_LEAVE;
    }
    if (fn && coming.apart)
        execute_apart(warp, path, named, coming.lanes, fn);
    else
        execute(warp, code, coming.lanes, fn);
    go_on(warp, path, named, anywhere);
    return STEP_NEXT;
}

enum step_result warp_sync(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask, warp_sync_fn *fn, bool anywhere)
{
    if (!mask)
        return STEP_NEXT;
    path = part(warp, path, path->pc + 1, mask); // lanes whose guard is false
    if (!code->value) {
        execute(warp, code, mask, fn);
        return STEP_NEXT;
    }
    uint32_t named = named_by(warp, code, (uint32_t)__builtin_ctz(mask));
    uint32_t group = naming(warp, code, named, mask);
    if (group != mask) {
        if (groups_are_here(warp, code, mask))
            return execute_groups(warp, code, mask, fn);
        path = part(warp, path, path->pc, group);
        warp_uncount(warp, mask & ~group); // these execute it again
    }
    return wait_for(warp, path, code, named, fn, anywhere);
}

void warp_sync_again(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        if (warp->paths.v[i].state != PATH_LANES)
            continue;
        warp->paths.v[i].state = PATH_READY;
        warp_uncount(warp, warp->paths.v[i].mask);
    }
}

#define WARP_SYNC(name, fn)                                                                        \
    enum step_result name(struct warp *warp, struct path *path, const struct code *code,           \
                          uint32_t mask)                                                           \
    {                                                                                              \
        return warp_sync(warp, path, code, mask, fn, true);                                        \
    }

// shfl

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };

// Returns the lane that `lane` reads, and whether it is in range.
static bool shuffle_lane(enum shuffle mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31, distance = b & 31;
    uint32_t max = (lane & segment) | (clamp & ~segment), min = lane & segment;
    bool good = false;
    switch (mode) {
    case SHUFFLE_UP:
        good = (int)(lane - distance) >= (int)max;
        *from = lane - distance;
        break;
    case SHUFFLE_DOWN: good = (*from = lane + distance) <= max; break;
    case SHUFFLE_BFLY: good = (*from = lane ^ distance) <= max; break;
    case SHUFFLE_IDX: good = (*from = min | (distance & ~segment)) <= max; break;
    }
    if (!good)
        *from = lane;
    return good;
}

static void shuffle(struct warp *warp, const struct code *code, enum shuffle mode)
{
    const union lanes *a = source(warp, code, 0), *b = source(warp, code, 1),
                      *c = source(warp, code, 2);
    union lanes *d = &warp->temp[0];
    uint32_t good = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t from;
        good |= (uint32_t)shuffle_lane(mode, i, b->u32[i], c->u32[i], &from) << i;
        d->u32[i] = a->u32[from & 31];
    }
    warp->temp[1].mask = good;
}

#define SHUFFLE(name, mode)                                                                        \
    static void name(struct warp *warp, const struct code *code, uint32_t mask)                    \
    {                                                                                              \
        (void)mask;                                                                                \
        shuffle(warp, code, mode);                                                                 \
    }
SHUFFLE(shuffle_up, SHUFFLE_UP)
SHUFFLE(shuffle_down, SHUFFLE_DOWN)
SHUFFLE(shuffle_bfly, SHUFFLE_BFLY)
SHUFFLE(shuffle_idx, SHUFFLE_IDX)
WARP_SYNC(step_shfl_up, shuffle_up)
WARP_SYNC(step_shfl_down, shuffle_down)
WARP_SYNC(step_shfl_bfly, shuffle_bfly)
WARP_SYNC(step_shfl_idx, shuffle_idx)

// vote

// Returns the source predicate, whose slot has the size of a word.
static uint32_t truths(const struct warp *warp, const struct code *code)
{
    return *(const uint32_t *)warp_register_lanes(warp, code->s[0]);
}

static void vote_all(struct warp *warp, const struct code *code, uint32_t mask)
{
    warp->temp[0].mask = mask & ~truths(warp, code) ? 0 : FULL_MASK;
}

static void vote_any(struct warp *warp, const struct code *code, uint32_t mask)
{
    warp->temp[0].mask = mask & truths(warp, code) ? FULL_MASK : 0;
}

static void vote_uni(struct warp *warp, const struct code *code, uint32_t mask)
{
    uint32_t true_lanes = mask & truths(warp, code);
    warp->temp[0].mask = !true_lanes || true_lanes == mask ? FULL_MASK : 0;
}

static void spread(struct warp *warp, uint32_t value)
{
    for (uint32_t i = 0; i < LANES; i++)
        warp->temp[0].u32[i] = value;
}

static void vote_ballot(struct warp *warp, const struct code *code, uint32_t mask)
{
    spread(warp, mask & truths(warp, code));
}

WARP_SYNC(step_vote_all, vote_all)
WARP_SYNC(step_vote_any, vote_any)
WARP_SYNC(step_vote_uni, vote_uni)
WARP_SYNC(step_vote_ballot, vote_ballot)

// match

static uint64_t value_at(const union lanes *lanes, uint32_t width, uint32_t lane)
{
    return width == 8 ? lanes->u64[lane] : lanes->u32[lane];
}

static uint32_t same_lanes(const union lanes *a, uint32_t width, uint32_t mask, uint32_t lane)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < LANES; i++)
        same |= (uint32_t)(value_at(a, width, i) == value_at(a, width, lane)) << i;
    return same & mask;
}

static void match_any(struct warp *warp, const struct code *code, uint32_t mask)
{
    uint32_t width = (uint32_t)ir_type_bits(code->type) / 8;
    for (uint32_t i = 0; i < LANES; i++)
        warp->temp[0].u32[i] = same_lanes(source(warp, code, 0), width, mask, i);
}

static void match_all(struct warp *warp, const struct code *code, uint32_t mask)
{
    uint32_t width = (uint32_t)ir_type_bits(code->type) / 8;
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    bool all = same_lanes(source(warp, code, 0), width, mask, lane) == mask;
    spread(warp, all ? mask : 0);
    warp->temp[1].mask = all ? FULL_MASK : 0;
}

WARP_SYNC(step_match_any, match_any)
WARP_SYNC(step_match_all, match_all)

// redux: combines the lanes in order

#define REDUCE(name, T, member, ...)                                                               \
    static void name(struct warp *warp, const struct code *code, uint32_t mask)                    \
    {                                                                                              \
        const union lanes *lanes = source(warp, code, 0);                                          \
        T a = lanes->member[__builtin_ctz(mask)];                                                  \
        for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {                          \
            T b = lanes->member[__builtin_ctz(rest)];                                              \
            a = (T)(__VA_ARGS__);                                                                  \
        }                                                                                          \
        spread(warp, (uint32_t)a);                                                                 \
    }
REDUCE(redux_add, uint32_t, u32, a + b)
REDUCE(redux_min_u32, uint32_t, u32, a < b ? a : b)
REDUCE(redux_max_u32, uint32_t, u32, a > b ? a : b)
REDUCE(redux_min_s32, int32_t, s32, a < b ? a : b)
REDUCE(redux_max_s32, int32_t, s32, a > b ? a : b)
REDUCE(redux_and, uint32_t, u32, a &b)
REDUCE(redux_or, uint32_t, u32, a | b)
REDUCE(redux_xor, uint32_t, u32, a ^ b)
WARP_SYNC(step_redux_add, redux_add)
WARP_SYNC(step_redux_min_u32, redux_min_u32)
WARP_SYNC(step_redux_max_u32, redux_max_u32)
WARP_SYNC(step_redux_min_s32, redux_min_s32)
WARP_SYNC(step_redux_max_s32, redux_max_s32)
WARP_SYNC(step_redux_and, redux_and)
WARP_SYNC(step_redux_or, redux_or)
WARP_SYNC(step_redux_xor, redux_xor)

// redux.f32: NaNs are ignored or, with .NaN, give a NaN; −0 is below +0.

static bool is_nan(uint32_t bits)
{
    return (bits & INT32_MAX) > 0x7f800000;
}

// Returns an integer that is ordered like the numbers.
static int32_t ordered(uint32_t bits)
{
    return (int32_t)(bits >> 31 ? ~(bits & INT32_MAX) : bits);
}

static void redux_f32(struct warp *warp, const struct code *code, uint32_t mask, bool greatest)
{
    const union lanes *lanes = source(warp, code, 0);
    uint32_t best = 0x7fffffff;
    bool some_nan = false;
    for (; mask; mask &= mask - 1) {
        uint32_t bits = lanes->u32[__builtin_ctz(mask)];
        if (code->attributes & ATTR_ABS)
            bits &= INT32_MAX;
        some_nan |= is_nan(bits);
        if (is_nan(bits))
            continue;
        if (is_nan(best) ||
            (greatest ? ordered(bits) > ordered(best) : ordered(bits) < ordered(best)))
            best = bits;
    }
    spread(warp, code->attributes & ATTR_NAN && some_nan ? 0x7fffffff : best);
}

static void redux_min_f32(struct warp *warp, const struct code *code, uint32_t mask)
{
    redux_f32(warp, code, mask, false);
}

static void redux_max_f32(struct warp *warp, const struct code *code, uint32_t mask)
{
    redux_f32(warp, code, mask, true);
}

WARP_SYNC(step_redux_min_f32, redux_min_f32)
WARP_SYNC(step_redux_max_f32, redux_max_f32)

// elect: the lowest lane of the mask

static void elect(struct warp *warp, const struct code *code, uint32_t mask)
{
    (void)code;
    spread(warp, (uint32_t)__builtin_ctz(mask));
    warp->temp[1].mask = mask & -mask;
}

WARP_SYNC(step_elect, elect)

enum step_result step_bar_warp(struct warp *warp, struct path *path, const struct code *code,
                               uint32_t mask)
{
    return warp_sync(warp, path, code, mask, NULL, true);
}

enum step_result step_activemask(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t mask)
{
    (void)path;
    spread(warp, mask);
    warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, 4);
    return STEP_NEXT;
}
