// Decodes suld, sust and sured: the handle, the place, and the values.
#include "runtime-sim/exec/memory/atomic.h"
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/decode/prepare.h"

// Returns the type that an operation has for a surface with integers of this sign. `.p` leaves it
// open for b32 and b64.
static uint16_t typed(const struct decoder *d, bool is_signed)
{
    bool bitwise = decode_has(d, W_and) || decode_has(d, W_or);
    uint16_t type = d->inst->type;
    if (bitwise || !decode_has(d, W_p))
        return type;
    return type == W_b64 ? (is_signed ? W_s64 : W_u64) : is_signed ? W_s32 : W_u32;
}

static const char *find_operation(const struct decoder *d, struct surface_code *what)
{
    for (uint32_t i = 0; i < d->mod_count && !what->unsigned_op; i++) {
        what->unsigned_op = atomic_find(d->mods[i], typed(d, false));
        what->signed_op = atomic_find(d->mods[i], typed(d, true));
    }
    return what->unsigned_op && what->signed_op ? NULL : "this reduction is not supported";
}

static void read_modifiers(const struct decoder *d, struct surface_code *what)
{
    what->dimensions = decode_has(d, W_n3d)                           ? 3
                       : decode_has(d, W_n2d) || decode_has(d, W_a2d) ? 2
                                                                      : 1;
    what->layered = decode_has(d, W_a1d) || decode_has(d, W_a2d);
    what->formatted = decode_has(d, W_p);
    what->bounds = decode_has(d, W_clamp)  ? SURFACE_CLAMP
                   : decode_has(d, W_zero) ? SURFACE_ZERO
                                           : SURFACE_TRAP;
    what->memory = (struct memory_code){.space = W_global,
                                        .type = d->inst->type,
                                        .order = W_weak,
                                        .scope = W_UNKNOWN,
                                        .cache = {W_UNKNOWN, W_UNKNOWN, W_UNKNOWN, W_UNKNOWN},
                                        .bytes = (uint8_t)decode_type_bytes(d->inst->type),
                                        .elements = d->inst->vector,
                                        .base = REG_SLOT_NONE,
                                        .policy = REG_SLOT_NONE};
    if (d->inst->op == OP_sured)
        what->memory.order = W_relaxed;
}

// Resolves the coordinates, from `to` in the list on.
static bool decode_place(struct decoder *d, struct code *code, struct surface_code *what,
                         uint32_t to)
{
    uint32_t count = what->dimensions + what->layered;
    what->layer = (uint8_t)to;
    what->at = (uint8_t)(to + what->layered);
    for (uint32_t i = 0; i < count; i++) {
        code->list->slot[to + i] = decode_source(d, decode_operand(d, ROLE_USE, i), 4, W_s32);
        code->list->width[to + i] = 4;
        if (code->list->slot[to + i] == REG_SLOT_NONE)
            return false;
    }
    return true;
}

// Returns the number of operands in the brackets, after the surface.
static uint32_t count_coordinates(const struct decoder *d, const struct ir_operand *surface)
{
    const struct ir_operand *from;
    uint32_t count = 0;
    while ((from = decode_operand(d, ROLE_USE, count)) && from->slot == surface->slot)
        count++;
    return count;
}

const char *prepare_surface(struct decoder *d, struct code *code)
{
    struct surface_code *what = ARENA_NEW(d->program->arena, struct surface_code);
    const struct ir_operand *surface = decode_operand(d, ROLE_ADDRESS, 0);
    bool loads = d->inst->op == OP_suld;
    read_modifiers(d, what);
    uint32_t elements = what->memory.elements, results = loads ? elements : 0;
    uint32_t values = results + what->dimensions + what->layered;
    code->extra = what;
    code->list = decode_list(d, values + elements - results);
    code->s[0] = surface ? decode_handle(d, surface) : REG_SLOT_NONE;
    code->source_count = 1;
    if (code->s[0] == REG_SLOT_NONE)
        return "this surface is not supported";
    if (!decode_place(d, code, what, results))
        return "this coordinate is not supported";
    what->values = (uint8_t)values;
    what->value_count = (uint8_t)elements;
    const char *error = d->inst->op == OP_sured ? find_operation(d, what) : NULL;
    if (error)
        return error;
    return loads
               ? decode_loaded(d, &what->memory, code->list)
               : decode_stored(d, &what->memory, code->list, values, count_coordinates(d, surface));
}
