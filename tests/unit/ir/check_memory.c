// Memory, texture, control, synchronisation and matrix instructions: accepted and rejected ones, in
// pairs that differ little. Each verdict is that of ptxas, not of the tables.
#include "ir/check.h"
#include "tests/unit/program.h"

#define REGISTERS                                                                                  \
    ".reg .pred p<9>; .reg .b16 h<9>; .reg .b32 r<99>; .reg .f32 f<99>; .reg .b64 l<9>;\n"         \
    ".reg .f64 e<9>;\n"

struct pair {
    const char *good, *bad; // several good ones may stand for one bad one, and the reverse
};

static bool is_accepted(const char *version, const char *target, bool wide, const char *instruction)
{
    char text[2048];
    snprintf(text, sizeof text,
             ".version %s\n.target %s\n.address_size 64\n.global .texref tx;\n"
             ".global .surfref su; .shared .b8 sh[64]; .func fn() { ret; }\n"
             ".visible .entry k(.param .u64 pp)\n{\n" REGISTERS "%s%s\nL: ret;\n}\n",
             version, target, wide ? ".reg .b128 q<9>;\n" : "", instruction);
    struct test_program p;
    program_parse(&p, text, strlen(text));
    struct ir_module module;
    ir_build(&module, &p.arena, &p.tree, &p.diags);
    ir_check(&module, forms_new(&p.arena), &p.diags);
    bool good = true;
    for (uint32_t i = 0; i < p.diags.list.n; i++)
        good &= p.diags.list.v[i].severity != DIAG_ERROR;
    program_free(&p);
    return good;
}

static void expect(const char *version, const char *target, bool wide, const struct pair *pairs,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].good && !is_accepted(version, target, wide, pairs[i].good))
            fail_msg("refused for %s, %s: %s", version, target, pairs[i].good);
        if (pairs[i].bad && is_accepted(version, target, wide, pairs[i].bad))
            fail_msg("taken for %s, %s: %s", version, target, pairs[i].bad);
    }
}
#define EXPECT(version, target, pairs)                                                             \
    expect(version, target, true, pairs, sizeof pairs / sizeof *pairs)

static void test_loads_and_stores(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"ld.global.nc.ca.u32 r1, [l1];", "ld.global.nc.lu.u32 r1, [l1];"},
        {"ld.u32.nc.global r1, [l1];", "ld.const.nc.u32 r1, [l1];"},
        {"ld.global.L2::cache_hint.u32 r1, [l1], l2;", "ld.global.L2::cache_hint.u32 r1, [l1];"},
        {"ld.global.u32 r1, [l1];", "ld.global.u32 r1, [l1], l2;"},
        {"ld.global.ca.L2::64B.u32 r1, [l1];", "ld.global.ca.L1::evict_first.u32 r1, [l1];"},
        {"ld.L1::evict_first.u32 r1, [l1];", "ld.shared.L1::evict_first.u32 r1, [l1];"},
        {"ld.volatile.shared.u32 r1, [l1];", "ld.volatile.const.u32 r1, [l1];"},
        {"ld.relaxed.gpu.global.u32 r1, [l1];", "ld.relaxed.global.u32 r1, [l1];"},
        {"ld.acquire.gpu.shared.u32 r1, [l1];", "ld.acquire.gpu.local.u32 r1, [l1];"},
        {"ld.mmio.relaxed.sys.u32 r1, [l1];", "ld.mmio.relaxed.gpu.u32 r1, [l1];"},
        {"ld.global.v4.b64 {l1, l2, l3, l4}, [l1];", "ld.shared.v4.b64 {l1, l2, l3, l4}, [l1];"},
        {"ld.global.v4.b32 {r1, _, r2, r3}, [l1];", "ld.global.b32 _, [l1];"},
        {"ld.global.u8 r1, [l1];", "ld.global.u8 f1, [l1];"},
        {"ld.global.f32 l1, [l1];", "ld.global.f32 e1, [l1];"},
        {"ld.global.b128 q1, [l1];", "ld.global.v2.b128 {q1, q2}, [l1];"},
        {"ld.global.L2::evict_last.v8.b32 {r1, r2, r3, r4, r5, r6, r7, r8}, [l1];",
         "ld.global.L2::evict_last.v4.b32 {r1, r2, r3, r4}, [l1];"},
        {"st.release.gpu.u32 [l1], r1;", "st.acquire.gpu.u32 [l1], r1;"},
        {"st.global.wb.u32 [l1], 5;", "st.global.ca.u32 [l1], r1;"},
        {"st.global.f32 [l1], 1.0;", "st.global.u32 [l1], sh;"},
        {"st.local.cs.u32 [l1], r1;", "st.const.u32 [l1], r1;"},
        {"st.async.mbarrier::complete_tx::bytes.v4.f32 [l1], {f1, f2, f3, f4}, [l2];",
         "st.async.mbarrier::complete_tx::bytes.v4.b64 [l1], {l1, l2, l3, l4}, [l2];"},
        {"st.bulk.weak.shared::cta [l1], 64, 0;", "st.bulk.shared [l1], 64, 0;"},
        {"multimem.ld_reduce.relaxed.sys.global.add.u32 r1, [l1];",
         "multimem.ld_reduce.relaxed.global.add.u32 r1, [l1];"},
        {"multimem.red.add.v2.f16x2 [l1], {r1, r2};", "multimem.red.min.f16x2 [l1], r1;"},
        {"mov.b64 {r1, _}, l1;", "mov.u64 l1, {r1, r2};"},
        {"mov.b32 r1, {h1, h2};", "mov.b32 r1, {r1, r2};"},
        {"mov.u64 l1, fn;", "mov.u64 l1, fn + 4;"},
        {"mov.b64 l1, sh;", "mov.f64 e1, sh;"},
        {"prefetch.global.L2::evict_last [l1];", "prefetch.global.L2::evict_first [l1];"},
        {"discard.L2 [l1], 128;", "discard.L2 [l1], 64;"},
        {"createpolicy.fractional.L2::evict_last.b64 l1;",
         "createpolicy.fractional.L2::evict_last.b64 l1, 1;"},
        {"cvta.shared::cta.u64 l1, sh;", "cvta.to.shared::cta.u64 l1, sh;"},
        {"isspacep.param::entry p1, l1;", "isspacep.param::func p1, l1;"},
        {"prmt.b32.f4e r1, r2, r3, 1;", "prmt.u32 r1, r2, r3, 1;"},
        {"shfl.sync.up.b32 f1|p1, f2, 1, 0, -1;", "shfl.sync.up.b64 l1, l2, 1, 0, -1;"},
    };
    EXPECT("9.0", "sm_100", pairs);
}

static void test_copies(void **state)
{
    (void)state;
#define TILE "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define IM2COL "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
    static const struct pair pairs[] = {
        {"cp.async.ca.shared.global [l1], [l2], 8;", "cp.async.cg.shared.global [l1], [l2], 8;"},
        {"cp.async.cg.shared.global [l1], [l2], 16, !p1;",
         "cp.async.cg.shared.global [l1], [l2], r1;"},
        {"cp.async.cg.shared.global.L2::cache_hint [l1], [l2], 16, l3;",
         "cp.async.cg.global.shared [l1], [l2], 16;"},
        {"cp.async.wait_group 3;", "cp.async.wait_group r3;"},
        {"cp.async.bulk.wait_group.read 1;", "cp.bulk.async.wait_group 1;"},
        {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [l1], [l2], r1, h1;",
         "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [l1], [l2], r1;"},
        {TILE ".multicast::cluster.L2::cache_hint [l1], [l2, {r1, r2}], [l3], h1, l4;",
         TILE ".multicast::cluster.L2::cache_hint [l1], [l2, {r1, r2}], [l3], h1;"},
        {TILE " [l1], [l2, {r1, r2}], [l3];", TILE " [l1], [l2, {r1, r2, r3, r4}], [l3];"},
        {IM2COL " [l1], [l2, {r1, r2, r3, r4}], [l3], {h1, h2};",
         IM2COL " [l1], [l2, {r1, r2, r3, r4}], [l3];"},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [l1], [l2], r1;",
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [l1], [l2], r1;"},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [l1], [l2], r1;",
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [l1], [l2], r1;"},
    };
    EXPECT("9.0", "sm_100", pairs);
    static const struct pair fields[] = {
        {"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [l1], 3, r2;",
         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [l1], r1, r2;"},
        {"tensormap.replace.tile.global_address.global.b1024.b64 [l1], l2;",
         "tensormap.replace.tile.global_address.global.b1024.b32 [l1], r2;"},
    };
    EXPECT("9.0", "sm_90a", fields);
}

static void test_textures(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"tex.2d.v4.f32.f32 {f1, f2, f3, f4}|p1, [tx, {f5, f6}], {r1, r2}, f7;",
         "tex.cube.v4.f32.f32 {f1, f2, f3, f4}, [tx, {f1, f2, f3, f4}], {r1, r2};"},
        {"tex.1d.v4.s32.f32 {r1, r2, r3, r4}, [l1, f1];",
         "tex.2d.v4.s32.s32 {r1, r2, r3, r4}, [tx, {r1, r2}], f2;"},
        {"tex.level.2d.v4.f32.s32 {f1, f2, f3, f4}, [tx, {r1, r2}], r1;",
         "tex.level.2d.v4.f32.s32 {f1, f2, f3, f4}, [tx, {r1, r2}], f1;"},
        {"tex.2d.v2.f16x2.f32 {r1, r2}, [tx, {f1, f2}];",
         "tex.2d.v4.f16x2.f32 {r1, r2, r3, r4}, [tx, {f1, f2}];"},
        {"tex.grad.a2d.v4.f32.f32 {f1, f2, f3, f4}, [tx, {r1, f2, f3, f4}], {f1, f2}, {f3, f4};",
         "tex.2dms.v4.f32.f32 {f1, f2, f3, f4}, [tx, {r1, f2, f3, f4}];"},
        {"tld4.a.2d.v4.u32.f32 {r1, r2, r3, r4}, [tx, {f1, f2}];",
         "tld4.a.2d.v4.f32.s32 {f1, f2, f3, f4}, [tx, {r1, r2}];"},
        {"txq.level.width.b32 r1, [tx], 1;", "txq.level.array_size.b32 r1, [tx], 1;"},
        {"istypep.texref p1, l1;", "istypep.texref p1, tx;"},
        {"suld.b.1d.v2.b64.zero {l1, l2}, [su, r1];",
         "suld.b.1d.v4.b64.zero {l1, l2, l3, l4}, [su, r1];"},
        {"sust.p.2d.v2.b32.trap [su, {r1, r2}], {r3, r4};",
         "sust.p.2d.b64.trap [su, {r1, r2}], l1;"},
        {"sured.b.min.2d.u64.trap [su, {r1, r2}], l1;",
         "sured.b.add.2d.s64.trap [su, {r1, r2}], l1;"},
        {"suq.memory_layout.b32 r1, [su];", "suld.b.2d.b32 r1, [su, {r1, r2}];"},
    };
    EXPECT("9.0", "sm_90", pairs);
}

static void test_synchronisation(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"bar.cta.sync 0, 32;", "bar.sync.cta 0, 32;"},
        {"barrier.sync.aligned r1;", "barrier.sync;"},
        {"bar.red.or.pred p1, 0, 64, !p2;", "bar.red.xor.pred p1, 0, 64, p2;"},
        {"bar.red.popc.u32 r1, 0, p1;", "bar.red.popc.u32 f1, 0, p1;"},
        {"barrier.cluster.arrive.release;", "barrier.cluster.arrive.acquire;"},
        {"fence.acq_rel.gpu;", "fence.acq_rel;"},
        {"fence.proxy.alias;", "fence.alias.proxy;"},
        {"fence.proxy.async.shared::cta;", "fence.proxy.async.local;"},
        {"fence.proxy.tensormap::generic.acquire.gpu [l1], 128;",
         "fence.proxy.tensormap::generic.acquire.gpu;"},
        {"membar.gl;", "membar.gpu;"},
        {"vote.sync.ballot.b32 f1, !p2, 0xff;", "vote.ballot.b32 r1, p2;"},
        {"match.all.sync.b32 _|p1, 5, r3;", "match.any.sync.b32 r1|p1, 5, r3;"},
        {"redux.sync.and.b32 r1, 3, -1;", "redux.sync.and.u32 r1, r3, -1;"},
        {"elect.sync r1|p1, -1;", "elect.sync r1, -1;"},
        {"atom.global.add.u32 _, [l1], r2;", "atom.global.add.b32 r1, [l1], r2;"},
        {"atom.cas.b16 h1, [l1], h2, h3;", "atom.global.cas.u32 r1, [l1], r2, 3;"},
        {"atom.exch.L2::cache_hint.b128 q1, [l1], q2, l2;", "atom.and.b128 q1, [l1], q2;"},
        {"atom.global.v2.f32.add {f1, _}, [l1], {f1, f2};",
         "atom.shared.v2.f32.add {f1, f2}, [l1], {f1, f2};"},
        {"atom.add.noftz.f16x2 r1, [l1], r2;", "atom.shared.add.f16 h1, [l1], h2;"},
        {"red.release.gpu.add.u32 [l1], 1;", "red.acquire.gpu.add.u32 [l1], 1;"},
        {"red.global.and.b64 [l1], 1;", "red.exch.b64 [l1], 1;"},
        {"mbarrier.arrive.shared::cluster.b64 _, [l2], 3;", "mbarrier.arrive.b64 [l2];"},
        {"mbarrier.arrive.expect_tx.relaxed.cluster.b64 l1, [l2], r2;",
         "mbarrier.arrive.expect_tx.relaxed.b64 l1, [l2], r2;"},
        {"mbarrier.try_wait.parity.b64 p1, [l1], r2, 100;",
         "mbarrier.test_wait.parity.b64 p1, [l1], r2, 100;"},
        {"mbarrier.pending_count.b64 r1, l2;", "mbarrier.pending_count.b64 l1, l2;"},
        {"griddepcontrol.wait;", "griddepcontrol.sync;"},
        {"alloca.u64 l1, l2, 16;", "alloca.u64 l1, l2, l3;"},
        {"ret.uni;", "exit.uni;"},
        {"bra.uni L;", "bra.uni r1, L;"},
    };
    EXPECT("9.0", "sm_90", pairs);
}

static void test_matrices(void **state)
{
    (void)state;
#define F4 "{f1, f2, f3, f4}"
#define R4 "{r1, r2, r3, r4}"
#define R8 "{r1, r2, r3, r4, r5, r6, r7, r8}"
    static const struct pair pairs[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4 ", " R4 ", {r1, r2}, " F4 ";",
         "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 " F4 ", " R4 ", {r1, r2}, " F4 ";"},
        {"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {r1, r2}, {r3}, {r4}, {r5, r6};",
         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 " F4 ", " R4 ", {r1, r2}, {r3, r4};"},
        {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4 ", {r1, r2}, {r3, r4}, " F4
         ", r5, 3;",
         "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4 ", {r1, r2}, {r3, r4}, " F4
         ", r5, 4;"},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " R8 ", [l1], 16;",
         "wmma.load.a.sync.aligned.col.m8n8k32.s4 {r1}, [l1], 16;"},
        {"wmma.store.d.sync.aligned.row.m16n16k16.f16 [l1], " R4 ";",
         "wmma.store.d.sync.aligned.row.m16n16k16.f32 [l1], " F4 ";"},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " R4 ", [l1];",
         "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1, r2}, [l1];"},
        {"stmatrix.sync.aligned.m8n8.x2.shared.b16 [l1], {r1, r2};",
         "stmatrix.sync.aligned.m8n8.x2.shared.b8 [l1], {r1, r2};"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " F4 ", l1, l2, p1, 1, 1, 0, 1;",
         "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " F4 ", l1, l2, p1, 1, 1, 0, 1;"},
        {"wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned r1;"},
    };
    EXPECT("9.0", "sm_90a", pairs);
    static const struct pair fifth[] = {
        {"tcgen05.ld.sync.aligned.16x256b.x1.b32 " R4 ", [r9];",
         "tcgen05.ld.sync.aligned.16x64b.x1.b32 " R4 ", [r9];"},
        {"tcgen05.mma.cta_group::1.kind::f16 [r1], l1, l2, r2, " R4 ", !p1, 5;",
         "tcgen05.mma.cta_group::1.kind::f16 [r1], l1, l2, r2, {r3, r4}, p1;"},
        {"tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [r1], [r2], l1, r3, p1;",
         "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::fill [r1], [r2], l1, r3, p1;"},
        {"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [r1], l1, l2, r2, [r3], "
         "[r4], p1;",
         "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [r1], l1, l2, r2, [r3], [r4], p1;"},
        {"tcgen05.wait::ld.sync.aligned;", "tcgen05.wait.sync.aligned;"},
        {"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r1, r2, r3, _}, q1;",
         "clusterlaunchcontrol.query_cancel.get_first_ctaid.b32.b128 r1, q1;"},
    };
    EXPECT("9.0", "sm_100a", fifth);
}

// Instructions for an older PTX version or target.
static void test_needs(void **state)
{
    (void)state;
    static const struct {
        const char *instruction, *version, *target, *old_version, *old_target;
    } cases[] = {
        {"atom.add.f64 e1, [l1], e2;", "5.0", "sm_60", "4.3", "sm_53"},
        {"vote.all.pred p1, p2;", "6.3", "sm_70", "6.4", "sm_70"},
        {"shfl.up.b32 r1, r2, 1, 0;", "6.4", "sm_60", "6.4", "sm_70"},
        {"vote.sync.all.pred p1, p2, -1;", "6.0", "sm_30", "5.0", "sm_30"},
        {"ld.global.L1::evict_first.u32 r1, [l1];", "7.4", "sm_70", "7.3", "sm_61"},
        {"cp.async.ca.shared.global.L2::256B [l1], [l2], 16;", "7.4", "sm_80", "7.3", "sm_80"},
        {"ld.global.relaxed.cluster.u32 r1, [l1];", "7.8", "sm_90", "7.8", "sm_89"},
        {"mbarrier.arrive.relaxed.cta.b64 l1, [l2];", "8.6", "sm_90", "8.5", "sm_89"},
        {"wgmma.fence.sync.aligned;", "8.0", "sm_90a", "8.0", "sm_90"},
        {"redux.sync.min.f32 f1, f2, -1;", "8.6", "sm_100a", "8.6", "sm_100"},
        {"redux.sync.min.f32 f1, f2, -1;", "8.8", "sm_103f", "8.8", "sm_120f"},
        {"tcgen05.shift.cta_group::1.down [r1];", "8.6", "sm_100a", "8.8", "sm_100f"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {f1, f2, f3, f4}, {r1, r2, r3, r4}, "
         "{r5, r6}, {f1, f2, f3, f4};",
         "7.0", "sm_80", "6.5", "sm_75"},
        {"wmma.load.a.sync.row.m16n16k16.f16 " R8 ", [l1];", "6.2", "sm_70", "6.3", "sm_70"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!is_accepted(cases[i].version, cases[i].target, false, cases[i].instruction))
            fail_msg("refused for %s, %s: %s", cases[i].version, cases[i].target,
                     cases[i].instruction);
        if (is_accepted(cases[i].old_version, cases[i].old_target, false, cases[i].instruction))
            fail_msg("taken for %s, %s: %s", cases[i].old_version, cases[i].old_target,
                     cases[i].instruction);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_and_stores), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_textures),         cmocka_unit_test(test_synchronisation),
        cmocka_unit_test(test_matrices),         cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
