#include "tools/noc/measure.h"
#include "tools/noc/noc_port.h"
#include <math.h>
#include <string.h>
#include <time.h>

enum { PROGRESS_EVERY = 1 << 14 };

// A load is stable if its backlog in the window does not exceed this fraction of the created flits,
// in total and at each sender. Queues fluctuate, so a few packets are tolerated.
static const double max_backlog = 0.02;
enum { FEW_IN_ALL = 1, FEW_AT_SENDER = 32 }; // tolerated packets per sender

struct noc_measurement {
    const struct measure_plan *plan;
    struct measured *m;
    struct arena *arena;
    struct noc *noc;
    struct sources sources;
    uint64_t begin, end; // start and end of the window
    // Per node: packets taken from its source; packets created before the window and, of these,
    // those still waiting at its start.
    uint64_t *taken, *created, *waiting;
    uint64_t flits_accepted, flits_before; // taken from all sources; created before the window
    uint64_t next_progress;
};

static double cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// The places of the pattern are the nodes. Nodes that are placed individually form no grid.
const char *measure_traffic(struct noc_traffic *traffic, struct arena *arena,
                            const struct noc_config *config)
{
    uint32_t extent[64] = {1, 1};
    struct traffic_shape shape = {.nodes = 1, .extent = extent};
    if (config->topology == NOC_FLY) {
        for (; shape.digits < config->stages; shape.digits++)
            extent[shape.digits] = config->radix;
    } else if (config->topology == NOC_CROSSBAR) {
        extent[shape.digits++] = config->nodes;
    } else if (config->node_routers.n) {
        extent[shape.digits++] = config->node_routers.n;
    } else {
        extent[shape.digits++] = config->width;
        extent[shape.digits++] = config->height;
    }
    for (uint32_t d = 0; d < shape.digits; d++)
        shape.nodes *= extent[d];
    return traffic_bind(traffic, arena, &shape);
}

// Buckets of latencies

static uint32_t bucket_of(uint64_t latency)
{
    uint32_t shift = latency < 128 ? 0 : 57 - (uint32_t)__builtin_clzll(latency);
    return shift * 64 + (uint32_t)(latency >> shift);
}

static uint64_t bucket_min(uint32_t bucket)
{
    uint32_t shift = bucket < 128 ? 0 : bucket / 64 - 1;
    return (uint64_t)(bucket - shift * 64) << shift;
}

// One cycle

static uint64_t class_flits(const struct noc *noc, uint64_t classes)
{
    uint64_t flits = 0;
    for (uint32_t class = 0; class < classes; class ++)
        flits += noc_class_stats(noc, class)->flits;
    return flits;
}

// Returns true if the network interface needs the source's next packet. Keeping packets in the
// source models an unbounded queue without memory: the interface's queue only runs empty when the
// source does.
static bool wants_packet(const struct noc_measurement *run, uint32_t node, uint32_t class)
{
    const struct noc_config *config = run->plan->config;
    uint64_t max = run->plan->flits.max;
    uint64_t enough = 2 * config->injection_ports * config->injection_links * max;
    return noc_can_send(run->noc, node, class, run->sources.flits[node]) &&
           (config->injection_queue || noc_waiting_flits(run->noc, node, class) < enough);
}

// Derives the class from the node and the time of creation. A random sequence would depend on when
// packets are taken.
static uint32_t class_of(const struct noc_measurement *run, uint32_t node)
{
    uint64_t classes = run->plan->config->classes;
    if (run->plan->list)
        return run->plan->list->packets[sources_number(&run->sources, node)].class;
    return classes == 1 ? 0 : (uint32_t)((run->sources.created[node] + node) % classes);
}

static void send_from(struct noc_measurement *run, uint32_t node)
{
    struct sources *sources = &run->sources;
    while (sources->created[node] <= sources->now) {
        struct noc_packet packet = {.created = sources->created[node],
                                    .source = node,
                                    .target = sources->receiver[node],
                                    .flits = (uint16_t)sources->flits[node],
                                    .class = (uint8_t)class_of(run, node)};
        if (run->plan->list)
            packet.payload = sources_number(sources, node);
        if (!wants_packet(run, node, packet.class))
            return;
        noc_send(run->noc, &packet);
        run->flits_accepted += packet.flits;
        sources_remove(sources, node);
        run->taken[node]++;
    }
}

static void send(struct noc_measurement *run)
{
    struct sources *sources = &run->sources;
    for (uint32_t w = 0; w < sources->words; w++)
        for (uint64_t left = sources->ready[w]; left; left &= left - 1)
            send_from(run, w * 64 + (uint32_t)__builtin_ctzll(left));
}

static void count_packet(void *context, const struct noc_packet *packet)
{
    struct noc_measurement *run = context;
    struct measured *m = run->m;
    if (run->plan->list)
        run->plan->list->arrived[packet->payload] = packet->arrived;
    if (packet->created < run->begin || packet->created >= run->end)
        return;
    uint64_t latency = packet->arrived - packet->created;
    m->packets++;
    m->latency_sum += latency;
    m->wait_sum += packet->entered - packet->created;
    m->router_sum += packet->routers;
    m->latency_least = latency < m->latency_least ? latency : m->latency_least;
    m->latency_most = latency > m->latency_most ? latency : m->latency_most;
    m->latencies[bucket_of(latency)]++;
}

// Skips cycles without events, up to `limit`.
static void skip(struct noc_measurement *run, uint64_t limit)
{
    if (run->sources.ready_count)
        return;
    uint64_t next = noc_next(run->noc), created = sources_next(&run->sources);
    next = next < created ? next : created;
    next = next < limit ? next : limit;
    if (next > noc_cycle(run->noc))
        noc_skip_to(run->noc, next);
}

static void look_around(struct noc_measurement *run, uint64_t now)
{
    const struct measure_plan *plan = run->plan;
    run->next_progress = now + PROGRESS_EVERY;
    if (plan->progress)
        plan->progress(plan->context, plan->load, now);
    if (plan->stop && *plan->stop)
        run->m->outcome = MEASURE_INTERRUPTED;
}

static bool step(struct noc_measurement *run, uint64_t limit)
{
    uint64_t now = noc_cycle(run->noc);
    sources_advance(&run->sources, now);
    send(run);
    noc_tick(run->noc);
    noc_pop_all(run->noc, (uint32_t)run->plan->config->classes, count_packet, run);
    skip(run, limit);
    now = noc_cycle(run->noc);
    if (noc_in_flight(run->noc) && now > noc_moved_at(run->noc) + run->plan->patience &&
        noc_is_still(run->noc))
        run->m->outcome = MEASURE_STUCK;
    if (now >= run->next_progress)
        look_around(run, now);
    return run->m->outcome == MEASURE_DONE;
}

static bool run_until(struct noc_measurement *run, uint64_t time)
{
    while (noc_cycle(run->noc) < time)
        if (!step(run, time))
            return false;
    return true;
}

// The window

static struct sources_waiting waiting_at(const struct noc_measurement *run, uint32_t node)
{
    return sources_waiting(&run->sources, node, noc_cycle(run->noc));
}

static uint64_t arrived_so_far(const struct noc_measurement *run)
{
    return class_flits(run->noc, run->plan->config->classes);
}

static void begin_window(struct noc_measurement *run)
{
    struct measured *m = run->m;
    m->since = stats_snapshot(&m->stats, run->arena);
    run->flits_before = run->flits_accepted;
    for (uint32_t node = 0; node < run->sources.nodes; node++) {
        struct sources_waiting waiting = waiting_at(run, node);
        run->waiting[node] = waiting.packets;
        run->created[node] = run->taken[node] + waiting.packets;
        run->flits_before += waiting.flits;
    }
    m->flits_arrived = arrived_so_far(run);
    m->behind_before = run->flits_before - m->flits_arrived;
    for (uint32_t i = 0; i < m->channels; i++)
        m->channel_flits[i] = noc_channel(run->noc, i).flits;
}

static bool keeps_up(uint64_t created, uint64_t before, uint64_t after, uint64_t few)
{
    double growth = (double)after - (double)before;
    return growth <= max_backlog * (double)created || growth <= (double)few;
}

// Counts created packets per sender. A load is unstable if one sender falls behind, even if the
// mean does not.
static void count_created(struct noc_measurement *run)
{
    struct measured *m = run->m;
    uint64_t flits = run->flits_accepted;
    for (uint32_t node = 0; node < run->sources.nodes; node++) {
        struct sources_waiting waiting = waiting_at(run, node);
        uint64_t created = run->taken[node] + waiting.packets - run->created[node];
        m->packets_created += created;
        m->stable &= keeps_up(created, run->waiting[node], waiting.packets, FEW_AT_SENDER);
        flits += waiting.flits;
    }
    m->flits_created = flits - run->flits_before;
}

static void end_window(struct noc_measurement *run)
{
    struct measured *m = run->m;
    uint64_t arrived = arrived_so_far(run);
    m->window = noc_cycle(run->noc) - run->begin;
    for (uint32_t i = 0; i < m->channels; i++)
        m->channel_flits[i] = noc_channel(run->noc, i).flits - m->channel_flits[i];
    m->stable = true;
    count_created(run);
    m->flits_arrived = arrived - m->flits_arrived;
    m->behind_after = m->behind_before + m->flits_created - m->flits_arrived;
    m->stable &= keeps_up(m->flits_created, m->behind_before, m->behind_after,
                          (uint64_t)(FEW_IN_ALL * m->senders * run->plan->flits.mean));
}

// Drains the network for at most as many cycles as have been simulated; packets that do not arrive
// by then count as lost.
static void drain(struct noc_measurement *run)
{
    struct measured *m = run->m;
    uint64_t limit = run->plan->list ? UINT64_MAX : run->end + run->end;
    while (m->packets < m->packets_created && noc_cycle(run->noc) < limit && step(run, limit))
        continue;
    m->stable = (m->stable || run->plan->list) && m->packets == m->packets_created;
    m->drain = noc_cycle(run->noc) - run->end;
}

static void prepare(struct noc_measurement *run)
{
    const struct measure_plan *plan = run->plan;
    struct measured *m = run->m;
    double packets = plan->list ? 0 : plan->load / plan->flits.mean;
    m->noc = run->noc = noc_new(run->arena, plan->config);
    noc_shuffle(run->noc, plan->shuffle);
    stats_init(&m->stats, run->arena);
    noc_stats_add(run->noc, &m->stats, "noc", NULL);
    m->channels = noc_channels(run->noc);
    m->channel_flits = ARENA_ARRAY(run->arena, uint64_t, m->channels);
    m->latencies = ARENA_ARRAY(run->arena, uint32_t, LATENCY_BUCKETS);
    if (plan->list)
        sources_init_list(&run->sources, run->arena, plan->traffic, plan->list);
    else
        sources_init(&run->sources, run->arena, plan->traffic, &plan->flits, packets, plan->seed);
    run->taken = ARENA_ARRAY(run->arena, uint64_t, run->sources.nodes);
    run->created = ARENA_ARRAY(run->arena, uint64_t, run->sources.nodes);
    run->waiting = ARENA_ARRAY(run->arena, uint64_t, run->sources.nodes);
}

void measure(struct measured *measured, struct arena *arena, const struct measure_plan *plan)
{
    struct noc_measurement run = {.plan = plan, .m = measured, .arena = arena};
    *measured = (struct measured){.load = plan->load,
                                  .senders = plan->traffic->sender_count,
                                  .receivers = plan->traffic->receiver_count,
                                  .warmup = plan->warmup,
                                  .latency_least = UINT64_MAX};
    run.begin = plan->warmup;
    run.end = plan->warmup + plan->cycles;
    prepare(&run);
    if (plan->list) {
        measured->senders = plan->list->senders;
        measured->receivers = plan->list->receivers;
    }
    double started = cpu_now();
    if (run_until(&run, run.begin)) {
        begin_window(&run);
        bool ended = run_until(&run, run.end);
        end_window(&run);
        // An unstable network cannot be drained. A trace has an end.
        if (ended && (measured->stable || plan->list))
            drain(&run);
    }
    measured->cpu_seconds = cpu_now() - started;
    measured->cycles = noc_cycle(run.noc);
    measured->stable &= measured->outcome == MEASURE_DONE;
    measured->fault = noc_verify(run.noc, arena);
    if (measured->fault)
        measured->outcome = MEASURE_FAULT;
}

// Results

static double per_sender(const struct measured *m, uint64_t flits)
{
    return m->window ? (double)flits / (double)m->window / m->senders : NAN;
}

double measured_offered(const struct measured *m)
{
    return per_sender(m, m->flits_created);
}

double measured_accepted(const struct measured *m)
{
    return per_sender(m, m->flits_arrived);
}

double measured_flow(const struct measured *m)
{
    return m->window ? (double)m->flits_arrived / (double)m->window : NAN;
}

static double per_packet(const struct measured *m, uint64_t sum)
{
    return m->packets ? (double)sum / (double)m->packets : NAN;
}

double measured_latency(const struct measured *m)
{
    return per_packet(m, m->latency_sum);
}

double measured_wait(const struct measured *m)
{
    return per_packet(m, m->wait_sum);
}

double measured_routers(const struct measured *m)
{
    return per_packet(m, m->router_sum);
}

uint64_t measured_quantile(const struct measured *m, double part)
{
    uint64_t min = (uint64_t)ceil(part * (double)m->packets), count = 0;
    for (uint32_t bucket = 0; bucket < LATENCY_BUCKETS; bucket++) {
        count += m->latencies[bucket];
        if (count && count >= min)
            return bucket_min(bucket);
    }
    return 0;
}
