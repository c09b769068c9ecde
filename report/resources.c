#include "report/resources.h"
#include "runtime-sim/gpu/scheme/scheme.h"

enum clock { CORE, REQUEST, REPLY, LLC, DRAM, CLOCKS };

static uint32_t count_links(const struct timed *timed, enum memsys_network network)
{
    const struct noc *noc = machine_network(timed->machine, network);
    uint32_t count = 0;
    for (uint32_t i = 0; i < noc_channels(noc); i++)
        count += noc_channel(noc, i).kind == NOC_CHANNEL_ROUTERS;
    return count;
}

static void add_of_machine(sim_resource_rows *rows, struct arena *arena, const struct timed *timed)
{
    const struct machine_config *config = &timed->config;
    const struct memsys_keys *keys = &config->memsys.memory;
    double cores = (double)keys->cores, schedulers = (double)config->core.schedulers,
           warps = (double)config->core.warps, l1_banks = (double)config->l1.banks,
           partitions = keys->partition_nodes.n, llc_banks = (double)config->memsys.llc.banks,
           channels = partitions * (double)config->memsys.dram.channels,
           request_links = count_links(timed, MEMSYS_REQUESTS),
           reply_links = count_links(timed, MEMSYS_REPLIES), core_clock = (double)keys->core_clock;
    const struct {
        const char *cycles;
        double ratio;
    } clocks[CLOCKS] = {
        [CORE] = {"machine.cycles", 1},
        [REQUEST] = {"request.cycles", 1},
        [REPLY] = {"reply.cycles", 1},
        [LLC] = {"machine.cycles", (double)keys->llc_clock / core_clock},
        [DRAM] = {"machine.cycles", (double)config->memsys.dram.clock / core_clock},
    };
    const struct sim_resource_row all[] = {
#define RESOURCE(name, unit, names, clock, count, collection, key, each, text)                     \
    {name,  unit,       text, names, clocks[clock].cycles, clocks[clock].ratio,                    \
     count, collection, key,  each},
#include "report/resources.def"
#undef RESOURCE
    };
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        if (all[i].count > 0)
            vec_push(arena, rows, all[i]);
}

void sim_resource_rows_add(sim_resource_rows *rows, struct arena *arena, const struct timed *timed)
{
    struct scheme_resources resources = {0};
    add_of_machine(rows, arena, timed);
    machine_add_resources(timed->machine, arena, &resources);
    for (uint32_t i = 0; i < resources.list.n; i++) {
        const struct scheme_resource *from = &resources.list.v[i];
        struct sim_resource_row row = {
            from->name, from->unit, from->text, from->statistic, "machine.cycles", 1, from->peak,
            "",         "",         1};
        vec_push(arena, rows, row);
    }
}
