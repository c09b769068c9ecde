// Steps other than memory accesses and divergence.
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/lanes/memory_ops.h"

enum step_result step_refused(struct warp *warp, struct path *path, const struct code *code,
                              uint32_t mask)
{
    (void)path;
    return warp_fault(warp, code, mask, "this instruction is not supported");
}

enum step_result step_trap(struct warp *warp, struct path *path, const struct code *code,
                           uint32_t mask)
{
    (void)path;
    return mask ? warp_fault(warp, code, mask, "the kernel trapped") : STEP_NEXT;
}

// No debugger is attached, so a breakpoint is a fault.
enum step_result step_breakpoint(struct warp *warp, struct path *path, const struct code *code,
                                 uint32_t mask)
{
    (void)path;
    return mask ? warp_fault(warp, code, mask, "the kernel reached a breakpoint") : STEP_NEXT;
}

enum step_result step_nothing(struct warp *warp, struct path *path, const struct code *code,
                              uint32_t mask)
{
    (void)warp, (void)path, (void)code, (void)mask;
    return STEP_NEXT;
}

// Ends the warp's turn, so that the other warps run while it waits.
static void end_turn(struct warp *warp)
{
    warp->budget = 0;
}

// The warp sleeps as long as its lane with the longest time.
enum step_result step_sleep(struct warp *warp, struct path *path, const struct code *code,
                            uint32_t mask)
{
    (void)path;
    const uint32_t *times = warp_register_lanes(warp, code->s[0]);
    uint32_t longest = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (mask >> lane & 1 && times[lane] > longest)
            longest = times[lane];
    warp->slept += longest;
    if (!warp->cta->launch->time)
        end_turn(warp);
    return STEP_NEXT;
}

static void put_all(struct warp *warp, const struct code *code, uint32_t mask, uint64_t value)
{
    union lanes *lanes = &warp->temp[0];
    for (uint32_t i = 0; i < LANES; i++) {
        if (code->width == 4)
            lanes->u32[i] = (uint32_t)value;
        else
            lanes->u64[i] = value;
    }
    warp->ops->blend(warp_register_lanes(warp, code->d), lanes, mask, code->width);
}

enum step_result step_frame_address(struct warp *warp, struct path *path, const struct code *code,
                                    uint32_t mask)
{
    put_all(warp, code, mask, path->local + code->value);
    return STEP_NEXT;
}

// An untimed warp has a clock of 1 GHz that advances by 1 with each read and by the time of
// nanosleep. In a loop that only waits for the clock, each read adds twice as much as the previous
// one, up to MOST cycles, and ends the warp's turn.
static uint64_t read_untimed(struct warp *warp, bool waits)
{
    enum { MOST = 1 << 20 };
    warp->skip = !waits ? 0 : warp->skip ? 2 * warp->skip : 1;
    warp->skip = warp->skip < MOST ? warp->skip : MOST;
    if (warp->skip > 1)
        end_turn(warp);
    warp->clock += waits ? warp->skip : 1;
    return warp->clock + warp->slept;
}

static uint64_t read_clock(struct warp *warp, bool nanoseconds, bool waits)
{
    const struct launch_time *time = warp->cta->launch->time;
    if (!time)
        return read_untimed(warp, waits);
    uint64_t seconds = time->cycle / (time->clock * 1000000);
    uint64_t rest = time->cycle % (time->clock * 1000000);
    return nanoseconds ? seconds * 1000000000 + rest * 1000 / time->clock : time->cycle;
}

enum step_result step_clock(struct warp *warp, struct path *path, const struct code *code,
                            uint32_t mask)
{
    (void)path;
    bool high = code->value == SPECIAL_clock_hi || code->value == SPECIAL_globaltimer_hi;
    bool timer = high ? code->value == SPECIAL_globaltimer_hi
                      : code->value == SPECIAL_globaltimer || code->value == SPECIAL_globaltimer_lo;
    uint64_t now = read_clock(warp, timer, code->attributes);
    put_all(warp, code, mask, high ? now >> 32 : now);
    return STEP_NEXT;
}
