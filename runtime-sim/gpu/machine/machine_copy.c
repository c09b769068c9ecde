// Copies as requests to the memory system, from an endpoint at the first partition's node.
//
// A copy is divided into pieces, each within one line at both ends. A piece first reads its line of
// device memory and then writes it; an end in host memory needs no requests. There is an engine for
// each direction. They share the endpoint, but each has its own table of pieces in flight and its
// own queue of requests, so that neither waits for the pieces of the other.
//
// With a rate, the bytes cross a link to host memory or another device piece by piece: a write is
// sent when its bytes have crossed, and the bytes of a read cross when its reply has arrived. Reads
// are sent at the rate of the link.
#include "runtime-sim/gpu/machine/machine_state.h"
#include <string.h>

enum { PIECES = COPY_PIECES, PIECE_WORDS = PIECES / 64, PIECE_BITS = 8 };

enum copy_direction { COPY_TO_DEVICE, COPY_TO_HOST, COPY_WITHIN, COPY_DIRECTIONS };

struct copy_piece {
    uint64_t to, from; // as in struct machine_copy
    uint8_t *data_to;
    const uint8_t *data_from;
    uint64_t ready; // cycle of its first request
    uint32_t bytes;
    bool reads; // reads now, otherwise writes
    uint8_t line[MASK_BYTES];
};

// Bytes that pass at a constant rate, starting at a cycle.
struct pace {
    uint64_t base, bytes;
    uint64_t end; // cycle in which the last byte has passed
};

struct copy_engine {
    VEC(struct machine_event *)
    list; // copies that have begun; those from `first` on have not
          // ended
    uint32_t first;
    uint64_t done;              // bytes of the current copy that have pieces
    struct pace request, link;  // of pieces started; of replies that cross the link
    uint32_t inside;            // pieces in flight
    uint64_t free[PIECE_WORDS]; // set of unused pieces
    uint8_t queue[PIECES];      // ring of pieces to send
    uint32_t queue_head, queue_count;
    struct copy_piece pieces[PIECES];
};

struct copy_engines {
    struct arena *arena;
    uint32_t end, line_bytes;
    uint64_t clock; // in MHz
    uint8_t requester;
    struct copy_engine engines[COPY_DIRECTIONS];
};

void machine_add_copies(struct machine *machine, struct memsys_tables *tables)
{
    static const struct memsys_requester requester = {"copy", true, NULL};
    struct copy_engines *c = machine->copies = ARENA_NEW(machine->arena, struct copy_engines);
    *c = (struct copy_engines){.arena = machine->arena,
                               .end = tables->endpoints.n, // its row, until it is made
                               .line_bytes = machine->config->memsys.llc.line_bytes,
                               .clock = machine->config->memsys.memory.core_clock,
                               .requester = (uint8_t)machine->schemes.requesters.n};
    for (int i = 0; i < COPY_DIRECTIONS; i++)
        memset(c->engines[i].free, 0xff, sizeof c->engines[i].free);
    machine_add_requester(machine, &requester);
    tables->requesters = machine->schemes.requesters.v;
    tables->requester_count = machine->schemes.requesters.n;
    vec_push(machine->arena, &tables->endpoints,
             (struct memsys_endpoint){.node = machine->config->memsys.memory.partition_nodes.v[0]});
}

void machine_connect_copies(struct machine *machine, const struct memsys_tables *tables)
{
    machine->copies->end += memsys_endpoint_count(machine->shared.memsys) - tables->endpoints.n;
}

void machine_begin_copy(struct machine *machine, struct machine_event *event)
{
    struct copy_engines *c = machine->copies;
    const struct machine_copy *copy = &event->copy;
    enum copy_direction direction = copy->is_peer ? COPY_WITHIN
                                    : !copy->from || (copy->one_engine && !copy->to)
                                        ? COPY_TO_DEVICE
                                    : !copy->to ? COPY_TO_HOST
                                                : COPY_WITHIN;
    struct copy_engine *engine = &c->engines[direction];
    if (engine->first == engine->list.n)
        engine->first = engine->list.n = 0;
    vec_push(c->arena, &engine->list, event);
}

// Requests

static const struct machine_copy *current(const struct copy_engine *engine)
{
    return &engine->list.v[engine->first]->copy;
}

static bool has_copy(const struct copy_engine *engine)
{
    return engine->first < engine->list.n;
}

// Lets bytes pass after the previous ones, but not before this cycle.
static void pass(const struct copy_engines *c, struct pace *pace, uint64_t rate, uint64_t now,
                 uint64_t bytes)
{
    if (pace->end < now)
        *pace = (struct pace){.base = now};
    pace->bytes += bytes;
    pace->end = pace->base + divide_up(pace->bytes * c->clock, rate);
}

static uint32_t line_left(const struct copy_engines *c, uint64_t address)
{
    return address ? c->line_bytes - (uint32_t)(address % c->line_bytes) : c->line_bytes;
}

static void push(struct copy_engine *engine, uint32_t piece)
{
    engine->queue[(engine->queue_head + engine->queue_count++) % PIECES] = (uint8_t)piece;
}

static uint32_t allocate_request(struct copy_engine *engine)
{
    uint32_t word = 0;
    while (!engine->free[word])
        word++;
    uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(engine->free[word]);
    engine->free[word] &= engine->free[word] - 1;
    engine->inside++;
    return index;
}

static void begin_piece(struct copy_engines *c, struct copy_engine *engine, uint64_t now)
{
    const struct machine_copy *copy = current(engine);
    uint32_t index = allocate_request(engine);
    struct copy_piece *piece = &engine->pieces[index];
    uint64_t left = copy->bytes - engine->done;
    *piece = (struct copy_piece){.to = copy->to ? copy->to + engine->done : 0,
                                 .from = copy->from ? copy->from + engine->done : 0,
                                 .data_to = copy->data_to + engine->done,
                                 .data_from = copy->data_from + engine->done,
                                 .ready = now,
                                 .reads = copy->from};
    uint32_t max = line_left(c, piece->to), other = line_left(c, piece->from);
    max = max < other ? max : other;
    piece->bytes = left < max ? (uint32_t)left : max;
    engine->done += piece->bytes;
    if (copy->rate)
        pass(c, &engine->request, copy->rate, now, piece->bytes);
    else
        engine->request.end = now + 1;
    if (copy->rate && !copy->from)
        piece->ready = engine->request.end;
    push(engine, index);
}

static bool has_more(const struct copy_engine *engine)
{
    return has_copy(engine) && engine->done < current(engine)->bytes;
}

// Returns true if the engine starts pieces as soon as its pace allows.
static bool has_room(const struct copy_engine *engine)
{
    const struct machine_copy *copy = has_copy(engine) ? current(engine) : NULL;
    return copy && engine->inside < (copy->outstanding ? copy->outstanding : COPY_OUTSTANDING);
}

static bool send(struct machine *machine, uint32_t number, uint32_t index)
{
    const struct copy_engines *c = machine->copies;
    const struct copy_piece *piece = &c->engines[number].pieces[index];
    const struct machine_copy *copy = current(&c->engines[number]);
    uint64_t address = piece->reads ? piece->from : piece->to;
    uint32_t at = (uint32_t)(address % c->line_bytes);
    const struct memsys_request request = {.line = address / c->line_bytes,
                                           .bytes = mask_range(at, at + piece->bytes),
                                           .core = c->end,
                                           .tag = number << PIECE_BITS | index,
                                           .kind = piece->reads ? MEMSYS_READ : MEMSYS_WRITE,
                                           .mark =
                                               piece->reads ? copy->read_mark : copy->write_mark,
                                           .requester = c->requester};
    if (!memsys_can_send(machine->shared.memsys, &request))
        return false;
    memsys_send(machine->shared.memsys, &request);
    return true;
}

// Returns the piece of a request or reply.
static struct copy_piece *piece_of(struct copy_engines *c, uint32_t tag)
{
    return &c->engines[tag >> PIECE_BITS].pieces[tag % PIECES];
}

void machine_serve_copy(struct machine *machine, const struct memsys_request *request)
{
    struct copy_piece *piece = piece_of(machine->copies, request->tag);
    if (!piece->from)
        memcpy(piece->data_to, piece->data_from, piece->bytes);
    else if (!piece->reads)
        memcpy(piece->data_to, piece->line, piece->bytes);
    else
        memcpy(piece->to ? piece->line : piece->data_to, piece->data_from, piece->bytes);
}

// Replies

static void end_piece(struct machine *machine, struct copy_engine *engine, uint32_t index)
{
    const struct machine_copy *copy = current(engine);
    if (copy->rate && !copy->to)
        pass(machine->copies, &engine->link, copy->rate, machine->now, engine->pieces[index].bytes);
    engine->free[index / 64] |= UINT64_C(1) << index % 64;
    engine->inside--;
    machine->watchdog.progress++;
}

static void accept_replies(struct machine *machine)
{
    struct copy_engines *c = machine->copies;
    const struct memsys_request *reply;
    while ((reply = memsys_peek(machine->shared.memsys, c->end))) {
        struct copy_engine *engine = &c->engines[reply->tag >> PIECE_BITS];
        struct copy_piece *piece = piece_of(c, reply->tag);
        uint32_t index = reply->tag % PIECES;
        memsys_pop(machine->shared.memsys, c->end);
        if (piece->reads && piece->to) {
            piece->reads = false;
            push(engine, index);
        } else {
            end_piece(machine, engine, index);
        }
    }
}

// Returns true if all pieces of the current copy have replies. Its bytes may still cross the link.
static bool has_replies(const struct copy_engine *engine)
{
    return has_copy(engine) && !engine->inside && !has_more(engine);
}

static void end_copies(struct machine *machine, struct copy_engine *engine)
{
    while (has_replies(engine) && engine->link.end <= machine->now) {
        machine_end_event(machine, engine->list.v[engine->first++]);
        engine->done = 0;
    }
}

static void send_pieces(struct machine *machine, uint32_t number)
{
    struct copy_engine *engine = &machine->copies->engines[number];
    while (engine->queue_count) {
        uint32_t index = engine->queue[engine->queue_head];
        if (engine->pieces[index].ready > machine->now || !send(machine, number, index))
            return;
        engine->queue_head = (engine->queue_head + 1) % PIECES;
        engine->queue_count--;
    }
}

void machine_tick_copies(struct machine *machine)
{
    struct copy_engines *c = machine->copies;
    accept_replies(machine);
    for (uint32_t i = 0; i < COPY_DIRECTIONS; i++) {
        struct copy_engine *engine = &c->engines[i];
        end_copies(machine, engine);
        if (has_room(engine) && has_more(engine) && engine->request.end <= machine->now)
            begin_piece(c, engine, machine->now);
    }
    for (uint32_t i = 0; i < COPY_DIRECTIONS; i++)
        send_pieces(machine, i);
}

// A piece that is ready but not sent waits for the network.
static uint64_t engine_next(const struct copy_engine *engine, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (has_replies(engine))
        next = engine->link.end;
    else if (has_room(engine) && has_more(engine))
        next = engine->request.end;
    if (engine->queue_count) {
        uint64_t ready = engine->pieces[engine->queue[engine->queue_head]].ready;
        if (ready <= now)
            return next > now ? next : UINT64_MAX;
        next = ready < next ? ready : next;
    }
    return next > now ? next : now + 1;
}

uint64_t machine_copies_next(const struct machine *machine)
{
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < COPY_DIRECTIONS; i++) {
        const struct copy_engine *engine = &machine->copies->engines[i];
        uint64_t at = has_copy(engine) ? engine_next(engine, machine->now) : UINT64_MAX;
        next = at < next ? at : next;
    }
    return next;
}

uint32_t machine_copies_inside(const struct machine *machine)
{
    uint32_t inside = 0;
    for (int i = 0; machine->copies && i < COPY_DIRECTIONS; i++)
        inside += machine->copies->engines[i].inside - machine->copies->engines[i].queue_count;
    return inside;
}
