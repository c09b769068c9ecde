// ptxoffload-run: runs a CUDA program on the simulator.
#include "cli/run/options.h"
#include "cli/run/program.h"
#include "cli/sim/machine.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct starter {
    struct sim_base base;
    struct starter_arguments arguments;
};

static int fail(struct starter *run, const char *text)
{
    if (messages_begin(&run->base.frame.messages, &run->base.frame.arena))
        message_error(&run->base.frame.messages, "%s", text);
    return BAD_INPUT;
}

// Returns the folder of our libraries: next to this program in a build, or below the installed one.
static const char *find_libraries(struct arena *arena)
{
    static const char *const places[] = {"cuda", "../" LIBRARIES};
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < ARRAY_LENGTH(places); i++) {
        const char *folder = arena_printf(arena, "%.*s/%s", (int)(slash - path), path, places[i]);
        char real[4096];
        if (!access(arena_printf(arena, "%s/libcudart.so.13", folder), R_OK) &&
            realpath(folder, real))
            return arena_strndup(arena, real, strlen(real));
    }
    return NULL;
}

// Returns why the program cannot use our libraries, or NULL.
static const char *refuse(struct arena *arena, const struct cuda_application *program)
{
    const struct cuda_linkage *linkage = &program->linkage;
    const char *fault = linkage_fault(linkage);
    if (linkage->runtime == RUNTIME_UNKNOWN && !linkage->driver)
        return arena_printf(arena, "'%s' is linked with a libcudart.so without a version",
                            program->path);
    if (linkage->runtime && linkage->runtime != 12 && linkage->runtime != 13 && !linkage->driver)
        return arena_printf(arena,
                            "'%s' is linked with libcudart.so.%d, but ptxoffload-run supports "
                            "versions 12 and 13: compile it with nvcc 12 or 13",
                            program->path, linkage->runtime);
    if (linkage->has_device_code && !linkage->is_program)
        fault = "is linked statically with libc: link it dynamically";
    return fault ? arena_printf(arena, "'%s' %s", program->path, fault) : NULL;
}

struct overwritten_input {
    struct starter *run;
    const char *path, *what; // the file that is read
    const char *wrong;
};

static void add_output(void *context, const char *path, const char *option)
{
    struct overwritten_input *o = context;
    struct arena *arena = &o->run->base.frame.arena;
    if (o->wrong || access(o->path, F_OK) || !output_same(arena, path, o->path))
        return;
    o->wrong = arena_printf(arena, "%s would overwrite the %s '%s'", option, o->what, o->path);
    o->run->arguments.sim.common.diagnostics.path = NULL; // it may be this one
}

// Returns the message about an option that would overwrite the program or the configuration, or
// NULL.
static const char *find_overwritten(struct starter *run, const char *program)
{
    struct overwritten_input all[] = {
        {run, program, "program", NULL},
        {run, run->arguments.sim.config, "configuration", NULL},
    };
    for (size_t i = 0; i < 2; i++) {
        options_files(run->base.frame.command, &run->arguments, true, add_output, &all[i]);
        if (all[i].wrong)
            return all[i].wrong;
    }
    return NULL;
}

static void add_to(struct arena *arena, const char *variable, const char *first, char between)
{
    const char *before = getenv(variable);
    setenv(variable,
           before && *before ? arena_printf(arena, "%s%c%s", first, between, before) : first, 1);
}

// Makes the program load our libraries, also in place of a static runtime (cli/cuda/audit.c). They
// are preloaded as well if it has an RPATH, which is searched before LD_LIBRARY_PATH.
static void set_libraries(struct arena *arena, const struct cuda_application *program,
                          const char *libraries)
{
    add_to(arena, "LD_LIBRARY_PATH", libraries, ':');
    add_to(arena, "LD_PRELOAD", arena_printf(arena, "%s/libptxoffload-cuda.so", libraries), ' ');
    add_to(arena, "LD_AUDIT", arena_printf(arena, "%s/libptxoffload-audit.so", libraries), ':');
    if (program->linkage.fixed_path && program->linkage.runtime > 0)
        add_to(arena, "LD_PRELOAD",
               arena_printf(arena, "%s/libcudart.so.%d", libraries, program->linkage.runtime), ' ');
    if (program->linkage.fixed_path && program->linkage.driver)
        add_to(arena, "LD_PRELOAD", arena_printf(arena, "%s/libcuda.so.1", libraries), ' ');
}

static void set_options(struct arena *arena, int count, char *const *argv)
{
    const char *text = "";
    char folder[4096];
    for (int i = 1; i < count; i++)
        text = arena_printf(arena, "%s%s%c", text, argv[i], STARTER_SEPARATOR);
    setenv(STARTER_OPTIONS, text, 1);
    if (getcwd(folder, sizeof folder))
        setenv(STARTER_FOLDER, folder, 1);
}

// Says that an ELF program without CUDA code runs as it is. It may load a library with such code,
// or start programs, which are simulated.
static void note_unused(struct starter *run, const struct cuda_application *program)
{
    const struct cuda_linkage *linkage = &program->linkage;
    bool has_cuda = linkage->runtime || linkage->driver || linkage->has_device_code;
    if (program->is_elf && !has_cuda &&
        messages_begin(&run->base.frame.messages, &run->base.frame.arena))
        message_note(&run->base.frame.messages,
                     "'%s' is not linked with CUDA: libraries that it loads and programs that it "
                     "starts are simulated",
                     program->path);
}

static int run_program_file(struct starter *run, char **argv)
{
    struct arena *arena = &run->base.frame.arena;
    struct cuda_application program;
    const char *libraries = find_libraries(arena);
    const char *wrong = cuda_application_read(&program, arena, *argv);
    if (!wrong)
        wrong = find_overwritten(run, program.path);
    if (!wrong)
        wrong = refuse(arena, &program);
    if (!wrong && !libraries)
        wrong = "its libraries are not installed: libcudart.so.13 and others";
    if (wrong)
        return fail(run, wrong);
    note_unused(run, &program);
    set_libraries(arena, &program, libraries);
    execv(program.path, argv);
    return fail(run, arena_printf(arena, "cannot run '%s': %s", program.path, strerror(errno)));
}

static int start(void *own)
{
    struct starter *run = own;
    struct frame *frame = &run->base.frame;
    int at = run->arguments.options;
    if (!run->arguments.has_program) {
        fprintf(stderr, "%s: error: missing program\n", frame->command->name);
        options_usage(frame->command, stderr);
        return BAD_USAGE;
    }
    set_options(&frame->arena, at, frame->argv);
    char **program = frame->argv + at + !strcmp(frame->argv[at], "--");
    frame->argc = at; // for the document of messages
    return run_program_file(run, program);
}

const struct cli_program run_program = {
    .command = &run_command_base,
    .complete = run_command,
    .size = sizeof(struct starter),
    .options = offsetof(struct starter, arguments),
    .topics = sim_topics,
    .starts = true,
    .set_defaults = starter_options_default,
    .check = starter_options_check,
    .prepare = sim_prepare,
    .run = start,
};
