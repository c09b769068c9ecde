// Control by measured cycles (tom-measured): how many instances of a block may be in stacks.
//
// Each block has a window. It begins small, grows by one with each iteration that a stack ends in
// time, and shrinks by one with each that is late; an iteration is late if it takes longer than the
// mean of those in the GPU. It is late as soon as it is overdue, and the window does not grow while
// an instance is overdue: a scheduler that prefers old warps shows a stack that has too many of
// them by iterations that do not end, while others end fast.
//
// The first instances of a block without a loop may begin all at once. Until one is judged the
// window has the share of the instances with which the GPU and the stacks end at the same time, by
// the words and instructions of the block and the bandwidths and issue slots of both.
//
// A warp that executes a loop comes to the begin of its block in each iteration. There one in the
// GPU may follow those in stacks, if the window has room, and a late one in a stack comes back, if
// the window is exceeded. So a decision binds for one iteration of a loop. That about a block
// without a loop binds for the instance, which counts as one iteration.
//
// A window that has closed opens for one instance after a pause, which each failure doubles: with
// each the share that is spent on trying halves.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct tom;
struct tom_run;

struct tom_window {
    uint64_t cycles, count; // of the last iterations in the GPU; in cores' ticks only sums
    uint64_t ended;         // of these since the last tick
    double mean;            // of these, in the last tick; 0: none has ended
    double rate;            // of all stacks over that of the GPU, as far as the block determines it
    uint64_t begun, outside; // instances; of these in stacks or on the way there
    uint64_t tried;          // most outside until the first one is judged
    bool judged;
    int64_t size, change; // instances that may be outside; sum of the changes since the last tick
    int64_t room;         // size less outside, in the last tick
    uint64_t pause, wait; // iterations in the GPU while the window is closed; that are left
    uint32_t overdue;     // instances, when they were counted last
};

// Requires tom->stacks and tom->times. Called once.
void tom_window_init(struct tom *tom);

// In a scheme's tick.

// The block of a warp begins, not only its next iteration.
void tom_window_begin(struct tom *tom, struct tom_run *run);
// Returns true if the instance may leave the GPU; it is outside from now on.
bool tom_window_admits(struct tom *tom, struct tom_run *run);
// The instance is not outside any longer, if it was. Also in a core's tick.
void tom_window_leave(struct tom *tom, struct tom_run *run);
// The instance has ended in its stack.
void tom_window_ended(struct tom *tom, const struct tom_run *run, uint64_t now);
// Applies the changes of all windows.
void tom_window_tick(struct tom *tom);
// Returns the next cycle in which instances are looked at.
uint64_t tom_window_next(const struct tom *tom);

// In a core's tick.

// The warp issues an instruction of its block. Returns true if it comes to the begin again.
bool tom_window_passes(struct tom_run *run, bool is_begin);
// An iteration has ended in the GPU. Returns true if the window has room.
bool tom_window_home(struct tom *tom, struct tom_run *run, uint64_t now);
// An iteration has ended in a stack. Returns true if the instance must come back.
bool tom_window_away(struct tom *tom, struct tom_run *run, uint64_t now);
