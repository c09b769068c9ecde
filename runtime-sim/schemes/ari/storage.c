#include "runtime-sim/noc/topology.h"
#include "runtime-sim/schemes/ari/ari.h"
#include <inttypes.h>

static const struct {
    const char *name, *unit;
} rows[ARI_PARTS] = {
    [ARI_QUEUES] = {"injection queues", "bits"},
    [ARI_POINTERS] = {"pointers of queues", "bits"},
    [ARI_PRIORITIES] = {"priority of a packet", "bits"},
    [ARI_WAITING] = {"waiting times", "bits"},
    [ARI_BUFFERS] = {"buffers of the router", "bits"},
    [ARI_LINKS] = {"links to the router", "wires"},
    [ARI_CROSSBAR] = {"crosspoints", "bits"},
};

// Cells of the NanGate library of 45 nm, in thousandths of µm²: DFF_X1, MUX2_X1.
enum { FLIP_FLOP = 4522, MULTIPLEXER = 1862 };

static uint64_t bits_for(uint64_t values)
{
    uint64_t bits = 0;
    while (UINT64_C(1) << bits < values)
        bits++;
    return bits;
}

// Returns the bits of head, tail and count of all queues.
static uint64_t pointers(uint64_t queues, uint64_t places)
{
    return queues * 3 * bits_for(places / queues + 1);
}

// Returns the mean number of crossbar inputs of a controller, rounded up. Controllers at an edge of
// the mesh may have fewer.
static uint64_t mean_inputs(const struct ari_config *config, const struct machine_config *machine)
{
    const struct config_list *at = &machine->memsys.memory.partition_nodes;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < at->n; i++) {
        uint32_t bound = ari_bound(&machine->memsys.reply_network, at->v[i]);
        double rate = config->speedup_by == ARI_RATE    ? config->rate
                      : config->speedup_by == ARI_GIVEN ? (double)config->speedup
                                                        : (double)bound;
        double flits = config->speedup_by == ARI_RATE ? config->packet_flits : 1;
        sum += ari_consumes(config) ? ari_speedup(rate, flits, bound) : 1;
    }
    return divide_up(sum, at->n);
}

struct ari_storage ari_storage_of(const struct ari_config *config,
                                  const struct machine_config *machine)
{
    const struct noc_config *network = &machine->memsys.reply_network;
    bool supplies = ari_supplies(config), ranks = config->injection == ARI_PRIORITY;
    bool ports = config->injection == ARI_MULTIPORT;
    uint64_t sides = 4, width = network->flit_bytes * 8, places = network->injection_queue;
    uint64_t links = supplies ? ari_links(config, network) : 1, entries = ports ? config->ports : 1;
    uint64_t inputs = ports ? config->ports : mean_inputs(config, machine);
    uint64_t port = network->vcs * network->vc_buffer * width;
    uint64_t times = ranks && config->starvation ? sides * network->vcs : 0;
    return (struct ari_storage){
        .part = {[ARI_QUEUES] = {places * width, places * width},
                 [ARI_POINTERS] = {pointers(1, places), pointers(links, places)},
                 [ARI_PRIORITIES] = {0, ranks ? bits_for(config->levels) : 0},
                 [ARI_WAITING] = {0, times * bits_for(config->starvation + 1)},
                 [ARI_BUFFERS] = {(sides + 1) * port, (sides + entries) * port},
                 [ARI_LINKS] = {width, links * width},
                 [ARI_CROSSBAR] = {(sides + 1) * (sides + 1) * width,
                                   (sides + inputs) * (sides + 1) * width}},
        .controllers = machine->memsys.memory.partition_nodes.n,
        .routers = 2 * noc_node_count(network),
    };
}

// Area, in thousandths of µm²

static bool is_register(enum ari_part part)
{
    return part == ARI_QUEUES || part == ARI_POINTERS || part == ARI_WAITING || part == ARI_BUFFERS;
}

static uint64_t area_of(const struct ari_storage *s, bool after)
{
    uint64_t bits = 0;
    for (enum ari_part i = 0; i < ARI_PARTS; i++)
        bits += is_register(i) ? after ? s->part[i].after : s->part[i].before : 0;
    uint64_t points = after ? s->part[ARI_CROSSBAR].after : s->part[ARI_CROSSBAR].before;
    return bits * FLIP_FLOP + points * MULTIPLEXER;
}

double ari_storage_pair(const struct ari_storage *s)
{
    return (double)area_of(s, true) / (double)area_of(s, false) - 1;
}

double ari_storage_networks(const struct ari_storage *s)
{
    return ari_storage_pair(s) * s->controllers / s->routers;
}

void ari_storage_print(const struct ari_storage *s, FILE *to)
{
    fprintf(to, "%-24s %-6s %10s %10s %10s  at each of %" PRIu32 " controllers\n", "part", "unit",
            "without", "with", "added", s->controllers);
    for (enum ari_part i = 0; i < ARI_PARTS; i++)
        fprintf(to, "%-24s %-6s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", rows[i].name,
                rows[i].unit, s->part[i].before, s->part[i].after,
                s->part[i].after - s->part[i].before);
    fprintf(to, "area of interface and router: %+.1f %%  [004 §6.1]: +5.4 %%\n",
            100 * ari_storage_pair(s));
    fprintf(to, "area of both networks: %+.1f %%  [004 §6.1]: +0.7 %%\n",
            100 * ari_storage_networks(s));
}
