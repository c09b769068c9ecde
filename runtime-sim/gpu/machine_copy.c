// Copies as requests through the memory system, from an endpoint at the first partition's node.
//
// A copy is cut into pieces, each in one line at both ends. A piece reads its line of device
// memory, then writes it; one end in host memory takes no time. Three engines, one for each
// direction, share the endpoint and a table of pieces under way.
#include "runtime-sim/gpu/machine_state.h"
#include <string.h>

enum { PIECES = 64 }; // under way, of all engines

enum copy_direction { COPY_TO_DEVICE, COPY_TO_HOST, COPY_WITHIN, COPY_DIRECTIONS };

struct copy_piece {
    struct copy_engine *engine;
    uint64_t to, from; // as struct machine_copy has them
    uint8_t *data_to;
    const uint8_t *data_from;
    uint32_t bytes;
    bool reads; // it reads now, or else writes
    uint8_t line[MASK_BYTES];
};

struct copy_engine {
    VEC(struct machine_event *) list; // copies that have begun, from `first` on not over
    uint32_t first;
    uint64_t done;   // bytes of the first that have pieces
    uint64_t next;   // the first cycle of the next piece
    uint32_t inside; // pieces under way
};

struct copy_engines {
    struct arena *arena;
    uint32_t end, line_bytes;
    uint8_t client;
    struct copy_engine engines[COPY_DIRECTIONS];
    struct copy_piece pieces[PIECES];
    uint64_t free;                                  // the set of pieces not in use
    uint8_t queue[PIECES], queue_head, queue_count; // pieces to be sent
};

void machine_add_copies(struct machine *machine, struct memsys_tables *tables)
{
    static const struct memsys_requester requester = {"copy", true, NULL};
    struct copy_engines *c = machine->copies = ARENA_NEW(machine->arena, struct copy_engines);
    *c = (struct copy_engines){.arena = machine->arena,
                               .end = tables->endpoint_count, // its row, until it is made
                               .line_bytes = (uint32_t)machine->config->memsys.llc.line_bytes,
                               .client = (uint8_t)machine->requester_count,
                               .free = UINT64_MAX};
    machine_add_requester(machine, &requester);
    tables->requester_count = machine->requester_count;
    tables->endpoints[tables->endpoint_count++] = (struct memsys_endpoint){
        .node = (uint32_t)machine->config->memsys.memory.partition_nodes.v[0]};
}

void machine_join_copies(struct machine *machine, const struct memsys_tables *tables)
{
    machine->copies->end += memsys_ends(machine->shared.memsys) - tables->endpoint_count;
}

void machine_begin_copy(struct machine *machine, struct machine_event *event)
{
    struct copy_engines *c = machine->copies;
    const struct machine_copy *copy = &event->copy;
    enum copy_direction direction = !copy->from ? COPY_TO_DEVICE
                                    : !copy->to ? COPY_TO_HOST
                                                : COPY_WITHIN;
    struct copy_engine *engine = &c->engines[direction];
    if (engine->first == engine->list.n)
        engine->first = engine->list.n = 0;
    vec_push(c->arena, &engine->list, event);
}

// Requests

static uint32_t line_left(const struct copy_engines *c, uint64_t address)
{
    return address ? c->line_bytes - (uint32_t)(address % c->line_bytes) : c->line_bytes;
}

static void push(struct copy_engines *c, uint32_t piece)
{
    c->queue[(c->queue_head + c->queue_count++) % PIECES] = (uint8_t)piece;
}

static void begin_piece(struct copy_engines *c, struct copy_engine *engine, uint64_t now)
{
    const struct machine_copy *copy = &engine->list.v[engine->first]->copy;
    uint32_t index = (uint32_t)__builtin_ctzll(c->free);
    struct copy_piece *piece = &c->pieces[index];
    uint64_t left = copy->bytes - engine->done;
    *piece = (struct copy_piece){.engine = engine,
                                 .to = copy->to ? copy->to + engine->done : 0,
                                 .from = copy->from ? copy->from + engine->done : 0,
                                 .data_to = copy->data_to + engine->done,
                                 .data_from = copy->data_from + engine->done,
                                 .reads = copy->from};
    uint32_t most = line_left(c, piece->to), other = line_left(c, piece->from);
    most = most < other ? most : other;
    piece->bytes = left < most ? (uint32_t)left : most;
    c->free &= ~(UINT64_C(1) << index);
    engine->done += piece->bytes;
    engine->next = now + (copy->interval ? copy->interval : 1);
    engine->inside++;
    push(c, index);
}

static bool has_more(const struct copy_engine *engine)
{
    return engine->first < engine->list.n &&
           engine->done < engine->list.v[engine->first]->copy.bytes;
}

static bool send(struct machine *machine, uint32_t index)
{
    const struct copy_engines *c = machine->copies;
    const struct copy_piece *piece = &c->pieces[index];
    uint64_t address = piece->reads ? piece->from : piece->to;
    uint32_t at = (uint32_t)(address % c->line_bytes);
    const struct memsys_request request = {.line = address / c->line_bytes,
                                           .bytes = mask_range(at, at + piece->bytes),
                                           .core = c->end,
                                           .tag = index,
                                           .kind = piece->reads ? MEMSYS_READ : MEMSYS_WRITE,
                                           .client = c->client};
    if (!memsys_can_send(machine->shared.memsys, &request))
        return false;
    memsys_send(machine->shared.memsys, &request);
    return true;
}

void machine_serve_copy(struct machine *machine, const struct memsys_request *request)
{
    struct copy_piece *piece = &machine->copies->pieces[request->tag];
    if (!piece->from)
        memcpy(piece->data_to, piece->data_from, piece->bytes);
    else if (!piece->reads)
        memcpy(piece->data_to, piece->line, piece->bytes);
    else
        memcpy(piece->to ? piece->line : piece->data_to, piece->data_from, piece->bytes);
}

// Replies

static void end_piece(struct machine *machine, uint32_t index)
{
    struct copy_engines *c = machine->copies;
    struct copy_engine *engine = c->pieces[index].engine;
    c->free |= UINT64_C(1) << index;
    machine->progress++;
    if (--engine->inside || has_more(engine))
        return;
    machine_end_event(machine, engine->list.v[engine->first++]);
    engine->done = 0;
}

static void take_replies(struct machine *machine)
{
    struct copy_engines *c = machine->copies;
    const struct memsys_request *reply;
    while ((reply = memsys_peek(machine->shared.memsys, c->end))) {
        uint32_t index = reply->tag;
        memsys_pop(machine->shared.memsys, c->end);
        if (c->pieces[index].reads && c->pieces[index].to) {
            c->pieces[index].reads = false;
            push(c, index);
        } else {
            end_piece(machine, index);
        }
    }
}

// A copy without bytes has no replies.
static void end_empty(struct machine *machine, struct copy_engine *engine)
{
    while (engine->first < engine->list.n && !engine->list.v[engine->first]->copy.bytes)
        machine_end_event(machine, engine->list.v[engine->first++]);
}

void machine_tick_copies(struct machine *machine)
{
    struct copy_engines *c = machine->copies;
    take_replies(machine);
    for (int i = 0; i < COPY_DIRECTIONS; i++) {
        struct copy_engine *engine = &c->engines[i];
        end_empty(machine, engine);
        if (c->free && has_more(engine) && engine->next <= machine->now)
            begin_piece(c, engine, machine->now);
    }
    while (c->queue_count && send(machine, c->queue[c->queue_head])) {
        c->queue_head = (uint8_t)((c->queue_head + 1) % PIECES);
        c->queue_count--;
    }
}

// A queue that is not empty waits for the network.
uint64_t machine_copies_next(const struct machine *machine)
{
    const struct copy_engines *c = machine->copies;
    uint64_t next = UINT64_MAX, soon = machine->now + 1;
    for (int i = 0; i < COPY_DIRECTIONS && c->free && !c->queue_count; i++) {
        uint64_t at = c->engines[i].next > soon ? c->engines[i].next : soon;
        if (has_more(&c->engines[i]))
            next = at < next ? at : next;
    }
    return next;
}

uint32_t machine_copies_inside(const struct machine *machine)
{
    uint32_t inside = 0;
    for (int i = 0; machine->copies && i < COPY_DIRECTIONS; i++)
        inside += machine->copies->engines[i].inside;
    return machine->copies ? inside - machine->copies->queue_count : 0;
}
