// ptxoffload-noc: measures a network under synthetic traffic.
#include "cli/common/interrupt.h"
#include "cli/measure/noc_options.h"
#include "tools/noc/plot.h"
#include "support/file.h"
#include "support/integer.h"
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct noc_invocation {
    struct measure_base base;
    struct noc_arguments arguments;
    struct noc_config noc;
    struct measure_plan plan;
    struct measure_head head;
    struct trace_text packets; // of --trace-in
    struct traffic_list list;
    struct sweep sweep; // a single point without --sweep
    bool shown;         // a line of progress is on the terminal
    time_t began;       // start of the measurements
};

// Reading

static bool check_injection(struct noc_invocation *p)
{
    uint64_t room = p->noc.injection_queue / p->noc.injection_ports / p->noc.injection_links;
    if (!p->noc.injection_queue || p->arguments.flits.max <= room)
        return true;
    message_error(&p->base.frame.messages,
                  "a packet of %" PRIu32 " flits does not fit into an injection queue of %" PRIu64,
                  p->arguments.flits.max, room);
    return false;
}

static void begin(void *own)
{
    struct noc_invocation *p = own;
    struct config_section section = {"noc", noc_keys, noc_key_count, &p->noc};
    measure_begin_config(&p->base, section, "noc");
}

static bool prepare(void *own)
{
    struct noc_invocation *p = own;
    const char *wrong;
    if (!measure_read_config(&p->base))
        return false;
    wrong = noc_check(&p->base.frame.arena, &p->noc);
    if (wrong)
        message_error(&p->base.frame.messages, "%s", wrong);
    return !wrong;
}

static bool read_traffic(struct noc_invocation *p)
{
    const char *wrong = measure_traffic(&p->arguments.traffic, &p->base.frame.arena, &p->noc);
    if (wrong)
        message_error(&p->base.frame.messages, "--traffic: %s", wrong);
    return !wrong && check_injection(p);
}

static const char *packet_fault(struct noc_invocation *p, const struct trace_packet *packet)
{
    struct arena *arena = &p->base.frame.arena;
    uint32_t nodes = p->arguments.traffic.nodes;
    uint64_t room = p->noc.injection_queue / p->noc.injection_ports / p->noc.injection_links;
    if (packet->source >= nodes || packet->target >= nodes)
        return arena_printf(arena, "nodes are numbered from 0 to %" PRIu32, nodes - 1);
    if (!noc_reaches(&p->noc, packet->source, packet->target))
        return "no path leads from this source to this target";
    if (packet->class >= p->noc.classes)
        return arena_printf(arena, "the network has %u classes", p->noc.classes);
    if (room && packet->flits > room)
        return arena_printf(arena, "the packet does not fit into an injection queue of %" PRIu64,
                            room);
    return NULL;
}

static void check_packets(void *own, const struct trace_text *trace, struct diags *diags)
{
    enum { ERRORS = 20 };
    struct noc_invocation *p = own;
    for (uint32_t i = 0; i < trace->packets.n && diags->errors < ERRORS; i++) {
        const struct trace_packet *packet = &trace->packets.v[i];
        const char *fault = packet_fault(p, packet);
        if (fault)
            diag_add(diags, DIAG_ERROR, "trace", packet->begin, packet->end, "%s", fault);
    }
}

static bool read_packets(struct noc_invocation *p)
{
    const char *wrong = measure_traffic(&p->arguments.traffic, &p->base.frame.arena, &p->noc);
    if (wrong) {
        message_error(&p->base.frame.messages, "%s", wrong);
        return false;
    }
    if (!measure_read_trace(&p->base, &p->packets, trace_read_packets, check_packets))
        return false;
    traffic_list_init(&p->list, &p->base.frame.arena, &p->packets, p->arguments.traffic.nodes);
    return true;
}

// Measuring

// Returns the number of loads that will be measured. For a sweep that selects its loads this is the
// usual number: the highest, 8 by bisection and 13 at parts of the result.
static uint32_t expected_loads(const struct noc_arguments *a)
{
    enum { USUAL = 1 + 8 + 13 };
    return !a->measure.sweep ? 1 : a->measure.loads.n ? a->measure.loads.n : USUAL;
}

static void show_progress(void *context, double load, uint64_t cycle)
{
    struct noc_invocation *p = context;
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

static void hide_progress(struct noc_invocation *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static void plan(struct noc_invocation *p)
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
        .stop = &p->base.frame.stop,
    };
    if (a->measure.trace_in) {
        p->plan.list = &p->list;
        p->plan.warmup = 0;
        p->plan.cycles = p->packets.packets.v[p->packets.packets.n - 1].cycle + 1;
        p->plan.load = traffic_list_load(&p->list, p->plan.cycles);
        for (uint32_t i = 0; i < p->list.count; i++)
            p->plan.flits.max = (uint32_t)larger(p->plan.flits.max, p->list.packets[i].flits);
    }
    p->head = (struct measure_head){&p->base.config, &p->plan,
                                    a->measure.trace_in ? "trace" : a->traffic_text};
}

// Returns the flits that a sender can send in a cycle: at most one on each of its links, and at
// most one packet.
static double max_load(const struct noc_invocation *p)
{
    double links = (double)(p->noc.injection_ports * p->noc.injection_links);
    return links < p->plan.flits.mean ? links : p->plan.flits.mean;
}

static void run(struct noc_invocation *p)
{
    const struct noc_arguments *a = &p->arguments;
    interrupt_defer(&p->base.frame.stop);
    p->began = time(NULL);
    if (!a->measure.sweep)
        sweep_loads(&p->sweep, &p->base.frame.arena, &p->plan, &p->plan.load, 1);
    else if (a->measure.loads.n)
        sweep_loads(&p->sweep, &p->base.frame.arena, &p->plan, a->measure.loads.v,
                    a->measure.loads.n);
    else
        sweep_automatic(&p->sweep, &p->base.frame.arena, &p->plan, max_load(p));
    interrupt_defer(NULL);
    hide_progress(p);
}

static const struct measured *last_point(const struct noc_invocation *p)
{
    return &p->sweep.points.v[p->sweep.points.n - 1];
}

static int outcome_code(struct noc_invocation *p)
{
    enum { MAX_WAITING = 20 };
    const struct measured *last = last_point(p);
    switch (last->outcome) {
    case MEASURE_DONE: break;
    case MEASURE_INTERRUPTED: return BY_SIGNAL + p->base.frame.stop;
    case MEASURE_FAULT:
        message_internal(&p->base.frame.messages, "%s", last->fault);
        return BAD_INPUT;
    case MEASURE_STUCK:
        message_error(&p->base.frame.messages,
                      "no progress: no flit has moved since cycle %" PRIu64 ", and %" PRIu64
                      " packets are in flight",
                      noc_moved_at(last->noc), noc_in_flight(last->noc));
        noc_report(last->noc, stderr, MAX_WAITING);
        return NO_PROGRESS;
    }
    return DONE;
}

// Writing

static void write_json(struct noc_invocation *p, FILE *to)
{
    if (p->arguments.measure.sweep)
        sweep_write_json(&p->head, &p->sweep, to);
    else
        measure_write_json(&p->head, &p->sweep.points.v[0], to);
}

static void write_csv(struct noc_invocation *p, FILE *to)
{
    sweep_write_csv(&p->sweep, to);
}

static void write_plot(struct noc_invocation *p, FILE *to)
{
    if (measure_ends_in(p->arguments.measure.plot, ".html"))
        plot_page(&p->head, &p->sweep, &p->base.frame.arena, to);
    else
        plot_sweep(&p->head, &p->sweep, to);
}

static void write_heatmap(struct noc_invocation *p, FILE *to)
{
    plot_heatmap(&p->head, &p->sweep.points.v[p->sweep.best], &p->base.frame.arena, to);
}

static void write_stats(struct noc_invocation *p, FILE *to)
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

static void write_summary(struct noc_invocation *p, FILE *to)
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
    if (!p->arguments.measure.sweep ||
        atomic_load(&p->base.frame.stop)) // an interrupted sweep has no saturation
        return;
    if (p->sweep.best + 1 == p->sweep.points.n && p->sweep.saturation > 0)
        fprintf(to, "no saturation up to %.4g flits per sender and cycle\n", p->sweep.saturation);
    else
        fprintf(to, "saturation at %.4g flits per sender and cycle\n", p->sweep.saturation);
}

static void write_latencies(struct noc_invocation *p, FILE *to)
{
    fputs("number,source,target,flits,class,creation,arrival,latency\n", to);
    for (uint32_t i = 0; i < p->list.count; i++) {
        const struct trace_packet *packet = &p->list.packets[i];
        uint64_t arrived = p->list.arrived[i];
        if (arrived)
            fprintf(to, "%u,%u,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i, packet->source,
                    packet->target, packet->flits, packet->class, packet->cycle, arrived,
                    arrived - packet->cycle);
    }
}

static bool write_to(struct noc_invocation *p, const char *path,
                     void (*write)(struct noc_invocation *, FILE *))
{
    FILE *to = path ? frame_open(&p->base.frame, path) : NULL;
    if (to)
        write(p, to);
    return to || !path;
}

// Writes all outputs. Statistics are left out if the measured window was not reached, because they
// are counted from its start.
static bool write_outputs(struct noc_invocation *p)
{
    const struct noc_arguments *a = &p->arguments;
    bool any = a->measure.json || a->measure.csv || a->measure.plot || a->heatmap ||
               a->measure.stats || a->measure.latencies;
    bool begun = p->sweep.points.v[p->sweep.best].since.values;
    return write_to(p, a->measure.json, write_json) && write_to(p, a->measure.csv, write_csv) &&
           write_to(p, a->measure.plot, write_plot) && write_to(p, a->heatmap, write_heatmap) &&
           write_to(p, a->measure.latencies, write_latencies) &&
           (!begun || write_to(p, a->measure.stats, write_stats)) &&
           write_to(p, any || a->measure.common.quiet ? NULL : "-", write_summary);
}

static bool list_stats(void *own, FILE *to)
{
    struct noc_invocation *p = own;
    struct stats stats;
    stats_init(&stats, &p->base.frame.arena);
    noc_stats_add(noc_new(&p->base.frame.arena, &p->noc), &stats, "noc", NULL);
    stats_list(&stats, to);
    return true;
}

static int measure_all(void *own)
{
    struct noc_invocation *p = own;
    if (!(p->arguments.measure.trace_in ? read_packets(p) : read_traffic(p)) ||
        !measure_check_paths(&p->base, NULL))
        return BAD_INPUT;
    plan(p);
    run(p);
    config_show_files(&p->base.config, &p->base.frame.messages.options->prefixes);
    int status = outcome_code(p);
    return write_outputs(p) ? frame_commit(&p->base.frame, status) : BAD_INPUT;
}

static void abandon(void *own)
{
    hide_progress(own);
}

#define FLAG_OF(name) .flag = offsetof(struct measure_arguments, name)

static const struct topic topics[] = {
    {FLAG_OF(list_configs), .print = measure_print_configs},
    TOPIC_OF_HELP(0, true, measure_print_keys),
    {FLAG_OF(print_config), .is_late = true, .print = measure_print_config},
    {FLAG_OF(list_stats), .is_late = true, .print = list_stats},
    {0},
};

const struct cli_program noc_program = {
    .command = &noc_command,
    .size = sizeof(struct noc_invocation),
    .options = offsetof(struct noc_invocation, arguments),
    .topics = topics,
    .sparse = true,
    .begin = begin,
    .set_defaults = noc_options_default,
    .check = noc_options_check,
    .prepare = prepare,
    .run = measure_all,
    .abandon = abandon,
};
