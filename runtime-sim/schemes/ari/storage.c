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

#define NM 45.0
enum { SIDES = 4 };

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
    uint64_t width = network->flit_bytes * 8, places = network->injection_queue;
    uint64_t links = supplies ? ari_links(config, network) : 1, entries = ports ? config->ports : 1;
    uint64_t inputs = ports ? config->ports : mean_inputs(config, machine);
    uint64_t port = network->vcs * network->vc_buffer * width;
    uint64_t times = ranks && config->starvation ? SIDES * network->vcs : 0;
    return (struct ari_storage){
        .part = {[ARI_QUEUES] = {places * width, places * width},
                 [ARI_POINTERS] = {pointers(1, places), pointers(links, places)},
                 [ARI_PRIORITIES] = {0, ranks ? bits_for(config->levels) : 0},
                 [ARI_WAITING] = {0, times * bits_for(config->starvation + 1)},
                 [ARI_BUFFERS] = {(SIDES + 1) * port, (SIDES + entries) * port},
                 [ARI_LINKS] = {width, links * width},
                 [ARI_CROSSBAR] = {(SIDES + 1) * (SIDES + 1) * width,
                                   (SIDES + inputs) * (SIDES + 1) * width}},
        .controllers = machine->memsys.memory.partition_nodes.n,
        .routers = 2 * noc_node_count(network),
    };
}

// Area

static bool is_register(enum ari_part part)
{
    return part == ARI_QUEUES || part == ARI_POINTERS || part == ARI_WAITING || part == ARI_BUFFERS;
}

// Returns the area of an interface and its router in mm².
static double area_of(const struct ari_storage *s, bool after, enum crossbar_layer layer)
{
    struct array registers = {.kind = ARRAY_REGISTERS, .entries = 1};
    for (enum ari_part i = 0; i < ARI_PARTS; i++)
        if (is_register(i))
            registers.bits += (double)(after ? s->part[i].after : s->part[i].before);
    uint64_t points = after ? s->part[ARI_CROSSBAR].after : s->part[ARI_CROSSBAR].before;
    double width = (double)s->part[ARI_LINKS].before, outputs = SIDES + 1;
    return array_cost(&registers, NM).area +
           crossbar_area((double)points / width / outputs, outputs, width, layer, NM);
}

double ari_storage_pair(const struct ari_storage *s, enum crossbar_layer layer)
{
    return area_of(s, true, layer) / area_of(s, false, layer) - 1;
}

void ari_storage_print(const struct ari_storage *s, FILE *to)
{
    fprintf(to, "%-24s %-6s %10s %10s %10s  at each of %" PRIu32 " controllers\n", "part", "unit",
            "without", "with", "added", s->controllers);
    for (enum ari_part i = 0; i < ARI_PARTS; i++)
        fprintf(to, "%-24s %-6s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", rows[i].name,
                rows[i].unit, s->part[i].before, s->part[i].after,
                s->part[i].after - s->part[i].before);
    double cells = 100 * ari_storage_pair(s, CROSSBAR_CELLS);
    double thin = 100 * ari_storage_pair(s, CROSSBAR_THIN);
    double middle = 100 * ari_storage_pair(s, CROSSBAR_MIDDLE);
    double part = (double)s->controllers / s->routers;
    fprintf(to,
            "area of interface and router: %+.1f %% (cells alone %+.1f, wires in metal 4 to 6 "
            "%+.1f)  [004 §6.1]: +5.4 %%\n",
            thin, cells, middle);
    fprintf(to, "area of both networks: %+.1f %% (%+.1f, %+.1f)  [004 §6.1]: +0.7 %%\n",
            thin * part, cells * part, middle * part);
}
