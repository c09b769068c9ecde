// ptxoffload-sim: runs kernels of a PTX program.
#include "cli/sim/sim.h"
#include "cli/common/interrupt.h"
#include "cli/sim/run.h"
#include "ir/loc.h"
#include <inttypes.h>
#include <string.h>

// Running

static void print(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

static bool open_series(struct sim *sim)
{
    struct sim_machine *machine = &sim->base.machine;
    FILE *to = frame_open(&sim->base.frame, sim->arguments.series);
    if (!to)
        return false;
    sim_machine_series(machine, to);
    return true;
}

static bool open_trace(struct sim *sim)
{
    const struct sim_arguments *a = &sim->arguments;
    FILE *to = frame_open(&sim->base.frame, a->trace);
    if (to)
        timed_trace(&sim->base.machine.timed, to, a->trace_from,
                    a->trace_until ? a->trace_until : UINT64_MAX);
    return to;
}

static bool check_filters(const struct sim *sim, const struct timed *timed)
{
    const struct stats_choice *choice = &sim->arguments.stats_choice;
    bool good = true;
    for (uint32_t i = 0; i < choice->patterns.list.n; i++) {
        if (stats_match(&timed->stats, choice->patterns.list.v[i]))
            continue;
        message_error(&sim->base.frame.messages,
                      "--stats-filter=%s: no statistic of this machine matches; --list-stats lists "
                      "them",
                      choice->patterns.list.v[i]);
        good = false;
    }
    return good;
}

// Starts the run. Errors are reported here, and are in the results as well.
static bool begin(struct sim *sim)
{
    struct sim_machine *machine = &sim->base.machine;
    struct timed *timed = sim->arguments.functional ? NULL : &machine->timed;
    if (sim->run.has_streams)
        host_options(&machine->host_config, NULL, machine->host.gpus, &machine->options);
    sim_machine_interval(machine, &sim->arguments);
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

// Reports why a run has ended early.
static void report_end(const struct sim *sim, enum session_outcome outcome)
{
    if (outcome == SESSION_LIMITED)
        message_note(&sim->base.frame.messages, "--max-%s stopped the run before its end",
                     sim->arguments.functional ? "instructions" : "cycles");
    if (outcome == SESSION_STOPPED)
        message_note(&sim->base.frame.messages,
                     "--stop-after stopped the run after launch %" PRIu64,
                     sim->session.device.launches);
}

// Reports once that the policy does less than it promises. `known`: the text that was reported
// before the run, or NULL.
static const char *note_shortfall(struct sim *sim, const char *known)
{
    if (sim->arguments.functional)
        return NULL;
    const char *text = timed_shortfall(&sim->base.machine.timed, &sim->base.frame.arena);
    if (text && !(known && !strcmp(text, known)))
        message_note(&sim->base.frame.messages, "%s", text);
    return text;
}

static void rehearse(struct sim *sim)
{
    const struct sim_rehearsal rehearsal = {
        .arguments = &sim->arguments,
        .path = sim->arguments.run_file ? sim->run_source.name : sim->arguments.common.input,
        .messages = &sim->base.frame.messages,
        .module = &sim->module,
        .config = &sim->base.machine.config,
        .host_config = &sim->base.machine.host_config,
        .plans = &sim->plans,
        .stop = &sim->base.frame.stop};
    interrupt_defer(&sim->base.frame.stop);
    sim_rehearse(&rehearsal, &sim->base.frame.arena);
    interrupt_defer(NULL);
}

static struct ir_locs *mapped_locs(struct sim *sim)
{
    struct ir_locs *locs = ir_locs_new(&sim->base.frame.arena, sim->module.program.module);
    ir_locs_map(locs, &sim->arguments.common.prefixes);
    return locs;
}

static enum session_outcome run(struct sim *sim)
{
    struct session *session = &sim->session;
    if (!sim->arguments.functional)
        rehearse(sim);
    *session = (struct session){
        .device = {.arena = &sim->base.frame.arena,
                   .program = &sim->module.program,
                   .source = &sim->module.source,
                   .threads = (uint32_t)sim->arguments.threads,
                   .max_instructions = sim->arguments.max_instructions,
                   .race = sim->arguments.checks >> CHECK_OF_RACES & 1,
                   .uninit = sim->arguments.checks >> CHECK_OF_READS & 1,
                   .profiled = sim->arguments.profile,
                   .stop = &sim->base.frame.stop,
                   .plans = &sim->plans.plans,
                   .progress = progress_launch,
                   .progress_context = &sim->progress,
                   .print = print},
        .locs = sim->arguments.common.prefixes.list.n ? mapped_locs(sim) : NULL,
        .host = &sim->base.machine.host,
        .logs = sim->arguments.overlap,
        .timed = sim->arguments.functional ? NULL : &sim->base.machine.timed,
        .arena = &sim->base.frame.arena,
        .run = &sim->run,
        .diags = &sim->diags,
    };
    session->device.planes = machine_planes(&sim->base.machine.config);
    if (sim_options_annotate(&sim->arguments)) {
        session->device.sites = &sim->sites;
        sites_init(&sim->sites, &sim->base.frame.arena);
    }
    if (!begin(sim)) {
        timed_end(&sim->base.machine.timed);
        return SESSION_BAD_INPUT;
    }
    const char *shortfall = note_shortfall(sim, NULL);
    progress_start(&sim->progress, messages_progress(&sim->arguments.common));
    session->device.counts = sim->progress.running ? &sim->progress.counts : NULL;
    interrupt_defer(&sim->base.frame.stop);
    bool ready = session_prepare(session) && sim_checkpoint_resume(&sim->checkpoint);
    enum session_outcome outcome = ready ? session_run(session) : SESSION_BAD_INPUT;
    if (outcome == SESSION_DONE)
        outcome = session_check(session);
    interrupt_defer(NULL);
    timed_end(&sim->base.machine.timed);
    if (sim->base.frame.stop)
        outcome = SESSION_INTERRUPTED;
    progress_stop(&sim->progress);
    if (fflush(stdout) || ferror(stdout)) {
        message_error(&sim->base.frame.messages,
                      "cannot write standard output: output of the kernels is lost");
        if (outcome == SESSION_DONE || outcome == SESSION_CHECK_FAILED)
            outcome = SESSION_BAD_INPUT;
    }
    report_end(sim, outcome);
    note_shortfall(sim, shortfall);
    session_report_accesses(session);
    if (outcome == SESSION_DONE && device_reports(&session->device))
        outcome = SESSION_CHECK_FAILED;
    sim_report_run(sim);
    messages_diags(&sim->base.frame.messages, &sim->diags, &sim->module.source);
    if (session->fault.refused)
        message_note(&sim->base.frame.messages, "%s",
                     sim_machines_with_room(&sim->base.frame.arena, &session->fault.needs));
    if (session->fault.stuck && !sim->arguments.functional)
        timed_report(&sim->base.machine.timed, sim->base.frame.messages.to);
    return outcome;
}

static void report_counts(struct sim *sim)
{
    const struct session *session = &sim->session;
    for (uint32_t i = 0; i < session->device.kernels.n; i++) {
        const struct device_kernel *kernel = session->device.kernels.v[i];
        message_verbose(
            &sim->base.frame.messages,
            "%s: launches %" PRIu64 ", warp instructions %" PRIu64 ", thread instructions %" PRIu64,
            kernel->name, kernel->launches, kernel->warp_instructions, kernel->thread_instructions);
        const char *room = kernel->timed ? timed_room(kernel->timed, &sim->base.frame.arena) : NULL;
        if (room)
            message_verbose(&sim->base.frame.messages, "%s: %s", kernel->name, room);
    }
    if (sim->arguments.common.verbose && !sim->arguments.functional)
        timed_write_notes(&sim->base.machine.timed, sim->base.frame.messages.to);
    message_verbose(
        &sim->base.frame.messages, "%.3f CPU seconds in kernels, %u of %u expectations hold",
        session->device.cpu.seconds, session->passed, session->passed + session->failed);
}

static int run_all(void *own)
{
    struct sim *sim = own;
    struct frame *frame = &sim->base.frame;
    sim_checkpoint_init(&sim->checkpoint, &frame->memory, &sim->arguments, &frame->messages);
    interrupt_remove_too(&sim->checkpoint.outputs);
    if (!sim_reports_init(&sim->reports, &frame->arena, &sim->arguments, &frame->messages) ||
        !sim_read_inputs(sim) ||
        !sim_machine_finds(&sim->base.machine, &sim->module.program, &frame->messages))
        return BAD_INPUT;
    enum session_outcome outcome = run(sim);
    report_counts(sim);
    return sim_write(sim, outcome);
}

static void abandon(void *own)
{
    struct sim *sim = own;
    if (sim->checkpoint.arguments)
        outputs_abandon(&sim->checkpoint.outputs);
    progress_stop(&sim->progress);
}

const struct cli_program sim_program = {
    .command = &sim_command,
    .complete = sim_command_with_policies,
    .size = sizeof(struct sim),
    .options = offsetof(struct sim, arguments),
    .topics = sim_topics,
    .sparse = true,
    .set_defaults = sim_options_default,
    .check = sim_options_check_run,
    .prepare = sim_prepare,
    .run = run_all,
    .abandon = abandon,
};
