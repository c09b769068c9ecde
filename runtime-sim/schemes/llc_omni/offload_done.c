// Handles replies to packets, and replays lanes that the core computes.
#include "runtime-sim/schemes/llc_omni/offload_groups.h"

// Entries

void oq_count(struct offload_queue *oq, uint64_t now)
{
    struct offload_stats *stats = oq->shared->stats;
    uint32_t used = oq->count - oq->free_count;
    if (now > oq->counted)
        stats->queue_cycles += used * (now - oq->counted);
    oq->counted = now > oq->counted ? now : oq->counted;
    stats->queue_most = used > stats->queue_most ? used : stats->queue_most;
}

void oq_free(struct offload_queue *oq, uint64_t now, uint32_t entry)
{
    oq_count(oq, now);
    oq->entries[entry].used = false;
    oq->free_entries[oq->free_count++] = entry;
}

// Replays

// Returns the latency of the captured operations in the core's pipeline, one after the other.
static uint64_t replay_latency(const struct offload_queue *oq, const struct oq_chain *c)
{
    const struct offload_chain *chain = &oq->shared->table->chains.v[c->number];
    uint64_t cycles = 1;
    for (uint32_t i = 0; i < chain->count; i++)
        cycles += oq->shared->latency[c->number * CHAIN_MAX + i];
    return cycles;
}

static void replay_later(struct offload_queue *oq, uint64_t now, uint32_t index, uint32_t lanes)
{
    struct oq_chain *c = &oq->chains[index];
    c->replay |= lanes;
    c->replay_at = now + replay_latency(oq, c);
    core_wake_at(oq->core, c->replay_at, index);
}

static void count_replay(struct offload_queue *oq, const struct oq_chain *c, uint32_t lanes)
{
    oq->shared->stats->replayed += lanes;
    core_count_alu(oq->core, c->ints * lanes, c->floats * lanes);
}

void oq_wake(struct core *core, void *own, uint64_t now, uint32_t index)
{
    struct offload_queue *oq = own;
    struct oq_chain *c = &oq->chains[index];
    uint32_t lanes = c->replay & c->mask;
    if (c->state != OQ_OUT || !c->replay || c->storing)
        return;
    if (c->replay_at > now) {
        core_wake_at(core, c->replay_at, index);
        return;
    }
    c->replay = 0;
    shadow_compute(c->shadow, lanes);
    count_replay(oq, c, (uint32_t)__builtin_popcount(lanes));
    oq_report(oq, now, OFFLOAD_REPLAYED, index);
    if (c->store != OQ_NONE && lanes) {
        c->storing = true;
        lsu_send_lanes(core, now, c->store, lanes);
    }
    oq_maybe_end(oq, now, index);
}

// Ends the store that was in flight after the warp continued.
static void end_store(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    struct oq_chain *c = &oq->chains[index];
    c->state = OQ_IDLE;
    lsu_drop(oq->core, now, c->store);
    if (warp_slot_port(oq->core, index).state ==
            (uint32_t)oq->shared->first_stall + OQ_STALL_CHAIN ||
        warp_slot_port(oq->core, index).state == WARP_SLOT_FENCE)
        core_look(oq->core, now, index);
    core_maybe_over(oq->core, now, index);
}

void oq_entry_done(struct core *core, void *own, uint64_t now, uint32_t entry)
{
    struct offload_queue *oq = own;
    uint32_t index = lsu_warp_slot(core, entry);
    struct oq_chain *c = &oq->chains[index];
    if (entry == c->store) {
        c->storing = false;
        if (c->state == OQ_STORING) {
            end_store(oq, now, index);
            return;
        }
        if (c->replay)
            core_wake_at(core, c->replay_at > now + 1 ? c->replay_at : now + 1, index);
    } else if (!--c->loading) {
        replay_later(oq, now, index, c->plain);
        c->plain = 0;
    }
    oq_maybe_end(oq, now, index);
}

// Replies

static void accept_returned_load(struct offload_queue *oq, uint64_t now,
                                 const struct memsys_request *reply)
{
    uint32_t number = reply->tag / PACKET_LOADS, load = reply->tag % PACKET_LOADS;
    struct oqsr *entry = &oq->entries[number];
    struct oq_chain *c = &oq->chains[entry->slot];
    oq_report(oq, now, OFFLOAD_LOAD_BACK, number);
    oq->shared->stats->queue_read++;
    entry->back |= (uint8_t)(1u << load);
    if (oq->shared->config->bounced_loads == OFFLOAD_BOUNCED_ALLOCATE && !(c->bypasses >> load & 1))
        cache_bring(core_l1(oq->core), now, reply->line, entry->sent);
    if (entry->back != (1u << c->load_count) - 1)
        return;
    c->out--;
    oq_chain_stats(oq, c)->bounced++;
    oq_learn_reply(oq, now, entry, false);
    replay_later(oq, now, entry->slot, entry->lanes);
    oq_free(oq, now, number);
}

void oq_answered(struct offload_queue *oq, uint64_t now, const struct memsys_request *reply)
{
    struct offload_stats *stats = oq->shared->stats;
    if (reply->kind == MEMSYS_READ) {
        accept_returned_load(oq, now, reply);
        return;
    }
    struct oqsr *entry = &oq->entries[reply->tag];
    uint32_t index = entry->slot;
    oq_report(oq, now, OFFLOAD_ANSWER, reply->tag);
    stats->answered++;
    stats->queue_read++;
    stats->offloaded_lanes += (uint32_t)__builtin_popcount(entry->lanes);
    stats->packet_latency_sum += now - entry->sent;
    oq->chains[index].out--;
    if (oq->chains[index].store != OQ_NONE)
        oq_written(oq->core, oq, now, entry->stored);
    oq_learn_reply(oq, now, entry, true);
    oq_free(oq, now, reply->tag);
    oq_maybe_end(oq, now, index);
}

// End of a chain

static void count_end(struct offload_queue *oq, uint64_t now, const struct oq_chain *c)
{
    if (c->turn && (c->sent || c->why == &oq->shared->stats->discarded_sample))
        adaptive_time(&oq->adaptive, c->number, c->sent, now - c->begun);
    if (!c->sent)
        return;
    oq->shared->stats->chain_latency_sum += now - c->begun;
    oq_chain_stats(oq, c)->latency_sum += now - c->begun;
}

void oq_maybe_end(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    struct oq_chain *c = &oq->chains[index];
    uint64_t *ready = warp_slot_scoreboard(oq->core, index);
    if (c->state != OQ_OUT || c->out || c->plain || c->replay || c->loading)
        return;
    c->state = c->storing ? OQ_STORING : OQ_IDLE;
    if (c->store == OQ_NONE)
        shadow_finish(c->shadow, c->mask);
    for (uint32_t i = 0; i < c->made_count; i++)
        ready[c->made[i]] = now;
    lsu_unpark(oq->core, c->parked);
    for (uint32_t i = 0; i < c->load_count; i++)
        if (!(c->given >> i & 1))
            lsu_drop(oq->core, now, c->load[i]);
    if (c->store != OQ_NONE && !c->storing)
        lsu_drop(oq->core, now, c->store);
    count_end(oq, now, c);
    oq_learn_discard(oq, c);
    oq_report(oq, now, OFFLOAD_ENDS, index);
    warp_slot_find_next(oq->core, index);
    core_look(oq->core, now, index);
    core_maybe_over(oq->core, now, index);
}
