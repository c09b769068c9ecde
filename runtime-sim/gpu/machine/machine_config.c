#include "runtime-sim/gpu/core/units.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "support/gpu.h"

static const struct config_key machine_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/machine/machine.def"
#define CONFIG_OF struct machine_keys
#include "runtime-sim/base/config_keys.inc"
};

struct config_section *machine_sections(struct machine_config *config, struct arena *arena,
                                        const struct scheme_ops *const *schemes, uint32_t *total)
{
    const struct config_section own[] = {
        {"machine", machine_keys, ARRAY_LENGTH(machine_keys), &config->machine},
        {"core", core_keys, core_key_count, &config->core},
        {"l1", cache_keys, cache_key_count, &config->l1},
        {"code_cache", tags_keys, tags_key_count, &config->code},
        {"constant_cache", tags_keys, tags_key_count, &config->constant},
        {"texture_cache", tags_keys, tags_key_count, &config->texture},
        {"code_l0", level_keys, level_key_count, &config->code_l0},
        {"read_only_l15", level_keys, level_key_count, &config->read_only_l15},
        {"energy", energy_keys, energy_key_count, &config->energy},
    };
    uint32_t count = MEMSYS_SECTIONS;
    config->schemes = schemes;
    uint32_t scheme_count = machine_scheme_count(config);
    struct config_section *sections = ARENA_ARRAY(
        arena, struct config_section, MEMSYS_SECTIONS + ARRAY_LENGTH(own) + scheme_count + 2);
    memsys_sections(sections, &config->memsys);
    for (uint32_t i = 0; i < ARRAY_LENGTH(own); i++)
        sections[count++] = own[i];
    config->of_scheme = ARENA_ARRAY(arena, void *, scheme_count + 1);
    for (uint32_t i = 0; i < scheme_count; i++) {
        const struct scheme_ops *ops = schemes[i];
        config->of_scheme[i] = arena_alloc(arena, ops->configuration.config_bytes);
        if (ops->configuration.section)
            sections[count++] =
                (struct config_section){ops->configuration.section, ops->configuration.keys,
                                        ops->configuration.key_count, config->of_scheme[i]};
    }
    *total = count;
    return sections;
}

struct plane_kind machine_planes(const struct machine_config *config)
{
    for (uint32_t i = 0; i < machine_scheme_count(config); i++)
        if (config->schemes[i]->configuration.planes && machine_enables(config, i))
            return config->schemes[i]->configuration.planes(config->of_scheme[i]);
    return (struct plane_kind){.initial = PLANES_NONE};
}

// Limits the host memory of a machine, which is some 50 bytes for each line that its caches can
// hold.
static const char *check_lines(struct arena *arena, const struct machine_config *config)
{
    enum { LIMIT = 1 << 24 };
    const struct tags_config *tags[] = {&config->code, &config->constant, &config->texture};
    uint32_t each = config->l1.sets * config->l1.ways, cores = config->memsys.memory.cores;
    for (uint32_t i = 0; i < ARRAY_LENGTH(tags); i++)
        each += tags[i]->sets * tags[i]->ways;
    each += config->code_l0.sets * config->code_l0.ways * config->core.schedulers;
    each += config->read_only_l15.sets * config->read_only_l15.ways;
    uint32_t slice = config->memsys.llc.sets * config->memsys.llc.ways;
    uint32_t slices = config->memsys.memory.partition_nodes.n;
    if ((uint64_t)cores * each + (uint64_t)slices * slice <= LIMIT)
        return NULL;
    return arena_printf(arena,
                        "the caches of %u cores have %u lines each, and the slices %u: in total "
                        "more than %d",
                        cores, each, slice, LIMIT);
}

// Numbers of schemes, requesters and stall reasons are stored in bytes, with 0 or an offset of 1
// for none.
static const char *check_schemes(struct arena *arena, const struct machine_config *config)
{
    enum { NUMBERS = 250 };
    uint32_t count = machine_scheme_count(config), requesters = CORE_REQUESTERS, stalls = 0;
    for (uint32_t i = 0; i < count; i++) {
        requesters += config->schemes[i]->memory.requester_count;
        stalls += config->schemes[i]->report.stall_count;
    }
    if (count <= NUMBERS && requesters <= NUMBERS && stalls <= STALLS_MAX)
        return NULL;
    return arena_printf(arena,
                        "the program has %u schemes with %u requesters and %u stall reasons, but a "
                        "machine can have only %u, %u and %u",
                        count, requesters, stalls, NUMBERS, NUMBERS, STALLS_MAX);
}

// Each launch must find a size of shared memory that leaves the L1 a way.
static const char *check_carveouts(struct arena *arena, const struct machine_config *config)
{
    const struct core_config *core = &config->core;
    uint32_t set_bytes = config->l1.sets * config->l1.line_bytes, most = 0;
    for (uint32_t i = 0; i < core->carveouts.n; i++)
        most = core->carveouts.v[i] > most ? core->carveouts.v[i] : most;
    if (!core->unified_bytes)
        return core->carveouts.n ? "core.carveouts needs core.unified_bytes" : NULL;
    if (!core->carveouts.n || most < core->shared_bytes)
        return arena_printf(arena,
                            "core.unified_bytes needs a size in core.carveouts for the %u bytes of "
                            "core.shared_bytes",
                            core->shared_bytes);
    if ((uint64_t)most + set_bytes > core->unified_bytes)
        return arena_printf(
            arena,
            "core.carveouts: %u leaves no way for the L1 in core.unified_bytes: %u; "
            "a way of l1.sets lines has %u bytes",
            most, core->unified_bytes, set_bytes);
    return NULL;
}

const char *machine_check(struct arena *arena, const struct machine_config *config)
{
    const char *wrong = cache_config_fault(&config->l1, "l1", arena);
    if (wrong)
        return wrong;
    if (config->l1.line_bytes != LINE_BYTES || config->memsys.llc.line_bytes != LINE_BYTES)
        return "l1.line_bytes and llc.line_bytes must be 128: addresses of a warp are coalesced "
               "into lines of 128 bytes";
    if (config->l1.write == CACHE_BACK)
        return "the L1 must have write: through or evict";
    if (config->l1.write == CACHE_EVICT && config->l1.allocate_writes)
        return "l1.write: evict needs l1.allocate_writes: false, because a write hit evicts its "
               "line";
    if (config->l1.allocate_writes && config->l1.partial == CACHE_FETCH)
        return "l1.allocate_writes needs l1.partial: mask, because no store waits for a fetch";
    if (config->l1.fill_port == CACHE_FILL_OWN && config->l1.port_bytes < config->l1.line_bytes)
        return "l1.fill_port: own needs l1.port_bytes to be a line: the core accepts a reply per "
               "cycle";
    if (config->core.threads > config->core.warps * LANES)
        return arena_printf(arena, "core.threads exceeds the %u threads of core.warps",
                            config->core.warps * LANES);
    if (config->core.fetch_instructions > config->core.buffer)
        return arena_printf(arena, "core.fetch_instructions must be at most core.buffer, %u",
                            config->core.buffer);
    wrong = units_fault(&config->core, arena);
    wrong = wrong ? wrong : check_carveouts(arena, config);
    wrong = wrong ? wrong : memsys_check(arena, &config->memsys);
    if (!wrong && config->memsys.memory.sector_replies &&
        config->memsys.memory.sector_bytes % config->l1.sector_bytes)
        wrong = "memory.sector_replies needs memory.sector_bytes to be a multiple of "
                "l1.sector_bytes";
    wrong = wrong ? wrong : check_schemes(arena, config);
    for (uint32_t i = 0; !wrong && i < machine_scheme_count(config); i++)
        if (config->core.sector_requests && machine_enables(config, i))
            wrong =
                "core.sector_requests: true is for machines without schemes, whose requests are "
                "lines; set core.sector_requests: false";
        else if (config->schemes[i]->configuration.check && machine_enables(config, i))
            wrong = config->schemes[i]->configuration.check(arena, config->of_scheme[i], config);
    return wrong ? wrong : check_lines(arena, config);
}
