// Accesses that must wait for older ones of their warp, or of other warps of the core, to the same
// line. The L1 serves accesses in order. Accesses that bypass it may overtake each other in the
// network.
#include "runtime-sim/exec/memory/atomic.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/core/core.h"

static const struct atomic_op *operation(const struct held *held)
{
    return ((const struct atomic_code *)held->code->extra)->op;
}

// Returns true if the order of the two affects neither memory nor a register.
static bool commute(const struct held *a, const struct held *b)
{
    return a->kind == HELD_REDUCE && b->kind == HELD_REDUCE && operation(a) == operation(b) &&
           operation(a)->op != W_inc && operation(a)->op != W_dec;
}

// Returns true if a lane accesses the same bytes in both and the order matters.
static bool depend(const struct entry *older, const struct part *a, const struct entry *younger,
                   const struct part *b)
{
    const struct held *x = older->held, *y = younger->held;
    if ((a->kind == MEMSYS_READ && b->kind == MEMSYS_READ) || x->served || y->served ||
        commute(x, y))
        return false;
    for (uint32_t rest = a->lanes & b->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (x->address[lane] < y->address[lane] + y->bytes &&
            y->address[lane] < x->address[lane] + x->bytes)
            return true;
    }
    return false;
}

static bool waits_for(const struct entry *older, const struct entry *younger,
                      const struct part *part)
{
    for (uint32_t k = 0; k < older->sent; k++) {
        const struct part *at = &older->parts.v[k];
        if (at->line != part->line || at->answered ||
            (at->route != ROUTE_L1 && at->route != ROUTE_DIRECT))
            continue;
        if (at->route != part->route ||
            (part->route == ROUTE_DIRECT && depend(older, at, younger, part)))
            return true;
    }
    return false;
}

bool lsu_must_wait(const struct core *core, uint32_t index, const struct part *part)
{
    const struct entry *self = &core->lsu.entries[index];
    const struct warp_slot *slot = &core->slots[self->slot];
    bool direct = part->route == ROUTE_DIRECT;
    uint32_t others = direct ? slot->cached : slot->direct;
    uint32_t alike = !direct ? 0 : part->kind == MEMSYS_READ ? slot->atomics : slot->direct;
    for (uint32_t i = 0; (others || alike) && i < core->lsu.entry_count; i++) {
        const struct entry *entry = &core->lsu.entries[i];
        if (entry->left && entry->slot == self->slot && entry != self &&
            waits_for(entry, self, part))
            return true;
    }
    // Accesses of other warps that the L1 has not served yet.
    return direct && cache_waits(&core->l1, part->line, part->kind == MEMSYS_READ);
}

bool lsu_has_direct(const struct core *core, uint32_t slot)
{
    for (uint32_t i = 0; core->slots[slot].entries && i < core->lsu.queue_count; i++) {
        const struct entry *entry =
            &core->lsu.entries[core->lsu.queue[(core->lsu.queue_head + i) % core->lsu.queue_room]];
        for (uint32_t k = entry->sent; entry->slot == slot && k < entry->parts.n; k++)
            if (entry->parts.v[k].route == ROUTE_DIRECT)
                return true;
    }
    return false;
}
