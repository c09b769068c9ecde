// The offload controller: decisions, packets, blocks in stacks, acknowledgements.
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "support/bits.h"
#include <string.h>

const struct stat_key tom_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/tom/tom_stats.def"
#define STATS_OF struct tom_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t tom_stat_key_count = ARRAY_LENGTH(tom_stat_keys);

static const struct tom_block_code *code_of(const struct tom *tom,
                                            const struct tom_block_instance *run)
{
    return &tom->places[run->block - tom->table->blocks.v];
}

static struct core *home_of(const struct tom *tom, const struct tom_block_instance *run)
{
    return machine_core(tom->machine, run->core);
}

// Registers

static bool are_ready(const struct tom *tom, const struct tom_block_instance *run,
                      const uint16_t *list, uint32_t count)
{
    const uint64_t *ready = warp_slot_scoreboard(home_of(tom, run), run->slot);
    for (uint32_t i = 0; i < count; i++)
        if (ready[list[i]] > machine_port(tom->machine).now)
            return false;
    return true;
}

static bool has_all(const struct tom *tom, const struct tom_block_instance *run)
{
    const struct tom_block_code *place = code_of(tom, run);
    return !warp_slot_entries(home_of(tom, run), run->slot) &&
           are_ready(tom, run, place->needs, place->need_count);
}

static void save_values(struct tom_block_instance *run, const struct warp *warp)
{
    warp_read_registers(warp, run->block->registers.v, run->block->registers.n, run->values);
    run->has_values = true;
}

// Conditions

// Returns the number of iterations that are left; 1 for a block without a condition.
static int64_t iterations_left(const struct tom *tom, struct tom_block_instance *run,
                               const struct warp *warp)
{
    if (!run->again)
        run->iterations = run->block->has_condition ? block_iterations(run->block, warp, run->mask,
                                                                       tom->config->condition)
                                                    : 1;
    return run->block->has_condition ? run->iterations - (int64_t)run->at_home : 1;
}

static unsigned saves_of(const struct tom *tom, const struct tom_block *block, int64_t iterations)
{
    uint64_t count = iterations > 0 ? (uint64_t)iterations : 0;
    if (!block->has_condition || tom->config->tag == TOM_TAG_THRESHOLD)
        return block->saves;
    return (block->threshold_tx && count >= block->threshold_tx ? TOM_SAVES_TX : 0U) |
           (block->threshold_rx && count >= block->threshold_rx ? TOM_SAVES_RX : 0U);
}

// Decisions

void tom_set_state(struct tom *tom, struct tom_block_instance *run, uint64_t now,
                   enum tom_state state)
{
    if (tom->trace)
        tom_trace_phase(tom->trace, run, run->changed, now);
    run->state = (uint8_t)state;
    run->changed = now;
}

// Lets the warp execute its block, or the rest of it, itself.
static void continue_warp(struct tom *tom, struct tom_block_instance *run, enum tom_state state,
                          uint32_t code)
{
    tom_stop_polling(tom, run);
    tom_set_state(tom, run, machine_port(tom->machine).now, state);
    core_go_on_at(home_of(tom, run), machine_port(tom->machine).now, run->slot, code);
    machine_wake_core(tom->machine, run->core, machine_port(tom->machine).now);
}

// Returns true if TX, or RX, of any stack is busy. Returns false under policies whose decisions do
// not depend on it.
static bool is_any_busy(const struct tom *tom, bool rx)
{
    uint64_t now = memsys_backend_clock(machine_port(tom->machine).memsys);
    if (!tom_controls(tom->config->policy))
        return false;
    for (uint32_t i = 0; i < tom->stacks->count; i++) {
        struct stack *stack = &tom->stacks->stacks[i];
        if (stack_link_is_busy(rx ? &stack->rx : &stack->tx, now, tom->config->busy))
            return true;
    }
    return false;
}

static void count_decision(struct tom *tom, enum tom_decision decision)
{
    uint64_t *const counts[] = {
        [TOM_CONDITION_FALSE] = &tom->stats.condition_false,
        [TOM_BUSY_TX] = &tom->stats.busy_tx,
        [TOM_BUSY_RX] = &tom->stats.busy_rx,
        [TOM_FULL] = &tom->stats.full,
        [TOM_BUSY_SM] = &tom->stats.busy_sm,
        [TOM_SLOWER] = &tom->stats.slower,
        [TOM_PLACED] = &tom->stats.placed,
    };
    ++*counts[decision];
}

// Sets run->waits to the slots whose stores must be acknowledged before the block is sent.
static void find_stores(const struct tom *tom, struct tom_block_instance *run)
{
    const struct core *core = home_of(tom, run);
    memset(run->waits, 0, sizeof run->waits);
    if (tom->config->drain == TOM_DRAIN_SM)
        EACH_WARP_SLOT (slot, core_port(core).words,
                        core_used_slots(core, word) | core_posted_slots(core, word))
            run->waits[slot / 64] |= warp_slot_bit(slot);
    run->waits[run->slot / 64] |= warp_slot_bit(run->slot);
}

// Returns the registers per thread in a stack, at most those of the kernel's CTAs.
static uint32_t registers_of(const struct tom *tom, const struct tom_block_instance *run)
{
    const struct core *core = home_of(tom, run);
    uint32_t max = warp_slot_registers(core, run->slot);
    uint32_t own = run->block->lane_registers;
    return tom->config->registers == TOM_REGISTERS_BLOCK && own < max ? own : max;
}

// Returns true if the access is a load of an empty word. It would wait in the stack, where its warp
// would occupy a slot that others need.
static bool waits_for_word(const struct tom *tom, const struct tom_block_instance *run,
                           uint64_t address)
{
    enum { WORD = 4 };
    const struct core *core = home_of(tom, run);
    const struct timing *timing =
        &core_port(core).timings->list[code_of(tom, run)->accesses[run->access]];
    const struct image *image = warp_slot_port(core, run->slot).warp->cta->launch->image;
    return core_inst(core, timing)->class == CLASS_LOAD &&
           plane_find_missing(image, address, WORD, PLANE_WAIT_FULL);
}

// Steps 3 and 4 of the decision. The stack is that of the lowest lane's first access.
static void choose_stack(struct tom *tom, struct tom_block_instance *run)
{
    const struct core *core = home_of(tom, run);
    struct warp_slot_port slot = warp_slot_port(core, run->slot);
    const struct tom_block *block = run->block;
    uint32_t code = slot.warp->paths.v[slot.warp->current].pc;
    const struct tom_access *access = &block->at.v[run->access];
    uint64_t address = (uint64_t)access->offset;
    if (slot.mask && access->base != UINT32_MAX)
        address += warp_lane_value(slot.warp, &block->registers.v[access->base],
                                   (uint32_t)__builtin_ctz(slot.mask));
    if (!slot.mask || address < GLOBAL_FIRST) {
        tom->stats.no_access++;
        tom_window_leave(tom, run);
        continue_warp(tom, run, TOM_IN_CORE, code);
        return;
    }
    if (waits_for_word(tom, run, address)) {
        if (run->state != TOM_AT_ACCESS)
            tom_set_state(tom, run, machine_port(tom->machine).now, TOM_AT_ACCESS);
        tom->stats.empty_cycles++;
        return;
    }
    run->stack = stacks_of(tom->stacks, address);
    struct tom_decision_inputs inputs = {
        .policy = tom->config->policy,
        .place = block->placed,
        .pending = tom->pending[run->stack],
        .limit = core_max_warps(tom_sm_of(tom, run->stack), registers_of(tom, run)),
        .sm_busy = tom->config->policy == TOM_ALU && tom_sm_is_busy(tom, run->stack),
        .much_alu = (block->instructions - block->accesses) * 100 >=
                    tom->config->alu_share * block->instructions};
    enum tom_decision decision = tom_decide_stack(&inputs);
    if (decision != TOM_OFFLOAD) {
        count_decision(tom, decision);
        tom_window_leave(tom, run);
        continue_warp(tom, run, TOM_IN_CORE, code);
        return;
    }
    uint32_t pending = ++tom->pending[run->stack];
    if (pending > tom->stats.most_pending)
        tom->stats.most_pending = pending;
    tom->stats.offloaded++;
    tom_set_state(tom, run, machine_port(tom->machine).now, TOM_DRAINING);
    run->since = machine_port(tom->machine).now;
    find_stores(tom, run);
}

// Lets the warp continue in a block whose condition is false, and request decisions about the
// blocks within it.
static void decline(struct tom *tom, struct tom_block_instance *run, uint32_t code)
{
    tom->stats.asked++;
    tom->stats.decision_cycles += machine_port(tom->machine).now - run->since;
    count_decision(tom, TOM_CONDITION_FALSE);
    run->declined = (uint32_t)(run->block - tom->table->blocks.v);
    continue_warp(tom, run, TOM_NO_BLOCK, code);
}

// Steps 1 and 2 of the decision.
static void decide(struct tom *tom, struct tom_block_instance *run)
{
    const struct warp *warp = warp_slot_port(home_of(tom, run), run->slot).warp;
    const struct tom_block_code *place = code_of(tom, run);
    const struct tom_block *block = run->block;
    bool ahead = block->at.v[0].inst != block->begin;
    if (!are_ready(tom, run, place->decides, place->decide_count) || (ahead && !has_all(tom, run)))
        return;
    int64_t iterations = iterations_left(tom, run, warp);
    bool holds = !block->has_condition || iterations >= (int64_t)block->threshold;
    struct tom_decision_inputs inputs = {.policy = tom->config->policy,
                                         .place = block->placed,
                                         .condition = holds,
                                         .busy_tx = is_any_busy(tom, false),
                                         .busy_rx = is_any_busy(tom, true),
                                         .saves = saves_of(tom, block, iterations)};
    enum tom_decision decision = tom_decide_first(&inputs);
    if (decision == TOM_CONDITION_FALSE && block->alternates && !run->again) {
        decline(tom, run, place->begin);
        return;
    }
    if (!run->again)
        tom_window_begin(tom, run);
    if (decision == TOM_OFFLOAD && tom_is_measured(tom, block) && !tom_learns(tom)) {
        inputs.slower = !tom_window_admits(tom, run);
        decision = tom_decide_first(&inputs);
    }
    tom->stats.asked++;
    tom->stats.again += run->again;
    tom->stats.decision_cycles += machine_port(tom->machine).now - run->since;
    if (decision != TOM_OFFLOAD || tom_learns(tom)) {
        if (decision != TOM_OFFLOAD)
            count_decision(tom, decision);
        continue_warp(tom, run, TOM_IN_CORE, place->begin);
    } else if (ahead) {
        save_values(run, warp);
        tom->stats.ahead++;
        continue_warp(tom, run, TOM_EXECUTING_AHEAD, place->begin);
    } else {
        run->access = 0;
        choose_stack(tom, run);
    }
}

// Sending

static bool is_same_in_all(const struct tom_block_instance *run, const struct warp_register *reg,
                           const uint8_t *values)
{
    uint32_t bytes = reg->bytes / LANES, first = (uint32_t)__builtin_ctz(run->mask);
    uint32_t bits = 0;
    if (reg->bytes < LANES) {
        memcpy(&bits, values, sizeof bits);
        return !(bits & run->mask) || (bits & run->mask) == run->mask;
    }
    for (uint32_t rest = run->mask; rest; rest &= rest - 1)
        if (memcmp(values + first * bytes, values + (uint32_t)__builtin_ctz(rest) * bytes, bytes))
            return false;
    return true;
}

// Returns the bytes of the packet to the stack. Under TOM_ONCE, live-ins with the same value in all
// active lanes are sent once.
static uint64_t packet_bytes(struct tom *tom, const struct tom_block_instance *run)
{
    const struct tom_block *block = run->block;
    uint64_t bytes = block->bytes_in;
    const uint8_t *values = run->values;
    if (tom->config->live_ins == TOM_LANES)
        return bytes;
    bytes += divide_up(block->in.n, 8);
    for (uint32_t i = 0; i < block->registers.n; i++) {
        const struct warp_register *reg = &block->registers.v[i];
        for (uint32_t k = 0; k < block->in.n; k++)
            if (block->in.v[k].place == i && block->in.v[k].bytes > 4 &&
                is_same_in_all(run, reg, values)) {
                bytes -= block->in.v[k].bytes - block->in.v[k].bytes / LANES;
                tom->stats.sent_once++;
            }
        values += reg->bytes;
    }
    for (uint32_t k = 0; k < block->in.n; k++)
        if (block->in.v[k].place == UINT32_MAX && !block->in.v[k].varies) {
            bytes -= block->in.v[k].bytes - block->in.v[k].bytes / LANES;
            tom->stats.sent_once++;
        }
    return bytes;
}

static bool is_drained(struct tom *tom, struct tom_block_instance *run)
{
    const struct core *core = home_of(tom, run);
    uint64_t left = 0;
    if (!has_all(tom, run))
        return false;
    if (tom_is_ideal(tom->config->policy))
        return true;
    EACH_WARP_SLOT (slot, core_port(core).words, run->waits[word])
        if (warp_slot_is_drained(core, slot))
            run->waits[slot / 64] &= ~warp_slot_bit(slot);
    for (uint32_t i = 0; i < core_port(core).words; i++)
        left |= run->waits[i];
    return !left;
}

static void drain(struct tom *tom, struct tom_block_instance *run)
{
    if (!is_drained(tom, run))
        return;
    if (!run->has_values)
        save_values(run, warp_slot_port(home_of(tom, run), run->slot).warp);
    tom->stats.drain_cycles += machine_port(tom->machine).now - run->since;
    tom_set_state(tom, run, machine_port(tom->machine).now, TOM_PACKING);
    run->ready = machine_port(tom->machine).now +
                 (tom_is_ideal(tom->config->policy) ? 0 : tom->config->pipeline);
}

static void send(struct tom *tom, struct tom_block_instance *run)
{
    if (run->ready > machine_port(tom->machine).now)
        return;
    tom_stop_polling(tom, run);
    tom_set_state(tom, run, machine_port(tom->machine).now, TOM_IN_STACK);
    run->since = machine_port(tom->machine).now;
    run->bytes_in = packet_bytes(tom, run);
    tom->stats.bytes_in += run->bytes_in;
    if (run->lines.count)
        memset(run->lines.table, 0, run->lines.size * sizeof *run->lines.table);
    run->lines.count = 0;
    if (tom_is_ideal(tom->config->policy))
        tom_arrive(tom, run);
    else
        stacks_send_packet(tom->stacks, memsys_look_again(machine_port(tom->machine).memsys),
                           run->stack, run->number, stack_flits(tom->stacks, run->bytes_in));
}

// Advances a block that waits for the controller. Several steps may follow in one cycle.
static void poll(struct tom *tom, struct tom_block_instance *run)
{
    if (run->state == TOM_DECIDING)
        decide(tom, run);
    if (run->state == TOM_AT_ACCESS)
        choose_stack(tom, run);
    if (run->state == TOM_DRAINING)
        drain(tom, run);
    if (run->state == TOM_PACKING)
        send(tom, run);
}

// Stacks

struct core *tom_sm_of(const struct tom *tom, uint32_t stack)
{
    return machine_core(tom->machine, machine_first_core(tom->machine, tom->kind) + stack);
}

void tom_arrive(struct tom *tom, struct tom_block_instance *run)
{
    struct tom_queue *queue = &tom->queues[run->stack];
    run->ready = machine_port(tom->machine).now;
    if (queue->count++)
        tom->runs[queue->last].next = run->number;
    else
        queue->first = run->number;
    queue->last = run->number;
}

bool tom_has_room(const struct tom *tom, uint32_t stack)
{
    const struct tom_queue *queue = &tom->queues[stack];
    return queue->count &&
           core_has_warp_room(tom_sm_of(tom, stack), registers_of(tom, &tom->runs[queue->first]));
}

static void start(struct tom *tom, struct tom_block_instance *run)
{
    struct core *core = tom_sm_of(tom, run->stack), *home = home_of(tom, run);
    const struct tom_block_code *place = code_of(tom, run);
    const struct tom_block *block = run->block;
    uint64_t now = machine_port(tom->machine).now;
    run->cta = tom->idle.n ? tom->idle.v[--tom->idle.n]
                           : cta_new_detached(machine_port(tom->machine).arena,
                                              machine_port(tom->machine).program);
    run->cta->core = core_port(core).index;
    if (tom->config->invalidate == TOM_INVALIDATE_SM)
        tom->stats.lines_lost += cache_forget(core_l1(core));
    tom_core_of(core)->epochs.began[core_find_free_slot(core)] = now;
    cta_start_detached(run->cta,
                       &(struct detached_start){.of = warp_slot_port(home, run->slot).warp,
                                                .function = block->function,
                                                .begin = place->begin,
                                                .end = place->end,
                                                .mask = run->mask,
                                                .registers = block->registers.v,
                                                .register_count = block->registers.n,
                                                .values = run->values});
    tom_core_of(core)->here[core_find_free_slot(core)] = run;
    core_start_warp(core, now, run->cta, warp_slot_kernel(home, run->slot), registers_of(tom, run),
                    core_local_of(home, run->slot), &tom_blocks);
    machine_wake_core(tom->machine, core_port(core).index, now);
    tom->stats.queue_cycles += now - run->ready;
    run->began = run->passed = now;
    run->is_past_start = run->is_overdue = false;
    run->in_stack = 0;
}

void tom_start_waiting(struct tom *tom)
{
    for (uint32_t i = 0; i < tom->stacks->count; i++)
        while (tom_has_room(tom, i)) {
            struct tom_block_instance *run = &tom->runs[tom->queues[i].first];
            tom->queues[i].first = run->next;
            tom->queues[i].count--;
            start(tom, run);
        }
}

// Acknowledgements

static void drop_lines(struct tom *tom, const struct tom_block_instance *run)
{
    struct core *home = home_of(tom, run);
    for (uint32_t i = 0; run->lines.count && i < run->lines.size; i++) {
        if (!run->lines.table[i])
            continue;
        uint64_t line = run->lines.table[i] - 1;
        tom->stats.dropped_l1 += cache_drop(core_l1(home), line);
        tom->stats.dropped_l2 += memsys_drop(machine_port(tom->machine).memsys, line);
    }
}

// Prepares the warp to continue with the next iteration of its block.
static void come_back(struct tom *tom, struct tom_block_instance *run, uint64_t now)
{
    const struct tom_block *block = run->block;
    warp_write_registers(warp_slot_port(home_of(tom, run), run->slot).warp, block->registers.v,
                         block->registers.n, run->values, run->reached);
    tom_set_state(tom, run, now, TOM_IN_CORE);
    tom->stats.came_back++;
    run->at_home += run->in_stack;
    run->passed = now;
    run->comes_back = run->is_past_start = false;
}

static void end_block(struct tom *tom, struct tom_block_instance *run, uint64_t now)
{
    const struct tom_block *block = run->block;
    warp_write_registers(warp_slot_port(home_of(tom, run), run->slot).warp, block->out.v,
                         block->out.n, run->values + block->values, run->reached);
    tom_set_state(tom, run, now, TOM_NO_BLOCK);
    tom_measure(tom, run, now, true);
    if (tom_is_measured(tom, block))
        tom_window_ended(tom, run, now);
}

void tom_finish(struct tom *tom, struct tom_block_instance *run, uint64_t now)
{
    const struct tom_block_code *place = code_of(tom, run);
    bool comes_back = run->comes_back;
    drop_lines(tom, run);
    tom->pending[run->stack]--;
    tom->stats.returned++;
    tom->stats.away_cycles += now - run->since;
    tom_window_leave(tom, run);
    (comes_back ? come_back : end_block)(tom, run, now);
    core_go_on_at(home_of(tom, run), now, run->slot, comes_back ? place->begin : place->end);
    machine_wake_core(tom->machine, run->core, now);
}

// Ends the warps of a stack that wait at the start of an iteration to come back.
static void stop_late(struct tom *tom, uint32_t stack)
{
    struct core *core = tom_sm_of(tom, stack);
    struct tom_core *own = tom_core_of(core);
    EACH_WARP_SLOT (slot, core_port(core).words, own->polled[word]) {
        bits_clear(own->polled, slot);
        own->polls--;
        core_stop_warp(core, machine_port(tom->machine).now, slot,
                       code_of(tom, own->here[slot])->begin);
        machine_wake_core(tom->machine, core_port(core).index, machine_port(tom->machine).now);
    }
}

// Launches

static void copy_parameters(struct tom *tom, uint64_t bytes)
{
    enum { HEADER_BYTES = 16 };
    tom->stats.parameter_bytes += bytes * tom->stacks->count;
    for (uint32_t i = 0; tom->config->policy != TOM_IDEAL && i < tom->stacks->count; i++)
        stacks_send_packet(tom->stacks, memsys_look_again(machine_port(tom->machine).memsys), i,
                           TOM_PARAMETERS, stack_flits(tom->stacks, HEADER_BYTES + bytes));
}

// Copies the parameters to each stack if one of the kernel's blocks reads some.
void tom_place_launch(struct machine *machine, void *state, struct machine_launch *launch)
{
    struct tom *tom = state;
    const struct program_function *at =
        &machine_port(machine).program->functions.v[launch->launch->function];
    bool reads = false;
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        reads |= tom->table->blocks.v[i].function == launch->launch->function &&
                 tom->table->blocks.v[i].parameter_bytes;
    if (reads && tom->config->parameters == TOM_COPIED)
        copy_parameters(tom, at->param_bytes);
    tom_map_launch(tom, launch->launch);
}

// Time

void tom_tick(struct machine *machine, void *state)
{
    struct tom *tom = state;
    uint32_t number;
    while (stacks_pop_returned(tom->stacks, &number))
        tom_finish(tom, &tom->runs[number], machine_port(machine).now);
    for (uint32_t i = 0; i < tom->stacks->count; i++)
        while (stacks_pop_arrived(tom->stacks, i, &number))
            if (number != TOM_PARAMETERS)
                tom_arrive(tom, &tom->runs[number]);
    BITS_EACH (i, tom->polling, machine_port(machine).ordinary) {
        struct tom_core *own = tom_core_of(machine_core(machine, i));
        EACH_WARP_SLOT (slot, core_port(machine_core(machine, i)).words, own->polled[word])
            poll(tom, &own->runs[slot]);
    }
    for (uint32_t i = 0; i < tom->stacks->count; i++)
        stop_late(tom, i);
    tom_start_waiting(tom);
    if (tom->config->policy == TOM_MEASURED)
        tom_window_tick(tom);
    tom_learn_tick(tom);
}

uint64_t tom_next(const struct machine *machine, const void *state)
{
    const struct tom *tom = state;
    bool works =
        stacks_have_arrivals(tom->stacks) || tom->learning.phase > LEARN_RUNNING ||
        (tom_learns(tom) && tom->map.instances >= tom->learning.instances) ||
        bits_next(tom->polling, 0, machine_port(machine).ordinary) < machine_port(machine).ordinary;
    for (uint32_t i = 0; !works && i < tom->stacks->count; i++)
        works = tom_has_room(tom, i) || tom_core_of(tom_sm_of(tom, i))->polls;
    return works ? machine_port(machine).now + 1 : tom_window_next(tom);
}
