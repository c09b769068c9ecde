// ptxoffload-noc: measures a network under synthetic traffic.
#include "cli/common/input.h"
#include "cli/common/interrupt.h"
#include "cli/common/messages.h"
#include "cli/measure/noc_options.h"
#include "tools/noc/plot.h"
#include "support/file.h"
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2, NO_PROGRESS = 4 };

struct noc_program {
    struct memory memory;
    struct arena arena;
    struct noc_arguments arguments;
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    bool out_of_memory;
    struct noc_config noc;
    struct config_section section;
    struct config config;
    struct measure_plan plan;
    struct measure_head head;
    struct sweep sweep; // of one point without --sweep
    bool shown;         // a line of progress is on the terminal
    time_t began;       // of the measurements
    atomic_int stop;    // the signal that has interrupted the run, or 0
};

// Reading

// Messages before a wrong setting have no value.
static bool report_config(struct noc_program *p)
{
    bool good = true;
    for (uint32_t i = 0; i < p->config.texts.n; i++) {
        struct config_text *text = p->config.texts.v[i];
        good &= messages_diags(&p->messages, &text->diags, &text->source);
    }
    return good;
}

static bool check_injection(struct noc_program *p)
{
    uint64_t room = p->noc.injection_queue / p->noc.injection_ports / p->noc.injection_links;
    if (!p->noc.injection_queue || p->arguments.flits.most <= room)
        return true;
    message_error(&p->messages,
                  "a packet of %" PRIu32 " flits does not fit an injection queue of %" PRIu64,
                  p->arguments.flits.most, room);
    return false;
}

static void begin_config(struct noc_program *p)
{
    p->section = (struct config_section){"noc", noc_keys, noc_key_count, &p->noc};
    config_init(&p->config, &p->arena, &p->section, 1);
    p->config.folder = "noc";
}

static bool read_config(struct noc_program *p)
{
    bool good =
        !p->arguments.measure.config || config_load(&p->config, p->arguments.measure.config);
    for (uint32_t i = 0; i < p->arguments.measure.settings.n; i++)
        good &= config_set(&p->config, p->arguments.measure.settings.v[i]);
    if (!report_config(p) || !good)
        return false;
    const char *wrong = noc_check(&p->arena, &p->noc);
    if (wrong)
        message_error(&p->messages, "%s", wrong);
    return !wrong;
}

static bool read_traffic(struct noc_program *p)
{
    const char *wrong = measure_traffic(&p->arguments.traffic, &p->arena, &p->noc);
    if (wrong)
        message_error(&p->messages, "--traffic: %s", wrong);
    return !wrong && check_injection(p);
}

// Outputs go to different files, none of them the one that was read.
static bool check_paths(struct noc_program *p)
{
    const struct noc_arguments *a = &p->arguments;
    const struct {
        const char *path, *option;
    } outputs[] = {{a->measure.json, "--json"},
                   {a->measure.csv, "--csv"},
                   {a->measure.plot, "--plot"},
                   {a->heatmap, "--heatmap"},
                   {a->measure.stats, "--stats"}};
    bool good = true;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        for (size_t k = 0; outputs[i].path && k < i; k++)
            if (outputs[k].path && output_same(&p->arena, outputs[i].path, outputs[k].path)) {
                message_error(&p->messages, "%s and %s are both written to '%s'", outputs[k].option,
                              outputs[i].option, outputs[i].path);
                good = false;
            }
        for (uint32_t k = 0; outputs[i].path && k < p->config.texts.n; k++)
            if (output_same(&p->arena, outputs[i].path, p->config.texts.v[k]->source.name)) {
                message_error(&p->messages, "%s would overwrite the configuration '%s'",
                              outputs[i].option, outputs[i].path);
                good = false;
            }
    }
    return good;
}

// Measuring

// Returns the number of loads that will be measured; of a sweep that selects them, the usual
// number: the highest, 8 by bisection and 13 at parts of the result.
static uint32_t expected_loads(const struct noc_arguments *a)
{
    enum { USUAL = 1 + 8 + 13 };
    return !a->measure.sweep ? 1 : a->measure.loads.n ? a->measure.loads.n : USUAL;
}

static void show_progress(void *context, double load, uint64_t cycle)
{
    struct noc_program *p = context;
    uint64_t all = p->plan.warmup + p->plan.cycles;
    const struct noc_arguments *a = &p->arguments;
    uint32_t done = p->sweep.points.n, loads = expected_loads(a);
    p->shown = true;
    fprintf(stderr, "\r\033[Kload %.4g", load);
    if (loads > 1)
        fprintf(stderr, ", %u of %s%u", done + 1, a->measure.loads.n ? "" : "about ",
                loads > done ? loads : done + 1);
    fprintf(stderr, ": cycle %" PRIu64 " of %" PRIu64, cycle, all);
    if (done && loads > done) {
        double each = (double)(time(NULL) - p->began) / done;
        fprintf(stderr, ", about %.0f s left", each * (loads - done));
    }
    fflush(stderr);
}

static void hide_progress(struct noc_program *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static void plan(struct noc_program *p)
{
    const struct noc_arguments *a = &p->arguments;
    p->plan = (struct measure_plan){
        .config = &p->noc,
        .traffic = &a->traffic,
        .flits = a->flits,
        .load = a->measure.load,
        .seed = a->measure.seed,
        .warmup = a->measure.warmup,
        .cycles = a->measure.cycles,
        .shuffle = a->shuffle,
        .patience = a->patience,
        .progress = messages_progress(&a->measure.common) ? show_progress : NULL,
        .context = p,
        .stop = &p->stop,
    };
    p->head = (struct measure_head){&p->config, &p->plan, a->traffic_text};
}

// Flits that a sender may get rid of in a cycle: one for each of its links, and it creates a
// packet.
static double most_load(const struct noc_program *p)
{
    double links = (double)(p->noc.injection_ports * p->noc.injection_links);
    return links < p->plan.flits.mean ? links : p->plan.flits.mean;
}

static void run(struct noc_program *p)
{
    const struct noc_arguments *a = &p->arguments;
    interrupt_defer(&p->stop);
    p->began = time(NULL);
    if (!a->measure.sweep)
        sweep_loads(&p->sweep, &p->arena, &p->plan, &a->measure.load, 1);
    else if (a->measure.loads.n)
        sweep_loads(&p->sweep, &p->arena, &p->plan, a->measure.loads.v, a->measure.loads.n);
    else
        sweep_automatic(&p->sweep, &p->arena, &p->plan, most_load(p));
    interrupt_defer(NULL);
    hide_progress(p);
}

static const struct measured *last_point(const struct noc_program *p)
{
    return &p->sweep.points.v[p->sweep.points.n - 1];
}

static int outcome_code(struct noc_program *p)
{
    enum { BY_SIGNAL = 128, MOST_WAITING = 20 }; // as a shell says it
    const struct measured *last = last_point(p);
    switch (last->outcome) {
    case MEASURE_DONE: break;
    case MEASURE_INTERRUPTED: return BY_SIGNAL + p->stop;
    case MEASURE_FAULT: message_internal(&p->messages, "%s", last->fault); return BAD_INPUT;
    case MEASURE_STUCK:
        message_error(&p->messages,
                      "no progress: no flit has moved since cycle %" PRIu64 ", and %" PRIu64
                      " packets are in flight",
                      noc_moved_at(last->noc), noc_in_flight(last->noc));
        noc_report(last->noc, stderr, MOST_WAITING);
        return NO_PROGRESS;
    }
    return DONE;
}

// Writing

static void write_json(struct noc_program *p, FILE *to)
{
    if (p->arguments.measure.sweep)
        sweep_write_json(&p->head, &p->sweep, to);
    else
        measure_write_json(&p->head, &p->sweep.points.v[0], to);
}

static void write_csv(struct noc_program *p, FILE *to)
{
    sweep_write_csv(&p->sweep, to);
}

static void write_plot(struct noc_program *p, FILE *to)
{
    if (measure_ends_in(p->arguments.measure.plot, ".html"))
        plot_page(&p->head, &p->sweep, &p->arena, to);
    else
        plot_sweep(&p->head, &p->sweep, to);
}

static void write_heatmap(struct noc_program *p, FILE *to)
{
    plot_heatmap(&p->head, &p->sweep.points.v[p->sweep.best], &p->arena, to);
}

static void write_stats(struct noc_program *p, FILE *to)
{
    const struct measured *m = &p->sweep.points.v[p->sweep.best];
    if (measure_ends_in(p->arguments.measure.stats, ".csv")) {
        stats_csv(&m->stats, &m->since, NULL, to);
    } else if (measure_ends_in(p->arguments.measure.stats, ".json")) {
        struct json json;
        json_init(&json, to);
        stats_json(&m->stats, &m->since, NULL, &json);
        json_done(&json);
    } else {
        stats_text(&m->stats, &m->since, NULL, to);
    }
}

static void write_summary(struct noc_program *p, FILE *to)
{
    fputs("    load  accepted  latency  p99  routers  stable\n", to);
    for (uint32_t i = 0; i < p->sweep.points.n; i++) {
        const struct measured *m = &p->sweep.points.v[i];
        if (!m->packets)
            fprintf(to, "%8.4g  %8.4f        -    -        -  %s\n", m->load, measured_accepted(m),
                    m->stable ? "yes" : "no");
        else
            fprintf(to, "%8.4g  %8.4f %8.2f %4" PRIu64 "  %7.3f  %s\n", m->load,
                    measured_accepted(m), measured_latency(m), measured_quantile(m, 0.99),
                    measured_routers(m), m->stable ? "yes" : "no");
    }
    if (!p->arguments.measure.sweep || atomic_load(&p->stop)) // what was cut off has found none
        return;
    if (p->sweep.best + 1 == p->sweep.points.n && p->sweep.saturation > 0)
        fprintf(to, "no saturation up to %.4g flits per sender and cycle\n", p->sweep.saturation);
    else
        fprintf(to, "saturation at %.4g flits per sender and cycle\n", p->sweep.saturation);
}

static bool write_to(struct noc_program *p, const char *path,
                     void (*write)(struct noc_program *, FILE *))
{
    const char *error;
    FILE *to = path ? output_open(&p->outputs, path, &error) : NULL;
    if (to)
        write(p, to);
    else if (path)
        message_error(&p->messages, "%s", error);
    return to || !path;
}

// The statistics of a window that was not reached have no beginning.
static bool write_outputs(struct noc_program *p)
{
    const struct noc_arguments *a = &p->arguments;
    bool any =
        a->measure.json || a->measure.csv || a->measure.plot || a->heatmap || a->measure.stats;
    bool begun = p->sweep.points.v[p->sweep.best].since.values;
    return write_to(p, a->measure.json, write_json) && write_to(p, a->measure.csv, write_csv) &&
           write_to(p, a->measure.plot, write_plot) && write_to(p, a->heatmap, write_heatmap) &&
           (!begun || write_to(p, a->measure.stats, write_stats)) &&
           write_to(p, any ? NULL : "-", write_summary);
}

static int commit(struct noc_program *p, int status)
{
    const char *error = outputs_commit(&p->outputs);
    if (error)
        message_error(&p->messages, "%s", error);
    return error ? BAD_INPUT : status;
}

// Information without a run

static void print_keys(struct noc_program *p, FILE *to)
{
    bool tables = p->arguments.measure.help_keys == TOPIC_MARKDOWN;
    (tables ? config_keys_print_markdown : config_keys_print)(&p->config, to);
}

static void print_config_file(struct noc_program *p, FILE *to)
{
    config_print(&p->config, to);
}

static void print_stats(struct noc_program *p, FILE *to)
{
    struct stats stats;
    stats_init(&stats, &p->arena);
    noc_stats_add(noc_new(&p->arena, &p->noc), &stats, "noc", NULL);
    stats_list(&stats, to);
}

static void print_configs(struct noc_program *p, FILE *to)
{
    config_names_print(&p->config, to);
}

static void print_help(struct noc_program *p, FILE *to)
{
    (void)p;
    options_help(&noc_command, to);
}

static void print_version(struct noc_program *p, FILE *to)
{
    (void)p;
    options_version(&noc_command, to);
}

static int print_only(struct noc_program *p, void (*write)(struct noc_program *, FILE *))
{
    return write_to(p, "-", write) ? commit(p, DONE) : BAD_INPUT;
}

// All of it

static int measure_all(struct noc_program *p)
{
    if (!read_traffic(p) || !check_paths(p))
        return BAD_INPUT;
    plan(p);
    run(p);
    config_show_files(&p->config, &p->messages.arguments->prefixes);
    int status = outcome_code(p);
    return write_outputs(p) ? commit(p, status) : BAD_INPUT;
}

static int do_all(struct noc_program *p, int argc, char **argv)
{
    const struct noc_arguments *a = &p->arguments;
    if (!noc_arguments_read(&p->arguments, &p->arena, argc, argv, stderr))
        return BAD_USAGE;
    messages_init(&p->messages, noc_command.name, &p->arguments.measure.common, &p->log);
    begin_config(p);
    if (a->measure.common.help || a->measure.common.version || a->measure.list_configs)
        return print_only(p, a->measure.common.help    ? print_help
                             : a->measure.list_configs ? print_configs
                                                       : print_version);
    if (!messages_begin(&p->messages, &p->arena) || !read_config(p))
        return BAD_INPUT;
    if (a->measure.help_keys || a->measure.print_config || a->measure.list_stats)
        return print_only(p, a->measure.help_keys      ? print_keys
                             : a->measure.print_config ? print_config_file
                                                       : print_stats);
    return measure_all(p);
}

static int out_of_memory(struct noc_program *p)
{
    outputs_abandon(&p->outputs);
    if (!p->out_of_memory) {
        p->out_of_memory = true;
        hide_progress(p);
        message_memory(&p->messages, &p->memory);
    }
    return BAD_INPUT;
}

static int work(struct noc_program *p, int argc, char **argv)
{
    if (setjmp(p->memory.on_failure))
        return messages_end(&p->messages, argc, argv, out_of_memory(p));
    int status = do_all(p, argc, argv);
    outputs_abandon(&p->outputs);
    return messages_end(&p->messages, argc, argv, status);
}

int main(int argc, char **argv)
{
    struct noc_program p = {0};
    input_open_standard();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    p.memory.sparse = true;
    arena_init(&p.arena, &p.memory);
    outputs_init(&p.outputs, &p.arena);
    outputs_init(&p.log.outputs, &p.arena);
    messages_init(&p.messages, noc_command.name, &p.arguments.measure.common, &p.log);
    interrupt_remove(&p.outputs, &p.log.outputs);
    int status = work(&p, argc, argv);
    memory_free(&p.memory);
    if (p.stop)
        interrupt_end(p.stop);
    return status;
}
