#include "runtime-sim/cache/cache_ring.h"
#include "support/bits.h"
#include <assert.h>
#include <string.h>

enum { NOWHERE = UINT32_MAX };

static const uint64_t no_line = UINT64_MAX;

void cache_init(struct cache *c, struct arena *arena, const struct cache_config *config,
                uint32_t inputs)
{
    uint32_t places = (uint32_t)(config->sets * config->ways), mshrs = cache_mshrs(config);
    assert(inputs >= 1 && inputs <= CACHE_INPUTS);
    *c = (struct cache){.config = config, .next = UINT64_MAX, .changes = 1, .input_count = inputs};
    c->whole = mask_range(0, (uint32_t)config->line_bytes);
    c->sectors = (uint32_t)(config->line_bytes / config->sector_bytes);
    c->unit = (uint32_t)config->sector_bytes;
    c->line_clocks = (config->line_bytes + config->port_bytes - 1) / config->port_bytes;
    for (uint32_t i = 0; i < inputs; i++)
        c->inputs[i].queue = ARENA_ARRAY(arena, struct cache_request, config->input);
    c->waiting = ARENA_ARRAY(arena, struct cache_request, config->access_queue + inputs + 1);
    c->line = ARENA_ARRAY(arena, uint64_t, places);
    memset(c->line, 0xff, places * sizeof *c->line);
    c->known = ARENA_ARRAY(arena, struct mask, places);
    c->dirty = ARENA_ARRAY(arena, struct mask, places);
    c->used = ARENA_ARRAY(arena, uint64_t, places);
    c->mshr_of = ARENA_ARRAY(arena, uint16_t, places);
    c->mshrs = ARENA_ARRAY(arena, struct cache_mshr, mshrs);
    c->targets = ARENA_ARRAY(arena, struct cache_request, mshrs * config->merges);
    c->free_mshrs = ARENA_ARRAY(arena, uint16_t, mshrs);
    while (c->free_count < mshrs) {
        c->free_mshrs[c->free_count] = (uint16_t)(mshrs - 1 - c->free_count);
        c->free_count++;
    }
    c->wake = bits_new(arena, mshrs);
    c->bank_free = ARENA_ARRAY(arena, uint64_t, config->banks);
    c->out = ARENA_ARRAY(arena, struct cache_out, config->out);
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        c->answers[i].ring = ARENA_ARRAY(arena, struct cache_answer, config->answers);
}

void cache_answers_in(struct cache *c, uint32_t bytes)
{
    if (bytes > c->unit)
        c->unit = bytes;
}

// Lines

uint32_t cache_set(const struct cache_config *config, uint64_t line)
{
    uint64_t sets = config->sets;
    uint64_t set = sets & (sets - 1) ? line % sets : line & (sets - 1);
    if (config->hash && sets > 1)
        for (uint64_t rest = line / sets; rest; rest /= sets)
            set ^= rest % sets;
    return (uint32_t)set;
}

static uint32_t set_of(const struct cache *c, uint64_t line)
{
    return cache_set(c->config, line);
}

static uint32_t find(const struct cache *c, uint64_t line)
{
    uint32_t first = set_of(c, line) * (uint32_t)c->config->ways;
    for (uint32_t i = first; i < first + c->config->ways; i++)
        if (c->line[i] == line)
            return i;
    return NOWHERE;
}

// The place whose line gives way: a free one, else that with the oldest use. NOWHERE: all lines of
// the set are on their way.
static uint32_t victim(const struct cache *c, uint64_t line)
{
    uint32_t first = set_of(c, line) * (uint32_t)c->config->ways, best = NOWHERE;
    for (uint32_t i = first; i < first + c->config->ways; i++) {
        if (c->line[i] == no_line)
            return i;
        if (!c->mshr_of[i] && (best == NOWHERE || c->used[i] < c->used[best]))
            best = i;
    }
    return best;
}

static void forget(struct cache *c, uint32_t place)
{
    c->line[place] = no_line;
    c->changes++;
    c->known[place] = c->dirty[place] = (struct mask){{0}};
}

// Above the count of uses: lines of a lower rank give way first.
enum { RANK_SHIFT = 60 };
static const uint64_t normal_rank = UINT64_C(1) << RANK_SHIFT;

static void use(struct cache *c, uint32_t place, uint8_t keep)
{
    static const uint8_t ranks[] = {
        [CACHE_KEEP_SHORT] = 0, [CACHE_KEEP_NORMAL] = 1, [CACHE_KEEP_LONG] = 2};
    uint64_t rank = c->used[place] >> RANK_SHIFT, count = c->used[place] & (normal_rank - 1);
    if (keep == CACHE_KEEP_STILL)
        return;
    if (keep != CACHE_KEEP)
        rank = ranks[keep];
    if (!c->config->replacement)
        count = ++c->uses;
    c->used[place] = rank << RANK_SHIFT | count;
}

// All bytes of the parts of the line, of `size` bytes each, that these bytes are in.
static struct mask parts_of(const struct cache *c, struct mask bytes, uint32_t size)
{
    struct mask all = {{0}};
    if (size == c->config->line_bytes)
        return mask_meet(c->whole, bytes) ? c->whole : all;
    for (uint32_t at = 0; at < c->config->line_bytes; at += size) {
        struct mask part = mask_range(at, at + size);
        if (mask_meet(part, bytes))
            all = mask_or(all, part);
    }
    return all;
}

static struct mask sectors_of(const struct cache *c, struct mask bytes)
{
    return parts_of(c, bytes, (uint32_t)c->config->sector_bytes);
}

static uint32_t sectors_in(const struct cache *c, struct mask bytes)
{
    if (mask_within(c->whole, bytes))
        return c->sectors;
    return mask_count(bytes) / (uint32_t)c->config->sector_bytes;
}

// Sectors of which these bytes are all.
static struct mask whole_sectors(const struct cache *c, struct mask bytes)
{
    struct mask touched = sectors_of(c, bytes);
    return mask_without(touched, sectors_of(c, mask_without(touched, bytes)));
}

// Ports, and the ways out

static uint32_t bank_of(const struct cache *c, uint64_t line)
{
    return c->config->banks == 1 ? 0 : (uint32_t)(line % c->config->banks);
}

// Clocks in which a bank moves so many bytes.
static uint64_t move(struct cache *c, uint64_t line, uint64_t now, uint32_t bytes)
{
    uint64_t clocks = bytes == c->config->line_bytes
                          ? c->line_clocks
                          : (bytes + c->config->port_bytes - 1) / c->config->port_bytes;
    uint64_t *until = &c->bank_free[bank_of(c, line)];
    *until = (*until > now ? *until : now) + clocks;
    c->stats.port_clocks += clocks;
    return clocks;
}

// The same for bytes that come.
static void move_in(struct cache *c, uint64_t line, uint64_t now, uint32_t bytes)
{
    if (c->config->fill_port)
        c->fill_free = (c->fill_free > now ? c->fill_free : now) +
                       (bytes + c->config->port_bytes - 1) / c->config->port_bytes;
    else
        move(c, line, now, bytes);
}

static bool out_has_room(const struct cache *c, uint32_t requests)
{
    return c->out_count + requests <= c->config->out;
}

static void send(struct cache *c, uint64_t line, uint64_t id, struct mask bytes, bool write,
                 uint8_t keep)
{
    uint32_t at = cache_wrap(c->out_head + c->out_count++, c->config->out);
    c->out[at] = (struct cache_out){line, id, bytes, write, keep, c->clock};
    if (!write)
        c->stats.fetches += sectors_in(c, bytes);
}

static bool can_answer(const struct cache *c, uint32_t path)
{
    return c->answers[path].count < c->config->answers;
}

// Answers of a path leave in the order in which requests were served.
static void answer(struct cache *c, const struct cache_request *r, uint64_t now, uint64_t ready)
{
    const struct cache_input *input = &c->inputs[r->input];
    struct cache_answers *answers = &c->answers[r->path];
    uint32_t at = cache_wrap(answers->head + answers->count++, c->config->answers);
    answers->last = ready > answers->last ? ready : answers->last;
    answers->ring[at] = (struct cache_answer){r->id, answers->last, r->kind, r->input};
    if (input->serve)
        input->serve(input->context, r, now);
}

static bool goes_on(const struct cache *c, const struct cache_request *r)
{
    return r->kind != CACHE_READ && c->config->write != CACHE_BACK;
}

// The request reads and writes the line at `place`, or, if that is NOWHERE, goes by. Its answer is
// ready at `ready`.
static void serve(struct cache *c, const struct cache_request *r, uint32_t place, uint64_t now,
                  uint64_t ready)
{
    if (r->kind != CACHE_READ && place != NOWHERE) {
        c->known[place] = mask_or(c->known[place], r->bytes);
        if (!c->config->write)
            c->dirty[place] = mask_or(c->dirty[place], r->bytes);
    }
    if (goes_on(c, r) || (r->kind != CACHE_READ && place == NOWHERE)) {
        send(c, r->line, CACHE_NOBODY, r->bytes, true, r->keep_next);
        c->stats.write_throughs++;
    }
    answer(c, r, now, ready);
}

static void serve_now(struct cache *c, const struct cache_request *r, uint32_t place, uint64_t now)
{
    uint64_t clocks = move(c, r->line, now, r->touches ? 1 : mask_count(r->bytes));
    serve(c, r, place, now, now + c->config->latency + clocks - 1);
}

// Asking for lines

// Takes a place in its set for the line. NOWHERE if there is none, or no room for what is written
// back; leaves room for `requests` more.
static uint32_t take_place(struct cache *c, uint64_t line, uint64_t now, uint32_t requests)
{
    uint32_t place = victim(c, line);
    if (place == NOWHERE) {
        c->stats.mshr_waits++;
        return NOWHERE;
    }
    bool dirty = c->line[place] != no_line && mask_any(c->dirty[place]);
    if (!out_has_room(c, requests + dirty)) {
        c->stats.out_waits++;
        return NOWHERE;
    }
    c->stats.evictions += c->line[place] != no_line;
    if (dirty) {
        send(c, c->line[place], CACHE_NOBODY, c->dirty[place], true, CACHE_KEEP);
        move(c, c->line[place], now, mask_count(c->dirty[place]));
        c->stats.write_backs++;
    }
    c->line[place] = line;
    c->changes++;
    c->known[place] = c->dirty[place] = (struct mask){{0}};
    c->used[place] = normal_rank | ++c->uses;
    return place;
}

static void use_mshr(struct cache *c, struct cache_mshr *mshr, uint8_t path)
{
    c->used_by[path] += !(mshr->paths >> path & 1);
    mshr->paths |= (uint8_t)(1u << path);
}

// Needs a free MSHR, unless the line has one, and room for a request.
static void fetch(struct cache *c, uint32_t place, const struct cache_request *r, uint64_t id,
                  struct mask bytes)
{
    if (!c->mshr_of[place]) {
        uint32_t number = c->free_mshrs[--c->free_count];
        c->mshrs[number] = (struct cache_mshr){.place = place};
        use_mshr(c, &c->mshrs[number], r->path);
        c->mshr_of[place] = (uint16_t)(number + 1);
    }
    struct cache_mshr *mshr = &c->mshrs[c->mshr_of[place] - 1];
    bytes = mask_without(parts_of(c, bytes, c->unit), mshr->coming);
    if (!mask_any(bytes))
        return;
    mshr->coming = mask_or(mshr->coming, bytes);
    send(c, c->line[place], id, bytes, false, r->keep_next);
}

static void let_wait(struct cache *c, uint32_t place, const struct cache_request *r,
                     enum cache_from from)
{
    uint32_t number = c->mshr_of[place] - 1U;
    struct cache_mshr *mshr = &c->mshrs[number];
    uint32_t at = cache_wrap(mshr->head + mshr->count++, c->config->merges);
    struct cache_request *target = &c->targets[number * c->config->merges + at];
    *target = *r;
    target->from = (uint8_t)from;
    mshr->writes |= r->kind != CACHE_READ;
    mshr->silent += r->silent;
    c->held[r->path]++;
    use_mshr(c, mshr, r->path);
}

// Bytes that a write leaves unknown in sectors that it writes, if these are to be fetched.
static struct mask rest_of(const struct cache *c, const struct cache_request *r, uint32_t place)
{
    struct mask known = r->bytes;
    if (!c->config->partial)
        return (struct mask){{0}};
    if (place != NOWHERE)
        known = mask_or(known, c->known[place]);
    return sectors_of(c, mask_without(sectors_of(c, r->bytes), known));
}

static void after_write(struct cache *c, const struct cache_request *r, uint32_t place)
{
    struct mask rest = rest_of(c, r, place);
    c->stats.full_stores += sectors_in(c, whole_sectors(c, r->bytes));
    if (mask_any(rest))
        fetch(c, place, r, CACHE_NOBODY, rest);
}

// Access. Each of these returns false, after counting why, if the request has to wait.

static bool lacks_room(struct cache *c, uint32_t requests)
{
    bool lacks = !out_has_room(c, requests);
    c->stats.out_waits += lacks;
    return lacks;
}

// NULL: it needs one. One is left to other paths.
static bool lacks_mshr(struct cache *c, const struct cache_request *r,
                       const struct cache_mshr *mshr)
{
    bool lacks = mshr ? mshr->count == c->config->merges : !c->free_count;
    bool uses = mshr && mshr->paths >> r->path & 1;
    lacks |= !uses && c->used_by[r->path] == c->config->mshrs;
    c->stats.mshr_waits += lacks;
    return lacks;
}

static struct cache_mshr *mshr_at(struct cache *c, uint32_t place)
{
    return place != NOWHERE && c->mshr_of[place] ? &c->mshrs[c->mshr_of[place] - 1] : NULL;
}

// A read, or an atomic, that does not find all its bytes.
static bool miss(struct cache *c, const struct cache_request *r, uint32_t *place, uint64_t now)
{
    struct cache_mshr *mshr = mshr_at(c, *place);
    if (lacks_mshr(c, r, mshr) || (*place != NOWHERE && lacks_room(c, 1)))
        return false;
    if (*place == NOWHERE && (*place = take_place(c, r->line, now, 1)) == NOWHERE)
        return false;
    if (c->inputs[r->input].until_served) {
        fetch(c, *place, r, r->id, sectors_of(c, mask_without(r->bytes, c->known[*place])));
        return false;
    }
    c->stats.merged += mshr && mshr->count;
    c->stats.read_merged += mshr && mshr->count;
    fetch(c, *place, r, r->id, sectors_of(c, mask_without(r->bytes, c->known[*place])));
    let_wait(c, *place, r, mshr ? CACHE_MERGED : CACHE_FETCHED);
    return true;
}

static bool access_read(struct cache *c, const struct cache_request *r, uint32_t place,
                        uint64_t now)
{
    const struct cache_mshr *mshr = mshr_at(c, place);
    // An atomic writes, so it passes nobody who waits.
    bool passes = !mshr || !(r->kind == CACHE_READ ? mshr->writes : mshr->count);
    bool hit = place != NOWHERE && mask_within(r->bytes, c->known[place]) && passes;
    if (hit && lacks_room(c, goes_on(c, r)))
        return false;
    if (hit)
        serve_now(c, r, place, now);
    else if (!miss(c, r, &place, now))
        return false;
    use(c, place, r->keep);
    c->stats.reads++;
    c->stats.read_hits += hit;
    return true;
}

// A write that misses, or whose line is on its way, goes on, and waits without a value for the
// line.
static bool forward(struct cache *c, const struct cache_request *r, uint32_t place, uint64_t now)
{
    const struct cache_input *input = &c->inputs[r->input];
    const struct cache_mshr *mshr = mshr_at(c, place);
    struct cache_request line = *r;
    if (lacks_room(c, 2) || lacks_mshr(c, r, mshr))
        return false;
    if (place == NOWHERE && (place = take_place(c, r->line, now, 2)) == NOWHERE)
        return false;
    send(c, r->line, r->id, r->bytes, true, r->keep_next);
    fetch(c, place, r, CACHE_NOBODY, mask_without(c->whole, c->known[place]));
    line.kind = CACHE_READ;
    line.bytes = c->whole;
    line.silent = true;
    let_wait(c, place, &line, CACHE_MERGED);
    if (input->serve)
        input->serve(input->context, r, now);
    use(c, place, r->keep);
    c->stats.writes++;
    c->stats.forwarded++;
    return true;
}

static bool must_forward(const struct cache *c, uint32_t place, const struct cache_mshr *mshr)
{
    return c->config->forward_misses &&
           (mshr ? mask_any(mshr->coming) && mshr->count == mshr->silent : place == NOWHERE);
}

static bool access_write(struct cache *c, const struct cache_request *r, uint32_t place,
                         uint64_t now)
{
    struct cache_mshr *mshr = mshr_at(c, place);
    if (must_forward(c, place, mshr))
        return forward(c, r, place, now);
    bool hit = place != NOWHERE, evicts = hit && !mshr && c->config->write == CACHE_EVICT;
    bool by = evicts || (!hit && !c->config->allocate_writes);
    bool behind = mshr && mshr->count > mshr->silent,
         fetches = !by && mask_any(rest_of(c, r, place));
    if (behind && c->inputs[r->input].until_served)
        return false;
    uint32_t room = fetches + (goes_on(c, r) || by);
    if (lacks_room(c, room) || ((behind || (fetches && !mshr)) && lacks_mshr(c, r, mshr)))
        return false;
    if (!hit && !by && (place = take_place(c, r->line, now, room)) == NOWHERE)
        return false;
    if (evicts) {
        forget(c, place);
        place = NOWHERE;
    }
    if (behind) {
        let_wait(c, place, r, CACHE_MERGED);
        c->stats.merged++;
    } else {
        serve_now(c, r, place, now);
        if (!by)
            after_write(c, r, place);
    }
    if (!by)
        use(c, place, r->keep);
    c->stats.writes++;
    c->stats.write_hits += hit;
    return true;
}

// The access queue

struct waits {
    uint64_t until; // the earliest clock at which something that is waited for is over
    bool done;      // something was
};

static void until(struct waits *waits, uint64_t clock)
{
    if (waits->until > clock)
        waits->until = clock;
}

// Where the request's line is. Lines change more rarely than requests that wait ask.
static uint32_t find_again(const struct cache *c, struct cache_request *r)
{
    if (r->found_at != c->changes) {
        r->place = find(c, r->line);
        r->found_at = c->changes;
    }
    return r->place;
}

static bool access(struct cache *c, struct cache_request *r, uint64_t now, struct waits *waits)
{
    const struct cache_input *input = &c->inputs[r->input];
    uint64_t *bank_free = &c->bank_free[bank_of(c, r->line)];
    if (*bank_free > now) {
        c->stats.bank_waits++;
        until(waits, *bank_free);
        return false;
    }
    if (input->condition && !input->condition(input->context, r, now)) {
        c->stats.condition_waits++;
        until(waits, now + 1);
        return false;
    }
    if (!can_answer(c, r->path)) {
        c->stats.answer_waits++;
        return false;
    }
    uint32_t place = find_again(c, r);
    if (!(r->kind == CACHE_WRITE ? access_write : access_read)(c, r, place, now))
        return false;
    *bank_free = *bank_free > now ? *bank_free : now + 1;
    return true;
}

// A bit for the line, of a set in which lines may share bits.
static uint64_t line_bit(uint64_t line)
{
    return UINT64_C(1) << ((line ^ line >> 6) & 63);
}

// Requests to the same line.
static bool may_pass(const struct cache *c, const struct cache_request *r,
                     const struct cache_request *older)
{
    const struct cache_input *input = &c->inputs[older->input];
    bool both_read = r->kind == CACHE_READ && older->kind == CACHE_READ && !input->condition;
    return (older->path != r->path && both_read) || (older->input != r->input && input->is_passed);
}

// One of the first so many in the access queue is for the same line, and not to be passed.
static bool is_behind(const struct cache *c, uint32_t count, const struct cache_request *r)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct cache_request *older = &c->waiting[i];
        if (older->line == r->line && !may_pass(c, r, older))
            return true;
    }
    return false;
}

static void access_all(struct cache *c, uint64_t now, struct waits *waits)
{
    uint32_t kept = 0;
    uint64_t lines = 0; // of those kept
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        struct cache_request *r = &c->waiting[i];
        uint64_t bit = line_bit(r->line);
        if (!(lines & bit && is_behind(c, kept, r)) && access(c, r, now, waits)) {
            waits->done = true;
            continue;
        }
        lines |= bit;
        if (kept != i)
            c->waiting[kept] = *r;
        kept++;
    }
    c->waiting_count = kept;
}

static bool has_one(const struct cache *c, uint8_t input)
{
    for (uint32_t i = 0; i < c->waiting_count; i++)
        if (c->waiting[i].input == input)
            return true;
    return false;
}

// Requests that share the access queue: those of inputs without a condition.
static uint32_t count_shared(const struct cache *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->waiting_count; i++)
        count += !c->inputs[c->waiting[i].input].condition;
    return count;
}

static bool has_one_of_path(const struct cache *c, uint8_t path)
{
    for (uint32_t i = 0; i < c->waiting_count; i++)
        if (c->waiting[i].path == path)
            return true;
    return false;
}

// An input with a condition has one place of its own: what it waits for may come by another input.
// So has a path: what the others wait for may be room in theirs.
static bool has_place(const struct cache *c, const struct cache_input *input)
{
    if (input->condition || input->one_waits)
        return !has_one(c, (uint8_t)(input - c->inputs));
    return c->waiting_count < c->config->access_queue ||
           !has_one_of_path(c, input->queue[input->head].path) ||
           count_shared(c) < c->config->access_queue;
}

// A request may have a place beyond those of the configuration.
static bool has_more_places(const struct cache *c)
{
    for (uint32_t i = 0; i < c->input_count; i++) {
        const struct cache_input *input = &c->inputs[i];
        if (input->condition ||
            (input->count && !has_one_of_path(c, input->queue[input->head].path)))
            return true;
    }
    return false;
}

static void accept(struct cache *c, struct waits *waits)
{
    for (uint32_t n = 0, idle = 0; n < c->config->accept && idle < c->input_count;) {
        struct cache_input *input = &c->inputs[c->turn];
        if (c->waiting_count >= c->config->access_queue && !has_more_places(c))
            return;
        c->turn = (c->turn + 1) % c->input_count;
        idle++;
        if (!input->count || !has_place(c, input))
            continue;
        c->waiting[c->waiting_count++] = input->queue[input->head];
        input->head = cache_wrap(input->head + 1, c->config->input);
        input->count--;
        waits->done = true;
        idle = 0;
        n++;
    }
}

// Lines that come

static void begin_waking(struct cache *c, uint32_t number)
{
    c->waking += !bits_test(c->wake, number);
    bits_set(c->wake, number);
}

static void stop_waking(struct cache *c, uint32_t number)
{
    c->waking -= bits_test(c->wake, number);
    bits_clear(c->wake, number);
}

static void free_mshr(struct cache *c, uint32_t number)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    stop_waking(c, number);
    if (mask_any(mshr->coming))
        return;
    c->mshr_of[mshr->place] = 0;
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        c->used_by[i] -= mshr->paths >> i & 1;
    c->free_mshrs[c->free_count++] = (uint16_t)number;
}

void cache_fill(struct cache *c, uint64_t now, uint64_t line, struct mask bytes)
{
    uint32_t place = find(c, line);
    assert(place != NOWHERE && c->mshr_of[place]);
    uint32_t number = c->mshr_of[place] - 1U;
    struct cache_mshr *mshr = &c->mshrs[number];
    mshr->coming = mask_without(mshr->coming, bytes);
    c->known[place] = mask_or(c->known[place], bytes);
    c->stats.fills += sectors_in(c, bytes);
    move_in(c, line, now, mask_count(bytes));
    if (mshr->count)
        begin_waking(c, number);
    else
        free_mshr(c, number);
    cache_wake_at(c, now);
}

static struct cache_request *target(const struct cache *c, uint32_t number, uint32_t at)
{
    uint64_t merges = c->config->merges;
    return &c->targets[number * merges + cache_wrap(c->mshrs[number].head + at, merges)];
}

// The oldest request at this MSHR whose path has room; it passes no write, nor does one. Their
// count: none.
static uint32_t next_target(const struct cache *c, uint32_t number)
{
    const struct cache_mshr *mshr = &c->mshrs[number];
    uint32_t most = mshr->writes ? 1 : mshr->count, at = 0;
    while (at < most && !can_answer(c, target(c, number, at)->path))
        at++;
    return at < most ? at : mshr->count;
}

static void remove_target(struct cache *c, uint32_t number, uint32_t at)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    for (; at; at--)
        *target(c, number, at) = *target(c, number, at - 1);
    mshr->head = cache_wrap(mshr->head + 1, c->config->merges);
    if (!--mshr->count) {
        mshr->writes = false;
        free_mshr(c, number);
    }
}

// Serves a request that waits at this MSHR. False if it has to go on waiting.
static bool wake(struct cache *c, uint32_t number, uint32_t at, uint64_t now)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    const struct cache_request r = *target(c, number, at);
    uint32_t place = mshr->place;
    if (r.kind != CACHE_WRITE && !mask_within(r.bytes, c->known[place])) {
        stop_waking(c, number); // until more of the line comes
        return false;
    }
    bool fetches = r.kind == CACHE_WRITE && mask_any(rest_of(c, &r, place));
    if (lacks_room(c, goes_on(c, &r) + fetches))
        return false;
    if (r.silent)
        mshr->silent--;
    else
        serve(c, &r, place, now, now + c->config->wake_latency);
    if (r.kind == CACHE_WRITE)
        after_write(c, &r, place);
    c->held[r.path]--;
    remove_target(c, number, at);
    return true;
}

static bool may_wake(const struct cache *c)
{
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        if (c->held[i] && can_answer(c, i))
            return true;
    return false;
}

// One request in a clock, MSHRs taking turns.
static void wake_one(struct cache *c, uint64_t now, struct waits *waits)
{
    uint32_t count = cache_mshrs(c->config);
    bool may = may_wake(c);
    c->stats.answer_waits += c->waking && !may;
    for (uint32_t i = 0; c->waking && may && i < 2; i++) {
        uint32_t from = i ? 0 : c->wake_turn, to = i ? c->wake_turn : count;
        for (uint32_t at; (at = bits_next(c->wake, from, count)) < to; from = at + 1) {
            uint32_t next = next_target(c, at);
            if (next < c->mshrs[at].count && wake(c, at, next, now)) {
                c->wake_turn = (at + 1) % count;
                waits->done = true;
                return;
            }
        }
    }
}

// Flushing

void cache_flush(struct cache *c, uint64_t now, uint64_t first, uint64_t last, bool drop)
{
    assert(!c->flush.active);
    c->flush = (struct cache_flush){.active = true, .drop = drop, .first = first, .last = last};
    cache_wake_at(c, now);
}

// Goes on to the next line that is written back. Waits for lines that are on their way.
static void flush_one(struct cache *c, uint64_t now, struct waits *waits)
{
    struct cache_flush *flush = &c->flush;
    uint32_t places = (uint32_t)(c->config->sets * c->config->ways);
    bool sent = false;
    if (c->free_count < cache_mshrs(c->config))
        return;
    for (; flush->at < places; flush->at++) {
        uint64_t line = c->line[flush->at];
        if (line == no_line || line < flush->first || line > flush->last)
            continue;
        if (mask_any(c->dirty[flush->at])) {
            if (sent || lacks_room(c, 1))
                break;
            send(c, line, CACHE_NOBODY, c->dirty[flush->at], true, CACHE_KEEP);
            move(c, line, now, mask_count(c->dirty[flush->at]));
            c->stats.write_backs++;
            c->dirty[flush->at] = (struct mask){{0}};
            sent = true;
        }
        if (flush->drop)
            forget(c, flush->at);
    }
    flush->active = flush->at < places;
    waits->done |= sent || !flush->active;
}

// A request to the line of one of these kinds, a set, has not had its access yet.
static bool is_queued(const struct cache *c, uint64_t line, uint32_t kinds)
{
    for (uint32_t i = 0; i < c->waiting_count; i++)
        if (c->waiting[i].line == line && kinds >> c->waiting[i].kind & 1)
            return true;
    for (uint32_t i = 0; i < c->input_count; i++)
        for (uint32_t k = 0; k < c->inputs[i].count; k++) {
            const struct cache_input *input = &c->inputs[i];
            const struct cache_request *r =
                &input->queue[cache_wrap(input->head + k, c->config->input)];
            if (r->line == line && kinds >> r->kind & 1)
                return true;
        }
    return false;
}

bool cache_has(const struct cache *c, uint64_t line)
{
    return find(c, line) != NOWHERE || is_queued(c, line, 1 << CACHE_READ);
}

bool cache_waits(const struct cache *c, uint64_t line, bool writes)
{
    uint32_t kinds = 1 << CACHE_WRITE | 1 << CACHE_ATOMIC;
    if (is_queued(c, line, writes ? kinds : kinds | 1 << CACHE_READ))
        return true;
    uint32_t place = find(c, line);
    if (place == NOWHERE || !c->mshr_of[place])
        return false;
    const struct cache_mshr *mshr = &c->mshrs[c->mshr_of[place] - 1];
    return writes ? mshr->writes : mshr->count;
}

enum cache_direct cache_read_directly(struct cache *c, uint64_t now, uint64_t line, uint64_t *ready)
{
    uint32_t place = find(c, line);
    if (place == NOWHERE || !mask_within(c->whole, c->known[place]))
        return CACHE_DIRECT_ABSENT;
    if (c->bank_free[bank_of(c, line)] > now)
        return CACHE_DIRECT_BUSY;
    uint64_t clocks = move(c, line, now, (uint32_t)c->config->line_bytes);
    use(c, place, CACHE_KEEP);
    c->stats.reads++;
    c->stats.read_hits++;
    *ready = now + c->config->latency + clocks - 1;
    return CACHE_DIRECT_READ;
}

bool cache_drop(struct cache *c, uint64_t line)
{
    uint32_t place = find(c, line);
    if (place == NOWHERE || c->mshr_of[place])
        return false;
    forget(c, place);
    return true;
}

uint32_t cache_forget(struct cache *c)
{
    uint32_t places = (uint32_t)(c->config->sets * c->config->ways), lost = 0;
    for (uint32_t i = 0; i < places; i++)
        if (!c->mshr_of[i]) {
            lost += c->line[i] != no_line;
            forget(c, i);
        }
    return lost;
}

uint64_t cache_tick(struct cache *c, uint64_t now)
{
    struct waits waits = {.until = UINT64_MAX};
    if (now < c->next)
        return c->next;
    c->clock = now;
    wake_one(c, now, &waits);
    accept(c, &waits);
    if (c->flush.active)
        flush_one(c, now, &waits);
    else
        access_all(c, now, &waits);
    c->free = now + 1;
    c->next = waits.done ? now + 1 : waits.until;
    return c->next;
}

uint32_t cache_inside(const struct cache *c)
{
    uint32_t inside = c->waiting_count + cache_answer_count(c);
    for (uint32_t i = 0; i < c->input_count; i++)
        inside += c->inputs[i].count;
    for (uint32_t i = 0; i < cache_mshrs(c->config); i++)
        inside += c->mshrs[i].count;
    return inside;
}
