#include "runtime-sim/schemes/ari/ari.h"

void ari_controller_init(struct ari_controller *c, const struct ari_config *config, uint32_t node,
                         uint32_t bound)
{
    *c = (struct ari_controller){.config = config, .node = node, .bound = bound, .speed = 1};
    c->share = config->ranked == ARI_ALL ? ARI_SHARES : 0;
    if (ari_consumes(config))
        c->speed = config->speedup_by == ARI_RATE
                       ? ari_speedup(config->rate, config->packet_flits, bound)
                       : ari_speedup((double)config->speedup, 1, bound);
}

// Intervals

// With unlimited bandwidth, all packets that were ready in the interval would have been sent: those
// that were sent and those that still wait at its end.
static void choose_speed(struct ari_controller *c, struct noc *network)
{
    double packets = (double)(c->packets + c->waiting);
    double flits = c->packets ? (double)c->flits / (double)c->packets : c->config->packet_flits;
    c->speed = ari_speedup(packets / (double)c->config->interval, flits, c->bound);
    noc_set_entry_speed(network, c->node, c->speed);
}

static void end_interval(struct ari_controller *c, struct noc *network)
{
    uint64_t max = ARI_INTERVALS - 1;
    c->stats.intervals++;
    c->stats.speed_sum += c->speed;
    c->stats.above_bound += c->flits > c->bound * c->config->interval;
    if (c->packets > c->stats.interval_most)
        c->stats.interval_most = c->packets;
    c->count[c->packets < max ? c->packets : max]++;
    if (c->config->ranked == ARI_STALLS && c->stalls && c->share < ARI_SHARES)
        c->share++;
    else if (c->config->ranked == ARI_STALLS && !c->stalls && c->share)
        c->share--;
    if (ari_consumes(c->config) && c->config->speedup_by == ARI_INTERVAL)
        choose_speed(c, network);
}

static void begin_interval(struct ari_controller *c, const struct memsys_offer *offer)
{
    uint64_t number = offer->cycle / c->config->interval;
    if (c->is_open && number == c->number)
        return;
    if (c->is_open)
        end_interval(c, offer->network);
    c->is_open = true;
    c->number = number;
    c->packets = c->flits = c->stalls = 0;
}

// Offers

static void count_flits(struct ari_stats *stats, const struct memsys_offer *offer,
                        uint32_t request_flits)
{
    uint64_t *const request[] = {[MEMSYS_READ] = &stats->read_request_flits,
                                 [MEMSYS_WRITE] = &stats->write_request_flits,
                                 [MEMSYS_ATOMIC] = &stats->write_request_flits,
                                 [MEMSYS_REDUCE] = &stats->write_request_flits,
                                 [MEMSYS_PACKET] = NULL};
    uint64_t *const reply[] = {[MEMSYS_READ] = &stats->read_reply_flits,
                               [MEMSYS_WRITE] = &stats->write_reply_flits,
                               [MEMSYS_ATOMIC] = &stats->read_reply_flits,
                               [MEMSYS_REDUCE] = &stats->write_reply_flits,
                               [MEMSYS_PACKET] = &stats->result_flits};
    if (request[offer->reply->kind])
        *request[offer->reply->kind] += request_flits;
    *reply[offer->reply->kind] += offer->flits;
    stats->replies++;
    stats->reply_flits += offer->flits;
}

// Counts at most one stall per network cycle. Slices with a faster clock offer several times per
// cycle; a reply that is accepted later in the cycle cancels its stall.
static void count_stall(struct ari_controller *c, const struct memsys_offer *offer)
{
    if (offer->cycle != c->cycle)
        c->stalled = 0, c->accepted = false;
    c->cycle = offer->cycle;
    c->accepted |= offer->taken;
    uint64_t stalled = c->accepted ? 0 : offer->waiting, was = c->stalled;
    uint64_t change = (uint64_t)(stalled != 0) - (was != 0);
    c->stalls += change;
    c->stats.stall_cycles += change;
    c->stats.stalled_replies += stalled - was;
    c->stalled = stalled;
}

void ari_controller_offer(struct ari_controller *c, const struct memsys_offer *offer,
                          uint32_t request_flits)
{
    begin_interval(c, offer);
    c->waiting = offer->waiting - offer->taken;
    count_stall(c, offer);
    if (!offer->taken)
        return;
    c->packets++;
    c->flits += offer->flits;
    count_flits(&c->stats, offer, request_flits);
}

uint8_t ari_controller_priority(struct ari_controller *c, const struct memsys_request *reply)
{
    if (c->config->injection != ARI_PRIORITY || c->config->levels < 2)
        return 0;
    if (reply->kind == MEMSYS_PACKET && !c->config->results)
        return 0;
    c->turn += c->share;
    if (c->turn < ARI_SHARES)
        return 0;
    c->turn -= ARI_SHARES;
    c->stats.ranked++;
    return (uint8_t)(c->config->levels - 1);
}

void ari_controller_settle(struct ari_controller *c, const struct noc *network)
{
    struct noc_node node = noc_node(network, c->node);
    uint64_t sum = 0;
    c->stats.entered_flits = node.flits_entered;
    c->stats.queue_sum = node.queue_sum;
    c->stats.cycles = noc_stats(network)->cycles;
    c->stats.interval_95 = 0;
    for (uint32_t i = 0; i < ARI_INTERVALS && 100 * sum < 95 * c->stats.intervals; i++) {
        sum += c->count[i];
        c->stats.interval_95 = i;
    }
}
