// Video instructions compared with the manual's stages: select parts, compute, saturate, combine or
// merge. All numbers have 128 bits, so that none overflows.
#include "tests/unit/runtime-sim/conform.h"

__extension__ typedef __int128 wide;

#define COUNT(list) (sizeof(list) / sizeof *(list))

// The instruction that the reference computes; conform() passes it the operands only.
static struct {
    const char *op, *words; // words: modifiers, each with its dot
    bool sign[3];           // of d, a, b
    const char *part[3];    // of d, a, b: "" or "b0", "h32" …
    uint32_t count;         // parts of a SIMD instruction, or 1
    bool negated[3];        // of a, b, c (vmad)
} now;

static bool has(const char *word)
{
    size_t length = strlen(word);
    for (const char *at = now.words; (at = strstr(at, word)) != NULL; at += length)
        if (at[length] == '.' || !at[length])
            return true;
    return false;
}

static wide power(uint32_t n)
{
    return (wide)1 << n;
}

// Returns `bits` bits of `value` from `at` on as a number.
static wide number(uint64_t value, uint32_t at, uint32_t bits, bool sign)
{
    wide part = (value >> at) % (uint64_t)power(bits);
    if (bits == 64)
        part = (wide)(value >> at);
    return sign && part >= power(bits - 1) ? part - power(bits) : part;
}

static wide clamp(wide value, wide min, wide max)
{
    return value < min ? min : value > max ? max : value;
}

static wide saturated(wide value, uint32_t bits)
{
    return !has(".sat")  ? value
           : now.sign[0] ? clamp(value, -power(bits - 1), power(bits - 1) - 1)
                         : clamp(value, 0, power(bits) - 1);
}

// Divides, rounding towards −∞.
static wide divide(wide value, wide by)
{
    wide quotient = value / by;
    return quotient * by > value ? quotient - 1 : quotient;
}

static wide computed(wide a, wide b)
{
    const char *op = now.op + 1;
    uint32_t count = (uint32_t)(has(".wrap") ? b % 32 : b < 32 ? b : 32);
    if (!strncmp(op, "add", 3))
        return a + b;
    if (!strncmp(op, "sub", 3))
        return a - b;
    if (!strncmp(op, "absdiff", 7))
        return a - b < 0 ? b - a : a - b;
    if (!strncmp(op, "min", 3))
        return a - b < 0 ? a : b;
    if (!strncmp(op, "max", 3))
        return a - b < 0 ? b : a;
    if (!strncmp(op, "avrg", 4))
        return divide(a + b + (a + b < 0 ? 0 : 1), 2);
    if (!strncmp(op, "shl", 3))
        return a * power(count);
    if (!strncmp(op, "shr", 3))
        return divide(a, power(count));
    return has(".eq")   ? a == b
           : has(".ne") ? a != b
           : has(".lt") ? a < b
           : has(".le") ? a <= b
           : has(".gt") ? a > b
                        : a >= b;
}

static uint64_t merged(uint64_t c, wide value, uint32_t at, uint32_t bits)
{
    uint64_t field = (uint64_t)(power(bits) - 1) << at;
    return (c & ~field) | ((uint64_t)value << at & field);
}

// Scalar: one part of each operand

struct part {
    uint32_t at, bits;
};

static struct part scalar_part(const char *name)
{
    if (!*name)
        return (struct part){0, 32};
    uint32_t bits = *name == 'b' ? 8 : 16;
    return (struct part){(uint32_t)(name[1] - '0') * bits, bits};
}

static wide scalar_source(const uint64_t *in, uint32_t n)
{
    struct part part = scalar_part(now.part[n + 1]);
    return number(in[n], part.at, part.bits, now.sign[n + 1]);
}

static void ref_scalar(const uint64_t *in, uint64_t *out)
{
    struct part to = scalar_part(now.part[0]);
    wide c = number(in[2], 0, 32, now.sign[0]);
    wide value = saturated(computed(scalar_source(in, 0), scalar_source(in, 1)), to.bits);
    if (has(".add"))
        value += c;
    else if (has(".min"))
        value = value < c ? value : c;
    else if (has(".max"))
        value = value > c ? value : c;
    out[0] = merged(in[2], value, to.at, to.bits);
}

// SIMD: digits select parts of a and b, from the left

static wide simd_source(const uint64_t *in, uint32_t n, uint32_t place)
{
    const char *otherwise[2][2] = {{"h10", "h32"}, {"b3210", "b7654"}};
    const char *name = *now.part[n + 1] ? now.part[n + 1] : otherwise[now.count == 4][n];
    uint32_t digit = (uint32_t)(name[now.count - place] - '0'), bits = 32 / now.count;
    uint64_t from = digit < now.count ? in[0] : in[1];
    return number(from, digit % now.count * bits, bits, now.sign[n + 1]);
}

static bool is_named(uint32_t place)
{
    return !*now.part[0] || strchr(now.part[0] + 1, (int)('0' + place));
}

static void ref_simd(const uint64_t *in, uint64_t *out)
{
    uint32_t bits = 32 / now.count;
    out[0] = in[2];
    for (uint32_t place = 0; place < now.count; place++) {
        if (!is_named(place))
            continue;
        wide value =
            saturated(computed(simd_source(in, 0, place), simd_source(in, 1, place)), bits);
        out[0] = has(".add") ? out[0] + (uint64_t)value : merged(out[0], value, place * bits, bits);
    }
}

// vmad, as in the manual's text: a product, optionally negated, and c, optionally negated.
static void ref_vmad(const uint64_t *in, uint64_t *out)
{
    bool product_negated = now.negated[0] != now.negated[1];
    bool sign = now.sign[1] || now.sign[2] || product_negated || now.negated[2];
    wide product = scalar_source(in, 0) * scalar_source(in, 1);
    wide c = number(in[2], 0, 32, sign);
    wide sum = (product_negated ? -product : product) + (now.negated[2] ? -c : c) + has(".po");
    sum = divide(sum, has(".shr7") ? 128 : has(".shr15") ? 32768 : 1);
    if (has(".sat"))
        sum = sign ? clamp(sum, INT32_MIN, INT32_MAX) : clamp(sum, 0, UINT32_MAX);
    out[0] = (uint64_t)sum;
}

// Instructions

static void run_one(conform_reference *reference, bool third, uint32_t flags)
{
    static const char *const types[] = {".u32", ".s32"};
    char text[200], dot[3][8];
    for (uint32_t i = 0; i < 3; i++)
        snprintf(dot[i], sizeof dot[i], "%s%s", *now.part[i] ? "." : "", now.part[i]);
    bool compares = !strncmp(now.op, "vset", 4);
    snprintf(text, sizeof text, "%s%s%s%s%s %%d%s, %s%%a%s, %s%%b%s%s%s;", now.op,
             compares ? "" : types[now.sign[0]], types[now.sign[1]], types[now.sign[2]], now.words,
             dot[0], now.negated[0] ? "-" : "", dot[1], now.negated[1] ? "-" : "", dot[2],
             third ? now.negated[2] ? ", -" : ", " : "", third ? "%c" : "");
    struct conform_case one = {text, "u32=u32,u32,u32", reference, flags};
    conform(&one, 1);
}

static void set_signs(uint32_t bits)
{
    for (uint32_t i = 0; i < 3; i++)
        now.sign[i] = bits >> i & 1;
}

static const char *const scalar_parts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};

// Runs each combination of types, .sat and secondary operation, with other parts each time.
static void run_scalar(const char *op, const char *word)
{
    static const char *const seconds[] = {"", ".add", ".min", ".max"};
    static uint64_t random = 1;
    bool compares = !strcmp(op, "vset"), shifts = op[1] == 's' && op[2] == 'h';
    memset(&now, 0, sizeof now);
    now.op = op;
    now.count = 1;
    for (uint32_t i = 0; i < 16 * 10; i++) {
        char words[50];
        uint32_t what = i / 16;
        set_signs(i);
        if ((compares && i % 16 & 9) || (shifts && now.sign[2]))
            continue;
        snprintf(words, sizeof words, "%s%s%s", i & 8 ? ".sat" : "", word,
                 what < 4 ? seconds[what] : "");
        now.words = words;
        now.part[0] = what < 4 ? "" : scalar_parts[what - 3];
        now.part[1] = scalar_parts[conform_random(&random) % COUNT(scalar_parts)];
        now.part[2] = scalar_parts[conform_random(&random) % COUNT(scalar_parts)];
        run_one(ref_scalar, what > 0, shifts ? CONFORM_SMALL : 0);
    }
}

static void test_scalar(void **state)
{
    (void)state;
    run_scalar("vadd", "");
    run_scalar("vsub", "");
    run_scalar("vabsdiff", "");
    run_scalar("vmin", "");
    run_scalar("vmax", "");
}

static void test_scalar_shifts(void **state)
{
    (void)state;
    run_scalar("vshl", ".clamp");
    run_scalar("vshl", ".wrap");
    run_scalar("vshr", ".clamp");
    run_scalar("vshr", ".wrap");
}

static const char *const comparisons[] = {".eq", ".ne", ".lt", ".le", ".gt", ".ge"};

static void test_scalar_comparisons(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(comparisons); i++)
        run_scalar("vset", comparisons[i]);
}

static void run_vmad(uint32_t i, uint32_t scale, uint64_t *random)
{
    static const char *const scales[] = {"", ".shr7", ".shr15"};
    char words[50];
    bool plus_one = i & 16;
    snprintf(words, sizeof words, "%s%s%s", plus_one ? ".po" : "", i & 8 ? ".sat" : "",
             scales[scale]);
    now.words = words;
    set_signs(i);
    now.part[1] = scalar_parts[conform_random(random) % COUNT(scalar_parts)];
    now.part[2] = scalar_parts[conform_random(random) % COUNT(scalar_parts)];
    // The product or c: a, b, both (then neither is), c.
    for (uint32_t negated = 0; negated < (plus_one ? 1 : 5); negated++) {
        now.negated[0] = negated == 1 || negated == 3;
        now.negated[1] = negated == 2 || negated == 3;
        now.negated[2] = negated == 4;
        run_one(ref_vmad, true, 0);
    }
}

static void test_multiply(void **state)
{
    (void)state;
    uint64_t random = 2;
    memset(&now, 0, sizeof now);
    now.op = "vmad";
    now.part[0] = "";
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t scale = 0; scale < 3; scale++)
            run_vmad(i, scale, &random);
    // All 64 bits of a product and more.
    now.part[1] = now.part[2] = "";
    now.words = ".sat";
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t n = 0; n < 3; n++) {
            set_signs(i);
            memset(now.negated, 0, sizeof now.negated);
            now.negated[n] = true;
            run_one(ref_vmad, true, 0);
        }
}

// Returns a random selection of parts, or none.
static const char *choose(char *text, uint32_t count, uint64_t *random)
{
    char *at = text;
    if (conform_random(random) % 4) {
        *at++ = count == 2 ? 'h' : 'b';
        for (uint32_t i = 0; i < count; i++)
            *at++ = (char)('0' + conform_random(random) % (2 * count));
    }
    *at = 0;
    return text;
}

static const char *const masks[2][16] = {
    {"", "h0", "h1", "h10"},
    {"", "b0", "b1", "b10", "b2", "b20", "b21", "b210", "b3", "b30", "b31", "b310", "b32", "b320",
     "b321", "b3210"},
};

static void run_simd(const char *op, const char *word, uint32_t count)
{
    static const char *const ends[] = {"", ".sat", ".add"};
    static uint64_t random = 3;
    bool compares = !strncmp(op, "vset", 4);
    memset(&now, 0, sizeof now);
    now.op = op;
    now.count = count;
    for (uint32_t i = 0; i < 8 * 3 * 2; i++) {
        char words[50], parts[2][8];
        uint32_t end = i / 8 % 3;
        set_signs(i);
        if (compares && (now.sign[0] || end == 1))
            continue;
        snprintf(words, sizeof words, "%s%s", word, ends[end]);
        now.words = words;
        now.part[0] = masks[count == 4][conform_random(&random) % (count * count)];
        now.part[1] = choose(parts[0], count, &random);
        now.part[2] = choose(parts[1], count, &random);
        run_one(ref_simd, true, 0);
    }
}

static void test_simd(void **state)
{
    (void)state;
    static const char *const ops[] = {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2",
                                      "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"};
    for (uint32_t i = 0; i < COUNT(ops); i++)
        run_simd(ops[i], "", i < 6 ? 2 : 4);
    for (uint32_t i = 0; i < COUNT(comparisons); i++) {
        run_simd("vset2", comparisons[i], 2);
        run_simd("vset4", comparisons[i], 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar),
        cmocka_unit_test(test_scalar_shifts),
        cmocka_unit_test(test_scalar_comparisons),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_simd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
