// Writes the results of a run.
#include "cli/sim/sim.h"
#include "runtime-sim/device/device.h"
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/run/npy.h"
#include "runtime-sim/run/result.h"
#include "support/file.h"
#include "report/sim_report.h"
#include <inttypes.h>

static int exit_code(const struct sim *sim, enum session_outcome outcome)
{
    static const int codes[] = {
        [SESSION_DONE] = DONE,
        [SESSION_BAD_INPUT] = BAD_INPUT,
        [SESSION_CHECK_FAILED] = CHECK_FAILED,
        [SESSION_NO_PROGRESS] = NO_PROGRESS,
        [SESSION_FAULT] = FAULT,
        [SESSION_LIMITED] = DONE,
        [SESSION_STOPPED] = DONE,
    };
    return outcome == SESSION_INTERRUPTED ? BY_SIGNAL + sim->base.frame.stop : codes[outcome];
}

// Returns true if the run has statistics, even if it ended early.
static bool has_statistics(enum session_outcome outcome)
{
    return outcome != SESSION_BAD_INPUT;
}

// Returns the files with statistics as a list for a message, or NULL.
static const char *counted_files(struct sim *sim)
{
    const struct sim_arguments *a = &sim->arguments;
    const char *const files[] = {a->stats, a->json, a->series, a->trace};
    const char *list = NULL;
    for (uint32_t i = 0; i < ARRAY_LENGTH(files); i++)
        if (files[i] && !file_is_standard(files[i]))
            list = list ? arena_printf(&sim->base.frame.arena, "%s, %s", list, files[i]) : files[i];
    return list;
}

// Requires that the statistics are written.
static void report_interrupt(struct sim *sim)
{
    const char *files = counted_files(sim);
    const char *at = sim->arguments.functional
                         ? arena_printf(&sim->base.frame.arena, "in launch %" PRIu64,
                                        sim->session.device.launches)
                         : arena_printf(&sim->base.frame.arena, "at cycle %" PRIu64,
                                        sim->base.machine.timed.total.cycles);
    fprintf(stderr, "%s: interrupted %s%s%s\n", sim_command.name, at,
            files ? "; statistics up to then are in " : "", files ? files : "");
}

static bool save_buffers(struct sim *sim)
{
    if (!sim_check_saves(sim))
        return false;
    for (uint32_t i = 0; i < sim->run.buffers.n; i++) {
        const struct run_buffer *buffer = &sim->run.buffers.v[i];
        FILE *to = buffer->save.text ? frame_open(&sim->base.frame, buffer->save.text) : NULL;
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
        .timed = sim->arguments.functional ? NULL : &sim->base.machine.timed,
        .listing = sim->arguments.annotate ? sim->listing : NULL,
        .run_file = sim->arguments.run_file ? sim->run_source.name : NULL,
        .outcome = outcome,
        .exit_code = exit_code(sim, outcome),
        .host = result_host_now(),
    };
    FILE *to = frame_open(&sim->base.frame, sim->arguments.json);
    if (to)
        result_write(&result, to);
    return to;
}

static struct sim_facts facts_of(struct sim *sim, enum session_outcome outcome)
{
    return (struct sim_facts){
        .session = &sim->session,
        .timed = sim->arguments.functional ? NULL : &sim->base.machine.timed,
        .run_file = sim->arguments.run_file ? sim->run_source.name : NULL,
        .machine = sim->arguments.config,
        .listing = sim->listing,
        .program = sim->program_name,
        .outcome = result_outcome(outcome, !sim->arguments.functional),
        .cpu_seconds = result_host_now().cpu_seconds,
    };
}

// Writes the values measured for chains and blocks, if the program has metadata with their places.
static void write_outcomes(void *context, struct json *json)
{
    struct sim *sim = context;
    struct sim_facts facts = facts_of(sim, SESSION_DONE);
    struct sim_report report;
    if (sim->arguments.functional || !sim->plans.decided || !*sim->plans.tables.source.sha256)
        return;
    sim_report_collect(&report, &sim->base.frame.arena, &facts);
    sim_outcomes_write(&report, &sim->plans.tables, json);
}

static bool write_profile(struct sim *sim)
{
    FILE *to = sim->arguments.profile ? frame_open(&sim->base.frame, sim->arguments.profile) : NULL;
    if (to)
        profile_write(&sim->session.device, write_outcomes, sim, to);
    return to || !sim->arguments.profile;
}

static bool write_stats(struct sim *sim)
{
    FILE *to = sim->arguments.stats ? frame_open(&sim->base.frame, sim->arguments.stats) : NULL;
    if (to)
        timed_write_stats(&sim->base.machine.timed, &sim->arguments.stats_choice,
                          sim->arguments.stats, to);
    return to || !sim->arguments.stats;
}

static bool write_advice(struct sim *sim)
{
    FILE *to = sim->arguments.overlap ? frame_open(&sim->base.frame, sim->arguments.overlap) : NULL;
    if (to)
        host_advise(sim->session.host, to);
    return to || !sim->arguments.overlap;
}

static bool write_annotation(struct sim *sim)
{
    const char *path = sim->arguments.annotate;
    FILE *to = path ? frame_open(&sim->base.frame, path) : NULL;
    if (to && sim->listing)
        sim_annotate(sim->listing, sim->program_name, &sim->base.frame.arena, to);
    return to || !path;
}

static int exit_of(const struct sim *sim, enum session_outcome outcome)
{
    int code = exit_code(sim, outcome);
    return code == DONE && sim->checkpoint.failed ? BAD_INPUT : code;
}

static FILE *open_report(void *context, const char *path)
{
    return frame_open(context, path);
}

// Writes the reports. A run that writes nothing else prints one.
static bool write_reports(struct sim *sim, enum session_outcome outcome, bool complete)
{
    bool page = complete && !sim->base.frame.outputs.list.n && !sim->arguments.checkpoint &&
                !sim->arguments.common.quiet;
    for (uint32_t i = 0; i < REPORT_FORMATS; i++)
        page &= !sim->arguments.common.reports[i].wanted;
    bool prints =
        page || sim->arguments.explains || sim->arguments.common.reports[REPORT_TEXT].wanted;
    struct sim_facts facts = facts_of(sim, outcome);
    if (!has_statistics(outcome))
        return true;
    if (complete && !prints)
        sim_reports_summary(&sim->reports, &facts);
    return sim_reports_write(&sim->reports, &facts, page, open_report, sim);
}

// Applies --file-prefix-map to names of files, which are not opened after this.
static void show_files(struct sim *sim)
{
    const struct prefix_map *prefixes = &sim->arguments.common.prefixes;
    config_show_files(&sim->base.machine.resolved, &sim->base.frame.messages.options->prefixes);
    sim->module.source.name =
        prefix_map_name(prefixes, &sim->base.frame.arena, sim->module.source.name);
    sim->run_source.name = prefix_map_name(prefixes, &sim->base.frame.arena, sim->run_source.name);
}

int sim_write(struct sim *sim, enum session_outcome outcome)
{
    bool complete = outcome == SESSION_DONE || outcome == SESSION_CHECK_FAILED;
    if (complete && !save_buffers(sim))
        return BAD_INPUT;
    if (has_statistics(outcome))
        sim->listing =
            listing_collect(&sim->session, sim->plans.decided ? &sim->plans.tables : NULL);
    sim->program_name = sim->module.source.name;
    show_files(sim);
    if ((complete && (!write_profile(sim) || !write_advice(sim))) ||
        (has_statistics(outcome) && (!write_stats(sim) || !write_annotation(sim))) ||
        !write_json(sim, outcome) || !write_reports(sim, outcome, complete))
        return BAD_INPUT;
    if (frame_commit(&sim->base.frame, DONE))
        return BAD_INPUT;
    if (outcome == SESSION_INTERRUPTED)
        report_interrupt(sim);
    return exit_of(sim, outcome);
}
