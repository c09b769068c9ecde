// Hooks of block offloading in cores: blocks that begin, their stores, and blocks that end.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "support/bits.h"

enum { ENTRIES_OF_LINE = 4 };

static struct tom_fetch *entry_of(const struct tom_epochs *epochs, uint64_t line)
{
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return &epochs->fetches[hash & (epochs->size - 1)];
}

void tom_epochs_init(struct tom_epochs *epochs, struct arena *arena, uint64_t lines, uint32_t slots)
{
    epochs->size = 1;
    while (epochs->size < lines * ENTRIES_OF_LINE)
        epochs->size *= 2;
    epochs->fetches = ARENA_ARRAY(arena, struct tom_fetch, epochs->size);
    epochs->began = ARENA_ARRAY(arena, uint64_t, slots);
}

void tom_epochs_fetch(struct tom_epochs *epochs, uint64_t line, uint64_t cycle)
{
    *entry_of(epochs, line) = (struct tom_fetch){line, cycle};
}

bool tom_epochs_is_old(const struct tom_epochs *epochs, uint64_t line, uint32_t slot)
{
    const struct tom_fetch *fetch = entry_of(epochs, line);
    return fetch->line != line || fetch->cycle < epochs->began[slot];
}

enum { STALL_DECISION, STALL_DRAIN, STALL_AWAY };

static void *init(struct core *core, void *scheme)
{
    struct tom_core *own = ARENA_NEW(core_port(core).arena, struct tom_core);
    struct tom *tom = scheme;
    uint32_t warps = core_port(core).config->warps;
    *own = (struct tom_core){.of = tom};
    if (!core_port(core).kind) {
        own->runs = &tom->runs[core_port(core).index * warps];
        return own;
    }
    own->here = ARENA_ARRAY(core_port(core).arena, struct tom_block_instance *, warps);
    tom_epochs_init(&own->epochs, core_port(core).arena,
                    core_port(core).l1->sets * core_port(core).l1->ways, warps);
    return own;
}

// Issue

static void ask(struct tom *tom, struct tom_block_instance *run, uint64_t now, enum tom_state state)
{
    struct tom_core *own = tom_core_of(machine_core(tom->machine, run->core));
    tom_set_state(tom, run, now, state);
    run->since = now;
    bits_set(own->polled, run->slot);
    own->polls++;
    bits_set(tom->polling, run->core);
}

void tom_stop_polling(struct tom *tom, const struct tom_block_instance *run)
{
    struct tom_core *own = tom_core_of(machine_core(tom->machine, run->core));
    bits_clear(own->polled, run->slot);
    if (!--own->polls)
        bits_clear(tom->polling, run->core);
}

static uint32_t timing_of(const struct core *core, uint32_t slot)
{
    return (uint32_t)(warp_slot_port(core, slot).next - core_port(core).timings->list);
}

// Returns true if the warp executes a block itself and this instruction is part of it.
static bool is_in_block(const struct core *core, const struct tom_block_instance *run, uint32_t at)
{
    const struct tom *tom = tom_core_of(core)->of;
    if (run->state != TOM_IN_CORE)
        return false;
    const struct tom_block_code *place = &tom->places[run->block - tom->table->blocks.v];
    return run->age == warp_slot_port(core, run->slot).age && at >= place->first &&
           at <= place->last;
}

// Returns true if the warp executes a block itself and this instruction is part of it. Ends the
// block if the instruction is not part of it.
static bool is_at_home(const struct core *core, uint64_t now, struct tom_block_instance *run,
                       uint32_t at)
{
    struct tom *tom = tom_core_of(core)->of;
    if (run->state != TOM_IN_CORE)
        return false;
    if (is_in_block(core, run, at))
        return true;
    tom_end_instance(tom, run);
    tom_window_home(tom, run, now);
    tom_measure(tom, run, now, false);
    tom_set_state(tom, run, now, TOM_NO_BLOCK);
    return false;
}

// Returns true if the slot's next instruction stores to local memory. A block must not start again
// after such a store has taken effect.
static bool stores_locally(const struct core *core, uint32_t slot)
{
    const struct ir_inst *inst = core_inst(core, warp_slot_port(core, slot).next);
    return inst->class == CLASS_STORE && inst->space == W_local;
}

// For a warp that executes ahead: returns true at its first access, where it waits for the
// decision. The block stays in the GPU if its lanes have diverged, or if it ends or stores to local
// memory before an access.
static bool comes_to_access(const struct core *core, uint64_t now, struct tom_block_instance *run,
                            uint32_t at)
{
    struct tom *tom = tom_core_of(core)->of;
    const struct warp *warp = warp_slot_port(core, run->slot).warp;
    const struct tom_block_code *place = &tom->places[run->block - tom->table->blocks.v];
    bool whole = warp->paths.v[warp->current].mask == run->mask;
    if (whole && at >= place->first && at <= place->last && !stores_locally(core, run->slot)) {
        run->access = 0;
        while (run->access < run->block->at.n && place->accesses[run->access] != at)
            run->access++;
        if (run->access == run->block->at.n)
            return false;
        ask(tom, run, now, TOM_AT_ACCESS);
        return true;
    }
    *(whole ? &tom->stats.no_access : &tom->stats.diverged) += 1;
    tom_window_leave(tom, run);
    tom_set_state(tom, run, now, TOM_IN_CORE);
    return false;
}

// Returns true if all lanes of the block are still in the loop, and on one path.
static bool is_whole(const struct core *core, uint32_t slot, const struct tom_block_instance *run)
{
    const struct warp *warp = warp_slot_port(core, slot).warp;
    return warp->paths.v[warp->current].mask == run->mask;
}

// For a warp in a stack: returns true at the start of an iteration if it comes back before it.
static bool comes_back(struct core *core, uint64_t now, uint32_t slot)
{
    struct tom_core *own = tom_core_of(core);
    struct tom_block_instance *run = own->here[slot];
    const struct tom_block_code *place = &own->of->places[run->block - own->of->table->blocks.v];
    if (!run->outside || !tom_window_passes(run, timing_of(core, slot) == place->first) ||
        !tom_window_away(own->of, run, now) || !is_whole(core, slot, run))
        return false;
    run->comes_back = true;
    bits_set(own->polled, slot);
    own->polls++;
    return true;
}

// Returns true if the condition holds for the iterations that are left.
static bool still_holds(const struct tom_block_instance *run)
{
    int64_t left = run->iterations - (int64_t)run->at_home;
    return !run->block->has_condition || left >= (int64_t)run->block->threshold;
}

// For a warp that executes its block itself: returns true at the start of an iteration if it
// requests another decision before it.
static bool asks_again(const struct core *core, uint64_t now, struct tom_block_instance *run,
                       uint32_t at)
{
    struct tom *tom = tom_core_of(core)->of;
    if (!is_in_block(core, run, at) || !tom_is_measured(tom, run->block))
        return false;
    const struct tom_block_code *place = &tom->places[run->block - tom->table->blocks.v];
    return tom_window_passes(run, at == place->first) && tom_window_home(tom, run, now) &&
           still_holds(run) && is_whole(core, run->slot, run);
}

// Returns the innermost block around the slot's next instruction that the warp has declined.
static uint32_t declined_at(const struct core *core, const struct tom_block_instance *run)
{
    struct warp_slot_port slot = warp_slot_port(core, run->slot);
    if (run->declined == TOM_NONE || run->age != slot.age)
        return TOM_NONE;
    return tom_block_declined(tom_core_of(core)->of->table, run->declined, slot.next->function,
                              slot.next->inst);
}

// Returns the block for which a warp requests a decision at this instruction, or TOM_NONE.
static uint32_t block_at(const struct tom *tom, const struct timing *timing, uint32_t declined)
{
    const struct timing_mark *mark = timing_mark_of(timing, tom->scheme);
    return mark ? tom_block_to_ask(tom->table, mark->plan, declined) : TOM_NONE;
}

static enum issue_as issue_as(struct core *core, void *state, uint64_t now, uint32_t slot)
{
    struct tom_core *own = state;
    const struct timing *timing = warp_slot_port(core, slot).next;
    if (!own->runs)
        return comes_back(core, now, slot) ? ISSUE_AS_MIGRATED : ISSUE_AS_NORMAL;
    struct tom_block_instance *run = &own->runs[slot];
    uint32_t at = timing_of(core, slot);
    if (run->state == TOM_EXECUTING_AHEAD && comes_to_access(core, now, run, at))
        return ISSUE_AS_MIGRATED;
    if (run->state == TOM_EXECUTING_AHEAD)
        return ISSUE_AS_NORMAL;
    if (asks_again(core, now, run, at)) {
        run->again = true;
        run->has_values = false;
        run->left = now;
        ask(own->of, run, now, TOM_DECIDING);
        return ISSUE_AS_MIGRATED;
    }
    if (is_at_home(core, now, run, at))
        return ISSUE_AS_NORMAL;
    run->declined = declined_at(core, run);
    uint32_t number = block_at(own->of, timing, run->declined);
    if (number == TOM_NONE)
        return ISSUE_AS_NORMAL;
    const struct warp *warp = warp_slot_port(core, slot).warp;
    run->block = &own->of->table->blocks.v[number];
    run->mask = warp->paths.v[warp->current].mask;
    run->age = warp_slot_port(core, slot).age;
    run->has_values = false;
    run->asked = run->left = run->passed = now;
    run->again = run->is_past_start = false;
    run->at_home = 0;
    ask(own->of, run, now, TOM_DECIDING);
    return ISSUE_AS_MIGRATED;
}

// Keeps the start of a block until the decision about it, and the code up to its first access,
// because the block may restart in the stack.
static bool keeps(const struct core *core, void *state, uint32_t slot)
{
    const struct tom_core *own = state;
    if (!own->runs)
        return false;
    const struct tom_block_instance *run = &own->runs[slot];
    if (run->state != TOM_NO_BLOCK && run->state != TOM_IN_CORE)
        return true;
    return block_at(own->of, warp_slot_port(core, slot).next, declined_at(core, run)) != TOM_NONE &&
           !is_in_block(core, run, timing_of(core, slot));
}

static bool hold(struct core *core, void *state, uint64_t now, uint32_t slot, uint32_t *reason)
{
    static const uint32_t reasons[] = {
        [TOM_DECIDING] = STALL_DECISION, [TOM_AT_ACCESS] = STALL_DECISION,
        [TOM_DRAINING] = STALL_DRAIN,    [TOM_PACKING] = STALL_DRAIN,
        [TOM_IN_STACK] = STALL_AWAY,
    };
    const struct tom_core *own = state;
    uint8_t phase = own->runs                      ? own->runs[slot].state
                    : bits_test(own->polled, slot) ? TOM_IN_STACK
                                                   : TOM_NO_BLOCK;
    (void)core;
    (void)now;
    if (phase == TOM_NO_BLOCK || phase == TOM_EXECUTING_AHEAD || phase == TOM_IN_CORE)
        return false;
    *reason = reasons[phase];
    return true;
}

// Lines that a block has written

static void add_line(struct line_set *set, struct arena *arena, uint64_t line);

static void grow(struct line_set *set, struct arena *arena)
{
    struct line_set old = *set;
    set->size = old.size ? 2 * old.size : 64;
    set->table = ARENA_ARRAY(arena, uint64_t, set->size);
    set->count = 0;
    for (uint32_t i = 0; i < old.size; i++)
        if (old.table[i])
            add_line(set, arena, old.table[i] - 1);
}

static uint32_t hash_line(uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

static void add_line(struct line_set *set, struct arena *arena, uint64_t line)
{
    if (2 * set->count >= set->size)
        grow(set, arena);
    uint32_t at = hash_line(line) % set->size;
    while (set->table[at] && set->table[at] != line + 1)
        at = (at + 1) % set->size;
    set->count += !set->table[at];
    set->table[at] = line + 1;
}

enum { WORD = 4, LOCAL_WORDS = 17 }; // bytes of a word; maximum words of a lane's access

// Lists the lines of local memory that an access touches; a line of neighbouring lanes is listed
// once. Returns their number.
static uint32_t find_local_lines(const struct core *core, uint32_t slot, const struct held *held,
                                 uint64_t *to)
{
    uint64_t base = held->local ? core_local_line(core, slot) : 0;
    uint32_t count = 0;
    for (uint32_t rest = held->local; rest; rest &= rest - 1) {
        uint64_t address = held->address[__builtin_ctz(rest)];
        uint64_t end = (address + held->bytes - 1) / WORD;
        for (uint64_t word = address / WORD; word <= end; word++)
            if (!count || to[count - 1] != base + word)
                to[count++] = base + word;
    }
    return count;
}

// Records the lines of an access. A line of neighbouring lanes counts once.
static void note_lines(struct core *core, uint32_t slot, struct tom_block_instance *run,
                       const struct held *held)
{
    struct tom *tom = tom_core_of(core)->of;
    struct arena *arena = core_port(core).arena;
    const struct tom_config *config = tom->config;
    uint64_t size = tom->stacks->memsys_config->llc.line_bytes, last = UINT64_MAX;
    uint64_t local[LANES * LOCAL_WORDS];
    bool listed = run->state == TOM_IN_STACK && held->kind != HELD_LOAD &&
                  config->invalidate != TOM_INVALIDATE_NONE;
    uint32_t count = listed ? find_local_lines(core, slot, held, local) : 0;
    for (uint32_t i = 0; i < count; i++)
        add_line(&run->lines, arena, local[i]);
    for (uint32_t rest = held->global; rest; rest &= rest - 1) {
        uint64_t address = held->address[__builtin_ctz(rest)];
        for (uint64_t line = address / size; line <= (address + held->bytes - 1) / size; line++) {
            if (line == last)
                continue;
            last = line;
            if (listed)
                add_line(&run->lines, arena, line);
            if (tom->stacks->count == MAP_STACKS)
                map_note(&tom->map, &run->map, line * size, stacks_of(tom->stacks, line * size));
            if (tom_learns(tom))
                tom_learn_note(tom, held->warp->cta->launch->image, address);
            if (tom_learns(tom) && config->map == TOM_RANGES && run->sample.n < SAMPLE_LINES)
                vec_push(arena, &run->sample, line * size);
        }
    }
}

// Drops a line that is older than the block, so that the access fetches it again.
static void look_at_age(struct core *core, uint64_t now, uint32_t slot, uint64_t line)
{
    struct tom_core *own = tom_core_of(core);
    if (cache_has(core_l1(core), line) && tom_epochs_is_old(&own->epochs, line, slot))
        cache_drop(core_l1(core), line);
    if (!cache_has(core_l1(core), line))
        tom_epochs_fetch(&own->epochs, line, now);
}

static void look_at_ages(struct core *core, uint64_t now, uint32_t slot, const struct held *held)
{
    uint64_t last = UINT64_MAX, local[LANES * LOCAL_WORDS];
    uint32_t count = find_local_lines(core, slot, held, local);
    for (uint32_t i = 0; i < count; i++)
        look_at_age(core, now, slot, local[i]);
    for (uint32_t rest = held->global; rest; rest &= rest - 1) {
        uint64_t address = held->address[__builtin_ctz(rest)];
        uint64_t end = (address + held->bytes - 1) / LINE_BYTES;
        for (uint64_t line = address / LINE_BYTES; line <= end; line++) {
            if (line == last)
                continue;
            last = line;
            look_at_age(core, now, slot, line);
        }
    }
}

static void accessed(struct core *core, void *state, uint64_t now, uint32_t slot,
                     const struct held *held)
{
    struct tom_core *own = state;
    struct tom_block_instance *run = own->runs ? &own->runs[slot] : own->here[slot];
    own->shared += own->here && held->shared;
    if (own->here && held->kind == HELD_LOAD && own->of->config->invalidate == TOM_INVALIDATE_EPOCH)
        look_at_ages(core, now, slot, held);
    if (!own->runs || run->state == TOM_IN_CORE)
        note_lines(core, slot, run, held);
}

// End of a block in its stack, called in the commit

static void returned(struct core *core, void *state, uint64_t now, uint32_t slot, struct warp *warp)
{
    enum { LINE_ADDRESS_BYTES = 6 };
    const struct tom_core *own = state;
    struct tom *tom = own->of;
    struct tom_block_instance *run = own->here[slot];
    (void)core;
    const struct tom_block *block = run->block;
    uint64_t listed = (uint64_t)run->lines.count * LINE_ADDRESS_BYTES;
    uint64_t bytes = run->comes_back ? block->bytes_in : block->bytes_out;
    uint32_t flits = stack_flits(tom->stacks, bytes + listed);
    if (run->comes_back)
        warp_read_registers(warp, block->registers.v, block->registers.n, run->values);
    else
        warp_read_registers(warp, block->out.v, block->out.n, run->values + block->values);
    run->reached = warp->reached;
    if (tom->trace)
        tom_trace_block(tom->trace, run, slot, now);
    if (!run->comes_back)
        tom_end_instance(tom, run);
    cta_end_detached(run->cta,
                     warp_slot_port(machine_core(tom->machine, run->core), run->slot).warp);
    vec_push(machine_port(tom->machine).arena, &tom->idle, run->cta);
    run->cta = NULL;
    tom->stats.bytes_out += bytes + listed;
    tom->stats.lines_written += run->lines.count;
    if (tom_is_ideal(tom->config->policy))
        tom_finish(tom, run, now);
    else
        stacks_send_back(tom->stacks, memsys_look_again(machine_port(tom->machine).memsys),
                         run->stack, run->number, flits, flits - stack_flits(tom->stacks, bytes));
}

const struct scheme_issue tom_issue = {
    .init = init,
    .claims_first = true, // to get the iterations of a loop that begins with a chain
    .issue_as = issue_as,
    .keeps = keeps,
    .hold = hold,
    .accessed = accessed,
    .returned = returned,
};
