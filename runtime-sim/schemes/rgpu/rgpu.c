#include "passes/maps/map_rate.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <math.h>

static const struct config_key keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/rgpu/spatial.def"
#define CONFIG_OF struct spatial_config
#include "runtime-sim/base/config_keys.inc"
};

static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/rgpu/spatial_stats.def"
#define STATS_OF struct spatial_stats
#include "runtime-sim/base/stats_keys.inc"
};

enum { STAT_KEYS = ARRAY_LENGTH(stat_keys), MAX_THREADS = 1024, SQUARE_MM = 1000000 };

// Configuration

static bool is_on(const void *config)
{
    return ((const struct spatial_config *)config)->enabled;
}

static const char *check(struct arena *arena, const void *own, const struct machine_config *machine)
{
    const struct spatial_config *config = own;
    uint32_t line = machine->memsys.llc.line_bytes;
    if (line > 128)
        return arena_printf(arena,
                            "spatial.enabled needs lines of up to 128 bytes, but llc.line_bytes is "
                            "%u",
                            line);
    // Waiting loads under SPATIAL_HIT bypass the gates, since they have their own input.
    if (config->wait == SPATIAL_HIT && machine_planes(machine).initial != PLANES_NONE)
        return "fe.enabled: requests of 'rgpu' bypass the full/empty bits";
    if (config->l1_kib * 1024 / line < config->l1_ways)
        return "spatial.l1_kib holds fewer than spatial.l1_ways lines";
    return NULL;
}

// Gives waiting loads under SPATIAL_HIT their own message class, whose slice input has their
// condition.
static void require(struct arena *arena, const void *own, const struct machine_config *given,
                    struct machine_config *machine)
{
    (void)given;
    if (((const struct spatial_config *)own)->wait != SPATIAL_HIT)
        return;
    memsys_add_class(arena, &machine->memsys.request_network, 0, 1, false);
    memsys_add_class(arena, &machine->memsys.reply_network, 0, 1, false);
}

static void print_storage(const void *own, const struct machine_config *machine, FILE *to)
{
    const struct spatial_config *config = own;
    if (config->enabled)
        spatial_storage_print(config, machine->memsys.memory.cores, to);
}

// The machine

static void *create(struct machine *machine, const void *own, const void *plan)
{
    const struct spatial_config *config = own;
    struct spatial_machine *m = ARENA_NEW(machine_port(machine).arena, struct spatial_machine);
    (void)plan;
    *m = (struct spatial_machine){.config = config,
                                  .hardware = config->hardware,
                                  .machine = machine,
                                  .requester = (uint8_t)machine_requester(machine, &rgpu),
                                  .cores = ARENA_ARRAY(machine_port(machine).arena,
                                                       struct spatial_core *,
                                                       machine_port(machine).ordinary)};
    written_init(&m->written, machine_port(machine).arena);
    return m;
}

// Returns true if a waiting load can leave its input. [003 §3.1]: it remains in the access queue
// until a hit occurs.
static bool line_hits(void *context, const struct memsys_request *request)
{
    const struct spatial_machine *m = context;
    return memsys_holds_line(machine_port(m->machine).memsys, request->line);
}

static void extend(struct machine *machine, void *state, struct memsys_tables *tables)
{
    struct spatial_machine *m = state;
    struct scheme_classes classes = machine_scheme_classes(machine_port(machine).config, &rgpu);
    if (m->config->wait != SPATIAL_HIT)
        return;
    struct memsys_message message = {.request_class = classes.request,
                                     .reply_class = classes.reply,
                                     .input = (uint8_t)(MEMSYS_INPUTS + tables->inputs.n)};
    vec_push(machine_port(machine).arena, &tables->inputs,
             (struct memsys_input){.condition = line_hits, .context = m});
    vec_push(machine_port(machine).arena, &tables->messages, message);
    m->message = (uint8_t)tables->messages.n;
}

// Launches

static const char *set_shape(const struct map_scope *scope, const struct map_expr *expr,
                             const char *what, int64_t max, uint32_t shape[3])
{
    int64_t value;
    const char *fault = map_integer(scope, expr, 1, &value);
    if (fault || !expr->expr)
        return fault;
    if (value < 1 || value > max)
        return arena_printf(scope->arena, "the map's %s are %lld, but must be from 1 to %lld", what,
                            (long long)value, (long long)max);
    shape[0] = (uint32_t)value;
    shape[1] = shape[2] = 1;
    return NULL;
}

// Counts a launch with a placed map.
static void count_map(struct spatial_machine *m, const struct spatial_binding *binding,
                      bool is_compiled)
{
    struct map_graph graph;
    struct map_rate rate;
    struct spatial_stats here = {.drawn = !is_compiled, .compiled = is_compiled};
    for (uint32_t i = 0; i < binding->map->nodes.n; i++)
        *(binding->map->nodes.v[i].kind == MAP_CORE ? &here.map_cores : &here.map_lsus) += 1;
    here.map_copies = binding->placement.copies;
    here.map_lanes = binding->placement.lanes;
    here.map_lanes_least = binding->placement.min;
    struct map_hardware own =
        map_hardware_of(&m->hardware, binding->map, binding->placement.copies);
    map_graph_make(&graph, machine_port(m->machine).arena, binding->map, &own);
    map_rate_of(&rate, machine_port(m->machine).arena, &graph);
    here.map_rate = rate.cycles ? rate.tokens * 1000000 / rate.cycles : 0;
    stats_accumulate(&m->launched, &here, stat_keys, STAT_KEYS);
}

static void place_launch(struct machine *machine, void *state, struct machine_launch *from)
{
    struct spatial_machine *m = state;
    struct launch *launch = from->launch;
    int64_t copies = 0;
    bool compiles = launch->map == &map_automatic || (!launch->map && m->config->automatic);
    if (compiles)
        launch->map = spatial_compile(m, launch, &copies);
    if (!launch->map)
        return;
    struct spatial_launch *made = spatial_bind(m, launch, copies);
    struct map_scope scope = {
        .map = launch->map, .arena = machine_port(machine).arena, .params = made->params};
    scope.names[MAP_NAME_copies] = made->binding->placement.copies;
    for (uint32_t i = 0; i < 6; i++)
        scope.names[MAP_NAME_grid_x + i] = made->shape[i];
    if (!made->fault)
        made->fault = map_unfit(&scope);
    if (!made->fault)
        made->fault = set_shape(&scope, &launch->map->groups, "groups", INT32_MAX, launch->grid);
    if (!made->fault)
        made->fault =
            set_shape(&scope, &launch->map->threads, "threads", MAX_THREADS, launch->block);
    if (!made->fault)
        count_map(m, made->binding, compiles);
    from->sample_waves = 0; // untimed CTAs would execute the kernel in the map's shape
    from->placement.one_per_core = true;
    from->placement.order = CTAS_ASCENDING;
    written_reset(&m->written);
}

// Memory

static struct spatial_core *core_at(const struct spatial_machine *m, uint32_t endpoint)
{
    return m->cores[machine_core_at(m->machine, endpoint)];
}

static enum memsys_served admit(struct machine *machine, void *state,
                                const struct memsys_request *request)
{
    struct spatial_machine *m = state;
    uint32_t size = machine_port(machine).config->memsys.llc.line_bytes;
    if (!m->bindings.n)
        return MEMSYS_SERVED;
    if (request->kind != MEMSYS_READ && request->kind != MEMSYS_TOUCH)
        written_mark(&m->written, request->line * size, request->bytes, size);
    if (request->requester != m->requester + SPATIAL_WAITS_BY || m->config->wait == SPATIAL_HIT)
        return MEMSYS_SERVED;
    return written_has(&m->written, core_at(m, request->core)->waiting[request->tag])
               ? MEMSYS_SERVED
               : MEMSYS_WAIT;
}

// Under SPATIAL_HIT a waiting load gets its word, under SPATIAL_FULL all written words of the line.
static void serve(struct machine *machine, void *state, const struct memsys_request *request)
{
    struct spatial_machine *m = state;
    struct spatial_core *c = core_at(m, request->core);
    uint64_t size = machine_port(machine).config->memsys.llc.line_bytes;
    if (request->requester == m->requester + SPATIAL_STORES_BY)
        spatial_serve_store(c, request);
    if (request->requester != m->requester + SPATIAL_WAITS_BY)
        return;
    uint64_t word = (c->waiting[request->tag] - request->line * size) / 4;
    c->granted[request->tag] = m->config->wait == SPATIAL_HIT
                                   ? UINT32_C(1) << word
                                   : written_words(&m->written, request->line * size);
}

// Statistics

static void settle(struct machine *machine, void *state)
{
    struct spatial_machine *m = state;
    struct spatial_area area =
        spatial_area_of(m->config, machine_port(machine).config->memsys.memory.cores);
    m->total = m->launched;
    m->total.area_lanes = (uint64_t)llround(area.lanes * SQUARE_MM);
    m->total.area_data = (uint64_t)llround(area.data_fifos * SQUARE_MM);
    m->total.area_address = (uint64_t)llround(area.address_fifos * SQUARE_MM);
    for (uint32_t i = 0; i < machine_port(machine).ordinary; i++)
        stats_accumulate(&m->total, &m->cores[i]->stats, stat_keys, STAT_KEYS);
}

static void add_stats(const void *state, struct stats *stats)
{
    stats_add(stats, "spatial", stat_keys, STAT_KEYS,
              &((const struct spatial_machine *)state)->total);
}

// Report of a run without progress

static void report_unit(const struct spatial_core *c, const struct spatial_unit *unit, FILE *to)
{
    static const char *const causes[] = {
        [SPATIAL_SPACE] = "waits for a free entry in a receiver's FIFO",
        [SPATIAL_LINE] = "waits for a line",
        [SPATIAL_WAITS] = "waits for a word that was not yet written",
        [SPATIAL_STORE] = "waits until a store is acknowledged",
    };
    char place[160];
    const char *cause = unit->cause < ARRAY_LENGTH(causes) ? causes[unit->cause] : NULL;
    if (!cause || unit->node->kind == MAP_CORE)
        return;
    image_describe(c->image, unit->address, place, sizeof place);
    fprintf(to, "core %u: group %lld: '%s' of copy %u %s, %s; fired %llu times\n",
            core_port(c->core).index, (long long)c->scope.names[MAP_NAME_group],
            unit->node->name.text, unit->copy, cause, place, (unsigned long long)unit->fired);
    if (unit->fired)
        fprintf(to, "  in cycles %llu to %llu of the mode\n", (unsigned long long)unit->first,
                (unsigned long long)unit->last);
}

static uint64_t report(const struct machine *machine, const void *state, FILE *to)
{
    const struct spatial_machine *m = state;
    for (uint32_t i = 0; to && i < machine_port(machine).ordinary; i++) {
        const struct spatial_core *c = m->cores[i];
        for (uint32_t k = 0; c->phase == SPATIAL_RUNS && k < c->array->unit_count; k++)
            report_unit(c, &c->array->units[k], to);
        if (c->phase == SPATIAL_DRAINS)
            fprintf(to, "core %u: group %lld waits for %u stores\n", i,
                    (long long)c->scope.names[MAP_NAME_group], c->store_count);
    }
    return 0;
}

static const struct scheme_stall stalls[] = {
    {"spatial", "its core was in the spatial mode"},
};

static const struct memsys_requester requesters[SPATIAL_REQUESTERS] = {
    [SPATIAL_LOADS_BY] = {.name = "spatial_load"},
    [SPATIAL_STORES_BY] = {.name = "spatial_store"},
    [SPATIAL_WAITS_BY] = {.name = "spatial_wait"},
};

// Activity over time [003 Fig. 10].
static const char *const series[] = {
    "spatial.fired_int",  "spatial.fired_float", "spatial.fired_sfu",
    "spatial.fired_load", "spatial.fired_store", NULL,
};

static void write_notes(const struct machine *machine, const void *state, FILE *to)
{
    (void)machine;
    spatial_write_notes(state, to);
}

const struct scheme_ops rgpu = {
    .name = "rgpu",
    .configuration = {.section = "spatial",
                      .keys = keys,
                      .key_count = ARRAY_LENGTH(keys),
                      .config_bytes = sizeof(struct spatial_config),
                      .is_on = is_on,
                      .check = check,
                      .require = require},
    .issue = &spatial_issue,
    .memory = {.requesters = requesters,
               .requester_count = SPATIAL_REQUESTERS,
               .create = create,
               .extend = extend,
               .place_launch = place_launch,
               .admit = admit,
               .serve = serve,
               .passes_gates = true,
               .send = spatial_send,
               .accept_reply = spatial_accept_reply},
    .report = {.print_storage = print_storage,
               .energy = spatial_energy,
               .stalls = stalls,
               .stall_count = 1,
               .series = series,
               .settle = settle,
               .add_stats = add_stats,
               .write_notes = write_notes,
               .waits = report},
};
