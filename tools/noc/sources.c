// Bernoulli sources, see traffic.h.
#include "tools/noc/traffic.h"
#include "support/random.h"
#include <string.h>

// Random numbers

static bool happens(uint64_t *state, uint64_t threshold)
{
    return splitmix64(state) < threshold;
}

// The number of cycles until the next packet has a geometric distribution, whose binary digits are
// independent: digit j is 1 with probability q^(2^j) / (1 + q^(2^j)), where q is the probability of
// a cycle without a packet. Idle sources therefore cost nothing, and without a logarithm the
// results are the same on all hosts.
static void fill_gap(struct sources *sources, double packets)
{
    double q = 1 - packets;
    for (sources->gap_bits = 0; sources->gap_bits < TRAFFIC_GAP_BITS; sources->gap_bits++) {
        double threshold = q / (1 + q) * 0x1p64;
        if (threshold < 1)
            break;
        sources->gap[sources->gap_bits] = (uint64_t)threshold;
        q *= q;
    }
}

static uint64_t draw_gap(const struct sources *sources, uint64_t *state)
{
    uint64_t gap = 0;
    for (uint32_t j = 0; j < sources->gap_bits; j++)
        gap |= (uint64_t)happens(state, sources->gap[j]) << j;
    return gap;
}

static uint32_t draw_receiver(const struct noc_traffic *traffic, uint32_t node, uint64_t *state)
{
    if (traffic->fixed)
        return traffic->receivers[node];
    return traffic->receivers[(splitmix64(state) >> 32) * traffic->receiver_count >> 32];
}

// Draws a packet's size. If there is only one size, no random number is consumed.
static uint32_t draw_flits(const struct sources *sources, uint64_t *state)
{
    const struct traffic_sizes *sizes = sources->sizes;
    uint32_t i = 0;
    if (sizes->list.n > 1)
        for (uint64_t drawn = splitmix64(state); i + 1 < sizes->list.n; i++)
            if (drawn < sources->up_to[i])
                break;
    return sizes->list.v[i].flits;
}

static void fill_sizes(struct sources *sources, struct arena *arena)
{
    const struct traffic_sizes *sizes = sources->sizes;
    double sum = 0, all = 0;
    for (uint32_t i = 0; i < sizes->list.n; i++)
        all += sizes->list.v[i].weight;
    sources->up_to = ARENA_ARRAY(arena, uint64_t, sizes->list.n);
    for (uint32_t i = 0; i < sizes->list.n; i++) {
        sum += sizes->list.v[i].weight;
        sources->up_to[i] = sum < all ? (uint64_t)(sum / all * 0x1p64) : UINT64_MAX;
    }
}

// Sets the head to the packet of the trace at this place of the order.
static void set_head(struct sources *sources, uint32_t node, uint32_t place)
{
    const struct traffic_list *list = sources->list;
    sources->next[node] = place;
    sources->created[node] = UINT64_MAX;
    if (place == list->first[node + 1])
        return;
    const struct trace_packet *packet = &list->packets[list->order[place]];
    sources->created[node] = packet->cycle;
    sources->receiver[node] = packet->target;
    sources->flits[node] = packet->flits;
}

// Draws the next packet, which is created at `first` or later.
static void draw(struct sources *sources, uint32_t node, uint64_t first)
{
    uint64_t *state = &sources->state[node];
    uint64_t gap = draw_gap(sources, state);
    sources->created[node] = gap < UINT64_MAX - first ? first + gap : UINT64_MAX;
    sources->receiver[node] = draw_receiver(sources->traffic, node, state);
    sources->flits[node] = draw_flits(sources, state);
}

// The wheel

// Schedules a source for its head's creation. A time beyond the wheel is checked again once per
// turn.
static void wait_for_head(struct sources *sources, uint32_t node)
{
    uint64_t at = sources->created[node], max = sources->now + TRAFFIC_WHEEL - 1;
    size_t slot = (at < max ? at : max) % TRAFFIC_WHEEL;
    sources->wheel[slot * sources->words + node / 64] |= UINT64_C(1) << node % 64;
    sources->occupied[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void make_ready(struct sources *sources, uint32_t node)
{
    sources->ready[node / 64] |= UINT64_C(1) << node % 64;
    sources->ready_count++;
}

static void empty_bucket(struct sources *sources, size_t slot)
{
    uint64_t *words = &sources->wheel[slot * sources->words];
    sources->occupied[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    for (uint32_t w = 0; w < sources->words; w++) {
        uint64_t left = words[w];
        words[w] = 0;
        for (; left; left &= left - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (sources->created[node] <= sources->now)
                make_ready(sources, node);
            else
                wait_for_head(sources, node);
        }
    }
}

// Returns the time of the next occupied slot of the wheel, `from` or later.
static uint64_t next_bucket(const struct sources *sources, uint64_t from)
{
    for (uint64_t ahead = 0; ahead < TRAFFIC_WHEEL;) {
        size_t slot = (from + ahead) % TRAFFIC_WHEEL;
        uint64_t word = sources->occupied[slot / 64] >> slot % 64;
        if (word)
            return from + ahead + (uint64_t)__builtin_ctzll(word);
        ahead += 64 - slot % 64;
    }
    return UINT64_MAX;
}

static void make_arrays(struct sources *sources, struct arena *arena)
{
    uint32_t nodes = sources->nodes = sources->traffic->nodes;
    uint32_t words = sources->words = divide_up(nodes, 64);
    sources->created = ARENA_ARRAY(arena, uint64_t, nodes);
    sources->receiver = ARENA_ARRAY(arena, uint32_t, nodes);
    sources->flits = ARENA_ARRAY(arena, uint32_t, nodes);
    sources->ready = ARENA_ARRAY(arena, uint64_t, words);
    sources->wheel = ARENA_ARRAY(arena, uint64_t, (size_t)TRAFFIC_WHEEL * words);
}

void sources_init(struct sources *sources, struct arena *arena, const struct noc_traffic *traffic,
                  const struct traffic_sizes *sizes, double packets, uint64_t seed)
{
    *sources = (struct sources){.traffic = traffic, .sizes = sizes};
    make_arrays(sources, arena);
    sources->state = ARENA_ARRAY(arena, uint64_t, sources->nodes);
    fill_sizes(sources, arena);
    fill_gap(sources, packets);
    for (uint32_t node = 0; node < sources->nodes; node++) {
        sources->state[node] = splitmix64(&seed);
        sources->created[node] = UINT64_MAX;
        if (!traffic->sends[node] || packets <= 0)
            continue;
        draw(sources, node, 0);
        wait_for_head(sources, node);
    }
    sources_advance(sources, 0);
}

void sources_init_list(struct sources *sources, struct arena *arena,
                       const struct noc_traffic *traffic, const struct traffic_list *list)
{
    *sources = (struct sources){.traffic = traffic, .list = list};
    make_arrays(sources, arena);
    sources->next = ARENA_ARRAY(arena, uint32_t, sources->nodes);
    for (uint32_t node = 0; node < sources->nodes; node++)
        set_head(sources, node, list->first[node]);
    sources_advance(sources, 0);
}

void traffic_list_init(struct traffic_list *list, struct arena *arena,
                       const struct trace_text *trace, uint32_t nodes)
{
    uint32_t count = trace->packets.n;
    uint32_t *place = ARENA_ARRAY(arena, uint32_t, nodes + 1);
    bool *receives = ARENA_ARRAY(arena, bool, nodes);
    *list = (struct traffic_list){.packets = trace->packets.v, .count = count};
    list->order = ARENA_ARRAY(arena, uint32_t, count);
    list->first = ARENA_ARRAY(arena, uint32_t, nodes + 1);
    list->arrived = ARENA_ARRAY(arena, uint64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        list->first[list->packets[i].source + 1]++;
        list->receivers += !receives[list->packets[i].target];
        receives[list->packets[i].target] = true;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        list->senders += list->first[node + 1] > 0;
        list->first[node + 1] += list->first[node];
        place[node] = list->first[node];
    }
    for (uint32_t i = 0; i < count; i++)
        list->order[place[list->packets[i].source]++] = i;
}

double traffic_list_load(const struct traffic_list *list, uint64_t cycles)
{
    uint64_t flits = 0;
    for (uint32_t i = 0; i < list->count; i++)
        flits += list->packets[i].flits;
    return (double)flits / (double)cycles / list->senders;
}

// Packets of a list are in the order of their creation, so a source is ready from its first packet
// on that was not taken.
static void advance_list(struct sources *sources)
{
    const struct traffic_list *list = sources->list;
    for (; sources->created_count < list->count; sources->created_count++) {
        const struct trace_packet *packet = &list->packets[sources->created_count];
        if (packet->cycle > sources->now)
            return;
        if (!(sources->ready[packet->source / 64] >> packet->source % 64 & 1))
            make_ready(sources, packet->source);
    }
}

void sources_advance(struct sources *sources, uint64_t now)
{
    if (sources->list) {
        sources->now = now;
        advance_list(sources);
        return;
    }
    uint64_t at = next_bucket(sources, sources->now);
    for (; at <= now; at = next_bucket(sources, at + 1)) {
        sources->now = at;
        empty_bucket(sources, at % TRAFFIC_WHEEL);
    }
    sources->now = now;
}

uint64_t sources_next(const struct sources *sources)
{
    const struct traffic_list *list = sources->list;
    if (list)
        return sources->created_count < list->count ? list->packets[sources->created_count].cycle
                                                    : UINT64_MAX;
    return next_bucket(sources, sources->now + 1);
}

void sources_remove(struct sources *sources, uint32_t node)
{
    if (sources->list)
        set_head(sources, node, sources->next[node] + 1);
    else
        draw(sources, node, sources->created[node] + 1);
    if (sources->created[node] <= sources->now)
        return;
    sources->ready[node / 64] &= ~(UINT64_C(1) << node % 64);
    sources->ready_count--;
    if (!sources->list)
        wait_for_head(sources, node);
}

static struct sources_waiting waiting_in_list(const struct sources *sources, uint32_t node,
                                              uint64_t time)
{
    const struct traffic_list *list = sources->list;
    struct sources_waiting waiting = {0, 0};
    for (uint32_t i = sources->next[node]; i < list->first[node + 1]; i++, waiting.packets++) {
        const struct trace_packet *packet = &list->packets[list->order[i]];
        if (packet->cycle >= time)
            break;
        waiting.flits += packet->flits;
    }
    return waiting;
}

struct sources_waiting sources_waiting(const struct sources *sources, uint32_t node, uint64_t time)
{
    struct sources_waiting waiting = {0, 0};
    if (sources->list)
        return waiting_in_list(sources, node, time);
    uint64_t state = sources->state[node], created = sources->created[node];
    for (uint32_t flits = sources->flits[node]; created < time; waiting.packets++) {
        waiting.flits += flits;
        created += 1 + draw_gap(sources, &state);
        draw_receiver(sources->traffic, node, &state);
        flits = draw_flits(sources, &state);
    }
    return waiting;
}
