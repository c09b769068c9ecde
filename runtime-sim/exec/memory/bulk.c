#include "runtime-sim/exec/memory/bulk.h"
#include "runtime-sim/exec/memory/mbarrier.h"
#include "runtime-sim/exec/warp/cta.h"

void bulk_touch(const struct warp *warp, enum touched_use use, bool reduces, uint64_t address,
                uint32_t bytes)
{
    struct bulk *bulk = warp->bulk;
    if (!bulk)
        return;
    struct bulk_segment *last = bulk->segments.n ? &bulk->segments.v[bulk->segments.n - 1] : NULL;
    if (last && last->use == use && last->reduces == reduces &&
        last->address + last->bytes == address)
        last->bytes += bytes;
    else
        vec_push(bulk->arena, &bulk->segments,
                 (struct bulk_segment){address, bytes, (uint8_t)use, reduces});
}

void bulk_arrive(const struct bulk_arrival *arrival)
{
    struct cta *cta = arrival->cta;
    mbarrier_complete(cta, cta->shared + arrival->offset, arrival->bytes);
}

void bulk_arrives(struct warp *warp, struct cta *cta, uint64_t offset, uint64_t bytes)
{
    const struct bulk_arrival arrival = {cta, (uint32_t)offset, (uint32_t)bytes};
    if (warp->bulk) {
        vec_push(warp->bulk->arena, &warp->bulk->arrivals, arrival);
        return;
    }
    bulk_arrive(&arrival);
    warp->cta->events++; // other warps of the cluster may wait
}
