// The engine of bulk copies of a core: cp.async.bulk and its relatives. It sends requests for the
// lines in global memory past the L1, one every core.bulk_interval cycles, beside the load/store
// unit. A copy is complete when all replies have arrived; then its bytes complete at the mbarriers.
#pragma once
#include "runtime-sim/gpu/core/core.h"

// Tags of the engine's requests have this bit.
#define BULK_TAG (UINT32_C(1) << 31)

// Returns the record for the copies of an instruction.
struct bulk *bulk_record(struct core *core);
// Accepts the recorded copies of a slot's instruction.
void bulk_accept(struct core *core, uint64_t now, uint32_t slot);
// Returns true if a request can be sent now.
static inline bool bulk_is_due(const struct core *core, uint64_t now)
{
    return core->bulk.queue.n && core->bulk.next <= now;
}
// Sends a request. Returns false without a request, or without room for it.
bool bulk_send(struct core *core, uint64_t now);
// Accepts the reply to a request with this tag.
void bulk_reply(struct core *core, uint64_t now, uint32_t tag);
// Finds the copies without requests that are complete now.
void bulk_tick(struct core *core, uint64_t now);
// Returns the next cycle after `now` that needs a tick if no reply arrives.
uint64_t bulk_next(const struct core *core, uint64_t now);
// Completes the bytes of complete copies at their mbarriers, in core_commit.
void bulk_commit(struct core *core, uint64_t now);
// Returns true if the next instruction of the slot waits for groups of bulk copies.
bool bulk_holds(const struct core *core, uint32_t slot);
