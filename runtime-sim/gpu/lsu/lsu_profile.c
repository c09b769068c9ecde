// Counts of cache accesses in the profile of an instruction.
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/lsu/bulk.h"
#include "runtime-sim/gpu/lsu/lsu_internal.h"

static struct profile_memory *profile_of(const struct entry *entry)
{
    struct profile *profile = entry->held->warp->profile;
    const struct timing *timing = entry->timing;
    return profile ? profile_memory(profile, timing->function, timing->inst) : NULL;
}

static void count_cache(struct profile_cache *cache, uint8_t from)
{
    cache->accesses++;
    cache->hits += from == CACHE_HIT;
    cache->merged += from == CACHE_MERGED;
}

void lsu_count_llc(const struct core *core, const struct memsys_request *reply)
{
    if (reply->requester == REQUESTER_CODE || reply->requester >= CORE_REQUESTERS ||
        reply->kind == MEMSYS_WRITE || reply->tag == (uint32_t)CACHE_NOBODY ||
        (reply->requester == REQUESTER_DIRECT && reply->tag & BULK_TAG))
        return;
    struct profile_memory *memory = profile_of(&core->lsu.entries[lsu_entry_of(reply->tag)]);
    if (memory)
        count_cache(&memory->llc, reply->from);
}

void lsu_count_l1(const struct core *core, const struct cache_request *request)
{
    struct profile_memory *memory = profile_of(&core->lsu.entries[lsu_entry_of(request->id)]);
    if (memory)
        count_cache(&memory->l1, request->from);
}
