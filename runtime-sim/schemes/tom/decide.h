// The configuration of offloading blocks, and the decision of the offload controller [002 §4.2].
#pragma once
#include "runtime-sim/base/config.h"

struct tom_config {
#define CONFIG_DEF "runtime-sim/schemes/tom/tom.def"
#include "runtime-sim/base/config_fields.inc"
};

// Channels to which a block adds no traffic: bits of a block's tag.
enum tom_saves { TOM_SAVES_TX = 1, TOM_SAVES_RX = 2 };

enum tom_answer {
    TOM_OFFLOAD,
    TOM_CONDITION_FALSE,
    TOM_BUSY_TX,
    TOM_BUSY_RX,
    TOM_FULL,
    TOM_BUSY_SM,
    TOM_SLOWER,
    TOM_PLACED,
    TOM_ANSWERS,
};

// The place of a block that does not depend on the policy.
enum tom_place_of { TOM_ANYWHERE, TOM_AT_CORE, TOM_AT_STACK };

struct tom_question {
    enum tom_policy policy;
    enum tom_place_of place;
    bool condition; // holds, or the block has no condition
    bool busy_tx, busy_rx;
    unsigned saves;          // enum tom_saves, as bits
    uint32_t pending, limit; // blocks of the stack
    bool sm_busy, much_alu;  // TOM_ALU: the stack's SM is busy; the block has much arithmetic
    bool slower;             // TOM_MEASURED: the block takes longer in stacks
};

// Policies that look at channels and room.
static inline bool tom_controls(enum tom_policy policy)
{
    return policy == TOM_CTRL || policy == TOM_ALU || policy == TOM_MEASURED ||
           policy == TOM_IDEAL_CTRL;
}

// Policies without packets, waits and accesses to other stacks.
static inline bool tom_is_ideal(enum tom_policy policy)
{
    return policy == TOM_IDEAL || policy == TOM_IDEAL_CTRL;
}

// Steps 1 and 2: before the stack is known. TOM_OFFLOAD: continue.
static inline enum tom_answer tom_decide_first(const struct tom_question *q)
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

// Step 3.
static inline enum tom_answer tom_decide_stack(const struct tom_question *q)
{
    if (q->place == TOM_AT_STACK || !tom_controls(q->policy))
        return TOM_OFFLOAD;
    if (q->pending >= q->limit)
        return TOM_FULL;
    return q->policy == TOM_ALU && q->sm_busy && q->much_alu ? TOM_BUSY_SM : TOM_OFFLOAD;
}
