#include "runtime-sim/gpu/core/timing.h"
#include "runtime-sim/exec/warp/slots_used.h"
#include "runtime-sim/exec/warp/matrix.h"
#include "runtime-sim/exec/warp/warpgroup.h"
#include "runtime-sim/gpu/core/timing_class.h"

static const struct class_row {
    uint8_t unit, as;
    size_t latency, interval; // offsets in struct core_config
} rows[] = {
#define TIMING(name, unit, as, latency, interval, text)                                            \
    [TIMING_##name] = {UNIT_##unit, TIMING_##as, offsetof(struct core_config, latency_##name),     \
                       offsetof(struct core_config, interval_##name)},
#include "runtime-sim/gpu/core/timing.def"
#undef TIMING
};

static uint32_t key_at(const struct core_config *config, size_t offset)
{
    return *(const uint32_t *)((const char *)config + offset);
}

bool timing_is_int(uint32_t class)
{
    return rows[class].unit == UNIT_INT;
}

uint32_t timing_latency(const struct core_config *config, uint32_t class)
{
    uint32_t pipeline = rows[class].unit == UNIT_CONTROL ? 0 : config->pipeline;
    uint32_t own = key_at(config, rows[class].latency);
    return (own ? own : key_at(config, rows[rows[class].as].latency)) + pipeline;
}

uint32_t timing_interval(const struct core_config *config, uint32_t class)
{
    uint32_t own = key_at(config, rows[class].interval);
    return own ? own : key_at(config, rows[rows[class].as].interval);
}

// Closed form: multiply-adds / rate, and at least the time in which shared memory delivers the
// operands.
uint32_t timing_matrix_interval(const struct core_config *config, const struct timing *timing,
                                uint32_t otherwise)
{
    static const size_t rates[MATRIX_RATES] = {
#define MATRIX_RATE(name, text) [MATRIX_RATE_##name] = offsetof(struct core_config, matrix_##name),
#include "runtime-sim/gpu/core/matrix.def"
#undef MATRIX_RATE
    };
    const struct timing_matrix *matrix = &timing->matrix;
    uint64_t rate = matrix->rate ? key_at(config, rates[matrix->rate]) : 0;
    uint64_t percent = timing->async == ASYNC_MATRIX ? 100 : config->mma_percent;
    uint64_t cycles =
        rate ? divide_up(100 * (uint64_t)matrix->products, rate * percent) : otherwise;
    uint64_t read = config->wgmma_bytes ? divide_up(matrix->bytes, config->wgmma_bytes) : 0;
    return (uint32_t)(cycles > read ? cycles : read);
}

struct timing_builder {
    struct timings *timings;
    struct arena *arena;
    const struct program *program;
    const struct reg_slots_used *used;
};

static bool is_float(uint32_t class)
{
    class = rows[class].as;
    return class == TIMING_fp32_add || class == TIMING_fp32_mul || class == TIMING_fp32_fma;
}

// Returns true for an arrival at the cluster's barrier, which is a release unless it is `.relaxed`.
static bool arrives_at_cluster(const struct ir_module *module, const struct ir_function *fn,
                               uint32_t inst)
{
    return fn->insts.v[inst].op == OP_barrier && ir_has_modifier(module, fn, inst, W_cluster) &&
           ir_has_modifier(module, fn, inst, W_arrive) &&
           !ir_has_modifier(module, fn, inst, W_relaxed);
}

static bool releases(const struct ir_module *module, const struct ir_function *fn, uint32_t inst)
{
    return fn->insts.v[inst].class == CLASS_FENCE || arrives_at_cluster(module, fn, inst) ||
           ir_has_modifier(module, fn, inst, W_release) ||
           ir_has_modifier(module, fn, inst, W_acq_rel) || ir_has_modifier(module, fn, inst, W_sc);
}

// Returns the conditions for issue. They keep accesses of a CTA's warps in the order of its
// synchronisation. Barriers order the accesses of the CTA's warps; the shared L1 does so for
// accesses through it.
static uint8_t waits_of(const struct timing_builder *b, const struct ir_function *fn, uint32_t inst,
                        const struct code_reg_slots *code)
{
    const struct ir_module *module = b->program->module;
    bool in_cta = ir_has_modifier(module, fn, inst, W_cta);
    uint8_t waits = code->drains ? WAIT_LOADS : 0;
    if (code->touches)
        waits |= WAIT_CTA;
    if (fn->insts.v[inst].class == CLASS_BARRIER)
        waits |= WAIT_DIRECT;
    if (releases(module, fn, inst))
        waits |= in_cta ? WAIT_LOADS : WAIT_LOADS | WAIT_STORES | WAIT_CTA;
    return waits;
}

static bool sees_others(const struct ir_inst *inst, enum timing_class class)
{
    return inst->class == CLASS_CALL || inst->class == CLASS_TEXTURE ||
           inst->class == CLASS_ASYNC || inst->class == CLASS_BARRIER ||
           inst->class == CLASS_MATRIX || inst->class == CLASS_MISC ||
           (class == TIMING_memory && inst->class != CLASS_LOAD && inst->class != CLASS_STORE &&
            inst->class != CLASS_ATOMIC);
}

// Values between the codes of one instruction are available immediately, unless they come from a
// held access. Later instructions only wait for that access.
static bool is_result(const struct reg_slot_use *use)
{
    return use->written && (!use->between || use->late);
}

static void set_registers(const struct timing_builder *b, struct timing *to, uint32_t code)
{
    const struct reg_slot_use *uses;
    uint32_t count = code_reg_slots_used(b->used, code, &uses);
    uint16_t *registers = ARENA_ARRAY(b->arena, uint16_t, count + 1);
    to->registers = registers;
    for (uint32_t i = 0; i < count; i++) {
        to->operands_read += !uses[i].written;
        to->operands_written += uses[i].written && !uses[i].between;
        if (!is_result(&uses[i]))
            registers[to->read_count++] = uses[i].slot;
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_result(&uses[i]))
            registers[to->read_count + to->write_count++] = uses[i].slot;
}

// Asynchronous work. The last word of a row may be W_UNKNOWN.
static uint8_t async_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst)
{
    static const struct {
        uint16_t op, words[3];
        uint8_t async;
    } starts[] = {
        {OP_wgmma, {W_mma_async, W_UNKNOWN, W_UNKNOWN}, ASYNC_MATRIX},
        {OP_wgmma, {W_commit_group, W_UNKNOWN, W_UNKNOWN}, ASYNC_MATRIX_COMMIT},
        {OP_wgmma, {W_wait_group, W_UNKNOWN, W_UNKNOWN}, ASYNC_MATRIX_WAIT},
        {OP_cp, {W_bulk, W_commit_group, W_UNKNOWN}, ASYNC_BULK_COMMIT},
        {OP_cp, {W_bulk, W_wait_group, W_read}, ASYNC_BULK_WAIT_READ},
        {OP_cp, {W_bulk, W_wait_group, W_UNKNOWN}, ASYNC_BULK_WAIT},
        {OP_cp, {W_bulk, W_UNKNOWN, W_UNKNOWN}, ASYNC_BULK},
        {OP_st, {W_async, W_UNKNOWN, W_UNKNOWN}, ASYNC_BULK},
        {OP_red, {W_async, W_UNKNOWN, W_UNKNOWN}, ASYNC_BULK},
        {OP_cp, {W_commit_group, W_UNKNOWN, W_UNKNOWN}, ASYNC_COPY_COMMIT},
        {OP_cp, {W_wait_group, W_UNKNOWN, W_UNKNOWN}, ASYNC_COPY_WAIT},
        {OP_cp, {W_wait_all, W_UNKNOWN, W_UNKNOWN}, ASYNC_COPY_WAIT_ALL},
        {OP_cp, {W_mbarrier, W_UNKNOWN, W_UNKNOWN}, ASYNC_NONE},
        {OP_cp, {W_async, W_UNKNOWN, W_UNKNOWN}, ASYNC_COPY},
        {OP_mbarrier, {W_try_wait, W_UNKNOWN, W_UNKNOWN}, ASYNC_TRY_WAIT},
    };
    for (uint32_t i = 0; i < ARRAY_LENGTH(starts); i++) {
        bool found = starts[i].op == fn->insts.v[inst].op;
        for (uint32_t k = 0; found && k < ARRAY_LENGTH(starts[i].words); k++)
            found = starts[i].words[k] == W_UNKNOWN ||
                    ir_has_modifier(module, fn, inst, starts[i].words[k]);
        if (found)
            return starts[i].async;
    }
    return ASYNC_NONE;
}

static void set_async(const struct timing_builder *b, const struct ir_function *fn, uint32_t inst,
                      struct timing *to)
{
    const struct ir_operand *operands = ir_operands(fn, inst);
    const struct ir_inst *at = &fn->insts.v[inst];
    to->async = async_of(b->program->module, fn, inst);
    if (at->op == OP_OPAQUE || !at->operand_count || operands[0].kind != OPERAND_IMMEDIATE)
        return;
    to->pending = (uint8_t)(operands[0].value > UINT8_MAX ? UINT8_MAX : operands[0].value);
}

static uint8_t rate_of(uint16_t type)
{
    static const struct {
        uint16_t type;
        uint8_t rate;
    } rates[] = {
        {W_f16, MATRIX_RATE_f16}, {W_bf16, MATRIX_RATE_f16}, {W_tf32, MATRIX_RATE_tf32},
        {W_e4m3, MATRIX_RATE_f8}, {W_e5m2, MATRIX_RATE_f8},  {W_s8, MATRIX_RATE_i8},
        {W_u8, MATRIX_RATE_i8},   {W_s4, MATRIX_RATE_i4},    {W_u4, MATRIX_RATE_i4},
        {W_b1, MATRIX_RATE_b1},   {W_f64, MATRIX_RATE_f64},
    };
    for (uint32_t i = 0; i < ARRAY_LENGTH(rates); i++)
        if (rates[i].type == type)
            return rates[i].rate;
    return MATRIX_UNRATED;
}

// Sets the work of a matrix product, whose code has its shape.
static void set_matrix(const struct timing_builder *b, uint32_t code, struct timing *to)
{
    const struct code *at = &b->program->codes.v[code];
    while (!at->counted)
        at--;
    if (at->step == step_mma) {
        const struct product *p = at->extra;
        to->matrix.rate = rate_of(p->a.type);
        to->matrix.products =
            (uint32_t)p->m * p->n * p->k * p->count * (p->a.type == W_b1 ? 32 : 1);
    }
    if (at->step != step_warpgroup_product)
        return;
    const struct warpgroup_code *what = at->extra;
    const struct product *p = &what->product;
    uint32_t columns = what->blocks * p->n;
    uint32_t a = what->a_shared ? WARPGROUP_WARPS * p->m * p->k * what->element_bytes : 0;
    to->matrix.rate = rate_of(p->a.type);
    to->matrix.products = (uint32_t)p->m * columns * p->k * (p->a.type == W_b1 ? 32 : 1);
    to->matrix.bytes = (uint16_t)(a + what->b_rows * columns * what->element_bytes);
}

static void add_instruction(const struct timing_builder *b, uint32_t function, uint32_t code,
                            bool counted)
{
    const struct program *program = b->program;
    const struct ir_function *fn =
        &program->module->functions.v[program->functions.v[function].function];
    uint32_t inst = program->codes.v[code].inst;
    struct timing *to = &b->timings->list[b->timings->count];
    enum timing_class class = TIMING_control;
    *to = (struct timing){.inst = inst, .function = function};
    if (counted) {
        const struct ir_inst *at = &fn->insts.v[inst];
        class = timing_class_of(program->module, fn, inst);
        to->waits = waits_of(b, fn, inst, &b->used->codes[code]);
        to->acquires = ir_has_modifier(program->module, fn, inst, W_acquire) ||
                       ir_has_modifier(program->module, fn, inst, W_acq_rel);
        to->orders = at->class == CLASS_BARRIER || releases(program->module, fn, inst);
        to->shared = sees_others(at, class);
        to->sleeps = at->op == OP_nanosleep;
        set_async(b, fn, inst, to);
        to->shared |= to->async == ASYNC_BULK;
        if (at->class == CLASS_MATRIX)
            set_matrix(b, code, to);
    }
    to->class = (uint8_t) class;
    to->unit = timing_is_int(class) ? UNIT_ALU : rows[class].unit;
    to->is_float = is_float(class);
    set_registers(b, to, code);
}

// Codes before the counted one belong to its instruction.
static void add_function(const struct timing_builder *b, uint32_t function)
{
    const struct program_function *fn = &b->program->functions.v[function];
    uint32_t slots = b->used->function_reg_slots[function];
    if (slots > b->timings->max_registers)
        b->timings->max_registers = slots;
    bool counted = false; // skips the code that only ends a function
    for (uint32_t code = fn->begin; code < fn->end; code++) {
        b->timings->of[code] = b->timings->count;
        const struct code *at = &b->program->codes.v[code];
        counted |= at->counted;
        if (!at->ends && code + 1 < fn->end)
            continue;
        add_instruction(b, function, code, counted);
        b->timings->count++;
        counted = false;
    }
}

void timings_build(struct timings *timings, struct arena *arena, const struct program *program)
{
    *timings = (struct timings){.program = program};
    reg_slots_used_build(&timings->used, arena, program);
    timings->list = ARENA_ARRAY(arena, struct timing, program->codes.n + 1);
    timings->of = ARENA_ARRAY(arena, uint32_t, program->codes.n + 1);
    const struct timing_builder b = {timings, arena, program, &timings->used};
    for (uint32_t i = 0; i < program->functions.n; i++)
        add_function(&b, i);
}

uint32_t timings_find(const struct timings *timings, uint32_t function, uint32_t inst)
{
    uint32_t i = timings->of[timings->program->functions.v[function].begin];
    while (i < timings->count &&
           (timings->list[i].function != function || timings->list[i].inst != inst))
        i++;
    return i;
}
