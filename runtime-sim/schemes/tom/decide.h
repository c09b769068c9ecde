// Configuration of block offloading, and the decision of the offload controller [002 §4.2].
#pragma once
#include "runtime-sim/base/config.h"

struct tom_config {
#define CONFIG_DEF "runtime-sim/schemes/tom/tom.def"
#include "runtime-sim/base/config_fields.inc"
};

// Channels to which a block adds no traffic, as bits of a block's tag.
enum tom_saves { TOM_SAVES_TX = 1, TOM_SAVES_RX = 2 };

enum tom_decision {
    TOM_OFFLOAD,
    TOM_CONDITION_FALSE,
    TOM_BUSY_TX,
    TOM_BUSY_RX,
    TOM_FULL,
    TOM_BUSY_SM,
    TOM_SLOWER,
    TOM_PLACED,
    TOM_DECISIONS,
};

// Placement of a block that does not depend on the policy (tom.at_core, tom.at_stack).
enum tom_placement { TOM_ANYWHERE, TOM_AT_CORE, TOM_AT_STACK };

struct tom_decision_inputs {
    enum tom_policy policy;
    enum tom_placement place;
    bool condition; // the condition holds, or the block has none
    bool busy_tx, busy_rx;
    unsigned saves;          // set of enum tom_saves
    uint32_t pending, limit; // pending blocks of the stack, and their maximum
    bool sm_busy, much_alu;  // TOM_ALU: the stack's SM is busy; the block has much arithmetic
    bool slower;             // TOM_MEASURED: the block takes longer in stacks
};

// Returns true for policies that check the load of channels and stacks.
static inline bool tom_controls(enum tom_policy policy)
{
    return policy == TOM_CTRL || policy == TOM_ALU || policy == TOM_MEASURED ||
           policy == TOM_IDEAL_CTRL;
}

// Returns true for policies without packets, waits, and accesses to other stacks.
static inline bool tom_is_ideal(enum tom_policy policy)
{
    return policy == TOM_IDEAL || policy == TOM_IDEAL_CTRL;
}

// Steps 1 and 2 of the decision, before the stack is known. TOM_OFFLOAD means that step 3 follows.
static inline enum tom_decision tom_decide_first(const struct tom_decision_inputs *q)
{
    if (q->place)
        return q->place == TOM_AT_CORE ? TOM_PLACED : TOM_OFFLOAD;
    if (!q->condition)
        return TOM_CONDITION_FALSE;
    if (!tom_controls(q->policy))
        return TOM_OFFLOAD;
    if (q->busy_tx && !(q->saves & TOM_SAVES_TX))
        return TOM_BUSY_TX;
    if (q->busy_rx && !(q->saves & TOM_SAVES_RX))
        return TOM_BUSY_RX;
    return q->policy == TOM_MEASURED && q->slower ? TOM_SLOWER : TOM_OFFLOAD;
}

// Step 3 of the decision, for a known stack.
static inline enum tom_decision tom_decide_stack(const struct tom_decision_inputs *q)
{
    if (q->place == TOM_AT_STACK || !tom_controls(q->policy))
        return TOM_OFFLOAD;
    if (q->pending >= q->limit)
        return TOM_FULL;
    return q->policy == TOM_ALU && q->sm_busy && q->much_alu ? TOM_BUSY_SM : TOM_OFFLOAD;
}
