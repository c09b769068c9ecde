// The access of a request. The request is served by the line in its set, or the line is fetched and
// the request waits in an MSHR (cache_fill.c).
#include "runtime-sim/cache/cache_lines.h"
#include "runtime-sim/cache/cache_ports.h"

// Appends the reply to its path's queue and calls the input's `serve`.
static void put_reply(struct cache *c, const struct cache_request *r, uint64_t now, uint64_t ready)
{
    const struct cache_input *input = &c->inputs[r->input];
    struct cache_replies *answers = &c->answers[r->path];
    uint32_t at = cache_wrap(answers->head + answers->count++, c->config->answers);
    ready += r->kind == CACHE_ATOMIC ? c->config->atomic_latency : 0;
    answers->last = ready > answers->last ? ready : answers->last;
    answers->ring[at] = (struct cache_reply){r->id, answers->last, r->kind, r->input};
    if (input->serve)
        input->serve(input->context, r, now);
}

void cache_complete(struct cache *c, const struct cache_request *r, uint32_t place, uint64_t now,
                    uint64_t ready)
{
    if (r->kind != CACHE_READ && place != NOWHERE) {
        struct cache_place *at = &c->places[place];
        at->known = mask_or(at->known, r->bytes);
        if (c->config->write == CACHE_BACK)
            at->dirty = mask_or(at->dirty, r->bytes);
    }
    if (cache_passes_on(c, r) || (r->kind != CACHE_READ && place == NOWHERE)) {
        cache_send(c, r->line, CACHE_NOBODY, r->bytes, true, r->keep_next);
        c->stats.write_throughs++;
    }
    put_reply(c, r, now, ready);
}

// Returns the lowest byte of a set.
static struct mask first_byte(struct mask bytes)
{
    if (bytes.w[0])
        return (struct mask){{bytes.w[0] & -bytes.w[0], 0}};
    return (struct mask){{0, bytes.w[1] & -bytes.w[1]}};
}

static void serve_now(struct cache *c, const struct cache_request *r, uint32_t place, uint64_t now)
{
    uint64_t clocks = cache_move(c, r->line, now, r->touches ? first_byte(r->bytes) : r->bytes);
    cache_complete(c, r, place, now, now + c->config->latency + clocks - 1);
}

// Fetches

// Returns a free location in a set, or the location of the line to evict: the least
// recently used line of the lowest rank. Returns NOWHERE if all lines of the set are in flight.
static uint32_t find_victim(const struct cache *c, uint32_t number)
{
    uint32_t first = number * c->config->ways;
    const struct cache_set_state *set = &c->sets[number];
    for (uint32_t way = set->full; way < c->ways; way++)
        if (!c->places[first + way].tag)
            return first + way;
    for (uint32_t rank = 0; rank < CACHE_RANKS; rank++)
        for (uint32_t way = set->oldest[rank]; way; way = c->links[first + way - 1].newer)
            if (!c->places[first + way - 1].mshr)
                return first + way - 1;
    return NOWHERE;
}

static void put_line(struct cache *c, uint32_t place, uint64_t line, uint64_t since)
{
    struct cache_set_state *set = &c->sets[place / c->config->ways];
    uint16_t way = (uint16_t)(place % c->config->ways);
    struct cache_place *at = &c->places[place];
    set->full += set->full == way;
    set->end = way < set->end ? set->end : way + 1;
    if (at->tag)
        cache_unrank(c, set, place);
    *at = (struct cache_place){.tag = line + 1, .since = since, .used = NORMAL_RANK | ++c->uses};
    c->hints[(set - c->sets) * c->hint_ways + way] = cache_hint(line);
    cache_rank(c, set, place);
    c->changes++;
}

// Allocates a location in the set for the request's line and evicts the line in it. Returns
// NOWHERE, after counting the reason, if all locations are in flight or if the output queue lacks
// room for the eviction and `requests` further requests.
static uint32_t allocate_location(struct cache *c, struct cache_request *r, uint64_t now,
                                  uint32_t requests)
{
    uint32_t place = r->full_at == c->freed ? NOWHERE : find_victim(c, r->set);
    if (place == NOWHERE) {
        r->full_at = c->freed;
        c->stats.mshr_waits++;
        return NOWHERE;
    }
    bool dirty = mask_any(c->places[place].dirty);
    if (cache_lacks_room(c, requests + dirty))
        return NOWHERE;
    if (dirty)
        cache_write_back(c, place, now);
    put_line(c, place, r->line, now);
    return place;
}

bool cache_bring(struct cache *c, uint64_t now, uint64_t line, uint64_t since)
{
    if (cache_find(c, line) != NOWHERE)
        return true;
    uint32_t place = find_victim(c, cache_set(c->config, line));
    if (place == NOWHERE || mask_any(c->places[place].dirty))
        return false;
    put_line(c, place, line, since);
    c->places[place].known = c->whole;
    cache_move_in(c, line, now, c->whole);
    return true;
}

static void use_mshr(struct cache *c, struct cache_mshr *mshr, uint8_t path)
{
    c->used_by[path] += !(mshr->paths >> path & 1);
    mshr->paths |= (uint8_t)(1u << path);
}

// Requests the bytes of the line at `place` that are not in flight. Requires an MSHR of the line or
// a free one, and room for a request to the next level.
static void fetch_bytes(struct cache *c, uint32_t place, const struct cache_request *r, uint64_t id,
                        struct mask bytes)
{
    if (!c->places[place].mshr) {
        uint32_t number = c->free_mshrs[--c->free_count];
        c->mshrs[number] = (struct cache_mshr){.place = place};
        use_mshr(c, &c->mshrs[number], r->path);
        c->places[place].mshr = (uint16_t)(number + 1);
    }
    struct cache_mshr *mshr = &c->mshrs[c->places[place].mshr - 1];
    bytes = mask_without(cache_parts(c, bytes, c->unit), mshr->coming);
    if (!mask_any(bytes))
        return;
    mshr->coming = mask_or(mshr->coming, bytes);
    cache_send(c, c->places[place].tag - 1, id, bytes, false, r->keep_next);
    c->stats.fetches += cache_count_sectors(c, bytes);
}

// Returns the number of an unused element of `targets`.
static uint32_t new_target(struct cache *c)
{
    uint32_t number = c->free_target - 1;
    if (!c->free_target) {
        vec_push(c->arena, &c->targets, (struct cache_request){0});
        return c->targets.n - 1;
    }
    c->free_target = c->targets.v[number].next;
    return number;
}

// Adds the request to those that wait at the MSHR of the line.
static void add_target(struct cache *c, uint32_t place, const struct cache_request *r,
                       enum cache_from from)
{
    struct cache_mshr *mshr = &c->mshrs[c->places[place].mshr - 1];
    uint32_t number = new_target(c);
    c->targets.v[number] = *r;
    c->targets.v[number].from = (uint8_t)from;
    *(mshr->count++ ? &c->targets.v[mshr->last].next : &mshr->first) = number;
    mshr->last = number;
    mshr->writes |= r->kind != CACHE_READ;
    mshr->silent += r->silent;
    c->held[r->path]++;
    use_mshr(c, mshr, r->path);
}

struct mask cache_rest(const struct cache *c, const struct cache_request *r, uint32_t place)
{
    struct mask known = r->bytes;
    if (c->config->partial == CACHE_MASK)
        return (struct mask){{0}};
    if (place != NOWHERE)
        known = mask_or(known, c->places[place].known);
    return cache_sectors(c, mask_without(cache_sectors(c, r->bytes), known));
}

// Returns the sectors that these bytes cover completely.
static struct mask covered_sectors(const struct cache *c, struct mask bytes)
{
    struct mask touched = cache_sectors(c, bytes);
    return mask_without(touched, cache_sectors(c, mask_without(touched, bytes)));
}

void cache_fetch_rest(struct cache *c, const struct cache_request *r, uint32_t place)
{
    struct mask rest = cache_rest(c, r, place);
    c->stats.full_stores += cache_count_sectors(c, covered_sectors(c, r->bytes));
    if (mask_any(rest))
        fetch_bytes(c, place, r, CACHE_NOBODY, rest);
}

// Access

// Returns true, and counts a wait, if the request cannot wait at `mshr` (NULL: at a new one). Each
// path leaves one MSHR to the others.
static bool lacks_mshr(struct cache *c, const struct cache_request *r,
                       const struct cache_mshr *mshr)
{
    bool lacks = mshr ? mshr->count == c->config->merges : !c->free_count;
    bool uses = mshr && mshr->paths >> r->path & 1;
    lacks |= !uses && c->used_by[r->path] == c->config->mshrs;
    c->stats.mshr_waits += lacks;
    return lacks;
}

// Returns the MSHR of the line at `place`, or NULL.
static struct cache_mshr *find_mshr(struct cache *c, uint32_t place)
{
    return place != NOWHERE && c->places[place].mshr ? &c->mshrs[c->places[place].mshr - 1] : NULL;
}

// Returns the sectors that the request needs and that are absent.
static struct mask missing_sectors(const struct cache *c, const struct cache_request *r,
                                   uint32_t place)
{
    return cache_sectors(c, mask_without(r->bytes, c->places[place].known));
}

// Fetches the missing bytes of a read or an atomic, and makes the request wait for them. Returns
// false if it stays in the access queue.
static bool accept_miss(struct cache *c, struct cache_request *r, uint32_t *place, uint64_t now)
{
    struct cache_mshr *mshr = find_mshr(c, *place);
    if (lacks_mshr(c, r, mshr) || (*place != NOWHERE && cache_lacks_room(c, 1)))
        return false;
    if (*place == NOWHERE && (*place = allocate_location(c, r, now, 1)) == NOWHERE)
        return false;
    if (c->inputs[r->input].until_served) {
        fetch_bytes(c, *place, r, r->id, missing_sectors(c, r, *place));
        return false;
    }
    c->stats.merged += mshr && mshr->count;
    c->stats.read_merged += mshr && mshr->count;
    fetch_bytes(c, *place, r, r->id, missing_sectors(c, r, *place));
    add_target(c, *place, r, mshr ? CACHE_MERGED : CACHE_FETCHED);
    return true;
}

bool cache_access_read(struct cache *c, struct cache_request *r, uint32_t place, uint64_t now)
{
    const struct cache_mshr *mshr = find_mshr(c, place);
    // A read passes reads that wait for its line. An atomic, which writes, passes no request.
    bool passes = !mshr || !(r->kind == CACHE_READ ? mshr->writes : mshr->count);
    bool hit = place != NOWHERE && mask_within(r->bytes, c->places[place].known) && passes;
    if (hit && cache_lacks_room(c, cache_passes_on(c, r)))
        return false;
    if (hit)
        serve_now(c, r, place, now);
    else if (!accept_miss(c, r, &place, now))
        return false;
    cache_use(c, place, r->keep);
    c->stats.reads++;
    c->stats.read_hits += hit;
    return true;
}

// Forwards a write that misses, or whose line is in flight, to the next level, and fetches the
// whole line. A silent request without a value waits for the line instead of the write.
static bool forward_write(struct cache *c, struct cache_request *r, uint32_t place, uint64_t now)
{
    const struct cache_input *input = &c->inputs[r->input];
    const struct cache_mshr *mshr = find_mshr(c, place);
    struct cache_request line = *r;
    if (cache_lacks_room(c, 2) || lacks_mshr(c, r, mshr))
        return false;
    if (place == NOWHERE && (place = allocate_location(c, r, now, 2)) == NOWHERE)
        return false;
    cache_send(c, r->line, r->id, r->bytes, true, r->keep_next);
    fetch_bytes(c, place, r, CACHE_NOBODY, mask_without(c->whole, c->places[place].known));
    line.kind = CACHE_READ;
    line.bytes = c->whole;
    line.silent = true;
    add_target(c, place, &line, CACHE_MERGED);
    r->from = CACHE_FETCHED;
    if (input->serve)
        input->serve(input->context, r, now);
    cache_use(c, place, r->keep);
    c->stats.writes++;
    c->stats.forwarded++;
    return true;
}

static bool must_forward(const struct cache *c, uint32_t place, const struct cache_mshr *mshr)
{
    return c->config->forward_misses &&
           (mshr ? mask_any(mshr->coming) && mshr->count == mshr->silent : place == NOWHERE);
}

bool cache_access_write(struct cache *c, struct cache_request *r, uint32_t place, uint64_t now)
{
    struct cache_mshr *mshr = find_mshr(c, place);
    if (must_forward(c, place, mshr))
        return forward_write(c, r, place, now);
    bool hit = place != NOWHERE, evicts = hit && !mshr && c->config->write == CACHE_EVICT;
    bool by = evicts || (!hit && !c->config->allocate_writes);
    bool behind = mshr && mshr->count > mshr->silent;
    bool fetches = !by && mask_any(cache_rest(c, r, place));
    if (behind && c->inputs[r->input].until_served)
        return false;
    uint32_t room = fetches + (cache_passes_on(c, r) || by);
    if (cache_lacks_room(c, room) || ((behind || (fetches && !mshr)) && lacks_mshr(c, r, mshr)))
        return false;
    if (!hit && !by && (place = allocate_location(c, r, now, room)) == NOWHERE)
        return false;
    if (evicts) {
        cache_clear(c, place);
        place = NOWHERE;
    }
    if (behind) {
        add_target(c, place, r, CACHE_MERGED);
        c->stats.merged++;
    } else {
        r->from = hit ? CACHE_HIT : CACHE_FETCHED;
        serve_now(c, r, place, now);
        if (!by)
            cache_fetch_rest(c, r, place);
    }
    if (!by)
        cache_use(c, place, r->keep);
    c->stats.writes++;
    c->stats.write_hits += hit;
    return true;
}

// Untimed

bool cache_warm(struct cache *c, const struct cache_request *r)
{
    uint32_t place = cache_find(c, r->line);
    bool hit = place != NOWHERE, store = r->kind == CACHE_WRITE;
    bool forwarded = store && !hit && c->config->forward_misses;
    if (!hit && (!store || forwarded || c->config->allocate_writes) &&
        (place = find_victim(c, cache_set(c->config, r->line))) != NOWHERE)
        put_line(c, place, r->line, 0);
    if (place == NOWHERE || c->places[place].mshr)
        return false;
    if (store && hit && c->config->write == CACHE_EVICT) {
        cache_clear(c, place);
        return false;
    }
    struct mask fetched = !store                              ? missing_sectors(c, r, place)
                          : c->config->partial == CACHE_FETCH ? cache_sectors(c, r->bytes)
                                                              : r->bytes;
    c->places[place].known = forwarded ? c->whole : mask_or(c->places[place].known, fetched);
    if (r->kind != CACHE_READ && !forwarded && c->config->write == CACHE_BACK) {
        c->places[place].dirty = mask_or(c->places[place].dirty, r->bytes);
    }
    cache_use(c, place, r->keep);
    return !hit;
}
