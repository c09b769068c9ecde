// Fetch and decode: core.fetch_width warps per cycle, round-robin, get as many instructions as
// their buffers hold, or core.fetch_instructions, up to the end of the line of the first one.
#include "runtime-sim/gpu/core/core.h"
#include "support/gpu.h"

enum { INSTRUCTION_BYTES = 8, LINE_INSTRUCTIONS = LINE_BYTES / INSTRUCTION_BYTES };

// Returns the number of the instruction that a slot fetches next.
static uint32_t fetch_at(const struct warp_slot *slot)
{
    return slot->buffer_at + slot->buffered;
}

static uint64_t line_of(const struct warp_slot *slot)
{
    return CODE_LINES + fetch_at(slot) / LINE_INSTRUCTIONS;
}

// Fills the buffer of a slot with instructions that the caches deliver in cycle `ready`.
static void fill_buffer(struct core *core, uint64_t ready, uint32_t index)
{
    const struct core_config *config = core->kind->config;
    struct warp_slot *slot = &core->slots[index];
    bool ahead = config->fetch_instructions;
    uint32_t first = fetch_at(slot), left = LINE_INSTRUCTIONS - first % LINE_INSTRUCTIONS;
    uint32_t count = ahead ? config->fetch_instructions : config->buffer;
    count = left < count ? left : count;
    *(ahead ? &slot->coming : &slot->buffered) = count;
    slot->decoded = ready + config->decode_latency;
    slot->fetching = false;
    core->stats.fetch_decode += count;
    core_wake_at(core, slot->decoded, index);
    EACH_HOOKS (hooks, core, lsu, fetched)
        hooks->lsu->fetched(core, hooks->own, index, first, count);
}

static void ask_for(struct core *core, uint64_t line)
{
    uint32_t at = (core->lsu.missed.head + core->lsu.missed.count++) % CORE_MISSED;
    core->lsu_rings.missed[at] = (struct memsys_request){.line = line,
                                                         .bytes = mask_range(0, LINE_BYTES),
                                                         .core = core->id.endpoint,
                                                         .kind = MEMSYS_READ,
                                                         .requester = REQUESTER_CODE};
}

// Returns the first slot from fetch_turn on, cyclically, that needs a fetch.
static uint32_t next_hungry(const struct core *core)
{
    uint32_t word = core->schedule.fetch_turn / 64;
    uint64_t slots = core->sets[word].hungry & ~UINT64_C(0) << core->schedule.fetch_turn % 64;
    while (!slots) {
        word = word + 1 < core->words ? word + 1 : 0;
        slots = core->sets[word].hungry;
    }
    return word * 64 + (uint32_t)__builtin_ctzll(slots);
}

// Requests missing lines after one that was fetched, up to the end of the code.
static void prefetch(struct core *core, uint64_t now, uint64_t line)
{
    uint64_t end = CODE_LINES + divide_up(core->shared->timings.count, LINE_INSTRUCTIONS);
    for (uint32_t i = 0; i < core->kind->code->prefetch && ++line < end; i++)
        if (core->lsu.missed.count < CORE_MISSED && tags_prefetch(&core->tags.code, now, line))
            ask_for(core, line);
}

static void count_fetch(struct core *core, uint32_t index)
{
    core->stats.fetches++;
    core->sets[index / 64].hungry &= ~warp_slot_bit(index);
}

// Fetches from the L0 of the slot's scheduler. Returns false if it lacks the line.
static bool fetch_from_l0(struct core *core, uint64_t now, uint32_t index, uint64_t line)
{
    uint64_t ready;
    if (!level_read(&core->tags.l0[index % core->kind->config->schedulers], now, line, &ready))
        return false;
    core->schedule.fetch_turn = index + 1 < core->words * 64 ? index + 1 : 0;
    count_fetch(core, index);
    core->stats.icache_hit++;
    fill_buffer(core, ready, index);
    return true;
}

void core_fetch(struct core *core, uint64_t now)
{
    uint32_t index = next_hungry(core);
    EACH_HOOKS (hooks, core, lsu, fetch_first)
        index = hooks->lsu->fetch_first(core, hooks->own, index);
    struct warp_slot *slot = &core->slots[index];
    uint64_t line = line_of(slot);
    if (!slot->warp) { // ended before it fetched ahead
        core->sets[index / 64].hungry &= ~warp_slot_bit(index);
        return;
    }
    if (core->kind->code_l0->sets && fetch_from_l0(core, now, index, line))
        return;
    if (core->lsu.missed.count == CORE_MISSED)
        return;
    uint64_t ready;
    enum tags_result result = tag_cache_read(&core->tags.code, now, line, index, &ready);
    core->schedule.fetch_turn = index + 1 < core->words * 64 ? index + 1 : 0;
    if (result == TAGS_FULL)
        return; // retries in its next turn
    count_fetch(core, index);
    if (result == TAGS_HIT) {
        core->stats.icache_hit++;
        level_put(&core->tags.l0[index % core->kind->config->schedulers], line, ready);
        fill_buffer(core, ready, index);
    } else {
        slot->fetching = true;
        if (result == TAGS_MISS)
            ask_for(core, line);
    }
    prefetch(core, now, line);
}

// Called when the line has arrived.
void core_fetched(struct core *core, uint64_t now, uint64_t line)
{
    struct tags_waiters waiters = tags_fill(&core->tags.code, now, line);
    uint64_t ready = now + core->kind->code->latency;
    EACH_WARP_SLOT (index, core->words, waiters.w[word])
        if (core->slots[index].warp && core->slots[index].fetching &&
            line_of(&core->slots[index]) == line) {
            level_put(&core->tags.l0[index % core->kind->config->schedulers], line, ready);
            fill_buffer(core, ready, index);
        }
}
