// The DRAM behind a slice: the channels of the configuration.
#include "runtime-sim/memsys/memsys_state.h"

static const uint64_t write_id = UINT64_MAX;

// What a read is for.
struct transfer {
    struct memsys_piece piece;
    uint32_t next; // that is not in use
};

struct local_dram {
    const struct memsys_config *config;
    struct dram_map map;
    struct dram_channel *channels;
    struct transfer *transfers;
    uint32_t unused;
    uint32_t shown; // channel of the answer that was peeked last
    struct memsys_piece answer;
};

static void *create(void *context, struct arena *arena, const struct memsys_config *config,
                    uint32_t partition)
{
    const struct dram_config *dram = &config->dram;
    struct local_dram *d = ARENA_NEW(arena, struct local_dram);
    uint32_t count = (uint32_t)(dram->channels * (dram->queue + dram->answers));
    (void)context;
    (void)partition;
    *d = (struct local_dram){.config = config};
    dram_map_init(&d->map, dram);
    d->channels = ARENA_ARRAY(arena, struct dram_channel, dram->channels);
    for (uint32_t i = 0; i < dram->channels; i++)
        dram_init(&d->channels[i], arena, dram);
    d->transfers = ARENA_ARRAY(arena, struct transfer, count);
    for (uint32_t i = 0; i < count; i++)
        d->transfers[i].next = i + 1 < count ? i + 1 : MEMSYS_NONE;
    return d;
}

struct dram_channel *memsys_dram_channels(void *backend)
{
    return ((struct local_dram *)backend)->channels;
}

static struct dram_place place_of(const struct local_dram *d, const struct memsys_piece *piece)
{
    return dram_map_find(&d->map, piece->line * d->config->llc.line_bytes +
                                      piece->number * d->config->dram.request_bytes);
}

static bool can_take(const void *backend, const struct memsys_piece *piece)
{
    const struct local_dram *d = backend;
    return dram_can_take(&d->channels[place_of(d, piece).channel], piece->write);
}

static uint64_t new_transfer(struct local_dram *d, const struct memsys_piece *piece)
{
    uint32_t index = d->unused;
    d->unused = d->transfers[index].next;
    d->transfers[index] = (struct transfer){*piece, MEMSYS_NONE};
    return index;
}

static void take(void *backend, uint64_t now, const struct memsys_piece *piece)
{
    struct local_dram *d = backend;
    struct dram_place place = place_of(d, piece);
    struct dram_request request = {.id = piece->write ? write_id : new_transfer(d, piece),
                                   .bank = place.bank,
                                   .row = place.row,
                                   .write = piece->write};
    dram_take(&d->channels[place.channel], now, now, &request);
}

static const struct memsys_piece *peek(void *backend, uint64_t now)
{
    struct local_dram *d = backend;
    for (uint32_t i = 0; i < d->config->dram.channels; i++) {
        const struct dram_answer *answer = dram_peek(&d->channels[i], now);
        if (!answer)
            continue;
        d->shown = i;
        if (answer->write)
            d->answer = (struct memsys_piece){.write = true};
        else
            d->answer = d->transfers[answer->id].piece;
        return &d->answer;
    }
    return NULL;
}

// Needs an answer that `peek` has shown.
static void pop(void *backend, uint64_t now)
{
    struct local_dram *d = backend;
    struct dram_channel *channel = &d->channels[d->shown];
    const struct dram_answer *answer = &channel->answers[channel->answer_head];
    if (!answer->write) {
        d->transfers[answer->id].next = d->unused;
        d->unused = (uint32_t)answer->id;
    }
    dram_pop(channel, now);
}

static void tick(void *backend, uint64_t now)
{
    struct local_dram *d = backend;
    for (uint32_t i = 0; i < d->config->dram.channels; i++)
        if (d->channels[i].next <= now)
            dram_tick(&d->channels[i], now);
}

static uint64_t next(const void *backend)
{
    const struct local_dram *d = backend;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < d->config->dram.channels; i++)
        least = d->channels[i].next < least ? d->channels[i].next : least;
    return least;
}

static uint64_t ready(const void *backend)
{
    const struct local_dram *d = backend;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < d->config->dram.channels; i++) {
        const struct dram_channel *channel = &d->channels[i];
        if (channel->answer_count && channel->answers[channel->answer_head].ready < least)
            least = channel->answers[channel->answer_head].ready;
    }
    return least;
}

static uint32_t inside(const void *backend)
{
    const struct local_dram *d = backend;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < d->config->dram.channels; i++)
        sum += dram_inside(&d->channels[i]);
    return sum;
}

const struct memsys_backend memsys_local_dram = {
    .create = create,
    .can_take = can_take,
    .take = take,
    .peek = peek,
    .pop = pop,
    .tick = tick,
    .next = next,
    .ready = ready,
    .inside = inside,
};
