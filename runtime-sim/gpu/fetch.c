// Fetch and decode: one warp in a cycle, in turn, gets as many instructions as its buffer holds, up
// to the end of the line that the first of them is in.
#include "runtime-sim/gpu/scheme.h"

enum { INSTRUCTION_BYTES = 8, LINE = 128, LINE_INSTRUCTIONS = LINE / INSTRUCTION_BYTES };

static void fill_buffer(struct core *core, uint64_t now, uint32_t index)
{
    const struct core_config *config = core->shared->config;
    struct slot *slot = &core->slots[index];
    uint32_t left = LINE_INSTRUCTIONS - slot->buffer_at % LINE_INSTRUCTIONS;
    slot->buffered = left < config->buffer ? left : (uint32_t)config->buffer;
    slot->decoded = now + core->shared->code->latency + config->decode_latency;
    slot->fetching = false;
    core->stats.fetch_decode += slot->buffered;
    core_wake_at(core, slot->decoded, index);
    EACH_WATCHER (ops, core, fetched)
        ops->fetched(core, index, slot->buffer_at, slot->buffered);
}

static void ask_for(struct core *core, uint64_t line)
{
    uint32_t at = (core->missed_head + core->missed_count++) % CORE_WARPS;
    core->missed[at] = (struct memsys_request){.line = line,
                                               .bytes = mask_range(0, LINE),
                                               .core = core->index,
                                               .kind = MEMSYS_READ,
                                               .client = CLIENT_CODE};
}

void core_fetch(struct core *core, uint64_t now)
{
    uint64_t behind = core->hungry & ~UINT64_C(0) << core->fetch_turn;
    uint32_t index = (uint32_t)__builtin_ctzll(behind ? behind : core->hungry);
    EACH_WATCHER (ops, core, fetch_first)
        index = ops->fetch_first(core, index);
    struct slot *slot = &core->slots[index];
    uint64_t line = CODE_LINES + slot->buffer_at / LINE_INSTRUCTIONS;
    if (core->missed_count == CORE_WARPS)
        return;
    enum tags_result result = tag_cache_read(&core->code, line, index);
    core->fetch_turn = (index + 1) % CORE_WARPS;
    if (result == TAGS_FULL)
        return; // in its next turn
    core->stats.fetches++;
    core->hungry &= ~(UINT64_C(1) << index);
    if (result == TAGS_HIT) {
        core->stats.icache_hit++;
        fill_buffer(core, now, index);
        return;
    }
    slot->fetching = true;
    if (result == TAGS_MISS)
        ask_for(core, line);
}

// The line has come.
void core_fetched(struct core *core, uint64_t now, uint64_t line)
{
    struct tags_waiters who = tags_fill(&core->code, line);
    for (uint64_t rest = who.w[0]; rest; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        if (core->slots[index].warp && core->slots[index].fetching)
            fill_buffer(core, now, index);
    }
}
