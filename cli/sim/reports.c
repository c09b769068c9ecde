#include "cli/sim/reports.h"

static bool is_wanted(const struct sim_reports *reports, int format)
{
    return reports->arguments->common.reports[format].wanted;
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
    reports->collects = is_wanted(reports, REPORT_HTML) || is_wanted(reports, REPORT_JSON);
    if (reports->collects)
        sim_machine_collect(machine, &reports->collector);
}

void sim_reports_begin(struct sim_reports *reports, struct timed *timed)
{
    if (reports->collects)
        sim_collect_begin(&reports->collector, timed, reports->arena, reports->arguments->series);
}

static void write_report(const struct sim_view *view, int format, struct arena *arena, FILE *to)
{
    switch (format) {
    case REPORT_TEXT: sim_report_text(view, to); break;
    case REPORT_JSON: sim_report_json(view->report, to); break;
    default: sim_report_html(view, arena, to);
    }
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
    struct sim_facts all = *facts;
    all.collector = reports->collects && facts->timed ? &reports->collector : NULL;
    all.machine = reports->arguments->config;
    sim_report_collect(&report, reports->arena, &all);
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
