// Random kernels that are free of races. At any time each word of an array is read and written by
// one thread, or read by all threads of a CTA, or added to by all threads of a CTA. These rights
// change only where the threads that may have accessed the word before synchronise with those that
// may do so after:
//
//   a warp       bar.warp.sync
//   two warps    a named barrier; or one arrives at it and the other waits
//   a CTA        barriers of all kinds, mbarrier, a counter in shared memory with fences
//   CTAs         one passes its slice of an array to the next with a flag, and a fence or release
//                and acquire; and the last one to draw a ticket reads the words of all
//
// Thread t has word t XOR `turn` of a slice.
#include "tests/fuzz/kernels_ordered.h"
#include "tests/fuzz/kernels_ordered_internal.h"
#include <string.h>

enum { MAX_PHASES = 6, MAX_PASSES = 4 };

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

// Writes a barrier that uses a counter in shared memory.
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

// Writes a barrier that lanes reach on two paths.
static void put_divergent(struct ordered *o)
{
    struct executors by = {0};
    const char *other = put_label(o), *behind = put_label(o);
    FIXED(o, "and.b32 %%x4, %%thread, %u; setp.eq.u32 %%q0, %%x4, 0; @%%q0 bra %s;",
          1 << pick(&o->m, 6), other);
    ordered_statement(o, &by);
    FIXED(o, "barrier.sync 0; bra %s;\n%s:", behind, other);
    ordered_statement(o, &by);
    FIXED(o, "barrier.sync 0;\n%s:", behind);
}

// Writes a barrier at which half of the warps arrive, and continue before they wait for the others.
static void put_split(struct ordered *o)
{
    const char *other = put_label(o), *behind = put_label(o);
    FIXED(o, "and.b32 %%x4, %%thread, 32; setp.eq.u32 %%q0, %%x4, 0; @%%q0 bra %s;", other);
    FIXED(o, "barrier.sync 3, %u; barrier.arrive 4, %u; bra %s;\n%s:", o->block, o->block, behind,
          other);
    FIXED(o, "barrier.arrive 3, %u;", o->block);
    ordered_noise(o);
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
    case 4: put_divergent(o); break;
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

// Even warps pass their words to odd ones.
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
        // Odd warps had the words of odd warps, or of even ones; now they have those of the others.
        at->turn ^= 32 + pick(&o->m, 32);
        at->odd = true;
    }
}

// Returns the address of a flag; each CTA has one for each slice that it passes on.
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

// Each CTA passes its slice of some arrays to the next one.
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
    } else if (kind < 6 && !o->in_loop && o->passes < MAX_PASSES) {
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
        ordered_phase(o);
        synchronise(o);
    }
    sync_cta(o);
    o->apart = false;
    memcpy(o->array, before, sizeof before);
    FIXED(o, "add.u32 %%turns, %%turns, 1; setp.lt.u32 %%q0, %%turns, %u; @%%q0 bra %s;", times,
          label);
    o->in_loop = false;
}

// The last CTA that arrives here adds to the words of all.
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
        struct operands at = {{ordered_place(o, pick(&o->m, ARRAYS)), ordered_place(o, 0)},
                              ordered_place(o, pick(&o->m, ARRAYS))};
        ordered_loads(o, &at, 2);
        emit(&o->m, "%s %%t3, %%t0, %%t1;", ordered_operation(o));
        ordered_end(o, &at, true, "%t3");
        o->m.group = 0;
        FIXED(o, "bar.sync 0;");
        o->array[pick(&o->m, ARRAYS)].turn = pick(&o->m, o->block);
    }
    FIXED(o, "add.u32 %%cta, %%cta, 1; setp.lt.u32 %%q0, %%cta, %u; @%%q0 bra %s;\n%s:", o->grid,
          again, end);
}

// Declarations, inputs and results

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
    put_input(o, (struct input){.bytes = 4 * MAX_PASSES * o->grid + 64});
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
    for (uint32_t i = 2 + pick(&o.m, MAX_PHASES - 1); i; i--) {
        if (pick(&o.m, 6)) {
            ordered_phase(&o);
            synchronise(&o);
        } else {
            put_loop(&o);
        }
    }
    ordered_phase(&o);
    put_finish(&o);
}
