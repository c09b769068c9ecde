// Shares and costs of chains on a machine (placing.h).
#include "report/placing_internal.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/llc_omni/packet.h"
#include "support/integer.h"
#include "support/random.h"
#include <stdlib.h>
#include <string.h>

// Samples of the addresses of a chain: all of them, or RANDOM_SAMPLES at random.
enum { MAX_SAMPLES = 65536, RANDOM_SAMPLES = 16384 };

const char *placing_check(const struct machine_config *config)
{
    const struct memsys_config *memsys = &config->memsys;
    if (memsys->request_network.router_nodes)
        return "request_network.router_nodes is true: the placement of chains at routers of a "
               "butterfly is not known";
    if (memsys->request_network.node_routers.n)
        return "request_network.node_routers is not empty: the routes to several nodes of a router "
               "are not known";
    if (!memsys->memory.partition_nodes.n || memsys->memory.partition_nodes.n > 256)
        return "memory.partition_nodes has no partition, or more than 256";
    return NULL;
}

void placing_machine_init(struct placing_machine *machine, struct arena *arena,
                          const struct machine_config *config)
{
    const struct offload_config *offload =
        config->of_scheme[machine_scheme_number(config, &llc_omni)];
    const struct memsys_config *memsys = &config->memsys;
    const struct noc_config *network = &memsys->request_network;
    const struct config_list *at = &memsys->memory.partition_nodes;
    struct partition_range all = {.count = at->n,
                                  .rule = (enum partition_rule)memsys->memory.rule,
                                  .chunk = memsys->memory.chunk};
    *machine = (struct placing_machine){
        .arena = arena,
        .config = config,
        .period = all.rule == PARTITION_MODULO ? at->n * memsys->memory.chunk : 0,
        .start =
            (UINT64_C(1) << 40) / (at->n * memsys->memory.chunk) * (at->n * memsys->memory.chunk),
        .line = memsys->llc.line_bytes,
        .partitions = at->n,
        .cores = memsys->memory.cores,
        .distance = network->topology == NOC_FLY ? network->stages - 1 : 1,
        .keys = ARENA_ARRAY(arena, uint32_t, MAX_SAMPLES)};
    partition_init(&machine->map, arena, &all);
    if (network->topology != NOC_MESH)
        return;
    struct placement *mesh = placement_mesh(arena, network->width, network->height, at->v, at->n);
    machine->mesh = mesh;
    if (mesh && offload->emn_at_llc != EMN_LLC_OPERAND)
        machine->meet = emn_tables(arena, mesh, offload->emn_at_llc);
}

// Samples

// Unknown values of a chain's addresses. `at` is the place of the first operand in a period.
struct sample {
    uint64_t at, unknown[PLACING_OPERANDS];
};

static uint32_t key_of(const struct placing_machine *machine, const struct placing_kernel *kernel,
                       const struct placed_chain *placed, bool proposed,
                       const struct sample *sample)
{
    const struct placing_operand *operands = placed->operands;
    uint32_t key = 0;
    for (uint32_t k = placed->count; k-- > 0;) {
        uint64_t address = machine->start + sample->at + (uint64_t)operands[k].offset;
        if (proposed && operands[k].follows)
            address +=
                kernel->bases.v[operands[k].base].place - kernel->bases.v[operands[0].base].place;
        else
            address += sample->unknown[k];
        key = key * machine->partitions + partition_of(&machine->map, address);
    }
    return key;
}

// Returns the number of values of the unknown part of an operand's distance from the first one.
static uint64_t unknowns(const struct placing_machine *machine, const struct placed_chain *placed,
                         uint32_t k, bool proposed)
{
    const struct placing_operand *operand = &placed->operands[k];
    bool same_base = operand->base == placed->operands[0].base;
    if (!k || (operand->follows && (proposed || same_base)))
        return 1;
    return operand->granule < machine->period ? machine->period / operand->granule : 1;
}

// Fills `keys` with all combinations if they are at most MAX_SAMPLES. Returns their number, or 0.
static uint32_t take_all(struct placing_machine *machine, const struct placing_kernel *kernel,
                         const struct placed_chain *placed, bool proposed)
{
    uint64_t step = placed->operands[0].bytes, places = machine->period / step;
    uint64_t count[PLACING_OPERANDS] = {1, 1, 1}, all = places;
    for (uint32_t k = 1; k < placed->count; k++)
        all *= count[k] = unknowns(machine, placed, k, proposed);
    if (!machine->period || all > MAX_SAMPLES)
        return 0;
    for (uint32_t i = 0; i < all; i++) {
        struct sample sample = {.at = i % places * step};
        uint64_t rest = i / places;
        for (uint32_t k = 1; k < placed->count; k++) {
            sample.unknown[k] = rest % count[k] * placed->operands[k].granule;
            rest /= count[k];
        }
        machine->keys[i] = key_of(machine, kernel, placed, proposed, &sample);
    }
    return (uint32_t)all;
}

static uint32_t take_random(struct placing_machine *machine, const struct placing_kernel *kernel,
                            const struct placed_chain *placed, bool proposed)
{
    const struct placing_operand *operands = placed->operands;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < RANDOM_SAMPLES; i++) {
        struct sample sample = {.at = splitmix64(&seed) % (UINT64_C(1) << 36) / operands[0].bytes *
                                      operands[0].bytes};
        for (uint32_t k = 1; k < placed->count; k++)
            if (!operands[k].follows || operands[k].base != operands[0].base)
                sample.unknown[k] = splitmix64(&seed) % (UINT64_C(1) << 36) / operands[k].granule *
                                    operands[k].granule;
        machine->keys[i] = key_of(machine, kernel, placed, proposed, &sample);
    }
    return RANDOM_SAMPLES;
}

static uint32_t take(struct placing_machine *machine, const struct placing_kernel *kernel,
                     const struct placed_chain *placed, bool proposed)
{
    uint32_t samples = take_all(machine, kernel, placed, proposed);
    return samples ? samples : take_random(machine, kernel, placed, proposed);
}

// Sets the partitions of the operands from a key. Returns true if there is only one.
static bool read_key(const struct placing_machine *machine, const struct placed_chain *placed,
                     uint32_t key, uint32_t partition[PLACING_OPERANDS])
{
    bool one = true;
    for (uint32_t k = 0; k < placed->count; k++) {
        partition[k] = key % machine->partitions;
        key /= machine->partitions;
        one &= partition[k] == partition[0];
    }
    return one;
}

double placing_share(struct placing_machine *machine, const struct placing_kernel *kernel,
                     const struct placed_chain *placed, bool proposed)
{
    uint32_t samples = take(machine, kernel, placed, proposed), count = 0;
    uint32_t partition[PLACING_OPERANDS];
    for (uint32_t i = 0; i < samples; i++)
        count += read_key(machine, placed, machine->keys[i], partition);
    return (double)count / samples;
}

static int by_key(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

// Costs of a combination of partitions for a core

struct flits {
    uint32_t read, data, write, ack, packet, response;
};

static struct flits flits_of(const struct placing_machine *machine,
                             const struct placed_chain *placed, const struct chain *chain)
{
    const struct memsys_config *memsys = &machine->config->memsys;
    uint32_t header = memsys->memory.header_bytes, line = machine->line, stored = line;
    for (uint32_t k = 0; k < placed->count; k++)
        if (placed->operands[k].stores && placed->operands[k].bytes * WARP_LANES < line)
            stored = placed->operands[k].bytes * WARP_LANES;
    return (struct flits){noc_flits(&memsys->request_network, header),
                          noc_flits(&memsys->reply_network, header + line),
                          noc_flits(&memsys->request_network, header + stored),
                          noc_flits(&memsys->reply_network, header),
                          noc_flits(&memsys->request_network, PACKET_FLIT),
                          noc_flits(&memsys->reply_network, chain->response_flits * PACKET_FLIT)};
}

double placing_saving(const struct placing_machine *machine, const struct placed_chain *placed,
                      const struct chain *chain)
{
    struct flits flits = flits_of(machine, placed, chain);
    double sum = -(double)flits.response;
    for (uint32_t k = 0; k < placed->count; k++)
        sum += placed->operands[k].stores ? flits.ack : flits.data;
    return sum;
}

// A place of computation: a core or a partition.
struct chain_site {
    bool is_partition;
    uint32_t number, node;
};

static uint32_t hops(const struct placing_machine *machine, uint32_t a, uint32_t b)
{
    return machine->mesh ? placement_distance(machine->mesh, a, b) : (a != b) * machine->distance;
}

static struct chain_site partition_at(const struct placing_machine *machine, uint32_t partition)
{
    const struct config_list *nodes = &machine->config->memsys.memory.partition_nodes;
    return (struct chain_site){true, partition, (uint32_t)nodes->v[partition]};
}

// Adds a packet's reply or a line's data from a partition, and the request that it answers.
static void add(const struct placing_machine *machine, struct placing_cost *cost,
                struct chain_site from, struct chain_site to, uint32_t there, uint32_t back)
{
    bool here = from.is_partition == to.is_partition && from.number == to.number;
    if (here)
        return;
    cost->port_flits += to.is_partition ? back : 0;
    cost->flit_hops += (double)(there + back) * hops(machine, from.node, to.node);
}

static struct placing_cost cost_at(const struct placing_machine *machine,
                                   const struct placed_chain *placed, const struct flits *flits,
                                   const uint32_t *partition, struct chain_site core,
                                   struct chain_site place)
{
    struct placing_cost cost = {0};
    if (core.is_partition != place.is_partition || core.number != place.number)
        add(machine, &cost, core, place, flits->packet, flits->response);
    for (uint32_t k = 0; k < placed->count; k++) {
        bool stores = placed->operands[k].stores;
        add(machine, &cost, place, partition_at(machine, partition[k]),
            stores ? flits->write : flits->read, stores ? flits->ack : flits->data);
    }
    return cost;
}

static void add_weighted(struct placing_cost *to, const struct placing_cost *cost, double weight)
{
    to->port_flits += weight * cost->port_flits;
    to->flit_hops += weight * cost->flit_hops;
}

// Adds the instances of one core whose operands are in these partitions.
static void add_core(const struct placing_machine *machine, const struct placed_chain *placed,
                     const struct flits *flits, const uint32_t *partition, uint32_t number,
                     double weight, struct placing_result *result)
{
    struct chain_site core = {false, number,
                              machine->mesh ? machine->mesh->core[number] : UINT32_MAX - number};
    struct placing_cost plain = cost_at(machine, placed, flits, partition, core, core);
    uint32_t other = placed->count > 1 ? partition[1] : partition[0];
    bool one = true;
    for (uint32_t k = 1; k < placed->count; k++)
        one &= partition[k] == partition[0];
    struct chain_site first = partition_at(machine, partition[0]), meet = first;
    struct chain_site second = partition_at(machine, other);
    bool has_node = one || partition[0] == other;
    if (!has_node && machine->meet) {
        uint16_t node =
            machine
                ->meet[(number * machine->partitions + partition[0]) * machine->partitions + other];
        has_node = node != EMN_NONE;
        meet = (struct chain_site){false, 0, node};
        for (uint32_t i = 0; has_node && i < machine->partitions; i++)
            if (machine->mesh->llc[i] == node)
                meet = partition_at(machine, i);
        for (uint32_t i = 0; has_node && !meet.is_partition && i < machine->cores; i++)
            if (machine->mesh->core[i] == node)
                meet.number = i;
    }
    struct placing_cost here = cost_at(machine, placed, flits, partition, core, first);
    struct placing_cost there = cost_at(machine, placed, flits, partition, core, second);
    struct placing_cost between =
        has_node ? cost_at(machine, placed, flits, partition, core, meet) : plain;
    add_weighted(&result->cost[PLACING_CORE], &plain, weight);
    add_weighted(&result->cost[PLACING_ONE], one ? &here : &plain, weight);
    add_weighted(&result->cost[PLACING_MEET], one ? &here : &between, weight);
    add_weighted(&result->cost[PLACING_OPERAND], &here, weight / 2);
    add_weighted(&result->cost[PLACING_OPERAND], &there, weight / 2);
    *(one                 ? &result->one
      : !has_node         ? &result->none
      : meet.is_partition ? &result->partition
                          : &result->core) += weight;
}

void placing_evaluate(struct placing_machine *machine, const struct placing_kernel *kernel,
                      const struct placed_chain *placed, const struct chain *chain, bool proposed,
                      struct placing_result *result)
{
    uint32_t samples = take(machine, kernel, placed, proposed);
    struct flits flits = flits_of(machine, placed, chain);
    qsort(machine->keys, samples, sizeof *machine->keys, by_key);
    *result = (struct placing_result){0};
    for (uint32_t i = 0, end; i < samples; i = end) {
        uint32_t partition[PLACING_OPERANDS];
        read_key(machine, placed, machine->keys[i], partition);
        for (end = i; end < samples && machine->keys[end] == machine->keys[i]; end++)
            ;
        double weight = (double)(end - i) / samples / machine->cores;
        for (uint32_t core = 0; core < machine->cores; core++)
            add_core(machine, placed, &flits, partition, core, weight, result);
    }
}
