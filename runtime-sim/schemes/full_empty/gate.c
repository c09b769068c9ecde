#include "runtime-sim/schemes/full_empty/gate.h"
#include "runtime-sim/base/trace.h"
#include <string.h>

void fe_gate_init(struct fe_gate *gate, struct arena *arena, const struct fe_config *config,
                  uint32_t partition)
{
    *gate = (struct fe_gate){.config = config, .partition = partition};
    for (int i = 0; i < FE_QUEUES; i++)
        gate->queues[i] =
            (struct fe_queue){.list = ARENA_ARRAY(arena, struct fe_request, config->queue_depth),
                              .blocked = UINT64_MAX};
}

// Triggers and actions

// Returns the words of all granules that contain one of `words`.
static uint32_t widen(uint32_t words, uint32_t granule)
{
    uint32_t each = granule / PLANE_WORD, all = 0;
    if (each <= 1)
        return words;
    uint32_t one = each == PLANE_WORDS ? UINT32_MAX : (UINT32_C(1) << each) - 1;
    for (uint32_t at = 0; at < PLANE_WORDS; at += each)
        if (words >> at & one)
            all |= one << at;
    return all;
}

// Returns the words that contain one of the bytes.
static uint32_t touched_words(struct mask bytes)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < PLANE_WORDS; i++)
        words |= (uint32_t)((bytes.w[i / 16] >> i % 16 * 4 & 15) != 0) << i;
    return words;
}

// Sets trigger and action. The GPU's reads wait for full words, its writes fill them, and its
// atomics do both [001 §4.1]. Atomics do not wait if fills are counted.
static void set_condition(struct fe_request *to, const struct memsys_request *request)
{
    bool writes = request->kind != MEMSYS_READ;
    bool is_held = !writes || (request->kind != MEMSYS_WRITE && plane_holds_atomics(to->at));
    if (request->mark) {
        to->trigger = (uint8_t)plane_trigger_of(request->mark);
        to->action = (uint8_t)plane_action_of(request->mark);
    } else {
        to->trigger = is_held ? PLANE_WAIT_FULL : PLANE_ALWAYS;
        to->action = writes ? PLANE_FILL : PLANE_KEEP;
    }
    if (!to->at.plane)
        to->trigger = PLANE_ALWAYS;
}

static bool may_go(const struct fe_gate *gate, const struct fe_request *request)
{
    return !plane_missing(request->at, widen(request->words, gate->config->granule),
                          request->trigger);
}

// Returns true if the queue has an access of the same core to the same line.
static bool has_older(const struct fe_queue *queue, const struct fe_request *request)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->list[i].line == request->line && queue->list[i].core == request->core)
            return true;
    return false;
}

static struct fe_request examine(const struct fe_gate *gate, const struct memsys_request *request)
{
    struct fe_request to = {.core = request->core,
                            .line = request->line,
                            .words = touched_words(request->bytes),
                            .at = plane_find(*gate->image, request->line * PLANE_LINE),
                            .kind = request->kind,
                            .is_host = request->mark & PLANE_OF_HOST};
    to.discards = !to.is_host && plane_action_of(request->mark) == PLANE_EMPTY;
    set_condition(&to, request);
    return to;
}

// Returns true for a read that hits in the slice. It bypasses the triggered queues, which follow
// the slice [001 Fig. 5].
static bool hits(const struct fe_gate *gate, const struct fe_request *to,
                 const struct memsys_request *request)
{
    return request->kind == MEMSYS_READ && !to->action && may_go(gate, to) &&
           memsys_holds(gate->memsys, gate->partition, request);
}

static uint32_t choose_queue(const struct fe_gate *gate, const struct fe_request *to,
                             const struct memsys_request *request)
{
    if (gate->config->order == FE_ORDER_SOURCE && has_older(&gate->queues[FE_GPU], to))
        return FE_GPU;
    if (!to->trigger || hits(gate, to, request))
        return FE_FREE;
    return to->is_host ? FE_CPU : FE_GPU;
}

bool fe_gate_has_room(const struct fe_gate *gate, const struct memsys_request *request)
{
    const struct fe_request to = examine(gate, request);
    return gate->queues[choose_queue(gate, &to, request)].count < gate->config->queue_depth;
}

static void count_queues(struct fe_gate *gate, uint64_t clock)
{
    uint64_t count = 0;
    for (int i = 0; i < FE_QUEUES; i++)
        count += gate->queues[i].count;
    gate->stats.queue_sum += count * (clock - gate->last);
    gate->stats.clocks += clock - gate->last;
    gate->last = clock;
}

void fe_gate_accept(struct fe_gate *gate, uint32_t entry, const struct memsys_request *request,
                    uint64_t clock)
{
    struct fe_request to = examine(gate, request);
    uint32_t number = choose_queue(gate, &to, request);
    struct fe_queue *queue = &gate->queues[number];
    count_queues(gate, clock);
    to.entry = entry;
    to.arrived = clock;
    to.delayed = may_go(gate, &to);
    gate->stats.requests++;
    gate->stats.triggered += to.trigger != PLANE_ALWAYS;
    gate->stats.hits += to.trigger && number == FE_FREE;
    gate->stats.followed += !to.trigger && number == FE_GPU;
    gate->stats.fe_read +=
        to.trigger ? gate->config->counter_bits * (uint32_t)__builtin_popcount(to.words) : 0;
    queue->list[queue->count++] = to;
}

// Release

// Returns the position of the next request that a queue can release: its head, or one of the
// `look_past` requests after it without an older request to its line. Returns `count` if none may
// proceed.
static uint32_t find_next(const struct fe_gate *gate, const struct fe_queue *queue)
{
    uint64_t max = gate->config->look_past + 1;
    for (uint32_t i = 0; i < queue->count && i < max; i++) {
        bool is_behind = false;
        for (uint32_t k = 0; k < i; k++)
            is_behind |= queue->list[k].line == queue->list[i].line;
        if (!is_behind && may_go(gate, &queue->list[i]))
            return i;
    }
    return queue->count;
}

static void end_block(struct fe_gate *gate, uint32_t number, uint64_t clock)
{
    struct fe_queue *queue = &gate->queues[number];
    uint64_t *const sums[] = {NULL, &gate->stats.heads_blocked1, &gate->stats.heads_blocked2};
    if (queue->blocked == UINT64_MAX)
        return;
    if (sums[number])
        *sums[number] += clock - queue->blocked;
    gate->stats.releases++;
    if (gate->trace && clock > queue->blocked) {
        const struct trace_clock unit = {gate->multiply, gate->divide};
        trace_span(gate->trace, (struct trace_row){gate->process, number},
                   trace_time(unit, queue->blocked), trace_time(unit, clock), "full_empty",
                   "blocked", NULL);
    }
    queue->blocked = UINT64_MAX;
}

static void apply(struct fe_gate *gate, const struct fe_request *request)
{
    uint32_t words = (uint32_t)__builtin_popcount(request->words);
    uint8_t round = (*gate->image)->round;
    if (!request->at.plane)
        return;
    gate->stats.overridden +=
        request->trigger && plane_lacks(request->at, request->words, request->trigger);
    if (request->kind != MEMSYS_WRITE && !request->discards)
        plane_note_read(request->at, request->words, round,
                        request->kind == MEMSYS_READ && request->trigger == PLANE_WAIT_FULL);
    uint32_t stale = plane_act(request->at, request->words, request->action, round);
    gate->stats.stale_reads += request->is_host ? stale : 0;
    gate->stats.fe_write += request->action ? gate->config->counter_bits * words : 0;
    gate->stats.filled += request->action == PLANE_FILL ? words : 0;
    gate->stats.emptied += request->action == PLANE_EMPTY ? words : 0;
}

bool fe_gate_pass(struct fe_gate *gate, const struct memsys_request *request)
{
    struct fe_request to = examine(gate, request);
    if (!may_go(gate, &to)) {
        gate->stats.past_clocks++;
        gate->past = fe_gate_word(gate, &to);
        return false;
    }
    gate->past = 0;
    gate->stats.past++;
    gate->stats.fe_read +=
        to.trigger ? gate->config->counter_bits * (uint32_t)__builtin_popcount(to.words) : 0;
    apply(gate, &to);
    if (to.action && to.at.plane)
        memsys_look_at_gates(gate->memsys);
    return true;
}

static void release(struct fe_gate *gate, uint32_t number, uint32_t at, uint64_t clock)
{
    struct fe_queue *queue = &gate->queues[number];
    struct fe_request request = queue->list[at];
    memmove(&queue->list[at], &queue->list[at + 1], (queue->count - at - 1) * sizeof request);
    queue->count--;
    if (!at)
        end_block(gate, number, clock);
    gate->stats.waits += request.waits;
    gate->stats.wait_clocks += request.waits ? clock - request.arrived : 0;
    gate->stats.false_waits += number != FE_FREE && request.delayed && clock > request.arrived + 1;
    apply(gate, &request);
    if (!request.discards) {
        memsys_release(gate->memsys, gate->partition, request.entry, clock);
        return;
    }
    gate->stats.discards++;
    memsys_drop(gate->memsys, request.line);
    memsys_return(gate->memsys, gate->partition, request.entry, clock);
}

// Returns true if the destination of a request has room.
static bool has_way(const struct fe_gate *gate, const struct fe_request *request)
{
    return request->discards ? memsys_can_return(gate->memsys, gate->partition)
                             : memsys_can_release(gate->memsys, gate->partition);
}

// Records which heads are blocked.
static void note_blocks(struct fe_gate *gate, uint64_t clock)
{
    for (uint32_t i = FE_CPU; i < FE_QUEUES; i++) {
        struct fe_queue *queue = &gate->queues[i];
        if (!queue->count || queue->blocked != UINT64_MAX || may_go(gate, &queue->list[0]))
            continue;
        queue->blocked = clock;
        queue->list[0].waits = true;
    }
}

void fe_gate_tick(struct fe_gate *gate, uint64_t clock)
{
    static const uint8_t orders[][FE_QUEUES] = {
        [FE_CPU_FIRST] = {FE_FREE, FE_CPU, FE_GPU}, [FE_GPU_FIRST] = {FE_FREE, FE_GPU, FE_CPU}};
    const uint8_t *order = orders[gate->config->priority];
    count_queues(gate, clock);
    for (uint32_t i = 0; i < FE_QUEUES; i++) {
        const struct fe_queue *queue = &gate->queues[order[i]];
        uint32_t at = find_next(gate, queue);
        if (at == queue->count || !has_way(gate, &queue->list[at]))
            continue;
        release(gate, order[i], at, clock);
        break;
    }
    note_blocks(gate, clock);
}

bool fe_gate_is_due(const struct fe_gate *gate)
{
    for (uint32_t i = 0; i < FE_QUEUES; i++)
        if (find_next(gate, &gate->queues[i]) < gate->queues[i].count)
            return true;
    return false;
}

const struct fe_request *fe_gate_blocked(const struct fe_gate *gate, uint32_t queue)
{
    return gate->queues[queue].blocked == UINT64_MAX ? NULL : &gate->queues[queue].list[0];
}

uint64_t fe_gate_word(const struct fe_gate *gate, const struct fe_request *request)
{
    uint32_t missing =
        plane_missing(request->at, widen(request->words, gate->config->granule), request->trigger);
    return request->line * PLANE_LINE +
           (missing ? (uint64_t)__builtin_ctz(missing) * PLANE_WORD : 0);
}
