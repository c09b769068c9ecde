#include "runtime-sim/noc/topology.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "runtime-sim/schemes/llc_omni/offload.h"
#include "runtime-sim/schemes/llc_omni/storage.h"
#include <assert.h>

const struct config_key offload_keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/llc_omni/offload.def"
#define CONFIG_OF struct offload_config
#include "runtime-sim/base/config_keys.inc"
};
static_assert(ARRAY_LENGTH(offload_keys) == OFFLOAD_KEYS, "as many as rows");

// Gives ComputePackets their own virtual channels, taken from those of requests.
static void llc_omni_require(struct arena *arena, const void *own,
                             const struct machine_config *given, struct machine_config *machine)
{
    const struct offload_config *config = own;
    struct memsys_keys *memory = &machine->memsys.memory;
    if (given->memsys.memory.packet_class < given->memsys.request_network.classes)
        return; // the configuration already has the class
    memory->packet_class = memsys_add_class(arena, &machine->memsys.request_network,
                                            memory->request_class, config->packet_vcs, true);
}

// Returns true if another scheme moves accesses of a program. Its accesses are not among those by
// which the age of L1 lines is judged.
static bool has_another(const struct machine_config *config)
{
    bool has = false;
    for (uint32_t i = 0; i < machine_scheme_count(config); i++)
        has |= config->schemes[i] != &llc_omni && config->schemes[i]->configuration.read_plan &&
               machine_enables(config, i);
    return has;
}

// Checks the requirements of offloading on the request network.
static const char *llc_omni_check(struct arena *arena, const void *own,
                                  const struct machine_config *config)
{
    const struct offload_config *offload = own;
    const struct noc_config *network = &config->memsys.request_network;
    uint32_t class = config->memsys.memory.packet_class;
    uint32_t nodes = noc_node_count(network);
    if (config->memsys.memory.node_cores > 1)
        return "offload.policy needs memory.node_cores: 1, since each core that computes must be a "
               "node";
    if (offload->operands_in_l1 && has_another(config))
        return "offload.operands_in_l1 needs a machine without another scheme for parts of "
               "programs, "
               "whose accesses do not count for the age of lines in the L1";
    if (nodes > PACKET_NODES)
        return arena_printf(arena,
                            "request_network has %u nodes, but a ComputePacket can name "
                            "only %u",
                            nodes, (unsigned)PACKET_NODES);
    if (class < network->classes)
        return class != config->memsys.memory.request_class
                   ? NULL
                   : "memory.packet_class equals the class of requests, but ComputePackets need "
                     "their own";
    if (network->classes > 1)
        return arena_printf(arena, "memory.packet_class is %u, but request_network.classes is %u",
                            class, network->classes);
    if (offload->packet_vcs >= network->vcs)
        return arena_printf(arena,
                            "offload.packet_vcs is %u and leaves no other virtual channels of "
                            "request_network.vcs: %u",
                            offload->packet_vcs, network->vcs);
    struct machine_config with = *config;
    llc_omni_require(arena, own, config, &with);
    const char *wrong = noc_check(arena, &with.memsys.request_network);
    return wrong ? arena_printf(arena, "request_network, with ComputePackets: %s", wrong) : NULL;
}

bool offload_at_cores(const struct machine_config *config, const struct offload_config *offload)
{
    const struct noc_config *network = &config->memsys.request_network;
    return network->topology == NOC_MESH && !network->node_routers.n &&
           offload->emn_at_llc != EMN_LLC_OPERAND;
}

// Returns the number of routers of a butterfly in stages that compute.
static uint32_t computing_routers(const struct offload_config *offload,
                                  const struct machine_config *config)
{
    uint32_t stages = config->memsys.request_network.stages, from = offload->router_stage;
    uint32_t routers = memsys_config_routers(&config->memsys);
    return from < stages ? routers / stages * (stages - from) : 0;
}

struct offload_storage llc_omni_storage(const struct offload_config *offload,
                                        const struct machine_config *config)
{
    uint32_t llcs = config->memsys.memory.partition_nodes.n;
    struct offload_sizes sizes = {
        .warps = config->core.warps,
        .queue = offload->queue,
        .service_queue = offload->service_queue,
        .buffer = offload->buffer,
        .nodes = config->memsys.memory.cores + llcs,
        .llcs = llcs,
        .cores = config->memsys.memory.cores,
        .cores_compute = offload_at_cores(config, offload),
        .in_turn = offload->emn_at_llc == EMN_LLC_OPERAND,
        .times = offload->merge_operands || offload->operands_in_l1,
        .l1_lines = offload->operands_in_l1 ? config->l1.sets * config->l1.ways : 0,
        .routers = computing_routers(offload, config)};
    return offload_storage_bits(&sizes);
}

static void print_storage(const void *own, const struct machine_config *config, FILE *to)
{
    struct offload_storage storage = llc_omni_storage(own, config);
    offload_storage_print(&storage, to);
}

// Plans

static bool is_on(const void *own)
{
    return ((const struct offload_config *)own)->policy != OFFLOAD_BASELINE;
}

static void read_plan(struct scheme_plan *plan, struct arena *arena, const struct tables *tables,
                      const struct program *program, const void *own, struct diags *diags)
{
    struct offload_table *table = ARENA_NEW(arena, struct offload_table);
    if (tables && !offload_table_build(table, arena, tables, program, own, diags))
        return;
    uint32_t count = table->chains.n;
    plan->table = count ? table : NULL;
    if (tables)
        plan->summary = arena_printf(arena, "%u chain%s", count, count == 1 ? "" : "s");
    if (!count)
        plan->lacks = "chains";
}

// Statistics

// Names the statistics without a program: those of chain 0 stand for all chains.
static void name_stats(struct stats *stats)
{
    static const struct offload_stats no_chains;
    static const struct chain_stats no_chain;
    stats_add(stats, "offload", offload_stat_keys, offload_stat_key_count, &no_chains);
    stats_add(stats, "chain0", chain_stat_keys, chain_stat_key_count, &no_chain);
}

static void add_stats(const void *state, struct stats *stats)
{
    const struct machine_offload *o = state;
    if (!o) {
        name_stats(stats);
        return;
    }
    stats_add(stats, "offload", offload_stat_keys, offload_stat_key_count, &o->stats);
    for (uint32_t i = 0; i < o->shared.table->chains.n; i++)
        stats_add(stats, arena_printf(stats->arena, "chain%u", i), chain_stat_keys,
                  chain_stat_key_count, &o->shared.chains[i].stats);
}

static void add_items(const struct machine *machine, const void *state, struct arena *arena,
                      struct scheme_items *to)
{
    const struct offload_table *table = ((const struct machine_offload *)state)->shared.table;
    (void)machine;
    for (uint32_t i = 0; i < table->chains.n; i++) {
        const struct offload_chain *chain = &table->chains.v[i];
        struct scheme_item item = {.kind = "chain",
                                   .group = arena_printf(arena, "chain%u", i),
                                   .function = chain->function,
                                   .id = chain->id,
                                   .first = chain->inst[0],
                                   .last = chain->inst[chain->count - 1],
                                   .text = chain_patterns[chain->pattern].form,
                                   .expected = chain->expected_saving,
                                   .expected_in = "flits per hop"};
        vec_push(arena, &to->list, item);
    }
}

static void add_resources(const struct machine *machine, const void *state, struct arena *arena,
                          struct scheme_resources *to)
{
    const struct machine_offload *o = state;
    double cores = machine_port(machine).ordinary, partitions = o->shared.llcs;
    const struct scheme_resource rows[] = {
        {"offload queues", "entries", "offload.queue_cycles", "entries in use",
         cores * (double)o->shared.config->queue},
        {"service queues", "entries", "offload.service_cycles", "entries in use",
         o->ends * (double)o->shared.config->service_queue},
        {"ALUs of partitions", "cycles", "offload.alu_busy", "busy with chains", partitions}};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        vec_push(arena, &to->list, rows[i]);
}

static uint32_t counters(const struct machine *machine, const void *state, const char **names,
                         double *values)
{
    const struct machine_offload *o = state;
    uint32_t queued = 0, served = 0;
    for (uint32_t i = 0; i < machine_port(machine).ordinary; i++)
        queued += o->shared.queues[i]->count - o->shared.queues[i]->free_count;
    for (uint32_t i = 0; i < o->ends; i++)
        served += o->shared.config->service_queue - o->services[i].free_count;
    names[0] = "entries of offload queues";
    names[1] = "entries of service queues";
    values[0] = queued;
    values[1] = served;
    return 2;
}

// Registration

static const struct scheme_stall stalls[] = {
    [OQ_STALL_FORMING] = {"forming", "waited for another warp to form its chain"},
    [OQ_STALL_CHAIN] = {"chain", "waited for an offloaded chain"},
};

// The latencies of the service queues' requests are already part of their packets' latencies.
static const struct memsys_requester requesters[] = {{"offload", false, "ComputePacket"},
                                                     {"service", true, NULL}};

static const struct scheme_item_row item_rows[] = {
    {"executed", "", "tagged", ""},
    {"offloaded", "", "offloaded", ""},
    {"bounced packets", "", "bounced", ""},
    {"in L1 already", "", "discarded_hit", ""},
    {"no room in the offload queue", "", "discarded_full discarded_credit", ""},
    {"no node can compute", "", "discarded_emn", ""},
    {"cheaper at the core", "", "discarded_price", ""},
    {"timed at the core", "", "discarded_sample", ""},
    {"discarded for other reasons", "",
     "discarded_conflict discarded_unit discarded_lanes discarded_broken", ""},
    {"turned off", "", "discarded_off", ""},
    {"latency", "cycles", "latency_sum", "offloaded"},
    {"saved", "flit hops", "saved -lost", "weighed"},
    {0},
};

static const struct scheme_result results[] = {
    {"chains_tagged", "offload.chains_tagged"},
    {"chains_offloaded", "offload.chains_offloaded"},
    {0},
};

const struct scheme_ops llc_omni = {
    .name = "llc_omni",
    .configuration = {.section = "offload",
                      .keys = offload_keys,
                      .key_count = OFFLOAD_KEYS,
                      .config_bytes = sizeof(struct offload_config),
                      .policy_help = "offloaded chains: none, those whose loads go to one LLC\n"
                                     "partition, or also those whose loads meet on the way;\n"
                                     "adaptive: the latter, while it saves traffic",
                      .is_on = is_on,
                      .check = llc_omni_check,
                      .require = llc_omni_require,
                      .read_plan = read_plan},
    .issue = &oq_issue_hooks,
    .memory = {.requesters = requesters,
               .requester_count = ARRAY_LENGTH(requesters),
               .create = machine_offload_create,
               .extend = machine_offload_extend,
               .connect = machine_offload_connect,
               .launch = machine_offload_launch,
               .tick = machine_offload_tick,
               .next = machine_offload_next,
               .serve = machine_offload_serve,
               .lsu = &oq_lsu,
               .send = oq_send,
               .accept_reply = oq_accept_reply},
    .report = {.print_storage = print_storage,
               .energy = llc_omni_energy,
               .stalls = stalls,
               .stall_count = ARRAY_LENGTH(stalls),
               .results = results,
               .shortfall = machine_offload_shortfall,
               .settle = machine_offload_settle,
               .item_rows = item_rows,
               .add_items = add_items,
               .add_resources = add_resources,
               .add_stats = add_stats,
               .counters = counters,
               .begin_trace = offload_begin_trace,
               .end_trace = offload_end_trace},
};
