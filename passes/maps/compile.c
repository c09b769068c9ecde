#include "passes/maps/compile_internal.h"
#include "passes/maps/map_place.h"
#include "passes/maps/map_rate.h"
#include <stdarg.h>
#include <string.h>

bool map_refuse(struct map_compiler *c, enum plan_rule rule, uint32_t inst, const char *format, ...)
{
    va_list args;
    char text[512];
    if (c->to->why)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->to->rule = rule;
    c->to->inst = inst;
    c->to->why = arena_strndup(c->arena, text, strlen(text));
    return false;
}

void map_require(struct map_compiler *c, const char *text)
{
    uint32_t condition = graph_quoted(c, text);
    for (uint32_t i = 0; i < c->requires.n; i++)
        if (c->requires.v[i] == condition)
            return;
    vec_push(c->arena, &c->requires, condition);
}

// Refused instructions

static bool check_inst(struct map_compiler *c, uint32_t inst)
{
    static const struct {
        uint8_t class;
        uint8_t rule;
        const char *why;
    } rows[] = {
        {CLASS_CALL, RULE_MAP_CALL, "the kernel calls a function"},
        {CLASS_BARRIER, RULE_MAP_BARRIER, "threads wait for each other"},
        {CLASS_FENCE, RULE_MAP_BARRIER, "a fence orders accesses of several threads"},
        {CLASS_ATOMIC, RULE_MAP_ATOMIC, "an atomic operation"},
        {CLASS_WARP, RULE_MAP_BARRIER, "lanes of a warp exchange data"},
        {CLASS_ASYNC, RULE_MAP_OPERATION, "an asynchronous copy"},
        {CLASS_TEXTURE, RULE_MAP_OPERATION, "an access to a texture"},
        {CLASS_SURFACE, RULE_MAP_OPERATION, "an access to a surface"},
        {CLASS_MATRIX, RULE_MAP_OPERATION, "an operation on matrices"},
        {CLASS_STACK, RULE_MAP_OPERATION, "an access to the stack"},
        {CLASS_MISC, RULE_MAP_OPERATION, "an instruction that is not a computation"},
        {CLASS_OPAQUE, RULE_MAP_OPERATION, "an unknown instruction"},
    };
    const struct ir_inst *at = &c->fn->insts.v[inst];
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (at->class == rows[i].class)
            return map_refuse(c, (enum plan_rule)rows[i].rule, inst, "%s", rows[i].why);
    return true;
}

static bool check_kernel(struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->fn->rpo.n; i++) {
        const struct ir_block *block = &c->fn->blocks.v[c->fn->rpo.v[i]];
        for (uint32_t k = block->first; k < block->end; k++)
            if (!check_inst(c, k))
                return false;
    }
    if (c->fn->irreducible || c->fn->incomplete)
        return map_refuse(c, RULE_MAP_DIVERGES, IR_NONE, "branches lead to unknown targets");
    return true;
}

// The stream of tokens

// Adds a value with a formatted expression.
static void __attribute__((format(printf, 3, 4)))
add_value(struct map_compiler *c, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    graph_value_add(c, name, graph_quoted(c, arena_vprintf(c->arena, format, args)));
    va_end(args);
}

static void add_dimension(struct map_compiler *c, uint32_t dim)
{
    char x = "xyz"[dim];
    const char *all = dim == DIM_X && c->across != IR_NONE
                          ? "trips"
                          : arena_printf(c->arena, "grid_%c * block_%c", x, x);
    const char *low = c->low[dim] ? arena_printf(c->arena, "max(0, %s)", c->low[dim]) : "0";
    const char *high =
        c->high[dim] ? arena_printf(c->arena, "min(%s, %s)", all, c->high[dim]) : all;
    add_value(c, arena_printf(c->arena, "low_%c", x), "%s", low);
    add_value(c, arena_printf(c->arena, "high_%c", x), "%s", high);
    add_value(c, arena_printf(c->arena, "last_%c", x), "max(low_%c, high_%c - 1)", x, x);
    add_value(c, arena_printf(c->arena, "size_%c", x), "max(0, high_%c - low_%c)", x, x);
}

// Each copy processes a range of the stream.
static void add_ranges(struct map_compiler *c)
{
    add_value(c, "parts", "groups * copies");
    add_value(c, "share", "(size_x + parts - 1) / parts");
    add_value(c, "begin", "low_x + (group * copies + copy) * share");
    add_value(c, "count", "%s * max(0, min(share, high_x - begin))", c->when ? c->when : "1");
}

// Each copy processes a range of rows, with one activation per row.
static void add_rows(struct map_compiler *c)
{
    add_value(c, "rows", "size_y * size_z");
    add_value(c, "share", "(rows + groups * copies - 1) / (groups * copies)");
    add_value(c, "line", "(group * copies + copy) * share + activation");
    add_value(c, "here", "max(0, min(line, rows - 1))");
    add_value(c, "y", "low_y + here %% max(1, size_y)");
    add_value(c, "z", "low_z + here / max(1, size_y)");
    add_value(c, "begin", "low_x");
    add_value(c, "count", "%s * (line < rows) * size_x", c->when ? c->when : "1");
}

// Each copy processes tiles of a row of threads, with one activation per tile. The last tile of a
// row is shifted so that it is full. A copy with fewer tiles than others repeats the last one,
// unless threads work in place.
static void add_tiles(struct map_compiler *c)
{
    const char *used = c->in_place ? "(tile < tiles) * " : "";
    add_value(c, "tiles_x", "(size_x + %u) / %u", c->tile - 1, c->tile);
    add_value(c, "tiles", "tiles_x * size_y * size_z");
    add_value(c, "share", "(tiles + groups * copies - 1) / (groups * copies)");
    add_value(c, "tile", "(group * share + activation) * copies + copy");
    add_value(c, "here", "max(0, min(tile, tiles - 1))");
    add_value(c, "begin", "max(low_x, min(low_x + here %% max(1, tiles_x) * %u, high_x - %u))",
              c->tile, c->tile);
    add_value(c, "y", "low_y + here / max(1, tiles_x) %% max(1, size_y)");
    add_value(c, "z", "low_z + here / max(1, tiles_x) / max(1, size_y)");
    add_value(c, "count", "%s%u * trip", used, c->tile);
    add_value(c, "last_count", "%s%u", used, c->tile);
    c->map_groups = graph_text(c, "\"max(1, min(%u, tiles))\"", c->groups);
    c->activations = graph_text(c, "share");
    map_require(c, arena_printf(c->arena, "size_x >= %u", c->tile));
    if (c->in_place)
        map_require(c, arena_printf(c->arena, "size_x %% %u == 0", c->tile));
}

static void add_threads(struct map_compiler *c)
{
    bool has_rows = c->has_rows || c->has_planes;
    if (has_rows)
        add_rows(c);
    else
        add_ranges(c);
    c->map_groups =
        graph_text(c, "\"max(1, min(%u, (%s + %u) / %u))\"", c->groups,
                   has_rows ? "grid_y * block_y * grid_z * block_z" : "grid_x * block_x",
                   has_rows ? 1 : 255, has_rows ? 2 : 256);
    c->activations = has_rows ? graph_text(c, "share") : 0;
}

// Rows of a nest are distributed round-robin over the groups, which run in order.
static void add_nest(struct map_compiler *c)
{
    bool is_second = c->before != IR_NONE; // after a loop, which group 0 executes
    add_value(c, "count", is_second ? "(turn >= 0) * trip" : "trip");
    if (is_second)
        add_value(c, "count_before", "(turn < 0) * trip_before");
    add_value(c, "last_count", is_second ? "(turn >= 0)" : "1");
    c->is_ordered = c->outer != IR_NONE;
    c->map_groups = c->is_ordered ? graph_text(c, "\"%s(trips + %u) / %u\"",
                                               is_second ? "1 + " : "", c->rows - 1, c->rows)
                                  : graph_text(c, "1");
    c->copies = graph_text(c, "1");
}

static void add_stream(struct map_compiler *c)
{
    for (uint32_t dim = 0; dim < LAUNCH_DIMS && c->form != MAP_NEST; dim++)
        add_dimension(c, dim);
    switch (c->form) {
    case MAP_THREADS: add_threads(c); break;
    case MAP_TILES: add_tiles(c); break;
    case MAP_NEST: add_nest(c); break;
    }
}

static uint32_t count_params(const struct map_compiler *c)
{
    uint32_t params = 0;
    for (uint32_t i = 0; i < c->module->symbols.n; i++) {
        const struct ir_symbol *symbol = &c->module->symbols.v[i];
        if (symbol->function == (uint32_t)(c->fn - c->module->functions.v) &&
            symbol->parameter != IR_NONE && symbol->parameter >= params)
            params = symbol->parameter + 1;
    }
    return params;
}

// The machine

// Records the rate of this number of copies. Returns false after a refusal.
static bool record_rate(struct map_compiler *c, const struct map *map, uint32_t copies)
{
    struct map_hardware own = map_hardware_of(c->hardware, map, copies);
    struct map_graph graph;
    struct map_rate rate;
    map_graph_make(&graph, c->arena, map, &own);
    map_rate_of(&rate, c->arena, &graph);
    c->to->limit = map_rate_text(c->arena, map, &own, &graph, &rate);
    if (!rate.tokens)
        return map_refuse(c, RULE_MAP_RATE, IR_NONE, "%s", c->to->limit);
    c->to->rate = copies * (double)rate.tokens / (double)rate.cycles;
    c->to->tokens = rate.tokens;
    c->to->cycles = rate.cycles;
    return true;
}

static bool check_hardware(struct map_compiler *c, const struct map *map)
{
    const struct map_hardware *hardware = c->hardware;
    struct map_counts counts = map_count(map);
    struct map_hardware own = map_hardware_of(hardware, map, 1);
    struct map_placement placement;
    uint32_t node;
    if (counts.sfus > hardware->sfus)
        return map_refuse(c, RULE_MAP_CORES, IR_NONE,
                          "it has %u special functions, but the machine has units for %u",
                          counts.sfus, hardware->sfus);
    if (counts.cores > hardware->cores)
        return map_refuse(c, RULE_MAP_CORES, IR_NONE,
                          "it has %u instructions, but the machine has %u cores", counts.cores,
                          hardware->cores);
    if (counts.lsus > hardware->lsus)
        return map_refuse(c, RULE_MAP_LSUS, IR_NONE,
                          "it has %u accesses, but the machine has %u load-store units",
                          counts.lsus, hardware->lsus);
    const char *misfit = map_misfit(c->arena, &own, map, &node);
    if (misfit)
        return map_refuse(c, RULE_MAP_CORES, IR_NONE, "%s", misfit);
    if (!record_rate(c, map, 1))
        return false;
    c->to->cores = counts.cores;
    c->to->lsus = counts.lsus;
    c->to->conditions = c->requires.n;
    if (!c->states)
        return true;
    const char *fault = map_place(&placement, c->arena, hardware, map, 0, c->states);
    c->to->copies = c->form == MAP_NEST ? 1 : placement.copies;
    c->to->lanes = placement.lanes;
    return fault ? map_refuse(c, RULE_MAP_LANES, IR_NONE, "%s", fault)
                 : record_rate(c, map, c->to->copies);
}

// Minimum ratio of rates for which another form replaces this one.
static const double better = 1.05;

// Buffers

static bool fits(const struct map *map, const struct map_hardware *hardware, uint32_t copies)
{
    struct map_counts counts = map_count(map);
    return counts.cores * copies <= hardware->cores && counts.lsus * copies <= hardware->lsus &&
           counts.sfus * copies <= hardware->sfus;
}

// Returns the rate of all copies of a map that is buffered for them.
static double rate_of(struct map_compiler *c, const struct map *map, uint32_t copies)
{
    struct map_hardware own = map_hardware_of(c->hardware, map, copies);
    struct map_rate rate;
    map_buffer(c->arena, map, &own, 0, &rate);
    return rate.tokens ? copies * (double)rate.tokens / (double)rate.cycles : 0;
}

// Returns the map with the buffers that maximise the rate of all copies together: more copies leave
// fewer cores for buffers.
static const struct map *choose_buffers(struct map_compiler *c, const struct map *map)
{
    const struct map_hardware *hardware = c->hardware;
    struct map_placement placement;
    struct map_rate rate;
    const struct map *best = map;
    if (!fits(map, hardware, 1) || rate_of(c, map, 1) <= 0)
        return map;
    const char *fault = map_place(&placement, c->arena, hardware, map, 0, c->states);
    double max = fault ? 0 : rate_of(c, map, placement.copies);
    for (uint32_t copies = 1; fits(map, hardware, copies); copies++) {
        struct map_hardware own = map_hardware_of(hardware, map, copies);
        const struct map *made = map_buffer(c->arena, map, &own, hardware->cores / copies, &rate);
        double all = rate_of(c, made, copies);
        if (made == map || all <= better * max ||
            map_place(&placement, c->arena, hardware, made, copies, c->states))
            continue;
        max = all;
        best = made;
    }
    return best;
}

// Makes the nodes of a row of the nest, of the loop before it, or of the whole kernel.
static bool compile_row(struct map_compiler *c, uint32_t row)
{
    c->row = row;
    c->late = NULL;
    c->decays.n = c->row ? c->decays.n : 0;
    memset(c->operand, 0, MAP_DOMAINS * c->fn->versions.n * sizeof *c->operand);
    for (uint32_t i = 0; i < c->fn->blocks.n; i++)
        c->blocks[i].predicate = 0;
    for (uint32_t i = 0; i < c->accesses.n; i++) {
        c->accesses.v[i].node = 0;
        c->accesses.v[i].data_above = c->accesses.v[i].data;
    }
    return map_stores(c) && (c->loop == IR_NONE || map_carried_nodes(c));
}

static bool compile(struct map_compiler *c)
{
    if (c->before != IR_NONE) {
        map_enter_before(c, true);
        if (!compile_row(c, 0))
            return false;
        map_enter_before(c, false);
        c->before_nodes = c->nodes.names.n;
    }
    for (uint32_t row = 0; row < c->rows; row++)
        if (!compile_row(c, row))
            return false;
    if (c->passes && !c->has_passed) // same as the map without passing
        return false;
    add_stream(c);
    const struct map *map = graph_map(c);
    if (!map)
        return false;
    const struct map *buffered = c->states && c->form != MAP_NEST ? choose_buffers(c, map) : map;
    if (!check_hardware(c, buffered))
        return false;
    c->to->map = buffered;
    c->to->graph = buffered == map ? c : NULL;
    return true;
}

static uint32_t count_loop_instructions(const struct map_compiler *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->fn->blocks.n; i++)
        if (map_in_loop(c, i))
            count += c->fn->blocks.v[i].end - c->fn->blocks.v[i].first;
    return count;
}

// Returns true if the loop stores.
static bool has_store(const struct map_compiler *c)
{
    for (uint32_t i = 0; i < c->accesses.n; i++)
        if (c->accesses.v[i].in_loop && !map_is_load(c, &c->accesses.v[i]))
            return true;
    return false;
}

// Analyses the kernel. `slows`: rows of a nest take turns. `skips`: the map may require that the
// launch skips parts. All maps with these two choices start from the result.
static struct map_compiler *analyse(const struct map_compiler *kernel, bool slows, bool skips)
{
    struct map_compiler *c = ARENA_NEW(kernel->arena, struct map_compiler);
    *c = *kernel;
    c->to = ARENA_NEW(c->arena, struct map_compiled);
    c->to->inst = IR_NONE;
    c->slows = slows;
    c->skips = skips;
    c->operand = ARENA_ARRAY(c->arena, uint32_t, MAP_DOMAINS * c->fn->versions.n + 1);
    c->blocks = ARENA_ARRAY(c->arena, struct map_block, c->fn->blocks.n + 1);
    graph_init(c);
    c->fits = check_kernel(c) && map_loops(c) && map_flow(c) && map_accesses(c);
    map_enter_before(c, false);
    c->to->has_loop = c->loop != IR_NONE;
    c->to->has_tiles = c->form == MAP_TILES;
    c->to->has_nest = c->nest != IR_NONE;
    c->to->loop_instructions = count_loop_instructions(c);
    c->to->instructions = c->fn->insts.n - c->to->loop_instructions;
    return c;
}

// A form of the map, for the same loop.
struct map_choice {
    uint32_t tile; // threads that take turns
    uint32_t rows; // rows of a nest per group
    bool passes;
    uint32_t states; // of the search for a placement; 0: none
};

// Adds the positions of the rows to the values of the analysis.
static void add_values(struct map_compiler *c, const struct map_compiler *from)
{
    c->values = (typeof(c->values)){0};
    for (uint32_t i = 0; i <= from->values.n; i++) {
        for (uint32_t row = 0; i == from->row_values && c->outer != IR_NONE && row < c->rows; row++)
            graph_value_add(
                c, arena_printf(c->arena, "row%u", row),
                graph_text(c, "\"max(0, min(turn * %u + %u, trips - 1))\"", c->rows, row));
        if (i < from->values.n)
            vec_push(c->arena, &c->values, from->values.v[i]);
    }
}

static void compile_choice(struct map_compiled *to, const struct map_compiler *from,
                           struct map_choice choice)
{
    struct map_compiler *c = ARENA_NEW(from->arena, struct map_compiler);
    *c = *from;
    *to = *from->to;
    c->to = to;
    c->tile = to->tile = c->form == MAP_NEST ? 1 : choice.tile;
    c->rows = to->rows = choice.rows;
    c->passes = choice.passes;
    c->states = choice.states;
    c->requires = (typeof(c->requires)){0};
    c->accesses = (typeof(c->accesses)){0};
    for (uint32_t i = 0; i < from->requires.n; i++)
        vec_push(c->arena, &c->requires, from->requires.v[i]);
    for (uint32_t i = 0; i < from->accesses.n; i++)
        vec_push(c->arena, &c->accesses, from->accesses.v[i]);
    intern_init(&c->nodes, c->arena);
    add_values(c, from);
    if (c->fits)
        compile(c);
    to->scatters = to->has_tiles && c->tile > c->hardware->store_lines && has_store(c);
}

// Compiles the form in which the best number of threads, or of rows of a nest, take turns. A nest
// also has the form in which its rows are executed one by one.
static void compile_tiles(struct map_compiled *to, const struct map_compiler *from)
{
    static const struct map_choice forms[] = {{8, 1, false, MAP_STATES_FEW},
                                              {8, 1, true, MAP_STATES_FEW},
                                              {4, 1, false, MAP_STATES_FEW},
                                              {4, 1, true, MAP_STATES_FEW}};
    struct map_compiled more;
    for (uint32_t i = 0; i < sizeof forms / sizeof *forms && (!i || to->has_tiles); i++) {
        compile_choice(&more, from, forms[i]);
        if (!i || (more.map && (!to->map || more.rate > better * to->rate)))
            *to = more;
    }
}

// Compiles a nest with as many rows as fit on the machine.
static void compile_nest(struct map_compiled *to, const struct map_compiler *from)
{
    enum { ROWS = 16 };
    struct map_choice choice = {.rows = 1};
    struct map_compiled more;
    do {
        choice.rows++;
        compile_choice(&more, from, choice);
    } while (more.map && choice.rows < ROWS);
    choice.states = MAP_STATES_FEW;
    while (--choice.rows > 1) {
        compile_choice(&more, from, choice);
        if (!more.map)
            continue;
        *to = more;
        return;
    }
}

static void compile_forms(struct map_compiled *to, const struct map_compiler *kernel, bool skips)
{
    const struct map_compiler *from = analyse(kernel, false, skips);
    compile_tiles(to, from);
    if (!to->has_nest)
        return;
    struct map_compiled *nest = ARENA_NEW(kernel->arena, struct map_compiled);
    *nest = *to;
    compile_tiles(to, analyse(kernel, true, skips));
    if (nest->map)
        compile_nest(nest, from);
    if (!to->map || (nest->map && (to->scatters || better * nest->rate * nest->rows > to->rate)))
        *to = *nest;
    else if (nest->map)
        to->next = nest;
}

void map_compile(struct map_compiled *to, struct arena *arena, struct facts *facts, uint32_t groups,
                 const struct map_hardware *hardware)
{
    struct map_compiled skipping;
    struct map_compiler kernel = {.arena = arena,
                                  .facts = facts,
                                  .module = facts->module,
                                  .fn = facts->fn,
                                  .affines = facts_affines(facts),
                                  .groups = groups,
                                  .hardware = hardware,
                                  .loop = IR_NONE,
                                  .outer = IR_NONE,
                                  .before = IR_NONE,
                                  .inner = IR_NONE,
                                  .nest = IR_NONE,
                                  .across = IR_NONE};
    kernel.params = count_params(&kernel);
    compile_forms(to, &kernel, false);
    if (to->map || !facts->fn->loops.n)
        return;
    compile_forms(&skipping, &kernel, true);
    bool is_too_large = skipping.rule == RULE_MAP_CORES || skipping.rule == RULE_MAP_LSUS ||
                        skipping.rule == RULE_MAP_LANES || skipping.rule == RULE_MAP_RATE;
    if (skipping.map || is_too_large)
        *to = skipping;
}
