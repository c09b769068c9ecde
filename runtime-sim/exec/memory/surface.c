// suld, sust and sured: from a place on a surface to the address of its bytes.
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/memory/atomic.h"
#include "runtime-sim/exec/warp/cta.h"

// The access of one instruction. `access` has the addresses of the lanes found so far.
struct surface_access {
    struct warp *warp;
    const struct code *code;
    const struct surface_code *what;
    const struct texture *surface; // of the current lane
    struct access access;
};

enum place { PLACE_FOUND, PLACE_OUTSIDE, PLACE_FAULT };

static const union lanes *operand(const struct surface_access *s, uint32_t index)
{
    return warp_register_lanes(s->warp, s->code->list->slot[index]);
}

static void begin(struct surface_access *s, struct warp *warp, const struct path *path,
                  const struct code *code, uint32_t mask)
{
    *s = (struct surface_access){.warp = warp, .code = code, .what = code->extra};
    s->access.code = code;
    s->access.memory = &s->what->memory;
    s->access.mask = mask;
    s->access.function = path->function;
}

static bool find_surface(struct surface_access *s, uint32_t lane)
{
    const struct surface_code *what = s->what;
    const union lanes *handles = warp_register_lanes(s->warp, s->code->s[0]);
    uint64_t handle = handles->u64[lane];
    const struct texture *surface =
        texture_find(s->warp->cta->launch->textures, handle, BOUND_SURFACE);
    s->surface = surface;
    if (!surface) {
        texture_unbound(s->warp, s->code, lane, "surface", handle);
        return false;
    }
    // The faces of a cube are layers.
    uint32_t dimensions = surface->cube ? 2 : texture_dimensions(surface);
    bool layered = surface->layers != 0;
    if (dimensions == what->dimensions && layered == what->layered)
        return true;
    warp_fault(s->warp, s->code, 1u << lane, "an access to .%s of a surface of .%s",
               texture_geometry(what->dimensions, what->layered, false),
               texture_geometry(dimensions, layered, false));
    return false;
}

static int64_t nearest(int64_t at, int64_t count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static enum place outside(const struct surface_access *s, uint32_t lane, const int64_t at[3],
                          uint32_t bytes)
{
    const struct texels *texels = &s->surface->base;
    if (s->what->bounds == SURFACE_ZERO)
        return PLACE_OUTSIDE;
    warp_fault(s->warp, s->code, 1u << lane,
               "an access of %u bytes at byte %lld, row %lld, layer %lld is outside of the surface "
               "of %u x %u x %u texels of %u bytes",
               bytes, (long long)at[0], (long long)at[1], (long long)at[2], texels->width,
               texels->height ? texels->height : 1,
               s->surface->layers ? s->surface->layers
               : texels->depth    ? texels->depth
                                  : 1,
               texel_bytes(s->surface));
    return PLACE_FAULT;
}

// Finds the address of `bytes` bytes of a lane. `scale` is the size of one step of x.
static enum place find_place(struct surface_access *s, uint32_t lane, uint32_t bytes,
                             uint32_t scale)
{
    const struct surface_code *what = s->what;
    const struct texture *surface = s->surface;
    const struct texels *texels = &surface->base;
    int64_t row = (int64_t)texels->width * texel_bytes(surface);
    const int64_t counts[3] = {row / bytes, texels->height ? texels->height : 1,
                               surface->layers ? surface->layers
                               : texels->depth ? texels->depth
                                               : 1};
    int64_t at[3] = {0};
    for (uint32_t i = 0; i < what->dimensions; i++)
        at[i] = operand(s, what->at + i)->s32[lane];
    at[0] *= scale;
    if (what->layered)
        at[2] = operand(s, what->layer)->u32[lane];
    bool inside = at[0] >= 0 && at[0] + bytes <= row;
    for (uint32_t i = 1; i < 3; i++)
        inside &= at[i] >= 0 && at[i] < counts[i];
    if (!inside && (what->bounds != SURFACE_CLAMP || !counts[0]))
        return outside(s, lane, at, bytes);
    if (at[0] < 0 || at[0] + bytes > row)
        at[0] = at[0] < 0 ? 0 : (counts[0] - 1) * bytes;
    for (uint32_t i = 1; i < 3; i++)
        at[i] = nearest(at[i], counts[i]);
    s->access.address[lane] = texels->address + (uint64_t)at[2] * texels->slice +
                              (uint64_t)at[1] * texels->pitch + (uint64_t)at[0];
    return PLACE_FOUND;
}

// Finds the memory of a lane.
static enum place find(struct surface_access *s, uint32_t lane, struct spot *spot)
{
    const struct memory_code *memory = &s->what->memory;
    uint32_t bytes = (uint32_t)memory->bytes * memory->elements, scale = 1, align = bytes;
    if (!find_surface(s, lane))
        return PLACE_FAULT;
    if (s->what->formatted) {
        uint32_t texel = texel_bytes(s->surface);
        bool reduces = s->access.atomic;
        bytes = reduces ? bytes : texel;
        scale = bytes;
        align = 1; // texels are aligned
    }
    s->access.bytes = bytes;
    enum place place = find_place(s, lane, bytes, scale);
    if (place == PLACE_FOUND && !access_find(s->warp, &s->access, lane, bytes, align, spot))
        return PLACE_FAULT;
    return place;
}

enum step_result step_surface_load(struct warp *warp, struct path *path, const struct code *code,
                                   uint32_t mask)
{
    static const uint8_t zeros[64];
    struct surface_access s;
    begin(&s, warp, path, code, mask);
    s.access.reads = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct memory_code *memory = &s.what->memory;
        struct spot spot;
        enum place place = find(&s, lane, &spot);
        if (place == PLACE_FAULT)
            return STEP_FAULT;
        s.access.address[lane] = place == PLACE_FOUND ? s.access.address[lane] : 0;
        for (uint32_t i = 0; i < memory->elements; i++)
            warp->ops->load(warp_register_lanes(warp, code->list->slot[i]), code->list->width[i],
                            place == PLACE_FOUND ? spot.host + i * memory->bytes : zeros,
                            s.access.address[lane], s.access.address, 1u << lane, memory->bytes,
                            false);
    }
    return STEP_NEXT;
}

static void store_texel(const struct surface_access *s, uint32_t lane, uint8_t *to)
{
    uint32_t values[4] = {0};
    for (uint32_t i = 0; i < s->what->value_count; i++)
        values[i] = operand(s, s->what->values + i)->u32[lane];
    texel_encode(s->surface, values, s->what->value_count, to);
}

enum step_result step_surface_store(struct warp *warp, struct path *path, const struct code *code,
                                    uint32_t mask)
{
    struct surface_access s;
    begin(&s, warp, path, code, mask);
    s.access.writes = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct memory_code *memory = &s.what->memory;
        struct spot spot;
        enum place place = find(&s, lane, &spot);
        if (place == PLACE_FAULT)
            return STEP_FAULT;
        if (place == PLACE_FOUND && s.what->formatted)
            store_texel(&s, lane, spot.host);
        for (uint32_t i = 0; place == PLACE_FOUND && !s.what->formatted && i < memory->elements;
             i++)
            warp->ops->store(operand(&s, s.what->values + i), code->list->width[s.what->values + i],
                             spot.host + (size_t)i * memory->bytes, s.access.address[lane],
                             s.access.address, 1u << lane, memory->bytes);
    }
    return STEP_NEXT;
}

enum step_result step_surface_reduce(struct warp *warp, struct path *path, const struct code *code,
                                     uint32_t mask)
{
    struct surface_access s;
    begin(&s, warp, path, code, mask);
    s.access.reads = s.access.writes = s.access.atomic = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), bytes = s.what->memory.bytes;
        struct spot spot;
        uint8_t old[16];
        enum place place = find(&s, lane, &spot);
        if (place == PLACE_FAULT)
            return STEP_FAULT;
        if (place == PLACE_OUTSIDE)
            continue;
        uint8_t format = s.surface->format;
        bool is_signed = format == TEXTURE_S8 || format == TEXTURE_S16 || format == TEXTURE_S32;
        const struct atomic_op *op = is_signed ? s.what->signed_op : s.what->unsigned_op;
        const uint8_t *value = (const uint8_t *)operand(&s, s.what->values) + (size_t)lane * bytes;
        atomic_in(op, W_global)(spot.host, value, value, old);
    }
    return STEP_NEXT;
}
