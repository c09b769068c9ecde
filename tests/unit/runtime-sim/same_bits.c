// The same bits everywhere: the results of every form of arithmetic and conversion have the
// checked-in digest, whatever the host, the compiler and the instruction set.
//
// usage: test-runtime-sim-same_bits [--list | --update]
//
// --list prints a digest for each instruction, to compare two hosts; --update writes the checked-in
// digests. Other tests check the results themselves.
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/form_walk.h"

#define EXPECTED SOURCE_ROOT "/tests/unit/runtime-sim/same_bits.expected"

// Contents of a thread's `in`: for each source its bits in each size. Twice, so that values of one
// source meet several of another.
enum { THREADS = 512, SOURCES = 24, SOURCE_BYTES = 32, RESULTS = 12, RESULT_BYTES = 16 };

struct digests {
    struct form_walk walk;
    FILE *text, *list;
    uint32_t kernels, counted;
    struct {
        char text[FORM_TEXT];
        size_t length;
    } * names; // of the kernels, for the list
    const char *lanes;
};

static const uint16_t ops[] = {
    OP_add,   OP_sub,      OP_mul,   OP_mad,   OP_mul24, OP_mad24,     OP_sad,      OP_div,
    OP_rem,   OP_abs,      OP_neg,   OP_min,   OP_max,   OP_popc,      OP_clz,      OP_bfind,
    OP_fns,   OP_brev,     OP_bfe,   OP_bfi,   OP_szext, OP_bmsk,      OP_dp4a,     OP_dp2a,
    OP_addc,  OP_subc,     OP_madc,  OP_and,   OP_or,    OP_xor,       OP_not,      OP_cnot,
    OP_lop3,  OP_shf,      OP_shl,   OP_shr,   OP_prmt,  OP_selp,      OP_slct,     OP_set,
    OP_setp,  OP_vadd,     OP_vsub,  OP_vmin,  OP_vmax,  OP_vshl,      OP_vshr,     OP_vmad,
    OP_vset,  OP_vadd2,    OP_vsub2, OP_vmin2, OP_vmax2, OP_vavrg2,    OP_vset2,    OP_vadd4,
    OP_vsub4, OP_vavrg4,   OP_vmin4, OP_vmax4, OP_vset4, OP_vabsdiff4, OP_vabsdiff, OP_vabsdiff2,
    OP_fma,   OP_rcp,      OP_sqrt,  OP_rsqrt, OP_sin,   OP_cos,       OP_lg2,      OP_ex2,
    OP_tanh,  OP_copysign, OP_testp, OP_cvt,   OP_mma,
};
enum { OPS = sizeof ops / sizeof *ops };

// Kernels

static uint32_t place_of(uint32_t bits)
{
    return bits == 128 ? 0 : bits == 64 ? 16 : bits == 32 ? 24 : bits == 16 ? 28 : 30;
}

static void put_loads(FILE *to, const struct form_walk *walk)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < walk->register_count; i++) {
        const struct form_register *from = &walk->registers[i];
        if (!from->read)
            continue;
        uint32_t bits = from->bits == 1 ? 8 : from->bits, place = at++ * SOURCE_BYTES;
        assert_in_range(at, 1, SOURCES);
        place += place_of(bits);
        if (from->bits == 1)
            fprintf(to,
                    "ld.global.u8 %%r32_80, [%%r64_80+%u]; and.b32 %%r32_80, %%r32_80, 1; "
                    "setp.ne.u32 %%p%u, %%r32_80, 0;\n",
                    place, from->number);
        else
            fprintf(to, "ld.global.b%u %%r%u_%u, [%%r64_80+%u];\n", bits, bits, from->number,
                    place);
    }
}

static void put_stores(FILE *to, const struct form_walk *walk)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < walk->register_count; i++) {
        const struct form_register *from = &walk->registers[i];
        if (!from->written)
            continue;
        uint32_t place = at++ * RESULT_BYTES;
        assert_in_range(at, 1, RESULTS);
        if (from->bits == 1)
            fprintf(to, "selp.u32 %%r32_80, 1, 0, %%p%u; st.global.u32 [%%r64_81+%u], %%r32_80;\n",
                    from->number, place);
        else
            fprintf(to, "st.global.b%u [%%r64_81+%u], %%r%u_%u;\n", from->bits, place, from->bits,
                    from->number);
    }
}

static void put_kernel(struct form_walk *walk)
{
    struct digests *d = walk->own;
    if (strstr(walk->text, "%v"))
        return;
    d->names = realloc(d->names, (d->kernels + 1) * sizeof *d->names);
    assert_non_null(d->names);
    memcpy(d->names[d->kernels].text, walk->text, walk->length + 1);
    fprintf(d->text,
            ".entry k%u(.param .u64 in, .param .u64 out)\n{ %s"
            "mov.u32 %%r32_80, %%ctaid.x; mov.u32 %%r32_81, %%tid.x;\n"
            "mad.lo.u32 %%r32_80, %%r32_80, 64, %%r32_81;\n"
            "ld.param.u64 %%r64_80, [in]; mad.wide.u32 %%r64_80, %%r32_80, %u, %%r64_80;\n"
            "ld.param.u64 %%r64_81, [out]; mad.wide.u32 %%r64_81, %%r32_80, %u, %%r64_81;\n",
            d->kernels++, FORM_REGISTERS, SOURCES * SOURCE_BYTES, RESULTS * RESULT_BYTES);
    put_loads(d->text, walk);
    fprintf(d->text, "%s;\n", walk->text);
    put_stores(d->text, walk);
    fprintf(d->text, "ret; }\n");
}

// Digests

static uint64_t mix(uint64_t digest, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ from[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static void fill(uint8_t *to)
{
    static const uint32_t sizes[] = {64, 64, 64, 32, 16, 8, 8};
    uint64_t state = 1;
    for (uint32_t i = 0; i < THREADS * SOURCES; i++)
        for (uint32_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
            uint64_t bits = conform_bits(&state, sizes[n]);
            memcpy(to, &bits, sizes[n] / 8);
            to += sizes[n] / 8;
        }
}

// Returns the digest of one opcode; sets `counted` to the number of instructions executed.
static uint64_t digest_of(struct digests *d, const char *text)
{
    struct kernel k;
    uint64_t all = UINT64_C(0xcbf29ce484222325), start = all;
    size_t bytes = (size_t)THREADS * RESULTS * RESULT_BYTES;
    kernel_load(&k, text, d->lanes);
    fill(kernel_buffer(&k, (size_t)THREADS * SOURCES * SOURCE_BYTES));
    uint8_t *out = kernel_buffer(&k, bytes);
    d->counted = 0;
    for (uint32_t i = 0; i < d->kernels; i++) {
        char name[16];
        if (k.program.functions.v[i].refusal)
            continue;
        d->counted++;
        sprintf(name, "k%u", i);
        memset(out, 0, bytes);
        kernel_succeeds(&k, name, THREADS / 64, 64);
        uint64_t one = mix(start, out, bytes);
        all = mix(all, &one, sizeof one);
        if (d->list)
            fprintf(d->list, "%016llx %s\n", (unsigned long long)one, d->names[i].text);
    }
    kernel_free(&k);
    return all;
}

static void put_digest(struct digests *d, uint16_t op, FILE *to)
{
    char *text = NULL;
    size_t length = 0;
    d->text = open_memstream(&text, &length);
    assert_non_null(d->text);
    fprintf(d->text, HEAD("9.1", "sm_100a"));
    d->kernels = 0;
    form_walk_op(&d->walk, op);
    fclose(d->text);
    uint64_t digest = digest_of(d, text);
    fprintf(to, "%s %u %016llx\n", isa_op_names[op], d->counted, (unsigned long long)digest);
    free(text);
}

// Writes one line for each opcode: name, instructions, digest.
static void put_digests(const char *lanes, FILE *to, FILE *list)
{
    struct digests d = {.walk = {.which = FORM_ALL_WORDS,
                                 .variants = FORM_PLAIN + 1,
                                 .accept = put_kernel,
                                 .own = &d},
                        .list = list,
                        .lanes = lanes};
    form_walk_begin(&d.walk);
    for (uint32_t i = 0; i < OPS; i++)
        put_digest(&d, ops[i], to);
    form_walk_end(&d.walk);
    free(d.names);
}

static void check(const char *lanes)
{
    char *text = NULL, got[100], expected[100];
    size_t length = 0;
    uint32_t different = 0;
    if (!lanes_named(lanes))
        skip();
    FILE *to = open_memstream(&text, &length), *file = fopen(EXPECTED, "r");
    assert_non_null(to);
    assert_non_null(file);
    put_digests(lanes, to, NULL);
    fclose(to);
    const char *at = text;
    for (; fgets(expected, sizeof expected, file); at += strlen(got)) {
        snprintf(got, sizeof got, "%.*s\n", (int)strcspn(at, "\n"), at);
        if (!strcmp(got, expected))
            continue;
        print_error("%sexpected %s", got, expected);
        different++;
    }
    assert_string_equal(at, "");
    fclose(file);
    free(text);
    assert_int_equal(different, 0);
}

static void test_plain(void **state)
{
    (void)state;
    check("plain");
}

static void test_avx2(void **state)
{
    (void)state;
    check("avx2");
}

static int print_digests(const char *lanes, FILE *to, FILE *list)
{
    if (!to)
        return 1;
    put_digests(lanes, to, list);
    return fclose(to) != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_avx2)};
    if (argc > 1 && !strcmp(argv[1], "--list"))
        return print_digests("plain", stdout, stdout);
    if (argc > 1 && !strcmp(argv[1], "--update"))
        return print_digests("plain", fopen(EXPECTED, "w"), NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
