// Load-compute-store chains of all patterns [000 Table 1], near misses, and the addresses that they
// need.
#include "passes/base/plan.h"
#include "tests/fuzz/kernels_internal.h"
#include <stdio.h>
#include <string.h>

static uint32_t choose_array(struct maker *m, uint64_t *used, uint32_t count)
{
    uint32_t first = pick(m, 2) ? pick(m, count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (first + i) % count;
        if (!(*used >> at & 1)) {
            *used |= UINT64_C(1) << at;
            return at;
        }
    }
    return count; // cannot be: MAX_CHAINS chains take less
}

void free_addresses(struct maker *m, uint64_t taken)
{
    m->addresses &= ~taken;
}

// Addresses

struct target {
    char base[8];
    struct array_place place;
    uint32_t mask, max; // of a dynamic unit number, of a constant one
};

static struct target choose_target(struct maker *m, bool own, uint32_t bytes)
{
    struct target target;
    if (!own && pick(m, 3) == 0) {
        snprintf(target.base, sizeof target.base, "%%o%u", pick(m, TABLES));
        target.place = (struct array_place){16, 16};
        target.mask = TABLE_UNITS - 1;
        target.max = TABLE_UNITS;
        return target;
    }
    uint32_t place = pick(m, PLACES);
    if (m->place[place].granule < bytes)
        place = 0; // whose granule is large enough for all
    snprintf(target.base, sizeof target.base, "%%w%u", place);
    target.place = m->place[place];
    target.mask = m->close ? 1 : 7;
    target.max = m->close ? 3 : 11;
    return target;
}

static const char *steps_to(struct maker *m, struct address *address, const struct target *target)
{
    uint32_t a = choose_array(m, &m->addresses, ADDRESSES), unit = target->place.unit;
    address->taken |= UINT64_C(1) << a;
    if (pick(m, m->close ? 2 : 4) == 0) {
        uint32_t far = (m->close ? 1 : pick(m, 7)) * unit;
        bool back = pick(m, 2);
        address->step[address->count++] =
            arena_printf(m->arena, "%s %%a%u, %s, %s%u;", back ? "sub.s64" : "add.s64", a,
                         target->base, back ? "-" : "", far);
        return arena_printf(m->arena, "%%a%u", a);
    }
    address->step[address->count++] =
        arena_printf(m->arena, "and.b32 %%x%u, %s, %u;", a, fill_in(m, "$R"), target->mask);
    if (pick(m, 2)) {
        address->step[address->count++] =
            arena_printf(m->arena, "mad.wide.u32 %%a%u, %%x%u, %u, %s;", a, a, unit, target->base);
    } else {
        address->step[address->count++] =
            arena_printf(m->arena, "mul.wide.u32 %%a%u, %%x%u, %u;", a, a, unit);
        address->step[address->count++] =
            arena_printf(m->arena, "add.s64 %%a%u, %s, %%a%u;", a, target->base, a);
    }
    return arena_printf(m->arena, "%%a%u", a);
}

struct address choose_address(struct maker *m, bool own, uint32_t bytes)
{
    struct target target = choose_target(m, own, bytes);
    struct address address = {.space = ".global", .group = ++m->groups};
    uint32_t parts = target.place.granule / bytes;
    const char *base = target.base;
    uint32_t offset = bytes * pick(m, parts);
    if (pick(m, 3)) {
        base = steps_to(m, &address, &target);
        offset += pick(m, 4) * target.place.unit;
    } else {
        offset += pick(m, target.max) * target.place.unit;
    }
    address.text = arena_printf(m->arena, "%s+%u", base, offset);
    if (target.base[1] == 'o' && pick(m, 2))
        address.space = ".global.nc";
    else if (pick(m, 12) == 0)
        address.space = "";
    return address;
}

// Operations that chains may have; d = op(a, b).
struct operation {
    const char *name;
    bool real;
};

static const struct operation binary[] = {
    {"add.u32", false},    {"sub.s32", false},       {"mul.lo.u32", false}, {"mul.hi.s32", false},
    {"min.s32", false},    {"max.u32", false},       {"and.b32", false},    {"or.b32", false},
    {"xor.b32", false},    {"shl.b32", false},       {"shr.u32", false},    {"shr.s32", false},
    {"add.f32", true},     {"sub.rn.ftz.f32", true}, {"mul.rz.f32", true},  {"min.f32", true},
    {"max.ftz.f32", true}, {"add.rn.sat.f32", true}, {"mul.f32", true},     {"sub.rp.f32", true},
};
static const char *const unary[] = {
    "not.b32", "neg.s32",     "abs.s32",        "cnot.b32",        "neg.f32",
    "abs.f32", "neg.ftz.f32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32", "cvt.rni.f32.f32",
};
static const struct operation compares[] = {
    {"setp.lt.s32", false},    {"setp.eq.u32", false}, {"setp.hi.u32", false},
    {"setp.ne.b32", false},    {"setp.ge.f32", true},  {"setp.neu.f32", true},
    {"setp.lt.ftz.f32", true},
};
static const struct fused {
    const char *name, *product, *sum;
    bool real;
} fused[] = {
    {"mad.lo.u32", "mul.lo.u32", "add.u32", false},
    {"mad.lo.s32", "mul.lo.s32", "add.s32", false},
    {"mad.hi.s32", "mul.hi.s32", "add.s32", false},
    {"fma.rn.f32", "mul.rn.f32", "add.rn.f32", true},
    {"fma.rz.ftz.f32", "mul.rz.ftz.f32", "add.rz.ftz.f32", true},
    {"fma.rp.sat.f32", "mul.rp.f32", "add.rp.sat.f32", true},
};
#define SOME_OF(m, table) (&(table)[pick(m, sizeof(table) / sizeof *(table))])

// Reasons why a near miss is not a chain.
enum miss {
    NO_MISS,
    MISS_REUSE,    // a loaded value is read again
    MISS_RESULT,   // the result is read again
    MISS_VARYING,  // a register of each thread where a scalar would do
    MISS_VOLATILE, // a load is volatile
    MISS_GUARD,    // the store alone is guarded
    MISS_NARROW,   // 16 bits are stored
    MISS_SHARED,   // to shared memory
    MISS_COUNT,
};

struct plan_of_chain {
    struct maker *m;
    struct open_chain *chain;
    enum miss miss;
    const char *guard;
    bool copies; // values are copied on their way
    uint32_t loaded[2], result;
};

static void add_step(struct plan_of_chain *p, const char *text, const char *divided, uint32_t group)
{
    if (p->chain->count < MAX_STEPS)
        p->chain->step[p->chain->count++] = (struct chain_step){text, divided, group};
}
#define ACCESS(p, group, ...) add_step(p, arena_printf((p)->m->arena, __VA_ARGS__), NULL, group)
#define STEP(p, ...) ACCESS(p, 0, __VA_ARGS__)

static uint32_t allocate_temporary(struct plan_of_chain *p)
{
    uint32_t at = choose_array(p->m, &p->m->temporaries, TEMPORARIES);
    p->chain->temporaries |= UINT64_C(1) << at;
    return at;
}

// Returns the temporary with the value: its own, or a copy of a copy through a register of another
// type or one that is declared here.
static uint32_t pass_on(struct plan_of_chain *p, uint32_t from)
{
    static const char *const types[] = {"b32", "u32", "s32", "f32"};
    uint32_t kind = p->copies ? pick(p->m, 4) : 3, group = ++p->m->groups;
    if (kind == 3)
        return from;
    uint32_t to = allocate_temporary(p);
    if (kind == 0) {
        STEP(p, "%smov.%s %%t%u, %%t%u;", p->guard, *SOME_OF(p->m, types), to, from);
    } else if (kind == 1) {
        STEP(p, "%smov.b32 %%y%u, %%t%u;", p->guard, to, from);
        STEP(p, "%smov.b32 %%t%u, %%y%u;", p->guard, to, to);
    } else {
        ACCESS(p, group, ".reg .b32 %%q%u;", group);
        ACCESS(p, group, "%smov.b32 %%q%u, %%t%u;", p->guard, group, from);
        ACCESS(p, group, "%smov.u32 %%t%u, %%q%u;", p->guard, to, group);
    }
    return to;
}

static struct address plan_address(struct plan_of_chain *p, bool own)
{
    struct address address = choose_address(p->m, own, 4);
    p->chain->addresses |= address.taken;
    return address;
}

static void add_address(struct plan_of_chain *p, const struct address *address)
{
    for (uint32_t i = 0; i < address->count; i++)
        add_step(p, address->step[i], NULL, address->group);
}

static void add_load(struct plan_of_chain *p, uint32_t which, const struct address *address)
{
    static const char *const types[] = {"u32", "s32", "b32", "f32"};
    bool is_volatile = p->miss == MISS_VOLATILE && !strstr(address->space, ".nc");
    p->loaded[which] = allocate_temporary(p);
    ACCESS(p, address->group, "%sld%s%s.%s %%t%u, [%s];", p->guard, is_volatile ? ".volatile" : "",
           address->space, *SOME_OF(p->m, types), p->loaded[which], address->text);
    p->loaded[which] = pass_on(p, p->loaded[which]);
}

static const char *temporary(struct plan_of_chain *p, uint32_t number)
{
    return arena_printf(p->m->arena, "%%t%u", number);
}

// Loads from a table, which is not written.
static const char *uniform_load(struct plan_of_chain *p)
{
    uint32_t to = allocate_temporary(p);
    ACCESS(p, ++p->m->groups, "%sld.global.b32 %%t%u, [%%o%u+%u];", p->guard, to,
           pick(p->m, TABLES), 4 * pick(p->m, 4 * TABLE_UNITS));
    return temporary(p, to);
}

static const char *scalar(struct plan_of_chain *p, bool real)
{
    static const char *const words[] = {"$U", "$I", "$U", "$R"}, *const reals[] = {"$V",
                                                                                   "0f3FC00000",
                                                                                   "$V", "$F"};
    uint32_t kind = p->miss == MISS_VARYING ? 3 : pick(p->m, 4);
    if (kind == 3 && p->miss != MISS_VARYING)
        return uniform_load(p);
    return fill_in(p->m, (real ? reals : words)[kind]);
}

// Adds d = op(x, y) or op(y, x).
static void add_binary(struct plan_of_chain *p, const struct operation *op, uint32_t d,
                       const char *x, const char *y)
{
    bool swap = pick(p->m, 2);
    STEP(p, "%s%s %%t%u, %s, %s;", p->guard, op->name, d, swap ? y : x, swap ? x : y);
}

static void add_fused(struct plan_of_chain *p, const struct fused *op, const char *x, const char *y,
                      const char *z)
{
    struct arena *arena = p->m->arena;
    if (pick(p->m, 2)) {
        const char *first = x;
        x = y;
        y = first;
    }
    const char *text =
        arena_printf(arena, "%s%s %%t%u, %s, %s, %s;", p->guard, op->name, p->result, x, y, z);
    const char *divided =
        arena_printf(arena, "%s%s %%product, %s, %s;\n    %s%s %%t%u, %%product, %s;", p->guard,
                     op->product, x, y, p->guard, op->sum, p->result, z);
    add_step(p, text, divided, 0);
}

static void add_compare(struct plan_of_chain *p, bool both)
{
    static const struct operation set = {"set.lt.u32.s32", false};
    const struct operation *op = pick(p->m, 6) ? SOME_OF(p->m, compares) : &set;
    const char *x = temporary(p, p->loaded[0]);
    const char *y = both ? temporary(p, p->loaded[1]) : scalar(p, op->real);
    const char *to = op == &set ? temporary(p, p->result) : fill_in(p->m, "$P");
    STEP(p, "%s%s %s, %s, %s;", p->guard, op->name, to, x, y);
}

// Adds everything between the loads and the store.
static void add_computation(struct plan_of_chain *p, const struct chain_pattern *row)
{
    const struct operation *op = SOME_OF(p->m, binary);
    const char *a = temporary(p, p->loaded[0]), *b = temporary(p, p->loaded[1]);
    const struct fused *fma = SOME_OF(p->m, fused);
    p->result = allocate_temporary(p);
    if (!row->operations)
        p->result = p->loaded[0];
    else if (row->response == RESPONSE_BITMAP)
        add_compare(p, row->loads == 2);
    else if (row->loads == 1 && row->scalars & 1)
        STEP(p, "%s%s %%t%u, %s;", p->guard, *SOME_OF(p->m, unary), p->result, a);
    else if (row->loads == 1)
        add_binary(p, op, p->result, a, scalar(p, op->real));
    else if (row->operations == 1 && pick(p->m, 3) == 0) // what --fma=split divides
        add_fused(p, fma, a, b, fill_in(p->m, fma->real ? "$F" : "$R"));
    else if (row->operations == 1)
        add_binary(p, op, p->result, a, b);
    else if (pick(p->m, 2))
        add_fused(p, fma, b, scalar(p, fma->real), a);
    else {
        uint32_t between = allocate_temporary(p);
        add_binary(p, op, between, b, scalar(p, op->real));
        between = pass_on(p, between);
        add_binary(p, SOME_OF(p->m, binary), p->result, a, temporary(p, between));
    }
}

static void add_store(struct plan_of_chain *p, const struct address *to)
{
    static const char *const types[] = {"u32", "s32", "b32", "f32"};
    const char *guard = p->miss == MISS_GUARD ? fill_in(p->m, "@$P ") : p->guard;
    if (p->miss == MISS_NARROW)
        ACCESS(p, to->group, "%sst%s.u16 [%s], %%t%u;", guard, to->space, to->text, p->result);
    else if (p->miss == MISS_SHARED)
        ACCESS(p, to->group, "%sst.shared.u32 [%%cell], %%t%u;", guard, p->result);
    else
        ACCESS(p, to->group, "%sst%s.%s [%s], %%t%u;", guard, to->space, *SOME_OF(p->m, types),
               to->text, p->result);
}

// A copy of 64 bits.
static void plan_wide_copy(struct plan_of_chain *p)
{
    static const char *const types[] = {"u64", "s64", "b64", "f64"};
    struct address from = choose_address(p->m, false, 8), to = choose_address(p->m, true, 8);
    uint32_t value = choose_array(p->m, &p->m->addresses, ADDRESSES);
    p->chain->addresses |= from.taken | to.taken | UINT64_C(1) << value;
    add_address(p, &from);
    ACCESS(p, from.group, "%sld%s.%s %%a%u, [%s];", p->guard, from.space, *SOME_OF(p->m, types),
           value, from.text);
    add_address(p, &to);
    ACCESS(p, to.group, "%sst%s.%s [%s], %%a%u;", p->guard, to.space, *SOME_OF(p->m, types),
           to.text, value);
}

static void plan_chain(struct plan_of_chain *p)
{
    const struct chain_pattern *row = &chain_patterns[1 + pick(p->m, CHAIN_PATTERNS)];
    bool two = row->loads == 2, stores = row->stores;
    if (!row->operations && !p->miss && pick(p->m, 3) == 0) {
        plan_wide_copy(p);
        return;
    }
    bool early = pick(p->m, 3) == 0, late = pick(p->m, 3); // where address arithmetic stands
    struct address a = plan_address(p, false), b = plan_address(p, false),
                   to = plan_address(p, true);
    if (stores && !late)
        add_address(p, &to);
    add_address(p, &a);
    if (two && early)
        add_address(p, &b);
    add_load(p, 0, &a);
    if (two && !early)
        add_address(p, &b);
    if (two)
        add_load(p, 1, &b);
    add_computation(p, row);
    if (stores && row->operations)
        p->result = pass_on(p, p->result);
    if (stores && late)
        add_address(p, &to);
    if (stores)
        add_store(p, &to);
    const char *sum = fill_in(p->m, "$R");
    if (row->response == RESPONSE_DATA)
        STEP(p, "%sxor.b32 %s, %s, %%t%u;", p->guard, sum, sum, p->result);
    else if (p->miss == MISS_RESULT && stores)
        STEP(p, "add.u32 %s, %s, %%t%u;", sum, sum, p->result);
    else if (p->miss == MISS_REUSE)
        STEP(p, "add.u32 %s, %s, %%t%u;", sum, sum, p->loaded[0]);
}

static void open_chain(struct maker *m)
{
    struct open_chain *chain = &m->chains.open[m->chains.count++];
    *chain = (struct open_chain){.count = 0};
    struct plan_of_chain p = {.m = m, .chain = chain, .guard = "", .copies = pick(m, 3) == 0};
    if (pick(m, 4) == 0)
        p.miss = 1 + pick(m, MISS_COUNT - 1);
    if (pick(m, 8) == 0)
        p.guard = fill_in(m, pick(m, 2) ? "@$P " : "@!$P ");
    plan_chain(&p);
}

void chains_go_on_one(struct maker *m)
{
    struct chains *chains = &m->chains;
    uint32_t which = pick(m, chains->count);
    struct open_chain *chain = &chains->open[which];
    struct chain_step step = chain->step[chain->next++];
    uint32_t outer = m->group;
    m->group = step.group ? step.group : outer;
    emit(m, "%s", step.text);
    m->group = outer;
    m->kernel->list.v[m->kernel->list.n - 1].divided = step.divided;
    if (chain->next < chain->count)
        return;
    m->temporaries &= ~chain->temporaries;
    m->addresses &= ~chain->addresses;
    *chain = chains->open[--chains->count];
}

void chains_go_on(struct maker *m)
{
    enum { MAX_TAKEN = 10 }; // temporaries of one chain
    // Chains of outer bodies keep their registers.
    uint32_t max = m->scopes ? MAX_CHAINS : m->depth > 1 ? 2 : 3;
    bool room = __builtin_popcountll(m->temporaries) + MAX_TAKEN <= TEMPORARIES &&
                __builtin_popcountll(m->addresses) + (m->scopes ? 8 : 4) <= ADDRESSES;
    if (room && (!m->chains.count || (m->chains.count < max && pick(m, 8) == 0)))
        open_chain(m);
    if (m->chains.count)
        chains_go_on_one(m);
}
