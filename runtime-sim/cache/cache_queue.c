// The access queue of a cache. A request that cannot be served stays in it, and others may pass it.
#include "runtime-sim/cache/cache_lines.h"
#include "runtime-sim/cache/cache_ports.h"

#define NO_REQUEST UINT16_MAX

static void wait_until(struct waits *waits, uint64_t clock)
{
    if (waits->until > clock)
        waits->until = clock;
}

// Returns the location of the request's line, or NOWHERE. Lines change more rarely than waiting
// requests look up theirs, so the result is kept in the request.
static uint32_t find_location(const struct cache *c, struct cache_request *r)
{
    if (r->found_at != c->changes) {
        r->place = cache_find_in(c, r->set, r->line);
        r->found_at = c->changes;
    }
    return r->place;
}

// Returns true if the request had its access and leaves the queue.
static bool try_access(struct cache *c, struct cache_request *r, uint64_t now, struct waits *waits)
{
    const struct cache_input *input = &c->inputs[r->input];
    uint64_t bank_free = cache_free_at(c, r->line, r->bytes);
    if (bank_free > now) {
        c->stats.bank_waits++;
        wait_until(waits, bank_free);
        return false;
    }
    if (input->condition && !input->condition(input->context, r, now)) {
        wait_until(waits, now + 1);
        return false;
    }
    if (!cache_can_reply(c, r->path)) {
        c->stats.answer_waits++;
        return false;
    }
    uint32_t place = find_location(c, r);
    if (!(r->kind == CACHE_WRITE ? cache_access_write : cache_access_read)(c, r, place, now))
        return false;
    cache_use_banks(c, r->line, r->bytes, now);
    return true;
}

// The requests that stay in the access queue, in groups: a list for each group, newest first.
struct groups {
    uint64_t used;     // set of the groups with a request
    uint16_t last[64]; // index of the newest request; defined for the groups in `used`
};

// Returns the group of a line. Lines share groups.
static uint32_t group_of(uint64_t line)
{
    return (line ^ line >> 6) & 63;
}

static bool has_group(const struct groups *g, uint32_t group)
{
    return g->used >> group & 1;
}

static void add_to_group(struct cache *c, struct groups *g, uint32_t group, uint32_t index)
{
    c->before[index] = has_group(g, group) ? g->last[group] : NO_REQUEST;
    g->last[group] = (uint16_t)index;
    g->used |= UINT64_C(1) << group;
}

// Returns true if a request may pass an older one to the same line.
static bool may_pass(const struct cache *c, const struct cache_request *r,
                     const struct cache_request *older)
{
    const struct cache_input *input = &c->inputs[older->input];
    bool both_read = r->kind == CACHE_READ && older->kind == CACHE_READ && !input->condition;
    return (older->path != r->path && both_read) || (older->input != r->input && input->is_passed);
}

// Returns true if a request that stays is for the same line and must not be passed.
static bool must_wait(const struct cache *c, const struct groups *g, uint32_t group,
                      const struct cache_request *r)
{
    if (!has_group(g, group))
        return false;
    for (uint16_t i = g->last[group]; i != NO_REQUEST; i = c->before[i]) {
        const struct cache_request *older = &c->waiting[i];
        if (older->line == r->line && !may_pass(c, r, older))
            return true;
    }
    return false;
}

void cache_access_all(struct cache *c, uint64_t now, struct waits *waits)
{
    uint32_t kept = 0;
    struct groups groups;
    groups.used = 0;
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        struct cache_request *r = &c->waiting[i];
        uint32_t group = group_of(r->line);
        if (!must_wait(c, &groups, group, r) && try_access(c, r, now, waits)) {
            waits->done = true;
            continue;
        }
        add_to_group(c, &groups, group, kept);
        if (kept != i)
            c->waiting[kept] = *r;
        kept++;
    }
    c->waiting_count = kept;
}

static bool has_one_of_input(const struct cache *c, uint8_t input)
{
    for (uint32_t i = 0; i < c->waiting_count; i++)
        if (c->waiting[i].input == input)
            return true;
    return false;
}

// Counts the requests of inputs without a condition, which share the access queue.
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

// An input with a condition has an entry of its own, because it may wait for a request of another
// input. So has each path, because the other paths may wait for room in their reply queues.
static bool has_location(const struct cache *c, const struct cache_input *input)
{
    if (input->condition || input->one_waits)
        return !has_one_of_input(c, (uint8_t)(input - c->inputs));
    return c->waiting_count < c->config->access_queue ||
           !has_one_of_path(c, input->queue[input->head].path) ||
           count_shared(c) < c->config->access_queue;
}

// Returns true if a request may get an entry beyond the configured ones.
static bool has_more_locations(const struct cache *c)
{
    for (uint32_t i = 0; i < c->input_count; i++) {
        const struct cache_input *input = &c->inputs[i];
        if (input->condition ||
            (input->count && !has_one_of_path(c, input->queue[input->head].path)))
            return true;
    }
    return false;
}

void cache_accept(struct cache *c, struct waits *waits)
{
    for (uint32_t n = 0, idle = 0; n < c->config->accept && idle < c->input_count;) {
        struct cache_input *input = &c->inputs[c->turn];
        if (c->waiting_count >= c->config->access_queue && !has_more_locations(c))
            return;
        c->turn = (c->turn + 1) % c->input_count;
        idle++;
        if (!input->count || !has_location(c, input))
            continue;
        c->waiting[c->waiting_count++] = input->queue[input->head];
        input->head = cache_wrap(input->head + 1, c->config->input);
        input->count--;
        waits->done = true;
        idle = 0;
        n++;
    }
}
