#include "runtime-sim/gpu/lsu/bulk.h"
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/lsu/lsu_internal.h"
#include "support/bits.h"

struct bulk *bulk_record(struct core *core)
{
    struct bulk *record = &core->bulk.record;
    record->arena = core->arena;
    record->segments.n = record->arrivals.n = 0;
    record->cluster_bytes = 0;
    record->grouped = false;
    return record;
}

static uint32_t find_job(struct core *core)
{
    struct core_bulk *bulk = &core->bulk;
    for (uint32_t i = 0; i < bulk->jobs.n; i++)
        if (!bulk->jobs.v[i]->used)
            return i;
    vec_push(core->arena, &bulk->jobs, ARENA_NEW(core->arena, struct bulk_job));
    return bulk->jobs.n - 1;
}

// Copies within the cluster's shared memory occupy the port to other cores.
static uint64_t move_in_cluster(struct core *core, uint64_t begin, uint64_t bytes)
{
    const struct core_config *config = core->kind->config;
    uint64_t first = begin > core->units.cluster_free ? begin : core->units.cluster_free;
    uint64_t cycles = config->cluster_bytes ? divide_up(bytes, config->cluster_bytes) : 0;
    core->units.cluster_free = first + cycles;
    uint32_t latency = config->cluster_latency ? config->cluster_latency : config->shared_latency;
    return first + cycles + latency;
}

void bulk_accept(struct core *core, uint64_t now, uint32_t slot)
{
    struct core_bulk *bulk = &core->bulk;
    uint64_t begin = now + core->kind->config->bulk_latency;
    if (!bulk->record.segments.n && !bulk->record.arrivals.n && !bulk->record.grouped)
        return;
    uint32_t index = find_job(core);
    struct bulk_job *job = bulk->jobs.v[index];
    struct bulk old = job->copy;
    *job = (struct bulk_job){.copy = bulk->record, .slot = slot, .used = true, .ready = begin};
    bulk->record = old;
    job->group = core->slots[slot].groups.bulks;
    job->site = core->sites ? core->sites->slots[slot].site : 0;
    core->slots[slot].groups.bulk_copies++;
    if (job->copy.cluster_bytes)
        job->ready = move_in_cluster(core, begin, job->copy.cluster_bytes);
    if (job->copy.segments.n) {
        if (!bulk->queue.n && bulk->next < begin)
            bulk->next = begin;
        vec_push(core->arena, &bulk->queue, index);
    } else {
        vec_push(core->arena, &bulk->waiting, index);
    }
    core->next = core->next < now + 1 ? core->next : now + 1;
}

static struct memsys_request next_request(const struct core *core, const struct bulk_job *job,
                                          uint32_t index, uint32_t *bytes)
{
    const struct bulk_segment *segment = &job->copy.segments.v[job->segment];
    uint64_t address = segment->address + job->offset;
    uint32_t at = (uint32_t)(address % LINE_BYTES), left = segment->bytes - job->offset;
    *bytes = left < LINE_BYTES - at ? left : LINE_BYTES - at;
    struct mask mask = mask_range(at, at + *bytes);
    bool writes = segment->use == TOUCHED_WRITTEN;
    return (struct memsys_request){.line = address / LINE_BYTES,
                                   .bytes = writes ? mask : lsu_sectors(core, mask),
                                   .core = core->id.endpoint,
                                   .tag = BULK_TAG | index,
                                   .carries = segment->reduces ? (uint16_t)*bytes : 0,
                                   .kind = segment->reduces ? MEMSYS_REDUCE
                                           : writes         ? MEMSYS_WRITE
                                                            : MEMSYS_READ,
                                   .requester = REQUESTER_DIRECT,
                                   .site = job->site};
}

static void pop_queue(struct core_bulk *bulk)
{
    if (++bulk->head == bulk->queue.n) {
        bulk->head = bulk->queue.n = 0;
        return;
    }
    uint64_t begin = bulk->jobs.v[bulk->queue.v[bulk->head]]->ready;
    bulk->next = bulk->next > begin ? bulk->next : begin;
}

// A slot may wait until the source of its copies has been read.
static void look_at_waiting(struct core *core, uint64_t now, uint32_t slot)
{
    if (core->slots[slot].warp && core->slots[slot].state == WARP_SLOT_FENCE)
        core_look(core, now, slot);
}

bool bulk_send(struct core *core, uint64_t now)
{
    struct core_bulk *bulk = &core->bulk;
    if (!bulk_is_due(core, now))
        return false;
    uint32_t index = bulk->queue.v[bulk->head], bytes;
    struct bulk_job *job = bulk->jobs.v[index];
    struct memsys_request request = next_request(core, job, index, &bytes);
    if (!memsys_can_send(core->shared->memsys, &request))
        return false;
    memsys_send(core->shared->memsys, &request);
    if (request.kind != MEMSYS_READ)
        cache_drop(&core->l1, request.line);
    bulk->next = now + core->kind->config->bulk_interval;
    job->left++;
    job->offset += bytes;
    if (job->offset < job->copy.segments.v[job->segment].bytes)
        return true;
    job->offset = 0;
    if (++job->segment < job->copy.segments.n)
        return true;
    pop_queue(bulk);
    look_at_waiting(core, now, job->slot);
    return true;
}

static bool is_sent(const struct bulk_job *job)
{
    return job->segment == job->copy.segments.n;
}

void bulk_reply(struct core *core, uint64_t now, uint32_t tag)
{
    uint32_t index = tag & ~BULK_TAG;
    struct bulk_job *job = core->bulk.jobs.v[index];
    if (--job->left || !is_sent(job))
        return;
    if (job->ready > now)
        vec_push(core->arena, &core->bulk.waiting, index);
    else
        vec_push(core->arena, &core->bulk.done, index);
}

void bulk_tick(struct core *core, uint64_t now)
{
    struct core_bulk *bulk = &core->bulk;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < bulk->waiting.n; i++) {
        uint32_t index = bulk->waiting.v[i];
        if (bulk->jobs.v[index]->ready > now)
            bulk->waiting.v[kept++] = index;
        else
            vec_push(core->arena, &bulk->done, index);
    }
    bulk->waiting.n = kept;
}

uint64_t bulk_next(const struct core *core, uint64_t now)
{
    const struct core_bulk *bulk = &core->bulk;
    uint64_t next = bulk->queue.n && bulk->next > now ? bulk->next : UINT64_MAX;
    for (uint32_t i = 0; i < bulk->waiting.n; i++) {
        uint64_t ready = bulk->jobs.v[bulk->waiting.v[i]]->ready;
        next = ready < next ? ready : next;
    }
    return next;
}

static void end_job(struct core *core, uint64_t now, struct bulk_job *job)
{
    struct warp_slot *slot = &core->slots[job->slot];
    for (uint32_t i = 0; i < job->copy.arrivals.n; i++)
        bulk_arrive(&job->copy.arrivals.v[i]);
    job->used = false;
    slot->groups.bulk_copies--;
    core->account.progress++;
    uint32_t cta = slot->cta;
    bool clustered = core->ctas[cta].cta->cluster.count > 1;
    if (job->copy.arrivals.n && clustered)
        core->results.stirred |= UINT64_C(1) << cta;
    else if (job->copy.arrivals.n)
        core_look_at_cta(core, now, cta);
    look_at_waiting(core, now, job->slot);
    core_maybe_over(core, now, job->slot);
}

void bulk_commit(struct core *core, uint64_t now)
{
    for (uint32_t i = 0; i < core->bulk.done.n; i++)
        end_job(core, now + 1, core->bulk.jobs.v[core->bulk.done.v[i]]);
    core->bulk.done.n = 0;
}

bool bulk_holds(const struct core *core, uint32_t index)
{
    const struct warp_slot *slot = &core->slots[index];
    bool reading = slot->next->async == ASYNC_BULK_WAIT_READ;
    for (uint32_t i = 0; slot->groups.bulk_copies && i < core->bulk.jobs.n; i++) {
        const struct bulk_job *job = core->bulk.jobs.v[i];
        if (job->used && job->slot == index && job->copy.grouped && !(reading && is_sent(job)) &&
            job->group + slot->next->pending < slot->groups.bulks)
            return true;
    }
    return false;
}
