// Maps a lane's address to memory of the host, and reports addresses without memory.
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/exec/warp/cta.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static const char *space_name(uint16_t space)
{
    return space < WORD_COUNT ? isa_words[space].text + 1 : "generic";
}

static const char *access_name(const struct access *access)
{
    return access->atomic     ? "atomic access"
           : access->writes   ? "store"
           : access->discards ? "discard"
                              : "load";
}

// Describes an address of shared memory by the variable at or below it.
static void describe_shared(const struct warp *warp, uint64_t address, char *to, size_t size)
{
    const struct program *program = warp->program;
    uint32_t entry = program->functions.v[warp->cta->launch->function].function;
    const struct ir_symbol *nearest = NULL;
    uint64_t at = 0;
    for (uint32_t i = 0; i < program->module->symbols.n; i++) {
        const struct ir_symbol *symbol = &program->module->symbols.v[i];
        bool other = symbol->function != IR_NONE && symbol->function != entry &&
                     program->module->functions.v[symbol->function].is_entry;
        if (symbol->space != W_shared || !symbol->size || other ||
            program->address_of.v[i] > address || (nearest && program->address_of.v[i] < at))
            continue;
        nearest = symbol;
        at = program->address_of.v[i];
    }
    uint32_t bytes = warp->cta->shared_bytes, dynamic = warp->cta->launch->dynamic_shared;
    uint32_t before = (uint32_t)-address;
    if (address >= SHARED_STRIDE && before < SHARED_STRIDE) { // with 32-bit or 64-bit addresses
        snprintf(to, size, "%u bytes before the CTA's %u bytes of shared memory", before, bytes);
        return;
    }
    if (dynamic && address >= bytes - dynamic) {
        image_describe_offset(to, size, address - (bytes - dynamic), dynamic,
                              "dynamic shared memory", 21);
        return;
    }
    bool outside = nearest && address - at >= nearest->size;
    if (!nearest || (outside && at + nearest->size < bytes)) { // the dynamic part is the last
        snprintf(to, size, "outside of the CTA's %u bytes of shared memory", bytes);
        return;
    }
    const struct name *name = tree_name(program->module->tree, nearest->name);
    image_describe_offset(to, size, address - at, nearest->size, name->text, name->length);
}

void access_describe(const struct warp *warp, uint16_t space, uint64_t address, char *to,
                     size_t size)
{
    *to = 0;
    if (space == W_global)
        image_describe(warp->cta->launch->image, address, to, size);
    else if (space == W_shared)
        describe_shared(warp, address, to, size);
}

static void describe_local(const struct access *access, uint64_t address, char *to, size_t size)
{
    uint64_t before = -address;
    if (before && before < SHARED_STRIDE)
        snprintf(to, size, "%" PRIu64 " bytes before the thread's %u bytes of local memory", before,
                 access->local_end);
    else
        image_describe_offset(to, size, address, access->local_end, "local memory", 12);
}

static bool bad_address(struct warp *warp, const struct access *access, const struct spot *spot,
                        uint32_t lane, uint64_t bytes, const char *what)
{
    struct fault *fault = warp->fault;
    if (fault->happened)
        return false;
    fault->has_address = spot->space == W_global;
    fault->address = spot->address;
    access_describe(warp, spot->space, spot->address, fault->nearest, sizeof fault->nearest);
    if (!*fault->nearest)
        describe_local(access, spot->address, fault->nearest, sizeof fault->nearest);
    warp_fault(warp, access->code, 1u << lane,
               "%s of %" PRIu64 " bytes at %s address 0x%" PRIx64 " %s", access_name(access), bytes,
               space_name(spot->space), spot->address, what);
    fault->function = access->function; // the warp may be in another function by now
    return false;
}

// Maps generic addresses to their window: the shared memory of the cluster's CTAs, one after the
// other, or local memory. In shared space, a CTA's own memory starts at 0 and is followed by that
// of the other CTAs.
void access_settle(const struct cta *cta, struct spot *spot)
{
    uint64_t shared = spot->address - SHARED_WINDOW, local = spot->address - LOCAL_WINDOW;
    if (spot->space == W_param) {
        spot->space = spot->address < LOCAL_WINDOW ? W_local : W_global;
    } else if (spot->space != W_UNKNOWN) {
        return;
    } else if (shared < WINDOW_BYTES) {
        spot->space = W_shared;
        spot->address =
            shared / SHARED_STRIDE == cta->rank ? shared % SHARED_STRIDE : shared + SHARED_STRIDE;
    } else if (local < WINDOW_BYTES) {
        spot->space = W_local;
        spot->address = local;
    } else {
        spot->space = W_global;
    }
}

static bool find_global(struct warp *warp, const struct access *access, uint32_t lane,
                        uint64_t bytes, struct spot *spot)
{
    struct image *image = warp->cta->launch->image;
    spot->host = image_at(image, spot->address, bytes, &warp->hint);
    if (!spot->host)
        return bad_address(warp, access, spot, lane, bytes,
                           image_at(image, spot->address, 1, &warp->hint)
                               ? "extends beyond the allocation in which it starts"
                               : "is in no allocation");
    if (access->writes && image->list.v[warp->hint].constant)
        return bad_address(warp, access, spot, lane, bytes, "is in constant memory");
    return true;
}

// Returns true if a lower lane accesses the same words, which count once per warp.
static bool is_again(const struct access *access, uint32_t lane)
{
    for (uint32_t mask = access->mask & ((1u << lane) - 1); mask; mask &= mask - 1)
        if (access->address[__builtin_ctz(mask)] / PLANE_WORD == access->address[lane] / PLANE_WORD)
            return true;
    return false;
}

// Untimed access to a state plane: a load of an empty word is a fault that ends the launch, and a
// store fills words.
static bool use_plane(struct warp *warp, const struct access *access, uint32_t lane, uint64_t bytes,
                      struct spot *spot)
{
    const struct image *image = warp->cta->launch->image;
    const struct plane_line at = plane_find(image, spot->address);
    bool reads = !access->atomic && !access->writes && !access->discards;
    bool waits = reads || (access->atomic && plane_holds_atomics(at));
    if (at.plane && at.plane->count && is_again(access, lane))
        return true;
    uint64_t missing = waits ? plane_find_missing(image, spot->address, bytes, PLANE_WAIT_FULL) : 0;
    if (missing) {
        warp->fault->needs_word = missing;
        return bad_address(warp, access, spot, lane, bytes, "needs a word that is empty");
    }
    if (reads)
        plane_count_reads(image, spot->address, bytes);
    else
        plane_act_all(image, spot->address, bytes, access->discards ? PLANE_EMPTY : PLANE_FILL);
    return true;
}

static bool find_shared(struct warp *warp, const struct access *access, uint32_t lane,
                        uint64_t bytes, struct spot *spot)
{
    const struct cluster *cluster = &warp->cta->cluster;
    uint64_t offset = spot->address;
    spot->cta = warp->cta;
    if (offset >= SHARED_STRIDE) {
        uint64_t rank = offset / SHARED_STRIDE - 1;
        if (rank >= cluster->count)
            return bad_address(warp, access, spot, lane, bytes,
                               cluster->count > 1 ? "is in no CTA of the cluster"
                                                  : "is outside of the CTA's shared memory");
        spot->cta = cluster->ctas[rank];
        offset %= SHARED_STRIDE;
    }
    if (offset >= spot->cta->shared_bytes || bytes > spot->cta->shared_bytes - offset)
        return bad_address(warp, access, spot, lane, bytes,
                           "is outside of the CTA's shared memory");
    spot->address = offset;
    spot->host = spot->cta->shared + offset;
    return true;
}

static bool find_local(struct warp *warp, const struct access *access, uint32_t lane,
                       uint64_t bytes, struct spot *spot)
{
    if (access->atomic)
        return bad_address(warp, access, spot, lane, bytes, "is in local memory");
    if (spot->address >= access->local_end || bytes > access->local_end - spot->address)
        return bad_address(warp, access, spot, lane, bytes,
                           "is outside of the thread's local memory");
    spot->host = warp->local + (size_t)lane * warp->local_stride + spot->address;
    return true;
}

static enum touched_use use_of(const struct access *access)
{
    return access->discards ? TOUCHED_DISCARDED : access->writes ? TOUCHED_WRITTEN : TOUCHED_READ;
}

bool access_find(struct warp *warp, const struct access *access, uint32_t lane, uint64_t bytes,
                 uint32_t align, struct spot *spot)
{
    *spot = (struct spot){.space = access->memory->space, .address = access->address[lane]};
    access_settle(warp->cta, spot);
    uint64_t address = spot->address;
    if (spot->address & (align - 1))
        return bad_address(warp, access, spot, lane, bytes, "is not aligned");
    bool found = spot->space == W_shared  ? find_shared(warp, access, lane, bytes, spot)
                 : spot->space == W_local ? find_local(warp, access, lane, bytes, spot)
                                          : find_global(warp, access, lane, bytes, spot);
    if (found && spot->space == W_global && warp->cta->launch->image->watches_planes)
        found = use_plane(warp, access, lane, bytes, spot);
    if (found && warp->check && !access->discards)
        check_access(warp->check, warp, access, lane, spot, bytes);
    warp->writes += access->writes;
    if (found && warp->touched)
        touched_add(warp->touched, touched_space(spot->space), use_of(access), lane, address,
                    (uint32_t)bytes);
    return found;
}

void access_addresses(struct warp *warp, const struct path *path, const struct code *code,
                      const struct memory_code *memory, uint32_t mask, uint32_t bytes,
                      struct access *access)
{
    const void *base = memory->base_width ? warp_register_lanes(warp, memory->base) : NULL;
    uint64_t offset = (uint64_t)memory->offset + (memory->in_frame ? path->local : 0);
    access->code = code;
    access->memory = memory;
    access->mask = mask;
    access->bytes = bytes;
    access->reads = access->writes = access->atomic = access->plain = access->discards = false;
    access->local = path->local;
    access->local_end = path->local_end;
    access->function = path->function;
    access->span = warp->ops->addresses(access->address, base, memory->base_width, offset, mask);
}

void touched_add(struct touched *touched, enum touched_space space, enum touched_use use,
                 uint32_t lane, uint64_t address, uint32_t bytes)
{
    struct touched_part *part = touched->parts;
    for (uint32_t i = 0; i < touched->count; i++, part++) {
        if (part->space == space && part->use == use && !(part->mask >> lane & 1))
            break;
    }
    if (part == touched->parts + touched->count) {
        assert(touched->count < TOUCHED_PARTS);
        touched->count++;
        part->space = (uint8_t)space;
        part->use = (uint8_t)use;
        part->mask = 0;
    }
    part->mask |= 1u << lane;
    part->bytes[lane] = bytes;
    part->address[lane] = address;
}
