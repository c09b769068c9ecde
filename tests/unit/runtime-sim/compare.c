// Compares comparisons and selection with references that work bit by bit.
#include "tests/unit/runtime-sim/conform.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static uint64_t bit(uint64_t value, uint32_t n)
{
    return n < 64 ? value >> n & 1 : 0;
}

static uint64_t sign_extended(uint64_t value, uint32_t bits)
{
    uint64_t result = value;
    for (uint32_t i = bits; i < 64; i++)
        result = (result & ~(UINT64_C(1) << i)) | bit(value, bits - 1) << i;
    return result;
}

// Parameters of the reference of a generated case: conform() passes it the operands only.
static struct {
    uint32_t bits;
    bool is_signed;
    const char *operator, * boolean;
} now;

// Comparisons

// Returns the order of two numbers: −1, 0 or 1.
static int order(uint64_t a, uint64_t b)
{
    a = now.is_signed ? sign_extended(a, now.bits) : a;
    b = now.is_signed ? sign_extended(b, now.bits) : b;
    if (now.is_signed && bit(a, 63) != bit(b, 63))
        return bit(a, 63) ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool holds(const uint64_t *in)
{
    static const struct {
        const char *name, *orders;
    } operators[] = {{"eq", "="},  {"ne", "<>"}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
                     {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
    uint32_t n = 0;
    while (strcmp(operators[n].name, now.operator) != 0)
        n++;
    return strchr(operators[n].orders, "<=>"[order(in[0], in[1]) + 1]) != NULL;
}

static bool combined(bool test, bool other)
{
    switch (now.boolean[0]) {
    case 'a': return test && other;
    case 'o': return test || other;
    case 'x': return test != other;
    default: return test;
    }
}

static void ref_setp(const uint64_t *in, uint64_t *out)
{
    out[0] = combined(holds(in), in[2] & 1);
    out[1] = combined(!holds(in), in[2] & 1);
}

static void ref_set(const uint64_t *in, uint64_t *out)
{
    out[0] = combined(holds(in), !(in[2] & 1)) ? UINT32_MAX : 0;
    out[1] = combined(holds(in), in[2] & 1) ? 0x3f800000 : 0;
}

static void compare_type(const char *type)
{
    static const char *const operators[] = {"eq", "ne", "lt", "le", "gt",
                                            "ge", "lo", "ls", "hi", "hs"};
    static const char *const booleans[] = {"", "and", "or", "xor"};
    uint32_t count = type[0] == 'b' ? 2 : type[0] == 's' ? 6 : 10;
    char text[300], types[100];
    now.bits = (uint32_t)atoi(type + 1);
    now.is_signed = type[0] == 's';
    for (uint32_t n = 0; n < count; n++) {
        now.operator= operators[n];
        now.boolean = booleans[n % 4];
        const char *dot = *now.boolean ? "." : "", *third = *now.boolean ? ", %c" : "";
        snprintf(text, sizeof text, "setp.%s%s%s.%s %%d|%%e, %%a, %%b%s;", now.operator, dot,
                 now.boolean, type, third);
        snprintf(types, sizeof types, "pred,pred=%s,%s,pred", type, type);
        conform_one(text, types, ref_setp, 0);
        snprintf(text, sizeof text,
                 "set.%s%s%s.%s.%s %%d, %%a, %%b%s; set.%s%s%s.f32.%s %%e, %%a, %%b%s;",
                 now.operator, dot, now.boolean, n & 1 ? "u32" : "s32", type,
                 *now.boolean ? ", !%c" : "", now.operator, dot, now.boolean, type, third);
        snprintf(types, sizeof types, "u32,b32=%s,%s,pred", type, type);
        conform_one(text, types, ref_set, 0);
    }
}

static void test_comparisons(void **state)
{
    (void)state;
    static const char *const types[] = {"b16", "b32", "b64", "u16", "u32",
                                        "u64", "s16", "s32", "s64"};
    for (uint32_t i = 0; i < COUNT(types); i++)
        compare_type(types[i]);
}

// Selection

static void ref_selp(const uint64_t *in, uint64_t *out)
{
    out[0] = in[in[2] & 1 ? 0 : 1];
}

static void ref_slct_s32(const uint64_t *in, uint64_t *out)
{
    out[0] = in[bit(in[2], 31)];
}

// Selects by the bits of an f32: negative but not −0 or a NaN; without .ftz also subnormal numbers.
static void slct_f32(const uint64_t *in, uint64_t *out, uint64_t min)
{
    uint64_t magnitude = in[2] & 0x7fffffff;
    bool nan = magnitude > 0x7f800000, negative = bit(in[2], 31) && magnitude >= min;
    out[0] = in[nan || negative];
}

static void ref_slct_f32(const uint64_t *in, uint64_t *out)
{
    slct_f32(in, out, 1);
}

static void ref_slct_ftz(const uint64_t *in, uint64_t *out)
{
    slct_f32(in, out, 0x00800000);
}

static void test_selection(void **state)
{
    (void)state;
    static const char *const names[] = {"b16", "u16", "s16", "b32", "u32", "s32",
                                        "f32", "b64", "u64", "s64", "f64"};
    char text[100], types[100];
    for (uint32_t i = 0; i < COUNT(names); i++) {
        const char *name = names[i];
        snprintf(text, sizeof text, "selp.%s %%d, %%a, %%b, %%c;", name);
        snprintf(types, sizeof types, "%s=%s,%s,pred", name, name, name);
        conform_one(text, types, ref_selp, 0);
        snprintf(text, sizeof text, "slct.%s.s32 %%d, %%a, %%b, %%c;", name);
        snprintf(types, sizeof types, "%s=%s,%s,s32", name, name, name);
        conform_one(text, types, ref_slct_s32, 0);
        snprintf(text, sizeof text, "slct.%s.f32 %%d, %%a, %%b, %%c;", name);
        snprintf(types, sizeof types, "%s=%s,%s,f32", name, name, name);
        conform_one(text, types, ref_slct_f32, 0);
        snprintf(text, sizeof text, "slct.ftz.%s.f32 %%d, %%a, %%b, %%c;", name);
        conform_one(text, types, ref_slct_ftz, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
