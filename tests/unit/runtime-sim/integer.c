// Integer arithmetic against a reference in plain C.
#include "tests/unit/runtime-sim/conform.h"

static void add_u32(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] + in[1];
}

static void mul_wide_s32(const uint64_t *in, uint64_t *out)
{
    out[0] = (uint64_t)((int64_t)(int32_t)in[0] * (int32_t)in[1]);
}

static void test_arithmetic(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"add.u32 %d, %a, %b;", "u32=u32,u32", add_u32},
        {"add.s64 %d, %a, %b;", "s64=s64,s64", add_u32},
        {"mul.wide.s32 %d, %a, %b;", "s64=s32,s32", mul_wide_s32},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
