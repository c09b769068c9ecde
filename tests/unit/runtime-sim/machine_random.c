// Random kernels on machines of several kinds: values are those of a functional run, the order of
// evaluation changes nothing, and statistics add up.
#include "tests/lib/sanitized.h"
#include "tests/unit/runtime-sim/machine_fixture.h"
#include "tests/unit/runtime-sim/random_graph.h"

enum { MACHINES = 5, KERNELS = IS_SANITIZED ? MACHINES : 2 * MACHINES };
enum { CTAS = 10, BLOCK = 96, THREADS = CTAS * BLOCK, OWN = 4, SUMS = 1024 };

static const char declared[] = ".reg .b32 %m<8>; .reg .b64 %y<6>; .shared .b32 own[384];\n"
                               ".local .align 16 .b32 spill[8];\n";
static const char prepared[] =
    "ld.param.u64 %y1, [in]; ld.param.u64 %y2, [sums]; mov.u64 %y3, spill; mov.u64 %y4, numbers;\n"
    "mov.u32 %m2, own; shl.b32 %m3, %r7, 2; add.u32 %m2, %m2, %m3;\n"
    "st.shared.u32 [%m2], 1; st.shared.u32 [%m2+384], 2; st.shared.u32 [%m2+768], 3;\n"
    "st.shared.u32 [%m2+1152], 4; mov.u32 %m0, 5;\n"
    "st.local.v4.u32 [%y3], {%m0, %m0, %m0, %m0}; st.local.v4.u32 [%y3+16], {%m0, %m0, %m0, "
    "%m0};\n";

// Writes an address in a table of this many bytes, from %r1, to %y0.
static void put_place(struct graph *t, uint32_t mask, const char *base)
{
    graph_put(t, "and.b32 %%m0, %%r1, %u; cvt.u64.u32 %%y0, %%m0; add.u64 %%y0, %%y0, %s;\n", mask,
              base);
}

static const char *any_of(struct graph *t, const char *const *words, uint32_t count)
{
    return words[graph_pick(t, count)];
}

static void put_input(struct graph *t)
{
    static const char *const kinds[] = {"",          ".ca",
                                        ".cg",       ".cs",
                                        ".cv",       ".lu",
                                        ".nc",       ".L1::evict_first",
                                        ".volatile", ".L1::no_allocate"};
    if (graph_pick(t, 3)) {
        put_place(t, 16380, "%y1");
        graph_put(t, "ld.global%s.u32 %%m1, [%%y0]; add.u32 %%r1, %%r1, %%m1;\n",
                  any_of(t, kinds, 10));
        return;
    }
    put_place(t, 16368, "%y1");
    graph_put(t,
              "ld.global%s.v4.u32 {%%m1, %%m4, %%m5, %%m6}, [%%y0];\n"
              "add.u32 %%r1, %%r1, %%m1; xor.b32 %%r1, %%r1, %%m6;\n",
              any_of(t, kinds, 5));
}

// Accesses words of local memory, each in its own line, so that a wide access has several lines.
static void put_local(struct graph *t)
{
    static const struct {
        uint32_t mask;
        const char *access;
    } kinds[] = {
        {28, "st.local.u32 [%y0], %r1;"},
        {28, "ld.local.u32 %m1, [%y0]; xor.b32 %r1, %r1, %m1;"},
        {24, "st.local.v2.u32 [%y0], {%r1, %r2};"},
        {24, "ld.local.v2.u32 {%m1, %m4}, [%y0]; mad.lo.u32 %r1, %m4, 7, %m1;"},
        {24, "ld.local.u64 %y5, [%y0]; cvt.u32.u64 %m4, %y5; shr.u64 %y5, %y5, 32;\n"
             "cvt.u32.u64 %m1, %y5; mad.lo.u32 %r1, %m4, 9, %m1;"},
        {16, "ld.local.v4.u32 {%m1, %m4, %m5, %m6}, [%y0]; add.u32 %m1, %m1, %m5;\n"
             "mad.lo.u32 %r1, %m4, 7, %m1; xor.b32 %r1, %r1, %m6;"},
        // The words of a load are stored again behind it, and loaded behind stores of each.
        {24, "ld.local.v2.u32 {%m1, %m4}, [%y0]; st.local.u32 [%y0], %r2;\n"
             "st.local.u32 [%y0+4], %r1; mad.lo.u32 %r1, %m4, 7, %m1;"},
        {24, "st.local.u32 [%y0+4], %r1; st.local.u32 [%y0], %r2;\n"
             "ld.local.v2.u32 {%m1, %m4}, [%y0]; mad.lo.u32 %r1, %m4, 7, %m1;"},
    };
    uint32_t kind = graph_pick(t, sizeof kinds / sizeof *kinds);
    put_place(t, kinds[kind].mask, "%y3");
    graph_put(t, "%s\n", kinds[kind].access);
}

// Accesses words of global, shared and local memory that only this thread uses.
static void put_own(struct graph *t)
{
    static const char *const stores[] = {"", ".wb", ".cg", ".cs", ".wt", ".L1::evict_last"};
    static const char *const loads[] = {"", ".ca", ".cg", ".cv"};
    uint32_t at = graph_pick(t, OWN);
    switch (graph_pick(t, 6)) {
    case 0:
        graph_put(t, "st.global%s.u32 [%%x2+%u], %%r1;\n", any_of(t, stores, 6),
                  (at + 1) * THREADS * 4);
        break;
    case 1:
        graph_put(t, "ld.global%s.u32 %%m1, [%%x2+%u]; xor.b32 %%r1, %%r1, %%m1;\n",
                  any_of(t, loads, 4), (at + 1) * THREADS * 4);
        break;
    case 2: graph_put(t, "st.shared.u32 [%%m2+%u], %%r1;\n", at * BLOCK * 4); break;
    case 3:
        graph_put(t, "ld.shared.u32 %%m1, [%%m2+%u]; xor.b32 %%r1, %%r1, %%m1;\n", at * BLOCK * 4);
        break;
    default: put_local(t); break;
    }
}

static void put_memory(struct graph *t)
{
    switch (graph_pick(t, 8)) {
    case 0:
    case 1: put_input(t); break;
    case 2:
        put_place(t, 4 * SUMS - 4, "%y2");
        graph_put(t, graph_pick(t, 2) ? "red.global.add.u32 [%%y0], %%r2;\n"
                                      : "atom.global.add.u32 %%m1, [%%y0], %%r2;\n");
        break;
    case 3:
        put_place(t, 60, "%y4");
        graph_put(t, "ld.const.u32 %%m1, [%%y0]; add.u32 %%r1, %%r1, %%m1;\n");
        break;
    case 4: graph_put(t, graph_pick(t, 2) ? "membar.gl;\n" : "fence.acq_rel.cta;\n"); break;
    default: put_own(t); break;
    }
}

struct buffers {
    uint32_t *out, *sums;
};

static struct buffers fill(struct kernel *k)
{
    struct buffers b;
    b.out = kernel_buffer(k, (OWN + 1) * THREADS * 4);
    uint32_t *in = kernel_buffer(k, 16384);
    b.sums = kernel_buffer(k, SUMS * 4);
    for (uint32_t i = 0; i < 4096; i++)
        in[i] = i * 2654435761u;
    return b;
}

static void add_up(const struct rig *r)
{
    static const char *const clients[] = {"l1", "direct", "code", "constant", "texture"};
    double requests = 0;
    rig_check_slots(r);
    // Every request is answered, once.
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        char name[32];
        snprintf(name, sizeof name, "memory.%s", clients[i]);
        assert_true(rig_of(r, name, "requests") == rig_of(r, name, "answers"));
        requests += rig_of(r, name, "requests");
    }
    assert_true(requests == rig_stat(r, "memory.requests"));
    assert_int_equal(memsys_inside(rig_memsys(r)), 0);
    // What goes into a network comes out of it.
    assert_true(rig_stat(r, "request.class0.flits_sent") == rig_stat(r, "request.class0.flits"));
    assert_true(rig_stat(r, "reply.class0.flits_sent") == rig_stat(r, "reply.class0.flits"));
    // First level: loads are hits, misses and merges; each store goes on.
    assert_true(rig_stat(r, "core.global_loads") ==
                rig_stat(r, "l1.reads") + rig_stat(r, "core.direct_loads"));
    assert_true(rig_stat(r, "core.global_stores") == rig_stat(r, "l1.writes"));
    assert_true(rig_stat(r, "l1.writes") == rig_stat(r, "l1.write_throughs"));
    assert_true(rig_stat(r, "l1.fetches") == rig_stat(r, "l1.fills"));
    assert_true(rig_stat(r, "memory.direct.requests") ==
                rig_stat(r, "core.direct_loads") + rig_stat(r, "core.atomics"));
    assert_true(rig_stat(r, "llc.reads") + rig_stat(r, "llc.writes") == requests);
    assert_true(rig_stat(r, "llc.fetches") == rig_stat(r, "dram.reads"));
    if (r->config.l1.sector_bytes < 128)
        return;
    assert_true(rig_stat(r, "l1.reads") == rig_stat(r, "l1.read_hits") +
                                               rig_stat(r, "l1.read_merged") +
                                               rig_stat(r, "l1.fetches"));
    assert_true(rig_stat(r, "memory.l1.requests") ==
                rig_stat(r, "l1.writes") + rig_stat(r, "l1.fetches"));
    // Last level: the same, atomics being reads.
    assert_true(rig_stat(r, "llc.reads") == rig_stat(r, "llc.read_hits") +
                                                rig_stat(r, "llc.read_merged") +
                                                rig_stat(r, "llc.fetches"));
}

static void compare_sums(const struct rig *r, const struct stat_key *keys, uint32_t count,
                         const void *list, size_t size)
{
    static const char *const groups[][2] = {{"l1_", "l1."}, {"llc_", "llc."}, {"dram_", "dram."}};
    for (uint32_t i = 0; i < count; i++) {
        const char *group = "core.", *name = keys[i].name;
        uint64_t sum = 0;
        char full[96];
        double value;
        for (uint32_t k = 0; k < ARRAY_LENGTH(groups); k++)
            if (!strncmp(name, groups[k][0], strlen(groups[k][0]))) {
                name += strlen(groups[k][0]);
                group = groups[k][1];
            }
        snprintf(full, sizeof full, "%s%s", group, name);
        for (uint32_t site = 0; site < r->sites.count; site++)
            sum += *(const uint64_t *)(const void *)((const char *)list + site * size +
                                                     keys[i].offset);
        if (stats_find(&r->stats, NULL, full, &value) && value != (double)sum)
            fail_msg("%s: %.0f, but all instructions have %llu", full, value,
                     (unsigned long long)sum);
    }
}

// The counts of all instructions are the statistics of the machine.
static void add_up_sites(const struct rig *r)
{
    uint32_t count;
    struct arena own;
    arena_init(&own, r->k.arena.memory);
    const struct stat_key *keys = machine_site_keys(r->machine, &own, &count);
    assert_true(count > core_site_key_count && r->sites.count > r->k.program.functions.n);
    compare_sums(r, keys, count, r->sites.list, sizeof *r->sites.list);
    compare_sums(r, memsys_site_keys, memsys_site_key_count, r->sites.memory.list,
                 sizeof *r->sites.memory.list);
    arena_free(&own);
}

static char *statistics(const struct rig *r)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    stats_text(&r->stats, NULL, NULL, to);
    fclose(to);
    return text;
}

// Returns the statistics as text; compares the values with a functional run. Counts by instruction
// if the order is shuffled.
static char *timed(const char *text, const char *const *settings, uint64_t shuffle)
{
    static struct rig r;
    static struct kernel plain;
    rig_configure(&r, text, 3, settings);
    if (shuffle)
        rig_count_sites(&r);
    rig_build(&r, NULL);
    kernel_load(&plain, text, NULL);
    struct buffers have = fill(&r.k), expected = fill(&plain);
    kernel_succeeds(&plain, "k", CTAS, BLOCK);
    r.shuffle = shuffle;
    rig_run(&r, "k", CTAS, BLOCK);
    assert_memory_equal(have.out, expected.out, (OWN + 1) * THREADS * 4);
    assert_memory_equal(have.sums, expected.sums, SUMS * 4);
    assert_int_equal(r.result.warp_instructions, plain.result.warp_instructions);
    assert_int_equal(r.result.thread_instructions, plain.result.thread_instructions);
    add_up(&r);
    char *all = statistics(&r);
    machine_flush(r.machine, NULL); // what was written comes to the DRAM
    rig_run(&r, "k", 1, BLOCK);
    rig_check_slots(&r);
    machine_flush(r.machine, NULL);
    rig_run(&r, "k", 0, BLOCK); // statistics are brought up to date
    if (shuffle)
        add_up_sites(&r);
    assert_true(rig_stat(&r, "llc.write_backs") == rig_stat(&r, "dram.writes"));
    rig_free(&r);
    kernel_free(&plain);
    return all;
}

static void random_kernels(void **state)
{
    (void)state;
    const char *const *const machines[MACHINES] = {
        NULL,
        SETTINGS("l1.sets=2", "l1.ways=1", "l1.mshrs=2", "l1.merges=1", "l1.out=2", "l1.answers=1",
                 "l1.input=1", "core.memory_queue=1", "core.memory_most=4", "code_cache.sets=1",
                 "code_cache.ways=2", "code_cache.mshrs=1", "constant_cache.sets=1",
                 "constant_cache.ways=1", "constant_cache.mshrs=1"),
        SETTINGS("l1.sector_bytes=32", "memory.sectors=true", "core.scheduler=lrr",
                 "core.schedulers=2", "core.buffer=4"),
        SETTINGS("llc.sets=2", "llc.ways=2", "llc.mshrs=2", "llc.merges=1", "llc.out=2",
                 "llc.input=1", "memory.reply_queue=1", "core.l1_global=false",
                 "core.l1_local=false"),
        SETTINGS("request_network.topology=crossbar", "reply_network.topology=crossbar",
                 "request_network.packet_wide=true", "reply_network.packet_wide=true",
                 "request_network.ejection_queue=1", "reply_network.clusters=2",
                 "reply_network.cluster_nodes=32", "memory.channel_slices=4", "memory.rule=ipoly",
                 "memory.sectors=true", "memory.sector_replies=true", "memory.far_delay=30",
                 "l1.sector_bytes=32", "l1.allocate_writes=true", "l1.banks=4", "l1.bank_bytes=32",
                 "l1.port_bytes=32", "l1.sets=1", "l1.ways=70", "l1.hash=ipoly", "l1.mshrs=512",
                 "dram.tREFI=900", "dram.tRFC=40", "dram.refresh=bank"),
    };
    static struct graph text;
    for (uint32_t i = 0; i < KERNELS; i++) {
        text = (struct graph){
            .state = i, .more = put_memory, .declared = declared, .prepared = prepared};
        graph_write(&text);
        const char *const *settings = machines[i % MACHINES];
        char *first = timed(text.data, settings, 0), *shuffled = timed(text.data, settings, i + 1);
        assert_string_equal(first, shuffled);
        free(first);
        free(shuffled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels)};
    return cmocka_run_group_tests_name("machine_random", tests, NULL, NULL);
}
