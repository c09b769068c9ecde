#include "ir/schedule.h"
#include <string.h>

// An instruction that must follow another one by `latency` cycles, and the next one + 1.
struct dependence {
    uint32_t to, next, latency;
};

enum { SPACES = 3 }; // global, shared and local memory

struct memory_uses {
    uint32_t store;      // the last one + 1
    VEC(uint32_t) loads; // since then
};

struct scheduler {
    const struct ir_module *module;
    struct ir_function *fn;
    struct arena scratch;
    uint32_t limit; // of live registers
    // By instruction.
    uint32_t *edges, *before, *height, *ready; // first edge + 1; number of unscheduled
                                               // predecessors; latencies to the end; cycle
    bool *done;
    uint32_t *order, count;
    // By register, for the current block.
    uint32_t *named, *made, *left; // block + 1 that names it; last definition + 1; remaining uses
    bool *lives, *lives_after;
    VEC(uint32_t) * readers; // since the last definition
    VEC(struct dependence) list;
    VEC(uint32_t) available, pending; // heaps: by height, and by the cycle when operands are ready
    struct memory_uses memory[SPACES];
    int64_t live;
};

static uint32_t words_of(const struct scheduler *s, uint32_t reg)
{
    uint32_t bits = s->fn->registers.v[reg].bits;
    return bits == 1 ? 0 : divide_up(bits, 32);
}

// Instructions that may move

static bool reads_time(const struct scheduler *s, uint32_t inst)
{
    const struct ir_operand *operands = ir_operands(s->fn, inst);
    for (uint32_t i = 0; i < s->fn->insts.v[inst].operand_count; i++)
        if (operands[i].kind == OPERAND_SPECIAL &&
            isa_specials[operands[i].index].varies == VARIES_TIME)
            return true;
    return false;
}

static bool is_access(const struct ir_inst *inst)
{
    return inst->class == CLASS_LOAD || inst->class == CLASS_STORE || inst->op == OP_ldmatrix;
}

static bool may_move(const struct scheduler *s, uint32_t i)
{
    const struct ir_inst *inst = &s->fn->insts.v[i];
    if (inst->flags & (INST_ORDERED | INST_OPAQUE | INST_TERMINATOR) || inst->op == OP_OPAQUE)
        return false;
    if (is_access(inst))
        return inst->class != CLASS_STORE || inst->space != W_param;
    if (inst->op == OP_mma || inst->class == CLASS_TEXTURE)
        return true;
    static const uint8_t pure[] = {CLASS_ARITHMETIC, CLASS_SPECIAL, CLASS_LOGIC,
                                   CLASS_SHIFT,      CLASS_COMPARE, CLASS_SELECT,
                                   CLASS_CONVERT,    CLASS_MOVE,    CLASS_VIDEO};
    return memchr(pure, inst->class, sizeof pure) && !reads_time(s, i);
}

// Cycles from the instruction to one that uses its result, in round numbers. Only their order
// matters: an access to memory takes longer than one to the core's own, and that longer than
// arithmetic.
static uint32_t latency_of(const struct ir_inst *inst)
{
    enum { FAR = 400, NEAR = 30, SLOW = 20, FAST = 4 };
    bool is_load = inst->class == CLASS_LOAD || inst->op == OP_ldmatrix;
    if (inst->class == CLASS_TEXTURE ||
        (is_load && (inst->space == W_global || inst->space == W_UNKNOWN)))
        return FAR;
    if (is_load)
        return inst->space == W_param ? FAST : NEAR;
    return inst->class == CLASS_SPECIAL || inst->class == CLASS_CONVERT || inst->op == OP_mma
               ? SLOW
               : FAST;
}

// Returns the set of spaces that the access may be to. No store changes constant memory, parameters
// or what ld.global.nc reads.
static uint32_t spaces_of(const struct scheduler *s, uint32_t i)
{
    const struct ir_inst *inst = &s->fn->insts.v[i];
    switch (inst->space) {
    case W_global:
        return inst->class == CLASS_LOAD && ir_has_modifier(s->module, s->fn, i, W_nc) ? 0 : 1;
    case W_shared:
    case W_shared_cta: return 2;
    case W_local: return 4;
    case W_const:
    case W_param: return 0;
    default: return 7;
    }
}

// Dependences

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
    struct dependence edge = {to, s->edges[from], latency};
    vec_push(&s->scratch, &s->list, edge);
    s->edges[from] = s->list.n;
    s->before[to]++;
}

static void follow_read(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    uint32_t made = s->made[reg];
    if (made)
        add_edge(s, made - 1, inst, latency_of(&s->fn->insts.v[made - 1]));
    vec_push(&s->scratch, &s->readers[reg], inst);
}

static void follow_write(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    if (s->made[reg] && s->made[reg] - 1 != inst) // an instruction may write a register twice
        add_edge(s, s->made[reg] - 1, inst, 1);
    for (uint32_t i = 0; i < s->readers[reg].n; i++)
        if (s->readers[reg].v[i] != inst)
            add_edge(s, s->readers[reg].v[i], inst, 0);
    s->readers[reg].n = 0;
    s->made[reg] = inst + 1;
}

static void follow_access(struct scheduler *s, uint32_t inst)
{
    bool stores = s->fn->insts.v[inst].class == CLASS_STORE;
    uint32_t spaces = spaces_of(s, inst);
    for (uint32_t k = 0; k < SPACES; k++) {
        struct memory_uses *of = &s->memory[k];
        if (!(spaces >> k & 1))
            continue;
        if (of->store)
            add_edge(s, of->store - 1, inst, 1);
        for (uint32_t i = 0; i < of->loads.n && stores; i++)
            add_edge(s, of->loads.v[i], inst, 0);
        if (stores) {
            of->store = inst + 1;
            of->loads.n = 0;
        } else {
            vec_push(&s->scratch, &of->loads, inst);
        }
    }
}

static void each_register(struct scheduler *s, uint32_t inst, bool definitions,
                          void (*visit)(struct scheduler *s, uint32_t reg, uint32_t inst))
{
    const struct ir_operand *operands = ir_operands(s->fn, inst);
    for (uint32_t i = 0; i < s->fn->insts.v[inst].operand_count; i++)
        if (operands[i].kind == OPERAND_REGISTER && (operands[i].role == ROLE_DEF) == definitions)
            visit(s, operands[i].index, inst);
}

static void forget(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    (void)inst;
    s->made[reg] = 0;
    s->readers[reg].n = 0;
}

static void find_dependences(struct scheduler *s, uint32_t first, uint32_t end)
{
    s->list.n = 0;
    for (uint32_t i = first; i < end; i++) {
        each_register(s, i, false, forget);
        each_register(s, i, true, forget);
    }
    for (uint32_t k = 0; k < SPACES; k++) {
        s->memory[k].store = 0;
        s->memory[k].loads.n = 0;
    }
    for (uint32_t i = first; i < end; i++) {
        each_register(s, i, false, follow_read);
        each_register(s, i, true, follow_write);
        if (is_access(&s->fn->insts.v[i]))
            follow_access(s, i);
    }
    for (uint32_t i = end; i-- > first;) {
        s->height[i] = latency_of(&s->fn->insts.v[i]);
        for (uint32_t e = s->edges[i]; e; e = s->list.v[e - 1].next) {
            uint32_t path = s->list.v[e - 1].latency + s->height[s->list.v[e - 1].to];
            s->height[i] = path > s->height[i] ? path : s->height[i];
        }
    }
}

// Live registers

static void look(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    uint32_t block = s->fn->insts.v[inst].block;
    if (s->named[reg] == block + 1)
        return;
    s->named[reg] = block + 1;
    s->left[reg] = 0;
    s->lives[reg] = ir_live_in(s->fn, block, reg);
    s->lives_after[reg] = ir_live_out(s->fn, block, reg);
}

static void look_at_use(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    look(s, reg, inst);
    s->left[reg]++;
}

static void end_use(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    (void)inst;
    if (--s->left[reg] || s->lives_after[reg] || !s->lives[reg])
        return;
    s->lives[reg] = false;
    s->live -= words_of(s, reg);
}

static void begin_life(struct scheduler *s, uint32_t reg, uint32_t inst)
{
    (void)inst;
    if (s->lives[reg] || !(s->left[reg] || s->lives_after[reg]))
        return;
    s->lives[reg] = true;
    s->live += words_of(s, reg);
}

// Returns by how many registers the instruction would change the live ones.
static int64_t growth(const struct scheduler *s, uint32_t inst)
{
    int64_t grows = 0;
    const struct ir_operand *operands = ir_operands(s->fn, inst);
    for (uint32_t i = 0; i < s->fn->insts.v[inst].operand_count; i++) {
        uint32_t reg = operands[i].index;
        if (operands[i].kind != OPERAND_REGISTER)
            continue;
        if (operands[i].role == ROLE_DEF)
            grows += s->lives[reg] ? 0 : words_of(s, reg);
        else
            grows -= s->left[reg] == 1 && !s->lives_after[reg] ? words_of(s, reg) : 0;
    }
    return grows;
}

// Selection

static bool comes_first(const struct scheduler *s, const uint32_t *key, uint32_t a, uint32_t b)
{
    bool by_height = key == s->height;
    if (key[a] != key[b])
        return by_height ? key[a] > key[b] : key[a] < key[b];
    return a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t own = *a;
    *a = *b;
    *b = own;
}

#define HEAP_PUSH(s, heap, key, inst)                                                              \
    do {                                                                                           \
        vec_push(&(s)->scratch, heap, inst);                                                       \
        heap_rise((s), (heap)->v, (heap)->n - 1, key);                                             \
    } while (0)

static void heap_rise(const struct scheduler *s, uint32_t *v, uint32_t at, const uint32_t *key)
{
    for (; at && comes_first(s, key, v[at], v[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&v[at], &v[(at - 1) / 2]);
}

static uint32_t heap_take(const struct scheduler *s, uint32_t *v, uint32_t *n, const uint32_t *key)
{
    uint32_t first = v[0];
    v[0] = v[--*n];
    for (uint32_t at = 0, child; (child = 2 * at + 1) < *n; at = child) {
        if (child + 1 < *n && comes_first(s, key, v[child + 1], v[child]))
            child++;
        if (!comes_first(s, key, v[child], v[at]))
            break;
        swap(&v[child], &v[at]);
    }
    return first;
}

static void place(struct scheduler *s, uint32_t inst, uint32_t cycle)
{
    s->done[inst] = true;
    s->order[s->count++] = inst;
    each_register(s, inst, false, end_use);
    each_register(s, inst, true, begin_life);
    for (uint32_t e = s->edges[inst]; e; e = s->list.v[e - 1].next) {
        const struct dependence *edge = &s->list.v[e - 1];
        if (cycle + edge->latency > s->ready[edge->to])
            s->ready[edge->to] = cycle + edge->latency;
        if (!--s->before[edge->to])
            HEAP_PUSH(s, &s->pending, s->ready, edge->to);
    }
}

static void drop_done(struct scheduler *s)
{
    while (s->available.n && s->done[s->available.v[0]])
        heap_take(s, s->available.v, &s->available.n, s->height);
    while (s->pending.n && s->done[s->pending.v[0]])
        heap_take(s, s->pending.v, &s->pending.n, s->ready);
}

// Orders the instructions from `first` to `end`. The first one in the text that is not placed yet
// has all of its predecessors placed, so it can always be next.
static void order_part(struct scheduler *s, uint32_t first, uint32_t end)
{
    uint32_t cycle = 0, next = first, goal = s->count + (end - first);
    s->available.n = s->pending.n = 0;
    for (uint32_t i = first; i < end; i++)
        if (!s->before[i])
            HEAP_PUSH(s, &s->pending, s->ready, i);
    for (; s->count < goal; cycle++) {
        while (next < end && s->done[next])
            next++;
        drop_done(s);
        if (!s->available.n && s->ready[s->pending.v[0]] > cycle)
            cycle = s->ready[s->pending.v[0]];
        for (; s->pending.n && s->ready[s->pending.v[0]] <= cycle; drop_done(s)) {
            uint32_t inst = heap_take(s, s->pending.v, &s->pending.n, s->ready);
            HEAP_PUSH(s, &s->available, s->height, inst);
        }
        uint32_t inst = s->available.v[0];
        int64_t grows = growth(s, inst);
        bool fits = grows <= 0 || s->live + grows <= s->limit;
        place(s, fits ? inst : next, cycle);
    }
}

static void keep_part(struct scheduler *s, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        s->order[s->count++] = i;
        each_register(s, i, false, end_use);
        each_register(s, i, true, begin_life);
    }
}

static void order_block(struct scheduler *s, const struct ir_block *block)
{
    for (uint32_t i = block->first; i < block->end; i++) {
        each_register(s, i, false, look_at_use);
        each_register(s, i, true, look);
    }
    for (uint32_t first = block->first, end; first < block->end; first = end) {
        end = first;
        while (end < block->end && may_move(s, end))
            end++;
        if (end - first < 3) {
            end += end < block->end;
            keep_part(s, first, end);
            continue;
        }
        find_dependences(s, first, end);
        order_part(s, first, end);
    }
}

// The function

// Moves the instructions to their new places, and follows them in what refers to them.
static void apply(struct scheduler *s)
{
    struct ir_function *fn = s->fn;
    uint32_t count = fn->insts.n, *place_of = ARENA_ARRAY(&s->scratch, uint32_t, count + 1);
    struct ir_inst *old = ARENA_ARRAY(&s->scratch, struct ir_inst, count + 1);
    memcpy(old, fn->insts.v, count * sizeof *old);
    for (uint32_t i = 0; i < count; i++) {
        fn->insts.v[i] = old[s->order[i]];
        place_of[s->order[i]] = i;
    }
    for (uint32_t i = 0; i < fn->operand_inst.n; i++)
        fn->operand_inst.v[i] = place_of[fn->operand_inst.v[i]];
    for (uint32_t i = 0; i < fn->versions.n; i++)
        if (fn->versions.v[i].kind == VERSION_INST)
            fn->versions.v[i].index = place_of[fn->versions.v[i].index];
}

static int64_t *list_changes(struct scheduler *s)
{
    const struct ir_function *fn = s->fn;
    int64_t *changes = ARENA_ARRAY(&s->scratch, int64_t, fn->blocks.n + 1);
    for (uint32_t reg = 0; reg < fn->registers.n; reg++)
        for (uint32_t i = fn->live_at.v[reg]; i < fn->live_at.v[reg + 1]; i++) {
            changes[fn->live.v[i].first] += words_of(s, reg);
            changes[fn->live.v[i].last + 1] -= words_of(s, reg);
        }
    return changes;
}

static void allocate(struct scheduler *s)
{
    struct arena *arena = &s->scratch;
    uint32_t insts = s->fn->insts.n + 1, registers = s->fn->registers.n + 1;
    s->edges = ARENA_ARRAY(arena, uint32_t, insts);
    s->before = ARENA_ARRAY(arena, uint32_t, insts);
    s->height = ARENA_ARRAY(arena, uint32_t, insts);
    s->ready = ARENA_ARRAY(arena, uint32_t, insts);
    s->order = ARENA_ARRAY(arena, uint32_t, insts);
    s->done = ARENA_ARRAY(arena, bool, insts);
    s->named = ARENA_ARRAY(arena, uint32_t, registers);
    s->made = ARENA_ARRAY(arena, uint32_t, registers);
    s->left = ARENA_ARRAY(arena, uint32_t, registers);
    s->lives = ARENA_ARRAY(arena, bool, registers);
    s->lives_after = ARENA_ARRAY(arena, bool, registers);
    s->readers = arena_alloc(arena, registers * sizeof *s->readers);
    memset(s->readers, 0, registers * sizeof *s->readers);
}

void ir_schedule(const struct ir_module *module, struct ir_function *fn, uint32_t registers)
{
    struct scheduler s = {.module = module, .fn = fn, .limit = registers};
    arena_init(&s.scratch, module->arena->memory);
    allocate(&s);
    const int64_t *changes = list_changes(&s);
    int64_t live = 0;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        live += changes[b];
        s.live = live;
        order_block(&s, &fn->blocks.v[b]);
    }
    apply(&s);
    arena_free(&s.scratch);
}
