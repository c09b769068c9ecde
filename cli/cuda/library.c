// The simulator in the process of a CUDA program. Options come from the environment; results are
// written at the end of the process.
#include "cli/cuda/library.h"
#include "cli/common/interrupt.h"
#include "cli/cuda/ends.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *library_place(const void *context, const char *path)
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
    sim->common.diagnostics.path = library_place(library, sim->common.diagnostics.path);
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

void library_end_messages(struct library *library)
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
            library_end_messages(library);
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
    cuda->options.record = library_place(library, a->record);
    cuda->options.recorded = &library->gpus->machine.options;
    cuda->options.expects = a->expect;
    cuda->options.slack = a->slack;
    cuda->options.reads_registers = a->sim.assembled;
    cuda->options.reads_tags = !a->offload && machine_reads_plans(cuda->gpus->machine);
    cuda->status.profiling = !a->profiler;
    interrupt_remove(&library->outputs, &library->log.outputs);
    interrupt_defer(&library->stop);
    ends_begin();
    return true;
}

// Messages and files

bool library_report(struct library *library, struct source *source)
{
    bool good = messages_diags(&library->messages, &library->diags, source);
    diags_init(&library->diags, &library->cuda->arena);
    return good;
}

struct timed *library_timed(const struct library_gpu *gpu)
{
    return gpu->library->cuda->gpus[gpu->session.gpu].timed;
}

// Returns the name of a device's file.
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

FILE *library_output(const struct library_gpu *gpu, const char *path)
{
    struct library *library = gpu->library;
    const char *error;
    FILE *to = output_open(&library->outputs, library_place(library, file_of(gpu, path)), &error);
    if (!to)
        message_error(&library->messages, "%s", error);
    return to;
}

// The end, and the interface

static void end(void *context)
{
    struct library *library = context;
    interrupt_defer(NULL);
    progress_stop(&library->progress);
    if (library->cuda->host.open && library->outcome == SESSION_DONE)
        library->outcome = SESSION_INTERRUPTED; // issued works were not executed
    if (library->cuda->gpus->device->image)     // the program was read
        library_write(library);
    else
        message_note(&library->messages, "no kernel was launched: no file was written");
    library_end_messages(library);
}

// One per process, because the interface of the library has no argument for it.
static struct library the_library;

bool library_times(const void *executor, const struct device_kernel *kernel, uint64_t number,
                   uint64_t launch)
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
    .load = library_load,
    .report = library_report_end,
    .progress = show_progress,
    .pause = pause_progress,
    .refuse = library_refuse,
    .unfit = library_unfit,
    .complain = library_complain,
    .end = end,
    .out_of_memory = library_out_of_memory,
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
