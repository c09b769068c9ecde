#include "runtime-sim/exec/warp/grid.h"
#include <string.h>

// One repetition may be a coincidence: a load in flight is not part of the state.
enum { SEEN_AGAIN = 2 };

static uint64_t mix(uint64_t state, uint64_t value)
{
    state = (state ^ value) * 0x9e3779b97f4a7c15u;
    return state ^ state >> 32;
}

static uint64_t mix_bytes(uint64_t state, const uint8_t *at, uint32_t bytes)
{
    for (uint32_t i = 0; i + sizeof state <= bytes; i += sizeof state) {
        uint64_t value;
        memcpy(&value, at + i, sizeof value);
        state = mix(state, value);
    }
    return state;
}

// A register has at least 4 bytes per lane, so 128 per warp.
static uint64_t state_of(const struct warp *warp)
{
    uint64_t state = mix(mix(warp->live, warp->writes), warp->clock);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < warp->paths.n && warp->live; i++) {
        const struct path *path = &warp->paths.v[i];
        uint32_t end = path->frame + warp->program->functions.v[path->function].frame_bytes;
        bytes = end > bytes ? end : bytes;
        state = mix(state, (uint64_t)path->pc << 32 | path->mask);
        state = mix(state, (uint64_t)path->frame << 32 | path->state);
    }
    return mix_bytes(state, warp->frames, bytes);
}

void repeats_mark(struct repeats *repeats, struct cta *const *ctas, uint32_t count)
{
    repeats->warps.n = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ctas[i]->warp_count; k++)
            vec_push(repeats->arena, &repeats->warps,
                     (struct repeat_warp){.state = state_of(&ctas[i]->warps[k])});
}

static uint32_t count_warps(struct cta *const *ctas, uint32_t count)
{
    uint32_t warps = 0;
    for (uint32_t i = 0; i < count; i++)
        warps += ctas[i]->warp_count;
    return warps;
}

bool repeats_look(struct repeats *repeats, struct cta *const *ctas, uint32_t count)
{
    bool all = true;
    if (count_warps(ctas, count) != repeats->warps.n) {
        repeats_mark(repeats, ctas, count);
        return false;
    }
    struct repeat_warp *at = repeats->warps.v;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ctas[i]->warp_count; k++, at++) {
            if (at->seen < SEEN_AGAIN)
                at->seen += state_of(&ctas[i]->warps[k]) == at->state;
            all &= at->seen >= SEEN_AGAIN;
        }
    return all;
}

bool repeats_turn(struct repeats *repeats, struct cta *const *ctas, uint32_t count, uint64_t idle)
{
    enum { FIRST = 64, EVERY = 16 };
    if (idle < FIRST || idle % EVERY)
        return false;
    // The first states may be those before a loop.
    if (!(idle & (idle - 1))) {
        repeats_mark(repeats, ctas, count);
        return false;
    }
    return repeats_look(repeats, ctas, count);
}
