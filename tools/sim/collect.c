// Collects facts about a run from the statistics of the machine.
#include "ir/loc.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include "support/demangle.h"
#include "tools/sim/sim_report.h"
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
    struct scheme_resources resources;
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
#include "tools/sim/parts.def"
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

enum clock { CORE, REQUEST, REPLY, LLC, DRAM };

static double clocks_of(const struct collecting *c, enum clock clock)
{
    const struct memsys_keys *keys = &c->facts->timed->config.memsys.memory;
    double cycles = 0, core = (double)keys->core_clock;
    static const char *const own[] = {[REQUEST] = "request.cycles", [REPLY] = "reply.cycles"};
    if (clock == REQUEST || clock == REPLY)
        timed_add_up(&c->stats, own[clock], &cycles);
    else
        timed_add_up(&c->stats, "machine.cycles", &cycles);
    if (clock == LLC)
        return cycles * (double)keys->llc_clock / core;
    return clock == DRAM ? cycles * (double)c->facts->timed->config.memsys.dram.clock / core
                         : cycles;
}

struct resource_row {
    const char *name, *unit, *names;
    enum clock clock;
    double count;
    const char *collection, *key;
    double each;
    const char *text;
};

static bool resource_used(const struct collecting *c, const struct resource_row *row, double *used)
{
    if (strcmp(row->names, "core.resident") != 0)
        return timed_add_up(&c->stats, row->names, used);
    double empty;
    *used = sim_parts_sum(&c->kernel->stalls);
    bool known = timed_add_up(&c->stats, "core.stall_empty", &empty);
    *used -= known ? empty : 0;
    return known;
}

static void add_resource(struct collecting *c, const struct resource_row *row)
{
    double clocks = clocks_of(c, row->clock), used;
    if (!resource_used(c, row, &used) || clocks <= 0 || row->count <= 0)
        return;
    struct sim_resource resource = {row->name,     row->unit,  row->text,
                                    used / clocks, row->count, NAN};
    struct stat_spread spread =
        stats_spread(c->stats.stats, &c->stats.since, row->collection, row->key);
    if (spread.count > 1)
        resource.busiest = spread.max / clocks / row->each;
    vec_push(c->report->arena, &c->kernel->resources, resource);
}

static uint32_t count_links(const struct collecting *c, enum memsys_network network)
{
    const struct noc *noc = machine_network(c->facts->timed->machine, network);
    uint32_t count = 0;
    for (uint32_t i = 0; i < noc_channels(noc); i++)
        count += noc_channel(noc, i).kind == NOC_CHANNEL_ROUTERS;
    return count;
}

static void add_resources(struct collecting *c)
{
    const struct machine_config *config = &c->facts->timed->config;
    double cores = (double)config->memsys.memory.cores,
           schedulers = (double)config->core.schedulers, warps = (double)config->core.warps,
           l1_banks = (double)config->l1.banks,
           partitions = config->memsys.memory.partition_nodes.n,
           llc_banks = (double)config->memsys.llc.banks,
           channels = partitions * (double)config->memsys.dram.channels,
           request_links = count_links(c, MEMSYS_REQUESTS),
           reply_links = count_links(c, MEMSYS_REPLIES);
    const struct resource_row rows[] = {
#define RESOURCE(name, unit, names, clock, count, collection, key, each, text)                     \
    {name, unit, names, clock, count, collection, key, each, text},
#include "tools/sim/resources.def"
#undef RESOURCE
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        add_resource(c, &rows[i]);
    for (uint32_t i = 0; i < c->resources.list.n; i++) {
        const struct scheme_resource *from = &c->resources.list.v[i];
        const struct resource_row row = {
            from->name, from->unit, from->statistic, CORE, from->peak, "", "", 1, from->text};
        add_resource(c, &row);
    }
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
    add_resources(c);
    machine_each_item(c->facts->timed->machine, c->report->arena, add_item, c);
    if (counts->room)
        kernel->room = arena_printf(
            c->report->arena, "%u registers per thread (%s), %u CTAs per core, limited by %s",
            counts->registers, counts->registers_source, counts->room, counts->limit);
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
        if (c->facts->timed && from->timed)
            collect_kernel(c, from->timed);
        vec_push(report->arena, &report->kernels, kernel);
        report->total.launches += kernel.launches;
        report->total.warp_instructions += kernel.warp_instructions;
        report->total.thread_instructions += kernel.thread_instructions;
    }
    report->total.name = report->total.shown = "total";
    c->kernel = &report->total;
    if (c->facts->timed)
        collect_kernel(c, &c->facts->timed->total);
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

static void add_machine(struct collecting *c)
{
    struct sim_report *report = c->report;
    const struct timed *timed = c->facts->timed;
    const struct machine_config *config = &timed->config;
    const struct memsys_config *memory = &config->memsys;
    report->policy = machine_policy(report->arena, config);
    report->clock = (double)memory->memory.core_clock;
    report->peak_instructions = (double)(memory->memory.cores * config->core.schedulers) * 32;
    report->dram_bytes = memory->memory.partition_nodes.n * (double)memory->dram.channels *
                         (double)memory->dram.request_bytes / (double)memory->dram.burst *
                         (double)memory->dram.clock / report->clock;
    machine_add_resources(timed->machine, report->arena, &c->resources);
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
                                  .kernel_cpu_seconds = session->device.kernel_cpu_seconds,
                                  .listing = facts->listing,
                                  .program_path = facts->program,
                                  .timed = facts->timed};
    if (facts->timed)
        add_machine(&c);
    add_kernels(&c);
    if (facts->timed)
        add_spans(&c);
    if (facts->collector)
        report->series = facts->collector->series;
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
