#include "runtime-sim/exec/warp/guest.h"
#include "runtime-sim/exec/warp/cta.h"

uint8_t *guest_at(struct warp *warp, uint32_t lane, uint64_t address, uint64_t bytes)
{
    uint64_t shared = address - SHARED_WINDOW, local = address - LOCAL_WINDOW;
    const struct cta *cta = warp->cta;
    if (shared < WINDOW_BYTES)
        return shared < cta->shared_bytes && bytes <= cta->shared_bytes - shared
                   ? cta->shared + shared
                   : NULL;
    if (local < WINDOW_BYTES)
        return local < warp->local_stride && bytes <= warp->local_stride - local
                   ? warp->local + (size_t)lane * warp->local_stride + local
                   : NULL;
    return image_at(cta->launch->image, address, bytes, &warp->hint);
}

bool guest_string(struct warp *warp, uint32_t lane, uint64_t address, char *to, size_t room)
{
    for (size_t i = 0; i + 1 < room; i++) {
        const uint8_t *at = guest_at(warp, lane, address + i, 1);
        to[i] = at ? (char)*at : 0;
        if (!to[i])
            return at != NULL;
    }
    to[room - 1] = 0;
    return true;
}
