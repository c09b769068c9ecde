#include "passes/analysis/pressure.h"
#include "support/bits.h"
#include <assert.h>

const struct core_limits core_limits_default = {
    .registers = (64 << 10) / 4,
    .register_grain = 64,
    .shared_bytes = 48 << 10,
    .threads = 1536,
    .ctas = 8,
};

enum { UNKNOWN_BLOCK = 256 };

// Live registers, walking backwards

struct live {
    const struct ir_function *fn;
    uint64_t *set; // over registers
    uint32_t registers, predicates;
};

static void weigh(struct live *live, uint32_t reg, int sign)
{
    uint32_t bits = live->fn->registers.v[reg].bits;
    if (bits == 1)
        live->predicates += (uint32_t)sign;
    else
        live->registers += (uint32_t)sign * ((bits + 31) / 32);
}

static void add(struct live *live, uint32_t reg)
{
    if (bits_test(live->set, reg))
        return;
    bits_set(live->set, reg);
    weigh(live, reg, 1);
}

static void drop(struct live *live, uint32_t reg)
{
    if (!bits_test(live->set, reg))
        return;
    bits_clear(live->set, reg);
    weigh(live, reg, -1);
}

static void add_live_in(struct live *live, uint32_t block)
{
    const struct ir_block *at = &live->fn->blocks.v[block];
    for (uint32_t i = 0; i < at->live_count; i++)
        add(live, live->fn->live.v[at->live + i]);
}

static void note(const struct live *live, uint32_t inst, struct pressure *pressure)
{
    if (live->registers > pressure->registers || pressure->at == IR_NONE) {
        pressure->registers = live->registers;
        pressure->at = inst;
    }
    if (live->predicates > pressure->predicates)
        pressure->predicates = live->predicates;
}

static void each_operand(struct live *live, uint32_t inst, bool definitions,
                         void (*change)(struct live *live, uint32_t reg))
{
    const struct ir_operand *operands = ir_operands(live->fn, inst);
    for (uint32_t i = 0; i < live->fn->insts.v[inst].operand_count; i++)
        if (operands[i].kind == OPERAND_REGISTER && (operands[i].role == ROLE_DEF) == definitions)
            change(live, operands[i].index);
}

// Results take the place of operands that are read for the last time.
static void walk_block(struct live *live, uint32_t block, struct pressure *pressure)
{
    const struct ir_block *at = &live->fn->blocks.v[block];
    for (uint32_t i = 0; i < at->succ_count; i++)
        add_live_in(live, ir_succs(live->fn, block)[i]);
    for (uint32_t inst = at->end; inst-- > at->first;) {
        each_operand(live, inst, true, add);
        note(live, inst, pressure);
        each_operand(live, inst, true, drop);
        each_operand(live, inst, false, add);
        note(live, inst, pressure);
    }
}

// What is live at a block's start is all that its walk leaves in the set.
static void empty(struct live *live, uint32_t block)
{
    const struct ir_block *at = &live->fn->blocks.v[block];
    for (uint32_t i = 0; i < at->live_count; i++)
        drop(live, live->fn->live.v[at->live + i]);
}

struct pressure pressure_of(struct arena *scratch, const struct ir_function *fn)
{
    struct pressure pressure = {.at = IR_NONE};
    struct live live = {.fn = fn, .set = bits_new(scratch, fn->registers.n)};
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        walk_block(&live, i, &pressure);
        empty(&live, i);
        assert(!live.registers && !live.predicates);
    }
    return pressure;
}

// Shared memory

uint32_t pressure_shared(struct arena *scratch, const struct ir_module *module,
                         const struct ir_function *fn)
{
    uint64_t *seen = bits_new(scratch, module->symbols.n), bytes = 0;
    for (uint32_t i = 0; i < fn->operands.n; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->kind != OPERAND_SYMBOL || bits_test(seen, operand->index))
            continue;
        const struct ir_symbol *symbol = &module->symbols.v[operand->index];
        bits_set(seen, operand->index);
        if (symbol->space != W_shared && symbol->space != W_shared_cta)
            continue;
        uint32_t align = symbol->align ? symbol->align : 1;
        bytes = (bytes + align - 1) / align * align + symbol->size;
    }
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

// Occupancy

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return unit ? (value + unit - 1) / unit * unit : value;
}

struct occupancy occupancy_of(const struct core_limits *limits, const struct pressure *pressure,
                              struct block_shape shape, uint32_t shared)
{
    uint32_t threads = shape_is_known(&shape) ? shape.x * shape.y * shape.z : UNKNOWN_BLOCK;
    uint32_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    uint32_t registers = round_up(pressure->registers * WARP_LANES, limits->register_grain) * warps;
    uint32_t space = limits->shared_bytes > limits->reserved_shared
                         ? limits->shared_bytes - limits->reserved_shared
                         : 0;
    const uint32_t room[] = {
        [LIMIT_REGISTERS] = registers ? limits->registers / registers : UINT32_MAX,
        [LIMIT_SHARED] = shared ? space / shared : UINT32_MAX,
        [LIMIT_THREADS] = limits->threads / (warps * WARP_LANES),
        [LIMIT_CTAS] = limits->ctas,
    };
    struct occupancy occupancy = {.ctas = UINT32_MAX};
    for (uint32_t i = LIMIT_REGISTERS; i <= LIMIT_CTAS; i++)
        if (room[i] < occupancy.ctas) {
            occupancy.ctas = room[i];
            occupancy.limit = (enum occupancy_limit)i;
        }
    occupancy.warps = occupancy.ctas * warps;
    return occupancy;
}

const char *occupancy_text(struct arena *arena, const struct core_limits *limits,
                           const struct pressure *pressure, const struct occupancy *occupancy)
{
    static const char *const names[] = {
        [LIMIT_REGISTERS] = "registers",
        [LIMIT_SHARED] = "shared memory",
        [LIMIT_THREADS] = "threads of a core",
        [LIMIT_CTAS] = "CTAs of a core",
    };
    return arena_printf(arena, "%s leave%s room for %u of %u warps (%u registers for each thread)",
                        names[occupancy->limit], occupancy->limit == LIMIT_SHARED ? "s" : "",
                        occupancy->warps, limits->threads / WARP_LANES, pressure->registers);
}
