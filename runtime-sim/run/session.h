// Execution of a run on a device: buffers in memory, launches one after the other, comparison of
// the results.
#pragma once
#include "runtime-sim/device/command.h"
#include "runtime-sim/run/run.h"

enum session_outcome {
    SESSION_DONE,
    SESSION_BAD_INPUT,
    SESSION_CHECK_FAILED,
    SESSION_NO_PROGRESS,
    SESSION_FAULT,
    SESSION_INTERRUPTED,
    SESSION_LIMITED, // by cycles or instructions
    SESSION_STOPPED, // by a number of launches
};

struct host;
struct timed;
struct ir_loc;
struct ir_locs;

// Warps that wait at one place.
struct session_stall {
    const char *text;            // one sentence without a full stop
    uint32_t begin;              // in the program's text
    uint32_t cta[3], warp;       // one of them
    uint64_t warps, ctas;        // number of warps, and of their CTAs
    const struct ir_loc *origin; // NULL: not known
};

// A fault and its places.
struct session_fault {
    bool happened;
    bool stuck;       // a launch has made no progress
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
    struct device device; // its fields that the caller sets, see device.h
    struct host *host;    // for `streams`; its configuration is set by the caller
    bool logs;            // the commands of `streams`, for advice (host/host_log.h)
    struct timed *timed;  // of the device; NULL: no time
    struct arena *arena;
    struct run *run;
    struct diags *diags;            // about the program
    uint64_t rounds;                // of all repeats since the start or the checkpoint
    VEC(struct session_frame) path; // to the launch that was the last, from the outermost list
    uint32_t resumed;               // frames of `path` at the start of session_run
    uint32_t passed, failed;        // checks
    struct session_fault fault;
    struct ir_locs *locs; // NULL: not read yet
    uint64_t stop_after;  // launches, with those before the checkpoint; 0: no limit
    // Called after every completed launch whose number is a multiple of `checkpoint_every` (0: no
    // calls), and after other launches that run at the same time.
    uint64_t checkpoint_every;
    void (*checkpoint)(void *context);
    void *checkpoint_context;
};

// Allocates and fills the buffers.
bool session_prepare(struct session *session);
// Launches, from the start, or after the one that `path` names. A kernel that cannot be executed is
// a fault only if it is launched.
enum session_outcome session_run(struct session *session);
// Reports races and reads of bytes that were never written.
void session_report_accesses(struct session *session);
// Compares buffers with the run's expectations; a difference is reported at the expectation.
enum session_outcome session_check(struct session *session);

// Launches that run at the same time, until all are over.
enum session_outcome session_launch(struct session *session, const struct run_text *at,
                                    struct run_launch *const *from, uint32_t number);
// Executes the calls of `streams`.
enum session_outcome session_streams(struct session *session);
// Returns NULL after an error.
struct device_launch *session_prepare_launch(struct session *session,
                                             const struct run_launch *from);
// Reports an end of the device, and returns its outcome.
enum session_outcome session_end(struct session *session, const struct device_result *result);
// Returns a variable of the program, or UINT32_MAX after an error.
uint32_t session_find_variable(struct session *session, const struct run_text *name);
// True if the variable is a .texref, .samplerref or .surfref.
bool session_is_handle(const struct session *session, uint32_t variable);
// Gives textures their handles, before buffers are filled, which may hold them; then binds them.
// Return false after errors.
bool session_name_textures(struct session *session);
bool session_bind_textures(struct session *session);
// Writes the parameters of a launch to `to`, which has the kernel's bytes. Returns false after
// errors.
bool session_arguments(struct session *session, const struct run_launch *launch,
                       const struct program_function *function, uint8_t *to);
// Reports the fault that has ended a launch, the one of that number from 1.
void session_report_fault(struct session *session, const struct device_kernel *kernel,
                          uint64_t number, const struct grid_result *result);
// Reports the warps that wait, and for which others; session_report_fault does.
void session_report_stalls(struct session *session, const struct stalls *stalls);
