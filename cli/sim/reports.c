#include "cli/sim/reports.h"
#include <inttypes.h>

static bool is_wanted(const struct sim_reports *reports, int format)
{
    return reports->arguments->common.reports[format].wanted;
}

// Returns true if a report is asked for, besides a page.
static bool writes_any(const struct sim_reports *reports)
{
    bool any = reports->arguments->explains;
    for (int format = 0; format < REPORT_FORMATS; format++)
        any |= is_wanted(reports, format);
    return any;
}

bool sim_reports_init(struct sim_reports *reports, struct arena *arena,
                      const struct sim_arguments *arguments, const struct messages *messages)
{
    *reports = (struct sim_reports){arguments, messages, arena, .collects = false};
    if (!arguments->beside)
        return true;
    const char *error = sim_report_read(&reports->beside, arena, arguments->beside);
    if (error)
        message_error(messages, "--beside=%s: %s", arguments->beside, error);
    return !error;
}

void sim_reports_prepare(struct sim_reports *reports, struct sim_machine *machine)
{
    reports->collects = writes_any(reports) || !reports->arguments->common.quiet;
    if (reports->collects)
        sim_machine_collect(machine, &reports->collector);
}

void sim_reports_begin(struct sim_reports *reports, struct timed *timed)
{
    if (reports->collects)
        sim_collect_begin(&reports->collector, timed, reports->arena,
                          reports->arguments->series || reports->arguments->trace);
}

static void write_report(const struct sim_view *view, int format, struct arena *arena, FILE *to)
{
    switch (format) {
    case REPORT_TEXT: sim_report_text(view, to); break;
    case REPORT_JSON: sim_report_json(view->report, to); break;
    default: sim_report_html(view, arena, to);
    }
}

static void collect(struct sim_report *report, const struct sim_reports *reports,
                    const struct sim_facts *facts)
{
    struct sim_facts all = *facts;
    all.collector = reports->collects && facts->timed ? &reports->collector : NULL;
    all.machine = reports->arguments->config;
    sim_report_collect(report, reports->arena, &all);
}

bool sim_reports_write(struct sim_reports *reports, const struct sim_facts *facts, bool page,
                       sim_reports_open *open, void *context)
{
    struct sim_report report;
    struct sim_view view = {
        .report = &report,
        .beside = reports->arguments->beside ? &reports->beside : NULL,
        .beside_name = reports->arguments->beside,
        .explains = reports->arguments->explains,
    };
    if (!page && !writes_any(reports)) // collecting takes a tenth of a short run
        return true;
    collect(&report, reports, facts);
    bool explains_there = view.explains && is_wanted(reports, REPORT_TEXT);
    for (int format = 0; format < REPORT_FORMATS; format++) {
        const char *path = reports->arguments->common.reports[format].path;
        FILE *to = is_wanted(reports, format) ? open(context, path ? path : "-") : NULL;
        if (!to && is_wanted(reports, format))
            return false;
        if (to)
            write_report(&view, format, reports->arena, to);
    }
    FILE *to = page || (view.explains && !explains_there) ? open(context, "-") : NULL;
    if (to)
        write_report(&view, REPORT_TEXT, reports->arena, to);
    return to || !(page || (view.explains && !explains_there));
}

static void note_values(const struct messages *messages, struct arena *arena,
                        const struct sim_report *report)
{
    const char *expectations = report->passed + report->failed
                                   ? arena_printf(arena, "; %u of %u expectations hold",
                                                  report->passed, report->passed + report->failed)
                                   : "";
    message_note(messages, "%s warp instructions in %" PRIu64 " launch%s%s",
                 sim_count(arena, report->total.warp_instructions), report->total.launches,
                 report->total.launches == 1 ? "" : "es", expectations);
}

static void note_beside(const struct sim_reports *reports, const struct sim_report *report)
{
    const struct sim_report *beside = &reports->beside;
    if (!reports->arguments->beside)
        message_note(
            reports->messages,
            "beside no other run: --beside=FILE.json compares with the --report=json of one");
    else
        message_note(reports->messages, "beside %s: %s, from %s cycles on %s, policy %s",
                     reports->arguments->beside,
                     sim_change(reports->arena, report->total.cycles, beside->total.cycles),
                     sim_count(reports->arena, beside->total.cycles), beside->machine,
                     beside->policy);
}

void sim_reports_summary(struct sim_reports *reports, const struct sim_facts *facts)
{
    struct sim_report report;
    struct arena *arena = reports->arena;
    if (reports->arguments->common.quiet)
        return;
    collect(&report, reports, facts);
    if (!report.total.launches) {
        message_note(reports->messages, "no kernel was launched");
        return;
    }
    if (!report.has_time) {
        note_values(reports->messages, arena, &report);
        return;
    }
    const char *kernels = report.kernels.n == 1
                              ? report.kernels.v[0].shown
                              : arena_printf(arena, "%u kernels", report.kernels.n);
    double idle = sim_idle_cycles(&report);
    const char *rest = idle > 0 ? arena_printf(arena, "; in %s of the cycles no kernel ran",
                                               sim_count(arena, idle))
                                : "";
    message_note(reports->messages, "%s of %s on %s, policy %s%s", sim_cycles(arena, &report.total),
                 kernels, report.machine, report.policy, rest);
    note_beside(reports, &report);
    const char *limits = sim_explain_brief(&report.total, arena);
    if (*limits)
        message_note(reports->messages, "%s", limits);
}
