// Replies to packets, and lanes that the core computes.
#include "runtime-sim/schemes/llc_omni/offload_groups.h"

// Entries

void oq_count(struct core *core, uint64_t now)
{
    struct offload_queue *oq = oq_of(core);
    struct offload_stats *stats = oq_of(core)->shared->stats;
    uint32_t used = oq->count - oq->free_count;
    if (now > oq->counted)
        stats->queue_cycles += used * (now - oq->counted);
    oq->counted = now > oq->counted ? now : oq->counted;
    stats->queue_most = used > stats->queue_most ? used : stats->queue_most;
}

void oq_free(struct core *core, uint64_t now, uint32_t entry)
{
    struct offload_queue *oq = oq_of(core);
    oq_count(core, now);
    oq->entries[entry].used = false;
    oq->free_entries[oq->free_count++] = entry;
}

// Replays

// Returns the cycles of the pipeline for the captured operations, one after the other.
static uint64_t replay_latency(const struct core *core, const struct oq_chain *c)
{
    const struct offload_chain *chain = &oq_of(core)->shared->table->chains.v[c->number];
    uint64_t cycles = 1;
    for (uint32_t i = 0; i < chain->count; i++)
        cycles += oq_of(core)->shared->latency[c->number * CHAIN_MOST + i];
    return cycles;
}

static void replay_later(struct core *core, uint64_t now, uint32_t index, uint32_t lanes)
{
    struct oq_chain *c = &oq_of(core)->chains[index];
    c->replay |= lanes;
    c->replay_at = now + replay_latency(core, c);
    core_wake_at(core, c->replay_at, index);
}

static void count_replay(struct core *core, const struct oq_chain *c, uint32_t lanes)
{
    oq_of(core)->shared->stats->replayed += lanes;
    core_count_alu(core, c->ints * lanes, c->floats * lanes);
}

void oq_wake(struct core *core, uint64_t now, uint32_t index)
{
    struct oq_chain *c = &oq_of(core)->chains[index];
    uint32_t lanes = c->replay & c->mask;
    if (c->state != OQ_OUT || !c->replay || c->storing)
        return;
    if (c->replay_at > now) {
        core_wake_at(core, c->replay_at, index);
        return;
    }
    c->replay = 0;
    shadow_compute(c->shadow, lanes);
    count_replay(core, c, (uint32_t)__builtin_popcount(lanes));
    oq_report(core, now, OFFLOAD_REPLAYED, index);
    if (c->store != OQ_NONE && lanes) {
        c->storing = true;
        lsu_send_lanes(core, now, c->store, lanes);
    }
    oq_maybe_end(core, now, index);
}

// Ends the store that was in flight after the warp continued.
static void end_store(struct core *core, uint64_t now, uint32_t index)
{
    struct oq_chain *c = &oq_of(core)->chains[index];
    c->state = OQ_IDLE;
    lsu_drop(core, now, c->store);
    if (slot_port(core, index).state ==
            (uint32_t)oq_of(core)->shared->first_stall + OQ_STALL_CHAIN ||
        slot_port(core, index).state == SLOT_FENCE)
        core_look(core, now, index);
    core_maybe_over(core, now, index);
}

void oq_entry_done(struct core *core, uint64_t now, uint32_t entry)
{
    uint32_t index = lsu_slot(core, entry);
    struct oq_chain *c = &oq_of(core)->chains[index];
    if (entry == c->store) {
        c->storing = false;
        if (c->state == OQ_STORING) {
            end_store(core, now, index);
            return;
        }
        if (c->replay)
            core_wake_at(core, c->replay_at > now + 1 ? c->replay_at : now + 1, index);
    } else if (!--c->loading) {
        replay_later(core, now, index, c->plain);
        c->plain = 0;
    }
    oq_maybe_end(core, now, index);
}

// Answers

static void take_load_back(struct core *core, uint64_t now, const struct memsys_request *answer)
{
    uint32_t number = answer->tag / PACKET_LOADS, load = answer->tag % PACKET_LOADS;
    struct oqsr *entry = &oq_of(core)->entries[number];
    struct oq_chain *c = &oq_of(core)->chains[entry->slot];
    oq_report(core, now, OFFLOAD_LOAD_BACK, number);
    oq_of(core)->shared->stats->queue_read++;
    entry->back |= (uint8_t)(1u << load);
    if (oq_of(core)->shared->config->bounced_loads == OFFLOAD_BOUNCED_ALLOCATE &&
        !(c->bypasses >> load & 1))
        cache_bring(core_l1(core), now, answer->line);
    if (entry->back != (1u << c->load_count) - 1)
        return;
    c->out--;
    oq_chain_stats(core, c)->bounced++;
    oq_learn_answer(core, now, entry, false);
    replay_later(core, now, entry->slot, entry->lanes);
    oq_free(core, now, number);
}

void oq_answered(struct core *core, uint64_t now, const struct memsys_request *answer)
{
    struct offload_stats *stats = oq_of(core)->shared->stats;
    if (answer->kind == MEMSYS_READ) {
        take_load_back(core, now, answer);
        return;
    }
    struct oqsr *entry = &oq_of(core)->entries[answer->tag];
    uint32_t index = entry->slot;
    oq_report(core, now, OFFLOAD_ANSWER, answer->tag);
    stats->answered++;
    stats->queue_read++;
    stats->offloaded_lanes += (uint32_t)__builtin_popcount(entry->lanes);
    stats->packet_latency_sum += now - entry->sent;
    oq_of(core)->chains[index].out--;
    oq_learn_answer(core, now, entry, true);
    oq_free(core, now, answer->tag);
    oq_maybe_end(core, now, index);
}

// Ends

static void count_end(const struct core *core, uint64_t now, const struct oq_chain *c)
{
    if (!c->sent)
        return;
    oq_of(core)->shared->stats->chain_latency_sum += now - c->begun;
    oq_chain_stats(core, c)->latency_sum += now - c->begun;
}

void oq_maybe_end(struct core *core, uint64_t now, uint32_t index)
{
    struct oq_chain *c = &oq_of(core)->chains[index];
    uint64_t *ready = slot_scoreboard(core, index);
    if (c->state != OQ_OUT || c->out || c->plain || c->replay || c->loading)
        return;
    c->state = c->storing ? OQ_STORING : OQ_IDLE;
    if (c->store == OQ_NONE)
        shadow_finish(c->shadow, c->mask);
    for (uint32_t i = 0; i < c->made_count; i++)
        ready[c->made[i]] = now;
    lsu_unpark(core, c->parked);
    for (uint32_t i = 0; i < c->load_count; i++)
        if (!(c->given >> i & 1))
            lsu_drop(core, now, c->load[i]);
    if (c->store != OQ_NONE && !c->storing)
        lsu_drop(core, now, c->store);
    count_end(core, now, c);
    oq_learn_discard(core, c);
    oq_report(core, now, OFFLOAD_ENDS, index);
    slot_find_next(core, index);
    core_look(core, now, index);
    core_maybe_over(core, now, index);
}
