#include "runtime-sim/exec/warp/cta.h"
#include <string.h>

void *aligned_lanes(struct arena *arena, size_t bytes)
{
    char *at = arena_alloc(arena, bytes + 64);
    return at + (-(uintptr_t)at & 63);
}

static uint32_t member_index(uint16_t member)
{
    return member == W_y ? 1 : member == W_z ? 2 : member == W_w ? 3 : 0;
}

static uint32_t of_three(const uint32_t *values, uint16_t member)
{
    uint32_t index = member_index(member);
    return index < 3 ? values[index] : 0;
}

static void put(void *lanes, uint32_t width, uint32_t lane, uint64_t value)
{
    union lanes *to = lanes;
    switch (width) {
    case WIDTH_PREDICATE: to->mask = (to->mask & ~(1u << lane)) | (uint32_t) !!value << lane; break;
    case 1: to->u8[lane] = (uint8_t)value; break;
    case 2: to->u16[lane] = (uint16_t)value; break;
    case 4: to->u32[lane] = (uint32_t)value; break;
    default: to->u64[lane] = value; break;
    }
}

// Values that differ between lanes or warps

static uint64_t lane_value(const struct warp *warp, uint16_t special, uint16_t member,
                           uint32_t lane)
{
    uint32_t cta[3], thread[3];
    lane_coordinates(warp, lane, cta, thread);
    switch (special) {
    case SPECIAL_tid: return of_three(thread, member);
    case SPECIAL_ctaid: return of_three(cta, member);
    case SPECIAL_laneid: return lane;
    case SPECIAL_lanemask_eq: return 1u << lane;
    case SPECIAL_lanemask_lt: return (1u << lane) - 1;
    case SPECIAL_lanemask_le: return (2u << lane) - 1;
    case SPECIAL_lanemask_gt: return ~((2u << lane) - 1);
    case SPECIAL_lanemask_ge: return ~((1u << lane) - 1);
    case SPECIAL_warpid: return warp->index;
    case SPECIAL_smid: return warp->cta->core;
    case SPECIAL_clusterid:
        return of_three(cta, member) / of_three(warp->cta->launch->cluster, member);
    case SPECIAL_cluster_ctaid:
        return of_three(cta, member) % of_three(warp->cta->launch->cluster, member);
    case SPECIAL_cluster_ctarank: return warp->cta->rank;
    default: return 0;
    }
}

static void fill(struct warp *warp, const struct warp_value *value)
{
    bool by_lane = isa_specials[value->special].varies == VARIES_LANE;
    uint64_t first = lane_value(warp, value->special, value->member, 0);
    for (uint32_t lane = 0; lane < LANES; lane++)
        put(warp_register_lanes(warp, value->slot), value->width, lane,
            by_lane ? lane_value(warp, value->special, value->member, lane) : first);
}

void special_fill_warp(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->program->warp_values.n; i++)
        fill(warp, &warp->program->warp_values.v[i]);
}

void special_fill_cta(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->program->warp_values.n; i++) {
        const struct warp_value *value = &warp->program->warp_values.v[i];
        if (isa_specials[value->special].varies == VARIES_CTA || value->special == SPECIAL_smid)
            fill(warp, value);
    }
}

// Values that are constant during a launch

static uint64_t grid_value(const struct launch *launch, uint16_t special, uint16_t member)
{
    const uint32_t clusters[3] = {launch->grid[0] / launch->cluster[0],
                                  launch->grid[1] / launch->cluster[1],
                                  launch->grid[2] / launch->cluster[2]};
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    switch (special) {
    case SPECIAL_ntid: return of_three(launch->block, member);
    case SPECIAL_nctaid: return of_three(launch->grid, member);
    case SPECIAL_nclusterid: return of_three(clusters, member);
    case SPECIAL_cluster_nctaid: return of_three(launch->cluster, member);
    case SPECIAL_cluster_nctarank:
        return (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    case SPECIAL_is_explicit_cluster:
        return launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
    case SPECIAL_gridid: return launch->id;
    case SPECIAL_nwarpid: return divide_up(threads, LANES);
    case SPECIAL_nsmid: return launch->time ? launch->time->cores : 1;
    case SPECIAL_envreg1: return launch->workspace >> 32;
    case SPECIAL_envreg2: return launch->workspace & UINT32_MAX;
    case SPECIAL_dynamic_smem_size: return launch->dynamic_shared;
    case SPECIAL_total_smem_size: return launch->shared_bytes;
    default: return 0;
    }
}

// Converts a parameter's bytes to a lane, extended as its type requires.
static uint64_t parameter_value(const struct launch *launch, const struct launch_value *value)
{
    uint32_t bytes = (uint32_t)(ir_type_bits(value->type) + 7) / 8;
    uint64_t bits = 0;
    uint32_t left = launch->program->functions.v[launch->function].param_bytes - value->offset;
    bytes = bytes < left ? bytes : left;
    memcpy(&bits, launch->params + value->offset, bytes < 8 ? bytes : 8);
    switch (value->type) {
    case W_s8: return (uint64_t)(int8_t)bits;
    case W_s16: return (uint64_t)(int16_t)bits;
    case W_s32: return (uint64_t)(int32_t)bits;
    default: return bits;
    }
}

static uint64_t launch_value(const struct launch *launch, const struct launch_value *value)
{
    switch (value->kind) {
    case LAUNCH_PARAMETER: return parameter_value(launch, value);
    case LAUNCH_SPECIAL: return grid_value(launch, value->special, value->member);
    case LAUNCH_DYNAMIC_SHARED:
        return launch->shared_bytes - launch->dynamic_shared + value->offset;
    default: return launch->params_address + value->offset;
    }
}

void special_fill_launch(struct launch *launch, struct arena *arena)
{
    const struct program *program = launch->program;
    uint32_t params = program->functions.v[launch->function].param_bytes;
    launch->values = aligned_lanes(arena, program->launch_bytes);
    for (uint32_t i = 0; i < program->launch_values.n; i++) {
        const struct launch_value *value = &program->launch_values.v[i];
        // Skips parameters of other kernels.
        if (value->kind == LAUNCH_PARAMETER && value->offset >= params)
            continue;
        uint64_t bits = launch_value(launch, value);
        for (uint32_t lane = 0; lane < LANES; lane++)
            put(launch->values + (value->slot & ((1u << REG_SLOT_SHIFT) - 1)), value->width, lane,
                bits);
    }
}
