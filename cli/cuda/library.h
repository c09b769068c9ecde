// The simulator in the process of a CUDA program: its state, and the functions that these files
// share.
//
//     library.c            options, begin and end of the process
//     library_load.c       the program and its later modules
//     library_messages.c   faults and other ends of launches
//     library_results.c    files and reports at the end
#pragma once
#include "cli/common/messages.h"
#include "cli/run/options.h"
#include "cli/sim/machine.h"
#include "cli/sim/plans.h"
#include "cli/sim/progress.h"
#include "cli/sim/reports.h"
#include "runtime-sim/cuda/cuda.h"
#include "runtime-sim/device/device.h"

// A device, with its results.
struct library_gpu {
    struct library *library;
    struct session session;
    struct sites sites;                 // counts by instruction
    const struct site_listing *listing; // of these counts; NULL: not counted
    struct sim_machine machine;
    struct sim_reports reports;
    struct sim_plans plans;
};

struct library {
    struct cuda *cuda; // NULL: no call of the library yet
    struct starter_arguments arguments;
    int argc; // as for ptxoffload-run, without the program
    char **argv;
    const char *folder; // base of relative file names
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    struct source line; // the program's name, as the source of a run
    struct run run;
    struct diags diags, run_diags;
    struct device_module *module;
    struct tagger_invocation *tagger; // of --offload; NULL: not read yet
    struct library_gpu gpus[HOST_GPUS];
    uint32_t gpu_count;
    bool (*accepts)(const void *executor, const struct device_kernel *kernel, uint64_t number,
                    uint64_t launch); // of the machine, before `is_timed_launch` below replaces it
    enum session_outcome outcome;
    struct sim_progress progress;
    atomic_int stop;
};

// Returns the path relative to the first folder, because the program may have changed its folder.
// `context` is a struct library.
const char *library_place(const void *context, const char *path);
// Opens an output of a device: with several devices, r.json becomes r-0.json, r-1.json … Returns
// NULL after an error.
FILE *library_output(const struct library_gpu *gpu, const char *path);
// Returns the device's timing, or NULL without time.
struct timed *library_timed(const struct library_gpu *gpu);
// Returns false for launches outside the profiled region, which take no time.
bool library_times(const void *executor, const struct device_kernel *kernel, uint64_t number,
                   uint64_t launch);
// Prints the messages so far, and forgets them. Returns false if there was an error.
bool library_report(struct library *library, struct source *source);
// Writes the document of --diagnostics. The program's exit code is not known here.
void library_end_messages(struct library *library);
// Writes all results and reports.
void library_write(struct library *library);

// Functions of struct cuda_front; `context` is a struct library.

enum cuda_loaded library_load(void *context, struct cuda *cuda, struct source *source);
void library_report_end(void *context, const struct device_result *result);
void library_refuse(void *context, const struct program_function *entry, const char *name);
void library_unfit(void *context, const char *name, const struct fault *fault);
void library_complain(void *context, enum severity severity, const char *text);
void library_out_of_memory(void *context);
