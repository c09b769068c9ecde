// Functional warming. Copies without time bring their data to the LLC. CTAs that are executed
// untimed update the tags of the LLC as if it had served their accesses. Timed CTAs therefore find
// the lines that they would find after timed CTAs, and evict the lines that they would evict. L1s
// are not updated, because the CTAs could have run on any core. Local memory, which belongs to a
// resident warp, is ignored.
//
// Resident CTAs access memory concurrently. If all accesses of a CTA were applied before those of
// the next one, all sets of the LLC would see loads and stores in the same order and evict dirty
// lines at the same time. Therefore the accesses of a CTA are spread over the time in which it is
// resident, which is the time until as many CTAs have started as are resident. CTAs whose lines the
// following ones replace are ignored.
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/lsu/coalesce.h"
#include "runtime-sim/gpu/lsu/lsu_internal.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "support/random.h"
#include <string.h>

enum { WAITING_MAX = 1 << 18 }; // maximum number of waiting accesses

// An access to a line.
struct warm_line {
    uint64_t line;
    struct mask bytes;
    uint8_t kind, keep;
};

struct machine_warming {
    struct machine *machine;
    struct arena *arena;
    struct entry entry; // only its parts are used
    struct warp_watch watch;
    struct touched touched;
    struct touched_part parts[TOUCHED_PARTS];
    uint64_t resident;     // number of resident CTAs
    uint64_t ctas, places; // CTAs observed, and lines that they allocated in the LLC
    uint64_t random;
    VEC(struct warm_line) own; // accesses of the CTA that was executed last
    // A ring of `resident` elements, one for each of the next CTAs to start, with the accesses to
    // apply then.
    struct warm_cta {
        VEC(struct warm_line) lines;
    } * slots;
    uint64_t now, waiting; // element of the next CTA; accesses in all elements
};

static void serve(struct machine_warming *w, const struct warm_line *line)
{
    struct memsys_request request = {
        .line = line->line, .bytes = line->bytes, .kind = line->kind, .keep = line->keep};
    w->places += memsys_warm(w->machine->shared.memsys, &request);
}

static void serve_cta(struct machine_warming *w, uint64_t slot)
{
    struct warm_cta *at = &w->slots[slot % w->resident];
    for (uint32_t i = 0; i < at->lines.n; i++)
        serve(w, &at->lines.v[i]);
    w->waiting -= at->lines.n;
    at->lines.n = 0;
}

// Spreads the accesses of the CTA that was executed last over the time in which it is resident.
static void spread(struct machine_warming *w)
{
    uint64_t count = w->own.n;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t part = splitmix64(&w->random) >> 48;
        uint64_t slot = w->now + ((i << 16 | part) * w->resident / count >> 16);
        if (w->waiting >= WAITING_MAX) {
            serve(w, &w->own.v[i]);
            continue;
        }
        vec_push(w->arena, &w->slots[slot % w->resident].lines, w->own.v[i]);
        w->waiting++;
    }
    w->own.n = 0;
    serve_cta(w, w->now++);
}

static void warm(struct machine_warming *w, const struct lane_bytes *lanes, const struct part *as)
{
    struct core *core = &w->machine->cores[0];
    w->entry.parts.n = 0;
    coalesce_lines(core, &w->entry, lanes, as);
    for (uint32_t i = 0; i < w->entry.parts.n; i++) {
        const struct part *part = &w->entry.parts.v[i];
        struct warm_line line = {part->line, part->bytes, part->kind, part->keep_next};
        if (part->kind == MEMSYS_READ)
            line.bytes = lsu_sectors(core, part->bytes);
        if (w->own.n < WAITING_MAX)
            vec_push(w->arena, &w->own, line);
        else
            serve(w, &line);
    }
}

// Returns the lanes that access global memory. Stores their addresses there.
static uint32_t global_lanes(const struct warp *warp, uint64_t address[LANES])
{
    const struct access *access = &warp->access;
    uint16_t space = access->memory->space;
    uint32_t lanes = 0;
    if (space == W_shared || space == W_local)
        return 0;
    memcpy(address, access->address, sizeof access->address);
    if (space != W_UNKNOWN || access->span.min >= GLOBAL_FIRST)
        return access->mask;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct spot spot = {.space = W_UNKNOWN, .address = address[lane]};
        access_settle(warp->cta, &spot);
        address[lane] = spot.address;
        lanes |= (uint32_t)(spot.space != W_shared && spot.space != W_local) << lane;
    }
    return lanes;
}

static void warm_access(void *context, const struct warp *warp)
{
    const struct access *access = &warp->access;
    uint64_t address[LANES];
    struct lane_bytes lanes = {.address = address, .bytes = access->bytes, .ops = warp->ops};
    struct part as = {.kind = access->atomic   ? MEMSYS_ATOMIC
                              : access->writes ? MEMSYS_WRITE
                                               : MEMSYS_READ};
    if (!(lanes.mask = global_lanes(warp, address)))
        return;
    coalesce_hints(access->memory->cache, &as);
    warm(context, &lanes, &as);
}

static void warm_touched(void *context, const struct warp *warp, const struct touched *touched)
{
    for (uint32_t i = 0; i < touched->count; i++) {
        const struct touched_part *part = &touched->parts[i];
        struct lane_bytes lanes = {part->mask, part->address, part->bytes, 16, warp->ops};
        struct part as = {.kind = part->use == TOUCHED_WRITTEN ? MEMSYS_WRITE : MEMSYS_READ};
        if (part->space != TOUCHED_SHARED && part->space != TOUCHED_LOCAL &&
            part->use != TOUCHED_DISCARDED)
            warm(context, &lanes, &as);
    }
}

void machine_warm_begin(struct machine *machine, struct running *running)
{
    struct machine_warming *w = ARENA_NEW(&running->arena, struct machine_warming);
    running->warming = w;
    w->machine = machine;
    w->arena = &running->arena;
    w->resident = running->wave;
    w->slots = ARENA_ARRAY(w->arena, struct warm_cta, w->resident);
    w->touched.parts = w->parts;
    w->watch = (struct warp_watch){w, warm_access, warm_touched, &w->touched};
}

// Returns true if lines of a CTA may still be in the LLC when a timed CTA starts `left` CTAs later:
// if the LLC does not have room for twice the lines of the CTAs in between.
static bool is_seen(const struct machine_warming *w, uint64_t left)
{
    const struct memsys_config *config = &w->machine->config->memsys;
    uint64_t lines = config->llc.sets * config->llc.ways * config->memory.partition_nodes.n;
    return w->ctas < w->resident || left <= 2 * lines * w->ctas / (w->places + 1);
}

void machine_warm_cta(struct running *running, struct cta *cta, uint64_t left)
{
    bool seen = is_seen(running->warming, left);
    if (running->warming->own.n)
        spread(running->warming);
    running->warming->ctas += seen;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        cta->warps[i].watch = seen ? &running->warming->watch : NULL;
}

void machine_warm_end(struct running *running, struct cta *cta)
{
    struct machine_warming *w = running->warming;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        cta->warps[i].watch = NULL;
    if (w->own.n)
        spread(w);
    for (uint64_t i = 0; w->waiting && i < w->resident; i++)
        serve_cta(w, w->now++);
}

void machine_warm_copy(struct machine *machine, uint64_t address, uint64_t bytes)
{
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t line = address / LINE_BYTES, from = address % LINE_BYTES;
        uint64_t until =
            end - line * LINE_BYTES < LINE_BYTES ? end - line * LINE_BYTES : LINE_BYTES;
        struct memsys_request request = {.line = line,
                                         .bytes = mask_range((uint32_t)from, (uint32_t)until),
                                         .kind = MEMSYS_READ};
        memsys_warm(machine->shared.memsys, &request);
        address = (line + 1) * LINE_BYTES;
    }
}
