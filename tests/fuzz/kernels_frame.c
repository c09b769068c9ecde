// The frame of a random kernel's statements: declarations, parameters, initial values, and at the
// end a store of every register to a buffer, so that no difference stays hidden.
#include "tests/fuzz/kernels_internal.h"
#include <string.h>

static const char header[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                             ".const .align 4 .u32 table[4] = {3, 0xfffffffe, 0x3fc00000, 77};\n";
static const char declarations[] =
    ".visible .entry fuzz(\n"
    "    .param .u64 p_w0, .param .u64 p_w1, .param .u64 p_w2, .param .u64 p_o0, .param .u64 "
    "p_o1,\n"
    "    .param .u64 p_count, .param .u64 p_dump, .param .u32 p_u0, .param .u32 p_u1,\n"
    "    .param .f32 p_v0, .param .f32 p_v1)\n"
    "{\n"
    "    .reg .b32 %r<8>, %t<32>, %x<16>, %u<4>, %l<32>, %b<32>, %thread, %block, %gid, %other, "
    "%product;\n"
    "    .reg .f32 %f<4>, %v<4>, %y<32>;\n"
    "    .reg .b16 %h<4>;\n"
    "    .reg .b64 %d<3>, %a<16>, %w<3>, %o<2>, %n<3>, %count, %dump, %slice;\n"
    "    .reg .f64 %g<2>;\n"
    "    .reg .pred %p<4>, %c<32>;\n"
    "    .reg .b32 %cell, %next;\n";

static void put_input(struct maker *m, struct input input)
{
    struct launch_inputs *inputs = &m->kernel->inputs;
    inputs->list[inputs->count++] = input;
}

// Sets the targets of %w0 …: their own buffers, or the preceding one at another unit. Either slices
// or units are adjacent.
static void put_places(struct maker *m, uint32_t threads)
{
    for (uint32_t i = 0, of = 0; i < PLACES; i++) {
        uint32_t thread, shift = 0;
        if (i && pick(m, 2)) {
            m->place[i] = m->place[of];
            shift = pick(m, 3) * m->place[i].unit;
            put_input(m, (struct input){.kind = INPUT_ALIAS, .value = shift, .of = of});
        } else {
            uint32_t granule = i && pick(m, 2) ? 4 : 16;
            bool together = pick(m, 2);
            m->place[i] = (struct array_place){granule, together ? granule : granule * threads};
            put_input(m, (struct input){.kind = INPUT_BUFFER,
                                        .fill = FILL_MIXED,
                                        .bytes = UNITS * granule * threads});
            of = i;
        }
        bool together = m->place[i].unit == m->place[i].granule;
        thread = together ? m->place[i].unit * UNITS : m->place[i].granule;
        emit(m, "ld.param.u64 %%w%u, [p_w%u];", i, i);
        if (pick(m, 3))
            emit(m, "cvta.to.global.u64 %%w%u, %%w%u;", i, i);
        emit(m, "mul.wide.u32 %%slice, %%other, %u;\n    add.s64 %%n%u, %%w%u, %%slice;", thread, i,
             i);
        emit(m, "mul.wide.u32 %%slice, %%gid, %u;\n    add.s64 %%w%u, %%w%u, %%slice;", thread, i,
             i);
    }
}

static void put_tables(struct maker *m)
{
    for (uint32_t i = 0; i < TABLES; i++) {
        put_input(m, (struct input){.kind = INPUT_BUFFER,
                                    .fill = i ? FILL_REAL : FILL_MIXED,
                                    .bytes = 16 * (TABLE_UNITS + 8)});
        emit(m, "ld.param.u64 %%o%u, [p_o%u];", i, i);
    }
}

// Writes values that are uniform in a CTA; the analyses must find where they come from.
static void put_scalars(struct maker *m)
{
    static const uint32_t reals[] = {0x3f800000, 0xbf000000, 0x40490fdb, 0x3d4ccccd};
    put_input(m, (struct input){.kind = INPUT_WORD, .value = pick(m, 100)});
    put_input(m, (struct input){.kind = INPUT_WORD, .value = (uint32_t)random_next(&m->random)});
    put_input(m, (struct input){.kind = INPUT_WORD, .value = reals[pick(m, 4)]});
    put_input(m, (struct input){.kind = INPUT_WORD, .value = reals[pick(m, 4)]});
    emit(m, "ld.param.u32 %%u0, [p_u0];\n    ld.param.u32 %%u1, [p_u1];");
    emit(m, "ld.const.u32 %%u2, [table+%u];\n    mov.u32 %%u3, %%ctaid.x;", 4 * pick(m, 4));
    emit(m, "ld.param.f32 %%v0, [p_v0];\n    ld.param.f32 %%v1, [p_v1];");
    emit(m, "ld.const.f32 %%v2, [table+8];\n    mul.f32 %%v3, %%v0, %%v1;");
}

static void put_first_values(struct maker *m)
{
    for (uint32_t i = 0; i < WORDS; i++)
        emit(m, "mad.lo.u32 %%r%u, %%gid, %u, %u;", i, pick(m, 1000),
             pick(m, 2) ? pick(m, 64) : (uint32_t)random_next(&m->random));
    for (uint32_t i = 0; i < REALS; i++)
        emit(m, "cvt.rn.f32.s32 %%f%u, %%r%u;", i, i);
    for (uint32_t i = 0; i < HALVES; i++)
        emit(m, "cvt.u16.u32 %%h%u, %%r%u;", i, i + 3);
    for (uint32_t i = 0; i < DOUBLES; i++)
        emit(m, "mul.wide.s32 %%d%u, %%r%u, %%r%u;", i, i, i + 4);
    for (uint32_t i = 0; i < REAL_DOUBLES; i++)
        emit(m, "cvt.rn.f64.s64 %%g%u, %%d%u;", i, i);
    for (uint32_t i = 0; i < PREDICATES; i++)
        emit(m, "setp.gt.s32 %%p%u, %%r%u, %%r%u;", i, i, i + 1);
    for (uint32_t i = 0; i < TEMPORARIES; i++)
        emit(m, "mov.u32 %%t%u, 0;", i);
    for (uint32_t i = 0; i < ADDRESSES; i++)
        emit(m, "mov.u64 %%a%u, %%w0;\n    mov.u32 %%x%u, 0;", i, i);
}

void put_head(struct maker *m)
{
    static const uint32_t blocks[] = {32, 40, 64, 33};
    struct launch_inputs *inputs = &m->kernel->inputs;
    uint32_t block = blocks[pick(m, 4)], grid = (1 + pick(m, 2)) * m->kernel->times;
    inputs->entry = "fuzz";
    memcpy(inputs->grid, (uint32_t[3]){grid, 1, 1}, sizeof inputs->grid);
    memcpy(inputs->block, (uint32_t[3]){block, 1, 1}, sizeof inputs->block);
    emit(m, "%s", header);
    if (m->scopes)
        put_functions(m);
    emit(m, "%s    .shared .align 16 .b8 cells[%u];", declarations, 16 * block);
    if (m->scopes)
        emit(m, ".reg .b32 %%keep; .reg .b64 %%pointer; mov.u32 %%keep, 0; mov.u64 %%pointer, 0;");
    if (m->spaces)
        emit(m, ".local .align 16 .b8 stack[16]; st.local.v4.u32 [stack], {1, 2, 3, 4};");
    emit(m, "mov.u32 %%thread, %%tid.x;\n    mov.u32 %%block, %%ctaid.x;\n"
            "    mov.u32 %%gid, %%ntid.x;\n    mad.lo.u32 %%gid, %%block, %%gid, %%thread;");
    // Another thread of the CTA: the one in front; of the first, the last.
    emit(m,
         "setp.eq.u32 %%c0, %%thread, 0;\n    selp.u32 %%other, %u, 4294967295, %%c0;\n"
         "    add.u32 %%next, %%thread, %%other;\n    add.u32 %%other, %%gid, %%other;",
         block - 1);
    emit(m, "mov.u32 %%cell, cells;\n    mad.lo.u32 %%next, %%next, 16, %%cell;\n"
            "    mad.lo.u32 %%cell, %%thread, 16, %%cell;\n"
            "    st.shared.v4.u32 [%%cell], {%%gid, %%thread, %%block, %%next};");
    put_places(m, grid * block);
    put_tables(m);
    put_input(m, (struct input){.kind = INPUT_BUFFER, .fill = FILL_MIXED, .bytes = 64});
    put_input(m,
              (struct input){.kind = INPUT_BUFFER, .fill = FILL_ZERO, .bytes = 160 * grid * block});
    emit(m, "ld.param.u64 %%count, [p_count];\n    ld.param.u64 %%dump, [p_dump];");
    put_scalars(m);
    put_first_values(m);
}

void put_tail(struct maker *m)
{
    emit(m, "mul.wide.u32 %%slice, %%gid, 160;\n    add.s64 %%dump, %%dump, %%slice;");
    uint32_t at = 0;
    for (uint32_t i = 0; i < WORDS; i++, at += 4)
        emit(m, "st.global.u32 [%%dump+%u], %%r%u;", at, i);
    for (uint32_t i = 0; i < REALS; i++, at += 4)
        emit(m, "st.global.f32 [%%dump+%u], %%f%u;", at, i);
    for (uint32_t i = 0; i < PREDICATES; i++, at += 4)
        emit(m, "selp.u32 %%r0, 1, 0, %%p%u;\n    st.global.u32 [%%dump+%u], %%r0;", i, at);
    emit(m,
         "ld.shared.u32 %%r0, [%%cell];\n    ld.shared.u32 %%r1, [%%cell+12];\n"
         "    st.global.v2.u32 [%%dump+%u], {%%r0, %%r1};",
         at);
    at += 8;
    for (uint32_t i = 0; i < HALVES; i++, at += 2)
        emit(m, "st.global.u16 [%%dump+%u], %%h%u;", at, i);
    for (uint32_t i = 0; i < DOUBLES; i++, at += 8)
        emit(m, "st.global.u64 [%%dump+%u], %%d%u;", at, i);
    for (uint32_t i = 0; i < REAL_DOUBLES; i++, at += 8)
        emit(m, "st.global.f64 [%%dump+%u], %%g%u;", at, i);
    if (m->scopes)
        emit(m, "st.global.u32 [%%dump+%u], %%keep;", at);
    for (uint32_t i = 0; i < 4 && m->spaces; i++)
        emit(m, "ld.local.u32 %%r0, [stack+%u];\n    st.global.u32 [%%dump+%u], %%r0;", 4 * i,
             at + 4 + 4 * i);
    emit(m, "ret;\n}");
}
