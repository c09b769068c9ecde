// What makes a kernel free of races: at any time each word of an array is read and written by one
// thread, or read by all of a CTA, or added to by all of a CTA. Which of these, and by whom,
// changes only where threads synchronise that may have accessed it before with those that may do so
// behind:
//
//   a warp       bar.warp.sync
//   two warps    a named barrier; or one arrives at it and the other waits
//   a CTA        barriers of all kinds, mbarrier, a counter in shared memory with fences
//   CTAs         one hands its slice of an array to the next by a flag, with a fence or a release
//                and an acquire; and the last one to draw a ticket reads what all have left
//
// Thread t has word t XOR `turn` of a slice.
#include "tests/fuzz/kernels_ordered.h"
#include "tests/fuzz/kernels_internal.h"
#include <string.h>

enum { ARRAYS = 4, VALUES = 8, MOST_PHASES = 6, MOST_PASSES = 4 };

enum mode { MODE_OWNED, MODE_READ, MODE_SUMMED };

struct array {
    enum mode mode;
    uint32_t turn;
    uint32_t back; // the slice is that of the CTA so many before
    bool odd;      // only odd warps have it
};

// Of warps and lanes that execute some statements.
struct who {
    bool odd;      // odd warps only
    uint32_t back; // CTAs from this one on
};

struct ordered {
    struct maker m;
    uint32_t block, grid, stride, step;
    uint32_t passes;
    bool in_loop;
    bool apart; // warps may be so far apart that only a CTA's barrier will do
    struct array array[ARRAYS];
};

static const char *any(struct ordered *o, const char *const *words, uint32_t count)
{
    return words[pick(&o->m, count)];
}
#define ANY(o, ...)                                                                                \
    any(o, (const char *const[]){__VA_ARGS__},                                                     \
        sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

static const char *put_label(struct ordered *o)
{
    return arena_printf(o->m.arena, "L%u", o->m.labels++);
}

static void emit_fixed(struct ordered *o, const char *text)
{
    o->m.fixed = true;
    emit(&o->m, "%s", text);
    o->m.fixed = false;
}
#define FIXED(o, ...) emit_fixed(o, arena_printf((o)->m.arena, __VA_ARGS__))

// Accesses

// The address of the thread's word of an array, or of any word if all may access it.
static const char *place_word(struct ordered *o, uint32_t array)
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

static bool may_access(const struct ordered *o, const struct who *who, uint32_t array)
{
    const struct array *at = &o->array[array];
    return at->back <= who->back && (!at->odd || who->odd);
}

// An array in one of these modes, a set; ARRAYS: there is none.
static uint32_t choose_array(struct ordered *o, const struct who *who, uint32_t modes)
{
    uint32_t first = pick(&o->m, ARRAYS);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        uint32_t array = (first + i) % ARRAYS;
        if (may_access(o, who, array) && modes >> o->array[array].mode & 1)
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

static const char *operation(struct ordered *o)
{
    return ANY(o, "add.u32", "sub.u32", "xor.b32", "and.b32", "min.u32", "max.s32", "mul.lo.u32",
               "add.f32", "max.f32");
}

struct operands {
    const char *load[2], *store;
};

static void put_loads(struct ordered *o, const struct operands *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        emit(&o->m, "%s %%t%u, [%s];", load_of(o), i, at->load[i]);
}

static void put_end(struct ordered *o, const struct operands *at, bool stores, const char *made)
{
    if (stores)
        emit(&o->m, "%s [%s], %s;", ANY(o, "st.global.u32", "st.global.cg.u32", "st.global.wb.u32"),
             at->store, made);
}

static void put_compare(struct ordered *o, const struct operands *at, bool two)
{
    put_loads(o, at, 1 + two);
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

// A chain of one of the nine patterns.
static void put_chain(struct ordered *o, const struct operands *at)
{
    static const char *const immediate = "17";
    uint32_t pattern = 1 + pick(&o->m, 9);
    bool two = pattern == 1 || pattern == 2 || pattern >= 8;
    bool stores = pattern != 2 && pattern != 8;
    const char *to = stores ? "%t3" : arena_printf(o->m.arena, "%%v%u", pick(&o->m, VALUES));
    if (pattern == 5 || pattern == 6) {
        put_compare(o, at, pattern == 5);
        return;
    }
    put_loads(o, at, 1 + two);
    if (pattern >= 8)
        emit(&o->m, "%s %%t2, %%t0, %s;", ANY(o, "add.u32", "xor.b32", "mul.lo.u32"), immediate);
    if (pattern == 3)
        to = "%t0";
    else if (pattern == 4)
        emit(&o->m, "%s %s, %%t0;", ANY(o, "not.b32", "neg.s32", "abs.s32"), to);
    else if (pattern == 7)
        emit(&o->m, "%s %s, %%t0, %s;", ANY(o, "add.u32", "and.b32", "shl.b32"), to, immediate);
    else
        emit(&o->m, "%s %s, %s, %%t1;", operation(o), to, pattern >= 8 ? "%t2" : "%t0");
    put_end(o, at, stores, to);
}

static void make_chain(struct ordered *o, const struct who *who)
{
    struct operands at;
    uint32_t first = choose_array(o, who, READABLE), second = choose_array(o, who, READABLE),
             to = choose_array(o, who, WRITABLE);
    if (to == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    at.load[0] = place_word(o, first);
    at.load[1] = place_word(o, second);
    at.store = place_word(o, to);
    put_chain(o, &at);
    o->m.group = 0;
}

static void put_store(struct ordered *o, const struct who *who)
{
    uint32_t to = choose_array(o, who, WRITABLE), value = pick(&o->m, VALUES);
    if (to == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    const char *at = place_word(o, to);
    emit(&o->m, "%s [%s], %%v%u;",
         ANY(o, "st.global.u32", "st.global.u32", "st.global.cg.u32", "st.global.wt.u32",
             "st.volatile.global.u32", "st.relaxed.gpu.global.u32", "red.global.add.u32",
             "red.global.xor.b32", "st.release.cta.global.u32"),
         at, value);
    o->m.group = 0;
}

// What is loaded is used in the next phase or later.
static void put_load(struct ordered *o, const struct who *who)
{
    uint32_t from = choose_array(o, who, READABLE);
    if (from == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    const char *at = place_word(o, from);
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

static void put_sum(struct ordered *o, const struct who *who)
{
    uint32_t to = choose_array(o, who, 1 << MODE_SUMMED);
    if (to == ARRAYS)
        return;
    o->m.group = ++o->m.groups;
    const char *at = place_word(o, to);
    emit(&o->m, "%s [%s], %%v%u;",
         ANY(o, "red.global.add.u32", "red.relaxed.gpu.global.add.u32", "atom.global.add.u32 %x3,"),
         at, pick(&o->m, VALUES));
    o->m.group = 0;
}

// Fills the queues: lines of their own for each lane, not waited for, or shared memory.
static void put_noise(struct ordered *o)
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

static void put_statement(struct ordered *o, const struct who *who)
{
    switch (pick(&o->m, 10)) {
    case 0: put_store(o, who); break;
    case 1:
    case 2: put_load(o, who); break;
    case 3:
    case 4: put_noise(o); break;
    case 5: put_sum(o, who); break;
    case 6: {
        uint32_t number = pick(&o->m, VALUES);
        emit(&o->m, "mad.lo.u32 %%v%u, %%k%u, 5, %%v%u;", number, pick(&o->m, VALUES), number);
        break;
    }
    default: make_chain(o, who); break;
    }
}

// Statements for all threads, or some warps, or some lanes.
static void put_segment(struct ordered *o)
{
    struct who who = {.odd = pick(&o->m, 3) == 0};
    const char *label = put_label(o);
    for (uint32_t i = 0; i < ARRAYS; i++)
        if (pick(&o->m, 2) && o->array[i].back > who.back)
            who.back = o->array[i].back;
    FIXED(o, "setp.lt.u32 %%q0, %%cta, %u;", who.back);
    uint32_t kind = pick(&o->m, 5);
    if (who.odd)
        FIXED(o, "and.b32 %%x4, %%thread, 32; setp.eq.or.u32 %%q0, %%x4, 0, %%q0;");
    else if (kind < 3)
        FIXED(o, "and.b32 %%x4, %%thread, %u; setp.%s.or.u32 %%q0, %%x4, 0, %%q0;",
              kind ? 32 << pick(&o->m, 2) : 1 << pick(&o->m, 5), ANY(o, "eq", "ne"));
    FIXED(o, "@%%q0 bra %s;", label);
    for (uint32_t i = 1 + pick(&o->m, 5); i; i--)
        put_statement(o, &who);
    FIXED(o, "%s:", label);
}

static void put_phase(struct ordered *o)
{
    for (uint32_t i = 1 + pick(&o->m, 3); i; i--)
        put_segment(o);
}

// Synchronisation

static const char *wide_fence(struct ordered *o)
{
    return ANY(o, "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.gpu",
               "fence.acq_rel.sys");
}

static const char *fence(struct ordered *o)
{
    return pick(&o->m, 4) ? ANY(o, "membar.cta", "fence.acq_rel.cta", "fence.sc.cta")
                          : wide_fence(o);
}

// A barrier made of a counter in shared memory.
static void put_counter(struct ordered *o)
{
    const char *label = put_label(o);
    FIXED(o, "%s; red.shared.add.u32 [counter], 1; add.u32 %%want, %%want, %u;", fence(o),
          o->block);
    FIXED(o,
          "%s: ld.volatile.shared.u32 %%x5, [counter]; setp.lt.u32 %%q1, %%x5, %%want;\n"
          "    @%%q1 bra %s; %s;",
          label, label, fence(o));
}

static void put_mbarrier(struct ordered *o)
{
    const char *label = put_label(o);
    FIXED(o, "mbarrier.arrive.shared.b64 %%e, [meeting];");
    FIXED(o, "%s: mbarrier.test_wait.shared.b64 %%q1, [meeting], %%e; @!%%q1 bra %s;", label,
          label);
}

// Lanes come to it by two ways.
static void put_parted(struct ordered *o)
{
    struct who who = {0};
    const char *other = put_label(o), *behind = put_label(o);
    FIXED(o, "and.b32 %%x4, %%thread, %u; setp.eq.u32 %%q0, %%x4, 0; @%%q0 bra %s;",
          1 << pick(&o->m, 6), other);
    put_statement(o, &who);
    FIXED(o, "barrier.sync 0; bra %s;\n%s:", behind, other);
    put_statement(o, &who);
    FIXED(o, "barrier.sync 0;\n%s:", behind);
}

// Half of the warps arrive and do other things before they wait for the others.
static void put_split(struct ordered *o)
{
    const char *other = put_label(o), *behind = put_label(o);
    FIXED(o, "and.b32 %%x4, %%thread, 32; setp.eq.u32 %%q0, %%x4, 0; @%%q0 bra %s;", other);
    FIXED(o, "barrier.sync 3, %u; barrier.arrive 4, %u; bra %s;\n%s:", o->block, o->block, behind,
          other);
    FIXED(o, "barrier.arrive 3, %u;", o->block);
    put_noise(o);
    FIXED(o, "barrier.sync 4, %u;\n%s:", o->block, behind);
}

static void sync_cta(struct ordered *o)
{
    switch (pick(&o->m, 8)) {
    case 0: FIXED(o, "barrier.sync.aligned 1, %u;", o->block); break;
    case 1:
        FIXED(o,
              "setp.lt.u32 %%q0, %%v%u, 99; bar.red.popc.u32 %%x5, 2, %%q0;\n"
              "    add.u32 %%v0, %%v0, %%x5;",
              pick(&o->m, VALUES));
        break;
    case 2: put_mbarrier(o); break;
    case 3: put_counter(o); break;
    case 4: put_parted(o); break;
    case 5: put_split(o); break;
    default: FIXED(o, "bar.sync 0;"); break;
    }
}

static void change_cta(struct ordered *o)
{
    for (uint32_t i = 0; i < ARRAYS; i++) {
        uint32_t mode = pick(&o->m, 8);
        o->array[i].mode = mode > 2 ? MODE_OWNED : (enum mode)mode;
        o->array[i].turn = pick(&o->m, o->block);
        if (pick(&o->m, 2))
            o->array[i].turn &= ~31u;
        o->array[i].odd = false;
    }
}

static void change_turns(struct ordered *o, uint32_t below)
{
    for (uint32_t i = 0; i < ARRAYS; i++)
        if (o->array[i].mode == MODE_OWNED && !o->array[i].odd)
            o->array[i].turn ^= pick(&o->m, below);
}

// Even warps leave what they have to odd ones.
static void sync_half(struct ordered *o)
{
    const char *other = put_label(o), *behind = put_label(o);
    FIXED(o, "and.b32 %%x4, %%thread, 32; setp.eq.u32 %%q0, %%x4, 0; @%%q0 bra %s;", other);
    FIXED(o, "barrier.sync %%named, 64; bra %s;\n%s:", behind, other);
    FIXED(o, "barrier.arrive %%named, 64;\n%s:", behind);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        struct array *at = &o->array[i];
        if (at->mode != MODE_OWNED || at->odd || !pick(&o->m, 2))
            continue;
        // Odd warps had the words of odd ones, or of even ones: now those of the others.
        at->turn ^= 32 + pick(&o->m, 32);
        at->odd = true;
    }
}

// A flag of each CTA for each time that it hands something over.
static const char *flag_of(struct ordered *o, int back)
{
    return arena_printf(o->m.arena, "[%%flag+%d]", (int)((o->passes - 1) * 4 * o->grid) - 4 * back);
}

static void put_release(struct ordered *o)
{
    const char *label = put_label(o), *flag = flag_of(o, 0);
    uint32_t kind = pick(&o->m, 4);
    if (kind == 3) {
        if (pick(&o->m, 2))
            FIXED(o, "red.release.gpu.global.add.u32 %s, 1;", flag);
        else
            FIXED(o, "%s; red.relaxed.gpu.global.add.u32 %s, 1;", wide_fence(o), flag);
        return;
    }
    if (kind == 0)
        FIXED(o, "%s;", wide_fence(o));
    FIXED(o, "bar.sync 0; setp.ne.u32 %%q0, %%thread, 0; @%%q0 bra %s;", label);
    if (kind == 1)
        FIXED(o, "%s;", wide_fence(o));
    const char *how =
        kind == 2 ? ANY(o, "red.release.gpu.global.add.u32", "atom.release.gpu.global.add.u32 %x5,",
                        "atom.acq_rel.gpu.global.add.u32 %x5,")
                  : ANY(o, "red.global.add.u32", "atom.relaxed.gpu.global.add.u32 %x5,");
    FIXED(o, "%s %s, %u;\n%s:", how, flag, o->block, label);
}

static void put_spin(struct ordered *o, const char *behind)
{
    const char *label = put_label(o), *flag = flag_of(o, 1);
    uint32_t kind = pick(&o->m, 4);
    const char *how = kind == 0   ? "ld.acquire.gpu.global.u32"
                      : kind == 1 ? "ld.volatile.global.u32"
                      : kind == 2 ? "ld.relaxed.gpu.global.u32"
                                  : "atom.global.add.u32";
    FIXED(o, "setp.eq.u32 %%q0, %%cta, 0; @%%q0 bra %s;", behind);
    FIXED(o, "%s: %s %%x5, %s%s; setp.lt.u32 %%q1, %%x5, %u; @%%q1 bra %s;", label, how, flag,
          kind == 3 ? ", 0" : "", o->block, label);
    if (kind)
        FIXED(o, "%s;", wide_fence(o));
}

// Each CTA leaves its slice of some arrays to the next one.
static void sync_grid(struct ordered *o)
{
    const char *behind = put_label(o);
    o->passes++;
    put_release(o);
    if (pick(&o->m, 2)) {
        put_spin(o, behind);
        FIXED(o, "%s:", behind);
    } else {
        FIXED(o, "setp.ne.u32 %%q0, %%thread, 0; @%%q0 bra %s;", behind);
        put_spin(o, behind);
        FIXED(o, "%s: bar.sync 0;", behind);
    }
    for (uint32_t i = 0; i < ARRAYS; i++) {
        struct array *at = &o->array[i];
        if (!pick(&o->m, 2))
            continue;
        *at = (struct array){.mode = MODE_OWNED, .back = at->back + 1};
        at->turn = pick(&o->m, o->block);
    }
}

static void synchronise(struct ordered *o)
{
    uint32_t kind = o->apart ? 11 : pick(&o->m, 12);
    if (kind == 0) {
        FIXED(o, "bar.warp.sync 0xffffffff;");
        change_turns(o, 32);
    } else if (kind == 1) {
        FIXED(o, "barrier.sync %%named, 64;");
        change_turns(o, 64);
    } else if (kind == 2) {
        sync_half(o);
        o->apart = true;
    } else if (kind < 6 && !o->in_loop && o->passes < MOST_PASSES) {
        sync_grid(o);
    } else {
        sync_cta(o);
        change_cta(o);
        o->apart = false;
    }
}

static void put_loop(struct ordered *o)
{
    struct array before[ARRAYS];
    const char *label = put_label(o);
    uint32_t times = 2 + pick(&o->m, 2);
    memcpy(before, o->array, sizeof before);
    o->in_loop = true;
    FIXED(o, "mov.u32 %%turns, 0;\n%s:", label);
    for (uint32_t i = 1 + pick(&o->m, 2); i; i--) {
        put_phase(o);
        synchronise(o);
    }
    sync_cta(o);
    o->apart = false;
    memcpy(o->array, before, sizeof before);
    FIXED(o, "add.u32 %%turns, %%turns, 1; setp.lt.u32 %%q0, %%turns, %u; @%%q0 bra %s;", times,
          label);
    o->in_loop = false;
}

// The last CTA to come here adds to the words of all.
static void put_last(struct ordered *o)
{
    const char *end = put_label(o), *drawn = put_label(o), *again = put_label(o);
    bool late = pick(&o->m, 2);
    if (!late)
        FIXED(o, "%s;", wide_fence(o));
    FIXED(o, "bar.sync 0; setp.ne.u32 %%q0, %%thread, 0; @%%q0 bra %s;", drawn);
    if (late)
        FIXED(o, "%s;", wide_fence(o));
    FIXED(o, "atom.global.add.u32 %%x5, [%%ticket], 1; %s; st.shared.u32 [counter+4], %%x5;",
          wide_fence(o));
    FIXED(o, "%s: bar.sync 0; ld.shared.u32 %%x5, [counter+4];", drawn);
    FIXED(o, "setp.ne.u32 %%q0, %%x5, %u; @%%q0 bra %s; %s;", o->grid - 1, end, wide_fence(o));
    FIXED(o, "mov.u32 %%cta, 0;\n%s:", again);
    for (uint32_t i = 0; i < ARRAYS; i++)
        o->array[i] = (struct array){.turn = pick(&o->m, o->block)};
    for (uint32_t i = 1 + pick(&o->m, 3); i; i--) {
        o->m.group = ++o->m.groups;
        struct operands at = {{place_word(o, pick(&o->m, ARRAYS)), place_word(o, 0)},
                              place_word(o, pick(&o->m, ARRAYS))};
        put_loads(o, &at, 2);
        emit(&o->m, "%s %%t3, %%t0, %%t1;", operation(o));
        put_end(o, &at, true, "%t3");
        o->m.group = 0;
        FIXED(o, "bar.sync 0;");
        o->array[pick(&o->m, ARRAYS)].turn = pick(&o->m, o->block);
    }
    FIXED(o, "add.u32 %%cta, %%cta, 1; setp.lt.u32 %%q0, %%cta, %u; @%%q0 bra %s;\n%s:", o->grid,
          again, end);
}

// Around it

static void put_input(struct ordered *o, struct input input)
{
    struct launch_inputs *inputs = &o->m.kernel->inputs;
    inputs->list[inputs->count++] = input;
}

static void put_inputs(struct ordered *o)
{
    uint32_t threads = o->block * o->grid;
    put_input(o, (struct input){.fill = FILL_MIXED, .bytes = ARRAYS * o->stride});
    put_input(o, (struct input){.fill = FILL_MIXED, .bytes = 4096 * 5 + 4 * threads});
    put_input(o, (struct input){.bytes = 12288 * o->grid});
    put_input(o, (struct input){.bytes = 4 * MOST_PASSES * o->grid + 64});
    put_input(o, (struct input){.bytes = 4 * (2 * VALUES) * threads});
}

static void put_start(struct ordered *o)
{
    FIXED(o,
          ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry fuzz(\n"
          "    .param .u64 p_data, .param .u64 p_noise, .param .u64 p_own, .param .u64 p_flags,\n"
          "    .param .u64 p_dump)\n{\n"
          "    .reg .b32 %%v<8>, %%k<8>, %%t<4>, %%x<6>, %%thread, %%cta, %%cell, %%want, %%named, "
          "%%turns;\n"
          "    .reg .b64 %%a<%u>, %%d<%u>, %%e, %%n, %%w, %%flag, %%ticket, %%dump;\n"
          "    .reg .pred %%q<2>, %%c;\n    .shared .align 8 .b64 meeting;\n"
          "    .shared .align 8 .b32 counter[2]; .shared .b32 cells[%u];",
          ADDRESSES, ARRAYS, 4 * o->block);
    FIXED(o, "mov.u32 %%thread, %%tid.x; mov.u32 %%cta, %%ctaid.x; mov.u32 %%want, 0;\n"
             "    ld.param.u64 %%d0, [p_data]; ld.param.u64 %%n, [p_noise];\n"
             "    ld.param.u64 %%w, [p_own]; ld.param.u64 %%ticket, [p_flags];\n"
             "    ld.param.u64 %%dump, [p_dump];");
    for (uint32_t i = 1; i < ARRAYS; i++)
        FIXED(o, "add.s64 %%d%u, %%d0, %u;", i, i * o->stride);
    FIXED(o,
          "and.b32 %%x0, %%thread, 31; mul.wide.u32 %%e, %%x0, 128; add.s64 %%n, %%n, %%e;\n"
          "    mul.wide.u32 %%e, %%cta, 12288; add.s64 %%w, %%w, %%e;\n"
          "    mul.wide.u32 %%e, %%thread, 32; add.s64 %%w, %%w, %%e;\n"
          "    mul.wide.u32 %%e, %%cta, 4; add.s64 %%flag, %%ticket, %%e;\n"
          "    add.s64 %%flag, %%flag, 64; mov.u32 %%cell, cells;\n"
          "    mad.lo.u32 %%cell, %%thread, 16, %%cell;\n"
          "    shr.u32 %%named, %%thread, 6; add.u32 %%named, %%named, 5;\n"
          "    mad.lo.u32 %%x0, %%cta, %u, %%thread; mul.wide.u32 %%e, %%x0, %u;\n"
          "    add.s64 %%dump, %%dump, %%e; st.shared.u32 [%%cell], %%x0;",
          o->block, 8 * VALUES);
    for (uint32_t i = 0; i < VALUES; i++)
        FIXED(o, "mad.lo.u32 %%v%u, %%x0, %u, %u; mov.u32 %%k%u, %u;", i, pick(&o->m, 5000) + 1, i,
              i, i);
    FIXED(o,
          "setp.ne.u32 %%q0, %%thread, 0; @%%q0 bra READY;\n"
          "    mbarrier.init.shared.b64 [meeting], %u; st.shared.u32 [counter], 0;\n"
          "READY: bar.sync 0;",
          o->block);
}

static void put_finish(struct ordered *o)
{
    for (uint32_t i = 0; i < VALUES; i++)
        FIXED(o, "st.global.u32 [%%dump+%u], %%v%u; st.global.u32 [%%dump+%u], %%k%u;", 8 * i, i,
              8 * i + 4, i);
    if (pick(&o->m, 2)) {
        sync_cta(o);
        put_last(o);
    }
    FIXED(o, "ret;\n}");
}

void kernel_make_ordered(struct random_kernel *kernel, struct arena *arena, uint64_t seed)
{
    static const uint32_t blocks[] = {64, 128, 64, 256};
    static const uint32_t steps[] = {4, 4, 4, 4, 8, 32};
    *kernel = (struct random_kernel){.arena = arena, .times = 1, .spins = true};
    struct ordered o = {.m = {.kernel = kernel, .arena = arena, .random = seed}};
    kernel->inputs.seed = seed;
    kernel->inputs.entry = "fuzz";
    o.block = blocks[pick(&o.m, 4)];
    o.grid = 1 + pick(&o.m, 4);
    o.step = steps[pick(&o.m, 6)];
    uint32_t bytes = o.block * o.grid * o.step;
    o.stride = (bytes + 1023) / 1024 * 1024 + 128 * (pick(&o.m, 2) ? pick(&o.m, 8) : 0);
    memcpy(kernel->inputs.grid, (uint32_t[3]){o.grid, 1, 1}, sizeof kernel->inputs.grid);
    memcpy(kernel->inputs.block, (uint32_t[3]){o.block, 1, 1}, sizeof kernel->inputs.block);
    put_inputs(&o);
    put_start(&o);
    change_cta(&o);
    for (uint32_t i = 2 + pick(&o.m, MOST_PHASES - 1); i; i--) {
        if (pick(&o.m, 6)) {
            put_phase(&o);
            synchronise(&o);
        } else {
            put_loop(&o);
        }
    }
    put_phase(&o);
    put_finish(&o);
}
