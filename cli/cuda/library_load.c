// The program of a process and the modules that it loads later: tags, machine code's registers,
// plans of each device.
#include "cli/cuda/library.h"
#include "cli/sim/registers.h"
#include "cli/tagger/embedded.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/host/host_log.h"
#include <string.h>

// Tags the program as ptxoffload does with the options of --offload. Returns false after errors.
static bool tag(struct library *library, struct source *source)
{
    struct arena *arena = &library->cuda->arena;
    if (!library->tagger) {
        library->tagger = embedded_read(arena, library->arguments.offload, stderr);
        if (!library->tagger)
            return false;
        embedded_place(library->tagger, library_place, library);
    }
    return embedded_tag(library->tagger, arena, &library->messages, source);
}

static bool read_module(struct library *library, struct source *source)
{
    const char *lanes = library->arguments.sim.lanes;
    library->module = ARENA_NEW(&library->cuda->arena, struct device_module);
    library->module->source = *source;
    library->module->schedule =
        sim_schedule(&library->arguments.sim, &library->gpus->machine.config);
    bool good = device_module_read(library->module, &library->cuda->arena,
                                   lanes ? lanes_named(lanes) : lanes_best(), &library->diags);
    sim_note_order(&library->messages, library->module);
    return library_report(library, &library->module->source) && good;
}

// Sets the registers of kernels to those of their machine code, or else to those of ptxas.
static bool put_registers(struct library *library, struct program *program)
{
    return !library->arguments.sim.assembled || program_put_registers(library->cuda, program) ||
           registers_by_ptxas(&library->messages, &library->cuda->arena, &library->module->source,
                              program);
}

// Returns the module's program for a device: addresses of variables differ.
static struct program *program_for(struct library *library, const struct library_gpu *gpu)
{
    struct device_module *module = library->module;
    struct arena *arena = &library->cuda->arena;
    if (gpu == library->gpus)
        return &module->program;
    struct program *own = ARENA_NEW(arena, struct program);
    program_build_at(own, arena, &module->module, module->program.lanes, gpu->session.device.first);
    return own;
}

// Returns true if a module was refused, which may be why the program has no tags.
static bool has_refused(const struct cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++)
        if (cuda->registry.binaries.v[i]->failure)
            return true;
    return false;
}

static bool read_plans(struct library_gpu *gpu, const struct program *program)
{
    struct library *library = gpu->library;
    struct sim_plans *plans = &gpu->plans;
    const struct machine_config *config = &gpu->machine.config;
    plans->decided = false;
    plans->advice = library->arguments.offload || has_refused(library->cuda)
                        ? NULL
                        : "ptxoffload-run --offload";
    return sim_plans_read(plans, &library->cuda->arena, &library->arguments.sim, &library->messages,
                          &library->run, &library->module->source, config) &&
           sim_plans_build(plans, &library->messages, program, &library->module->source, config);
}

static bool open_traces(struct library_gpu *gpu)
{
    const struct sim_arguments *a = &gpu->library->arguments.sim;
    struct sim_machine *machine = &gpu->machine;
    FILE *series = a->series ? library_output(gpu, a->series) : NULL;
    FILE *trace = a->trace ? library_output(gpu, a->trace) : NULL;
    if (series)
        sim_machine_series(machine, series);
    if (trace)
        timed_trace(&machine->timed, trace, a->trace_from,
                    a->trace_until ? a->trace_until : UINT64_MAX);
    return (series || !a->series) && (trace || !a->trace);
}

static void begin_machine(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    struct device *device = &gpu->session.device;
    struct sim_machine *machine = &gpu->machine;
    sim_machine_host(machine, &library->arguments.sim, &library->cuda->host.gpus[gpu->session.gpu]);
    sim_machine_interval(machine, &library->arguments.sim);
    sim_reports_prepare(&gpu->reports, machine);
    timed_begin(&machine->timed, device, &machine->options);
    sim_reports_begin(&gpu->reports, &machine->timed);
    library->accepts = device->accepts;
    device->accepts = library_times;
}

static bool begin_device(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    struct cuda *cuda = library->cuda;
    struct device *device = &gpu->session.device;
    const struct cuda_gpu *own = &cuda->gpus[gpu->session.gpu];
    const struct host_peer *peer = library->gpu_count > 1 ? &gpu->machine.peer : NULL;
    const char *wrong = device_load(device);
    if (wrong) {
        message_error(&library->messages, "%s", wrong);
        return false;
    }
    if (own->timed)
        begin_machine(gpu);
    device->counts = library->progress.running ? &library->progress.counts : NULL;
    if (gpu == library->gpus)
        host_begin(&cuda->host, device, own->timed, &gpu->machine.host_config, peer);
    else
        host_add_gpu(&cuda->host, device, own->timed, &gpu->machine.host_config, peer);
    return open_traces(gpu);
}

static bool begin_devices(struct library *library)
{
    struct cuda *cuda = library->cuda;
    bool good = true;
    library->progress.timed = cuda->gpus->timed;
    progress_start(&library->progress, messages_progress(&library->arguments.sim.common));
    for (uint32_t i = 0; i < library->gpu_count && good; i++)
        good = begin_device(&library->gpus[i]);
    if (good && library->arguments.sim.trace)
        host_trace_begin(&cuda->host);
    if (good && library->arguments.sim.overlap)
        host_log_begin(&cuda->host);
    return good;
}

// Prepares the machine for an extended program. A machine that has run nothing has nothing to
// flush.
static void renew_machine(struct timed *timed)
{
    struct arena own;
    if (timed->used) {
        timed_renew(timed);
        return;
    }
    arena_init(&own, timed->arena->memory);
    struct stats_mark since_sample = timed_since_sample(timed, &own);
    timed_resume(timed, machine_cycle(timed->machine), &since_sample);
    arena_free(&own);
}

static bool extend_device(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    struct device *device = &gpu->session.device;
    struct timed *timed = library->cuda->gpus[gpu->session.gpu].timed;
    const char *wrong = device->profiled
                            ? "--profile-out is for programs whose code is loaded at start-up"
                            : device_extend(device);
    if (wrong)
        message_error(&library->messages, "%s", wrong);
    else if (timed) {
        renew_machine(timed);
        if (!timed->total.launches) // the first kernels may make more schemes active
            sim_reports_begin(&gpu->reports, timed);
    }
    return !wrong;
}

// Reads the program and each device's plans. Nothing changes if it is refused.
static bool read_program(struct library *library, struct source *source,
                         const struct program *programs[])
{
    struct device_module *module = library->module;
    struct sim_plans plans[HOST_GPUS];
    for (uint32_t i = 0; i < library->gpu_count; i++)
        plans[i] = library->gpus[i].plans;
    bool good =
        (!library->arguments.offload || tag(library, source)) && read_module(library, source);
    for (uint32_t i = 0; i < library->gpu_count && good; i++) {
        struct program *program = program_for(library, &library->gpus[i]);
        programs[i] = program;
        good = put_registers(library, program) && read_plans(&library->gpus[i], program);
    }
    if (good)
        return true;
    library->module = module;
    for (uint32_t i = 0; i < library->gpu_count; i++)
        library->gpus[i].plans = plans[i];
    return false;
}

enum cuda_loaded library_load(void *context, struct cuda *cuda, struct source *source)
{
    struct library *library = context;
    const struct program *programs[HOST_GPUS];
    bool first = !cuda->gpus->device->program, good = true;
    if (!read_program(library, source, programs))
        return LOAD_REFUSED;
    for (uint32_t i = 0; i < library->gpu_count; i++) {
        struct device *device = cuda->gpus[i].device;
        device->program = programs[i];
        device->source = &library->module->source;
        good &= (!cuda->gpus[i].timed && !cuda->options.record) ||
                sim_machine_finds(&library->gpus[i].machine, programs[i], &library->messages);
    }
    if (first)
        return good && begin_devices(library) ? LOAD_DONE : LOAD_FAILED;
    for (uint32_t i = 0; i < library->gpu_count && good; i++)
        good = extend_device(&library->gpus[i]);
    return good ? LOAD_DONE : LOAD_FAILED;
}
