// A DRAM shared by consecutive slices. Each slice has a queue to the DRAM and one of replies. In a
// clock the DRAM accepts at most one piece per channel, from the slices in turn.
//
// A slice accesses only its own queues, and the DRAM all of them in its own clock, so the order in
// which slices are evaluated does not matter.
//
// The slices divide the addresses of the DRAM by chunks: chunk c of slice s is chunk
// c · slices + s of the DRAM.
#include "runtime-sim/memsys/memsys_state.h"

enum { PIECES_ROOM = 8 }; // in a slice's queue to the DRAM

struct pieces {
    struct memsys_piece *ring;
    uint32_t room, head, count;
};

struct shared_dram;

struct shared_slice {
    struct shared_dram *of;
    uint32_t number;
    struct pieces asked, answered;
    uint32_t inside;  // pieces that wait for a reply, and replies
    uint64_t pending; // clock from which the oldest piece can be accepted
};

struct shared_dram {
    void *local; // of memsys_local_dram
    uint32_t slices, lines, channels, answers;
    uint32_t turn;
    uint64_t after; // clock after the last tick
    struct shared_slice *slice;
};

// State of `create` between the slices of a memory.
struct sharing {
    struct memsys_backend backend;
    struct shared_dram *last;
};

static struct pieces new_pieces(struct arena *arena, uint32_t room)
{
    return (struct pieces){.ring = ARENA_ARRAY(arena, struct memsys_piece, room), .room = room};
}

static void append(struct pieces *to, const struct memsys_piece *piece)
{
    to->ring[(to->head + to->count++) % to->room] = *piece;
}

static void remove_first(struct pieces *from)
{
    from->head = (from->head + 1) % from->room;
    from->count--;
}

// Replace a piece's line by the line of the DRAM, and back.
static struct memsys_piece to_dram(const struct shared_slice *slice,
                                   const struct memsys_piece *piece)
{
    const struct shared_dram *d = slice->of;
    struct memsys_piece to = *piece;
    uint64_t chunk = piece->line / d->lines * d->slices + slice->number;
    to.line = chunk * d->lines + piece->line % d->lines;
    return to;
}

static struct shared_slice *from_dram(const struct shared_dram *d, struct memsys_piece *piece)
{
    uint64_t chunk = piece->line / d->lines;
    piece->line = chunk / d->slices * d->lines + piece->line % d->lines;
    return &d->slice[chunk % d->slices];
}

static struct shared_dram *new_shared(struct arena *arena, const struct memsys_config *config,
                                      uint32_t partition)
{
    struct shared_dram *d = ARENA_NEW(arena, struct shared_dram);
    *d = (struct shared_dram){
        .local = memsys_local_dram.create(memsys_local_dram.context, arena, config, partition),
        .slices = config->memory.channel_slices,
        .lines = config->memory.chunk / config->llc.line_bytes,
        .channels = config->dram.channels,
        .answers = config->dram.channels * config->dram.answers};
    d->slice = ARENA_ARRAY(arena, struct shared_slice, d->slices);
    for (uint32_t i = 0; i < d->slices; i++)
        d->slice[i] = (struct shared_slice){.of = d,
                                            .number = i,
                                            .asked = new_pieces(arena, PIECES_ROOM),
                                            .answered = new_pieces(arena, d->answers)};
    return d;
}

static void *create(void *context, struct arena *arena, const struct memsys_config *config,
                    uint32_t partition)
{
    struct sharing *s = context;
    uint32_t number = partition % config->memory.channel_slices;
    if (!number)
        s->last = new_shared(arena, config, partition);
    return &s->last->slice[number];
}

static bool can_accept(const void *backend, const struct memsys_piece *piece)
{
    const struct shared_slice *slice = backend;
    (void)piece;
    return slice->asked.count < slice->asked.room;
}

static void accept_piece(void *backend, uint64_t now, const struct memsys_piece *piece)
{
    struct shared_slice *slice = backend;
    if (!slice->asked.count)
        slice->pending = now;
    append(&slice->asked, piece);
}

static const struct memsys_piece *peek(void *backend, uint64_t now)
{
    const struct shared_slice *slice = backend;
    const struct memsys_piece *first = &slice->answered.ring[slice->answered.head];
    return slice->answered.count && first->done <= now ? first : NULL;
}

static void pop(void *backend, uint64_t now)
{
    struct shared_slice *slice = backend;
    (void)now;
    slice->inside--;
    remove_first(&slice->answered);
}

static bool is_answered(const struct memsys_piece *piece)
{
    return !piece->write || piece->entry != MEMSYS_NONE;
}

// Returns true if the DRAM can accept the slice's oldest piece. A slice has room for all replies.
static bool can_serve(const struct shared_slice *slice)
{
    const struct memsys_piece *first = &slice->asked.ring[slice->asked.head];
    if (!slice->asked.count || (is_answered(first) && slice->inside == slice->of->answers))
        return false;
    struct memsys_piece to = to_dram(slice, first);
    return memsys_local_dram.can_accept(slice->of->local, &to);
}

// Passes the oldest piece of the next slice to the DRAM. Returns false if no slice has one that
// can be accepted.
static bool serve_next(struct shared_dram *d, uint64_t now)
{
    for (uint32_t i = 0; i < d->slices; i++) {
        struct shared_slice *slice = &d->slice[(d->turn + i) % d->slices];
        if (!can_serve(slice) || slice->pending > now)
            continue;
        struct memsys_piece to = to_dram(slice, &slice->asked.ring[slice->asked.head]);
        memsys_local_dram.accept(d->local, now, &to);
        slice->inside += is_answered(&to);
        remove_first(&slice->asked);
        d->turn = (slice->number + 1) % d->slices;
        return true;
    }
    return false;
}

// Moves the replies whose time is known to their slices.
static void distribute(struct shared_dram *d, uint64_t now)
{
    const struct memsys_piece *piece;
    while ((piece = memsys_local_dram.peek(d->local, UINT64_MAX))) {
        struct memsys_piece reply = *piece;
        if (is_answered(&reply))
            append(&from_dram(d, &reply)->answered, &reply);
        memsys_local_dram.pop(d->local, now);
    }
}

static void tick(void *backend, uint64_t now)
{
    struct shared_dram *d = ((struct shared_slice *)backend)->of;
    if (now < d->after)
        return; // evaluated for another slice
    for (uint32_t i = 0; i < d->channels && serve_next(d, now); i++)
        ;
    memsys_local_dram.tick(d->local, now);
    distribute(d, now);
    d->after = now + 1;
}

static uint64_t next(const void *backend)
{
    const struct shared_dram *d = ((const struct shared_slice *)backend)->of;
    uint64_t min = memsys_local_dram.next(d->local);
    for (uint32_t i = 0; i < d->slices; i++)
        if (can_serve(&d->slice[i]))
            min = smaller(min, larger(d->slice[i].pending, d->after));
    return min;
}

static uint64_t ready(const void *backend)
{
    const struct shared_slice *slice = backend;
    return slice->answered.count ? slice->answered.ring[slice->answered.head].done : UINT64_MAX;
}

// The pieces in the DRAM are those of the first slice, and those that wait for no reply.
static uint32_t inside(const void *backend)
{
    const struct shared_slice *slice = backend;
    uint32_t own = slice->asked.count + slice->answered.count;
    return slice->number ? own : own + memsys_local_dram.inside(slice->of->local);
}

static struct dram_channel *channel_of(void *backend, uint32_t channel)
{
    struct shared_slice *slice = backend;
    return slice->number ? NULL : memsys_local_dram.dram_channel(slice->of->local, channel);
}

const struct memsys_backend *memsys_configured_dram(struct arena *arena,
                                                    const struct memsys_config *config)
{
    struct sharing *s = ARENA_NEW(arena, struct sharing);
    if (config->memory.channel_slices == 1)
        return &memsys_local_dram;
    s->backend = (struct memsys_backend){.create = create,
                                         .context = s,
                                         .can_accept = can_accept,
                                         .accept = accept_piece,
                                         .peek = peek,
                                         .pop = pop,
                                         .tick = tick,
                                         .next = next,
                                         .ready = ready,
                                         .inside = inside,
                                         .dram_channel = channel_of};
    return &s->backend;
}
