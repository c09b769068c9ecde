#include "runtime-sim/memsys/memsys_trace.h"
#include "runtime-sim/memsys/memsys_state.h"
#include "runtime-sim/dram/dram_trace.h"

// The context of a network's trace.
struct listener {
    struct memsys_trace *trace;
    const struct memsys_side *side;
    uint32_t process;
};

struct memsys_trace {
    struct memsys *memsys;
    struct trace *to;
    struct trace_clock network;
    struct listener networks[2];
    struct dram_trace_channel *channels;
    struct dram_channel **of; // channel of each element of `channels`
    uint32_t channel_count;
};

static const char *node_name(const struct memsys *m, char *text, size_t size, uint32_t node)
{
    if (m->topology.endpoint_at[node] < m->topology.cores)
        snprintf(text, size, "core %u", m->topology.endpoint_at[node]);
    else if (m->topology.partition_at[node] != MEMSYS_NONE)
        snprintf(text, size, "partition %u", m->topology.partition_at[node]);
    else if (m->topology.endpoint_at[node] != MEMSYS_NONE)
        snprintf(text, size, "router %u", memsys_endpoint_number(m, m->topology.endpoint_at[node]));
    else
        snprintf(text, size, "node %u", node);
    return text;
}

static const char *packet_name(const struct listener *listener, const struct noc_packet *packet)
{
    static const char *const kinds[] = {[MEMSYS_READ] = "read",
                                        [MEMSYS_WRITE] = "write",
                                        [MEMSYS_ATOMIC] = "atomic",
                                        [MEMSYS_REDUCE] = "reduction",
                                        [MEMSYS_PACKET] = "result"};
    const struct memsys *m = listener->trace->memsys;
    const struct memsys_request *request = &m->pool.entries[packet->payload].request;
    return packet->class == listener->side->class ? kinds[request->kind]
                                                  : m->tables.requesters[request->requester].packet;
}

// The span of a packet that was sent before the window starts with the window.
static void trace_packet(void *context, const struct noc_packet *packet, bool arrived)
{
    const struct listener *listener = context;
    const struct memsys *m = listener->trace->memsys;
    struct trace *to = listener->trace->to;
    uint64_t sent = trace_time(listener->trace->network, packet->created);
    uint64_t now = arrived ? trace_time(listener->trace->network, packet->arrived) : sent;
    uint64_t since = sent + to->origin;
    uint64_t id = (uint64_t)packet->source << 40 | packet->number;
    bool begins = arrived ? since < to->from : since >= to->from;
    char from[32], target[32], args[160];
    if (since >= to->until || now + to->origin < to->from)
        return;
    const char *name = packet_name(listener, packet);
    snprintf(args, sizeof args, "\"from\":\"%s\",\"to\":\"%s\",\"class\":%u,\"flits\":%u",
             node_name(m, from, sizeof from, packet->source),
             node_name(m, target, sizeof target, packet->target), packet->class, packet->flits);
    if (begins)
        trace_async(to, listener->process, true, sent, id, "packet", name, args);
    if (arrived)
        trace_async(to, listener->process, false, now, id, "packet", name, NULL);
}

static uint32_t count_channels(const struct memsys *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->partition_count; i++)
        for (uint32_t k = 0; memsys_channel(m, i, k); k++)
            count++;
    return count;
}

uint32_t memsys_trace_processes(const struct memsys *m)
{
    return 2 + count_channels(m);
}

void memsys_trace_name(const struct memsys *m, struct trace *to, uint32_t process)
{
    trace_process(to, process + MEMSYS_REQUESTS, "request network", MEMSYS_REQUESTS);
    trace_process(to, process + MEMSYS_REPLIES, "reply network", MEMSYS_REPLIES);
    for (uint32_t i = 0; i < count_channels(m); i++)
        dram_trace_name(&m->config->dram, to, process + 2 + i, "DRAM channel", i);
}

static void listen_to_networks(struct memsys_trace *t, uint32_t process)
{

    for (uint32_t i = 0; i < 2; i++) {
        t->networks[i] = (struct listener){t, &t->memsys->side[i], process + i};

        noc_listen(t->memsys->side[i].noc, trace_packet, &t->networks[i]);
    }
}

// Finds the channels, in the order of the partitions.
static void find_channels(struct memsys_trace *t)
{
    struct dram_channel *channel;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->memsys->partition_count; i++)
        for (uint32_t k = 0; (channel = memsys_channel(t->memsys, i, k)); k++)
            t->of[count++] = channel;
}

static void listen_to_channels(struct memsys_trace *t, uint32_t process)
{
    const struct memsys_config *config = t->memsys->config;
    const struct trace_clock clock = {config->memory.core_clock * TRACE_MICROSECOND,
                                      config->dram.clock};
    for (uint32_t i = 0; i < t->channel_count; i++) {
        struct dram_channel *channel = t->of[i];
        dram_trace_begin(&t->channels[i], &config->dram, t->to, clock, process + i);
        channel->trace = dram_trace_command;
        channel->trace_context = &t->channels[i];
    }
}

struct memsys_trace *memsys_trace_begin(struct memsys *m, struct arena *arena, struct trace *to,
                                        uint32_t process)
{
    const struct memsys_config *config = m->config;
    struct memsys_trace *t = ARENA_NEW(arena, struct memsys_trace);
    *t = (struct memsys_trace){.memsys = m, .to = to};
    t->network = (struct trace_clock){config->memory.core_clock * TRACE_MICROSECOND,
                                      config->memory.network_clock};
    t->channel_count = count_channels(m);
    t->channels = ARENA_ARRAY(arena, struct dram_trace_channel, t->channel_count);
    t->of = ARENA_ARRAY(arena, struct dram_channel *, t->channel_count);
    find_channels(t);
    listen_to_networks(t, process);
    listen_to_channels(t, process + 2);
    return t;
}

void memsys_trace_end(struct memsys_trace *t, uint64_t cycle)
{
    const struct memsys_config *config = t->memsys->config;
    uint64_t clock = divide_up(cycle * config->dram.clock, config->memory.core_clock);
    for (uint32_t i = 0; i < t->channel_count; i++) {
        dram_trace_end(&t->channels[i], clock);
        t->of[i]->trace = NULL;
    }
}
