// First step of an access that is held. For issue.c.
#pragma once
#include "runtime-sim/exec/warp/issue.h"

// Is the code's access one to be held? One to parameters is not: those are in registers or in
// memory for constants, which is not what loads and stores wait for.
bool held_can(const struct code *code);
// Is it a load or a store, is it a load?
bool held_is_plain(const struct code *code);
bool held_is_load(const struct code *code);
// Does the code access memory by itself, all at once?
bool held_touches(const struct code *code);
void held_begin(struct held *held, struct warp *warp, const struct path *path,
                const struct code *code, uint32_t mask);
