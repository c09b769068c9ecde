#include "tools/dram/dram_memory.h"
#include <stdlib.h>

// One channel

void dram_pop_all(struct dram_channel *channel, uint64_t now, dram_served *served, void *context)
{
    const struct dram_reply *reply;
    while ((reply = dram_peek(channel, now))) {
        served(context, reply);
        dram_pop(channel, now);
    }
}

uint64_t dram_evaluate(struct dram_channel *channel, uint64_t now)
{
    uint64_t next = dram_tick(channel, now);
    // Commands wait while there is no room for their replies.
    bool is_full = channel->reply_count == channel->config->answers;
    if (is_full && channel->answers[channel->reply_head].ready < next)
        next = channel->answers[channel->reply_head].ready;
    return next;
}

// All channels

void dram_memory_init(struct dram_memory *memory, struct arena *arena,
                      const struct dram_config *config)
{
    *memory = (struct dram_memory){.arena = arena, .config = config, .free = UINT32_MAX};
    dram_map_init(&memory->map, config);
    memory->channels = ARENA_ARRAY(arena, struct dram_channel, config->channels);
    memory->next = ARENA_ARRAY(arena, uint64_t, config->channels);
    for (uint32_t i = 0; i < config->channels; i++)
        dram_init(&memory->channels[i], arena, config);
}

static void add_done(void *context, const struct dram_reply *reply)
{
    struct dram_memory *memory = context;
    struct dram_place *place = &memory->places.v[reply->id];
    struct dram_done done = {place->number, place->arrived, reply->ready};
    vec_push(memory->arena, &memory->done, done);
    place->next = memory->free;
    memory->free = (uint32_t)reply->id;
}

static int by_reply(const void *a, const void *b)
{
    const struct dram_done *x = a, *y = b;
    if (x->replied != y->replied)
        return x->replied < y->replied ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void dram_memory_advance(struct dram_memory *memory, uint64_t clock)
{
    if (memory->taken == memory->done.n)
        memory->taken = memory->done.n = 0;
    uint32_t before = memory->done.n;
    for (uint32_t i = 0; i < memory->config->channels; i++) {
        struct dram_channel *channel = &memory->channels[i];
        while (memory->next[i] < clock) {
            if (dram_pass_refreshes(channel, clock))
                memory->next[i] = channel->next;
            uint64_t now = memory->next[i];
            dram_pop_all(channel, now, add_done, memory);
            memory->next[i] = dram_evaluate(channel, now);
        }
        dram_pop_all(channel, clock, add_done, memory);
    }
    if (memory->done.n > before)
        qsort(&memory->done.v[before], memory->done.n - before, sizeof *memory->done.v, by_reply);
    memory->now = clock;
}

// Returns the number of requests in all channels.
static uint64_t inside(const struct dram_memory *memory)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < memory->config->channels; i++)
        count += dram_inside(&memory->channels[i]);
    return count;
}

void dram_memory_drain(struct dram_memory *memory)
{
    while (inside(memory))
        dram_memory_advance(memory, dram_memory_next(memory));
}

static uint32_t new_place(struct dram_memory *memory)
{
    uint32_t found = memory->free;
    if (found == UINT32_MAX) {
        vec_push(memory->arena, &memory->places, (struct dram_place){0});
        return memory->places.n - 1;
    }
    memory->free = memory->places.v[found].next;
    return found;
}

bool dram_memory_offer(struct dram_memory *memory, uint64_t arrived, uint64_t address, bool write,
                       uint64_t number)
{
    struct dram_coordinates at = dram_map_find(&memory->map, address);
    struct dram_channel *channel = &memory->channels[at.channel];
    if (!dram_can_accept(channel, write))
        return false;
    uint32_t place = new_place(memory);
    memory->places.v[place] = (struct dram_place){.number = number, .arrived = arrived};
    struct dram_request request = {.id = place, .bank = at.bank, .row = at.row, .write = write};
    dram_accept(channel, memory->now, arrived, &request);
    memory->next[at.channel] = memory->now;
    return true;
}

uint64_t dram_memory_next(const struct dram_memory *memory)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < memory->config->channels; i++) {
        const struct dram_channel *channel = &memory->channels[i];
        const struct dram_reply *reply = &channel->answers[channel->reply_head];
        // A clock is evaluated when the memory advances beyond it.
        if (memory->next[i] < next)
            next = memory->next[i] + 1;
        if (channel->reply_count && reply->ready < next)
            next = reply->ready;
    }
    return next;
}

uint64_t dram_memory_pending(const struct dram_memory *memory)
{
    return inside(memory) + memory->done.n - memory->taken;
}

const struct dram_done *dram_memory_done(struct dram_memory *memory)
{
    return memory->taken < memory->done.n ? &memory->done.v[memory->taken++] : NULL;
}
