// Prepares a group: its array, and the values of each activation.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <string.h>

void spatial_compute(const struct spatial_array *array, struct spatial_unit *unit)
{
    const struct spatial_function *function = &array->binding->functions[unit->number];
    uint8_t *const bases[] = {array->frame, NULL, NULL, array->binding->program.constants.v};
    for (uint32_t i = 0; i < unit->node->operand_count; i++)
        ((union lanes *)reg_slot_lanes(bases, function->operands[i]))->u32[0] = unit->words[i];
    for (uint32_t i = 0; i < function->count; i++) {
        const struct code *code = &function->codes[i];
        const void *sources[CODE_SOURCES];
        for (uint32_t k = 0; k < code->source_count; k++)
            sources[k] = reg_slot_lanes(bases, code->s[k]);
        code->lanes(code, reg_slot_lanes(bases, code->d), sources);
    }
    unit->result = ((const union lanes *)reg_slot_lanes(bases, function->result))->u32[0];
}

// The array

static void make_fifo(struct spatial_array *array, struct arena *arena, uint32_t to, uint32_t at,
                      uint32_t from)
{
    struct spatial_unit *unit = &array->units[to];
    struct spatial_fifo *fifo = &array->fifos[array->fifo_count];
    uint32_t depth = map_capacity(&array->hardware, unit->node, at), entries = depth;
    if (array->hardware.space == MAP_ARRIVAL)
        entries += map_latency(&array->hardware, array->units[from].node);
    *fifo = (struct spatial_fifo){.from = from,
                                  .to = to,
                                  .operand = at,
                                  .depth = depth,
                                  .entries = entries,
                                  .initial = map_tokens(unit->node, at),
                                  .is_address = unit->node->kind != MAP_CORE && !at,
                                  .by_lane = from != to,
                                  .words = ARENA_ARRAY(arena, uint32_t, entries),
                                  .arrives = ARENA_ARRAY(arena, uint64_t, entries),
                                  .freed = ARENA_ARRAY(arena, uint64_t, entries)};
    unit->fifos[at] = array->fifo_count++;
}

static void make_outs(struct spatial_array *array)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < array->unit_count; i++) {
        array->units[i].first_out = next;
        for (uint32_t k = 0; k < array->fifo_count; k++)
            if (array->fifos[k].from == i)
                array->outs[next++] = k;
        array->units[i].out_count = next - array->units[i].first_out;
    }
}

static void make_units(struct spatial_array *array, struct arena *arena)
{
    const struct map *map = array->binding->map;
    uint32_t n = map->nodes.n;
    for (uint32_t i = 0; i < array->unit_count; i++) {
        struct spatial_unit *unit = &array->units[i];
        *unit = (struct spatial_unit){.node = &map->nodes.v[i % n], .number = i % n, .copy = i / n};
        unit->latency = map_latency(&array->hardware, unit->node);
        unit->interval = map_interval(&array->hardware, unit->node);
        if (unit->node->kind == MAP_STORE)
            unit->collected = ARENA_ARRAY(arena, struct spatial_line, array->hardware.store_lines);
        memset(unit->fifos, 0xff, sizeof unit->fifos);
    }
    for (uint32_t i = 0; i < array->unit_count; i++)
        EACH_FIFO (at, array->units[i].node)
            make_fifo(array, arena, i, at, i / n * n + map_operand(array->units[i].node, at)->from);
    make_outs(array);
}

static uint8_t *aligned(struct arena *arena, uint32_t bytes)
{
    uint8_t *memory = arena_alloc(arena, bytes + 64);
    return memory + (64 - (uintptr_t)memory % 64) % 64;
}

static struct spatial_array *make_array(struct spatial_core *c)
{
    struct arena *arena = c->arena;
    uint32_t tokens = 0;
    struct spatial_array *array = ARENA_NEW(arena, struct spatial_array);
    const struct map *map = c->binding->map;
    uint32_t units = map->nodes.n * c->binding->placement.copies,
             fifos = units * (MAP_OPERANDS + 1);
    *array = (struct spatial_array){
        .config = c->of->config,
        .hardware = map_hardware_of(&c->of->hardware, map, c->binding->placement.copies),
        .binding = c->binding,
        .units = ARENA_ARRAY(arena, struct spatial_unit, units),
        .unit_count = units,
        .fifos = ARENA_ARRAY(arena, struct spatial_fifo, fifos),
        .outs = ARENA_ARRAY(arena, uint32_t, fifos),
        .fires = ARENA_ARRAY(arena, bool, units),
        .frame = aligned(arena, c->binding->frame_bytes)};
    make_units(array, arena);
    for (uint32_t i = 0; i < array->fifo_count; i++)
        tokens += array->fifos[i].initial;
    c->fetches = ARENA_ARRAY(arena, struct spatial_word, tokens + units * MAP_OPERANDS);
    c->addresses = ARENA_ARRAY(arena, uint64_t, tokens + 1);
    c->waiting = ARENA_ARRAY(arena, uint64_t, units);
    c->granted = ARENA_ARRAY(arena, uint32_t, units);
    return array;
}

const char *spatial_group(struct spatial_core *c, const struct launch *launch, uint32_t group)
{
    const struct map *map = c->binding->map;
    c->scope = (struct map_scope){.map = map, .arena = c->arena, .params = c->launched->params};
    c->scope.names[MAP_NAME_group] = group;
    c->scope.names[MAP_NAME_groups] = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    c->scope.names[MAP_NAME_copies] = c->binding->placement.copies;
    for (uint32_t i = 0; i < 6; i++)
        c->scope.names[MAP_NAME_grid_x + i] = c->launched->shape[i];
    const char *fault = map_integer(&c->scope, &map->activations, 1, &c->activations);
    c->scope.names[MAP_NAME_activations] = c->activations;
    c->scope.names[MAP_NAME_activation] = -1;
    if (!c->array || c->array->binding != c->binding)
        c->array = make_array(c);
    return fault;
}

// Values of an activation

static const char *set_memory(struct spatial_core *c, struct spatial_unit *unit)
{
    const struct map_node *node = unit->node;
    const struct {
        const struct map_expr *expr;
        int64_t value;
    } rows[] = {{&node->base, 0}, {&node->offset, 0}, {&node->wait, 0}, {&node->off, 0}};
    int64_t values[4];
    for (uint32_t i = 0; i < 4; i++) {
        const char *fault = map_integer(&c->scope, rows[i].expr, rows[i].value, &values[i]);
        if (fault)
            return fault;
    }
    unit->base = (uint64_t)(values[0] + values[1]);
    unit->waits = values[2];
    unit->no_access = values[3];
    unit->missed = unit->wait_sent = false;
    unit->collected_count = 0;
    unit->scanned = 0;
    unit->scanned_line = unit->wait_line = unit->seen_line = UINT64_MAX;
    unit->wait_words = 0;
    return NULL;
}

static const char *set_fifo(struct spatial_core *c, struct spatial_unit *unit, uint32_t at)
{
    struct spatial_fifo *fifo = &c->array->fifos[unit->fifos[at]];
    uint64_t *addresses = c->addresses;
    const char *fault = map_initial_words(&c->scope, unit->node, at, fifo->words, addresses);
    if (fault)
        return fault;
    fifo->pushed = fifo->initial;
    fifo->popped = 0;
    memset(fifo->arrives, 0, fifo->entries * sizeof *fifo->arrives);
    memset(fifo->freed, 0, fifo->entries * sizeof *fifo->freed);
    const struct map_initial *initial = &map_operand(unit->node, at)->initial;
    int64_t add = 0;
    fault = map_integer(&c->scope, &initial->add, 0, &add);
    for (uint32_t i = 0; initial->kind == MAP_WORDS && i < fifo->initial; i++)
        c->fetches[c->fetch_count++] =
            (struct spatial_word){addresses[i], initial->type, &fifo->words[i], (uint32_t)add};
    return fault;
}

static const char *set_constant(struct spatial_core *c, struct spatial_unit *unit, uint32_t at)
{
    const struct map_operand *operand = &unit->node->operands[at];
    int64_t address;
    if (!operand->type)
        return map_constant(&c->scope, unit->node, at, &unit->words[at]);
    const char *fault = map_integer(&c->scope, &operand->constant, 0, &address);
    c->fetches[c->fetch_count++] =
        (struct spatial_word){(uint64_t)address, operand->type, &unit->words[at], 0};
    return fault;
}

static const char *set_unit(struct spatial_core *c, struct spatial_unit *unit)
{
    int64_t count;
    const char *fault = map_integer(&c->scope, &unit->node->count, INT64_MAX, &count);
    unit->count = count < 0 ? 0 : (uint64_t)count;
    unit->fired = unit->busy = 0;
    unit->cause = SPATIAL_INPUT;
    if (!fault)
        fault = set_memory(c, unit);
    for (uint32_t i = 0; !fault && i < unit->node->operand_count; i++)
        if (unit->fifos[i] == SPATIAL_NONE)
            fault = set_constant(c, unit, i);
    for (uint32_t i = 0; !fault && i <= MAP_OPERANDS; i++)
        if (unit->fifos[i] != SPATIAL_NONE)
            fault = set_fifo(c, unit, i);
    return fault;
}

const char *spatial_activate(struct spatial_core *c)
{
    const char *fault = NULL;
    c->scope.names[MAP_NAME_activation]++;
    c->fetch_count = c->fetched = 0;
    c->array->evaluated = 0;
    c->array->turn = 0;
    for (uint32_t i = 0; !fault && i < c->array->unit_count; i++) {
        c->scope.names[MAP_NAME_copy] = c->array->units[i].copy;
        fault = set_unit(c, &c->array->units[i]);
        if (fault)
            fault = arena_printf(c->arena, "'%s': %s", c->array->units[i].node->name.text, fault);
    }
    return fault;
}

uint64_t spatial_loading(const struct spatial_core *c, bool first)
{
    uint64_t words = first ? c->array->unit_count : 0, width = c->of->config->config_words;
    for (uint32_t i = 0; i < c->array->fifo_count; i++)
        words += c->array->fifos[i].initial;
    return divide_up(words, width);
}

const char *spatial_load_word(struct spatial_core *c, uint32_t number)
{
    const struct spatial_word *word = &c->fetches[number];
    const uint8_t *from = spatial_memory(c, word->address, word->type->bytes);
    if (!from)
        return arena_printf(c->arena,
                            "an initial word of the map, at 0x%llx, is outside all allocations",
                            (unsigned long long)word->address);
    *word->to = spatial_value(word->type, from) + word->add;
    return NULL;
}
