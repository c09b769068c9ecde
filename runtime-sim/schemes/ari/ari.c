#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/noc/topology.h"
#include "runtime-sim/schemes/ari/ari.h"

static const struct config_key keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/ari/ari.def"
#define CONFIG_OF struct ari_config
#include "runtime-sim/base/config_keys.inc"
};

static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/ari/ari_stats.def"
#define STATS_OF struct ari_stats
#include "runtime-sim/base/stats_keys.inc"
};

enum { STAT_KEYS = ARRAY_LENGTH(stat_keys) };

// Crossbar inputs of an injection port

uint32_t ari_speedup(double rate, double packet_flits, uint32_t bound)
{
    double flits = rate * packet_flits;
    if (flits > bound)
        return bound;
    uint32_t speed = (uint32_t)flits;
    speed += speed < flits;
    return speed ? speed : 1;
}

uint32_t ari_bound(const struct noc_config *network, uint32_t node)
{
    uint32_t outputs = network->radix;
    if (network->topology == NOC_CROSSBAR) {
        outputs = network->nodes;
        if (network->packet_wide) // without virtual channels
            return outputs;
    } else if (network->topology == NOC_MESH) {
        uint32_t at = network->node_routers.n ? network->node_routers.v[node] : node;
        uint32_t x = at % network->width, y = at / network->width;
        outputs = (x > 0) + (x + 1 < network->width) + (y > 0) + (y + 1 < network->height);
    }
    outputs = outputs ? outputs : 1;
    return outputs < network->vcs ? outputs : network->vcs;
}

// Configuration

bool ari_supplies(const struct ari_config *config)
{
    return config->injection == ARI_SUPPLY || config->injection == ARI_BOTH ||
           config->injection == ARI_PRIORITY;
}

bool ari_consumes(const struct ari_config *config)
{
    return config->injection == ARI_CONSUME || config->injection == ARI_BOTH ||
           config->injection == ARI_PRIORITY;
}

// Returns the number of virtual channels of the class that has the fewest.
static uint32_t min_vcs(const struct noc_config *network)
{
    uint32_t min = network->vcs / network->classes;
    for (uint32_t i = 0; i < network->class_vcs.n; i++)
        min = !i || network->class_vcs.v[i] < min ? network->class_vcs.v[i] : min;
    return min;
}

uint32_t ari_links(const struct ari_config *config, const struct noc_config *network)
{
    return config->links ? config->links : min_vcs(network);
}

static bool is_on(const void *own)
{
    const struct ari_config *config = own;
    return config->injection != ARI_BASELINE || config->monitor;
}

// Returns the crossbar inputs of each controller's port: the bound if they are chosen at run time.
static struct config_list speedups(struct arena *arena, const struct ari_config *config,
                                   const struct noc_config *network,
                                   const struct config_list *nodes)
{
    struct config_list list = {.v = ARENA_ARRAY(arena, uint32_t, nodes->n), .n = nodes->n};
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t bound = ari_bound(network, nodes->v[i]);
        struct ari_controller controller;
        ari_controller_init(&controller, config, nodes->v[i], bound);
        list.v[i] = config->speedup_by == ARI_INTERVAL ? bound : controller.speed;
    }
    return list;
}

static void require(struct arena *arena, const void *own, const struct machine_config *given,
                    struct machine_config *machine)
{
    const struct ari_config *config = own;
    const struct config_list *nodes = &machine->memsys.memory.partition_nodes;
    struct noc_config *network = &machine->memsys.reply_network;
    (void)given;
    if (config->injection != ARI_BASELINE)
        network->injection_nodes = *nodes;
    if (ari_supplies(config) && network->packet_wide) {
        network->packet_voqs = true; // a queue for each output, instead of each virtual channel
    } else if (ari_supplies(config)) {
        network->injection_links = ari_links(config, network);
        network->injection_vc = NOC_VC_OWN;
    }
    if (ari_consumes(config))
        network->injection_speedups = speedups(arena, config, network, nodes);
    if (config->injection == ARI_PRIORITY) {
        network->priority_decay = true;
        network->priority_wait = config->starvation;
        network->priority_lift = NOC_LIFT_INJECTION;
    }
    if (config->injection == ARI_MULTIPORT) {
        network->injection_ports = config->ports;
        network->injection_shared = true;
    }
}

static const char *check(struct arena *arena, const void *own, const struct machine_config *machine)
{
    const struct ari_config *config = own;
    struct machine_config with = *machine;
    if (config->injection == ARI_BASELINE)
        return NULL;
    require(arena, own, machine, &with);
    const char *wrong = noc_check(arena, &with.memsys.reply_network);
    return wrong ? arena_printf(arena, "reply_network, with ari.injection: %s", wrong) : NULL;
}

static void print_storage(const void *own, const struct machine_config *machine, FILE *to)
{
    if (((const struct ari_config *)own)->injection == ARI_BASELINE)
        return;
    struct ari_storage storage = ari_storage_of(own, machine);
    ari_storage_print(&storage, to);
}

// The machine

struct ari_machine {
    const struct ari_config *config;
    struct memsys *memsys;
    struct noc *network;
    struct ari_controller *controllers;
    uint32_t count;
    uint32_t *of_node; // index of the controller at each node, plus 1; 0: no controller
    uint32_t nodes;
    struct ari_stats total;
};

static struct ari_controller *controller_at(const struct ari_machine *a, uint32_t node)
{
    uint32_t number = node < a->nodes ? a->of_node[node] : 0;
    return number ? &a->controllers[number - 1] : NULL;
}

static uint8_t rank_reply(void *context, uint32_t node, const struct memsys_request *reply)
{
    struct ari_controller *controller = controller_at(context, node);
    return controller ? ari_controller_priority(controller, reply) : 0;
}

static void accept_offer(void *context, const struct memsys_offer *offer)
{
    const struct ari_machine *a = context;
    struct ari_controller *controller = controller_at(a, offer->node);
    if (controller)
        ari_controller_offer(controller, offer, memsys_request_flits(a->memsys, offer->reply));
}

static void *create(struct machine *machine, const void *own, const void *plan)
{
    const struct memsys_config *config = &machine_port(machine).config->memsys;
    const struct config_list *at = &config->memory.partition_nodes;
    struct ari_machine *a = ARENA_NEW(machine_port(machine).arena, struct ari_machine);
    (void)plan;
    *a = (struct ari_machine){
        .config = own,
        .controllers = ARENA_ARRAY(machine_port(machine).arena, struct ari_controller, at->n),
        .count = at->n,
        .nodes = noc_node_count(&config->reply_network)};
    a->of_node = ARENA_ARRAY(machine_port(machine).arena, uint32_t, a->nodes);
    for (uint32_t i = 0; i < at->n; i++) {
        uint32_t node = at->v[i];
        a->of_node[node] = i + 1;
        ari_controller_init(&a->controllers[i], own, node, ari_bound(&config->reply_network, node));
    }
    return a;
}

static void extend(struct machine *machine, void *state, struct memsys_tables *tables)
{
    (void)machine;
    tables->replies =
        (struct memsys_replies){.context = state, .priority = rank_reply, .offered = accept_offer};
}

static void connect(struct machine *machine, void *state)
{
    struct ari_machine *a = state;
    a->memsys = machine_port(machine).memsys;
    a->network = memsys_network(a->memsys, MEMSYS_REPLIES);
}

// Statistics

static void settle(struct machine *machine, void *state)
{
    struct ari_machine *a = state;
    (void)machine;
    a->total = (struct ari_stats){0};
    for (uint32_t i = 0; i < a->count; i++) {
        ari_controller_settle(&a->controllers[i], a->network);
        stats_accumulate(&a->total, &a->controllers[i].stats, stat_keys, STAT_KEYS);
    }
}

static void add_stats(const void *state, struct stats *stats)
{
    const struct ari_machine *a = state;
    stats_add(stats, "ari", stat_keys, STAT_KEYS, &a->total);
    for (uint32_t i = 0; i < a->count; i++)
        stats_add_member(stats, "ari*", arena_printf(stats->arena, "ari%u", i), stat_keys,
                         STAT_KEYS, &a->controllers[i].stats);
}

const struct scheme_ops ari = {
    .name = "ari",
    .configuration = {.section = "ari",
                      .keys = keys,
                      .key_count = ARRAY_LENGTH(keys),
                      .config_bytes = sizeof(struct ari_config),
                      .is_on = is_on,
                      .check = check,
                      .require = require},
    .memory = {.create = create, .extend = extend, .connect = connect},
    .report = {.print_storage = print_storage, .settle = settle, .add_stats = add_stats},
};
