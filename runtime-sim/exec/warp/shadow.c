// A captured code is a copy whose slots refer to the shadow's memory instead of the path's frame.
// Each instruction has new locations for its results and inputs, so that it does not overwrite a
// value that another one needs, even if both share a slot in the frame.
#include "runtime-sim/exec/warp/shadow.h"
#include "runtime-sim/exec/warp/compute.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/warp/steps.h"
#include <assert.h>
#include <string.h>

// A slot of the frame, and its location in the shadow.
struct shadow_slot {
    struct shadow_slot *next;
    uint32_t slot;    // slot in the frame
    uint32_t version; // IR version that the instruction defines
    uint32_t at;      // slot in the shadow
    uint32_t mask;    // lanes that the instruction writes; 0: copied from the frame
    uint8_t width;
    bool made;  // written by the instruction
    bool spent; // read by another instruction, or overwritten; must not be written back
};

struct shadow_code {
    struct shadow_code *next;
    uint32_t mask; // lanes that issued it
    uint32_t left; // lanes still to be computed
    struct code code;
};

enum { CACHE_LINE = 64 };

static void *allocate_bytes(struct shadow *shadow, size_t bytes)
{
    void *at = shadow->room + shadow->used;
    shadow->used += align_up(bytes, CACHE_LINE);
    return at;
}

// Classification of instructions

enum shadow_kind shadow_kind(const struct code *code)
{
    while (code->step == step_reconverge)
        code++;
    if (held_can(code) && held_is_plain(code) && code->ends)
        return held_is_load(code) ? SHADOW_LOAD : SHADOW_STORE;
    while (code->lanes && !code->ends)
        code++;
    return code->lanes ? SHADOW_COMPUTES : SHADOW_NOTHING;
}

// Memory

static size_t slot_bytes(uint32_t bytes)
{
    return align_up(sizeof(struct shadow_slot), CACHE_LINE) + align_up(bytes, CACHE_LINE);
}

// Returns the size of the copy of a code, with locations for its results.
static size_t code_bytes(const struct code *code)
{
    size_t bytes = align_up(sizeof(struct shadow_code), CACHE_LINE);
    bytes += code->d == REG_SLOT_NONE ? 0 : slot_bytes(lanes_bytes(code->width));
    bytes += code->d2 == REG_SLOT_NONE ? 0 : slot_bytes(lanes_bytes(code->width2));
    if (!code->list)
        return bytes;
    bytes += align_up(sizeof *code->list, CACHE_LINE) +
             align_up(code->list->count * sizeof(uint32_t), CACHE_LINE);
    for (uint32_t i = 0; i < code->list->count; i++)
        bytes += slot_bytes(lanes_bytes(code->list->width[i]));
    return bytes;
}

// Each register that is read is copied once.
static size_t instruction_bytes(const struct code *code, const struct reg_slot_use *uses,
                                uint32_t count)
{
    size_t bytes = align_up(sizeof(struct shadow_code), CACHE_LINE);
    for (uint32_t i = 0; i < count; i++)
        bytes += uses[i].between ? 0 : slot_bytes(uses[i].bytes);
    for (bytes += code_bytes(code); !code->ends; bytes += code_bytes(code))
        code++;
    return bytes;
}

size_t shadow_bytes(const struct program *program, const struct reg_slots_used *slots)
{
    size_t max = 0;
    for (uint32_t i = 0; i < program->codes.n; i++) {
        const struct code *code = &program->codes.v[i];
        const struct reg_slot_use *uses;
        if (shadow_kind(code) == SHADOW_NOTHING)
            continue;
        uint32_t count = code_reg_slots_used(slots, i, &uses);
        size_t bytes = instruction_bytes(code, uses, count);
        max = bytes > max ? bytes : max;
    }
    return sizeof(struct shadow) + SHADOW_INSTS * max;
}

void shadow_begin(struct shadow *shadow, struct warp *warp, const struct reg_slots_used *slots)
{
    *shadow = (struct shadow){.warp = warp, .slots = slots, .frame = IR_NONE};
}

// Checks that all members of the chain are of one path.
static void come(struct shadow *shadow, uint32_t frame, uint32_t function)
{
    assert(shadow->frame == IR_NONE || shadow->frame == frame);
    shadow->frame = frame;
    shadow->function = function;
}

// Locations

static const struct reg_slot_use *find_use(const struct shadow *shadow, const struct code *code,
                                           uint32_t slot, bool written)
{
    const struct reg_slot_use *uses;
    const struct program *program = shadow->warp->program;
    uint32_t count = code_reg_slots_used(shadow->slots, (uint32_t)(code - program->codes.v), &uses);
    for (uint32_t i = 0; i < count; i++)
        if (REG_SLOT(BASE_FRAME, uses[i].offset) == slot && !uses[i].between &&
            uses[i].written == written)
            return &uses[i];
    return NULL;
}

static struct shadow_slot *find_slot(struct shadow_slot *list, uint32_t slot)
{
    while (list && list->slot != slot)
        list = list->next;
    return list;
}

static struct shadow_slot *new_slot(struct shadow *shadow, uint32_t slot, uint32_t bytes)
{
    struct shadow_slot *place = allocate_bytes(shadow, sizeof *place);
    *place = (struct shadow_slot){.next = shadow->inside,
                                  .slot = slot,
                                  .version = IR_NONE,
                                  .at = REG_SLOT(BASE_FRAME, shadow->used)};
    allocate_bytes(shadow, bytes);
    shadow->inside = place;
    return place;
}

static void *slot_lanes(struct shadow *shadow, uint32_t slot)
{
    return shadow->room + (slot & ((1u << REG_SLOT_SHIFT) - 1));
}

static void *at_frame(const struct shadow *shadow, uint32_t slot)
{
    return shadow->warp->frames + shadow->frame + (slot & ((1u << REG_SLOT_SHIFT) - 1));
}

static bool in_frame(uint32_t slot)
{
    return slot != REG_SLOT_NONE && slot >> REG_SLOT_SHIFT == BASE_FRAME;
}

// Returns the location of a register that the chain has written, or of a copy of the frame's
// current value.
static uint32_t source(struct shadow *shadow, const struct code *code, uint32_t slot)
{
    if (!in_frame(slot))
        return slot;
    struct shadow_slot *place = find_slot(shadow->inside, slot);
    if (place)
        return place->at;
    const struct reg_slot_use *use = find_use(shadow, code, slot, false);
    assert(use); // a value between codes was written by one of them
    for (place = shadow->made; place; place = place->next)
        if (place->slot == slot && place->version == use->version) {
            place->spent = true;
            return place->at;
        }
    place = new_slot(shadow, slot, use->bytes);
    memcpy(slot_lanes(shadow, place->at), at_frame(shadow, slot), use->bytes);
    return place->at;
}

// Returns the location for a result. `mask` has the lanes that will be written; the others keep
// their value.
static uint32_t destination(struct shadow *shadow, uint32_t slot, uint8_t width, uint32_t mask)
{
    if (!in_frame(slot))
        return slot;
    struct shadow_slot *place = find_slot(shadow->inside, slot);
    if (!place || !place->made) {
        place = new_slot(shadow, slot, lanes_bytes(width));
        place->made = true;
        place->width = width;
        if (mask != FULL_MASK)
            memcpy(slot_lanes(shadow, place->at), at_frame(shadow, slot), lanes_bytes(width));
    }
    place->mask |= mask;
    return place->at;
}

// A result in a slot ends the life of the slot's previous value.
static void spend_made(struct shadow *shadow, uint32_t slot)
{
    for (struct shadow_slot *place = shadow->made; place; place = place->next)
        place->spent |= place->slot == slot;
}

// Called at the end of an instruction: keeps the registers that other instructions of the chain may
// read.
static void keep_made(struct shadow *shadow, const struct code *code)
{
    for (struct shadow_slot *place = shadow->inside, *next; place; place = next) {
        next = place->next;
        const struct reg_slot_use *use =
            place->made ? find_use(shadow, code, place->slot, true) : NULL;
        if (!use)
            continue;
        spend_made(shadow, place->slot);
        place->version = use->version;
        place->next = shadow->made;
        shadow->made = place;
    }
    shadow->inside = NULL;
}

// Codes

static void rename_code(struct shadow *shadow, struct shadow_code *to, const struct code *from)
{
    to->code = *from;
    for (uint32_t i = 0; i < from->source_count; i++)
        to->code.s[i] = source(shadow, from, from->s[i]);
    to->code.d = destination(shadow, from->d, from->width, to->mask);
    to->code.d2 = destination(shadow, from->d2, from->width2, to->mask);
}

static struct code_list *rename_list(struct shadow *shadow, const struct code *code, uint32_t mask)
{
    const struct code_list *from = code->list;
    struct code_list *to = allocate_bytes(shadow, sizeof *to);
    *to = *from;
    to->slot = allocate_bytes(shadow, from->count * sizeof *to->slot);
    for (uint32_t i = 0; i < from->count; i++)
        to->slot[i] = held_is_load(code) ? destination(shadow, from->slot[i], from->width[i], mask)
                                         : source(shadow, code, from->slot[i]);
    return to;
}

static void capture_access(struct shadow *shadow, struct held *held)
{
    struct code *to = allocate_bytes(shadow, sizeof *to);
    *to = *held->code;
    to->list = rename_list(shadow, held->code, held->mask);
    keep_made(shadow, held->code);
    held->code = to;
    held->shadow = shadow->room;
}

// Loads

void shadow_capture_load(struct shadow *shadow, struct held *held)
{
    assert(held->kind == HELD_LOAD && !held->served && held->left == held->mask && !held->shadow);
    come(shadow, held->frame, held->access.function);
    capture_access(shadow, held);
}

static void put_back(struct shadow *shadow, const struct shadow_slot *place, uint32_t lanes)
{
    shadow->warp->ops->blend(at_frame(shadow, place->slot), slot_lanes(shadow, place->at),
                             place->mask & lanes, place->width);
}

// Returns true if the load writes this location.
static bool is_of(const struct held *held, const struct shadow_slot *place)
{
    for (uint32_t i = 0; i < held->code->list->count; i++)
        if (held->code->list->slot[i] == place->at)
            return true;
    return false;
}

bool shadow_give_load(struct shadow *shadow, struct held *held)
{
    for (struct shadow_slot *place = shadow->made; place; place = place->next)
        if (place->spent && is_of(held, place))
            return false;
    for (struct shadow_slot **link = &shadow->made; *link;) {
        struct shadow_slot *place = *link;
        if (is_of(held, place)) {
            put_back(shadow, place, held->mask & ~held->left);
            *link = place->next;
        } else {
            link = &place->next;
        }
    }
    held->code = held->access.code;
    held->shadow = NULL;
    return true;
}

// Capture

static void capture(struct shadow *shadow, const struct code *code, uint32_t mask)
{
    struct shadow_code *to = allocate_bytes(shadow, sizeof *to);
    *to = (struct shadow_code){.mask = mask, .left = mask};
    rename_code(shadow, to, code);
    *(shadow->last ? &shadow->last->next : &shadow->first) = to;
    shadow->last = to;
}

static const struct path *begin_capture(struct warp *warp, struct shadow *shadow)
{
    const struct path *path = &warp->paths.v[warp->current];
    warp->bases[BASE_FRAME] = warp->frames + path->frame;
    come(shadow, path->frame, path->function);
    return path;
}

// Counts the code, as the core does for an instruction that it executes.
static uint32_t count_code(struct warp *warp, const struct path *path, const struct code *code)
{
    uint32_t mask = guarded(warp, code, path->mask);
    warp->warp_instructions += code->counted;
    warp->thread_instructions += count_lanes(mask) & -(uint32_t)code->counted;
    if (warp->profile)
        profile_before(warp, path, code, mask);
    return mask;
}

enum issue_result issue_capture(struct warp *warp, struct shadow *shadow)
{
    const struct path *path = begin_capture(warp, shadow);
    const struct code *code = &warp->program->codes.v[path->pc];
    assert(shadow_kind(code) == SHADOW_COMPUTES);
    for (;; code++) {
        capture(shadow, code, count_code(warp, path, code));
        if (code->ends)
            break;
    }
    keep_made(shadow, code);
    warp->paths.v[warp->current].pc = (uint32_t)(code + 1 - warp->program->codes.v);
    return ISSUE_DONE;
}

enum issue_result issue_capture_store(struct warp *warp, struct shadow *shadow, struct held *held)
{
    const struct path *path = begin_capture(warp, shadow);
    const struct code *code = &warp->program->codes.v[path->pc];
    assert(shadow_kind(code) == SHADOW_STORE);
    uint32_t mask = count_code(warp, path, code);
    if (mask) {
        held_begin(held, warp, path, code, mask);
        capture_access(shadow, held);
    }
    warp->paths.v[warp->current].pc++;
    return mask ? ISSUE_HELD : ISSUE_DONE;
}

// Computation

void shadow_compute(struct shadow *shadow, uint32_t lanes)
{
    struct warp *warp = shadow->warp;
    warp->bases[BASE_FRAME] = shadow->room;
    for (struct shadow_code *at = shadow->first; at; at = at->next) {
        uint32_t mask = at->left & lanes;
        if (!mask)
            continue;
        compute(warp, &at->code, mask);
        at->left &= ~mask;
        if (!at->left && warp->profile && at->code.counted)
            profile_done(warp, shadow->function, &at->code, at->mask, NULL);
    }
}

void shadow_finish(struct shadow *shadow, uint32_t lanes)
{
    for (const struct shadow_slot *place = shadow->made; place; place = place->next)
        if (!place->spent)
            put_back(shadow, place, lanes);
}

static union lanes *lanes_at(const struct shadow *shadow, uint32_t slot)
{
    return (union lanes *)((uintptr_t)shadow->room + (slot & ((1u << REG_SLOT_SHIFT) - 1)));
}

union lanes *shadow_result(const struct shadow *shadow, uint8_t *width, uint32_t *mask)
{
    const struct shadow_code *last = shadow->last;
    if (!last)
        return NULL;
    *width = last->code.width;
    *mask = last->mask;
    return lanes_at(shadow, last->code.d);
}
