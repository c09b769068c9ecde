// barrier.cluster: every thread of the cluster's CTAs arrives, and may continue until it waits.
//
// The bit of a thread that has arrived stays set until all have arrived. All bits are then cleared
// together, so a thread whose bit is clear need not wait.
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/exec/warp/steps.h"

static bool all_arrived(const struct cluster *cluster)
{
    for (uint32_t c = 0; c < cluster->count; c++)
        for (uint32_t w = 0; w < cluster->ctas[c]->warp_count; w++) {
            const struct warp *warp = &cluster->ctas[c]->warps[w];
            if (warp->live & ~warp->cluster_arrived)
                return false;
        }
    return true;
}

static void let_go(struct warp *warp)
{
    warp->cluster_arrived = 0;
    for (uint32_t i = 0; i < warp->paths.n; i++) {
        struct path *path = &warp->paths.v[i];
        if (path->state == PATH_BARRIER && path->wait == CLUSTER_WAIT)
            path->state = PATH_READY;
    }
}

void cluster_barrier_check(struct cta *cta)
{
    if (cta->cluster.count < 1 || !all_arrived(&cta->cluster))
        return;
    for (uint32_t c = 0; c < cta->cluster.count; c++)
        for (uint32_t w = 0; w < cta->cluster.ctas[c]->warp_count; w++)
            let_go(&cta->cluster.ctas[c]->warps[w]);
    if (cta->launch->check)
        check_cluster(cta->launch->check, &cta->cluster);
    cta->events++;
}

enum step_result step_cluster_arrive(struct warp *warp, struct path *path, const struct code *code,
                                     uint32_t mask)
{
    (void)path;
    if (!mask)
        return STEP_NEXT;
    if (warp->cta->detached)
        return detached_fault(warp, code, mask, "barriers");
    if (warp->cluster_arrived & mask)
        return warp_fault(warp, code, mask & warp->cluster_arrived,
                          "a thread arrives at the cluster's barrier a second time");
    warp->cluster_arrived |= mask;
    cluster_barrier_check(warp->cta);
    return STEP_NEXT;
}

enum step_result step_cluster_wait(struct warp *warp, struct path *path, const struct code *code,
                                   uint32_t mask)
{
    (void)code;
    if (!(mask & warp->cluster_arrived))
        return STEP_NEXT;
    if (mask != path->mask) { // lanes whose guard is false continue separately
        uint32_t self = warp->current;
        warp_fork(warp, path, path->pc + 1, path->mask & ~mask, path->reconvergence);
        path = &warp->paths.v[self];
        path->mask = mask;
    }
    path->pc++;
    path->state = PATH_BARRIER;
    path->wait = CLUSTER_WAIT;
    return STEP_LEAVE;
}
