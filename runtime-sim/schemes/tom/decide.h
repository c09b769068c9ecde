// The decision of the offload controller [002 §4.2].
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum tom_policy { TOM_BASELINE, TOM_NO_CTRL, TOM_CTRL, TOM_IDEAL };

// Channels to which a block adds no traffic: bits of a block's tag.
enum tom_saves { TOM_SAVES_TX = 1, TOM_SAVES_RX = 2 };

enum tom_answer {
    TOM_OFFLOAD,
    TOM_CONDITION_FALSE,
    TOM_BUSY_TX,
    TOM_BUSY_RX,
    TOM_FULL,
};

struct tom_question {
    enum tom_policy policy;
    bool condition; // holds, or the block has no condition
    bool busy_tx, busy_rx;
    unsigned saves;          // enum tom_saves, as bits
    uint32_t pending, limit; // blocks of the stack
};

// Steps 1 and 2: before the stack is known. TOM_OFFLOAD: continue.
static inline enum tom_answer tom_decide_first(const struct tom_question *q)
{
    if (!q->condition)
        return TOM_CONDITION_FALSE;
    if (q->policy != TOM_CTRL)
        return TOM_OFFLOAD;
    if (q->busy_tx && !(q->saves & TOM_SAVES_TX))
        return TOM_BUSY_TX;
    return q->busy_rx && !(q->saves & TOM_SAVES_RX) ? TOM_BUSY_RX : TOM_OFFLOAD;
}

// Step 3.
static inline enum tom_answer tom_decide_stack(const struct tom_question *q)
{
    return q->policy == TOM_CTRL && q->pending >= q->limit ? TOM_FULL : TOM_OFFLOAD;
}
