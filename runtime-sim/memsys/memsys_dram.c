// The DRAM behind a slice: the configured channels.
#include "runtime-sim/memsys/memsys_state.h"

static const uint64_t write_id = UINT64_MAX;

// A piece in flight.
struct transfer {
    struct memsys_piece piece;
    uint32_t next; // next free entry
};

// A piece that waits for the scheduler of its channel.
struct waiting_piece {
    struct dram_request request;
    uint64_t ready;
};

// The waiting pieces of a channel, as a ring.
struct dram_delay {
    struct waiting_piece *ring;
    uint32_t head, count;
    bool closed; // set until the scheduler has room; one piece enters per clock
};

struct local_dram {
    const struct memsys_config *config;
    struct dram_map map;
    struct dram_channel *channels;
    struct dram_delay *delays;
    uint32_t room;  // capacity of a ring; used with memory.dram_delay
    uint64_t after; // clock of the last tick
    struct transfer *transfers;
    uint32_t unused;
    uint32_t shown; // channel of the reply that `peek` returned last
    struct memsys_piece reply;
};

static void *create(void *context, struct arena *arena, const struct memsys_config *config,
                    uint32_t partition)
{
    const struct dram_config *dram = &config->dram;
    struct local_dram *d = ARENA_NEW(arena, struct local_dram);
    uint32_t inside = dram->queue + dram->write_queue + dram->banks + dram->answers;
    uint32_t count = dram->channels * inside;
    (void)context;
    (void)partition;
    *d = (struct local_dram){.config = config, .room = dram->queue + dram->answers};
    dram_map_init(&d->map, dram);
    d->channels = ARENA_ARRAY(arena, struct dram_channel, dram->channels);
    d->delays = ARENA_ARRAY(arena, struct dram_delay, dram->channels);
    for (uint32_t i = 0; i < dram->channels; i++) {
        dram_init(&d->channels[i], arena, dram);
        if (config->memory.dram_delay)
            d->delays[i].ring = ARENA_ARRAY(arena, struct waiting_piece, d->room);
    }
    d->transfers = ARENA_ARRAY(arena, struct transfer, count);
    for (uint32_t i = 0; i < count; i++)
        d->transfers[i].next = i + 1 < count ? i + 1 : MEMSYS_NONE;
    return d;
}

static uint64_t address_of(const struct local_dram *d, const struct memsys_piece *piece)
{
    return piece->line * d->config->llc.line_bytes + piece->number * d->config->dram.request_bytes;
}

static bool can_accept(const void *backend, const struct memsys_piece *piece)
{
    const struct local_dram *d = backend;
    uint32_t channel = dram_map_channel(&d->map, address_of(d, piece));
    if (d->config->memory.dram_delay)
        return !d->delays[channel].closed &&
               d->delays[channel].count + dram_inside(&d->channels[channel]) < d->room;
    return dram_can_accept(&d->channels[channel], piece->write);
}

static uint64_t new_transfer(struct local_dram *d, const struct memsys_piece *piece, uint64_t now)
{
    uint32_t index = d->unused;
    d->unused = d->transfers[index].next;
    d->transfers[index] = (struct transfer){*piece, MEMSYS_NONE};
    d->transfers[index].piece.taken = d->transfers[index].piece.queued = now;
    return index;
}

static void accept_piece(void *backend, uint64_t now, const struct memsys_piece *piece)
{
    struct local_dram *d = backend;
    struct dram_coordinates place = dram_map_find(&d->map, address_of(d, piece));
    struct dram_delay *delay = &d->delays[place.channel];
    bool waits = !piece->write || piece->entry != MEMSYS_NONE;
    struct dram_request request = {.id = waits ? new_transfer(d, piece, now) : write_id,
                                   .bank = place.bank,
                                   .row = place.row,
                                   .write = piece->write};
    if (!d->config->memory.dram_delay) {
        dram_accept(&d->channels[place.channel], now, now, &request);
        return;
    }
    delay->ring[(delay->head + delay->count++) % d->room] =
        (struct waiting_piece){request, now + d->config->memory.dram_delay};
    delay->closed = true;
}

static void end_delay(struct local_dram *d, uint32_t channel, uint64_t now)
{
    struct dram_delay *delay = &d->delays[channel];
    if (!delay->ring)
        return;
    const struct waiting_piece *first = &delay->ring[delay->head];
    struct dram_channel *to = &d->channels[channel];
    delay->closed = !dram_can_accept(to, false);
    if (!delay->count || first->ready > now || !dram_can_accept(to, first->request.write))
        return;
    if (first->request.id != write_id)
        d->transfers[first->request.id].piece.queued = now;
    dram_accept(to, now + 1, now + 1, &first->request);
    delay->head = (delay->head + 1) % d->room;
    delay->count--;
}

// Returns the clock in which a piece may enter the ring or the oldest one may leave it. If the
// scheduler is full, this is after its next step.
static uint64_t delay_next(const struct local_dram *d, uint32_t channel)
{
    const struct dram_delay *delay = &d->delays[channel];
    if (delay->closed)
        return d->after;
    if (!delay->count ||
        !dram_can_accept(&d->channels[channel], delay->ring[delay->head].request.write))
        return UINT64_MAX;
    uint64_t ready = delay->ring[delay->head].ready;
    return ready > d->after ? ready : d->after;
}

static const struct memsys_piece *peek(void *backend, uint64_t now)
{
    struct local_dram *d = backend;
    for (uint32_t i = 0; i < d->config->dram.channels; i++) {
        const struct dram_reply *reply = dram_peek(&d->channels[i], now);
        if (!reply)
            continue;
        d->shown = i;
        if (reply->id == write_id)
            d->reply = (struct memsys_piece){.write = true, .entry = MEMSYS_NONE};
        else
            d->reply = d->transfers[reply->id].piece;
        d->reply.done = reply->ready;
        return &d->reply;
    }
    return NULL;
}

// Requires a reply that `peek` returned.
static void pop(void *backend, uint64_t now)
{
    struct local_dram *d = backend;
    struct dram_channel *channel = &d->channels[d->shown];
    const struct dram_reply *reply = &channel->answers[channel->reply_head];
    if (reply->id != write_id) {
        d->transfers[reply->id].next = d->unused;
        d->unused = (uint32_t)reply->id;
    }
    dram_pop(channel, now);
}

static void tick(void *backend, uint64_t now)
{
    struct local_dram *d = backend;
    d->after = now + 1;
    for (uint32_t i = 0; i < d->config->dram.channels; i++) {
        if (d->channels[i].next <= now)
            dram_tick(&d->channels[i], now);
        end_delay(d, i, now);
    }
}

static uint64_t next(const void *backend)
{
    const struct local_dram *d = backend;
    uint64_t min = UINT64_MAX;
    for (uint32_t i = 0; i < d->config->dram.channels; i++) {
        uint64_t delayed = delay_next(d, i);
        min = d->channels[i].next < min ? d->channels[i].next : min;
        min = delayed < min ? delayed : min;
    }
    return min;
}

static uint64_t ready(const void *backend)
{
    const struct local_dram *d = backend;
    uint64_t min = UINT64_MAX;
    for (uint32_t i = 0; i < d->config->dram.channels; i++) {
        const struct dram_channel *channel = &d->channels[i];
        if (channel->reply_count && channel->answers[channel->reply_head].ready < min)
            min = channel->answers[channel->reply_head].ready;
    }
    return min;
}

static uint32_t inside(const void *backend)
{
    const struct local_dram *d = backend;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < d->config->dram.channels; i++)
        sum += d->delays[i].count + dram_inside(&d->channels[i]);
    return sum;
}

static struct dram_channel *channel_of(void *backend, uint32_t channel)
{
    struct local_dram *d = backend;
    return channel < d->config->dram.channels ? &d->channels[channel] : NULL;
}

const struct memsys_backend memsys_local_dram = {
    .create = create,
    .can_accept = can_accept,
    .accept = accept_piece,
    .peek = peek,
    .pop = pop,
    .tick = tick,
    .next = next,
    .ready = ready,
    .inside = inside,
    .dram_channel = channel_of,
};
