// ptxoffload-run: runs a CUDA program on the simulator.
#include "cli/common/messages.h"
#include "cli/run/options.h"
#include "cli/run/program.h"
#include "cli/sim/machine.h"
#include "runtime-sim/run/keys.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BAD_INPUT = 1, BAD_USAGE = 2 };

struct starter {
    struct arena arena;
    struct run_arguments arguments;
    int argc; // of the options, with the command
    char **argv;
};

static int fail(struct starter *run, const char *text)
{
    struct messages messages;
    struct message_log log = {0};
    outputs_init(&log.outputs, &run->arena);
    messages_init(&messages, "ptxoffload-run", &run->arguments.sim.common, &log);
    if (messages_begin(&messages, &run->arena))
        message_error(&messages, "%s", text);
    return messages_end(&messages, run->argc, run->argv, BAD_INPUT);
}

// The folder of our libraries: beside this program in a build, or below the installed one.
static const char *find_libraries(struct arena *arena)
{
    static const char *const places[] = {"cuda", "../" LIBRARIES};
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        const char *folder = arena_printf(arena, "%.*s/%s", (int)(slash - path), path, places[i]);
        char real[4096];
        if (!access(arena_printf(arena, "%s/libcudart.so.13", folder), R_OK) &&
            realpath(folder, real))
            return arena_strndup(arena, real, strlen(real));
    }
    return NULL;
}

// Returns why the program cannot use our libraries, or NULL.
static const char *refuse(struct arena *arena, const struct run_program *program)
{
    if (program->runtime == 12 || program->runtime == 13 || program->driver || !program->is_elf)
        return NULL;
    if (program->runtime == RUNTIME_UNKNOWN)
        return arena_printf(arena, "'%s' is linked with a libcudart.so without a version",
                            program->path);
    if (program->runtime)
        return arena_printf(arena,
                            "'%s' is linked with libcudart.so.%d; ptxoffload-run has versions 12 "
                            "and 13: compile it with nvcc 12 or 13",
                            program->path, program->runtime);
    if (program->has_device_code)
        return arena_printf(arena,
                            "'%s' is linked statically with the CUDA runtime: link it with "
                            "nvcc -cudart shared",
                            program->path);
    return NULL; // it may start other programs
}

// Returns which option would write over the program or the configuration, or NULL.
static const char *find_overwritten(struct starter *run, const char *program)
{
    struct sim_arguments *sim = &run->arguments.sim;
    struct arena *arena = &run->arena;
    struct sim_output outputs[SIM_OUTPUTS + 1] = {
        [SIM_OUTPUTS] = {sim->common.diagnostics.path, "--diagnostics"}};
    sim_list_outputs(sim, outputs);
    const char *const inputs[] = {program, sim->config};
    for (size_t i = 0; i <= SIM_OUTPUTS; i++)
        for (size_t k = 0; k < 2; k++)
            if (outputs[i].path && inputs[k] && !access(inputs[k], F_OK) &&
                output_same(arena, outputs[i].path, inputs[k])) {
                sim->common.diagnostics.path = NULL; // it may be this one
                return arena_printf(arena, "%s would overwrite the %s '%s'", outputs[i].option,
                                    k ? "configuration" : "program", inputs[k]);
            }
    return NULL;
}

static void add_to(struct arena *arena, const char *variable, const char *first, char between)
{
    const char *before = getenv(variable);
    setenv(variable,
           before && *before ? arena_printf(arena, "%s%c%s", first, between, before) : first, 1);
}

// An RPATH is searched before LD_LIBRARY_PATH.
static void set_libraries(struct arena *arena, const struct run_program *program,
                          const char *libraries)
{
    add_to(arena, "LD_LIBRARY_PATH", libraries, ':');
    add_to(arena, "LD_PRELOAD", arena_printf(arena, "%s/libptxoffload-cuda.so", libraries), ' ');
    if (program->fixed_path && program->runtime > 0)
        add_to(arena, "LD_PRELOAD",
               arena_printf(arena, "%s/libcudart.so.%d", libraries, program->runtime), ' ');
    if (program->fixed_path && program->driver)
        add_to(arena, "LD_PRELOAD", arena_printf(arena, "%s/libcuda.so.1", libraries), ' ');
}

static void set_options(struct arena *arena, int count, char *const *argv)
{
    const char *text = "";
    char folder[4096];
    for (int i = 1; i < count; i++)
        text = arena_printf(arena, "%s%s%c", text, argv[i], RUN_SEPARATOR);
    setenv(RUN_OPTIONS, text, 1);
    if (getcwd(folder, sizeof folder))
        setenv(RUN_FOLDER, folder, 1);
}

static int run(struct starter *run, char **argv)
{
    struct arena *arena = &run->arena;
    struct run_program program;
    const char *libraries = find_libraries(arena);
    const char *wrong = run_program_read(&program, arena, *argv);
    if (!wrong)
        wrong = find_overwritten(run, program.path);
    if (!wrong)
        wrong = refuse(arena, &program);
    if (!wrong && !libraries)
        wrong = "its libraries are not installed: libcudart.so.13 and others";
    if (wrong)
        return fail(run, wrong);
    set_libraries(arena, &program, libraries);
    execv(program.path, argv);
    return fail(run, arena_printf(arena, "cannot run '%s': %s", program.path, strerror(errno)));
}

static void list_stats(struct sim_machine *machine, struct arena *arena)
{
    host_options(&machine->host_config, &machine->host, &machine->options);
    timed_list_stats(&machine->options, arena, stdout);
}

// Topics that need no program.
static int print_topic(struct run_arguments *arguments, struct arena *arena)
{
    struct sim_arguments *sim = &arguments->sim;
    struct messages messages;
    struct message_log log = {0};
    struct sim_machine *machine = ARENA_NEW(arena, struct sim_machine);
    if (sim->common.help)
        options_help(run_command(arena), stdout);
    else if (sim->common.version)
        options_version(run_command(arena), stdout);
    if (sim->common.help || sim->common.version)
        return 0;
    outputs_init(&log.outputs, arena);
    messages_init(&messages, "ptxoffload-run", &sim->common, &log);
    if (!messages_begin(&messages, arena) || !sim_machine_read(machine, arena, sim, &messages))
        return BAD_INPUT;
    if (sim->help_run)
        yaml_keys_print(&run_keys, stdout);
    else if (sim->help_keys)
        config_keys_print(&machine->resolved, stdout);
    else if (sim->list_configs)
        config_names_print(&machine->resolved, stdout);
    else if (sim->list_stats)
        list_stats(machine, arena);
    else
        config_print(&machine->resolved, stdout);
    return 0;
}

static int work(struct starter *all, int argc, char **argv)
{
    struct arena *arena = &all->arena;
    int count = run_options_read(&all->arguments, arena, argc, argv, stderr);
    if (count < 0)
        return BAD_USAGE;
    if (sim_is_topic(&all->arguments.sim))
        return print_topic(&all->arguments, arena);
    int at = count + (count < argc && !strcmp(argv[count], "--"));
    if (at == argc) {
        fprintf(stderr, "ptxoffload-run: error: no program\n");
        options_usage(run_command(arena), stderr);
        return BAD_USAGE;
    }
    all->argc = count;
    set_options(arena, count, argv);
    return run(all, argv + at);
}

int main(int argc, char **argv)
{
    struct memory memory = {0};
    struct starter all = {.argc = 1, .argv = argv};
    arena_init(&all.arena, &memory);
    if (setjmp(memory.on_failure)) {
        fputs("ptxoffload-run: error: not enough memory\n", stderr);
        return BAD_INPUT;
    }
    int status = work(&all, argc, argv);
    memory_free(&memory);
    return status;
}
