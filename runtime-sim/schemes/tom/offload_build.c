// Builds the offload controller: codes, timings and scoreboard slots of blocks.
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "support/bits.h"

static uint32_t code_of(const struct timings *timings, uint32_t number)
{
    uint32_t code = 0;
    while (timings->of[code] != number)
        code++;
    return code;
}

// Finds the scoreboard slots of the block's registers whose indices `counts` accepts. Returns their
// number.
static uint32_t find_register_slots(const struct tom *tom, const struct tom_block *block,
                                    uint16_t *to,
                                    bool (*counts)(const struct tom_block *block, uint32_t place))
{
    const struct timings *timings = machine_port(tom->machine).timings;
    const struct program_function *at =
        &machine_port(tom->machine).program->functions.v[block->function];
    uint32_t found = 0;
    for (uint32_t i = 0; i < block->registers.n; i++) {
        bool known = !counts(block, i);
        for (uint32_t code = at->begin; !known && code < at->end; code++) {
            const struct reg_slot_use *uses;
            uint32_t count = code_reg_slots_used(&timings->used, code, &uses);
            for (uint32_t k = 0; !known && k < count; k++)
                if (!uses[k].between && uses[k].offset == block->registers.v[i].offset) {
                    to[found++] = uses[k].slot;
                    known = true;
                }
        }
    }
    return found;
}

static bool is_any(const struct tom_block *block, uint32_t place)
{
    (void)block;
    (void)place;
    return true;
}

static bool decides(const struct tom_block *block, uint32_t place)
{
    if (block->at.v[0].inst == block->begin && place == block->at.v[0].base)
        return true;
    for (uint32_t i = 0; i < block->condition.ops.n; i++)
        if (block->condition.ops.v[i].kind == CONDITION_REGISTER &&
            block->condition.ops.v[i].place == place)
            return true;
    return false;
}

// Returns true if a block around this one has the same first instruction, and so its mark.
static bool begins_with_outer(const struct tom *tom, const struct tom_block *block)
{
    return block->around != TOM_NONE && tom->table->blocks.v[block->around].begin == block->begin;
}

static void init_block_code(struct tom *tom, uint32_t number)
{
    struct timings *timings = machine_timings(tom->machine);
    const struct tom_block *block = &tom->table->blocks.v[number];
    struct tom_block_code *place = &tom->places[number];
    uint32_t behind = timings_find(timings, block->function, block->end + 1);
    place->first = timings_find(timings, block->function, block->begin);
    place->last = timings_find(timings, block->function, block->end);
    place->accesses = ARENA_ARRAY(machine_port(tom->machine).arena, uint32_t, block->at.n);
    for (uint32_t i = 0; i < block->at.n; i++)
        place->accesses[i] = timings_find(timings, block->function, block->at.v[i].inst);
    place->begin = code_of(timings, place->first);
    place->end = code_of(timings, behind);
    place->needs = ARENA_ARRAY(machine_port(tom->machine).arena, uint16_t, block->registers.n + 1);
    place->decides =
        ARENA_ARRAY(machine_port(tom->machine).arena, uint16_t, block->registers.n + 1);
    place->need_count = find_register_slots(tom, block, place->needs, is_any);
    place->decide_count = find_register_slots(tom, block, place->decides, decides);
    timings->list[place->first].ends_capture = true;
    if (!begins_with_outer(tom, block))
        timing_mark(&timings->list[place->first], tom->scheme, number, 0);
    if (block->values + block->out_values > tom->values_max)
        tom->values_max = block->values + block->out_values;
}

static void connect_sms(struct tom *tom)
{
    const struct machine_config *config = machine_port(tom->machine).config;
    for (uint32_t i = 0; i < config->added.n; i++) {
        const struct added_cores *added = &config->added.v[i];
        if (added->scheme != tom->scheme)
            continue;
        tom->kind = 1 + i;
        for (uint32_t k = 0; k < added->count; k++)
            ((struct stack_sm *)added->past[k].context)->stacks = tom->stacks;
    }
}

void *tom_create(struct machine *machine, const void *config, const void *plan)
{
    struct tom *tom = ARENA_NEW(machine_port(machine).arena, struct tom);
    uint32_t warps = machine_port(machine).config->core.warps;
    *tom = (struct tom){
        .config = config,
        .table = plan,
        .machine = machine,
        .stacks = machine_scheme(machine, &memory_stacks),
        .scheme = (uint8_t)machine_scheme_number(machine_port(machine).config, &tom_blocks)};
    tom->stacks->all_local = tom_is_ideal(tom->config->policy);
    tom->places =
        ARENA_ARRAY(machine_port(machine).arena, struct tom_block_code, tom->table->blocks.n);
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        init_block_code(tom, i);
    tom->run_count = machine_port(machine).config->memsys.memory.cores * warps;
    tom->runs = ARENA_ARRAY(machine_port(machine).arena, struct tom_block_instance, tom->run_count);
    for (uint32_t i = 0; i < tom->run_count; i++) {
        struct tom_block_instance *run = &tom->runs[i];
        run->core = i / warps;
        run->slot = i % warps;
        run->number = i;
        run->declined = TOM_NONE;
        run->values = arena_alloc(machine_port(machine).arena, tom->values_max + 1);
    }
    tom->times = ARENA_ARRAY(machine_port(machine).arena, struct tom_times, tom->table->blocks.n);
    tom_window_init(tom);
    tom->polling = bits_new(machine_port(machine).arena, machine_port(machine).ordinary);
    connect_sms(tom);
    tom_map_begin(tom);
    return tom;
}

void tom_connect(struct machine *machine, void *state)
{
    struct tom *tom = state;
    for (uint32_t i = 0; i < tom->stacks->count; i++)
        tom->stacks->stacks[i].sm_end = core_port(tom_sm_of(tom, i)).endpoint;
    (void)machine;
}
