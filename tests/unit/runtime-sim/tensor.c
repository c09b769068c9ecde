// Copies of boxes of tensors, compared element by element with loops over their coordinates. The
// swizzling of the reference is that of the tables in the manual.
#include "runtime-sim/exec/memory/tensor_map.h"
#include "tests/unit/runtime-sim/kernel.h"
#include "tests/unit/runtime-sim/conform.h"

enum { SHARED = 40960, BOX_BYTES = 24576, THREADS = 64, TENSOR_BYTES = 1 << 17 };

enum what { LOAD, STORE, REDUCE, COLUMNS, COLUMNS_STORE, GATHER, SCATTER, MULTICAST, WHATS };

struct setup {
    enum what what;
    struct tensor_map map;
    uint32_t size; // bytes of an element
    int32_t at[5], offset[3];
    uint32_t shared;
    uint64_t state;
    uint8_t *tensor;
};

static uint32_t draw(struct setup *s, uint32_t below)
{
    return (uint32_t)(conform_random(&s->state) % below);
}

static bool is_columns(const struct setup *s)
{
    return s->what == COLUMNS || s->what == COLUMNS_STORE;
}

static bool is_rows(const struct setup *s)
{
    return s->what == GATHER || s->what == SCATTER;
}

static bool loads(const struct setup *s)
{
    return s->what == LOAD || s->what == COLUMNS || s->what == GATHER || s->what == MULTICAST;
}

// Swizzling: the place of each 16 bytes of a row of 128, as the manual's tables have it.
static uint32_t swizzled(const struct tensor_map *map, uint32_t address)
{
    static const char *const by_32[] = {"01234567", "10325476"};
    static const char *const by_64[] = {"01234567", "10325476", "23016745", "32107654"};
    static const char *const by_128[] = {"01234567", "10325476", "23016745", "32107654",
                                         "45670123", "54761032", "67452301", "76543210"};
    static const char *const atom_32[] = {"01234567", "23016745", "45670123", "67452301"};
    static const char *const atom_64[] = {"01234567", "45670123"};
    uint32_t row = address / 128, chunk = address / 16 % 8, byte = address % 16;
    const char *order = by_32[0];
    if (map->swizzle == SWIZZLE_32)
        order = by_32[row % 2];
    else if (map->swizzle == SWIZZLE_64)
        order = by_64[row % 4];
    else if (map->swizzle == SWIZZLE_128 && map->atomicity == ATOMICITY_16)
        order = by_128[row % 8];
    else if (map->swizzle == SWIZZLE_128 && map->atomicity == ATOMICITY_64)
        order = atom_64[row % 2];
    else if (map->swizzle == SWIZZLE_128)
        order = atom_32[row % 4];
    bool flips = map->swizzle == SWIZZLE_128 && map->atomicity == ATOMICITY_32_FLIP && row % 2;
    return row * 128 + (uint32_t)(order[chunk] - '0') * 16 + (flips ? byte ^ 8 : byte);
}

static void draw_map(struct setup *s)
{
    struct tensor_map *map = &s->map;
    static const uint32_t widths[] = {128, 32, 64, 128};
    map->mark = TENSOR_MAP_MARK;
    map->rank = (uint8_t)(is_rows(s) ? 2 : is_columns(s) ? 3 + draw(s, 3) : 1 + draw(s, 5));
    map->type = (uint8_t)(s->what == REDUCE ? TENSOR_TYPE_U32 : draw(s, TENSOR_TYPE_COUNT));
    s->size = tensor_type_bytes(map->type);
    map->fills_nan = map->type == TENSOR_TYPE_F32 && draw(s, 2);
    map->swizzle = (uint8_t)draw(s, 4);
    map->atomicity = (uint8_t)(map->swizzle == SWIZZLE_128 ? draw(s, 4) : 0);
    uint32_t chunks = 1 + draw(s, widths[map->swizzle] / 16), stride = s->size;
    map->box[0] = map->channels = (uint16_t)(chunks * 16 / s->size);
    uint32_t left = BOX_BYTES / (chunks * 16);
    for (uint32_t i = 0; i < map->rank; i++) {
        uint32_t size = 1 + draw(s, i ? 9 : 40);
        map->last[i] = size - 1;
        map->element_stride[i] = (uint8_t)(1 + (draw(s, 3) ? 0 : draw(s, 3)));
        if (i) {
            map->box[i] = (uint16_t)(1 + draw(s, left < 12 ? left : 12));
            map->stride[i - 1] = stride;
        }
        left = i ? left / map->box[i] : left;
        left = left ? left : 1;
        stride = (stride * size + 15) / 16 * 16;
        stride =
            i > 1 && stride > TENSOR_BYTES / 16 ? 16 * (1 + draw(s, 64)) : stride; // may overlap
    }
    if (is_rows(s))
        map->box[1] = 1;
    if (!is_columns(s))
        return;
    map->mode = TENSOR_IM2COL;
    map->pixels =
        (uint16_t)(1 + draw(s, BOX_BYTES / (chunks * 16) < 200 ? BOX_BYTES / (chunks * 16) : 200));
    for (uint32_t i = 0; i + 2 < map->rank; i++) {
        map->lower[i] = (int16_t)(draw(s, 5) - 2);
        map->upper[i] = (int16_t)(draw(s, 5) - 2);
        if (map->lower[i] > (int64_t)map->last[i + 1] + map->upper[i])
            map->upper[i] = (int16_t)(map->lower[i] - (int16_t)map->last[i + 1]);
    }
}

static void draw_place(struct setup *s)
{
    const struct tensor_map *map = &s->map;
    for (uint32_t i = 0; i < 5; i++)
        s->at[i] = (int32_t)draw(s, 16) - 5;
    for (uint32_t i = 1; is_columns(s) && i + 1 < map->rank; i++) {
        int32_t first = map->lower[i - 1], last = (int32_t)map->last[i] + map->upper[i - 1];
        s->at[i] = first + (int32_t)draw(s, (uint32_t)(last - first + 1));
        s->offset[i - 1] = s->what == COLUMNS ? (int32_t)draw(s, 4) : 0;
    }
    s->shared = 128 * draw(s, 32);
}

static uint32_t rows_of(const struct setup *s)
{
    uint32_t rows = 1;
    if (is_rows(s))
        return 4;
    if (is_columns(s))
        return s->map.pixels;
    for (uint32_t i = 1; i < s->map.rank; i++)
        rows *= (s->map.box[i] + s->map.element_stride[i] - 1u) / s->map.element_stride[i];
    return rows;
}

static uint32_t box_bytes(const struct setup *s)
{
    return rows_of(s) * s->map.box[0] * s->size;
}

// Sets the coordinates of row number `row` of the box.
static void find_row(const struct setup *s, uint32_t row, int64_t *at)
{
    const struct tensor_map *map = &s->map;
    for (uint32_t i = 0; i < 5; i++)
        at[i] = s->at[i];
    if (is_rows(s)) {
        at[1] = s->at[1 + row];
        return;
    }
    if (!is_columns(s)) {
        for (uint32_t i = 1; i < map->rank; i++) {
            uint32_t stride = map->element_stride[i], count = (map->box[i] + stride - 1) / stride;
            at[i] += row % count * stride;
            row /= count;
        }
        return;
    }
    for (; row; row--) { // walks through the pixels within the corners
        uint32_t i = 1;
        for (; i + 1 < map->rank; i++) {
            at[i] += map->element_stride[i];
            if (at[i] <= (int64_t)map->last[i] + map->upper[i - 1])
                break;
            at[i] = map->lower[i - 1];
        }
        at[i] += i + 1 == map->rank;
    }
    for (uint32_t i = 1; i + 1 < map->rank; i++)
        at[i] += s->offset[i - 1];
}

// Returns the offset in the tensor of an element of a row, or UINT64_MAX if it is outside.
static uint64_t offset_of(const struct setup *s, const int64_t *row, uint32_t element)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < s->map.rank; i++) {
        int64_t at = row[i] + (i ? 0 : element);
        if (at < 0 || at > s->map.last[i])
            return UINT64_MAX;
        offset += (uint64_t)at * (i ? s->map.stride[i - 1] : s->size);
    }
    return offset;
}

static void expect_loaded(const struct setup *s, const uint8_t *shared, uint64_t offset,
                          uint32_t address)
{
    uint64_t want = s->map.fills_nan ? 0x7fffffff : 0, have = 0;
    if (offset != UINT64_MAX)
        memcpy(&want, s->tensor + offset, s->size);
    bool flushes = s->map.type == TENSOR_TYPE_F32_FTZ || s->map.type == TENSOR_TYPE_TF32_FTZ;
    if (flushes && !(want & 0x7f800000))
        want &= 0x80000000;
    memcpy(&have, shared + swizzled(&s->map, address), s->size);
    if (have != want)
        fail_msg("case %d, rank %u, swizzle %u.%u: %llx, not %llx at %u", (int)s->what, s->map.rank,
                 s->map.swizzle, s->map.atomicity, (unsigned long long)have,
                 (unsigned long long)want, address);
}

// Applies a store or reduction to a copy of the tensor.
static void apply(const struct setup *s, const uint8_t *shared, uint64_t offset, uint32_t address,
                  uint8_t *copy)
{
    uint32_t value, old;
    if (offset == UINT64_MAX)
        return;
    const uint8_t *from = shared + swizzled(&s->map, address);
    if (s->what != REDUCE) {
        memcpy(copy + offset, from, s->size);
        return;
    }
    memcpy(&value, from, 4);
    memcpy(&old, copy + offset, 4);
    value += old;
    memcpy(copy + offset, &value, 4);
}

static void check(const struct setup *s, const uint8_t *shared, uint8_t *copy)
{
    uint32_t address = s->shared;
    for (uint32_t row = 0; row < rows_of(s); row++) {
        int64_t at[5];
        find_row(s, row, at);
        for (uint32_t i = 0; i < s->map.box[0]; i++, address += s->size)
            if (loads(s))
                expect_loaded(s, shared, offset_of(s, at, i), address);
            else
                apply(s, shared, offset_of(s, at, i), address, copy);
    }
}

static char *append_numbers(char *at, const int32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "%s%d", i ? ", " : "{", numbers[i]);
    return at + sprintf(at, "}");
}

// [map, {coordinates}]
static char *append_place(char *at, const struct setup *s)
{
    at += sprintf(at, "[%%x2, ");
    return append_numbers(at, s->at, is_rows(s) ? 5 : s->map.rank) + 0;
}

static char *append_copy(char *at, const struct setup *s)
{
    static const char *const modes[] = {[LOAD] = "tile",
                                        [STORE] = "tile",
                                        [REDUCE] = "tile",
                                        [COLUMNS] = "im2col",
                                        [COLUMNS_STORE] = "im2col_no_offs",
                                        [GATHER] = "tile::gather4",
                                        [SCATTER] = "tile::scatter4",
                                        [MULTICAST] = "tile"};
    bool multicast = s->what == MULTICAST;
    at += sprintf(at, "@!%%p0 cp.%sasync.bulk.tensor.%ud.", s->what == REDUCE ? "reduce." : "",
                  s->map.rank);
    if (!loads(s)) {
        at += sprintf(at, "global.shared::cta.%s%s.bulk_group ", s->what == REDUCE ? "add." : "",
                      modes[s->what]);
        at = append_place(at, s);
        return at + sprintf(at,
                            "], [s+%u];\ncp.async.bulk.commit_group;\n"
                            "cp.async.bulk.wait_group.read 0;\n",
                            s->shared);
    }
    at += sprintf(at, "shared::cluster.global.%s.mbarrier::complete_tx::bytes%s [s+%u], ",
                  modes[s->what], multicast ? ".multicast::cluster" : "", s->shared);
    at = append_place(at, s);
    at += sprintf(at, "], [bar]");
    if (s->what == COLUMNS) {
        at += sprintf(at, ", ");
        at = append_numbers(at, s->offset, s->map.rank - 2);
    }
    return at + sprintf(at, "%s;\n", multicast ? ", %h0" : "");
}

static void write_kernel(const struct setup *s, char *text)
{
    char *at = text;
    bool from_in = !loads(s);
    at += sprintf(
        at,
        HEAD("8.6", "sm_100a") ".shared .align 1024 .b8 s[%u]; .shared .align 8 .b64 bar;\n"
                               ".entry k(.param .u64 in, .param .u64 out,\n"
                               ".param .align 64 .b8 map[128])\n{\n"
                               ".reg .b32 %%r<9>; .reg .b64 %%x<9>; .reg .pred %%p<4>;\n"
                               ".reg .b16 %%h<2>; mov.u16 %%h0, 3; mov.u32 %%r5, %%ctaid.x;\n"
                               "ld.param.u64 %%x0, [in]; ld.param.u64 %%x1, [out];\n"
                               "mov.u64 %%x2, map; cvta.param.u64 %%x2, %%x2;\n"
                               "mov.u32 %%r0, %%tid.x; setp.ne.u32 %%p0, %%r0, 0;\n"
                               "@!%%p0 mbarrier.init.shared.b64 [bar], 1;\n"
                               "@!%%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %u;\n"
                               "mul.wide.u32 %%x4, %%r5, %u; add.u64 %%x1, %%x1, %%x4;\n"
                               "shl.b32 %%r1, %%r0, 2;\n"
                               "L: cvt.u64.u32 %%x3, %%r1; add.u64 %%x3, %%x0, %%x3;\n"
                               "ld.global.b32 %%r3, [%%x3]; mov.u32 %%r2, s;\n"
                               "add.u32 %%r2, %%r2, %%r1; %s st.shared.b32 [%%r2], %%r3;\n"
                               "add.u32 %%r1, %%r1, %u; setp.lt.u32 %%p1, %%r1, %u;\n"
                               "@%%p1 bra L; bar.sync 0;\n"
                               "barrier.cluster.arrive; barrier.cluster.wait;\n",
        SHARED, from_in ? 0 : box_bytes(s), SHARED, from_in ? "" : "@!%p3 ", THREADS * 4, SHARED);
    at = strstr(text, ".reg .b16"); // p3 is never written, and so false
    at = text + strlen(text);
    at += sprintf(at, "setp.ne.u32 %%p2, %%r5, 0; @%%p2 bra W;\n");
    at = append_copy(at, s);
    at += sprintf(at, "W: ");
    if (loads(s))
        at += sprintf(at, "mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0; @!%%p1 bra W;\n");
    sprintf(at,
            "bar.sync 0; shl.b32 %%r1, %%r0, 2;\n"
            "M: cvt.u64.u32 %%x3, %%r1; add.u64 %%x3, %%x1, %%x3;\n"
            "mov.u32 %%r2, s; add.u32 %%r2, %%r2, %%r1;\n"
            "ld.shared.b32 %%r3, [%%r2]; st.global.b32 [%%x3], %%r3;\n"
            "add.u32 %%r1, %%r1, %u; setp.lt.u32 %%p1, %%r1, %u; @%%p1 bra M;\n"
            "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n",
            THREADS * 4, SHARED);
}

static void launch(struct kernel *k, uint32_t ctas)
{
    const struct program_function *function = program_find(&k->program, "k");
    if (function->refusal)
        fail_msg("%s", function->refusal);
    struct launch launch = {.program = &k->program,
                            .function = (uint32_t)(function - k->program.functions.v),
                            .grid = {ctas, 1, 1},
                            .block = {THREADS, 1, 1},
                            .cluster = {ctas, 1, 1},
                            .params = k->params,
                            .image = &k->image};
    struct grid_options options = {.max_idle = 1000};
    kernel_execute(&launch, &k->arena, &options, &k->result);
    if (k->result.fault.happened)
        fail_msg("%s %s", k->result.fault.text, k->result.fault.nearest);
    assert_false(k->result.stuck);
}

static void run_case(enum what what, uint64_t seed)
{
    static char text[8192];
    static uint8_t copy[TENSOR_BYTES];
    struct setup s = {.what = what, .state = seed};
    uint32_t ctas = what == MULTICAST ? 2 : 1;
    struct kernel k;
    draw_map(&s);
    draw_place(&s);
    write_kernel(&s, text);
    kernel_load(&k, text, NULL);
    uint8_t *in = kernel_buffer(&k, SHARED), *out = kernel_buffer(&k, ctas * SHARED);
    s.map.address = image_allocate(&k.image, TENSOR_BYTES, 256, "tensor");
    s.tensor = k.image.list.v[k.image.list.n - 1].data;
    memcpy(k.params + 64, &s.map, sizeof s.map);
    for (uint32_t i = 0; i < SHARED; i++)
        in[i] = (uint8_t)draw(&s, 256);
    for (uint32_t i = 0; i < TENSOR_BYTES; i++)
        copy[i] = s.tensor[i] = (uint8_t)(draw(&s, 8) ? draw(&s, 256) : 0);
    launch(&k, ctas);
    for (uint32_t i = 0; i < ctas; i++)
        check(&s, out + i * SHARED, copy);
    assert_memory_equal(copy, s.tensor, TENSOR_BYTES);
    kernel_free(&k);
}

static void run_cases(enum what what)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        run_case(what, seed * WHATS + what);
}

#define TEST(name, what)                                                                           \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        run_cases(what);                                                                           \
    }
TEST(test_load, LOAD)
TEST(test_store, STORE)
TEST(test_reduce, REDUCE)
TEST(test_columns, COLUMNS)
TEST(test_columns_store, COLUMNS_STORE)
TEST(test_gather, GATHER)
TEST(test_scatter, SCATTER)
TEST(test_multicast, MULTICAST)

// Fields that tensormap.replace changes, copied to global memory and used.
static void test_fields(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.6",
             "sm_100a") ".shared .align 128 .b8 m[128];\n"
                        ".entry k(.param .u64 map, .param .u64 out)\n{\n"
                        ".reg .b32 %r<4>; .reg .b64 %x<4>;\n"
                        "ld.param.u64 %x0, [map]; ld.param.u64 %x1, [out];\n"
                        "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, m;\n"
                        "add.u32 %r2, %r2, %r1; cvt.u64.u32 %x2, %r1; add.u64 %x2, %x0, %x2;\n"
                        "ld.global.b32 %r3, [%x2]; st.shared.b32 [%r2], %r3; bar.warp.sync -1;\n"
                        "mov.u32 %r2, m;\n"
                        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %x1;\n"
                        "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], 2;\n"
                        "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, 7;\n"
                        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 2, 100;\n"
                        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2], 1, "
                        "4096;\n"
                        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2], 2, 3;\n"
                        "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 10;\n"
                        "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r2], 3;\n"
                        "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%r2], 1;\n"
                        "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r2], 1;\n"
                        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                        ".sync.aligned [%x1], [%r2], 128;\nret;\n}\n",
        NULL);
    struct tensor_map *map = kernel_buffer(&k, 128), *out = kernel_buffer(&k, 128);
    *map = (struct tensor_map){.mark = TENSOR_MAP_MARK, .rank = 1};
    uint64_t address;
    memcpy(&address, k.params + 8, sizeof address);
    kernel_succeeds(&k, "k", 1, 32);
    assert_true(out->address == address && out->rank == 3 && out->box[1] == 7);
    assert_true(out->last[2] == 99 && out->stride[1] == 4096 && out->element_stride[2] == 3);
    assert_true(out->type == TENSOR_TYPE_BF16 && out->swizzle == SWIZZLE_128);
    assert_true(out->atomicity == ATOMICITY_32 && out->fills_nan == 1);
    kernel_free(&k);
}

static void expect_fault(struct tensor_map map, const char *text)
{
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.0", "sm_90") ".shared .align 128 .b8 s[256]; .shared .align 8 .b64 bar;\n"
                             ".entry k(.param .u64 map)\n{\n.reg .b64 %x0;\n"
                             "ld.param.u64 %x0, [map]; mbarrier.init.shared.b64 [bar], 1;\n"
                             "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                             ".mbarrier::complete_tx::bytes [s], [%x0, {0, 0}], [bar];\nret;\n}\n",
        NULL);
    void *at = kernel_buffer(&k, 4096);
    if (!map.address)
        memcpy(&map.address, k.params, 8);
    memcpy(at, &map, sizeof map);
    kernel_run(&k, "k", 1, 1, 0);
    assert_true(k.result.fault.happened);
    if (!strstr(k.result.fault.text, text))
        fail_msg("%s", k.result.fault.text);
    kernel_free(&k);
}

static void test_faults(void **state)
{
    (void)state;
    struct tensor_map map = {.mark = TENSOR_MAP_MARK,
                             .rank = 2,
                             .type = TENSOR_TYPE_F32,
                             .last = {63, 7},
                             .stride = {256},
                             .box = {16, 4},
                             .element_stride = {1, 1}};
    struct tensor_map other = map;
    other.mark = 0;
    expect_fault(other, "there is no tensor map");
    other = map;
    other.rank = 3;
    expect_fault(other, "number of dimensions");
    other = map;
    other.mode = TENSOR_IM2COL;
    expect_fault(other, "for im2col");
    other = map;
    other.interleave = 1;
    expect_fault(other, "interleaved");
    other = map;
    other.box[1] = 8;
    expect_fault(other, "is outside of the CTA's shared memory");
    other = map;
    other.address = 4096;
    expect_fault(other, "is in no allocation");
    other = map;
    other.box[0] = 7;
    expect_fault(other, "no multiple of 16 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),          cmocka_unit_test(test_store),
        cmocka_unit_test(test_reduce),        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_columns_store), cmocka_unit_test(test_gather),
        cmocka_unit_test(test_scatter),       cmocka_unit_test(test_multicast),
        cmocka_unit_test(test_fields),        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
