// Executes a run on a device: allocates its buffers, issues its launches in order, and compares the
// results with the expectations.
#pragma once
#include "ir/loc.h"
#include "runtime-sim/device/command.h"
#include "runtime-sim/run/run.h"

enum session_outcome {
    SESSION_DONE,
    SESSION_BAD_INPUT,
    SESSION_CHECK_FAILED,
    SESSION_NO_PROGRESS,
    SESSION_FAULT,
    SESSION_INTERRUPTED,
    SESSION_LIMITED, // by --max-cycles or --max-instructions
    SESSION_STOPPED, // by --stop-after
};

struct host;
struct timed;
struct ir_loc;
struct ir_locs;

// Warps that wait at the same instruction.
struct session_stall {
    const char *text;            // one sentence without a full stop
    uint32_t begin;              // byte offset in the program's text
    uint32_t cta[3], warp;       // one of the warps
    uint64_t warps, ctas;        // number of waiting warps and of their CTAs
    const struct ir_loc *origin; // NULL: not known
};

// A fault or a launch without progress, and where it occurred.
struct session_fault {
    bool happened;
    bool refused;              // the launch does not fit the machine
    struct launch_needs needs; // of a refused launch
    bool stuck;                // the launch made no progress
    const char *text;          // one sentence without a full stop
    const char *kernel;
    uint64_t launch; // counted from 1
    uint32_t cta[3], thread[3];
    uint32_t begin, end; // byte range in the program's text
    bool has_address;
    uint64_t address;
    const char *nearest;              // description of the nearest allocation, or NULL
    const struct ir_loc *origin;      // NULL: not known
    VEC(struct session_stall) stalls; // waiting warps of a launch without progress
};

// Position in a list of steps: the step and, if the step is a repeat, its round.
struct session_frame {
    uint32_t step;
    uint64_t round, times, max; // current round; limits as evaluated before the first round
};

struct session {
    struct device device; // the caller sets the fields that device.h names
    struct host *host;    // for `streams`; the caller sets its configuration
    uint32_t gpu;         // number of `device` in the host
    bool logs;            // log the commands of `streams` for the advice of host/host_log.h
    struct timed *timed;  // timing model of the device; NULL: functional only
    struct arena *arena;
    struct run *run;
    struct diags *diags;            // diagnostics about the program
    uint64_t rounds;                // total of all repeats since the start or the checkpoint
    VEC(struct session_frame) path; // position of the last launch, outermost list first
    uint32_t resumed;               // frames of the checkpoint's `path` still to re-enter
    uint32_t passed, failed;        // checks
    struct session_fault fault;
    struct ir_locs *locs; // NULL: not read yet
    uint64_t stop_after;  // launches, including those before the checkpoint; 0: no limit
    // `checkpoint` is called when the number of completed launches reaches or passes a multiple of
    // `checkpoint_every` (0: never). Launches that run together are counted at their common end.
    uint64_t checkpoint_every;
    void (*checkpoint)(void *context);
    void *checkpoint_context;
};

// Allocates and fills the buffers and binds the textures. Returns false after errors.
bool session_prepare(struct session *session);
// Executes the run from the start, or after the launch that `path` names. A kernel that is not
// executable is an error only if it is launched.
enum session_outcome session_run(struct session *session);
// Reports races and reads of bytes that were never written.
void session_report_accesses(struct session *session);
// Compares buffers with the run's expectations. A difference is reported at its expectation.
enum session_outcome session_check(struct session *session);

// Runs `number` launches at the same time and waits until all have ended.
enum session_outcome session_launch(struct session *session, const struct run_text *at,
                                    struct run_launch *const *from, uint32_t number);
// Executes the calls of `streams`.
enum session_outcome session_streams(struct session *session);
// Prepares a launch for a stream. Returns NULL after an error.
struct device_launch *session_prepare_launch(struct session *session,
                                             const struct run_launch *from);
// Reports why the device stopped, if it did so with a fault or without progress. Returns the
// outcome.
enum session_outcome session_end(struct session *session, const struct device_result *result);
// Returns the index of a variable of the program, or UINT32_MAX after an error.
uint32_t session_find_variable(struct session *session, const struct run_text *name);
// Returns true if the variable is a .texref, .samplerref or .surfref.
bool session_is_handle(const struct session *session, uint32_t variable);
// session_name_textures assigns the handles, before buffers, which may hold handles, are filled;
// session_bind_textures then binds the textures. Both return false after errors.
bool session_name_textures(struct session *session);
bool session_bind_textures(struct session *session);
// Writes the parameters of a launch to `to`, which has room for the kernel's parameter bytes.
// Returns false after errors.
bool session_arguments(struct session *session, const struct run_launch *launch,
                       const struct program_function *function, uint8_t *to);
// Reports the fault that ended launch `number`, counted from 1, or that it made no progress.
void session_report_fault(struct session *session, const struct device_kernel *kernel,
                          uint64_t number, const struct grid_result *result);
// Reports the waiting warps and what they wait for. Called by session_report_fault.
void session_report_stalls(struct session *session, const struct stalls *stalls);

// Source places of instructions in the compiled language (CUDA C++), for reports.

// Returns the source place of an instruction of a program function, or NULL without debugging
// information.
const struct ir_loc *session_origin(struct session *session, uint32_t function, uint32_t inst);
// Adds the source place of an instruction as a note to the last diagnostic, if the program has
// debugging information.
void session_note_origin(struct session *session, const char *id, uint32_t function, uint32_t inst);
