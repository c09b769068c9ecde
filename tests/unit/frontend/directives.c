// Directives and declarations are accepted and rejected as by ptxas.
#include "frontend/directives.h"
#include "tests/unit/diagnosed.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

#define INDEPENDENT ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n"

struct example {
    const char *text, *answer;
};

static void check(const struct example *examples, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct test_program p;
        program_parse(&p, examples[i].text, strlen(examples[i].text));
        directives_check(&p.tree, &p.arena, &p.diags);
        const char *found = diagnosed(&p);
        if (strcmp(found, examples[i].answer)) {
            print_message("%s\nexpected: %s\nfound:    %s\n", examples[i].text, examples[i].answer,
                          found);
            wrong++;
        }
        program_free(&p);
    }
    if (wrong)
        fail_msg("%zu of %zu texts", wrong, count);
}

static void test_places(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {HEAD ".entry k() .maxntid 1 {ret;}", ""},
        {HEAD ".entry k() .maxntid 1,2,3 {ret;}", ""},
        {HEAD ".entry k() .maxntid 1,2,3,4 {ret;}", "4:12 directive"},
        {HEAD ".entry k() .maxntid {ret;}", "4:12 directive"},
        {HEAD ".entry k() .maxntid 0 {ret;}", "4:21 directive"},
        {HEAD ".entry k() .maxntid 1 .maxntid 1 {ret;}", ""},
        {HEAD ".entry k() .maxntid 1 .reqntid 1 {ret;}", "4:23 directive"},
        {HEAD ".entry k() .minnctapersm 1 {ret;}", ""},
        {HEAD ".entry k() .minnctapersm 1,2 {ret;}", "4:12 directive"},
        {HEAD ".entry k() .maxnctapersm 2 {ret;}", "4:12 version"},
        {HEAD ".entry k() .maxnreg 32 {ret;}", ""},
        {HEAD ".entry k() .maxnreg 32,3 {ret;}", "4:12 directive"},
        {HEAD ".entry k() .explicitcluster {ret;}", ""},
        {HEAD ".entry k() .explicitcluster 1 {ret;}", "4:12 directive"},
        {HEAD ".entry k() .reqnctapercluster 1,2,3 {ret;}", ""},
        {HEAD ".entry k() .maxclusterrank 8 {ret;}", ""},
        {HEAD ".entry k() .maxclusterrank 8 .reqnctapercluster 1 {ret;}", "4:12 directive"},
        {HEAD ".entry k() .blocksareclusters {ret;}", "4:12 directive"},
        {HEAD ".entry k() .reqntid 1 .reqnctapercluster 1 .blocksareclusters {ret;}", ""},
        {HEAD ".entry k() .reqntid 1 .blocksareclusters {ret;}", "4:23 directive"},
        {HEAD ".entry k() .noreturn {ret;}", "4:12 directive"},
        {HEAD ".entry k() .abi_preserve 1 {ret;}", "4:12 directive"},
        {HEAD ".entry k() .pragma \"nounroll\"; {ret;}", ""},
        {HEAD ".entry k() .maxntid 0x20 {ret;}", ""},
        {HEAD ".entry k() .maxntid 1.5 {ret;}", "4:21 directive"},
        {HEAD ".entry k() .align 4 {ret;}", "4:12 directive"},
        {HEAD ".func k() .maxntid 1 {ret;}", "4:11 directive"},
        {HEAD ".func k() .noreturn {ret;}", ""},
        {HEAD ".func k() .noreturn 1 {ret;}", "4:11 directive"},
        {HEAD ".func k() .abi_preserve 1 {ret;}", ""},
        {HEAD ".func k() .abi_preserve_control 2 {ret;}", ""},
        {HEAD ".func k() .abi_preserve {ret;}", "4:11 directive"},
        {HEAD ".func k() .pragma \"nounroll\"; {ret;}", "4:11 directive"},
        {HEAD ".func (.param .u32 a) k() .noreturn {ret;}", "4:27 directive"},
        {HEAD ".pragma \"nounroll\", \"abi_param_reg all\";", ""},
        {HEAD ".pragma \"a\", \"nounroll\";", "4:9 directive"},
        {HEAD ".pragma nounroll;", "4:9 directive"},
        {HEAD ".alias a f;", "4:10 syntax"},
        {HEAD ".alias a;", "4:1 directive"},
        {HEAD ".file 1 \"a\"", ""},
        {HEAD ".file 1 \"a\" .file 1 \"b\"", "4:19 directive; +4:1"},
        {HEAD ".loc 1 1 1", "4:1 directive"},
        {HEAD ".entry k() {\n.loc 1 2 3\nret;}", ""},
        {HEAD ".entry k() {\n.loc 1 2\nret;}", "5:1 directive"},
        {HEAD ".entry k() {.section .debug_info {.b8 1} ret;}", "4:13 directive"},
        {HEAD ".entry k() {.branchtargets L; L: ret;}", "4:13 directive"},
        {HEAD ".entry k() {T: .branchtargets L; L: ret;}", ""},
        {HEAD ".entry k() {P: .callprototype _ (); ret;}", ""},
        {HEAD ".entry k() {P: .callprototype (.param .u32 _) f (.param .u32 _); ret;}",
         "4:47 directive"},
        {HEAD ".entry k() {P: .callprototype _ () .abi_preserve 3; ret;}", ""},
        {HEAD ".entry k() {P: .callprototype (.param .u32 _) _ () .noreturn; ret;}",
         "4:52 directive"},
        {HEAD ".callprototype _ ();", "4:1 directive"},
        {HEAD ".entry k() {.version 9.0 ret;}", "4:13 directive"},
        {HEAD ".entry k() {.file 1 \"a\"\n ret;}", "4:13 directive"},
        {HEAD ".global .attribute(.managed) .u32 a;", ""},
        {HEAD ".attribute(.managed) .global .u32 a;", ""},
        {HEAD ".const .attribute(.managed) .u32 a;", "4:19 declaration"},
        {HEAD ".global .attribute(.foo) .u32 a;", "4:20 declaration"},
        {HEAD ".global .attribute(.unified) .u32 a;", "4:20 declaration"},
        {HEAD ".func .attribute(.unified(0xAB,0xCD)) bar() {ret;}", ""},
        {HEAD ".entry k(.param .u64 .ptr .global .align 16 p) {ret;}", ""},
        {HEAD ".entry k(.param .u64 .ptr p) {ret;}", ""},
        {HEAD ".func k(.param .u64 .ptr .global p) {ret;}", "4:21 declaration"},
        {HEAD ".global .u64 .ptr p;", "4:14 declaration"},
        {HEAD ".entry k(.param .u64 .ptr .align 3 p) {ret;}", "4:27 declaration"},
        {HEAD ".global .align 3 .u32 a;", "4:9 declaration"},
        {HEAD ".global .u32 .align 4 a;", "4:14 declaration"},
        {HEAD ".align 4 .global .u32 a;", ""},
        {HEAD ".global .u32 .u32 a;", "4:14 declaration"},
        {HEAD ".global a;", "4:1 declaration"},
        {HEAD ".global .global .u32 a;", "4:9 declaration"},
        {HEAD ".global .v4 .f64 a;", "4:9 declaration"},
        {HEAD ".global .pred a;", "4:9 declaration"},
        {HEAD ".global .bf16 a;", "4:9 declaration"},
        {HEAD ".global .u32 a[];", "4:14 declaration"},
        {HEAD ".global .u32 a[] = {1,2};", ""},
        {HEAD ".global .u32 a[0];", "4:14 declaration"},
        {HEAD ".global .u32 a[-1];", "4:15 declaration"},
        {HEAD ".extern .shared .u32 a[];", ""},
        {HEAD ".shared .u32 a = 1;", "4:16 declaration"},
        {HEAD ".extern .global .u32 a = 1;", "4:24 declaration"},
        {HEAD ".param .u32 a;", "4:1 declaration"},
        {HEAD ".common .shared .u32 a[4];", "4:1 declaration"},
        {HEAD ".common .func f();", "4:1 directive"},
        {HEAD ".extern .visible .global .u32 a;", "4:9 declaration"},
        {HEAD ".extern .func f() {ret;}", "4:1 declaration"},
        {HEAD ".global .u32 _;", "4:14 declaration"},
        {HEAD ".entry k() {.visible .shared .u32 a[2]; ret;}", "4:13 declaration"},
        {HEAD ".entry k() {.global .u32 a = 1; ret;}", ""},
        {HEAD ".entry k() {.reg .u32 a = 1; ret;}", "4:25 declaration"},
        {HEAD ".entry k() {.reg .u32 a[3]; ret;}", "4:24 declaration"},
        {HEAD ".entry k(.reg .u32 a) {ret;}", "4:10 declaration"},
        {HEAD ".func k(.reg .u32 a) {ret;}", ""},
        {HEAD ".func k(.global .u32 a) {ret;}", "4:9 declaration"},
        {HEAD ".entry k(.param .u32 a[]) {ret;}", "4:22 declaration"},
        {HEAD ".func k(.param .b8 a[]) {ret;}", ""},
        {HEAD ".global .samplerref s = {addr_mode_0 = wrap};", "4:9 target"},
        {INDEPENDENT ".global .samplerref s = {addr_mode_0 = wrap};", ""},
        {INDEPENDENT ".entry k(.param .samplerref s) {ret;}", ""},
        {HEAD ".entry k(.param .texref s, .param .surfref t) {ret;}", ""},
        {HEAD ".func k(.param .texref s) {ret;}", "4:16 declaration"},
        {HEAD ".shared .texref s;", "4:9 declaration"},
        {HEAD ".entry k() {.global .surfref s; ret;}", "4:21 declaration"},
        {HEAD ".func k(.param .v4 .f32 a) {ret;}", "4:16 declaration"},
        {HEAD ".entry k() {.maxntid 1; ret;}", "4:13 directive"},
        {HEAD ".func k(.reg .v4 .f32 a) {ret;}", ""},
        {HEAD ".entry k(.param .u64 .ptr .reg a) {ret;}", "4:27 declaration"},
        {HEAD ".entry k(.param .u64 .ptr .const a, .param .u64 .ptr .local b) {ret;}", ""},
    };
    check(examples, sizeof examples / sizeof *examples);
}

static void test_header(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {".target sm_90\n.entry k() {ret;}", "1:1 version"},
        {".version 8.0\n.entry k() {ret;}", "1:1 target"},
        {".target sm_90\n.version 8.0\n", "2:1 version"},
        {".version 8.0\n.address_size 64\n.target sm_90\n", "3:1 target"},
        {".version 8.0\n.global .u32 a;\n.target sm_90\n", "3:1 target"},
        {".version 8.0\n.target sm_90\n.version 8.0\n", "3:1 directive; +1:1"},
        {".version 8.0\n.target sm_90\n.global .u32 a;\n.address_size 64\n", "4:1 directive"},
        {".version 8.0\n.target sm_90\n.address_size 16\n", "3:15 directive"},
        {".version 8.0\n.target sm_90\n.address_size 32\n", ""},
        {".version 99.0\n.target sm_90\n", "1:10 warning version"},
        {".version 7.9\n.target sm_75\n", "1:10 version"},
        {".version 1.6\n.target sm_10\n", "1:10 version"},
        {".version 1.5\n.target sm_10\n", ""},
        {".version 9.1\n.target sm_90\n", ""},
        {".version 8\n.target sm_90\n", "1:10 version"},
        {".version 8.0\n.target sm_90, debug\n.section .debug_info { .b8 1 }", ""},
        {".version 8.0\n.target sm_90, debug\n", "2:16 target"},
        {".version 8.0\n.target sm_90, texmode_unified, texmode_independent\n", "2:33 target"},
        {".version 8.0\n.target sm_90, foo\n", "2:16 target"},
        {".version 8.0\n.target debug\n", "2:9 target"},
        {".version 8.0\n.target sm_90, sm_80\n", ""},
        {".version 2.2\n.target sm_20\n.address_size 64\n", "3:1 version"},
        {".version 3.0\n.target sm_20\n.weak .global .u32 a;\n", "3:1 version"},
        {".version 4.3\n.target sm_20\n.common .global .u32 a;\n", "3:1 version"},
        {".version 4.0\n.target sm_20\n.global .attribute(.managed) .u32 a;\n", "3:20 target"},
        {".version 7.7\n.target sm_80\n.entry k() .explicitcluster {ret;}\n", "3:12 version"},
        {".version 7.8\n.target sm_80\n.entry k() .explicitcluster {ret;}\n", "3:12 target"},
        {".version 6.3\n.target sm_75\n.func k() .noreturn {ret;}\n", "3:11 version"},
        {".version 1.5\n.target sm_13\n.pragma \"nounroll\";\n", "3:1 version"},
        {".version 1.5\n.target sm_13\n.pragma \"ptxoffload.module x\";\n", ""},
        {".version 8.0 x\n", "1:1 target; 1:14 syntax"},
        {"// nothing\n", "0:0 version; 0:0 target"},
    };
    check(examples, sizeof examples / sizeof *examples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
