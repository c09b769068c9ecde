#include "runtime-sim/gpu/machine.h"
#include "runtime-sim/schemes/llc_omni/packet.h"
#include "runtime-sim/noc/topology.h"
#include "runtime-sim/gpu/machine_state.h"

static const struct config_key machine_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/machine.def"
#define CONFIG_OF struct machine_keys
#include "runtime-sim/base/config_keys.inc"
};

void machine_sections(struct config_section sections[MACHINE_SECTIONS],
                      struct machine_config *config)
{
    const struct config_section own[MACHINE_SECTIONS - MEMSYS_SECTIONS] = {
        {"machine", machine_keys, sizeof machine_keys / sizeof *machine_keys, &config->machine},
        {"core", core_keys, core_key_count, &config->core},
        {"l1", cache_keys, cache_key_count, &config->l1},
        {"code_cache", tags_keys, tags_key_count, &config->code},
        {"constant_cache", tags_keys, tags_key_count, &config->constant},
        {"texture_cache", tags_keys, tags_key_count, &config->texture},
        {"offload", offload_keys, offload_key_count, &config->offload},
    };
    memsys_sections(sections, &config->memsys);
    for (uint32_t i = 0; i < MACHINE_SECTIONS - MEMSYS_SECTIONS; i++)
        sections[MEMSYS_SECTIONS + i] = own[i];
}

// A machine is memory of the host, too: some 50 bytes for each line that its caches have room for.
static const char *check_lines(struct arena *arena, const struct machine_config *config)
{
    enum { MOST = 1 << 24 };
    const struct tags_config *tags[] = {&config->code, &config->constant, &config->texture};
    uint64_t each = config->l1.sets * config->l1.ways, cores = config->memsys.memory.cores;
    for (uint32_t i = 0; i < sizeof tags / sizeof *tags; i++)
        each += tags[i]->sets * tags[i]->ways;
    uint64_t slice = config->memsys.llc.sets * config->memsys.llc.ways;
    uint32_t slices = config->memsys.memory.partition_nodes.n;
    if (cores * each + slices * slice <= MOST)
        return NULL;
    return arena_printf(arena,
                        "the caches of %llu cores have %llu lines each, the slices %llu, "
                        "together more than %u",
                        (unsigned long long)cores, (unsigned long long)each,
                        (unsigned long long)slice, (unsigned)MOST);
}

// ComputePackets have virtual channels of their own, taken from those of requests.
const struct machine_config *machine_with_packets(struct arena *arena,
                                                  const struct machine_config *config)
{
    struct machine_config *own = ARENA_NEW(arena, struct machine_config);
    *own = *config;
    struct noc_config *network = &own->memsys.request_network;
    if (own->memsys.memory.packet_class < network->classes)
        return own; // as the configuration has it
    uint64_t *vcs = ARENA_ARRAY(arena, uint64_t, 2);
    own->memsys.memory.request_class = 0;
    own->memsys.memory.packet_class = 1;
    network->classes = 2;
    vcs[0] = network->vcs - config->offload.packet_vcs;
    vcs[1] = config->offload.packet_vcs;
    network->class_vcs = (struct config_list){.v = vcs, .n = 2};
    return own;
}

// What offloading asks of the network of requests.
static const char *check_packets(struct arena *arena, const struct machine_config *config)
{
    const struct noc_config *network = &config->memsys.request_network;
    uint64_t class = config->memsys.memory.packet_class;
    if (config->offload.policy == OFFLOAD_BASELINE)
        return NULL;
    uint32_t nodes = noc_node_count(network);
    if (nodes > PACKET_NODES)
        return arena_printf(arena, "request_network has %u nodes, and a ComputePacket can name %u",
                            nodes, (unsigned)PACKET_NODES);
    if (class < network->classes)
        return class != config->memsys.memory.request_class
                   ? NULL
                   : "memory.packet_class is that of requests: ComputePackets need one of their "
                     "own";
    if (network->classes > 1)
        return arena_printf(arena,
                            "memory.packet_class is %llu, but request_network.classes is %llu",
                            (unsigned long long)class, (unsigned long long)network->classes);
    if (config->offload.packet_vcs >= network->vcs)
        return arena_printf(
            arena, "offload.packet_vcs is %llu and leaves none of request_network.vcs: %llu",
            (unsigned long long)config->offload.packet_vcs, (unsigned long long)network->vcs);
    const char *wrong =
        noc_check(arena, &machine_with_packets(arena, config)->memsys.request_network);
    return wrong ? arena_printf(arena, "request_network, with ComputePackets: %s", wrong) : NULL;
}

const char *machine_check(struct arena *arena, const struct machine_config *config)
{
    const char *wrong = cache_config_fault(&config->l1, "l1", arena);
    if (wrong)
        return wrong;
    if (config->l1.line_bytes != 128 || config->memsys.llc.line_bytes != 128)
        return "l1.line_bytes and llc.line_bytes must be 128: addresses of a warp are joined to "
               "lines of 128 bytes";
    if (!config->l1.write || config->l1.allocate_writes)
        return "the first level must have write: through and allocate_writes: false";
    if (config->core.threads > config->core.warps * LANES)
        return arena_printf(arena, "core.threads is more than the %u threads of core.warps",
                            (unsigned)(config->core.warps * LANES));
    wrong = memsys_check(arena, &config->memsys);
    if (!wrong)
        wrong = check_packets(arena, config);
    return wrong ? wrong : check_lines(arena, config);
}

bool machine_offload_at_cores(const struct machine_config *config)
{
    const struct noc_config *network = &config->memsys.request_network;
    return network->topology == NOC_MESH && !network->node_routers.n;
}

// Of a butterfly, those in stages that compute.
static uint32_t computing_routers(const struct machine_config *config)
{
    uint64_t stages = config->memsys.request_network.stages, from = config->offload.router_stage;
    uint32_t routers = memsys_config_routers(&config->memsys);
    return from < stages ? routers / (uint32_t)stages * (uint32_t)(stages - from) : 0;
}

struct offload_storage machine_offload_storage(const struct machine_config *config)
{
    const struct offload_config *offload = &config->offload;
    uint32_t llcs = config->memsys.memory.partition_nodes.n;
    struct offload_sizes sizes = {.warps = (uint32_t)config->core.warps,
                                  .queue = (uint32_t)offload->queue,
                                  .service_queue = (uint32_t)offload->service_queue,
                                  .buffer = (uint32_t)offload->buffer,
                                  .nodes = (uint32_t)config->memsys.memory.cores + llcs,
                                  .llcs = llcs,
                                  .cores = (uint32_t)config->memsys.memory.cores,
                                  .cores_compute = machine_offload_at_cores(config),
                                  .routers = computing_routers(config)};
    return offload_storage_bits(&sizes);
}
