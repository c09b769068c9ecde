// Loads, stores and addresses in every space, and the reports of bad addresses.
#include "tests/unit/runtime-sim/kernel.h"

enum { THREADS = 64, ROOM = 32 };

static const char *const prologue = HEAD(
    "8.8", "sm_100") ".shared .align 32 .b8 s[2048];\n"
                     ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                     ".reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b128 %q<4>;\n"
                     ".reg .pred %p<4>; .local .align 32 .b8 l[64];\n"
                     "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
                     "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 32;\n"
                     "add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n";

// Puts each thread's 32 bytes at an address of the space.
static const struct {
    const char *space, *setup, *address;
} places[] = {
    {".global", "", "%rd4"},
    {"", "", "%rd4"},
    {".shared", "mov.u32 %r2, s; shl.b32 %r3, %r1, 5; add.u32 %r4, %r2, %r3;\n", "%r4"},
    {"", "mov.u64 %rd10, s; add.u64 %rd11, %rd10, %rd3; cvta.shared.u64 %rd12, %rd11;\n", "%rd12"},
    {".local", "mov.u64 %rd13, l;\n", "%rd13"},
    {"", "mov.u64 %rd13, l; cvta.local.u64 %rd14, %rd13;\n", "%rd14"},
};
enum { PLACES = sizeof places / sizeof *places };

static void put_copy(char *to, size_t size, uint32_t place)
{
    snprintf(to, size,
             "%sld.global.v2.b64 {%%rd6, %%rd7}, [%%rd4];\n"
             "ld.global.v2.b64 {%%rd8, %%rd9}, [%%rd4+16];\n"
             "st%s.v2.b64 [%s], {%%rd6, %%rd7}; st%s.v2.b64 [%s+16], {%%rd8, %%rd9};\n",
             places[place].setup, places[place].space, places[place].address, places[place].space,
             places[place].address);
}

static void fill(uint8_t *to)
{
    for (uint32_t i = 0; i < THREADS * ROOM; i++)
        to[i] = (uint8_t)(i * 167 + (i >> 5) * 29 + 5);
}

static const struct {
    const char *type;
    uint32_t bytes;
    bool sign;
} types[] = {
    {"u8", 1, false},  {"s8", 1, true},   {"b8", 1, false},  {"u16", 2, false},
    {"s16", 2, true},  {"b16", 2, false}, {"u32", 4, false}, {"s32", 4, true},
    {"b32", 4, false}, {"u64", 8, false}, {"s64", 8, true},
};
static const struct {
    const char *name;
    uint32_t bytes;
} registers[] = {{"%h1", 2}, {"%r10", 4}, {"%rd15", 8}};

// Returns the contents of a register of `width` bytes, byte by byte.
static uint64_t extended(const uint8_t *from, uint32_t bytes, bool sign, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++) {
        uint8_t byte = i < bytes ? from[i] : sign && from[bytes - 1] & 0x80 ? 0xff : 0;
        value |= (uint64_t)byte << 8 * i;
    }
    return value;
}

static void check_load(uint32_t place, uint32_t type, uint32_t reg, const char *lanes)
{
    char copy[512], text[4096];
    struct kernel k;
    put_copy(copy, sizeof copy, place);
    snprintf(text, sizeof text, "%s%sld%s.%s %s, [%s+8]; st.global.b%u [%%rd5], %s; ret;\n}\n",
             prologue, copy, places[place].space, types[type].type, registers[reg].name,
             places[place].address, registers[reg].bytes * 8, registers[reg].name);
    kernel_load(&k, text, lanes);
    uint8_t *in = kernel_buffer(&k, THREADS * ROOM), *out = kernel_buffer(&k, THREADS * ROOM);
    fill(in);
    kernel_succeeds(&k, "k", 1, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint64_t expected = extended(in + i * ROOM + 8, types[type].bytes, types[type].sign,
                                     registers[reg].bytes),
                 found = 0;
        memcpy(&found, out + i * ROOM, 8);
        if (found != expected)
            fail_msg("ld%s.%s %s, thread %u: %#llx, not %#llx", places[place].space,
                     types[type].type, registers[reg].name, i, (unsigned long long)found,
                     (unsigned long long)expected);
    }
    kernel_free(&k);
}

static void test_loads(void **state)
{
    (void)state;
    for (uint32_t place = 0; place < PLACES; place++)
        for (uint32_t type = 0; type < sizeof types / sizeof *types; type++)
            for (uint32_t reg = 0; reg < 3; reg++)
                if (types[type].bytes <= registers[reg].bytes) {
                    check_load(place, type, reg, NULL);
                    check_load(place, type, reg, "plain");
                }
}

// Registers declared as vectors, as a whole; their elements may be wider than the data loaded or
// stored. The guard of odd threads is false.
static void test_vector_registers(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                                     ".reg .v4 .b32 %v<4>; .reg .v2 .b64 %w; .reg .pred %p;\n"
                                     ".reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
                                     "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
                                     "mov.u32 %r1, %tid.x; mad.wide.u32 %rd1, %r1, 16, %rd1;\n"
                                     "mad.wide.u32 %rd2, %r1, 48, %rd2; and.b32 %r2, %r1, 1;\n"
                                     "setp.eq.u32 %p, %r2, 0; mov.v4.b32 %v1, {7, 7, 7, 7};\n"
                                     "@%p ld.global.v4.u32 %v1, [%rd1];\n"
                                     "st.global.v4.u32 [%rd2], {%v1.w, %v1.x, %v1.y, %v1.z};\n"
                                     "createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0;\n"
                                     "ld.global.v2.b64 %w, [%rd1];\n"
                                     "st.global.L2::cache_hint.v2.b64 [%rd2+16], %w, %rd5;\n"
                                     "ld.global.v4.s8 %v2, [%rd1+4];\n"
                                     "st.global.v2.b32 [%rd2+32], {%v2.y, %v2.w};\n"
                                     "st.global.u64 [%rd2+40], 0;\n"
                                     "@%p st.global.v4.u8 [%rd2+40], %v1; ret;\n}\n",
                NULL);
    uint8_t *in = kernel_buffer(&k, 33 * 16), *out = kernel_buffer(&k, 33 * 48);
    for (uint32_t i = 0; i < 33 * 16; i++)
        in[i] = (uint8_t)(i * 89);
    kernel_succeeds(&k, "k", 1, 33);
    for (uint32_t i = 0; i < 33; i++, in += 16, out += 48) {
        uint32_t words[4], expected[12] = {7, 7, 7, 7};
        memcpy(words, in, sizeof words);
        for (uint32_t e = 0; e < 4 && i % 2 == 0; e++)
            expected[(e + 1) % 4] = words[e];
        memcpy(expected + 4, words, sizeof words);
        expected[8] = (uint32_t)(int8_t)in[5];
        expected[9] = (uint32_t)(int8_t)in[7];
        for (uint32_t e = 0; e < 4 && i % 2 == 0; e++)
            expected[10] |= (words[e] & 0xff) << 8 * e;
        assert_memory_equal(out, expected, sizeof expected);
    }
    kernel_free(&k);
}

// A narrow store changes its own bytes only.
static void test_stores(void **state)
{
    (void)state;
    for (uint32_t place = 0; place < PLACES; place++)
        for (uint32_t type = 0; type < sizeof types / sizeof *types; type++) {
            char copy[512], text[4096];
            struct kernel k;
            put_copy(copy, sizeof copy, place);
            const char *reg = types[type].bytes == 8 ? "%rd15" : "%r10";
            snprintf(text, sizeof text,
                     "%s%sld.global.b%u %s, [%%rd4+24]; st%s.%s [%s+8], %s;\n"
                     "ld%s.v2.b64 {%%rd6, %%rd7}, [%s]; st.global.v2.b64 [%%rd5], {%%rd6, %%rd7};\n"
                     "ret;\n}\n",
                     prologue, copy, types[type].bytes == 8 ? 64 : 32, reg, places[place].space,
                     types[type].type, places[place].address, reg, places[place].space,
                     places[place].address);
            kernel_load(&k, text, place & 1 ? "plain" : NULL);
            uint8_t *in = kernel_buffer(&k, THREADS * ROOM),
                    *out = kernel_buffer(&k, THREADS * ROOM), before[THREADS * ROOM];
            fill(in);
            memcpy(before, in, sizeof before);
            kernel_succeeds(&k, "k", 1, THREADS);
            for (uint32_t i = 0; i < THREADS * ROOM; i++) {
                uint32_t at = i % ROOM;
                if (at >= 16)
                    continue;
                uint8_t expected =
                    at >= 8 && at < 8 + types[type].bytes ? before[i + 16] : before[i];
                assert_int_equal(out[i], expected);
            }
            kernel_free(&k);
        }
}

// Vectors of every length, sinks in them, and 128 bits in one register.
static void test_vectors(void **state)
{
    (void)state;
    static const char *const moves[] = {
        "ld.global.v8.b32 {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10}, [%rd4];\n"
        "st.global.v8.b32 [%rd5], {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10};\n",
        "ld.global.v4.u64 {%rd6, %rd7, %rd8, %rd9}, [%rd4];\n"
        "st.global.v4.u64 [%rd5], {%rd6, %rd7, %rd8, %rd9};\n",
        "ld.global.b128 %q1, [%rd4]; st.global.b128 [%rd5], %q1;\n"
        "ld.b128 %q2, [%rd4+16]; mov.b128 {%rd6, %rd7}, %q2;\n"
        "st.global.v2.b64 [%rd5+16], {%rd6, %rd7};\n",
        "ld.global.v4.b32 {%r3, _, %r5, %r6}, [%rd4]; ld.global.b32 %r4, [%rd4+4];\n"
        "st.global.v4.b32 [%rd5], {%r3, %r4, %r5, %r6};\n"
        "ld.global.v4.u8 {%r3, %r4, %r5, %r6}, [%rd4+16]; ld.global.v2.b16 {%h1, %h2}, [%rd4+20];\n"
        "st.global.v4.u8 [%rd5+16], {%r3, %r4, %r5, %r6}; st.global.v2.b16 [%rd5+20], {%h1, %h2};\n"
        "ld.global.v2.f32 {%r3, %r4}, [%rd4+24]; st.global.v2.f32 [%rd5+24], {%r3, %r4};\n",
        "ld.global.v4.b64 {%rd6, %rd7, %rd8, %rd9}, [%rd4];\n"
        "st.global.v4.b64 [%rd5], {_, %rd7, _, %rd9};\n"
        "st.global.b64 [%rd5], %rd6; st.global.b64 [%rd5+16], %rd8;\n",
    };
    for (uint32_t m = 0; m < sizeof moves / sizeof *moves; m++) {
        char text[4096];
        struct kernel k;
        snprintf(text, sizeof text, "%s%sret;\n}\n", prologue, moves[m]);
        kernel_load(&k, text, m & 1 ? "plain" : NULL);
        uint8_t *in = kernel_buffer(&k, THREADS * ROOM), *out = kernel_buffer(&k, THREADS * ROOM);
        fill(in);
        kernel_succeeds(&k, "k", 1, THREADS);
        if (memcmp(in, out, THREADS * ROOM))
            fail_msg("move %u differs", m);
        kernel_free(&k);
    }
}

// A sink in a store leaves memory unchanged.
static void test_sink_keeps(void **state)
{
    (void)state;
    char text[4096];
    struct kernel k;
    snprintf(text, sizeof text, "%sst.global.v4.b64 [%%rd5], {_, %%rd3, %%rd3, _};\nret;\n}\n",
             prologue);
    kernel_load(&k, text, NULL);
    kernel_buffer(&k, THREADS * ROOM);
    uint8_t *out = kernel_buffer(&k, THREADS * ROOM);
    memset(out, 0xaa, THREADS * ROOM);
    kernel_succeeds(&k, "k", 1, THREADS);
    for (uint32_t i = 0; i < THREADS * 4; i++) {
        uint64_t expected = i % 4 == 1 || i % 4 == 2 ? i / 4 * 32 : UINT64_C(0xaaaaaaaaaaaaaaaa);
        assert_memory_equal(out + i * 8, &expected, 8);
    }
    kernel_free(&k);
}

// Lanes of one instruction in three spaces.
static void test_mixed_generic(void **state)
{
    (void)state;
    char text[4096];
    struct kernel k;
    snprintf(
        text, sizeof text,
        "%scvta.shared.u64 %%rd10, s; mov.u64 %%rd13, l; cvta.local.u64 %%rd11, %%rd13;\n"
        "add.u64 %%rd10, %%rd10, %%rd3; rem.u32 %%r5, %%r1, 3;\n"
        "setp.eq.u32 %%p1, %%r5, 0; setp.eq.u32 %%p2, %%r5, 1;\n"
        "selp.b64 %%rd12, %%rd10, %%rd11, %%p1; selp.b64 %%rd12, %%rd5, %%rd12, %%p2;\n"
        "mul.lo.u32 %%r6, %%r1, 7; st.u32 [%%rd12+4], %%r6;\n"
        "ld.u32 %%r7, [%%rd12+4]; st.global.u32 [%%rd5], %%r7;\n"
        "ld.shared.u32 %%r8, [s+4]; st.global.u32 [%%rd5+8], %%r8;\n"
        "isspacep.shared %%p1, %%rd12; isspacep.local %%p2, %%rd12;\n"
        "isspacep.global %%p3, %%rd12; selp.b32 %%r8, 1, 0, %%p1; @%%p2 add.u32 %%r8, %%r8, 2;\n"
        "@%%p3 add.u32 %%r8, %%r8, 4; st.global.u32 [%%rd5+12], %%r8;\n"
        "cvta.to.shared.u64 %%rd15, %%rd10; st.global.u64 [%%rd5+16], %%rd15;\nret;\n}\n",
        prologue);
    kernel_load(&k, text, NULL);
    kernel_buffer(&k, 64);
    uint32_t *out = kernel_buffer(&k, THREADS * ROOM);
    kernel_succeeds(&k, "k", 1, THREADS);
    static const uint32_t kinds[] = {1, 4, 2};
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(out[i * 8], i * 7);
        assert_int_equal(out[i * 8 + 1], i % 3 == 1 ? i * 7 : 0);
        assert_int_equal(out[i * 8 + 2], 0);
        assert_int_equal(out[i * 8 + 3], kinds[i % 3]);
        assert_int_equal(out[i * 8 + 4], i * 32);
    }
    kernel_free(&k);
}

// Parameters by register, as vectors, in functions; constants; memory of a stack.
static void test_parameters(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.3",
             "sm_80") ".const .align 8 .b32 c[4] = {11, 22, 33, 44};\n"
                      ".func (.param .align 16 .b8 r[16]) swap(.param .align 16 .b8 x[16])\n{\n"
                      ".reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                      "mov.b64 %rd1, x; ld.param.v2.b32 {%r1, %r2}, [%rd1];\n"
                      "ld.param.v2.b32 {%r3, %r4}, [x+8];\n"
                      "st.param.v4.b32 [r], {%r4, %r3, %r2, %r1}; ret;\n}\n"
                      ".entry k(.param .u64 out, .param .align 16 .b8 v[16])\n{\n"
                      ".reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
                      "ld.param.u64 %rd1, [out]; mov.b64 %rd2, v;\n"
                      "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [v];\n"
                      "ld.param.u32 %r5, [%rd2+4]; cvta.param.u64 %rd3, %rd2;\n"
                      "ld.u32 %r6, [%rd3+8];\n"
                      "{ .param .align 16 .b8 a[16]; .param .align 16 .b8 b[16];\n"
                      "st.param.v4.b32 [a], {%r1, %r2, %r3, %r4}; call (b), swap, (a);\n"
                      "ld.param.v4.b32 {%r7, %r8, %r9, %r10}, [b]; }\n"
                      "st.global.v4.b32 [%rd1], {%r7, %r8, %r9, %r10};\n"
                      "ld.const.u32 %r11, [c+8]; cvta.const.u64 %rd4, c;\n"
                      "ld.u32 %r12, [%rd4+12];\n"
                      "st.global.v4.b32 [%rd1+16], {%r5, %r6, %r11, %r12};\n"
                      "ld.param.u8 %r13, [v+1]; ld.param.s8 %r14, [v+3];\n"
                      "st.global.v2.b32 [%rd1+32], {%r13, %r14}; ret;\n}\n",
        NULL);
    uint32_t *out = kernel_buffer(&k, 64);
    static const uint32_t v[4] = {0x89abcdef, 2, 3, 4};
    k.param_bytes = 16;
    memcpy(k.params + 16, v, 16);
    kernel_succeeds(&k, "k", 1, 1);
    static const uint32_t expected[] = {4, 3, 2, 0x89abcdef, 2, 3, 33, 44, 0xcd, 0xffffff89};
    assert_memory_equal(out, expected, sizeof expected);
    kernel_free(&k);
}

// Memory from alloca outlives the branch that allocated it, and belongs to one lane.
static void test_stack(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".func f()\n{\n.local .b8 room[512]; .reg .b32 %r<4>;\n"
                                     "mov.u32 %r1, -1; st.local.u32 [room], %r1;\n"
                                     "st.local.u32 [room+508], %r1; ret;\n}\n"
                                     ".entry k(.param .u64 out)\n{\n"
                                     ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\n"
                                     "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
                                     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                     "stacksave.u64 %rd9; and.b32 %r2, %r1, 1;\n"
                                     "setp.eq.u32 %p1, %r2, 0; mov.u64 %rd4, 0; @%p1 bra E;\n"
                                     "mul.wide.u32 %rd5, %r1, 16; add.u64 %rd5, %rd5, 16;\n"
                                     "alloca.u64 %rd4, %rd5, 64; bra J;\n"
                                     "E: alloca.u64 %rd4, 8;\nJ:\n"
                                     "st.local.u32 [%rd4], %r1; call f, ();\n"
                                     "ld.local.u32 %r3, [%rd4]; stackrestore.u64 %rd9;\n"
                                     "stacksave.u64 %rd10; setp.eq.u64 %p2, %rd9, %rd10;\n"
                                     "@%p2 add.u32 %r3, %r3, 1000;\n"
                                     "st.global.u32 [%rd3], %r3; ret;\n}\n",
                NULL);
    uint32_t *out = kernel_buffer(&k, 64 * 4);
    kernel_succeeds(&k, "k", 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i + 1000);
    kernel_free(&k);
}

// Clusters: each CTA writes to its neighbour's shared memory, by mapa and by generic address.

static void run_clusters(struct kernel *k, uint32_t grid, uint32_t cluster, uint32_t block)
{
    const struct program_function *function = program_find(&k->program, "k");
    if (function->refusal)
        fail_msg("%s", function->refusal);
    struct launch launch = {.program = &k->program,
                            .function = (uint32_t)(function - k->program.functions.v),
                            .grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .cluster = {cluster, 1, 1},
                            .params = k->params,
                            .image = &k->image};
    struct grid_options options = {.max_idle = 1000};
    kernel_execute(&launch, &k->arena, &options, &k->result);
}

#define CLUSTER                                                                                    \
    HEAD("8.0", "sm_90")                                                                           \
    ".shared .align 8 .b32 s[64];\n.entry k(.param .u64 out)\n{\n"                                 \
    ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\n"                                     \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"                      \
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 16;\n"           \
    "add.u64 %rd3, %rd1, %rd2; mov.u32 %r5, %cluster_ctarank; mov.u32 %r6, %cluster_nctarank;\n"   \
    "add.u32 %r7, %r5, 1; rem.u32 %r7, %r7, %r6; mov.u32 %r8, s; shl.b32 %r9, %r1, 2;\n"           \
    "add.u32 %r8, %r8, %r9;\n"

static void test_cluster(void **state)
{
    (void)state;
    struct kernel k;
    // The neighbour's word says when it is there: no barrier is needed.
    kernel_load(&k,
                CLUSTER "mapa.shared::cluster.u32 %r10, %r8, %r7; add.u32 %r11, %r4, 100;\n"
                        "st.relaxed.cluster.shared::cluster.u32 [%r10], %r11;\n"
                        "L: ld.relaxed.cluster.shared.u32 %r12, [%r8];\n"
                        "setp.eq.u32 %p1, %r12, 0; @%p1 bra L;\n"
                        "getctarank.shared::cluster.u32 %r13, %r10;\n"
                        "cvt.u64.u32 %rd4, %r8; cvta.shared.u64 %rd5, %rd4;\n"
                        "mapa.u64 %rd6, %rd5, %r7; getctarank.u64 %r14, %rd6;\n"
                        "isspacep.shared::cluster %p1, %rd6; isspacep.shared::cta %p2, %rd6;\n"
                        "selp.b32 %r15, 1, 0, %p1; @%p2 add.u32 %r15, %r15, 2;\n"
                        "st.global.v4.u32 [%rd3], {%r12, %r13, %r14, %r15}; ret;\n}\n",
                NULL);
    uint32_t *out = kernel_buffer(&k, 12 * 64 * 16);
    run_clusters(&k, 12, 4, 64);
    if (k.result.fault.happened)
        fail_msg("%s", k.result.fault.text);
    assert_false(k.result.stuck);
    for (uint32_t i = 0; i < 12 * 64; i++) {
        uint32_t cta = i / 64, before = cta / 4 * 4 + (cta + 3) % 4;
        assert_int_equal(out[i * 4], before * 64 + i % 64 + 100);
        assert_int_equal(out[i * 4 + 1], (cta + 1) % 4);
        assert_int_equal(out[i * 4 + 2], (cta + 1) % 4);
        assert_int_equal(out[i * 4 + 3], 1);
    }
    kernel_free(&k);
}

static void test_cluster_bounds(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                CLUSTER
                "mapa.shared::cluster.u32 %r10, %r8, 2; ld.shared::cluster.u32 %r11, [%r10];\n}\n",
                NULL);
    kernel_buffer(&k, 64);
    run_clusters(&k, 2, 2, 1);
    assert_true(k.result.fault.happened);
    assert_non_null(strstr(k.result.fault.text, "no CTA of the cluster"));
    run_clusters(&k, 3, 2, 1);
    assert_non_null(strstr(k.result.fault.text, "clusters"));
    kernel_free(&k);
}

// Faults

static const struct {
    const char *text, *what, *nearest;
} faults[] = {
    {"ld.global.u32 %r5, [%rd1+4096];", "load of 4 bytes", "at the end of 'c' (4096 bytes)"},
    {"ld.global.u32 %r5, [%rd1+4112];", "in no allocation", "16 bytes after 'c' (4096 bytes)"},
    {"ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+4084];", "is not aligned",
     "4084 bytes into 'c' (4096 bytes)"},
    {"ld.global.v2.u64 {%rd6, %rd7}, [%rd2+16];", "load of 16 bytes",
     "16 bytes into 'd' (24 bytes)"},
    {"st.global.u16 [%rd1+3], %h1;", "store of 2 bytes", "3 bytes into 'c' (4096 bytes)"},
    {"st.global.u32 [%rd3+8], %r5;", "in no allocation", "inside 'x', which was freed"},
    {"ld.global.u32 %r5, [%rd2+-8];", "in no allocation", "8 bytes before 'd' (24 bytes)"},
    {"mov.u64 %rd9, 0; ld.u32 %r5, [%rd9];", "in no allocation", "not near any allocation"},
    {"mov.u64 %rd9, -16; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd9];", "in no allocation",
     "not near any allocation"},
    {"ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd2+16];",
     "extends beyond the allocation in which it starts", "16 bytes into 'd' (24 bytes)"},
    {"mov.u32 %r5, s; st.shared.u32 [%r5+-4], %r5;", "outside of the CTA's shared memory",
     "4 bytes before the CTA's 2048 bytes of shared memory"},
    {"mov.u32 %r5, 0x7fffff00; st.shared.u32 [%r5], %r5;", "outside of the CTA's shared memory",
     "bytes after 's' (2048 bytes)"},
    {"ld.local.u64 %rd9, [l+4];", "is not aligned", "4 bytes into 'local memory' (64 bytes)"},
    {"mov.u64 %rd9, l; st.local.u32 [%rd9+-4], %r5;", "outside of the thread's local memory",
     "4 bytes before the thread's 64 bytes of local memory"},
    // The kernel's parameters lie between: no access of a buffer goes there on purpose.
    {"ld.global.u32 %r5, [%rd3+2000];", "in no allocation", "1936 bytes after 'x' (64 bytes)"},
    {"ld.param.u32 %r5, [d+2];", "is not aligned", "10 bytes into 'kernel parameters' (24 bytes)"},
    {"ld.param.u32 %r5, [x+8];", "in no allocation", "at the end of 'kernel parameters'"},
    {"ld.shared.u32 %r5, [s+2048];", "outside of the CTA's shared memory",
     "at the end of 's' (2048 bytes)"},
    {"st.shared.u64 [s+2060], %rd1;", "is not aligned", ""},
    {"cvta.shared.u64 %rd9, s; ld.u64 %rd8, [%rd9+2048];", "shared address", "'s'"},
    {"ld.local.u32 %r5, [l+64];", "outside of the thread's local memory",
     "at the end of 'local memory' (64 bytes)"},
    {"st.local.v2.u32 [l+60], {%r5, %r5};", "is not aligned", ""},
    {"cvta.const.u64 %rd9, t; st.u32 [%rd9], %r5;", "is in constant memory", "0 bytes into 't'"},
};

static void test_faults(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[4096];
        struct kernel k;
        snprintf(text, sizeof text,
                 HEAD("8.0", "sm_80") ".shared .align 16 .b8 s[2048]; .const .b32 t[4];\n"
                                      ".entry k(.param .u64 c, .param .u64 d, .param .u64 x)\n{\n"
                                      ".reg .b16 %%h<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
                                      ".reg .pred %%p<4>; .local .align 16 .b8 l[64];\n"
                                      "ld.param.u64 %%rd1, [c]; ld.param.u64 %%rd2, [d];\n"
                                      "ld.param.u64 %%rd3, [x]; mov.u32 %%r1, %%tid.x;\n"
                                      "setp.ne.u32 %%p1, %%r1, 37; @%%p1 exit;\n%s\nret;\n}\n",
                 faults[i].text);
        kernel_load(&k, text, NULL);
        static const char *const names[] = {"c", "d", "x"};
        static const uint64_t sizes[] = {4096, 24, 64};
        for (uint32_t b = 0; b < 3; b++) {
            uint64_t address = image_allocate(&k.image, sizes[b], 256, names[b]);
            memcpy(k.params + b * 8, &address, 8);
            if (b == 2)
                assert_true(image_free(&k.image, address));
        }
        kernel_run(&k, "k", 1, 64, 0);
        assert_true(k.result.fault.happened);
        if (!strstr(k.result.fault.text, faults[i].what) ||
            !strstr(k.result.fault.nearest, faults[i].nearest))
            fail_msg("%s: %s; %s", faults[i].text, k.result.fault.text, k.result.fault.nearest);
        assert_int_equal(k.result.fault.thread[0], 37);
        const struct ir_function *fn =
            &k.module.functions.v[k.program.functions.v[k.result.fault.function].function];
        assert_int_equal(source_position_at(
                             &k.source, k.tree.nodes.v[fn->insts.v[k.result.fault.inst].node].begin)
                             .line,
                         12);
        kernel_free(&k);
    }
}

static void test_constant_store_refused(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".const .b32 t[4];\n.entry k()\n{\nst.u32 [t], 1; ret;\n}\n"
                                     ".entry other()\n{\nret;\n}\n",
                NULL);
    assert_non_null(program_find(&k.program, "k")->refusal);
    assert_null(program_find(&k.program, "other")->refusal);
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),      cmocka_unit_test(test_vector_registers),
        cmocka_unit_test(test_stores),     cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_sink_keeps), cmocka_unit_test(test_mixed_generic),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_stack),
        cmocka_unit_test(test_cluster),    cmocka_unit_test(test_cluster_bounds),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_constant_store_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
