// The simulator in the process of a CUDA program. Options come from the environment; results are
// written at the end of the process.
#include "cli/cuda/ends.h"
#include "cli/common/interrupt.h"
#include "cli/common/messages.h"
#include "cli/run/options.h"
#include "cli/sim/machine.h"
#include "cli/sim/plans.h"
#include "cli/sim/progress.h"
#include "cli/sim/registers.h"
#include "cli/sim/reports.h"
#include "cli/tagger/embedded.h"
#include "runtime-sim/cuda/cuda.h"
#include "runtime-sim/device/device.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/run/listing.h"
#include "runtime-sim/run/result.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// Options

// Splits the options that ptxoffload-run has put into the environment. Without this variable there
// are no options.
static int split_options(struct arena *arena, char ***argv)
{
    const char *text = getenv(STARTER_OPTIONS);
    VEC(char *) list = {0}; // argv[0] first
    vec_push(arena, &list, arena_strndup(arena, "ptxoffload-run", 14));
    while (text && *text) {
        size_t length = strcspn(text, (char[]){STARTER_SEPARATOR, 0});
        vec_push(arena, &list, arena_strndup(arena, text, length));
        text += length + (text[length] != 0);
    }
    *argv = list.v;
    return (int)list.n;
}

static const char *own_name(struct arena *arena)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return "program";
    path[length] = 0;
    const char *slash = strrchr(path, '/');
    return arena_strndup(arena, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
}

// Returns the path relative to the first folder, because the program may have changed its folder.
static const char *place(const void *context, const char *path)
{
    const struct library *library = context;
    if (!path || *path == '/' || !strcmp(path, "-") || !library->folder)
        return path;
    return arena_printf(&library->cuda->arena, "%s/%s", library->folder, path);
}

// Reports full/empty bits, which are not simulated across devices.
static bool check_planes(struct library *library, const struct machine_config *config)
{
    bool good = library->gpu_count == 1 || machine_planes(config).initial == PLANES_NONE;
    if (!good)
        message_error(&library->messages,
                      "full/empty bits are for one device: leave out --devices, or fe.enabled");
    return good;
}

// Reads the machine of each device.
static bool read_machines(struct library *library, struct arena *arena)
{
    bool good = true;
    library->gpu_count = (uint32_t)library->arguments.devices;
    for (uint32_t i = 0; i < library->gpu_count && good; i++) {
        struct sim_arguments *own = ARENA_NEW(arena, struct sim_arguments);
        *own = library->arguments.sim;
        own->config = starter_machine(&library->arguments, i);
        good = sim_reports_init(&library->gpus[i].reports, arena, own, &library->messages) &&
               sim_machine_read(&library->gpus[i].machine, arena, own, &library->messages) &&
               check_planes(library, &library->gpus[i].machine.config);
    }
    return good;
}

static bool read_options(struct library *library, struct arena *arena)
{
    library->argc = split_options(arena, &library->argv);
    library->folder = getenv(STARTER_FOLDER);
    if (!frame_read(&run_reader, run_command(arena), arena, library->argc, library->argv,
                    &library->arguments, stderr))
        return false;
    struct sim_arguments *sim = &library->arguments.sim;
    sim->common.diagnostics.path = place(library, sim->common.diagnostics.path);
    messages_init(&library->messages, "ptxoffload-run", &sim->common, &library->log);
    return messages_begin(&library->messages, arena) && read_machines(library, arena);
}

static void set_device(struct library *library, uint32_t number)
{
    const struct sim_arguments *a = &library->arguments.sim;
    struct arena *arena = &library->cuda->arena;
    struct library_gpu *gpu = &library->gpus[number];
    struct cuda_gpu *to = &library->cuda->gpus[number];
    gpu->library = library;
    gpu->session = (struct session){
        .device = {.arena = arena,
                   .threads = (uint32_t)a->threads,
                   .max_instructions = a->max_instructions,
                   .grows = true,
                   .first = GLOBAL_FIRST_64 + number * DEVICE_ROOM,
                   .planes = machine_planes(&gpu->machine.config),
                   .race = a->checks >> CHECK_OF_RACES & 1,
                   .uninit = a->checks >> CHECK_OF_READS & 1,
                   .profiled = a->profile,
                   .stop = &library->stop,
                   .plans = &gpu->plans.plans},
        .gpu = number,
        .arena = arena,
        .run = &library->run,
        .diags = &library->diags,
    };
    if (sim_options_annotate(a)) {
        gpu->session.device.sites = &gpu->sites;
        sites_init(&gpu->sites, arena);
    }
    to->device = &gpu->session.device;
    to->timed = a->functional ? NULL : &gpu->machine.timed;
    to->machine = &gpu->machine.config;
    to->machine_name = starter_machine(&library->arguments, number);
}

// Writes the document of --diagnostics. The program's exit code is not known here.
static void end_messages(struct library *library)
{
    messages_end(&library->messages, library->argc, library->argv, library->log.errors != 0);
}

static bool begin(void *context, struct cuda *cuda)
{
    enum { USUAL_DEVICE_MEMORY = 8 }; // GiB
    struct library *library = context;
    struct arena *arena = &cuda->arena;
    library->cuda = cuda;
    outputs_init(&library->outputs, arena);
    outputs_init(&library->log.outputs, arena);
    diags_init(&library->diags, arena);
    diags_init(&library->run_diags, arena);
    if (!read_options(library, arena)) {
        if (library->messages.log)
            end_messages(library);
        return false;
    }
    const struct starter_arguments *a = &library->arguments;
    size_t max = a->sim.common.max_memory;
    cuda->options.program_name = own_name(arena);
    source_init(&library->line, arena, cuda->options.program_name, "", 0);
    run_init(&library->run, arena, &library->line, &library->run_diags);
    cuda->gpu_count = library->gpu_count;
    for (uint32_t i = 0; i < cuda->gpu_count; i++)
        set_device(library, i);
    cuda->options.device_bytes = max ? max : (uint64_t)USUAL_DEVICE_MEMORY << 30;
    cuda->options.arch =
        a->sim.common.choice.arch ? (uint32_t)atoi(a->sim.common.choice.arch + 3) : 0;
    cuda->options.record = place(library, a->record);
    cuda->options.slack = a->slack;
    cuda->options.reads_registers = a->sim.assembled;
    cuda->options.reads_tags = !a->offload && machine_reads_plans(cuda->gpus->machine);
    cuda->status.profiling = !a->profiler;
    interrupt_remove(&library->outputs, &library->log.outputs);
    interrupt_defer(&library->stop);
    ends_begin();
    return true;
}

// The program

static bool report_diags(struct library *library, struct source *source)
{
    bool good = messages_diags(&library->messages, &library->diags, source);
    diags_init(&library->diags, &library->cuda->arena);
    return good;
}

// Tags the program as ptxoffload does with the options of --offload. Returns false after errors.
static bool tag(struct library *library, struct source *source)
{
    struct arena *arena = &library->cuda->arena;
    if (!library->tagger) {
        library->tagger = embedded_read(arena, library->arguments.offload, stderr);
        if (!library->tagger)
            return false;
        embedded_place(library->tagger, place, library);
    }
    return embedded_tag(library->tagger, arena, &library->messages, source);
}

// Returns false for launches outside the profiled region, which take no time.
static bool is_timed_launch(const void *executor, const struct device_kernel *kernel,
                            uint64_t number, uint64_t launch);

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
    return report_diags(library, &library->module->source) && good;
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

// Returns the name of a device's file: with several devices, r.json becomes r-0.json, r-1.json …
static const char *file_of(const struct library_gpu *gpu, const char *path)
{
    const struct library *library = gpu->library;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);
    if (library->gpu_count == 1 || !strcmp(path, "-"))
        return path;
    return arena_printf(&library->cuda->arena, "%.*s-%u%s", (int)length, path, gpu->session.gpu,
                        path + length);
}

static FILE *open_output(const struct library_gpu *gpu, const char *path)
{
    struct library *library = gpu->library;
    const char *error;
    FILE *to = output_open(&library->outputs, place(library, file_of(gpu, path)), &error);
    if (!to)
        message_error(&library->messages, "%s", error);
    return to;
}

static bool open_traces(struct library_gpu *gpu)
{
    const struct sim_arguments *a = &gpu->library->arguments.sim;
    struct sim_machine *machine = &gpu->machine;
    FILE *series = a->series ? open_output(gpu, a->series) : NULL;
    FILE *trace = a->trace ? open_output(gpu, a->trace) : NULL;
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
    device->accepts = is_timed_launch;
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

static enum cuda_loaded load(void *context, struct cuda *cuda, struct source *source)
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
        good &= !cuda->gpus[i].timed ||
                sim_machine_finds(&library->gpus[i].machine, programs[i], &library->messages);
    }
    if (first)
        return good && begin_devices(library) ? LOAD_DONE : LOAD_FAILED;
    for (uint32_t i = 0; i < library->gpu_count && good; i++)
        good = extend_device(&library->gpus[i]);
    return good ? LOAD_DONE : LOAD_FAILED;
}

// Ends

// Reports the commands that can never proceed.
static void report_stuck(const struct library *library)
{
    for (uint32_t i = 0; i < library->gpu_count; i++)
        if (library->cuda->gpus[i].timed)
            timed_report(library->cuda->gpus[i].timed, stderr);
    if (library->cuda->host.why)
        fputs(library->cuda->host.why, stderr);
}

// Returns the size of --slack with which kernels may access `address`, or 0 if no size up to the
// limit allows it, or if the address is inside an allocation.
static uint64_t slack_for(const struct library_gpu *gpu, uint64_t address)
{
    const struct cuda *cuda = gpu->library->cuda;
    enum { LARGEST_ACCESS = 16, STEP = 4096, LIMIT = 2 << 20 }; // pages of a GPU have up to 2 MiB
    const struct image *image = gpu->session.device.image;
    uint32_t below = image_find(image, address);
    if (below != UINT32_MAX && address - image->list.v[below].address < image->list.v[below].bytes)
        return 0;
    uint64_t nearest = UINT64_MAX;
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        uint64_t needed = address < memory->address
                              ? memory->address - address
                              : address - memory->address - memory->bytes + LARGEST_ACCESS;
        if (memory->kind == KIND_DEVICE && memory->gpu == gpu->session.gpu && needed < nearest)
            nearest = needed;
    }
    return nearest > LIMIT ? 0 : align_up(nearest, STEP);
}

// Notes that the address belongs to a device to which the failed one has no access.
static void note_owner(const struct library_gpu *gpu, const struct session_fault *fault)
{
    struct library *library = gpu->library;
    for (uint32_t i = 0; i < library->gpu_count; i++)
        if (i != gpu->session.gpu &&
            device_owns(&library->gpus[i].session.device, fault->address, 1))
            diag_add(
                &library->diags, DIAG_NOTE, "fault", fault->begin, fault->end,
                "the address is in memory of device %u; cudaDeviceEnablePeerAccess(%u, 0) lets "
                "kernels of device %u access it",
                i, i, gpu->session.gpu);
}

static void report_fault(struct library_gpu *gpu, const struct device_result *result)
{
    struct library *library = gpu->library;
    struct session *session = &gpu->session;
    session_report_fault(session, result->kernel, result->launch, &result->grid);
    bool is_access = session->fault.happened && session->fault.has_address;
    uint64_t slack = is_access ? slack_for(gpu, session->fault.address) : 0;
    if (is_access && library->gpu_count > 1)
        note_owner(gpu, &session->fault);
    if (slack)
        diag_add(&library->diags, DIAG_NOTE, "fault", session->fault.begin, session->fault.end,
                 "a GPU may not report this access; --slack=%uK lets kernels make it",
                 (unsigned)(slack / 1024));
}

static void note_room(struct library *library, const struct launch_needs *needs)
{
    message_note(&library->messages, "%s", sim_machines_with_room(&library->cuda->arena, needs));
}

static void report(void *context, const struct device_result *result)
{
    static const enum session_outcome outcomes[] = {
        [DEVICE_DONE] = SESSION_DONE,         [DEVICE_STOPPED] = SESSION_INTERRUPTED,
        [DEVICE_LIMITED] = SESSION_LIMITED,   [DEVICE_STUCK] = SESSION_NO_PROGRESS,
        [DEVICE_REFUSED] = SESSION_BAD_INPUT, [DEVICE_FAULT] = SESSION_FAULT,
    };
    struct library *library = context;
    const struct host_gpu *failed = library->cuda->host.failed;
    struct library_gpu *gpu = &library->gpus[failed ? failed - library->cuda->host.gpus : 0];
    library->outcome = outcomes[result->end];
    fflush(stdout);
    if (result->end == DEVICE_LIMITED || result->end == DEVICE_STOPPED) {
        // The program depends on its launches, so it cannot continue.
        cuda_end();
        if (library->stop)
            interrupt_end(library->stop);
        ends_now(0);
    }
    if (result->kernel)
        report_fault(gpu, result);
    else
        diag_add(&library->diags, DIAG_ERROR, "no-progress", NO_OFFSET, NO_OFFSET,
                 "deadlock: no command of any stream can proceed");
    report_diags(library, &library->module->source);
    if (result->end == DEVICE_REFUSED)
        note_room(library, &gpu->session.fault.needs);
    if (result->end == DEVICE_STUCK)
        report_stuck(library);
}

static void refuse(void *context, const struct program_function *entry, const char *name)
{
    struct library *library = context;
    const struct program *program = library->cuda->gpus->device->program;
    const struct node *node = &program->module->tree->nodes.v[entry->refused_node];
    diag_add(&library->diags, DIAG_ERROR, "not-executable", node->begin, node->end,
             "'%s' cannot run: %s", name, entry->refusal);
    report_diags(library, &library->module->source);
}

static void unfit(void *context, const char *name, const struct fault *fault)
{
    struct library *library = context;
    message_error(&library->messages, "%s: kernel '%s'", fault->text, name);
    note_room(library, &fault->needs);
}

static void complain(void *context, enum severity severity, const char *text)
{
    struct library *library = context;
    if (!library->messages.log) // no call has read the options yet
        messages_init(&library->messages, "ptxoffload-run", &library->arguments.sim.common,
                      &library->log);
    (severity == DIAG_ERROR ? message_error : message_note)(&library->messages, "%s", text);
}

static void out_of_memory(void *context)
{
    struct library *library = context;
    outputs_abandon(&library->outputs);
    message_memory(&library->messages, &library->cuda->memory);
    end_messages(library);
    ends_now(1);
}

static struct timed *timed_of(const struct library_gpu *gpu)
{
    return gpu->library->cuda->gpus[gpu->session.gpu].timed;
}

static bool write_json(struct library_gpu *gpu)
{
    const struct library *library = gpu->library;
    struct result result = {
        .session = &gpu->session,
        .timed = timed_of(gpu),
        .listing = library->arguments.sim.annotate ? gpu->listing : NULL,
        .outcome = library->outcome,
        .host = result_host_now(),
    };
    FILE *to = open_output(gpu, library->arguments.sim.json);
    if (to)
        result_write(&result, to);
    return to;
}

static FILE *open_report(void *context, const char *path)
{
    return open_output(context, path);
}

static struct sim_facts facts_of(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    const char *name = library->module->source.name;
    if (library->gpu_count > 1)
        name = arena_printf(&library->cuda->arena, "%s, device %u", name, gpu->session.gpu);
    return (struct sim_facts){.session = &gpu->session,
                              .timed = timed_of(gpu),
                              .listing = gpu->listing,
                              .program = name,
                              .outcome = result_outcome(library->outcome, timed_of(gpu)),
                              .cpu_seconds = result_host_now().cpu_seconds};
}

static FILE *open_errors(void *context, const char *path)
{
    (void)context, (void)path;
    return stderr;
}

// Opens an output. Standard output belongs to the program, so standard error takes its place.
static FILE *open_text(struct library_gpu *gpu, const char *path)
{
    return path && strcmp(path, "-") ? open_output(gpu, path) : path ? stderr : NULL;
}

static bool write_annotation(struct library_gpu *gpu)
{
    const struct library *library = gpu->library;
    const char *path = library->arguments.sim.annotate;
    FILE *to = open_text(gpu, path);
    if (to && gpu->listing)
        sim_annotate(gpu->listing, facts_of(gpu).program, &library->cuda->arena, to);
    return to || !path;
}

static bool write_advice(struct library *library)
{
    const char *path = library->arguments.sim.overlap;
    FILE *to = open_text(library->gpus, path);
    if (to)
        host_advise(&library->cuda->host, to);
    return to || !path;
}

// Prints the report with -v, else the summary, to standard error, because standard output belongs
// to the program.
static void write_page(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    struct sim_facts facts = facts_of(gpu);
    struct sim_arguments none = {.config = starter_machine(&library->arguments, gpu->session.gpu)};
    struct sim_reports page = gpu->reports;
    page.arguments = &none;
    if (library->arguments.sim.common.verbose)
        sim_reports_write(&page, &facts, true, open_errors, gpu);
    else
        sim_reports_summary(&gpu->reports, &facts);
}

static bool write_reports(struct library_gpu *gpu)
{
    struct sim_facts facts = facts_of(gpu);
    return sim_reports_write(&gpu->reports, &facts, false, open_report, gpu);
}

static bool write_results(struct library_gpu *gpu)
{
    const struct sim_arguments *a = &gpu->library->arguments.sim;
    FILE *stats = a->stats ? open_output(gpu, a->stats) : NULL;
    if (stats)
        timed_write_stats(timed_of(gpu), &a->stats_choice, a->stats, stats);
    FILE *profile = a->profile ? open_output(gpu, a->profile) : NULL;
    if (profile)
        profile_write(&gpu->session.device, NULL, NULL, profile);
    return (stats || !a->stats) && (profile || !a->profile) && (!a->json || write_json(gpu)) &&
           (gpu != gpu->library->gpus || write_advice(gpu->library)) && write_annotation(gpu) &&
           write_reports(gpu);
}

// Returns the text about an interrupt: the launches and commands so far, and the files.
static const char *describe_interrupt(struct library *library)
{
    struct arena *arena = &library->cuda->arena;
    uint32_t open = library->cuda->host.open;
    uint64_t launches = 0;
    for (uint32_t i = 0; i < library->gpu_count; i++)
        launches += library->gpus[i].session.device.launches;
    const char *text = arena_printf(arena, "interrupted in launch %lu", (unsigned long)launches);
    if (open)
        text = arena_printf(arena, "%s; commands not executed: %u", text, open);
    for (uint32_t i = 0; i < library->outputs.list.n; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "; results up to then are in ",
                            library->outputs.list.v[i]->path);
    return text;
}

static void end_gpu(struct library_gpu *gpu)
{
    gpu->session.host = &gpu->library->cuda->host;
    if (timed_of(gpu))
        timed_end(timed_of(gpu));
    session_report_accesses(&gpu->session);
    report_diags(gpu->library, &gpu->library->module->source);
    gpu->session.timed = timed_of(gpu);
    gpu->listing = listing_collect(&gpu->session, gpu->plans.decided ? &gpu->plans.tables : NULL);
}

static void write_end(struct library *library)
{
    bool written = true;
    host_end(&library->cuda->host);
    library->run.has_streams = true; // calls of the program
    for (uint32_t i = 0; i < library->gpu_count; i++)
        end_gpu(&library->gpus[i]);
    for (uint32_t i = 0; i < library->gpu_count && written; i++)
        written = write_results(&library->gpus[i]);
    const char *interrupt =
        library->outcome == SESSION_INTERRUPTED ? describe_interrupt(library) : NULL;
    const char *error = written ? outputs_commit(&library->outputs) : NULL;
    if (error)
        message_error(&library->messages, "%s", error);
    else if (interrupt)
        message_note(&library->messages, "%s", interrupt);
    outputs_abandon(&library->outputs);
    for (uint32_t i = 0; i < library->gpu_count; i++)
        write_page(&library->gpus[i]);
}

static void end(void *context)
{
    struct library *library = context;
    interrupt_defer(NULL);
    progress_stop(&library->progress);
    if (library->cuda->host.open && library->outcome == SESSION_DONE)
        library->outcome = SESSION_INTERRUPTED; // issued works were not executed
    if (library->cuda->gpus->device->image)     // the program was read
        write_end(library);
    else
        message_note(&library->messages, "no kernel was launched: no file was written");
    end_messages(library);
}

// One per process, because the interface of the library has no argument for it.
static struct library the_library;

static bool is_timed_launch(const void *executor, const struct device_kernel *kernel,
                            uint64_t number, uint64_t launch)
{
    return the_library.cuda->status.profiling &&
           the_library.accepts(executor, kernel, number, launch);
}

static void show_progress(void *context, const char *kernel, uint64_t launch)
{
    struct library *library = context;
    if (library->progress.running)
        progress_launch(&library->progress, kernel, launch);
}

static void pause_progress(void *context)
{
    struct library *library = context;
    progress_pause(&library->progress);
}

static const struct cuda_front front = {
    .context = &the_library,
    .begin = begin,
    .load = load,
    .report = report,
    .progress = show_progress,
    .pause = pause_progress,
    .refuse = refuse,
    .unfit = unfit,
    .complain = complain,
    .end = end,
    .out_of_memory = out_of_memory,
};

__attribute__((constructor)) static void enter_process(void)
{
    cuda_set_front(&front);
}

__attribute__((destructor)) static void leave_process(void)
{
    if (!ends_in_child())
        cuda_end();
}
