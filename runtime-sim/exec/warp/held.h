// The first step of a held access, for issue.c.
#pragma once
#include "runtime-sim/exec/warp/issue.h"

// Returns true if the code's access can be held. Accesses to parameters cannot: these are in
// registers or constant memory, which the load/store unit does not access.
bool held_can(const struct code *code);
// Return true for a load or a store, and for a load.
bool held_is_plain(const struct code *code);
bool held_is_load(const struct code *code);
// Returns true if the code accesses memory itself, all at once.
bool held_touches(const struct code *code);
// Executes the first step of an access and stores it in `held`.
void held_begin(struct held *held, struct warp *warp, const struct path *path,
                const struct code *code, uint32_t mask);
