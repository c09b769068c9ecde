// Divides a held instruction into parts: lines of memory, and shared memory.
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/lsu/coalesce.h"

static void add_shared(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                       const struct part *as)
{
    struct part part = *as;
    bool atomic = as->kind == MEMSYS_ATOMIC || as->kind == MEMSYS_REDUCE;
    part.route = ROUTE_SHARED;
    part.lanes = lanes->mask;
    part.cycles = (uint16_t)bank_cycles(core->kind->config, lanes, atomic);
    vec_push(core->arena, &entry->parts, part);
}

// Returns the lanes whose addresses are in shared memory of other CTAs of the cluster.
static uint32_t find_remote(const struct warp *warp, const struct lane_bytes *lanes)
{
    uint32_t remote = 0;
    for (uint32_t rest = lanes->mask; rest; rest &= rest - 1) {
        uint64_t address = lanes->address[__builtin_ctz(rest)];
        bool own = address < SHARED_STRIDE || address / SHARED_STRIDE - 1 == warp->cta->rank;
        remote |= own ? 0 : rest & -rest;
    }
    return remote;
}

static uint32_t count_bytes(const struct lane_bytes *lanes)
{
    uint32_t bytes = 0;
    for (uint32_t rest = lanes->mask; rest; rest &= rest - 1)
        bytes += lanes->each ? lanes->each[__builtin_ctz(rest)] : lanes->bytes;
    return bytes;
}

// Accesses of a cluster: those to shared memory of other CTAs pass the core's port to other cores.
static void add_cluster(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                        const struct part *as)
{
    const struct core_config *config = core->kind->config;
    struct lane_bytes some = *lanes;
    struct part part = *as;
    uint32_t remote = find_remote(entry->held->warp, lanes);
    if ((some.mask = lanes->mask & ~remote))
        add_shared(core, entry, &some, as);
    if (!(some.mask = remote))
        return;
    uint32_t bytes = count_bytes(&some);
    part.cluster_cycles =
        (uint16_t)(config->cluster_bytes ? divide_up(bytes, config->cluster_bytes) : 1);
    add_shared(core, entry, &some, &part);
}

static void add_any_shared(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                           const struct part *as)
{
    bool clustered = entry->held->warp->cta->cluster.count > 1;
    (clustered ? add_cluster : add_shared)(core, entry, lanes, as);
}

uint64_t core_local_line(const struct core *core, uint32_t slot)
{
    return LOCAL_LINES + (uint64_t)core_local_of(core, slot) * (WINDOW_BYTES / 4);
}

static void add_local(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                      const struct part *as)
{
    struct part part = *as;
    bool store = as->kind == MEMSYS_WRITE;
    part.line = core_local_line(core, entry->slot);
    part.route = store || core->kind->config->l1_local ? ROUTE_L1 : ROUTE_DIRECT;
    coalesce_local(core, entry, lanes, &part);
}

static bool has_operator(const uint16_t cache[CACHE_WORDS], uint16_t word)
{
    for (uint32_t i = 0; i < CACHE_WORDS; i++)
        if (cache[i] == word)
            return true;
    return false;
}

void coalesce_hints(const uint16_t cache[CACHE_WORDS], struct part *part)
{
    static const struct {
        uint16_t word;
        uint8_t keep, keep_next;
    } hints[] = {
        {W_cs, CACHE_KEEP_SHORT, CACHE_KEEP_SHORT},
        {W_lu, CACHE_KEEP_SHORT, CACHE_KEEP_SHORT},
        {W_L1_evict_first, CACHE_KEEP_SHORT, CACHE_KEEP},
        {W_L1_evict_normal, CACHE_KEEP_NORMAL, CACHE_KEEP},
        {W_L1_evict_last, CACHE_KEEP_LONG, CACHE_KEEP},
        {W_L1_evict_unchanged, CACHE_KEEP_STILL, CACHE_KEEP},
        {W_L2_evict_first, CACHE_KEEP, CACHE_KEEP_SHORT},
        {W_L2_evict_normal, CACHE_KEEP, CACHE_KEEP_NORMAL},
        {W_L2_evict_last, CACHE_KEEP, CACHE_KEEP_LONG},
    };
    if (cache[0] == W_UNKNOWN)
        return;
    for (uint32_t i = 0; i < ARRAY_LENGTH(hints); i++) {
        if (!has_operator(cache, hints[i].word))
            continue;
        part->keep = hints[i].keep ? hints[i].keep : part->keep;
        part->keep_next = hints[i].keep_next ? hints[i].keep_next : part->keep_next;
    }
}

// Returns the route of a global access. Stores use the L1, which forwards them. Loads bypass the L1
// if they must see the stores of other cores, or if a modifier requests it.
static enum part_route global_route(const struct core *core, const struct held *held, uint8_t kind)
{
    if (kind == MEMSYS_WRITE)
        return ROUTE_L1;
    bool direct = kind != MEMSYS_READ || held->order != W_weak || has_operator(held->cache, W_cg) ||
                  has_operator(held->cache, W_cv) || has_operator(held->cache, W_L1_no_allocate) ||
                  !core->kind->config->l1_global;
    return direct ? ROUTE_DIRECT : ROUTE_L1;
}

// Routes reads that state planes count past the L1, which would serve several with one request.
static void pass_counted(struct entry *entry, uint32_t first)
{
    const struct image *image = entry->held->warp->cta->launch->image;
    for (uint32_t i = first; image->counts_reads && i < entry->parts.n; i++) {
        struct part *part = &entry->parts.v[i];
        struct plane_line at = plane_find(image, part->line * LINE_BYTES);
        if (part->route == ROUTE_L1 && part->kind == MEMSYS_READ && at.plane && at.plane->reads)
            part->route = ROUTE_DIRECT;
    }
}

// Returns those lanes of which none has the address of an earlier one.
static uint32_t first_of_words(const struct lane_bytes *lanes)
{
    uint32_t first = 0;
    for (uint32_t rest = lanes->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), others = first;
        while (others && lanes->address[__builtin_ctz(others)] != lanes->address[lane])
            others &= others - 1;
        first |= others ? 0 : 1u << lane;
    }
    return first;
}

// Divides an atomic into requests in which no two lanes access the same word.
static void add_turns(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                      const struct part *as)
{
    struct lane_bytes turn = *lanes;
    for (uint32_t left = lanes->mask; left; left &= ~turn.mask) {
        turn.mask = left;
        turn.mask = first_of_words(&turn);
        coalesce_lines(core, entry, &turn, as);
    }
}

// Divides the parts from `first` on into one for each sector. A lane's values are moved with the
// sector of its last byte.
static void split_sectors(struct core *core, struct entry *entry, uint32_t first,
                          const struct lane_bytes *lanes)
{
    uint32_t size = core->kind->l1->sector_bytes, count = entry->parts.n;
    for (uint32_t i = first; i < count; i++) {
        struct part whole = entry->parts.v[i];
        bool used = false;
        for (uint32_t at = 0; at < LINE_BYTES; at += size) {
            struct part part = whole;
            part.bytes =
                mask_without(whole.bytes, mask_without(whole.bytes, mask_range(at, at + size)));
            part.lanes = 0;
            for (uint32_t rest = whole.lanes; rest; rest &= rest - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(rest);
                uint64_t last = lanes->address[lane] + lanes->bytes - 1;
                part.lanes |= last % LINE_BYTES / size == at / size ? 1u << lane : 0;
            }
            if (!mask_count(part.bytes))
                continue;
            if (used)
                vec_push(core->arena, &entry->parts, part);
            else
                entry->parts.v[i] = part;
            used = true;
        }
    }
}

static void add_global(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                       const struct part *as)
{
    struct part part = *as;
    const struct ir_inst *inst = core_inst(core, entry->timing);
    part.route = (uint8_t)global_route(core, entry->held, as->kind);
    if (inst->class == CLASS_LOAD && inst->space == W_const) {
        part.route = ROUTE_CONSTANT;
        part.cycles = (uint16_t)distinct_addresses(lanes);
    }
    uint32_t first = entry->parts.n;
    bool turns = core->kind->config->atomic_turns &&
                 (part.kind == MEMSYS_ATOMIC || part.kind == MEMSYS_REDUCE);
    (turns ? add_turns : coalesce_lines)(core, entry, lanes, &part);
    if (core->kind->config->sector_requests && part.route != ROUTE_CONSTANT)
        split_sectors(core, entry, first, lanes);
    pass_counted(entry, first);
}

static void split_touched(struct core *core, struct entry *entry)
{
    static const uint8_t kinds[] = {[TOUCHED_READ] = MEMSYS_READ,
                                    [TOUCHED_WRITTEN] = MEMSYS_WRITE,
                                    [TOUCHED_DISCARDED] = MEMSYS_REDUCE};
    const struct touched *touched = &entry->held->touched;
    for (uint32_t i = 0; i < touched->count; i++) {
        const struct touched_part *from = &touched->parts[i];
        struct lane_bytes lanes = {from->mask, from->address, from->bytes, 16,
                                   entry->held->warp->ops};
        struct part as = {.kind = kinds[from->use], .cycles = 1};
        as.route = from->space == TOUCHED_TEXTURE   ? ROUTE_TEXTURE
                   : from->use == TOUCHED_DISCARDED ? ROUTE_DIRECT
                                                    : ROUTE_L1;
        as.mark = from->use == TOUCHED_DISCARDED
                      ? plane_mark(PLANE_ALWAYS, PLANE_EMPTY) | PLANE_AS_MARKED
                      : 0;
        if (from->space == TOUCHED_SHARED)
            add_any_shared(core, entry, &lanes, &as);
        else if (from->space == TOUCHED_LOCAL)
            add_local(core, entry, &lanes, &as);
        else
            coalesce_lines(core, entry, &lanes, &as);
    }
}

void lsu_split(struct core *core, struct entry *entry)
{
    static const uint8_t kinds[] = {[HELD_LOAD] = MEMSYS_READ,
                                    [HELD_STORE] = MEMSYS_WRITE,
                                    [HELD_ATOMIC] = MEMSYS_ATOMIC,
                                    [HELD_REDUCE] = MEMSYS_REDUCE};
    const struct held *held = entry->held;
    struct part as = {.kind = kinds[held->kind], .cycles = 1};
    entry->parts.n = 0;
    if (held->served) {
        split_touched(core, entry);
        return;
    }
    coalesce_hints(held->cache, &as);
    struct lane_bytes lanes = {0, held->address, NULL, held->bytes, held->warp->ops};
    if ((lanes.mask = held->shared))
        add_any_shared(core, entry, &lanes, &as);
    if ((lanes.mask = held->local))
        add_local(core, entry, &lanes, &as);
    if ((lanes.mask = held->global))
        add_global(core, entry, &lanes, &as);
}
