// Collects facts about a run from the statistics of the machine.
#include "ir/loc.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include "report/resources.h"
#include "report/sim_report.h"
#include "support/demangle.h"
#include <inttypes.h>
#include <string.h>

// Names

const char *sim_shown_name(struct arena *arena, const char *name)
{
    struct demangled cxx;
    if (!demangle(&cxx, arena, name))
        return name;
    return arena_strndup(arena, cxx.text + cxx.name, cxx.name_end - cxx.name);
}

// Parts

struct collecting {
    struct sim_report *report;
    const struct sim_facts *facts;
    struct timed_stats stats; // statistics of the current kernel
    struct sim_kernel *kernel;
    sim_resource_rows resources;
};

static void add_part(struct collecting *c, sim_parts *to, const char *name, const char *names,
                     const char *text)
{
    struct sim_part part = {name, text, 0};
    if (timed_add_up(&c->stats, names, &part.value))
        vec_push(c->report->arena, to, part);
}

static void add_number(struct collecting *c, const char *name, const char *unit,
                       const char *numerator, const char *denominator)
{
    struct sim_number number = {name, unit, 0};
    double divide = 1;
    if (!timed_add_up(&c->stats, numerator, &number.value) ||
        (*denominator && !timed_add_up(&c->stats, denominator, &divide)) || divide == 0)
        return;
    number.value /= divide;
    vec_push(c->report->arena, &c->kernel->numbers, number);
}

static void add_parts(struct collecting *c)
{
#define SERVED(name, names, text) add_part(c, &c->kernel->served, name, names, text);
#define STAGE(name, names, text) add_part(c, &c->kernel->stages, name, names, text);
#define NUMBER(name, unit, numerator, denominator)                                                 \
    add_number(c, name, unit, numerator, denominator);
#include "report/parts.def"
#undef SERVED
#undef STAGE
#undef NUMBER
    double reads = 0;
    timed_add_up(&c->stats, "memory.reads_answered", &reads);
    for (uint32_t i = 0; i < c->kernel->stages.n; i++)
        c->kernel->stages.v[i].value /= reads > 0 ? reads : 1;
}

// Adds the breakdown of slot cycles: issued, and each stall reason without its prefix.
static void add_stalls(struct collecting *c)
{
    static const char prefix[] = "stall_";
    const struct stats *stats = c->stats.stats;
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        for (uint32_t k = 0; !strcmp(group->name, "core") && k < group->count; k++) {
            const char *name = group->keys[k].name;
            bool stalls = !strncmp(name, prefix, sizeof prefix - 1);
            if (!stalls && strcmp(name, "issued"))
                continue;
            const char *full = arena_printf(c->report->arena, "core.%s", name);
            add_part(c, &c->kernel->stalls, stalls ? name + sizeof prefix - 1 : name, full,
                     group->keys[k].text);
        }
    }
}

// Resources

static bool resource_used(const struct collecting *c, const struct sim_resource_row *row,
                          double *used)
{
    if (strcmp(row->names, SIM_RESIDENT) != 0)
        return timed_add_up(&c->stats, row->names, used);
    double empty;
    *used = sim_parts_sum(&c->kernel->stalls);
    bool known = timed_add_up(&c->stats, "core.stall_empty", &empty);
    *used -= known ? empty : 0;
    return known;
}

static void add_resource(struct collecting *c, const struct sim_resource_row *row)
{
    double clocks, used;
    if (!resource_used(c, row, &used) || !timed_add_up(&c->stats, row->cycles, &clocks) ||
        clocks <= 0)
        return;
    clocks *= row->ratio;
    struct sim_resource resource = {row->name,     row->unit,  row->text,
                                    used / clocks, row->count, NAN};
    struct stat_spread spread =
        stats_spread(c->stats.stats, &c->stats.since, row->collection, row->key);
    if (spread.count > 1)
        resource.busiest = spread.max / clocks / row->each;
    vec_push(c->report->arena, &c->kernel->resources, resource);
}

// Items

static const struct ir_inst *inst_of(const struct ir_function *function, uint32_t inst)
{
    return &function->insts.v[inst];
}

static void place_item(const struct collecting *c, struct sim_item *item,
                       const struct scheme_item *from)
{
    struct session *session = c->facts->session;
    struct arena *arena = c->report->arena;
    const struct program *program = session->device.program;
    const struct ir_module *module = program->module;
    const struct ir_function *function =
        &module->functions.v[program->functions.v[from->function].function];
    const struct node *node = &module->tree->nodes.v[inst_of(function, from->first)->node];
    const struct ir_loc *loc;
    item->name = kernel_name(program, arena, &program->functions.v[from->function]);
    item->function = sim_shown_name(arena, item->name);
    item->line = source_position_at(session->device.source, node->begin).line;
    if (!session->locs)
        session->locs = ir_locs_new(session->arena, module);
    loc = ir_loc_find(session->locs, program->functions.v[from->function].function, from->first);
    while (loc && loc->inlined_at)
        loc = loc->inlined_at;
    if (loc && loc->file)
        item->source = arena_printf(arena, "%s:%u", loc->file, loc->line);
}

// Returns the names of a row, each prefixed by its group.
static const char *names_in(struct arena *arena, const char *group, const char *names)
{
    const char *to = "";
    while (*names) {
        bool minus = *names == '-';
        size_t length = strcspn(names, " ");
        to = arena_printf(arena, "%s%s%s%s.%.*s", to, *to ? " " : "", minus ? "-" : "", group,
                          (int)length - minus, names + minus);
        names += length + (names[length] == ' ');
    }
    return to;
}

static void add_item(void *context, const struct scheme_item *from,
                     const struct scheme_item_row *rows)
{
    struct collecting *c = context;
    struct arena *arena = c->report->arena;
    struct sim_item item = {.kind = from->kind,
                            .text = from->text,
                            .id = from->id,
                            .expected = from->expected,
                            .expected_in = from->expected_in};
    double all = 0;
    for (const struct scheme_item_row *row = rows; row->name; row++) {
        struct sim_number number = {row->name, row->unit, 0};
        double divide = 1;
        if (!timed_add_up(&c->stats, names_in(arena, from->group, row->numerator), &number.value))
            return;
        if (*row->denominator)
            timed_add_up(&c->stats, names_in(arena, from->group, row->denominator), &divide);
        number.value = divide != 0 ? number.value / divide : 0;
        all += fabs(number.value);
        vec_push(arena, &item.rows, number);
    }
    if (all <= 0)
        return;
    place_item(c, &item, from);
    vec_push(arena, &c->kernel->items, item);
}

// Kernels

static void collect_kernel(struct collecting *c, const struct timed_kernel *counts)
{
    struct sim_kernel *kernel = c->kernel;
    c->stats = timed_stats_of(c->facts->timed, counts, c->report->arena);
    kernel->timed = counts->launches;
    kernel->together = counts->together;
    kernel->cycles = (double)counts->cycles;
    add_parts(c);
    add_stalls(c);
    for (uint32_t i = 0; i < c->resources.n; i++)
        add_resource(c, &c->resources.v[i]);
    machine_each_item(c->facts->timed->machine, c->report->arena, add_item, c);
    kernel->room = timed_room(counts, c->report->arena);
}

// `sums` may be NULL.
static void add_phases(struct collecting *c, const struct sim_phase_sums *sums)
{
    if (sums)
        sim_phases_report(sums, &c->facts->collector->columns, c->report->arena, c->kernel);
}

// Sets the mean number of CTAs of the kernel's launches, and the number that fits the machine.
static void add_waves(struct collecting *c, const struct device_kernel *kernel)
{
    const struct timed *timed = c->facts->timed;
    double ctas = 0, launches = 0;
    for (uint32_t i = 0; i < timed->spans.n; i++) {
        const uint32_t *grid = timed->spans.v[i].grid;
        if (timed->spans.v[i].kernel != kernel)
            continue;
        ctas += (double)grid[0] * grid[1] * grid[2];
        launches++;
    }
    c->kernel->ctas = launches > 0 ? ctas / launches : 0;
    c->kernel->places = kernel->timed->room * (double)timed->config.memsys.memory.cores;
}

static void add_kernels(struct collecting *c)
{
    const struct device *device = &c->facts->session->device;
    struct sim_report *report = c->report;
    for (uint32_t i = 0; i < device->kernels.n; i++) {
        const struct device_kernel *from = device->kernels.v[i];
        struct sim_kernel kernel = {
            .name = from->name,
            .shown = sim_shown_name(report->arena, from->name),
            .launches = from->launches,
            .warp_instructions = (double)from->warp_instructions,
            .thread_instructions = (double)from->thread_instructions,
        };
        c->kernel = &kernel;
        if (c->facts->timed && from->timed) {
            collect_kernel(c, from->timed);
            add_waves(c, from);
            add_phases(c, c->facts->collector ? sim_collected(c->facts->collector, from) : NULL);
        }
        vec_push(report->arena, &report->kernels, kernel);
        report->total.launches += kernel.launches;
        report->total.warp_instructions += kernel.warp_instructions;
        report->total.thread_instructions += kernel.thread_instructions;
    }
    report->total.name = report->total.shown = "total";
    c->kernel = &report->total;
    if (!c->facts->timed)
        return;
    collect_kernel(c, &c->facts->timed->total);
    add_phases(c, c->facts->collector ? &c->facts->collector->total : NULL);
}

static void add_spans(struct collecting *c)
{
    const struct device *device = &c->facts->session->device;
    for (uint32_t i = 0; i < c->facts->timed->spans.n; i++) {
        const struct timed_span *from = &c->facts->timed->spans.v[i];
        struct sim_span span = {.begun = (double)from->begun, .ended = (double)from->ended};
        while (device->kernels.v[span.kernel] != from->kernel)
            span.kernel++;
        for (int k = 0; k < 3; k++) {
            span.grid[k] = from->grid[k];
            span.block[k] = from->block[k];
        }
        vec_push(c->report->arena, &c->report->spans, span);
    }
}

static void add_copies(struct collecting *c)
{
    for (uint32_t i = 0; i < c->facts->timed->copies.n; i++) {
        const struct timed_copy *from = &c->facts->timed->copies.v[i];
        struct sim_copy copy = {(double)from->begun, (double)from->ended, (double)from->bytes};
        vec_push(c->report->arena, &c->report->copies, copy);
    }
}

static void add_machine(struct collecting *c)
{
    struct sim_report *report = c->report;
    const struct timed *timed = c->facts->timed;
    const struct machine_config *config = &timed->config;
    const struct memsys_config *memory = &config->memsys;
    report->policy = machine_policy(report->arena, config);
    report->clock = (double)memory->memory.core_clock;
    report->peak_instructions = (double)(memory->memory.cores * config->core.schedulers) * 32;
    report->dram_bytes = memsys_memories(memory) * (double)memory->dram.channels *
                         (double)memory->dram.request_bytes / (double)memory->dram.burst *
                         (double)memory->dram.clock / report->clock;
    sim_resource_rows_add(&c->resources, report->arena, timed);
}

void sim_report_collect(struct sim_report *report, struct arena *arena,
                        const struct sim_facts *facts)
{
    const struct session *session = facts->session;
    struct collecting c = {.report = report, .facts = facts};
    *report = (struct sim_report){.arena = arena,
                                  .program = session->device.source->name,
                                  .run_file = facts->run_file,
                                  .machine = facts->machine,
                                  .policy = "",
                                  .outcome = facts->outcome,
                                  .has_time = facts->timed,
                                  .passed = session->passed,
                                  .failed = session->failed,
                                  .checks_reported = (uint32_t)device_reports(&session->device),
                                  .cpu_seconds = facts->cpu_seconds,
                                  .kernel_cpu_seconds = session->device.cpu.seconds,
                                  .listing = facts->listing,
                                  .program_path = facts->program,
                                  .timed = facts->timed};
    if (facts->timed)
        add_machine(&c);
    add_kernels(&c);
    if (facts->timed) {
        add_spans(&c);
        add_copies(&c);
    }
    if (facts->collector) {
        report->series = facts->collector->series;
        report->series.samples.v = facts->collector->run.samples.v;
        report->series.samples.n = facts->collector->run.samples.n;
    }
}

// Looking up

const struct sim_kernel *sim_same(const struct sim_report *report, const char *name)
{
    for (uint32_t i = 0; report && i < report->kernels.n; i++)
        if (!strcmp(report->kernels.v[i].name, name))
            return &report->kernels.v[i];
    return NULL;
}

const struct sim_item *sim_same_item(const struct sim_kernel *kernel, const struct sim_item *item)
{
    for (uint32_t i = 0; kernel && i < kernel->items.n; i++) {
        const struct sim_item *other = &kernel->items.v[i];
        if (other->id == item->id && !strcmp(other->kind, item->kind) &&
            !strcmp(other->function, item->function))
            return other;
    }
    return NULL;
}

double sim_number(const struct sim_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; kernel && i < kernel->numbers.n; i++)
        if (!strcmp(kernel->numbers.v[i].name, name))
            return kernel->numbers.v[i].value;
    return NAN;
}

double sim_row(const struct sim_item *item, const char *name)
{
    for (uint32_t i = 0; item && i < item->rows.n; i++)
        if (!strcmp(item->rows.v[i].name, name))
            return item->rows.v[i].value;
    return NAN;
}

double sim_parts_sum(const sim_parts *parts)
{
    double sum = 0;
    for (uint32_t i = 0; i < parts->n; i++)
        sum += parts->v[i].value;
    return sum;
}

sim_parts sim_resident(struct arena *arena, const struct sim_kernel *kernel)
{
    sim_parts resident = {0};
    for (uint32_t i = 0; kernel && i < kernel->stalls.n; i++)
        if (strcmp(kernel->stalls.v[i].name, "empty") != 0)
            vec_push(arena, &resident, kernel->stalls.v[i]);
    return resident;
}

double sim_part_share(const sim_parts *parts, const char *name)
{
    double sum = sim_parts_sum(parts);
    for (uint32_t i = 0; i < parts->n; i++)
        if (!strcmp(parts->v[i].name, name))
            return sum > 0 ? parts->v[i].value / sum : 0;
    return NAN;
}

double sim_share(const struct sim_resource *resource)
{
    double share = resource->peak > 0 ? resource->used / resource->peak : 0;
    return resource->busiest > share ? resource->busiest : share;
}

// Texts

const char *sim_change(struct arena *arena, double now, double before)
{
    if (isnan(now) || isnan(before) || (now == 0 && before == 0))
        return "";
    if (before <= 0 || now / before > 10 || now / before < 0.1)
        return arena_printf(arena, "from %.4g to %.4g", before, now);
    return arena_printf(arena, "%+.1f %%", 100 * (now / before - 1));
}

const char *sim_count(struct arena *arena, double value)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", value);
    const char *text = "";
    for (int at = 0; at < length; at++)
        text = arena_printf(arena, "%s%s%c", text, at && (length - at) % 3 == 0 ? "," : "",
                            digits[at]);
    return text;
}

double sim_idle_cycles(const struct sim_report *report)
{
    double idle = report->total.cycles, until = 0;
    for (uint32_t i = 0; i < report->spans.n; i++) { // spans are in the order of their ends
        const struct sim_span *span = &report->spans.v[i];
        double begun = fmax(span->begun, until);
        idle -= fmax(0, span->ended - begun);
        until = fmax(until, span->ended);
    }
    return idle > 0.01 * report->total.cycles ? idle : 0;
}

const char *sim_cycles(struct arena *arena, const struct sim_kernel *kernel)
{
    const char *plural = kernel->launches == 1 ? "" : "es",
               *cycles = sim_count(arena, kernel->cycles);
    if (kernel->timed == kernel->launches)
        return arena_printf(arena, "%s cycles in %" PRIu64 " launch%s", cycles, kernel->launches,
                            plural);
    return arena_printf(arena, "%s cycles in %" PRIu64 " of %" PRIu64 " launch%s", cycles,
                        kernel->timed, kernel->launches, plural);
}
