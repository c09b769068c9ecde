// Doing a run: buffers in memory, launches one after the other, comparison of the results.
#pragma once
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/run/run.h"
#include <stdatomic.h>

enum session_outcome {
    SESSION_DONE,
    SESSION_BAD_INPUT,
    SESSION_CHECK_FAILED,
    SESSION_NO_PROGRESS,
    SESSION_FAULT,
    SESSION_INTERRUPTED,
    SESSION_LIMITED, // as many cycles as were wanted are over
    SESSION_STOPPED, // and so are as many launches
};

struct check;
struct image;
struct grid_result;
struct launch;
struct machine_plans;
struct profile;
struct stalls;
struct ir_loc;
struct ir_locs;
struct textures;
struct timed_kernel;

// What a kernel has done, in all its launches.
struct session_kernel {
    const char *name;
    uint64_t launches, warp_instructions, thread_instructions;
    struct profile *profile;    // NULL: none was wanted
    struct timed_kernel *timed; // what its launches that took time have counted; NULL: none did
};

// A launch that is to be executed, and what it has executed.
struct session_launch {
    struct session_kernel *kernel;
    struct launch *launch;
    uint64_t warp_instructions, thread_instructions;
};

// Warps that stand still at one place.
struct session_stall {
    const char *text;            // one sentence without a full stop
    uint32_t begin;              // in the program's text
    uint32_t cta[3], warp;       // one of them
    uint64_t warps, ctas;        // how many, of how many CTAs
    const struct ir_loc *origin; // NULL: not known
};

// A fault with all that is known of it.
struct session_fault {
    bool happened;
    const char *text; // one sentence without a full stop
    const char *kernel;
    uint64_t launch; // from 1
    uint32_t cta[3], thread[3];
    uint32_t begin, end; // in the program's text
    bool has_address;
    uint64_t address;
    const char *nearest;              // where that is, in words, or NULL
    const struct ir_loc *origin;      // NULL: not known
    VEC(struct session_stall) stalls; // of a launch without progress
};

// Where a list of steps is: in a step, and if that is a repeat, in a round of it.
struct session_frame {
    uint32_t step;
    uint64_t round, times, most; // of the rounds, as they were when the first one began
};

struct session {
    struct arena *arena;
    struct run *run;
    const struct program *program;
    const struct source *source;        // of the program
    struct diags *diags;                // about the program
    uint32_t threads;                   // of this machine
    uint64_t max_instructions;          // of warps, in launches without cycles; 0: no limit
    bool race, uninit;                  // look for races, for reads of what was never written
    bool profiled;                      // count for each instruction
    struct check *check;                // made by session_prepare if one of these is wanted
    struct image *image;                // made by session_prepare
    struct textures *textures;          // likewise
    VEC(struct session_kernel) kernels; // in the order of their first launches
    uint64_t launches, rounds;          // rounds of all repeats since the start or the checkpoint
    uint64_t instructions;              // of warps, in launches without cycles
    VEC(struct session_frame) path;     // to the launch that was the last, from the outermost list
    uint32_t resumed;          // frames of `path` that were there before session_run; at first
    double kernel_cpu_seconds; // of all threads
    uint32_t passed, failed;   // checks
    struct session_fault fault;
    struct ir_locs *locs;   // NULL: nobody has asked yet
    const atomic_int *stop; // leave off when this is not 0; NULL: nobody asks
    // Called before each launch.
    void (*progress)(void *context, const char *kernel, uint64_t launch);
    void *context;
    uint64_t stop_after; // launches, of those that are resumed as well; 0: none
    // Called after every launch whose number is a multiple of `checkpoint_every` (0: none) and that
    // is done; if others run at the same time, after those.
    uint64_t checkpoint_every;
    void (*checkpoint)(void *context);
    void *checkpoint_context;
    // Is the launch of this number, of the kernel's and from 1, one for `execute`? NULL: none is.
    // grid_run does the others.
    bool (*takes)(void *executor, const struct session_kernel *kernel, uint64_t number);
    // Executes launches at the same time.
    void (*execute)(void *executor, struct session_launch *launches, uint32_t count,
                    struct arena *arena, struct grid_result *result);
    void *executor;
    const struct machine_plans *plans; // of the program for schemes; NULL: none
    // What kernels print.
    void (*print)(void *context, const char *text, size_t length);
};

// CPU time of the process, all threads.
double session_cpu_seconds(void);
// Allocates and fills the buffers.
bool session_prepare(struct session *session);
// Launches, from the start, or after the one that `path` names. What keeps a kernel from running is
// told only if it is launched.
enum session_outcome session_run(struct session *session);
// Tells what was found out about accesses.
void session_tell_reports(struct session *session);
// Compares what is expected; what differs is told at the expectation.
enum session_outcome session_check(struct session *session);

// What a kernel of the program has done.
struct session_kernel *session_counts(struct session *session,
                                      const struct program_function *function);

// A variable of the program, or UINT32_MAX, after saying so, if there is none of this name.
uint32_t session_find_variable(struct session *session, const struct run_text *name);
// True if the variable is a .texref, .samplerref or .surfref.
bool session_is_handle(const struct session *session, uint32_t variable);
// Handles of the textures, before buffers are filled, which may hold them; then what they are
// bound to. Both tell what is wrong.
bool session_name_textures(struct session *session);
bool session_bind_textures(struct session *session);
// Parameters of a launch in `to`, which has the kernel's bytes. False after saying what is wrong.
bool session_arguments(struct session *session, const struct run_launch *launch,
                       const struct program_function *function, uint8_t *to);
// Reports on accesses in all.
uint64_t session_reports(const struct session *session);
// Tells what has ended a launch, the one of that number from 1.
void session_tell(struct session *session, const struct session_kernel *kernel, uint64_t number,
                  const struct grid_result *result);
// Tells who waits for whom; session_tell does.
void session_tell_stalls(struct session *session, const struct stalls *stalls);
