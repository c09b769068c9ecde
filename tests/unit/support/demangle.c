// Mangled names of functions, as c++filt 2.40 shows them.
#include "support/demangle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    const char *mangled, *text;
} names[] = {
    {"_Z6vecaddPfS_", "vecadd(float*, float*)"},
    {"_ZN1A1fIiEEvT_", "void A::f<int>(int)"},
    {"_ZN2ns5scaleIfLi3EEEvPT_PKS1_if",
     "void ns::scale<float, 3>(float*, float const*, int, float)"},
    {"_Z1fIJifEEvDpT_", "void f<int, float>(int, float)"},
    {"_Z1fIJifEEvDpPT_", "void f<int, float>(int*, float*)"},
    {"_ZN12_GLOBAL__N_11kIfEEvPT_", "void (anonymous namespace)::k<float>(float*)"},
    {"_Z1kILi3ELb1ELj4ELc65EEvv", "void k<3, true, 4u, (char)65>()"},
    {"_Z1kIL1E1EEvv", "void k<(E)1>()"},
    {"_Z1kIXadL_Z4mainEEEvv", "void k<&main>()"},
    {"_Z1gPFvifEPA4_Kf", "g(void (*)(int, float), float const (*) [4])"},
    {"_Z1gPA2_A3_i", "g(int (*) [2][3])"},
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"},
    {"_Z1kIZ4mainEUliE_EvT_", "void k<main::{lambda(int)#1}>(main::{lambda(int)#1})"},
    {"_Z1kRKSt6vectorIfSaIfEE", "k(std::vector<float, std::allocator<float> > const&)"},
    {"_Z1kM1AiMS_FvvE", "k(int A::*, void (A::*)())"},
    {"_Z1kIRiEvOT_", "void k<int&>(int&)"},
    {"_Z1kDhu6__bf16", "k(half, __bf16)"},
    {"_ZL5localPKjm", "local(unsigned int const*, unsigned long)"},
    {"_Z3runv.cold", "run()"},
    {"_Z1fIXplLi1ELi2EEEvv", "void f<(1)+(2)>()"},
    {"_ZN1AgtERKS_", "A::operator>(A const&)"},
};

// Texts that are not names of functions.
static const char *const others[] = {
    "",      "_Z",          "main",     "_Z1",         "_Z5four",  "_Z1fS_",       "_Z1fT_",
    "_ZN1A", "_Z1fIiEvT0_", "_Z1fPFvi", "_Z1fA4i",     "_Z1fILi3", "_ZTI1A",       "_Z99999999fv",
    "_Z1fI", "_Z1fDpT_",    "_ZSt",     "_ZGVZ1fvE1x", "_Z1fUlv",  "_Z1fSZZZZZZ_", "_Z1fvE",
};

static void test_names(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    struct demangled found;
    assert_false(setjmp(memory.on_failure));
    arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(demangle(&found, &arena, names[i].mangled));
        assert_string_equal(found.text, names[i].text);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (demangle(&found, &arena, others[i]))
            fail_msg("'%s' is taken for '%s'", others[i], found.text);
    memory_free(&memory);
}

static void expect_part(const char *text, uint32_t begin, uint32_t end, const char *expected)
{
    assert_int_equal(end - begin, strlen(expected));
    assert_memory_equal(text + begin, expected, end - begin);
}

static const struct {
    const char *mangled, *bare, *name, *parameters[2];
    uint32_t count;
} parts[] = {
    {"_ZN2ns5scaleIfLi3EJijEEEvPT_PKS1_DpT1_",
     "ns::scale",
     "ns::scale<float, 3, int, unsigned int>",
     {"float*", "float const*"},
     4},
    {"_Z1kIXgtLi1ELi2EEEv1AIXgtLi1ELi2EEiEf",
     "k",
     "k<((1)>(2))>",
     {"A<((1)>(2)), int>", "float"},
     2},
    {"_Z1fPFvPFviEEi", "f", "f", {"void (*)(void (*)(int))", "int"}, 2},
    {"_Z1fIiEPFvcEv", "f", "f<int>", {0}, 0},
    {"_ZN1AIiEptEv", "A<int>::operator->", "A<int>::operator->", {0}, 0},
    {"_ZN1AIFivEE1xE", "A<int ()>::x", "A<int ()>::x", {0}, 0},
};

static void test_parts(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    struct demangled found;
    assert_false(setjmp(memory.on_failure));
    arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_true(demangle(&found, &arena, parts[i].mangled));
        expect_part(found.text, found.name, found.bare_end, parts[i].bare);
        expect_part(found.text, found.name, found.name_end, parts[i].name);
        assert_int_equal(found.parameters.n, parts[i].count);
        for (uint32_t k = 0; k < 2 && k < parts[i].count; k++)
            assert_string_equal(found.parameters.v[k], parts[i].parameters[k]);
    }
    memory_free(&memory);
}

// Names that grow exponentially or nest deeply have bounds.
static void test_bounds(void **state)
{
    (void)state;
    static const char *const starts[] = {"_Z1f", "_Z1fI", "_ZN"};
    static const char *const steps[] = {"P",   "F",   "I",   "M",  "A1_",
                                        "N1a", "1aI", "Z1a", "S_", "UlS_"};
    static char text[4000];
    struct memory memory = {0};
    struct arena arena;
    struct demangled found;
    assert_false(setjmp(memory.on_failure));
    arena_init(&arena, &memory);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            strcpy(text, starts[i]);
            for (size_t at = strlen(text); at + 8 < sizeof text; at += strlen(steps[k]))
                strcpy(text + at, steps[k]);
            demangle(&found, &arena, text);
        }
    // The demangler's stack would grow with the square of the length.
    strcpy(text, "_Z1fIiEv");
    for (size_t at = strlen(text); at + 9 < sizeof text; at += 8)
        strcpy(text + at, "RT_1aIiE");
    assert_false(demangle(&found, &arena, text));
    // Each type is the one before it twice.
    strcpy(text, "_Z1f1A1BIS_S_E");
    for (int i = 0; i < 36; i++)
        sprintf(text + strlen(text), "S0_IS%c_S%c_E", i < 10 ? '0' + i : 'A' + i - 10,
                i < 10 ? '0' + i : 'A' + i - 10);
    assert_false(demangle(&found, &arena, text));
    assert_true(memory.peak < 64 << 20);
    memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
