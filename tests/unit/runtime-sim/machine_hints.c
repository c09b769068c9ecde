// Cache operators and hints: lines that stay in the L1 and in the LLC.
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { LINE = 128, STEP = 8 * 32 * LINE }; // lines of one set of the first level, and of one slice

// One thread loads lines A to H, each with the operator after its letter, up to a space. None stays
// without a hint. By `place` the lines are in one partition without code.
static void write_kernel(struct text *t, const char *loads)
{
    t->length = 0;
    text_put(t, ".version 8.8\n.target sm_100\n.address_size 64\n"
                ".visible .entry k(.param .u64 a, .param .u32 place)\n{\n"
                ".reg .b32 %%r<40>; .reg .b64 %%d<8>; .reg .b64 %%v<4>;\n"
                "ld.param.u64 %%d1, [a]; ld.param.u32 %%r1, [place]; cvt.u64.u32 %%d2, %%r1;\n"
                "add.u64 %%d1, %%d1, %%d2;\n");
    while (*loads) {
        int length = (int)strcspn(loads + 1, " ");
        uint32_t at = (uint32_t)(*loads - 'A') * STEP;
        bool wide = memmem(loads, (size_t)length + 1, ".L2::", 5);
        bool store = length && loads[1] == '=';
        if (store)
            text_put(t, "st.global%.*s.u32 [%%d1+%u], %%r1;\n", length - 1, loads + 2, at);
        else if (wide)
            text_put(t, "ld.global%.*s.v4.b64 {%%v0, %%v1, %%v2, %%v3}, [%%d1+%u];\n", length,
                     loads + 1, at);
        else
            text_put(t, "ld.global%.*s.u32 %%r2, [%%d1+%u];\nadd.u32 %%r3, %%r2, 1;\n", length,
                     loads + 1, at);
        if (!store) // one after the other
            text_put(t, "membar.gl;\n");
        loads += 1 + length;
        loads += *loads == ' ';
    }
    text_put(t, "ret;\n}\n");
}

static void run(struct rig *r, const char *loads, const char *const *settings)
{
    static struct text t;
    enum { PARTITION = 7 };
    uint64_t base;
    write_kernel(&t, loads);
    rig_load(r, t.at, 1, settings);
    kernel_buffer(&r->k, 9 * STEP);
    memcpy(&base, r->k.params, 8);
    uint32_t place = 0;
    while (memsys_partition_of(rig_memsys(r), (base + place) / LINE) != PARTITION)
        place += LINE;
    kernel_u32(&r->k, place);
    rig_run(r, "k", 1, 1);
}

// Checks the loads that hit in the L1, of those that access it.
static void first_level(const char *loads, uint32_t hits, uint32_t reads)
{
    static struct rig r;
    run(&r, loads, NULL);
    if (rig_stat(&r, "l1.read_hits") != hits || rig_stat(&r, "l1.reads") != reads)
        fail_msg("%s: %g hits of %g, not %u of %u", loads, rig_stat(&r, "l1.read_hits"),
                 rig_stat(&r, "l1.reads"), hits, reads);
    rig_free(&r);
}

// Checks the hits of a slice with four lines per set.
static void last_level(const char *loads, uint32_t hits)
{
    static struct rig r;
    run(&r, loads, SETTINGS("llc.sets=1", "llc.ways=4", "core.l1_global=false"));
    double have = rig_stat(&r, "llc.read_hits") - rig_stat(&r, "memory.code.from_llc");
    if (have != hits)
        fail_msg("%s: %g hits, not %u", loads, have, hits);
    rig_free(&r);
}

// With four ways the fifth line evicts the oldest.
static void operators(void **state)
{
    (void)state;
    first_level("A B C D A", 1, 5);
    first_level("A B C D E A", 0, 6);
    first_level("A.ca B.ca A.ca B.ca", 2, 4);
    first_level("A.cg A.cg A A.cg A", 1, 2);
    first_level("A.cv A.cv", 0, 0);
    first_level("A.L1::no_allocate A.L1::no_allocate", 0, 0);
    // Streamed lines go first, though others are older.
    first_level("A B C D.cs E A", 1, 6);
    first_level("A B C D.cs E D", 0, 6);
    first_level("A B C D.lu E A", 1, 6);
}

static void first_level_hints(void **state)
{
    (void)state;
    first_level("A B C D.L1::evict_first E A", 1, 6);
    first_level("A B C D.L1::evict_first E D", 0, 6);
    first_level("A.L1::evict_last B C D E F G A", 1, 8);
    first_level("A.L1::evict_last B C D E B", 0, 6);
    // Loaded without a hint the line stays what it is; with evict_normal it is like others.
    first_level("A.L1::evict_last A B C D E F A", 2, 8);
    first_level("A.L1::evict_last A.L1::evict_normal B C D E A", 1, 7);
    // All of them to be kept: the oldest goes.
    first_level("A.L1::evict_last B.L1::evict_last C.L1::evict_last D.L1::evict_last E A", 0, 6);
    // A use, or none.
    first_level("A B C D A E A", 2, 7);
    first_level("A B C D A.L1::evict_unchanged E A", 1, 7);
}

static void last_level_hints(void **state)
{
    (void)state;
    last_level("A B C D A", 1);
    last_level("A B C D E A", 0);
    last_level("A B C D.cs E A", 1);
    last_level("A B C D.cs E D", 0);
    last_level("A B C D.L2::evict_first E A", 1);
    last_level("A.L2::evict_last B C D E F A", 1);
    last_level("A.L2::evict_last A.L2::evict_normal B C D E A", 1);
    // Stores, too: of a sector of 32 bytes, of which nobody reads.
    last_level("A B C D=.cs E A", 1);
    last_level("A B C D=.wb E A", 0);
    // Operators of the first level say nothing of the last one.
    last_level("A B C D.L1::evict_first E A", 0);
}

// With sectors, a load of one sector fetches that one, whatever the state of the line's others.
static void sectors(void **state)
{
    (void)state;
    static const char body[] = HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a)\n{\n"
                                                    ".reg .b32 %r<8>; .reg .b64 %d<4>;\n"
                                                    "ld.param.u64 %d1, [a];\n"
                                                    "ld.global.u32 %r1, [%d1]; membar.gl;\n"
                                                    "ld.global.u32 %r2, [%d1+28]; membar.gl;\n"
                                                    "ld.global.u32 %r3, [%d1+32]; membar.gl;\n"
                                                    "ld.global.u32 %r4, [%d1+64]; membar.gl;\n"
                                                    "ld.global.u32 %r4, [%d1+36]; ret;\n}\n";
    static struct rig r;
    for (int i = 0; i < 2; i++) {
        rig_load(&r, body, 1, i ? SETTINGS("l1.sector_bytes=32", "memory.sectors=true") : NULL);
        kernel_buffer(&r.k, LINE);
        rig_run(&r, "k", 1, 1);
        assert_true(rig_stat(&r, "l1.reads") == 5);
        assert_true(rig_stat(&r, "l1.read_hits") == (i ? 2 : 4));
        assert_true(rig_stat(&r, "l1.fetches") == (i ? 3 : 1));
        // Answers: a line in 5 flits, or a sector in 2; code is fetched in whole lines.
        double code = rig_stat(&r, "memory.code.requests") * 5;
        assert_true(rig_stat(&r, "reply.class0.flits") - code == (i ? 3 * 2 : 5));
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators),
        cmocka_unit_test(first_level_hints),
        cmocka_unit_test(last_level_hints),
        cmocka_unit_test(sectors),
    };
    return cmocka_run_group_tests_name("machine_hints", tests, NULL, NULL);
}
