#include "runtime-sim/gpu/core/sites.h"
#include "support/gpu.h"
#include <string.h>

const struct stat_key core_site_keys[] = {
#define STATS_DEF "runtime-sim/gpu/core/core_site.def"
#define STATS_OF struct core_site
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t core_site_key_count = ARRAY_LENGTH(core_site_keys);

// Numbering

static void grow(struct sites *sites, uint32_t count)
{
    uint32_t room = sites->room ? sites->room : 1024;
    while (room < sites->count + count)
        room *= 2;
    if (room > sites->room) {
        sites->list = arena_grow(sites->arena, sites->list, sites->room * sizeof *sites->list,
                                 room * sizeof *sites->list);
        sites->memory.list =
            arena_grow(sites->arena, sites->memory.list, sites->room * sizeof *sites->memory.list,
                       room * sizeof *sites->memory.list);
        memset(sites->list + sites->room, 0, (room - sites->room) * sizeof *sites->list);
        memset(sites->memory.list + sites->room, 0,
               (room - sites->room) * sizeof *sites->memory.list);
        sites->room = room;
    }
    sites->count += count;
}

void sites_init(struct sites *sites, struct arena *arena)
{
    *sites = (struct sites){.arena = arena};
    grow(sites, 1);
}

struct kernel_sites *sites_of_kernel(struct sites *sites, uint32_t functions)
{
    struct kernel_sites *kernel = ARENA_NEW(sites->arena, struct kernel_sites);
    *kernel = (struct kernel_sites){.all = sites};
    sites_extend(kernel, functions);
    return kernel;
}

void sites_extend(struct kernel_sites *kernel, uint32_t functions)
{
    uint32_t *first = ARENA_ARRAY(kernel->all->arena, uint32_t, functions);
    if (kernel->functions)
        memcpy(first, kernel->first, kernel->functions * sizeof *first);
    kernel->first = first;
    kernel->functions = functions;
}

struct core_sites *sites_of_core(struct arena *arena, struct sites *sites, uint32_t slots)
{
    struct core_sites *to = ARENA_NEW(arena, struct core_sites);
    *to = (struct core_sites){.all = sites, .slots = ARENA_ARRAY(arena, struct site_slot, slots)};
    for (uint32_t i = 0; i < slots; i++)
        to->slots[i].reason = offsetof(struct core_site, stall_empty) / sizeof(uint64_t);
    return to;
}

// A function's end may have a place of its own after its instructions.
static uint32_t add_function(const struct core *core, struct kernel_sites *kernel,
                             uint32_t function)
{
    const struct program *program = core->shared->timings.program;
    const struct ir_module *module = program->module;
    uint32_t first = kernel->all->count;
    grow(kernel->all, module->functions.v[program->functions.v[function].function].insts.n + 1);
    return kernel->first[function] = first;
}

// Returns the site of the instruction that the slot will issue or has issued last.
static uint32_t find_site(const struct core *core, uint32_t index)
{
    const struct warp_slot *slot = &core->slots[index];
    if (!slot->warp || !slot->next)
        return 0;
    struct kernel_sites *kernel = slot->warp->cta->launch->sites;
    uint32_t function = slot->next->function, first = kernel->first[function];
    return (first ? first : add_function(core, kernel, function)) + slot->next->inst;
}

// Slot cycles

#define REASON(name) (offsetof(struct core_site, name) / sizeof(uint64_t))

static void charge(const struct core_sites *sites, struct site_slot *at, uint64_t now)
{
    ((uint64_t *)&sites->all->list[at->site])[at->reason] += now - at->since;
    at->since = now;
}

static uint32_t ready_reason(const struct core_sites *sites, uint32_t index)
{
    uint64_t slot = warp_slot_bit(index);
    return sites->by_memory[index / 64] & slot ? REASON(stall_memory_queue)
           : sites->blocked[index / 64] & slot ? REASON(stall_unit)
                                               : REASON(stall_not_selected);
}

void sites_state(const struct core *core, uint64_t now, uint32_t index, uint32_t state)
{
    static const uint8_t reasons[WARP_SLOT_READY] = {
        [WARP_SLOT_EMPTY] = REASON(stall_empty),     [WARP_SLOT_FETCH] = REASON(stall_fetch),
        [WARP_SLOT_RESULT] = REASON(stall_result),   [WARP_SLOT_LOAD] = REASON(stall_load),
        [WARP_SLOT_BARRIER] = REASON(stall_barrier), [WARP_SLOT_FENCE] = REASON(stall_fence),
        [WARP_SLOT_LANES] = REASON(stall_lanes),     [WARP_SLOT_ENDED] = REASON(stall_ended),
    };
    struct core_sites *sites = core->sites;
    struct site_slot *at = &sites->slots[index];
    charge(sites, at, now);
    at->site = state == WARP_SLOT_EMPTY ? 0 : find_site(core, index);
    at->reason = state < WARP_SLOT_READY    ? reasons[state]
                 : state == WARP_SLOT_READY ? ready_reason(sites, index)
                                            : REASON(scheme_stalls) + state - WARP_SLOT_STATES;
}

// Evaluates only the slots that issue and those whose reason has changed.
void sites_ready(const struct core *core, uint64_t now, uint32_t word, uint64_t chosen,
                 uint64_t blocked, uint64_t by_memory)
{
    struct core_sites *sites = core->sites;
    uint64_t changed = core->sets[word].ready &
                       ((sites->blocked[word] ^ blocked) | (sites->by_memory[word] ^ by_memory));
    sites->blocked[word] = blocked;
    sites->by_memory[word] = by_memory;
    for (uint64_t rest = changed | chosen; rest; rest &= rest - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(rest);
        struct site_slot *at = &sites->slots[index];
        charge(sites, at, now);
        at->reason = ready_reason(sites, index);
        if (chosen & rest & -rest) {
            sites->all->list[at->site].issued++;
            at->since = now + 1;
        }
    }
}

void sites_issued(const struct core *core, uint32_t slot, uint64_t instructions, uint64_t threads)
{
    struct core_site *at = &core->sites->all->list[core->sites->slots[slot].site];
    at->warp_instructions += instructions;
    at->thread_instructions += threads;
}

// Accesses

static struct core_site *site_of(const struct core *core, const struct entry *entry)
{
    return &core->sites->all->list[entry->site];
}

// Returns the cycles that the banks need for the lanes' bytes if all banks are in use.
static uint32_t ideal_cycles(const struct core *core, const struct entry *entry,
                             const struct part *part)
{
    const struct core_config *config = core->kind->config;
    uint32_t bytes = entry->held->bytes * (uint32_t)__builtin_popcount(part->lanes);
    uint32_t ideal = divide_up(bytes, config->shared_banks * config->shared_bank_bytes);
    return entry->held->served || ideal > part->cycles ? part->cycles : ideal;
}

void sites_access(const struct core *core, const struct entry *entry)
{
    struct core_site *site = site_of(core, entry);
    uint32_t lines = 0, bytes = 0;
    for (uint32_t i = 0; i < entry->parts.n; i++) {
        const struct part *part = &entry->parts.v[i];
        if (part->route == ROUTE_SHARED) {
            site->shared_accesses++;
            site->shared_cycles += part->cycles;
            site->shared_ideal += ideal_cycles(core, entry, part);
        } else {
            lines++;
            bytes += mask_count(part->bytes);
        }
    }
    site->accesses += lines > 0;
    site->transactions += lines;
    site->ideal += divide_up(bytes, LINE_BYTES);
    site->bytes += bytes;
}

void sites_l1(const struct core *core, const struct entry *entry,
              const struct cache_request *request)
{
    struct core_site *site = site_of(core, entry);
    bool write = request->kind == CACHE_WRITE;
    site->l1_reads += !write;
    site->l1_read_hits += !write && request->from == CACHE_HIT;
    site->l1_read_merged += !write && request->from == CACHE_MERGED;
    site->l1_writes += write;
    site->l1_write_hits += write && request->from != CACHE_FETCHED;
}

void sites_read_only(const struct core *core, const struct entry *entry, bool hit)
{
    struct core_site *site = site_of(core, entry);
    site->read_only_reads++;
    site->read_only_hits += hit;
}

void sites_loaded(const struct core *core, const struct entry *entry, uint64_t cycles)
{
    struct core_site *site = site_of(core, entry);
    site->loads_done++;
    site->load_latency_sum += cycles;
}
