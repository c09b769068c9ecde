// Shadow memory. The state of bytes is in pages, which are allocated when one of their bytes is
// first accessed. A page has one state per word until a part of a word is accessed, then one per
// byte.
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include <string.h>

enum { PAGE_SHIFT = 8, PAGE = 1 << PAGE_SHIFT, WORD_SHIFT = 2 };

// The last access. `thread` is the linear index in the grid + 1; 0: no access.
struct touch {
    uint64_t thread;
    uint32_t code, time;
    bool atomic;
};

// The last write, and two threads that have read since then.
struct cell {
    struct touch write, read[2];
};

struct page {
    uint32_t shift; // log2 of the bytes of a cell
    struct cell *cells;
};

// The shadow of an allocation, or of a CTA's shared memory.
struct check_shadow {
    struct page **pages;
    uint64_t bytes;
    uint64_t *written; // one bit per byte
    uint64_t **lanes;  // for shared memory: bits for the local memory of each thread of the CTA
    uint32_t *lane_bytes;
    struct check_cta *owner; // the CTA that uses it now
};

enum { HISTORY = 16 };

// The last times at which an operation ordered memory.
struct history {
    uint32_t count, times[HISTORY];
};

struct check_cta {
    uint32_t met;            // time at which all threads last completed a barrier
    struct history beyond;   // order with other CTAs
    struct history *threads; // order with other threads; NULL: no thread
    struct history *warps;   // order with other warps; exists if `threads` does
};

// Bit sets of bytes, with 64-bit indices, unlike those of support/bits.h.

static uint64_t *new_bits(struct arena *arena, uint64_t count)
{
    return ARENA_ARRAY(arena, uint64_t, count / 64 + 1);
}

static bool test(const uint64_t *bits, uint64_t at)
{
    return bits[at / 64] >> at % 64 & 1;
}

static void set(uint64_t *bits, uint64_t at)
{
    bits[at / 64] |= UINT64_C(1) << at % 64;
}

void check_init(struct check *check, struct arena *arena, bool race, bool uninit, uint32_t limit)
{
    *check = (struct check){.race = race, .uninit = uninit, .limit = limit, .arena = arena};
}

void check_begin(struct check *check, const struct launch *launch, struct arena *scratch)
{
    uint64_t count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    check->launch = launch;
    check->scratch = scratch;
    check->threads = launch->block[0] * launch->block[1] * launch->block[2];
    check->now = 1;
    check->ctas = ARENA_ARRAY(scratch, struct check_cta *, count);
    memset(&check->allocated, 0, sizeof check->allocated);
}

static struct check_shadow *new_shadow(struct check *check, uint64_t bytes)
{
    struct check_shadow *shadow = ARENA_NEW(check->scratch, struct check_shadow);
    shadow->bytes = bytes;
    shadow->pages = ARENA_ARRAY(check->scratch, struct page *, (bytes >> PAGE_SHIFT) + 1);
    return shadow;
}

static struct check_shadow *new_cta_shadow(struct check *check, uint64_t bytes)
{
    struct check_shadow *shadow = new_shadow(check, bytes);
    shadow->written = new_bits(check->scratch, bytes);
    shadow->lanes = ARENA_ARRAY(check->scratch, uint64_t *, check->threads);
    shadow->lane_bytes = ARENA_ARRAY(check->scratch, uint32_t, check->threads);
    return shadow;
}

static uint32_t warps_of(const struct check *check)
{
    return divide_up(check->threads, LANES);
}

// Gives the memory of an ended CTA to the next one. Of the former, only the order with other CTAs
// is still needed.
static void hand_over(struct check *check, struct check_shadow *shadow, struct check_cta *to)
{
    for (uint64_t i = 0; i <= shadow->bytes >> PAGE_SHIFT; i++)
        if (shadow->pages[i])
            memset(shadow->pages[i]->cells, 0,
                   sizeof(struct cell) * (PAGE >> shadow->pages[i]->shift));
    memset(shadow->written, 0, (shadow->bytes / 64 + 1) * 8);
    for (uint32_t i = 0; i < check->threads; i++)
        if (shadow->lane_bytes[i])
            memset(shadow->lanes[i], 0, (shadow->lane_bytes[i] / 64 + 1) * 8);
    to->threads = shadow->owner->threads;
    to->warps = shadow->owner->warps;
    shadow->owner->threads = shadow->owner->warps = NULL;
    if (!to->threads)
        return;
    memset(to->threads, 0, check->threads * sizeof *to->threads);
    memset(to->warps, 0, warps_of(check) * sizeof *to->warps);
}

void check_start(struct check *check, struct cta *cta)
{
    struct check_cta *at = ARENA_NEW(check->scratch, struct check_cta);
    check->ctas[cta->linear] = at;
    if (cta->shadow)
        hand_over(check, cta->shadow, at);
    else
        cta->shadow = new_cta_shadow(check, cta->shared_bytes);
    cta->shadow->owner = at;
}

// Order

static void remember(struct history *history, uint32_t time)
{
    history->times[history->count++ % HISTORY] = time;
}

static uint32_t last_of(const struct history *history)
{
    return history->count ? history->times[(history->count - 1) % HISTORY] : 0;
}

// Returns the first time after `time`, or UINT32_MAX. If `time` is older than the recorded history,
// assumes the time directly after it.
static uint32_t first_after(const struct history *history, uint32_t time)
{
    uint32_t kept = history->count < HISTORY ? history->count : HISTORY;
    for (uint32_t i = history->count - kept; i < history->count; i++)
        if (history->times[i % HISTORY] > time)
            return i == history->count - kept && history->count > HISTORY
                       ? time + 1
                       : history->times[i % HISTORY];
    return UINT32_MAX;
}

static void remember_lanes(struct check *check, const struct warp *warp, uint32_t mask, bool warps)
{
    struct check_cta *at = check->ctas[warp->cta->linear];
    if (!at->threads) {
        at->threads = ARENA_ARRAY(check->scratch, struct history, check->threads);
        at->warps = ARENA_ARRAY(check->scratch, struct history, warps_of(check));
    }
    if (warps && mask)
        remember(&at->warps[warp->index], check->now);
    for (; mask; mask &= mask - 1)
        remember(&at->threads[warp->first + (uint32_t)__builtin_ctz(mask)], check->now);
}

void check_barrier(struct check *check, const struct cta *cta, const uint32_t *arrived)
{
    bool all = true;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        all &= !(cta->warps[i].live & ~arrived[i]);
    check->now++;
    if (all)
        check->ctas[cta->linear]->met = check->now;
    for (uint32_t i = 0; i < cta->warp_count && !all; i++)
        remember_lanes(check, &cta->warps[i], arrived[i], true);
}

void check_order(struct check *check, const struct warp *warp, uint32_t mask, bool beyond)
{
    check->now++;
    remember_lanes(check, warp, mask, beyond);
    if (beyond)
        remember(&check->ctas[warp->cta->linear]->beyond, check->now);
}

void check_cluster(struct check *check, const struct cluster *cluster)
{
    check->now++;
    for (uint32_t i = 0; i < cluster->count; i++) {
        struct check_cta *at = check->ctas[cluster->ctas[i]->linear];
        at->met = check->now;
        remember(&at->beyond, check->now);
    }
}

// Returns true if thread `from` has ordered memory after `time`, and thread `to` after that.
// Between warps, the order must include other warps on both sides.
static bool are_ordered(const struct check_cta *cta, uint32_t from, uint32_t to, uint32_t time)
{
    if (!cta->threads)
        return false;
    uint32_t left = first_after(&cta->threads[from], time);
    if (left != UINT32_MAX && from / LANES != to / LANES) {
        left = first_after(&cta->warps[from / LANES], left - 1);
        if (left > last_of(&cta->warps[to / LANES]))
            return false;
    }
    return left <= last_of(&cta->threads[to]);
}

static bool is_ordered(const struct check *check, const struct touch *before, uint64_t thread)
{
    uint64_t from = before->thread - 1, to = thread - 1;
    const struct check_cta *first = check->ctas[from / check->threads];
    const struct check_cta *second = check->ctas[to / check->threads];
    if (from == to)
        return true;
    if (first != second)
        return first_after(&first->beyond, before->time) <= last_of(&second->beyond);
    if (first->met > before->time)
        return true;
    return are_ordered(first, (uint32_t)(from % check->threads), (uint32_t)(to % check->threads),
                       before->time);
}

// Reports

struct seen {
    const struct warp *warp;
    const struct access *access;
    const struct spot *spot;
    uint32_t lane;
    uint64_t offset, bytes; // in the allocation, or in the memory of the CTA or thread
    struct touch touch;
    bool reported; // one access gives at most one report
};

static struct access_site site_of(const struct check *check, const struct touch *touch, bool writes)
{
    const struct launch *launch = check->launch;
    struct access_site place = {.writes = writes, .atomic = touch->atomic};
    uint32_t cta = (uint32_t)((touch->thread - 1) / check->threads);
    uint32_t thread = (uint32_t)((touch->thread - 1) % check->threads);
    for (uint32_t i = 0; i < 3; i++) {
        place.cta[i] = cta % launch->grid[i];
        place.thread[i] = thread % launch->block[i];
        cta /= launch->grid[i];
        thread /= launch->block[i];
    }
    place.inst = launch->program->codes.v[touch->code].inst;
    for (uint32_t i = 0; i < launch->program->functions.n; i++)
        if (touch->code >= launch->program->functions.v[i].begin &&
            touch->code < launch->program->functions.v[i].end)
            place.function = i;
    return place;
}

static bool same_instruction(const struct access_site *a, const struct access_site *b)
{
    return a->function == b->function && a->inst == b->inst;
}

static void report(struct check *check, struct seen *seen, enum check_kind kind, uint64_t address,
                   const struct touch *first, bool first_writes)
{
    if (seen->reported)
        return;
    seen->reported = true;
    struct check_report report = {.kind = (uint8_t)kind,
                                  .space = seen->spot->space,
                                  .address = address,
                                  .launch = check->launch->id,
                                  .times = 1};
    report.second = site_of(check, &seen->touch, seen->access->writes);
    report.first = first ? site_of(check, first, first_writes) : report.second;
    check->found++;
    for (uint32_t i = 0; i < check->reports.n; i++) {
        struct check_report *other = &check->reports.v[i];
        if (other->kind != kind || !same_instruction(&other->first, &report.first) ||
            !same_instruction(&other->second, &report.second))
            continue;
        other->times++;
        return;
    }
    if (check->reports.n >= check->limit)
        return;
    access_describe(seen->warp, report.space, address, report.nearest, sizeof report.nearest);
    vec_push(check->arena, &check->reports, report);
}

void check_register(struct check *check, const struct warp *warp, uint32_t function,
                    const struct code *code, uint32_t lanes, uint32_t reg)
{
    uint64_t times = (uint64_t)__builtin_popcount(lanes);
    struct check_report report = {
        .kind = CHECK_REGISTER, .reg = reg, .launch = check->launch->id, .times = times};
    report.second.function = function;
    report.second.inst = code->inst;
    lane_coordinates(warp, (uint32_t)__builtin_ctz(lanes), report.second.cta, report.second.thread);
    check->found += times;
    for (uint32_t i = 0; i < check->reports.n; i++) {
        struct check_report *other = &check->reports.v[i];
        if (other->kind != CHECK_REGISTER || other->reg != reg ||
            !same_instruction(&other->second, &report.second))
            continue;
        other->times += times;
        return;
    }
    if (check->reports.n < check->limit)
        vec_push(check->arena, &check->reports, report);
}

// Races

static struct page *new_page(struct check *check, uint32_t shift)
{
    struct page *page = ARENA_NEW(check->scratch, struct page);
    page->shift = shift;
    page->cells = ARENA_ARRAY(check->scratch, struct cell, PAGE >> shift);
    return page;
}

static struct page *page_of(struct check *check, struct check_shadow *shadow, uint64_t offset,
                            bool words)
{
    struct page **at = &shadow->pages[offset >> PAGE_SHIFT];
    if (!*at)
        *at = new_page(check, words ? WORD_SHIFT : 0);
    if ((*at)->shift && !words) {
        struct page *fine = new_page(check, 0);
        for (uint32_t i = 0; i < PAGE; i++)
            fine->cells[i] = (*at)->cells[i >> WORD_SHIFT];
        *at = fine;
    }
    return *at;
}

// Returns true if two accesses without an order between them are a race.
static bool is_race(const struct check *check, const struct touch *before,
                    const struct touch *after)
{
    return before->thread && !(before->atomic && after->atomic) &&
           !is_ordered(check, before, after->thread);
}

// Returns true if the stored bytes equal those in memory, element by element.
static bool stores_same(const struct seen *seen, uint64_t from, uint64_t bytes)
{
    const struct memory_code *memory = seen->access->memory;
    if (!seen->access->plain)
        return false;
    for (uint64_t at = from; at < from + bytes; at++) {
        uint64_t element = at / memory->bytes, byte = at % memory->bytes;
        if (element >= memory->elements || !seen->access->data[element])
            continue;
        uint32_t width = seen->access->width[element];
        const uint8_t *lane =
            (const uint8_t *)seen->access->data[element] + (size_t)seen->lane * width;
        if (seen->spot->host[at] != (byte < width ? lane[byte] : 0))
            return false;
    }
    return true;
}

static void touch_read(struct check *check, struct seen *seen, struct cell *cell, uint64_t address)
{
    if (is_race(check, &cell->write, &seen->touch))
        report(check, seen, CHECK_RACE, address, &cell->write, true);
    struct touch *first = &cell->read[0];
    bool take = !first->thread || is_ordered(check, first, seen->touch.thread);
    cell->read[!take] = seen->touch;
}

static void touch_write(struct check *check, struct seen *seen, struct cell *cell, uint64_t address,
                        bool same)
{
    bool found = false;
    for (uint32_t i = 0; i < 2 && !found; i++) {
        found = is_race(check, &cell->read[i], &seen->touch);
        if (found)
            report(check, seen, CHECK_RACE, address, &cell->read[i], false);
    }
    if (!found && !same && is_race(check, &cell->write, &seen->touch))
        report(check, seen, CHECK_RACE, address, &cell->write, true);
    *cell = (struct cell){.write = seen->touch};
}

static void look_for_races(struct check *check, struct seen *seen, struct check_shadow *shadow)
{
    bool words = !((seen->offset | seen->bytes) & ((1 << WORD_SHIFT) - 1));
    for (uint64_t at = 0; at < seen->bytes;) {
        struct page *page = page_of(check, shadow, seen->offset + at, words);
        struct cell *cell = &page->cells[((seen->offset + at) & (PAGE - 1)) >> page->shift];
        uint64_t address = seen->spot->address + at, step = UINT64_C(1) << page->shift;
        if (seen->access->writes)
            touch_write(check, seen, cell, address, stores_same(seen, at, step));
        else
            touch_read(check, seen, cell, address);
        at += step;
    }
}

// Reads of unwritten bytes

// Returns true if this byte of the access belongs to an element that a sink omits.
static bool is_left_out(const struct access *access, uint64_t at)
{
    return access->plain && at / access->memory->bytes < access->memory->elements &&
           !access->data[at / access->memory->bytes];
}

static void look_at_bits(struct check *check, struct seen *seen, uint64_t *bits)
{
    const struct access *access = seen->access;
    for (uint64_t i = 0; i < seen->bytes; i++) {
        if (is_left_out(access, i))
            continue;
        if (access->reads && !test(bits, seen->offset + i))
            report(check, seen, CHECK_UNWRITTEN, seen->spot->address + i, NULL, false);
        if (access->writes)
            set(bits, seen->offset + i);
    }
}

static uint64_t *local_bits(struct check *check, const struct seen *seen)
{
    struct check_shadow *shadow = seen->warp->cta->shadow;
    uint32_t thread = seen->warp->first + seen->lane, need = seen->access->local_end;
    if (shadow->lane_bytes[thread] < need) {
        uint64_t *bits = new_bits(check->scratch, need);
        if (shadow->lane_bytes[thread])
            memcpy(bits, shadow->lanes[thread], (shadow->lane_bytes[thread] / 64 + 1) * 8);
        shadow->lanes[thread] = bits;
        shadow->lane_bytes[thread] = need;
    }
    return shadow->lanes[thread];
}

// Returns true for parameters, which the caller writes.
static bool is_parameter(const struct seen *seen)
{
    const struct program *program = seen->warp->program;
    const struct program_function *fn = &program->functions.v[seen->access->function];
    uint32_t end = 0;
    for (uint32_t i = 0; i < fn->param_count; i++) {
        const struct program_parameter *one = &program->parameters.v[fn->params + i];
        end = one->offset + one->bytes > end ? one->offset + one->bytes : end;
    }
    bool entry = program->module->functions.v[fn->function].is_entry;
    return seen->access->memory->parameter || (!entry && seen->offset - seen->access->local < end);
}

static struct check_shadow *global_shadow(struct check *check, uint32_t place, uint64_t bytes)
{
    while (check->allocated.n <= place)
        vec_push(check->scratch, &check->allocated, NULL);
    struct check_shadow **at = &check->allocated.v[place];
    if (!*at)
        *at = new_shadow(check, bytes);
    return *at;
}

static void look_at_global(struct check *check, struct seen *seen)
{
    struct image *image = check->launch->image;
    struct allocation *at = &image->list.v[seen->warp->hint];
    seen->offset = seen->spot->address - at->address;
    if (check->uninit && !at->filled) {
        if (!at->written)
            at->written = new_bits(image->arena, at->bytes);
        look_at_bits(check, seen, at->written);
    }
    if (check->race && !at->constant)
        look_for_races(check, seen, global_shadow(check, seen->warp->hint, at->bytes));
}

void check_access(struct check *check, struct warp *warp, const struct access *access,
                  uint32_t lane, const struct spot *spot, uint64_t bytes)
{
    uint64_t thread = (uint64_t)warp->cta->linear * check->threads + warp->first + lane + 1;
    uint32_t code = (uint32_t)(access->code - warp->program->codes.v);
    bool ordered = access->atomic || access->memory->order != W_weak;
    struct seen seen = {.warp = warp,
                        .access = access,
                        .spot = spot,
                        .lane = lane,
                        .offset = spot->address,
                        .bytes = bytes,
                        .touch = {thread, code, check->now, ordered}};
    if (spot->space == W_global) {
        look_at_global(check, &seen);
    } else if (spot->space == W_shared) {
        if (check->uninit)
            look_at_bits(check, &seen, spot->cta->shadow->written);
        if (check->race)
            look_for_races(check, &seen, spot->cta->shadow);
    } else if (check->uninit && !is_parameter(&seen)) {
        look_at_bits(check, &seen, local_bits(check, &seen));
    }
    if (ordered)
        check_order(check, warp, 1u << lane, true);
}
