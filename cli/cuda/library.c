// The simulator in the process of a CUDA program. Options come from the environment; results are
// written at the end of the process.
#include "cli/cuda/ends.h"
#include "cli/common/interrupt.h"
#include "cli/common/messages.h"
#include "cli/run/options.h"
#include "cli/sim/machine.h"
#include "cli/sim/plans.h"
#include "cli/sim/progress.h"
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
    struct sim_plans plans;
    struct session session;
    struct sites sites;                 // counts by instruction
    const struct site_listing *listing; // of these counts; NULL: not counted
    struct sim_machine machine;
    struct sim_reports reports;
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
    return messages_begin(&library->messages, arena) &&
           sim_reports_init(&library->reports, arena, sim, &library->messages) &&
           sim_machine_read(&library->machine, arena, sim, &library->messages);
}

static void set_device(struct library *library)
{
    const struct sim_arguments *a = &library->arguments.sim;
    struct arena *arena = &library->cuda->arena;
    library->session = (struct session){
        .device = {.arena = arena,
                   .threads = (uint32_t)a->threads,
                   .max_instructions = a->max_instructions,
                   .grows = true,
                   .planes = machine_planes(&library->machine.config),
                   .race = a->checks >> CHECK_OF_RACES & 1,
                   .uninit = a->checks >> CHECK_OF_READS & 1,
                   .profiled = a->profile,
                   .stop = &library->stop,
                   .plans = &library->plans.plans},
        .arena = arena,
        .run = &library->run,
        .diags = &library->diags,
    };
    if (sim_options_annotate(a)) {
        library->session.device.sites = &library->sites;
        sites_init(&library->sites, arena);
    }
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
    set_device(library);
    cuda->device = &library->session.device;
    cuda->options.machine = &library->machine.config;
    cuda->options.machine_name = a->sim.config;
    cuda->timed = a->sim.functional ? NULL : &library->machine.timed;
    cuda->options.device_bytes = max ? max : (uint64_t)USUAL_DEVICE_MEMORY << 30;
    cuda->options.arch =
        a->sim.common.choice.arch ? (uint32_t)atoi(a->sim.common.choice.arch + 3) : 0;
    cuda->options.record = place(library, a->record);
    cuda->options.slack = a->slack;
    cuda->options.reads_tags = !a->offload && machine_reads_plans(cuda->options.machine);
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
    bool good = device_module_read(library->module, &library->cuda->arena,
                                   lanes ? lanes_named(lanes) : lanes_best(), &library->diags);
    return report_diags(library, &library->module->source) && good;
}

// Returns true if a module was refused, which may be why the program has no tags.
static bool has_refused(const struct cuda *cuda)
{
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++)
        if (cuda->registry.binaries.v[i]->failure)
            return true;
    return false;
}

static bool read_plans(struct library *library)
{
    struct sim_plans *plans = &library->plans;
    plans->decided = false;
    plans->advice = library->arguments.offload || has_refused(library->cuda)
                        ? NULL
                        : "ptxoffload-run --offload";
    return sim_plans_read(plans, &library->cuda->arena, &library->arguments.sim, &library->messages,
                          &library->run, &library->module->source, &library->machine.config) &&
           sim_plans_build(plans, &library->messages, &library->module->program,
                           &library->module->source, &library->machine.config);
}

static FILE *open_output(struct library *library, const char *path)
{
    const char *error;
    FILE *to = output_open(&library->outputs, place(library, path), &error);
    if (!to)
        message_error(&library->messages, "%s", error);
    return to;
}

static bool open_traces(struct library *library)
{
    const struct sim_arguments *a = &library->arguments.sim;
    struct sim_machine *machine = &library->machine;
    FILE *series = a->series ? open_output(library, a->series) : NULL;
    FILE *trace = a->trace ? open_output(library, a->trace) : NULL;
    if (series)
        sim_machine_series(machine, series);
    if (trace)
        timed_trace(&machine->timed, trace, a->trace_from,
                    a->trace_until ? a->trace_until : UINT64_MAX);
    if (trace)
        host_trace_begin(&library->cuda->host);
    return (series || !a->series) && (trace || !a->trace);
}

static bool begin_device(struct library *library)
{
    struct cuda *cuda = library->cuda;
    struct device *device = cuda->device;
    struct sim_machine *machine = &library->machine;
    const char *wrong = device_load(device);
    if (wrong) {
        message_error(&library->messages, "%s", wrong);
        return false;
    }
    if (cuda->timed) {
        host_options(&machine->host_config, &cuda->host, &machine->options);
        sim_machine_interval(machine, &library->arguments.sim);
        sim_reports_prepare(&library->reports, machine);
        timed_begin(&machine->timed, device, &machine->options);
        sim_reports_begin(&library->reports, &machine->timed);
        library->accepts = device->accepts;
        device->accepts = is_timed_launch;
    }
    library->progress.timed = cuda->timed;
    progress_start(&library->progress, messages_progress(&library->arguments.sim.common));
    device->counts = library->progress.running ? &library->progress.counts : NULL;
    host_begin(&cuda->host, device, cuda->timed, &machine->host_config);
    if (library->arguments.sim.overlap)
        host_log_begin(&cuda->host);
    return open_traces(library);
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

static bool extend_device(struct library *library)
{
    struct cuda *cuda = library->cuda;
    const char *wrong = cuda->device->profiled
                            ? "--profile-out is for programs whose code is loaded at start-up"
                            : device_extend(cuda->device);
    if (wrong)
        message_error(&library->messages, "%s", wrong);
    else if (cuda->timed) {
        renew_machine(cuda->timed);
        if (!cuda->timed->total.launches) // the first kernels may make more schemes active
            sim_reports_begin(&library->reports, cuda->timed);
    }
    return !wrong;
}

static bool read_program(struct library *library, struct source *source)
{
    struct device_module *module = library->module;
    struct sim_plans plans = library->plans;
    if ((!library->arguments.offload || tag(library, source)) && read_module(library, source) &&
        read_plans(library))
        return true;
    library->module = module;
    library->plans = plans;
    return false;
}

static enum cuda_loaded load(void *context, struct cuda *cuda, struct source *source)
{
    struct library *library = context;
    bool first = !cuda->device->program;
    if (!read_program(library, source))
        return LOAD_REFUSED;
    cuda->device->program = &library->module->program;
    cuda->device->source = &library->module->source;
    bool good = (!cuda->timed ||
                 sim_machine_finds(&library->machine, cuda->device->program, &library->messages)) &&
                (first ? begin_device(library) : extend_device(library));
    return good ? LOAD_DONE : LOAD_FAILED;
}

// Ends

// Reports the commands that can never proceed.
static void report_stuck(const struct library *library)
{
    if (library->cuda->timed)
        timed_report(library->cuda->timed, stderr);
    if (library->cuda->host.why)
        fputs(library->cuda->host.why, stderr);
}

// Returns the size of --slack with which kernels may access `address`, or 0 if no size up to the
// limit allows it, or if the address is inside an allocation.
static uint64_t slack_for(const struct cuda *cuda, uint64_t address)
{
    enum { LARGEST_ACCESS = 16, STEP = 4096, LIMIT = 2 << 20 }; // pages of a GPU have up to 2 MiB
    const struct image *image = cuda->device->image;
    uint32_t below = image_find(image, address);
    if (below != UINT32_MAX && address - image->list.v[below].address < image->list.v[below].bytes)
        return 0;
    uint64_t nearest = UINT64_MAX;
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        uint64_t needed = address < memory->address
                              ? memory->address - address
                              : address - memory->address - memory->bytes + LARGEST_ACCESS;
        if (memory->kind == KIND_DEVICE && needed < nearest)
            nearest = needed;
    }
    return nearest > LIMIT ? 0 : align_up(nearest, STEP);
}

static void report_fault(struct library *library, const struct device_result *result)
{
    struct session *session = &library->session;
    session_report_fault(session, result->kernel, result->launch, &result->grid);
    bool is_access = session->fault.happened && session->fault.has_address;
    uint64_t slack = is_access ? slack_for(library->cuda, session->fault.address) : 0;
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
        report_fault(library, result);
    else
        diag_add(&library->diags, DIAG_ERROR, "no-progress", NO_OFFSET, NO_OFFSET,
                 "deadlock: no command of any stream can proceed");
    report_diags(library, &library->module->source);
    if (result->end == DEVICE_REFUSED)
        note_room(library, &library->session.fault.needs);
    if (result->end == DEVICE_STUCK)
        report_stuck(library);
}

static void refuse(void *context, const struct program_function *entry, const char *name)
{
    struct library *library = context;
    const struct program *program = library->cuda->device->program;
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

static bool write_json(struct library *library)
{
    struct result result = {
        .session = &library->session,
        .timed = library->cuda->timed,
        .listing = library->arguments.sim.annotate ? library->listing : NULL,
        .outcome = library->outcome,
        .host = result_host_now(),
    };
    FILE *to = open_output(library, library->arguments.sim.json);
    if (to)
        result_write(&result, to);
    return to;
}

static FILE *open_report(void *context, const char *path)
{
    return open_output(context, path);
}

static struct sim_facts facts_of(struct library *library)
{
    return (struct sim_facts){.session = &library->session,
                              .timed = library->cuda->timed,
                              .listing = library->listing,
                              .program = library->module->source.name,
                              .outcome = result_outcome(library->outcome, library->cuda->timed),
                              .cpu_seconds = result_host_now().cpu_seconds};
}

static FILE *open_errors(void *context, const char *path)
{
    (void)context, (void)path;
    return stderr;
}

// Opens an output. Standard output belongs to the program, so standard error takes its place.
static FILE *open_text(struct library *library, const char *path)
{
    return path && strcmp(path, "-") ? open_output(library, path) : path ? stderr : NULL;
}

static bool write_annotation(struct library *library)
{
    const char *path = library->arguments.sim.annotate;
    FILE *to = open_text(library, path);
    if (to && library->listing)
        sim_annotate(library->listing, library->module->source.name, &library->cuda->arena, to);
    return to || !path;
}

static bool write_advice(struct library *library)
{
    const char *path = library->arguments.sim.overlap;
    FILE *to = open_text(library, path);
    if (to)
        host_advise(&library->cuda->host, to);
    return to || !path;
}

// Prints the report with -v, else the summary, to standard error, because standard output belongs
// to the program.
static void write_page(struct library *library)
{
    struct sim_facts facts = facts_of(library);
    struct sim_arguments none = {.config = library->arguments.sim.config};
    struct sim_reports page = library->reports;
    page.arguments = &none;
    if (library->arguments.sim.common.verbose)
        sim_reports_write(&page, &facts, true, open_errors, library);
    else
        sim_reports_summary(&library->reports, &facts);
}

static bool write_reports(struct library *library)
{
    struct sim_facts facts = facts_of(library);
    return sim_reports_write(&library->reports, &facts, false, open_report, library);
}

static bool write_results(struct library *library)
{
    const struct sim_arguments *a = &library->arguments.sim;
    FILE *stats = a->stats ? open_output(library, a->stats) : NULL;
    if (stats)
        timed_write_stats(library->cuda->timed, &a->stats_choice, a->stats, stats);
    FILE *profile = a->profile ? open_output(library, a->profile) : NULL;
    if (profile)
        profile_write(library->cuda->device, NULL, NULL, profile);
    return (stats || !a->stats) && (profile || !a->profile) && (!a->json || write_json(library)) &&
           write_advice(library) && write_annotation(library) && write_reports(library);
}

// Returns the text about an interrupt: the launches and commands so far, and the files.
static const char *describe_interrupt(struct library *library)
{
    struct arena *arena = &library->cuda->arena;
    uint32_t open = library->cuda->host.open;
    const char *text = arena_printf(arena, "interrupted in launch %lu",
                                    (unsigned long)library->cuda->device->launches);
    if (open)
        text = arena_printf(arena, "%s; commands not executed: %u", text, open);
    for (uint32_t i = 0; i < library->outputs.list.n; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "; results up to then are in ",
                            library->outputs.list.v[i]->path);
    return text;
}

static void write_end(struct library *library)
{
    host_end(&library->cuda->host);
    library->session.host = &library->cuda->host;
    library->run.has_streams = true; // calls of the program
    if (library->cuda->timed)
        timed_end(library->cuda->timed);
    session_report_accesses(&library->session);
    report_diags(library, &library->module->source);
    library->session.timed = library->cuda->timed;
    library->listing =
        listing_collect(&library->session, library->plans.decided ? &library->plans.tables : NULL);
    bool written = write_results(library);
    const char *interrupt =
        library->outcome == SESSION_INTERRUPTED ? describe_interrupt(library) : NULL;
    const char *error = written ? outputs_commit(&library->outputs) : NULL;
    if (error)
        message_error(&library->messages, "%s", error);
    else if (interrupt)
        message_note(&library->messages, "%s", interrupt);
    outputs_abandon(&library->outputs);
    write_page(library);
}

static void end(void *context)
{
    struct library *library = context;
    interrupt_defer(NULL);
    progress_stop(&library->progress);
    if (library->cuda->host.open && library->outcome == SESSION_DONE)
        library->outcome = SESSION_INTERRUPTED; // issued works were not executed
    if (library->cuda->device->image)           // the program was read
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
