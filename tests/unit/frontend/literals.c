// 64-bit integers are exact everywhere; longer ones are faults.
#include "tests/unit/program.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"

static const struct {
    const char *written;
    uint64_t value;
    bool is_unsigned;
} numbers[] = {
    {"0", 0, false},
    {"0x123456789abcdef0", 0x123456789abcdef0, false},
    {"0X7fffffffffffffff", INT64_MAX, false},
    {"0xffffffffffffffff", UINT64_MAX, true},
    {"18446744073709551615", UINT64_MAX, true},
    {"9223372036854775807", INT64_MAX, false},
    {"9223372036854775808", UINT64_C(1) << 63, true},
    {"-9223372036854775808", UINT64_C(1) << 63, true},
    {"-1", UINT64_MAX, false},
    {"5U", 5, true},
    {"0xfedcba9876543210U", 0xfedcba9876543210, true},
    {"01777777777777777777777", UINT64_MAX, true},
    {"0777", 511, false},
    {"00", 0, false},
    {"0b1000000000000000000000000000000000000000000000000000000000000001", 0x8000000000000001,
     true},
    {"0B101", 5, false},
    {"(0x123456789abcdef0+1)", 0x123456789abcdef1, false},
    {"(1<<63)", UINT64_C(1) << 63, false},
    {"(0x7fffffffffffffff-0x7ffffffffffffffe)", 1, false},
    {"(0xffffffffffffffff/10)", UINT64_MAX / 10, true},
    {"(-7/2)", (uint64_t)-3, false},
    {"(-7 % 4)", 1, true},
    {"(4294967296*4294967295)", UINT64_C(4294967296) * 4294967295, false},
    {"~0x123456789abcdef0", ~UINT64_C(0x123456789abcdef0), true},
    {"(.u64)-1", UINT64_MAX, true},
    {"(0xfffffffffffffff0>>4)", UINT64_C(0x0fffffffffffffff), true},
    {"(-16>>4)", UINT64_MAX, false},
    {"(1?0x123456789abcdef0:2)", 0x123456789abcdef0, false},
};

// Each literal as an immediate, a first value, a list element, a length, and after an address.
static const struct {
    const char *before, *behind;
} places[] = {
    {HEAD ".entry k() { mov.u64 %rd1, ", "; }"},
    {HEAD ".global .u64 a = ", ";"},
    {HEAD ".global .u64 a[] = {", ", 77};"},
    {HEAD ".global .b8 a[", "];"},
    {HEAD ".entry k() { mov.u64 %rd1, {", ", %rd2}; }"},
    {HEAD ".entry k() { ld.global.u64 %rd1, [%rd2+", "]; }"},
};

static void parse_at(struct test_program *p, size_t place, const char *number)
{
    char text[256];
    int length =
        snprintf(text, sizeof text, "%s%s%s", places[place].before, number, places[place].behind);
    program_parse(p, text, (size_t)length);
}

static const struct node *find_int(const struct test_program *p)
{
    // The first behind the header's number.
    uint32_t at = program_find(p, NODE_INT, 0);
    at = at == UINT32_MAX ? at : program_find(p, NODE_INT, at + 1);
    return at == UINT32_MAX ? NULL : &p->tree.nodes.v[at];
}

static void test_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            struct test_program p;
            parse_at(&p, k, numbers[i].written);
            const struct node *found = find_int(&p);
            if (p.diags.list.n || !found || found->value != numbers[i].value ||
                !(found->flags & NODE_UNSIGNED) != !numbers[i].is_unsigned)
                fail_msg("%s in %s: 0x%llx", numbers[i].written, places[k].before,
                         found ? (unsigned long long)found->value : 0);
            program_free(&p);
        }
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const written[] = {
        "18446744073709551616",
        "0x10000000000000000",
        "02000000000000000000000",
        "0b10000000000000000000000000000000000000000000000000000000000000000",
        "99999999999999999999999999U",
        "0x",
        "0b2",
        "089",
        "5u",
        "5UL",
        "0xg",
        "1/0",
        "1 % 0",
        "0f3f8",
        "0d3ff"};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
            struct test_program p;
            parse_at(&p, k, written[i]);
            if (p.diags.list.n != 1 || strcmp(p.diags.list.v[0].id, "literal"))
                fail_msg("%u messages: %s in %s", p.diags.list.n, written[i], places[k].before);
            program_free(&p);
        }
}

// Offsets in the IR.
static void test_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *written;
        int64_t value;
    } cases[] = {
        {"+0x123456789abcdef0", 0x123456789abcdef0}, {"+-8", -8},   {"+4<<1", 8}, {"+4-8", -4},
        {"+-0x7fffffffffffffff", -INT64_MAX},        {"+0?1:5", 5}, {"+4+8", 12}, {"+(2*3)", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p;
        char text[256];
        int length =
            snprintf(text, sizeof text, HEAD ".entry k() { ld.global.u64 %%rd1, [%%rd2%s]; }",
                     cases[i].written);
        program_parse(&p, text, (size_t)length);
        uint32_t offset = program_find(&p, NODE_OFFSET, 0);
        assert_int_not_equal(offset, UINT32_MAX);
        uint32_t number = node_next(&p.tree, offset + 1);
        assert_true((int64_t)p.tree.nodes.v[number].value == cases[i].value);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
