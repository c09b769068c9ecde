// Control by measured cycles (tom-measured) limits the number of a block's instances in stacks.
//
// Each block has a window, which is this limit. It starts small, grows by one for each iteration
// that ends in a stack in time, and shrinks by one for each late one. An iteration is late if it
// takes longer than the mean iteration in the GPU. It counts as late as soon as it is overdue, and
// the window does not grow while an instance is overdue: if a stack has too many warps and its
// scheduler prefers old ones, some iterations end fast while others do not end.
//
// All first instances of a block without a loop may begin at the same time. Until one is judged,
// the window is the share of the instances with which the GPU and the stacks finish at the same
// time, estimated from the words and instructions of the block and the bandwidths and issue slots
// of both.
//
// A warp that executes a loop reaches the start of its block in each iteration. There, a warp in
// the GPU may be offloaded if the window has room, and a late warp in a stack comes back if the
// window is exceeded. So a decision is valid for one iteration of a loop. For a block without a
// loop it is valid for the whole instance, which counts as one iteration.
//
// A closed window opens for one instance after a pause. Each failure doubles the pause, so that the
// share of iterations that is spent on attempts halves.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct tom;
struct tom_block_instance;

struct tom_window {
    uint64_t cycles, count; // sums over recent iterations in the GPU; cores' ticks only add to them
    uint64_t ended;         // iterations that have ended in the GPU since the last tick
    double mean;            // cycles / count in the last tick; 0 if no iteration has ended
    double rate;            // estimated speed of all stacks over that of the GPU for the block
    uint64_t begun, outside; // instances begun; those in stacks or in flight to or from them
    uint64_t tried;          // maximum of `outside` until the first instance is judged
    bool evaluated;
    int64_t size, change; // instances that may be outside; sum of the changes since the last tick
    int64_t room;         // size - outside in the last tick
    uint64_t pause, wait; // length of a pause, in iterations in the GPU; iterations left of it
    uint32_t overdue;     // overdue instances at the last count
};

// Initialises the windows of all blocks. Requires tom->stacks and tom->times.
void tom_window_init(struct tom *tom);

// Called in a scheme's tick

// Counts the start of a warp's block. Not called for its later iterations.
void tom_window_begin(struct tom *tom, struct tom_block_instance *run);
// Returns true if the instance may leave the GPU; it then counts as outside.
bool tom_window_admits(struct tom *tom, struct tom_block_instance *run);
// Ends the time outside of an instance; has no effect on others. Also called in a core's tick.
void tom_window_leave(struct tom *tom, struct tom_block_instance *run);
// Judges an instance that has ended in its stack.
void tom_window_ended(struct tom *tom, const struct tom_block_instance *run, uint64_t now);
// Applies the changes of all windows.
void tom_window_tick(struct tom *tom);
// Returns the next cycle in which overdue instances are counted, or UINT64_MAX.
uint64_t tom_window_next(const struct tom *tom);

// Called in a core's tick

// Called when the warp issues an instruction of its block. Returns true if it has returned to the
// first one.
bool tom_window_passes(struct tom_block_instance *run, bool is_begin);
// Counts an iteration that has ended in the GPU. Returns true if the window has room.
bool tom_window_home(struct tom *tom, struct tom_block_instance *run, uint64_t now);
// Judges an iteration that has ended in a stack. Returns true if the instance must come back.
bool tom_window_away(struct tom *tom, struct tom_block_instance *run, uint64_t now);
