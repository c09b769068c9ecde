// Kernels of random flow graphs, also irreducible ones, with calls.
#pragma once
#include "tests/unit/runtime-sim/kernel.h"

enum { GRAPH_BLOCKS = 12, GRAPH_TEXT = 1 << 16 };

struct graph {
    char data[GRAPH_TEXT];
    size_t length;
    uint64_t state;
    // Statements of the kernel's own between its blocks; NULL: none. Their registers are declared
    // by `declared`, and set up by `prepared`.
    void (*more)(struct graph *t);
    const char *declared, *prepared;
};

static inline uint32_t graph_pick(struct graph *t, uint32_t count)
{
    t->state = t->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->state >> 33) % count;
}

static inline void graph_put(struct graph *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void graph_put(struct graph *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->data + t->length, GRAPH_TEXT - t->length, format, list);
    va_end(list);
    assert_true(t->length < GRAPH_TEXT);
}

// Writes the end of a block: it changes %r1 and branches to one of two blocks, or to one of a list,
// by a bit of it; %r2 counts down and ends the kernel.
static inline void graph_branch(struct graph *t, uint32_t block)
{
    graph_put(t, "shr.u32 %%r4, %%r1, %u; and.b32 %%r4, %%r4, 3;\n", 3 + graph_pick(t, 20));
    switch (graph_pick(t, 4)) {
    case 0:
        graph_put(t, "T%u: .branchtargets B%u, B%u, B%u, B%u;\nbrx.idx %%r4, T%u;\n", block,
                  graph_pick(t, GRAPH_BLOCKS), graph_pick(t, GRAPH_BLOCKS),
                  graph_pick(t, GRAPH_BLOCKS), graph_pick(t, GRAPH_BLOCKS), block);
        break;
    case 1:
        graph_put(t, "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra B%u;\nbra B%u;\n",
                  graph_pick(t, GRAPH_BLOCKS), graph_pick(t, GRAPH_BLOCKS));
        break;
    default: // on to the next one
        graph_put(t, "setp.lt.u32 %%p2, %%r4, %u; @%%p2 bra B%u;\n", 1 + graph_pick(t, 3),
                  graph_pick(t, GRAPH_BLOCKS));
        break;
    }
}

static inline void graph_call(struct graph *t, uint32_t callee)
{
    graph_put(t,
              "{ .param .b32 a; .param .b32 f; .param .b32 b; st.param.b32 [a], %%r1;\n"
              "st.param.b32 [f], %%r2; call (b), f%u, (a, f); ld.param.b32 %%r1, [b]; }\n",
              callee);
}

static inline void graph_body(struct graph *t, uint32_t callees, const char *leave)
{
    for (uint32_t i = 0; i < GRAPH_BLOCKS; i++) {
        graph_put(t, "B%u:\nmad.lo.u32 %%r1, %%r1, %u, %u;\n", i, 2 * graph_pick(t, 1 << 20) + 1,
                  i);
        graph_put(t, "add.u32 %%r2, %%r2, -1; setp.le.s32 %%p1, %%r2, 0; @%%p1 bra LEAVE;\n");
        if (callees == 2 && t->more)
            t->more(t);
        if (callees && !graph_pick(t, 4))
            graph_call(t, graph_pick(t, callees));
        if (!graph_pick(t, 6))
            graph_put(t, "setp.gt.u32 %%p3, %%r1, 0xe0000000; @%%p3 %s;\n", leave);
        graph_branch(t, i);
    }
    graph_put(t, "LEAVE:\n");
}

static inline void graph_write(struct graph *t)
{
    graph_put(t, HEAD("8.0", "sm_80") ".const .u32 numbers[16] = {3, 1, 4, 1, 5, 9, 2, 6};\n");
    for (uint32_t f = 0; f < 2; f++) {
        graph_put(t, ".func (.param .b32 r) f%u(.param .b32 x, .param .b32 y)\n{\n", f);
        graph_put(
            t, ".reg .pred %%p<4>; .reg .b32 %%r<8>;\nld.param.u32 %%r1, [x]; ld.param.u32 %%r2, "
               "[y];\nmin.s32 %%r2, %%r2, 20; st.param.b32 [r], %%r2;\n");
        graph_body(t, f, "ret");
        graph_put(t, "st.param.b32 [r], %%r1; ret;\n}\n");
    }
    graph_put(t,
              ".entry k(.param .u64 out, .param .u64 in, .param .u64 sums)\n{\n.reg .pred %%p<4>; "
              ".reg .b32 %%r<8>; .reg .b64 %%x<4>;\n"
              "ld.param.u64 %%x0, [out]; mov.u32 %%r5, %%ctaid.x; mov.u32 %%r6, %%ntid.x;\n"
              "mov.u32 %%r7, %%tid.x; mad.lo.u32 %%r5, %%r5, %%r6, %%r7;\n"
              "mul.wide.u32 %%x1, %%r5, 4; add.u64 %%x2, %%x0, %%x1;\n"
              "mul.lo.u32 %%r1, %%r5, 0x9e3779b1; and.b32 %%r2, %%r5, 63; add.u32 %%r2, %%r2, 10;\n"
              "st.global.u32 [%%x2], %%r1;\n");
    if (t->more)
        graph_put(t, "%s%s", t->declared, t->prepared);
    graph_body(t, 2, "exit");
    graph_put(t, "st.global.u32 [%%x2], %%r1; ret;\n}\n");
}
