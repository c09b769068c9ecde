// Compiles maps from kernels when they are launched, and decides whether to use them.
#include "passes/maps/compile.h"
#include "passes/maps/map_rate.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

// A kernel and its map.
struct spatial_automatic {
    uint32_t function; // program function
    const struct name *name;
    const struct map *map; // NULL: refused
    struct map_compiled compiled;
    const struct map_rate *rates; // with one copy, two copies, …
    uint64_t fill;                // cycles from the first firing to that of the last node
    uint64_t words;               // words of configuration
    uint32_t copies;              // maximum that fits
    VEC(const char *) notes;
    struct spatial_automatic *next; // for launches that do not fulfil this map's conditions
};

// Compilation

// Returns the length in cycles of the longest path through edges without tokens.
static uint64_t find_fill(struct arena *arena, const struct map_graph *graph)
{
    uint64_t *at = ARENA_ARRAY(arena, uint64_t, graph->nodes + 1), max = 0;
    for (uint32_t pass = 0; pass < graph->nodes; pass++)
        for (uint32_t i = 0; i < graph->edges.n; i++) {
            const struct map_edge *edge = &graph->edges.v[i];
            if (edge->tokens || edge->is_space || edge->node == MAP_NO_NODE ||
                at[edge->to] >= at[edge->from] + (uint64_t)edge->latency)
                continue;
            at[edge->to] = at[edge->from] + (uint64_t)edge->latency;
            max = at[edge->to] > max ? at[edge->to] : max;
        }
    return max;
}

static uint64_t count_words(const struct map *map)
{
    uint64_t words = map->nodes.n;
    for (uint32_t i = 0; i < map->nodes.n; i++)
        EACH_FIFO (at, &map->nodes.v[i])
            words += map_tokens(&map->nodes.v[i], at);
    return words;
}

static void rate(struct spatial_machine *m, struct spatial_automatic *to)
{
    struct arena *arena = machine_port(m->machine).arena;
    struct map_graph graph;
    struct map_placement placement;
    const char *fault = map_place(&placement, arena, &m->hardware, to->map, 0, MAP_STATES);
    to->copies = placement.copies;
    struct map_rate *rates = ARENA_ARRAY(arena, struct map_rate, to->copies + 1);
    for (uint32_t i = 1; i <= to->copies; i++) {
        struct map_hardware own = map_hardware_of(&m->hardware, to->map, i);
        map_graph_make(&graph, arena, to->map, &own);
        map_rate_of(&rates[i - 1], arena, &graph);
        to->fill = find_fill(arena, &graph);
    }
    while (to->copies > 1 && !rates[to->copies - 1].tokens)
        to->copies--;
    to->rates = rates;
    to->words = count_words(to->map);
    if (!fault)
        return;
    to->map = NULL;
    to->compiled.rule = RULE_MAP_LANES;
    to->compiled.why = fault;
}

// Rates the compiled map, and its alternatives for other launches.
static void rate_all(struct spatial_machine *m, struct spatial_automatic *to)
{
    to->map = to->compiled.map;
    if (to->map)
        rate(m, to);
    if (!to->compiled.next)
        return;
    to->next = ARENA_NEW(machine_port(m->machine).arena, struct spatial_automatic);
    *to->next = (struct spatial_automatic){
        .function = to->function, .name = to->name, .compiled = *to->compiled.next};
    rate_all(m, to->next);
}

static void compile(struct spatial_machine *m, const struct launch *launch,
                    struct spatial_automatic *to)
{
    struct arena *arena = machine_port(m->machine).arena;
    struct plan plan = {.arena = arena};
    static const struct pass_options options;
    uint32_t function = launch->program->functions.v[launch->function].function;
    to->name = tree_name(launch->program->module->tree,
                         launch->program->module->functions.v[function].name);
    struct facts *facts = facts_of(&plan, launch->program->module, &options, function);
    map_compile(&to->compiled, arena, facts, machine_port(m->machine).ordinary, &m->hardware);
    rate_all(m, to);
}

static struct spatial_automatic *find(struct spatial_machine *m, const struct launch *launch)
{
    for (uint32_t i = 0; i < m->automatic.n; i++)
        if (m->automatic.v[i]->function == launch->function)
            return m->automatic.v[i];
    struct spatial_automatic *made =
        ARENA_NEW(machine_port(m->machine).arena, struct spatial_automatic);
    *made = (struct spatial_automatic){.function = launch->function};
    compile(m, launch, made);
    vec_push(machine_port(m->machine).arena, &m->automatic, made);
    return made;
}

// Predicted times, in cycles of the cores

// Part of the DRAM's bandwidth that streams reach: that of a vector addition on the baseline.
static const double DRAM_SHARE = 0.65;
// Cycles of a warp alone for each instruction: half of the latency of an addition.
static const double WARP_CYCLES = 5;

static double memory_cycles(const struct spatial_machine *m, double bytes)
{
    const struct memsys_config *memsys = &machine_port(m->machine).config->memsys;
    double each = (double)memsys->dram.request_bytes / (double)memsys->dram.burst *
                  (double)memsys->dram.clock / (double)memsys->memory.core_clock;
    return bytes / (each * DRAM_SHARE * memsys_memories(memsys));
}

// The work of a launch.
struct spatial_work {
    double threads, iterations; // number of threads; iterations of a thread
    double streams;             // threads, or rows of a nest that alternate
    double groups, tokens, activations, stride;
    uint32_t copies;
};

static double count_bytes(const struct spatial_automatic *of, const struct spatial_work *work)
{
    return work->threads *
           (of->compiled.bytes + (double)of->compiled.loop_bytes * work->iterations);
}

// Returns the number of lines at distances of `stride` bytes that the L1 can keep. A stride that is
// a power of two uses few of its sets.
static double kept_lines(const struct spatial_machine *m, double stride)
{
    uint64_t line = machine_port(m->machine).config->memsys.llc.line_bytes;
    uint64_t sets = m->config->l1_kib * 1024 / line / m->config->l1_ways;
    uint64_t step = (uint64_t)stride % line ? 1 : (uint64_t)stride / line, common = sets;
    while (step) {
        uint64_t rest = common % step;
        common = step;
        step = rest;
    }
    return (double)(m->config->l1_ways * (sets / (common ? common : 1)));
}

// Returns the bytes that the map moves. The threads of a tile use only a part of their lines. The
// next tile finds these lines in the L1 if all lines of a tile fit there. The same applies to rows
// that the next row reads again.
static double count_map_bytes(const struct spatial_machine *m, const struct spatial_automatic *of,
                              const struct spatial_work *work)
{
    const struct map_compiled *from = &of->compiled;
    double line = (double)machine_port(m->machine).config->memsys.llc.line_bytes;
    double each = work->threads * work->iterations / work->streams;
    double lines = from->loop_lines * each * work->copies;
    double rows = from->row_loads * work->tokens * work->copies;
    double room = 0.95 * (double)m->config->l1_kib * 1024, tiles = work->streams / from->tile;
    if (rows > room)
        return work->threads * from->row_bytes;
    return count_bytes(of, work) +
           (lines <= kept_lines(m, work->stride) ? 0 : from->loop_lines * line * each * tiles);
}

// Returns the predicted cycles of the kernel. All cores issue one instruction per cycle, while a
// single warp needs WARP_CYCLES for each instruction.
static double simt_cycles(const struct spatial_machine *m, const struct spatial_automatic *of,
                          const struct spatial_work *work)
{
    double instructions =
        of->compiled.instructions + of->compiled.loop_instructions * work->iterations;
    double issue = work->threads / 32 * instructions / machine_port(m->machine).ordinary;
    return fmax(fmax(issue, instructions * WARP_CYCLES), memory_cycles(m, count_bytes(of, work)));
}

// Returns true if groups execute rows of a nest, one after the other.
static bool is_ordered(const struct spatial_automatic *of)
{
    return of->compiled.has_nest && !of->compiled.has_tiles;
}

// Returns the predicted cycles of the map. An activation is configured, filled and run, and the
// next one begins when it has ended. Groups of a nest begin when the first words of the previous
// group have arrived, and each core executes several of them.
static double map_cycles(const struct spatial_machine *m, const struct spatial_automatic *of,
                         const struct spatial_work *work)
{
    double tokens = work->tokens, activations = work->activations;
    if (is_ordered(of)) {
        double cores = (double)machine_port(m->machine).ordinary;
        activations = work->groups > cores ? work->groups / cores : 1;
    }
    double clocks = (double)machine_port(m->machine).config->memsys.memory.core_clock /
                    (double)m->config->clock;
    const struct map_rate *rate = &of->rates[work->copies - 1];
    double stream = tokens * (double)rate->cycles / (double)rate->tokens;
    double each = (double)(of->words * work->copies) / (double)m->config->config_words +
                  (stream + (double)of->fill) * clocks;
    return fmax(each * activations, memory_cycles(m, count_map_bytes(m, of, work)));
}

// Returns a scope with the names of group 0.
static struct map_scope scope_of(struct spatial_machine *m, const struct spatial_automatic *of,
                                 struct spatial_launch *launched, const struct launch *launch,
                                 uint32_t copies)
{
    struct map_scope scope = {
        .map = of->map, .arena = machine_port(m->machine).arena, .params = launched->params};
    for (uint32_t i = 0; i < 3; i++) {
        scope.names[MAP_NAME_grid_x + i] = launch->grid[i];
        scope.names[MAP_NAME_block_x + i] = launch->block[i];
    }
    scope.names[MAP_NAME_copies] = copies;
    return scope;
}

// Sets *to to the map's value with this name, or to 1 if the map has no such value. Returns a fault
// or NULL.
static const char *find_value(const struct map_scope *scope, const char *name, double *to)
{
    int64_t number = 1;
    const char *fault = NULL;
    for (uint32_t i = 0; !fault && i < scope->map->values.n; i++)
        if (!strcmp(scope->map->values.v[i].name.text, name))
            fault = map_integer(scope, &scope->map->values.v[i].value, 1, &number);
    *to = (double)number;
    return fault;
}

static const char *count_tokens(const struct map_scope *scope, double *to)
{
    const char *fault = NULL;
    int64_t count;
    *to = 0;
    for (uint32_t i = 0; !fault && i < scope->map->nodes.n; i++) {
        fault = map_integer(scope, &scope->map->nodes.v[i].count, 0, &count);
        *to = fmax(*to, (double)count);
    }
    return fault;
}

static const char *count_work(const struct spatial_automatic *of, struct map_scope *scope,
                              const struct launch *launch, struct spatial_work *to)
{
    int64_t groups, activations;
    double trip, trips;
    const char *fault = map_integer(scope, &scope->map->groups, 1, &groups);
    scope->names[MAP_NAME_groups] = groups;
    if (is_ordered(of)) // the first group may execute a loop before the nest
        scope->names[MAP_NAME_group] = groups - 1;
    if (!fault)
        fault = map_integer(scope, &scope->map->activations, 1, &activations);
    if (fault || (fault = count_tokens(scope, &to->tokens)) ||
        (fault = find_value(scope, "trip", &trip)) ||
        (fault = find_value(scope, "trips", &trips)) ||
        (fault = find_value(scope, "stride", &to->stride)))
        return fault;
    scope->names[MAP_NAME_activations] = activations;
    to->groups = (double)groups;
    to->activations = (double)activations;
    to->iterations = trip * trips;
    to->threads = 1;
    for (uint32_t i = 0; i < 3; i++)
        to->threads *= (double)launch->grid[i] * launch->block[i];
    to->streams = to->threads * (of->compiled.has_nest ? trips : 1);
    return NULL;
}

// Predicted cycles of a launch with a number of copies.
struct spatial_times {
    double simt, spatial; // of the kernel; of its map
    double tokens;        // executed by a copy
};

// Predicts the cycles of the kernel and of its map with this number of copies. Returns a fault or
// NULL.
static const char *predict(struct spatial_machine *m, const struct spatial_automatic *of,
                           const struct launch *launch, uint32_t copies, struct spatial_times *to)
{
    struct spatial_launch launched = {0};
    struct spatial_work work = {.copies = copies};
    const char *fault = spatial_params(m, launch, of->map, &launched);
    struct map_scope scope = scope_of(m, of, &launched, launch, copies);
    if (!fault)
        fault = map_unfit(&scope);
    if (!fault)
        fault = count_work(of, &scope, launch, &work);
    if (!fault)
        *to = (struct spatial_times){simt_cycles(m, of, &work), map_cycles(m, of, &work),
                                     work.tokens * work.activations};
    return fault;
}

// Returns true if `a` is faster, or as fast with fewer tokens per copy. Copies that do not shorten
// the streams of the others are useless.
static bool is_better(const struct spatial_times *a, const struct spatial_times *b)
{
    return a->spatial < b->spatial || (a->spatial <= b->spatial && a->tokens <= b->tokens);
}

// Returns NULL, or the reason for which the map is not used for this launch. Sets *fits to true if
// the launch fulfils its conditions, and *copies to the fastest number.
static const char *decide(struct spatial_machine *m, const struct spatial_automatic *of,
                          const struct launch *launch, bool *fits, int64_t *copies)
{
    struct spatial_times times = {0}, here;
    for (uint32_t i = of->copies; i; i--) {
        const char *fault = predict(m, of, launch, i, &here);
        if (fault)
            return fault;
        if (i < of->copies && !is_better(&here, &times))
            continue;
        times = here;
        *copies = i;
    }
    *fits = true;
    return times.simt >= m->config->gain * times.spatial
               ? NULL
               : arena_printf(machine_port(m->machine).arena,
                              "%s: predicted cycles are %.0f for the kernel and %.0f for its map",
                              plan_rules[RULE_MAP_NO_GAIN].id, times.simt, times.spatial);
}

static void note(struct spatial_machine *m, struct spatial_automatic *of, const char *text)
{
    for (uint32_t i = 0; i < of->notes.n; i++)
        if (!strcmp(of->notes.v[i], text))
            return;
    vec_push(machine_port(m->machine).arena, &of->notes, text);
}

static const char *refusal(struct spatial_machine *m, const struct launch *launch,
                           const struct spatial_automatic *of)
{
    const struct program *program = launch->program;
    const struct ir_function *fn =
        &program->module->functions.v[program->functions.v[launch->function].function];
    const struct map_compiled *from = &of->compiled;
    const char *id = plan_rules[from->rule].id;
    if (from->inst == IR_NONE)
        return arena_printf(machine_port(m->machine).arena, "%s: %s", id, from->why);
    return arena_printf(machine_port(m->machine).arena, "%s: line %u: %s", id,
                        ir_position(program->module, fn, from->inst).line, from->why);
}

// Counts a refusal. `rule` is MAP_RULES if the launch does not fulfil the map's conditions.
static void count_refusal(struct spatial_machine *m, uint32_t rule)
{
    struct spatial_stats *stats = &m->launched;
    stats->refused++;
    stats->refused_by = rule + 1 > stats->refused_by ? rule + 1 : stats->refused_by;
}

// Returns the index of a rule among those of maps.
static uint32_t rule_number(enum plan_rule rule)
{
    return (uint32_t)rule - (RULE_COUNT - MAP_RULES);
}

const struct map *spatial_compile(struct spatial_machine *m, const struct launch *launch,
                                  int64_t *copies)
{
    struct spatial_automatic *first = find(m, launch), *of = first;
    bool fits = false;
    const char *why = of->map ? decide(m, of, launch, &fits, copies) : refusal(m, launch, of);
    while (of->map && !fits && of->next && of->next->map) {
        of = of->next;
        why = decide(m, of, launch, &fits, copies);
    }
    if (why)
        count_refusal(m, !of->map ? rule_number(of->compiled.rule)
                         : fits   ? rule_number(RULE_MAP_NO_GAIN)
                                  : MAP_RULES);
    note(m, first,
         why ? arena_printf(machine_port(m->machine).arena, "runs without a map: %s", why)
             : "runs a compiled map");
    return why ? NULL : of->map;
}

void spatial_write_notes(const struct spatial_machine *m, FILE *to)
{
    for (uint32_t i = 0; i < m->automatic.n; i++) {
        const struct spatial_automatic *of = m->automatic.v[i];
        for (uint32_t k = 0; k < of->notes.n; k++)
            fprintf(to, "kernel '%.*s' %s\n", (int)of->name->length, of->name->text,
                    of->notes.v[k]);
    }
}
