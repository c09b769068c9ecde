// The models of memories and networks, without the rest of a machine.
#include "api/api.h"
#include "runtime-sim/base/config.h"
#include "tools/dram/dram_memory.h"
#include "tools/noc/noc_port.h"
#include "tools/noc/traffic.h"
#include <string.h>

enum { PATIENCE = 10000 }; // cycles without movement after which a network makes no progress

struct ptxoffload_dram {
    struct api_object object;
    struct config resolved;
    struct dram_config config;
    struct dram_memory memory;
    struct stats stats;
    struct dram_stats all; // of all channels
};

struct ptxoffload_noc {
    struct api_object object;
    struct config resolved;
    struct noc_config config;
    struct noc_port port;
    struct stats stats;
};

// Reads the configuration of a model, which has one section. Returns false after errors.
static bool read_config(struct api_object *object, struct config *config,
                        const struct config_section *section, const char *name,
                        const char *const *settings)
{
    struct config_section *own = ARENA_NEW(&object->arena, struct config_section);
    *own = *section;
    config_init(config, &object->arena, own, 1);
    config->folder = section->name;
    bool good = !name || config_load(config, name);
    for (uint32_t i = 0; settings && settings[i]; i++) {
        const char *text = settings[i];
        if (!memchr(text, '.', strcspn(text, "=")))
            text = arena_printf(&object->arena, "%s.%s", section->name, text);
        good &= config_set(config, text);
    }
    for (uint32_t i = 0; i < config->texts.n; i++) {
        struct config_text *text = config->texts.v[i];
        good &= api_report(object->context, &text->diags, &text->source);
    }
    return good;
}

// Reports a fault of a combination of keys. Returns the status.
static enum ptxoffload_status check(const struct api_object *object, const char *name,
                                    const char *fault)
{
    if (fault)
        api_fault(object->context, "config", name, fault);
    return fault ? PTXOFFLOAD_BAD_INPUT : PTXOFFLOAD_OK;
}

static void give(struct ptxoffload_completion_info *to, uint64_t number, uint64_t arrival,
                 uint64_t end)
{
    struct ptxoffload_completion_info info = {.number = number, .arrival = arrival, .end = end};
    api_give(to, &info, sizeof info);
}

// Returns true if a model whose present cycle is `now` may advance to `cycle`; UINT64_MAX: to the
// end of the last request.
static bool is_later(uint64_t cycle, uint64_t now)
{
    return cycle == UINT64_MAX || (now <= cycle && cycle < PTXOFFLOAD_CYCLES);
}

// Memories

static enum ptxoffload_status begin_dram(struct ptxoffload_dram *dram, const char *config,
                                         const char *const *settings)
{
    API_ENTER(&dram->object);
    struct config_section section = {"dram", dram_keys, dram_key_count, &dram->config};
    if (!read_config(&dram->object, &dram->resolved, &section, config, settings))
        return PTXOFFLOAD_BAD_INPUT;
    enum ptxoffload_status status =
        check(&dram->object, config, dram_config_fault(&dram->config, &dram->object.arena));
    if (status)
        return status;
    dram_memory_init(&dram->memory, &dram->object.arena, &dram->config);
    stats_init(&dram->stats, &dram->object.arena);
    stats_add(&dram->stats, "dram", dram_stat_keys, dram_stat_key_count, &dram->all);
    for (uint32_t i = 0; i < dram->config.channels; i++)
        stats_add(&dram->stats, arena_printf(&dram->object.arena, "dram.channel%u", i),
                  dram_stat_keys, dram_stat_key_count, &dram->memory.channels[i].stats);
    return PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_dram_new(struct ptxoffload_context *context, const char *config,
                                           const char *const *settings,
                                           struct ptxoffload_dram **dram)
{
    if (dram)
        *dram = NULL;
    if (!context || !dram)
        return PTXOFFLOAD_BAD_ARGUMENT;
    struct ptxoffload_dram *made = api_new(context, sizeof *made);
    enum ptxoffload_status status =
        made ? begin_dram(made, config, settings) : PTXOFFLOAD_NO_MEMORY;
    if (status)
        api_free(made);
    else
        *dram = made;
    return status;
}

void ptxoffload_dram_free(struct ptxoffload_dram *dram)
{
    api_free(dram);
}

uint32_t ptxoffload_dram_transfer(const struct ptxoffload_dram *dram)
{
    return dram && !dram->object.lost ? (uint32_t)dram->config.request_bytes : 0;
}

enum ptxoffload_status ptxoffload_dram_advance(struct ptxoffload_dram *dram, uint64_t clock)
{
    if (!dram || (!dram->object.lost && !is_later(clock, dram->memory.now)))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&dram->object);
    if (clock == UINT64_MAX)
        dram_memory_drain(&dram->memory);
    else
        dram_memory_advance(&dram->memory, clock);
    return PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_dram_offer(struct ptxoffload_dram *dram, uint64_t arrival,
                                             uint64_t address, int write, uint64_t number,
                                             int *accepted)
{
    if (!dram || !accepted || arrival >= PTXOFFLOAD_CYCLES)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&dram->object);
    if (arrival > dram->memory.now)
        dram_memory_advance(&dram->memory, arrival);
    *accepted = dram_memory_offer(&dram->memory, arrival, address, write, number);
    return PTXOFFLOAD_OK;
}

uint64_t ptxoffload_dram_next(const struct ptxoffload_dram *dram)
{
    return dram && !dram->object.lost ? dram_memory_next(&dram->memory) : UINT64_MAX;
}

uint64_t ptxoffload_dram_pending(const struct ptxoffload_dram *dram)
{
    return dram && !dram->object.lost ? dram_memory_pending(&dram->memory) : 0;
}

int ptxoffload_dram_completed(struct ptxoffload_dram *dram, struct ptxoffload_completion_info *to)
{
    if (!dram || dram->object.lost || !api_sized(to, sizeof *to))
        return 0;
    const struct dram_done *done = dram_memory_done(&dram->memory);
    if (done)
        give(to, done->number, done->arrived, done->replied);
    return done != NULL;
}

enum ptxoffload_status ptxoffload_dram_statistic(struct ptxoffload_dram *dram, const char *name,
                                                 double *value)
{
    if (!dram || !name || !value)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&dram->object);
    dram->all = (struct dram_stats){0};
    for (uint32_t i = 0; i < dram->config.channels; i++)
        stats_accumulate(&dram->all, &dram->memory.channels[i].stats, dram_stat_keys,
                         dram_stat_key_count);
    return stats_find(&dram->stats, NULL, name, value) ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_ARGUMENT;
}

// Networks

static enum ptxoffload_status begin_noc(struct ptxoffload_noc *noc, const char *config,
                                        const char *const *settings)
{
    API_ENTER(&noc->object);
    struct config_section section = {"noc", noc_keys, noc_key_count, &noc->config};
    if (!read_config(&noc->object, &noc->resolved, &section, config, settings))
        return PTXOFFLOAD_BAD_INPUT;
    enum ptxoffload_status status =
        check(&noc->object, config, noc_check(&noc->object.arena, &noc->config));
    if (status)
        return status;
    noc_port_init(&noc->port, &noc->object.arena, &noc->config);
    stats_init(&noc->stats, &noc->object.arena);
    noc_stats_add(noc->port.noc, &noc->stats, "noc", NULL);
    return PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_noc_new(struct ptxoffload_context *context, const char *config,
                                          const char *const *settings, struct ptxoffload_noc **noc)
{
    if (noc)
        *noc = NULL;
    if (!context || !noc)
        return PTXOFFLOAD_BAD_ARGUMENT;
    struct ptxoffload_noc *made = api_new(context, sizeof *made);
    enum ptxoffload_status status = made ? begin_noc(made, config, settings) : PTXOFFLOAD_NO_MEMORY;
    if (status)
        api_free(made);
    else
        *noc = made;
    return status;
}

void ptxoffload_noc_free(struct ptxoffload_noc *noc)
{
    api_free(noc);
}

uint32_t ptxoffload_noc_nodes(const struct ptxoffload_noc *noc)
{
    return noc && !noc->object.lost ? noc_nodes(noc->port.noc) : 0;
}

enum ptxoffload_status ptxoffload_noc_advance(struct ptxoffload_noc *noc, uint64_t cycle)
{
    if (!noc || (!noc->object.lost && !is_later(cycle, noc_cycle(noc->port.noc))))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&noc->object);
    bool moves = cycle == UINT64_MAX ? noc_port_drain(&noc->port, PATIENCE)
                                     : noc_port_advance(&noc->port, cycle, PATIENCE);
    return moves ? PTXOFFLOAD_OK : PTXOFFLOAD_NO_PROGRESS;
}

// Returns true for a packet that the network can carry.
static bool is_packet(const struct ptxoffload_noc *noc, const struct ptxoffload_packet *packet)
{
    uint32_t nodes = noc_nodes(noc->port.noc);
    return packet->arrival < PTXOFFLOAD_CYCLES && packet->source < nodes &&
           packet->target < nodes && packet->flits && packet->flits <= TRAFFIC_MAX_FLITS &&
           packet->class_ < noc->config.classes &&
           noc_reaches(&noc->config, packet->source, packet->target);
}

enum ptxoffload_status ptxoffload_noc_offer(struct ptxoffload_noc *noc,
                                            const struct ptxoffload_packet *packet, int *accepted)
{
    struct ptxoffload_packet of = {0};
    if (!noc || !packet || !accepted || !api_copy_in(&of, packet, sizeof of))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&noc->object);
    packet = &of;
    if (!is_packet(noc, packet))
        return PTXOFFLOAD_BAD_ARGUMENT;
    if (packet->arrival > noc_cycle(noc->port.noc) &&
        !noc_port_advance(&noc->port, packet->arrival, PATIENCE))
        return PTXOFFLOAD_NO_PROGRESS;
    *accepted = noc_can_send(noc->port.noc, packet->source, packet->class_, packet->flits);
    struct noc_packet sent = {.payload = packet->number,
                              .created = packet->arrival,
                              .source = packet->source,
                              .target = packet->target,
                              .flits = (uint16_t)packet->flits,
                              .class = (uint8_t)packet->class_};
    if (*accepted)
        noc_send(noc->port.noc, &sent);
    return PTXOFFLOAD_OK;
}

uint64_t ptxoffload_noc_next(const struct ptxoffload_noc *noc)
{
    if (!noc || noc->object.lost)
        return UINT64_MAX;
    uint64_t next = noc_next(noc->port.noc);
    // A cycle that is due is evaluated when the network advances beyond it.
    return next == UINT64_MAX ? next : next + 1;
}

uint64_t ptxoffload_noc_pending(const struct ptxoffload_noc *noc)
{
    return noc && !noc->object.lost ? noc_port_pending(&noc->port) : 0;
}

int ptxoffload_noc_completed(struct ptxoffload_noc *noc, struct ptxoffload_completion_info *to)
{
    if (!noc || noc->object.lost || !api_sized(to, sizeof *to))
        return 0;
    const struct noc_done *done = noc_port_done(&noc->port);
    if (done)
        give(to, done->number, done->created, done->arrived);
    return done != NULL;
}

enum ptxoffload_status ptxoffload_noc_statistic(struct ptxoffload_noc *noc, const char *name,
                                                double *value)
{
    if (!noc || !name || !value)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&noc->object);
    return stats_find(&noc->stats, NULL, name, value) ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_ARGUMENT;
}
