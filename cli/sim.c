// ptxoffload-sim: runs kernels of a PTX program.
#include "cli/container_input.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/object_input.h"
#include "cli/sim_checkpoint.h"
#include "cli/sim_digests.h"
#include "cli/sim_machine.h"
#include "cli/sim_options.h"
#include "cli/sim_paths.h"
#include "cli/sim_plans.h"
#include "cli/sim_progress.h"
#include "cli/sim_rehearse.h"
#include "cli/sim_run.h"
#include "cli/sim_reports.h"
#include "ir/loc.h"
#include "runtime-sim/device/profile_write.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/run/keys.h"
#include "runtime-sim/run/line.h"
#include "runtime-sim/run/npy.h"
#include "runtime-sim/run/result.h"
#include "support/file.h"
#include "tools/sim/outcomes.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2, CHECK_FAILED = 3, NO_PROGRESS = 4, FAULT = 5 };

struct sim {
    struct memory memory;
    struct arena arena;
    struct sim_arguments arguments;
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    bool out_of_memory;
    struct source run_source; // the run file, or the command line as a text
    struct diags run_diags, diags;
    struct run run;
    struct device_module module;
    struct sim_plans plans;
    struct session session;
    struct sim_machine machine;
    struct sim_reports reports;
    struct sim_checkpoint checkpoint;
    struct sim_progress progress;
    atomic_int stop; // the signal that has interrupted the run, or 0
};

// Reading the run

static bool report_run(struct sim *sim)
{
    bool good = true;
    for (uint32_t i = 0; i < sim->run.settings.n; i++) {
        struct run_setting *setting = &sim->run.settings.v[i];
        good &= messages_diags(&sim->messages, &setting->diags, &setting->source);
        diags_init(&setting->diags, &sim->arena);
    }
    good &= messages_diags(&sim->messages, &sim->run_diags, &sim->run_source);
    diags_init(&sim->run_diags, &sim->arena);
    return good;
}

// `--save` names buffers; its files replace those of the run file.
static bool take_saves(struct sim *sim)
{
    bool good = true;
    for (uint32_t i = 0; i < sim->arguments.saves.n; i++) {
        const struct sim_setting *save = &sim->arguments.saves.v[i];
        uint32_t buffer = run_saved_buffer(&sim->run, save->name);
        good &= buffer != UINT32_MAX;
        if (buffer == UINT32_MAX)
            message_error(&sim->messages, "--save: unknown buffer '%s'", save->name);
        if (buffer == UINT32_MAX)
            continue;
        sim->run.buffers.v[buffer].save =
            (struct run_text){.text = save->value, .length = (uint32_t)strlen(save->value)};
        sim->run.buffers.v[buffer].save_chosen = true;
    }
    return good;
}

// Checks the files that a run file names, before the run and again before they are written.
static bool check_saves(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->run.buffers.n; i++) {
        const struct run_buffer *buffer = &sim->run.buffers.v[i];
        const char *wrong =
            sim->arguments.allow_outside ? NULL : sim_paths_refusal(&sim->arena, buffer);
        if (wrong)
            run_fault(&sim->run, &buffer->save, "'%s' %s; --allow-outside writes it all the same",
                      buffer->save.text, wrong);
    }
    return report_run(sim);
}

static bool read_run(struct sim *sim)
{
    diags_init(&sim->run_diags, &sim->arena);
    bool good = sim_run_read(&sim->run, &sim->run_source, sim->arguments.common.input, &sim->arena,
                             &sim->arguments, &sim->run_diags, &sim->messages);
    if (sim->run_source.text)
        good &= report_run(sim);
    return good && take_saves(sim) &&
           sim_paths_check(&sim->arena, &sim->messages, &sim->arguments, &sim->run,
                           &sim->machine.resolved) &&
           check_saves(sim);
}

// Reading the program

static bool read_text(struct sim *sim, const struct arguments *arguments)
{
    const char *id, *error = input_read(&sim->module.source, &sim->arena, arguments->input, &id);
    if (!error && (arguments->module || arguments->arch)) {
        error = "a module or architecture is chosen in a program or library: this is PTX text";
        id = "module-choice";
    }
    if (error)
        message_fault(&sim->messages, id, "%s", error);
    return !error;
}

// Makes the program of the run file, with its module, the input.
static bool name_program(struct sim *sim)
{
    struct arguments *arguments = &sim->arguments.common;
    arguments->input = sim->arguments.program;
    if (arguments->input)
        return true;
    arguments->input = run_path(&sim->run, sim->run.program.text);
    arguments->module = sim->run.module.text;
    arguments->arch = sim->run.arch.text;
    if (!access(arguments->input, R_OK))
        return true;
    run_fault(&sim->run, &sim->run.program, "cannot read '%s': %s", arguments->input,
              strerror(errno));
    return report_run(sim);
}

static bool read_program(struct sim *sim)
{
    struct arguments *arguments = &sim->arguments.common;
    struct sim_plans *plans = &sim->plans;
    if (sim->arguments.run_file && !name_program(sim))
        return false;
    plans->advice = "ptxoffload IN -o OUT";
    plans->of_object = plans->decided = object_input_is(&sim->arena, arguments);
    if (plans->of_object)
        return object_input_read(&sim->messages, &sim->arena, &sim->module.source, &plans->tables);
    return container_input_is(arguments->input)
               ? container_input_read(&sim->messages, &sim->arena, &sim->module.source)
               : read_text(sim, arguments);
}

static bool build(struct sim *sim)
{
    const struct lanes_table *lanes =
        sim->arguments.lanes ? lanes_named(sim->arguments.lanes) : lanes_best();
    if (!lanes) {
        message_error(&sim->messages, "--lanes: this machine has no '%s'", sim->arguments.lanes);
        return false;
    }
    diags_init(&sim->diags, &sim->arena);
    bool good = device_module_read(&sim->module, &sim->arena, lanes, &sim->diags);
    good = messages_diags(&sim->messages, &sim->diags, &sim->module.source) && good;
    diags_init(&sim->diags, &sim->arena);
    return good;
}

static bool read_plans(struct sim *sim)
{
    const struct machine_config *config = &sim->machine.config;
    return sim_plans_read(&sim->plans, &sim->arena, &sim->arguments, &sim->messages, &sim->run,
                          &sim->module.source, config) &&
           sim_plans_build(&sim->plans, &sim->messages, &sim->module.program, &sim->module.source,
                           config);
}

// Running

static int exit_code(const struct sim *sim, enum session_outcome outcome)
{
    enum { BY_SIGNAL = 128 }; // as shells report it
    static const int codes[] = {
        [SESSION_DONE] = DONE,
        [SESSION_BAD_INPUT] = BAD_INPUT,
        [SESSION_CHECK_FAILED] = CHECK_FAILED,
        [SESSION_NO_PROGRESS] = NO_PROGRESS,
        [SESSION_FAULT] = FAULT,
        [SESSION_LIMITED] = DONE,
        [SESSION_STOPPED] = DONE,
    };
    return outcome == SESSION_INTERRUPTED ? BY_SIGNAL + sim->stop : codes[outcome];
}

static void print(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

// Returns true if the run has statistics, however it has ended.
static bool has_statistics(enum session_outcome outcome)
{
    return outcome != SESSION_BAD_INPUT;
}

static FILE *open_output(struct sim *sim, const char *path)
{
    const char *error;
    FILE *to = output_open(&sim->outputs, path, &error);
    if (!to)
        message_error(&sim->messages, "%s", error);
    return to;
}

static bool open_series(struct sim *sim)
{
    struct sim_machine *machine = &sim->machine;
    FILE *to = open_output(sim, sim->arguments.series);
    if (!to)
        return false;
    sim_machine_series(machine, to);
    return true;
}

static bool open_trace(struct sim *sim)
{
    const struct sim_arguments *a = &sim->arguments;
    FILE *to = open_output(sim, a->trace);
    if (to)
        timed_trace(&sim->machine.timed, to, a->trace_from,
                    a->trace_until ? a->trace_until : UINT64_MAX);
    return to;
}

static bool check_filters(const struct sim *sim, const struct timed *timed)
{
    const struct stats_choice *choice = &sim->arguments.stats_choice;
    bool good = true;
    for (uint32_t i = 0; i < choice->patterns.n; i++) {
        if (stats_match(&timed->stats, choice->patterns.v[i]))
            continue;
        message_error(&sim->messages,
                      "--stats-filter=%s: no statistic of this machine has such a name; "
                      "--list-stats lists them",
                      choice->patterns.v[i]);
        good = false;
    }
    return good;
}

// Begins the run. Errors are reported here; results contain them as well.
static bool begin(struct sim *sim)
{
    enum { INTERVAL = 1000 }; // cycles
    struct sim_machine *machine = &sim->machine;
    struct timed *timed = sim->arguments.functional ? NULL : &machine->timed;
    if (sim->run.has_streams)
        host_options(&machine->host_config, &machine->host, &machine->options);
    if (sim->arguments.series || sim->arguments.trace)
        machine->options.interval = sim->arguments.interval ? sim->arguments.interval : INTERVAL;
    if (timed) {
        sim_reports_prepare(&sim->reports, machine);
        timed_begin(timed, &sim->session.device, &machine->options);
        sim_reports_begin(&sim->reports, timed);
    }
    sim->progress.timed = timed;
    return (!timed || check_filters(sim, timed)) && (!sim->arguments.series || open_series(sim)) &&
           (!sim->arguments.trace || open_trace(sim)) &&
           sim_checkpoint_begin(&sim->checkpoint, &sim->session, timed);
}

// Returns the files with statistics as a list for a message, or NULL.
static const char *counted_files(struct sim *sim)
{
    const struct sim_arguments *a = &sim->arguments;
    const char *const files[] = {a->stats, a->json, a->series, a->trace};
    const char *list = NULL;
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] && !file_is_standard(files[i]))
            list = list ? arena_printf(&sim->arena, "%s, %s", list, files[i]) : files[i];
    return list;
}

// Called after the statistics are written.
static void report_interrupt(struct sim *sim)
{
    const char *files = counted_files(sim);
    const char *at =
        sim->arguments.functional
            ? arena_printf(&sim->arena, "in launch %" PRIu64, sim->session.device.launches)
            : arena_printf(&sim->arena, "at cycle %" PRIu64, sim->machine.timed.total.cycles);
    fprintf(stderr, "%s: interrupted %s%s%s\n", sim_command.name, at,
            files ? "; statistics until then are in " : "", files ? files : "");
}

// Reports why a run has ended early.
static void report_end(const struct sim *sim, enum session_outcome outcome)
{
    if (outcome == SESSION_LIMITED)
        message_note(&sim->messages, "--max-%s has ended the run before it was done",
                     sim->arguments.functional ? "instructions" : "cycles");
    if (outcome == SESSION_STOPPED)
        message_note(&sim->messages, "--stop-after has ended the run after launch %" PRIu64,
                     sim->session.device.launches);
}

static void rehearse(struct sim *sim)
{
    const struct sim_rehearsal rehearsal = {
        .arguments = &sim->arguments,
        .path = sim->arguments.run_file ? sim->run_source.name : sim->arguments.common.input,
        .messages = &sim->messages,
        .module = &sim->module,
        .config = &sim->machine.config,
        .plans = &sim->plans,
        .stop = &sim->stop};
    interrupt_defer(&sim->stop);
    sim_rehearse(&rehearsal, &sim->arena);
    interrupt_defer(NULL);
}

static struct ir_locs *mapped_locs(struct sim *sim)
{
    struct ir_locs *locs = ir_locs_new(&sim->arena, sim->module.program.module);
    ir_locs_map(locs, &sim->arguments.common.prefixes);
    return locs;
}

static enum session_outcome run(struct sim *sim)
{
    struct session *session = &sim->session;
    if (!sim->arguments.functional)
        rehearse(sim);
    *session = (struct session){
        .device = {.arena = &sim->arena,
                   .program = &sim->module.program,
                   .source = &sim->module.source,
                   .threads = sim->arguments.threads,
                   .max_instructions = sim->arguments.max_instructions,
                   .race = sim->arguments.checks >> CHECK_OF_RACES & 1,
                   .uninit = sim->arguments.checks >> CHECK_OF_READS & 1,
                   .profiled = sim->arguments.profile,
                   .stop = &sim->stop,
                   .plans = &sim->plans.plans,
                   .progress = progress_launch,
                   .progress_context = &sim->progress,
                   .print = print},
        .locs = sim->arguments.common.prefixes.list.n ? mapped_locs(sim) : NULL,
        .host = &sim->machine.host,
        .logs = sim->arguments.overlap,
        .timed = sim->arguments.functional ? NULL : &sim->machine.timed,
        .arena = &sim->arena,
        .run = &sim->run,
        .diags = &sim->diags,
    };
    session->device.planes = machine_planes(&sim->machine.config);
    if (!begin(sim)) {
        timed_end(&sim->machine.timed);
        return SESSION_BAD_INPUT;
    }
    progress_start(&sim->progress, messages_progress(&sim->arguments.common));
    interrupt_defer(&sim->stop);
    bool ready = session_prepare(session) && sim_checkpoint_resume(&sim->checkpoint);
    enum session_outcome outcome = ready ? session_run(session) : SESSION_BAD_INPUT;
    if (outcome == SESSION_DONE)
        outcome = session_check(session);
    interrupt_defer(NULL);
    timed_end(&sim->machine.timed);
    if (sim->stop)
        outcome = SESSION_INTERRUPTED;
    progress_stop(&sim->progress);
    if (fflush(stdout) || ferror(stdout)) {
        message_error(&sim->messages,
                      "cannot write standard output: the output of kernels is lost");
        if (outcome == SESSION_DONE || outcome == SESSION_CHECK_FAILED)
            outcome = SESSION_BAD_INPUT;
    }
    report_end(sim, outcome);
    session_report_accesses(session);
    if (outcome == SESSION_DONE && device_reports(&session->device))
        outcome = SESSION_CHECK_FAILED;
    report_run(sim);
    messages_diags(&sim->messages, &sim->diags, &sim->module.source);
    if (session->fault.stuck && !sim->arguments.functional)
        timed_report(&sim->machine.timed, sim->messages.to);
    return outcome;
}

// Writing

static bool save_buffers(struct sim *sim)
{
    if (!check_saves(sim))
        return false;
    for (uint32_t i = 0; i < sim->run.buffers.n; i++) {
        const struct run_buffer *buffer = &sim->run.buffers.v[i];
        FILE *to = buffer->save.text ? open_output(sim, buffer->save.text) : NULL;
        if (buffer->save.text && !to)
            return false;
        if (to)
            npy_write(to, buffer->type, buffer->shape, buffer->dimensions, buffer->data,
                      buffer->elements, !buffer->save_chosen);
    }
    return true;
}

static bool write_json(struct sim *sim, enum session_outcome outcome)
{
    if (!sim->arguments.json)
        return true;
    struct result result = {
        .session = &sim->session,
        .timed = sim->arguments.functional ? NULL : &sim->machine.timed,
        .run_file = sim->arguments.run_file ? sim->run_source.name : NULL,
        .outcome = outcome,
        .exit_code = exit_code(sim, outcome),
        .host = result_host_now(),
    };
    FILE *to = open_output(sim, sim->arguments.json);
    if (to)
        result_write(&result, to);
    return to;
}

static struct sim_facts facts_of(struct sim *sim, enum session_outcome outcome)
{
    return (struct sim_facts){
        .session = &sim->session,
        .timed = sim->arguments.functional ? NULL : &sim->machine.timed,
        .run_file = sim->arguments.run_file ? sim->run_source.name : NULL,
        .machine = sim->arguments.config,
        .outcome = result_outcome(outcome, !sim->arguments.functional),
        .cpu_seconds = result_host_now().cpu_seconds,
    };
}

// Writes what chains and blocks measured, if the program has metadata with their places.
static void write_outcomes(void *context, struct json *json)
{
    struct sim *sim = context;
    struct sim_facts facts = facts_of(sim, SESSION_DONE);
    struct sim_report report;
    if (sim->arguments.functional || !sim->plans.decided || !*sim->plans.tables.source.sha256)
        return;
    sim_report_collect(&report, &sim->arena, &facts);
    sim_outcomes_write(&report, &sim->plans.tables, json);
}

static bool write_profile(struct sim *sim)
{
    FILE *to = sim->arguments.profile ? open_output(sim, sim->arguments.profile) : NULL;
    if (to)
        profile_write(&sim->session.device, write_outcomes, sim, to);
    return to || !sim->arguments.profile;
}

static bool write_stats(struct sim *sim)
{
    FILE *to = sim->arguments.stats ? open_output(sim, sim->arguments.stats) : NULL;
    if (to)
        timed_write_stats(&sim->machine.timed, &sim->arguments.stats_choice, sim->arguments.stats,
                          to);
    return to || !sim->arguments.stats;
}

// Advice is on copies and kernels: those of a run with streams.
static bool has_commands(const struct sim *sim)
{
    bool good = !sim->arguments.overlap || sim->run.has_streams;
    if (!good)
        message_error(&sim->messages, "--overlap needs a run file with 'streams'");
    return good;
}

static bool write_advice(struct sim *sim)
{
    FILE *to = sim->arguments.overlap ? open_output(sim, sim->arguments.overlap) : NULL;
    if (to)
        host_advise(sim->session.host, to);
    return to || !sim->arguments.overlap;
}

static int exit_of(const struct sim *sim, enum session_outcome outcome)
{
    int code = exit_code(sim, outcome);
    return code == DONE && sim->checkpoint.failed ? BAD_INPUT : code;
}

static FILE *open_report(void *context, const char *path)
{
    return open_output(context, path);
}

// A run of which nothing else is written prints the report.
static bool write_reports(struct sim *sim, enum session_outcome outcome, bool complete)
{
    bool page = complete && !sim->outputs.list.n && !sim->arguments.checkpoint &&
                !sim->arguments.common.quiet;
    for (uint32_t i = 0; i < REPORT_FORMATS; i++)
        page &= !sim->arguments.common.reports[i].wanted;
    struct sim_facts facts = facts_of(sim, outcome);
    return !has_statistics(outcome) ||
           sim_reports_write(&sim->reports, &facts, page, open_report, sim);
}

// A run that did not end writes statistics and no results.
// Names files as --file-prefix-map says. No file is opened by these names any more.
static void show_files(struct sim *sim)
{
    const struct prefix_map *prefixes = &sim->arguments.common.prefixes;
    messages_show_files(&sim->messages, &sim->machine.resolved);
    sim->module.source.name = prefix_map_name(prefixes, &sim->arena, sim->module.source.name);
    sim->run_source.name = prefix_map_name(prefixes, &sim->arena, sim->run_source.name);
}

static int write_all(struct sim *sim, enum session_outcome outcome)
{
    bool complete = outcome == SESSION_DONE || outcome == SESSION_CHECK_FAILED;
    if (complete && !save_buffers(sim))
        return BAD_INPUT;
    show_files(sim);
    if ((complete && (!write_profile(sim) || !write_advice(sim))) ||
        (has_statistics(outcome) && !write_stats(sim)) || !write_json(sim, outcome) ||
        !write_reports(sim, outcome, complete))
        return BAD_INPUT;
    const char *error = outputs_commit(&sim->outputs);
    if (!error && outcome == SESSION_INTERRUPTED)
        report_interrupt(sim);
    if (!error)
        return exit_of(sim, outcome);
    message_error(&sim->messages, "%s", error);
    return BAD_INPUT;
}

static void report_counts(const struct sim *sim)
{
    const struct session *session = &sim->session;
    for (uint32_t i = 0; i < session->device.kernels.n; i++) {
        const struct device_kernel *kernel = session->device.kernels.v[i];
        message_verbose(
            &sim->messages,
            "%s: launches %" PRIu64 ", warp instructions %" PRIu64 ", thread instructions %" PRIu64,
            kernel->name, kernel->launches, kernel->warp_instructions, kernel->thread_instructions);
        const struct timed_kernel *timed = kernel->timed;
        if (timed && timed->room)
            message_verbose(
                &sim->messages, "%s: %u registers a thread (%s), %u CTAs a core: no more %s",
                kernel->name, timed->registers, timed->registers_source, timed->room, timed->limit);
    }
    if (sim->arguments.common.verbose && !sim->arguments.functional)
        timed_write_notes(&sim->machine.timed, sim->messages.to);
    message_verbose(&sim->messages, "%.3f CPU seconds in kernels, %u of %u expectations hold",
                    session->device.kernel_cpu_seconds, session->passed,
                    session->passed + session->failed);
}

static void print_storage(const struct machine_config *config, struct arena *arena, FILE *to)
{
    for (uint32_t i = 0; config->schemes[i]; i++)
        if (config->schemes[i]->print_storage)
            config->schemes[i]->print_storage(config->of_scheme[i], config, to);
    struct energy_model model;
    machine_energy(&model, arena, config, true);
    energy_print_area(&model, to);
}

static void print_energy(const struct machine_config *config, struct arena *arena, FILE *to)
{
    struct energy_model model;
    machine_energy(&model, arena, config, false);
    energy_print_costs(&config->energy, to);
    energy_print_events(&model, to);
}

static void list_stats(struct sim *sim, FILE *to)
{
    struct sim_machine *machine = &sim->machine;
    host_options(&machine->host_config, &machine->host, &machine->options);
    timed_list_stats(&machine->options, &sim->arena, to);
}

static bool print_digests(struct sim *sim, FILE *to)
{
    bool good = false;
    const char *error = sim_digests_print(&sim->arena, to, &good);
    if (error)
        message_error(&sim->messages, "%s", error);
    return good;
}

static int print_topic(struct sim *sim)
{
    bool good = true;
    const struct sim_arguments *a = &sim->arguments;
    FILE *to = open_output(sim, "-");
    if (!to)
        return BAD_INPUT;
    if (sim->arguments.common.help)
        options_help(sim_command_with_policies(&sim->arena), to);
    else if (sim->arguments.help_run)
        (a->help_run == TOPIC_MARKDOWN ? yaml_keys_print_markdown : yaml_keys_print)(&run_keys, to);
    else if (sim->arguments.help_keys)
        (a->help_keys == TOPIC_MARKDOWN ? config_keys_print_markdown
                                        : config_keys_print)(&sim->machine.resolved, to);
    else if (sim->arguments.list_configs)
        config_names_print(&sim->machine.resolved, to);
    else if (sim->arguments.print_config)
        config_print(&sim->machine.resolved, to);
    else if (sim->arguments.print_digests)
        good = print_digests(sim, to);
    else if (sim->arguments.list_storage)
        print_storage(&sim->machine.config, &sim->arena, to);
    else if (sim->arguments.list_energy)
        print_energy(&sim->machine.config, &sim->arena, to);
    else if (sim->arguments.list_stats)
        list_stats(sim, to);
    else
        options_version(&sim_command, to);
    const char *error = outputs_commit(&sim->outputs);
    if (error)
        message_error(&sim->messages, "%s", error);
    return error || !good ? BAD_INPUT : DONE;
}

static bool is_topic_without_machine(const struct sim_arguments *a)
{
    return a->common.help || a->help_run || a->common.version || a->list_configs;
}

static int do_all(struct sim *sim, int argc, char **argv)
{
    const struct sim_arguments *a = &sim->arguments;
    if (!sim_arguments_read(&sim->arguments, &sim->arena, argc, argv, stderr))
        return BAD_USAGE;
    messages_init(&sim->messages, sim_command.name, &sim->arguments.common, &sim->log);
    if (is_topic_without_machine(a))
        return print_topic(sim);
    sim->memory.limit = a->common.max_memory;
    if (!messages_begin(&sim->messages, &sim->arena) ||
        !sim_machine_read(&sim->machine, &sim->arena, a, &sim->messages))
        return BAD_INPUT;
    if (sim_is_topic(a))
        return print_topic(sim);
    if (!sim_reports_init(&sim->reports, &sim->arena, a, &sim->messages) || !read_run(sim) ||
        !has_commands(sim) || !read_program(sim) || !build(sim) || !read_plans(sim) ||
        !sim_machine_finds(&sim->machine, &sim->module.program, &sim->messages))
        return BAD_INPUT;
    enum session_outcome outcome = run(sim);
    report_counts(sim);
    return write_all(sim, outcome);
}

static int out_of_memory(struct sim *sim)
{
    outputs_abandon(&sim->outputs);
    outputs_abandon(&sim->checkpoint.outputs);
    if (!sim->out_of_memory) {
        sim->out_of_memory = true;
        progress_stop(&sim->progress);
        message_memory(&sim->messages, &sim->memory);
    }
    return BAD_INPUT;
}

static int work(struct sim *sim, int argc, char **argv)
{
    if (setjmp(sim->memory.on_failure))
        return messages_end(&sim->messages, argc, argv, out_of_memory(sim));
    int status = do_all(sim, argc, argv);
    outputs_abandon(&sim->outputs);
    return messages_end(&sim->messages, argc, argv, status);
}

int main(int argc, char **argv)
{
    struct sim sim = {0};
    input_open_standard();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    sim.memory.sparse = true;
    arena_init(&sim.arena, &sim.memory);
    outputs_init(&sim.outputs, &sim.arena);
    outputs_init(&sim.log.outputs, &sim.arena);
    messages_init(&sim.messages, sim_command.name, &sim.arguments.common, &sim.log);
    sim_checkpoint_init(&sim.checkpoint, &sim.memory, &sim.arguments, &sim.messages);
    interrupt_remove_too(&sim.checkpoint.outputs);
    interrupt_remove(&sim.outputs, &sim.log.outputs);
    int status = work(&sim, argc, argv);
    memory_free(&sim.memory);
    if (sim.stop)
        interrupt_end(sim.stop);
    return status;
}
