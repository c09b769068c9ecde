// Statements of random kernels that are free of races: chains, loads, stores, reductions, and
// accesses that fill the queues.
#include "passes/base/plan.h"
#include "tests/fuzz/kernels_ordered_internal.h"

const char *ordered_place(struct ordered *o, uint32_t array)
{
    const struct array *at = &o->array[array];
    uint32_t turn = at->mode == MODE_OWNED ? at->turn : pick(&o->m, o->block);
    uint32_t number = pick(&o->m, ADDRESSES);
    emit(&o->m,
         "sub.u32 %%x0, %%cta, %u; xor.b32 %%x1, %%thread, %u; mad.lo.u32 %%x0, %%x0, %u, %%x1;\n"
         "    mul.wide.u32 %%e, %%x0, %u; add.s64 %%a%u, %%d%u, %%e;",
         at->back, turn, o->block, o->step, number, array);
    return arena_printf(o->m.arena, "%%a%u", number);
}

static bool may_access(const struct ordered *o, const struct executors *by, uint32_t array)
{
    const struct array *at = &o->array[array];
    return at->back <= by->back && (!at->odd || by->odd);
}

// Returns an array in one of these modes, a set, or ARRAYS.
static uint32_t choose_array(struct ordered *o, const struct executors *by, uint32_t modes)
{
    uint32_t first = pick(&o->m, ARRAYS);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        uint32_t array = (first + i) % ARRAYS;
        if (may_access(o, by, array) && modes >> o->array[array].mode & 1)
            return array;
    }
    return ARRAYS;
}

enum { WRITABLE = 1 << MODE_OWNED, READABLE = 1 << MODE_OWNED | 1 << MODE_READ };

static const char *load_of(struct ordered *o)
{
    return ANY(o, "ld.global.u32", "ld.global.u32", "ld.global.u32", "ld.global.ca.u32",
               "ld.global.cg.u32", "ld.global.cs.u32", "ld.global.cv.u32", "ld.global.lu.u32",
               "ld.global.L1::no_allocate.u32");
}

const char *ordered_operation(struct ordered *o)
{
    return ANY(o, "add.u32", "sub.u32", "xor.b32", "and.b32", "min.u32", "max.s32", "mul.lo.u32",
               "add.f32", "max.f32");
}

void ordered_loads(struct ordered *o, const struct operands *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        emit(&o->m, "%s %%t%u, [%s];", load_of(o), i, at->load[i]);
}

void ordered_end(struct ordered *o, const struct operands *at, bool stores, const char *made)
{
    if (stores)
        emit(&o->m, "%s [%s], %s;", ANY(o, "st.global.u32", "st.global.cg.u32", "st.global.wb.u32"),
             at->store, made);
}

static void put_compare(struct ordered *o, const struct operands *at, bool two)
{
    ordered_loads(o, at, 1 + two);
    if (!pick(&o->m, 4)) { // in another basic block
        const char *label = put_label(o);
        emit(&o->m, "setp.eq.u32 %%q1, %%cta, %u; @%%q1 bra %s; add.u32 %%v1, %%v1, 9;\n%s:",
             pick(&o->m, 4), label, label);
    }
    emit(&o->m, "setp.%s.%s %%c, %%t0, %s;", ANY(o, "lt", "ge", "eq"), ANY(o, "u32", "s32"),
         two ? "%t1" : "1000");
    emit(&o->m, "selp.u32 %%x2, 3, 5, %%c; add.u32 %%v%u, %%v%u, %%x2;", pick(&o->m, VALUES),
         pick(&o->m, VALUES));
}

// Writes a chain of one of the patterns.
static void put_chain(struct ordered *o, const struct operands *at)
{
    static const char *const immediate = "17";
    const struct chain_pattern *row = &chain_patterns[1 + pick(&o->m, CHAIN_PATTERNS)];
    bool two = row->loads == 2, stores = row->stores, nested = row->operations == 2;
    const char *to = stores ? "%t3" : arena_printf(o->m.arena, "%%v%u", pick(&o->m, VALUES));
    if (row->response == RESPONSE_BITMAP) {
        put_compare(o, at, two);
        return;
    }
    ordered_loads(o, at, 1 + two);
    if (nested)
        emit(&o->m, "%s %%t2, %%t0, %s;", ANY(o, "add.u32", "xor.b32", "mul.lo.u32"), immediate);
    if (!row->operations)
        to = "%t0";
    else if (!two && row->scalars & 1)
        emit(&o->m, "%s %s, %%t0;", ANY(o, "not.b32", "neg.s32", "abs.s32"), to);
    else if (!two)
        emit(&o->m, "%s %s, %%t0, %s;", ANY(o, "add.u32", "and.b32", "shl.b32"), to, immediate);
    else
        emit(&o->m, "%s %s, %s, %%t1;", ordered_operation(o), to, nested ? "%t2" : "%t0");
    ordered_end(o, at, stores, to);
}

static void make_chain(struct ordered *o, const struct executors *by)
{
    struct operands at;
    uint32_t first = choose_array(o, by, READABLE), second = choose_array(o, by, READABLE),
             to = choose_array(o, by, WRITABLE);
    if (to == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    at.load[0] = ordered_place(o, first);
    at.load[1] = ordered_place(o, second);
    at.store = ordered_place(o, to);
    put_chain(o, &at);
    o->m.group = 0;
}

static void put_store(struct ordered *o, const struct executors *by)
{
    uint32_t to = choose_array(o, by, WRITABLE), value = pick(&o->m, VALUES);
    if (to == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    const char *at = ordered_place(o, to);
    emit(&o->m, "%s [%s], %%v%u;",
         ANY(o, "st.global.u32", "st.global.u32", "st.global.cg.u32", "st.global.wt.u32",
             "st.volatile.global.u32", "st.relaxed.gpu.global.u32", "red.global.add.u32",
             "red.global.xor.b32", "st.release.cta.global.u32"),
         at, value);
    o->m.group = 0;
}

// Writes a load, whose value is used in the next phase or later.
static void put_load(struct ordered *o, const struct executors *by)
{
    uint32_t from = choose_array(o, by, READABLE);
    if (from == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    const char *at = ordered_place(o, from);
    uint32_t number = pick(&o->m, VALUES);
    if (o->array[from].mode == MODE_OWNED && !pick(&o->m, 4))
        emit(&o->m, "atom.global.add.u32 %%k%u, [%s], %%v%u;", number, at, pick(&o->m, VALUES));
    else
        emit(&o->m, "%s %%k%u, [%s];",
             pick(&o->m, 4) ? load_of(o)
                            : ANY(o, "ld.volatile.global.u32", "ld.relaxed.gpu.global.u32",
                                  "ld.acquire.cta.global.u32"),
             number, at);
    o->m.group = 0;
}

static void put_sum(struct ordered *o, const struct executors *by)
{
    uint32_t to = choose_array(o, by, 1 << MODE_SUMMED);
    if (to == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    const char *at = ordered_place(o, to);
    emit(&o->m, "%s [%s], %%v%u;",
         ANY(o, "red.global.add.u32", "red.relaxed.gpu.global.add.u32", "atom.global.add.u32 %x3,"),
         at, pick(&o->m, VALUES));
    o->m.group = 0;
}

void ordered_noise(struct ordered *o)
{
    uint32_t number = pick(&o->m, VALUES);
    switch (pick(&o->m, 5)) {
    case 0: emit(&o->m, "st.shared.u32 [%%cell], %%v%u;", number); break;
    case 1: emit(&o->m, "ld.shared.u32 %%k%u, [%%cell];", number); break;
    case 2: emit(&o->m, "st.global.u32 [%%w+%u], %%v%u;", 16 * pick(&o->m, 2), number); break;
    default:
        emit(&o->m, "ld.global%s.u32 %%k%u, [%%n+%u];", ANY(o, "", ".cg", ""), number,
             4096 * pick(&o->m, 4) + 4 * pick(&o->m, 32));
        break;
    }
}

void ordered_statement(struct ordered *o, const struct executors *by)
{
    switch (pick(&o->m, 10)) {
    case 0: put_store(o, by); break;
    case 1:
    case 2: put_load(o, by); break;
    case 3:
    case 4: ordered_noise(o); break;
    case 5: put_sum(o, by); break;
    case 6: {
        uint32_t number = pick(&o->m, VALUES);
        emit(&o->m, "mad.lo.u32 %%v%u, %%k%u, 5, %%v%u;", number, pick(&o->m, VALUES), number);
        break;
    }
    default: make_chain(o, by); break;
    }
}

// Writes statements for all threads, or some warps, or some lanes.
static void put_segment(struct ordered *o)
{
    struct executors by = {.odd = pick(&o->m, 3) == 0};
    const char *label = put_label(o);
    for (uint32_t i = 0; i < ARRAYS; i++)
        if (pick(&o->m, 2) && o->array[i].back > by.back)
            by.back = o->array[i].back;
    FIXED(o, "setp.lt.u32 %%q0, %%cta, %u;", by.back);
    uint32_t kind = pick(&o->m, 5);
    if (by.odd)
        FIXED(o, "and.b32 %%x4, %%thread, 32; setp.eq.or.u32 %%q0, %%x4, 0, %%q0;");
    else if (kind < 3)
        FIXED(o, "and.b32 %%x4, %%thread, %u; setp.%s.or.u32 %%q0, %%x4, 0, %%q0;",
              kind ? 32 << pick(&o->m, 2) : 1 << pick(&o->m, 5), ANY(o, "eq", "ne"));
    FIXED(o, "@%%q0 bra %s;", label);
    for (uint32_t i = 1 + pick(&o->m, 5); i; i--)
        ordered_statement(o, &by);
    FIXED(o, "%s:", label);
}

void ordered_phase(struct ordered *o)
{
    for (uint32_t i = 1 + pick(&o->m, 3); i; i--)
        put_segment(o);
}
