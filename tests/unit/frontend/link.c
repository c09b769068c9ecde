// The linker of PTX modules: which symbols are one, which are renamed, and which errors there are.
// Errors are those of nvlink 13.0 for the same modules. link_random.c runs linked modules.
#include "frontend/link.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define FOO "(.param .b32 r) foo (.param .b32 a)"

enum { MAX_MODULES = 3 };

struct example {
    const char *modules[MAX_MODULES]; // without their headers
    const char *wrong;                // the error; NULL: none
    const char *text;                 // the linked text without header and empty lines; or NULL
};

static bool provides(const char *name, size_t length)
{
    return length == 7 && !memcmp(name, "vprintf", 7);
}

struct linked {
    struct memory memory;
    struct arena arena;
    struct link link;
    struct link_names names;
};

static void begin(struct linked *l)
{
    memset(l, 0, sizeof *l);
    if (setjmp(l->memory.on_failure))
        abort();
    arena_init(&l->arena, &l->memory);
    l->link = (struct link){.arena = &l->arena, .provides = provides};
}

// Adds a group of modules, named a, b, c.
static const char *add(struct linked *l, const char *const *modules, uint32_t count)
{
    static const char *const names[MAX_MODULES] = {"a", "b", "c"};
    struct link_input inputs[MAX_MODULES];
    for (uint32_t i = 0; i < count; i++) {
        const char *text = arena_printf(&l->arena, HEAD "%s\n", modules[i]);
        inputs[i] = (struct link_input){names[i], text, (uint32_t)strlen(text)};
    }
    l->names = (struct link_names){0};
    return link_add(&l->link, inputs, count, &l->names);
}

// Returns the linked text without its header and empty lines.
static const char *body_of(struct linked *l)
{
    uint32_t length;
    const char *text = link_text(&l->link, &length);
    char *to = arena_alloc(&l->arena, length + 1), *at = to;
    assert_int_equal(strlen(text), length);
    assert_non_null(strstr(text, ".address_size 64\n"));
    for (text = strstr(text, ".address_size 64\n") + 17; *text; text++)
        if (*text != '\n' || (at > to && at[-1] != '\n'))
            *at++ = *text;
    return to;
}

static void check(const struct example *examples, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct linked l;
        uint32_t modules = 0;
        while (modules < MAX_MODULES && examples[i].modules[modules])
            modules++;
        begin(&l);
        const char *error = add(&l, examples[i].modules, modules);
        const char *text = error || !examples[i].text ? NULL : body_of(&l);
        if (strcmp(error ? error : "", examples[i].wrong ? examples[i].wrong : "") ||
            (text && strcmp(text, examples[i].text))) {
            print_message("%s\n%s\nexpected: %s\nfound:    %s\n%s", examples[i].modules[0],
                          examples[i].modules[1], examples[i].wrong, error, text ? text : "");
            wrong++;
        }
        arena_free(&l.arena);
    }
    if (wrong)
        fail_msg("%zu of %zu", wrong, count);
}

static void test_variables(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {{".extern .global .u32 x;", ".visible .global .u32 x = 5;"},
         NULL,
         ".extern .global .u32 x ;\n.visible .global .u32 x = 5;\n"},
        {{".extern .global .u32 x;", ".global .u32 x = 5;"},
         "undefined reference to 'x' in 'a'",
         NULL},
        {{".extern .global .u32 x;", ""}, "undefined reference to 'x' in 'a'", NULL},
        {{".extern .global .u32 x;"}, NULL, ".extern .global .u32 x;\n"},
        {{".visible .global .u32 x;", ".visible .global .u32 x;"},
         "multiple definition of 'x' in 'b', first defined in 'a'",
         NULL},
        {{".visible .global .u32 x;", ".global .u32 x;"},
         NULL,
         ".visible .global .u32 x;\n.global .u32 x$m1;\n"},
        {{".global .u32 x, y = 2;", ".global .u32 x, z;", ".global .u64 y = x; .global .u64 x;"},
         NULL,
         ".global .u32 x, y = 2;\n.global .u32 x$m1, z;\n.global .u64 y$m2 = x$m2; .global .u64 "
         "x$m2;\n"},
        {{".extern .global .u32 x;", ".visible .const .u32 x = 5;"},
         "'x' is .global in 'a' and .const in 'b'",
         NULL},
        {{".extern .global .u32 x;", ".visible .func x () { ret; }"},
         "'x' is .global in 'a' and .func in 'b'",
         NULL},
        {{".extern .global .u32 x;", ".visible .global .u64 x;"},
         "the size of 'x' in 'a' differs from that in 'b'",
         NULL},
        {{".extern .global .b8 x[4][2];", ".visible .global .u64 x;"},
         NULL,
         ".extern .global .u64 x;\n.visible .global .u64 x;\n"},
        {{".extern .global .v2 .b32 x;", ".visible .global .b16x2 x[2];"}, NULL, NULL},
        {{".extern .global .b8 x[];", ".visible .global .b8 x[] = {1, 2};"},
         NULL,
         ".extern .global .b8 x[] ;\n.visible .global .b8 x[] = {1, 2};\n"},
        {{".extern .shared .b8 s[];", ".extern .shared .b8 s[];"},
         NULL,
         ".extern .shared .b8 s[];\n.extern .shared .b8 s$m1[];\n"},
        {{".extern .shared .b8 s[4];", ".visible .shared .b8 s[4];"},
         NULL,
         ".extern .shared .b8 s[4];\n.visible .shared .b8 s[4];\n"},
        {{".extern .global .u32 x, y; .global .u32 z = 3;", ".visible .global .u32 x, y;"},
         NULL,
         ".extern .global .u32 x;\n.extern .global .u32 y;\n .global .u32 z = 3;\n"
         ".visible .global .u32 x, y;\n"},
        {{".weak .global .u32 x = 1, y = 2;", ".visible .global .u32 x = 3;"},
         NULL,
         ".extern .global .u32 x ;\n.weak .global .u32 y = 2;\n.visible .global .u32 x = 3;\n"},
        {{".extern .global .texref t;", ".visible .global .texref t;"}, NULL, NULL},
    };
    check(examples, sizeof examples / sizeof *examples);
}

static void test_strength(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {{".weak .global .u32 x = 1;", ".weak .global .u32 x = 2;"},
         NULL,
         ".extern .global .u32 x ;\n.weak .global .u32 x = 1;\n"},
        {{".weak .global .u32 x = 1;", ".visible .global .u32 x = 2;"},
         NULL,
         ".extern .global .u32 x ;\n.visible .global .u32 x = 2;\n"},
        {{".weak .global .u32 x = 1;", ".weak .global .u64 x = 2;"},
         "the size of 'x' in 'b' differs from that in 'a'",
         NULL},
        {{".common .global .b8 x[4];", ".common .global .b8 x[8];"},
         NULL,
         ".extern .global .b8 x[8];\n.common .global .b8 x[8];\n"},
        {{".common .global .b8 x[4];", ".visible .global .b8 x[8];"},
         NULL,
         ".extern .global .b8 x[8];\n.visible .global .b8 x[8];\n"},
        {{".common .global .b8 x[8];", ".visible .global .b8 x[4];"},
         "the size of 'x' in 'a' differs from that in 'b'",
         NULL},
        {{".weak .func " FOO " { ret; }", ".weak .func " FOO " { trap; }"},
         NULL,
         ".weak .func " FOO ";\n.weak .func " FOO " { ret; }\n"},
        {{".weak .func " FOO " { ret; }", ".visible .func " FOO " { trap; }"},
         NULL,
         ".visible .func " FOO ";\n.visible .func " FOO " { trap; }\n"},
        {{".weak .entry k (.param .u64 p) .maxntid 4 { ret; }",
          ".weak .entry k (.param .u64 p) { ret; }"},
         NULL,
         ".weak .entry k (.param .u64 p);\n.weak .entry k (.param .u64 p) .maxntid 4 { ret; }\n"},
        {{".visible .entry k () { ret; }", ".visible .entry k () { ret; }"},
         "multiple definition of 'k' in 'b', first defined in 'a'",
         NULL},
    };
    check(examples, sizeof examples / sizeof *examples);
}

static void test_functions(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {{".extern .func " FOO ";", ".visible .func " FOO " { ret; }"},
         NULL,
         ".visible .func " FOO ";\n.visible .func " FOO " { ret; }\n"},
        {{".extern .func (.param .u32 x) foo (.param .s32 y);", ".visible .func " FOO " { ret; }"},
         NULL,
         NULL},
        {{".extern .func " FOO ";", ".visible .func (.param .b32 r) foo (.param .b64 a) { ret; }"},
         "the prototype of 'foo' in 'a' differs from that in 'b'",
         NULL},
        {{".extern .func foo (.param .align 4 .b8 p[12]);",
          ".visible .func foo (.param .align 4 .b8 q[16]) { ret; }"},
         "the prototype of 'foo' in 'a' differs from that in 'b'",
         NULL},
        {{".extern .func " FOO ";\n.extern .func bar ();", ""},
         "undefined reference to 'foo' in 'a'; undefined reference to 'bar' in 'a'",
         NULL},
        {{".extern .func vprintf ();", ".extern .func vprintf ();"},
         NULL,
         ".extern .func vprintf ();\n.extern .func vprintf ();\n"},
        {{".extern .func foo () .noreturn;", ".visible .func foo () .noreturn { trap; }"},
         NULL,
         ".visible .func foo () .noreturn;\n.visible .func foo () .noreturn { trap; }\n"},
        {{".func foo () { ret; }",
          ".func foo (); .func bar () { call foo; ret; } .func foo () { ret; }"},
         NULL,
         ".func foo () { ret; }\n.func foo$m1 (); .func bar () { call foo$m1; ret; } .func foo$m1 "
         "() "
         "{ ret; }\n"},
        {{".extern .func bar ();",
          ".visible .func foo () { ret; }\n.visible .func bar ();\n.alias bar, foo;"},
         NULL,
         ".visible .func bar ();\n.visible .func foo () { ret; }\n.visible .func bar ();\n"
         ".alias bar, foo;\n"},
        {{".extern .func foo ()\n.visible .entry k () { ret; }", ".visible .func foo () { ret; }"},
         NULL,
         ".visible .func foo ();\n.visible .entry k () { ret; }\n.visible .func foo () { ret; }\n"},
        {{"// .extern .func foo ();\n.visible .func \"x;\" /* { */ bar () { ret; }", ""},
         NULL,
         NULL},
    };
    check(examples, sizeof examples / sizeof *examples);
}

// Groups share no symbol; the first keeps its names.
static void test_groups(void **state)
{
    (void)state;
    static const char *const first[] = {".visible .global .u32 x = 1;\n.global .u32 y;"};
    static const char *const second[] = {".extern .global .u32 x; .global .u32 y;",
                                         ".visible .global .u32 x = 2; .global .u32 y;"};
    struct linked l;
    begin(&l);
    assert_null(add(&l, first, 1));
    assert_int_equal(l.names.list.n, 0);
    assert_string_equal(body_of(&l), ".visible .global .u32 x = 1;\n.global .u32 y;\n");
    assert_null(add(&l, second, 2));
    assert_string_equal(link_find_name(&l.names, "x"), "x$m1");
    assert_string_equal(link_find_name(&l.names, "y"), "y$m1");
    assert_string_equal(link_find_name(&l.names, "z"), "z");
    assert_string_equal(body_of(&l), ".visible .global .u32 x = 1;\n.global .u32 y;\n"
                                     ".extern .global .u32 x$m1 ;\n .global .u32 y$m1;\n"
                                     ".visible .global .u32 x$m1 = 2; .global .u32 y$m2;\n");
    // A rejected group changes nothing.
    assert_non_null(add(&l, (const char *const[]){".extern .global .u32 q;", ""}, 2));
    assert_int_equal(l.link.modules, 3);
    arena_free(&l.arena);
}

static void test_header(void **state)
{
    (void)state;
    static const char text_a[] =
        ".version 7.8\n.target sm_90a, debug\n.address_size 64\n"
        ".file 1 \"a.cu\"\n.file 2 \"x.h\"\n.func f () { .loc 2 3 4\nret; }\n";
    static const char text_b[] = ".version 8.1\n.target sm_80\n.address_size 64\n.file 1 \"b.cu\"\n"
                                 ".func g () { .loc 1 3 4, function_name $L1, inlined_at 1 5 6\n"
                                 "ret; }\n.section .debug_str\n{\n$L1:\n.b8 103, 0\n}\n";
    static const char old[] = ".version 1.4\n.target sm_10\n.func f () { ret; }\n";
    static const struct link_input inputs[] = {{"a", text_a, sizeof text_a - 1},
                                               {"b", text_b, sizeof text_b - 1}};
    static const struct link_input bad[] = {{"c", old, sizeof old - 1}, {"d", "", 0}};
    struct linked l;
    uint32_t length;
    begin(&l);
    assert_string_equal(link_add(&l.link, bad, 1, &l.names), "its addresses have 32 bits");
    assert_string_equal(link_add(&l.link, bad + 1, 1, &l.names), "it has no .version");
    assert_null(link_add(&l.link, inputs, 1, &l.names));
    assert_string_equal(link_text(&l.link, &length), text_a);
    assert_null(link_add(&l.link, inputs, 2, &l.names));
    const char *text = link_text(&l.link, &length);
    assert_memory_equal(text, ".version 8.1\n.target sm_90a, debug\n", 35);
    assert_non_null(
        strstr(text, ".file 3 \"a.cu\"\n.file 4 \"x.h\"\n.func f$m1 () { .loc 4 3 4\n"));
    assert_non_null(strstr(text, ".file 5 \"b.cu\"\n"));
    assert_non_null(strstr(text, ".loc 5 3 4, function_name $L1, inlined_at 5 5 6\n"));
    arena_free(&l.arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables), cmocka_unit_test(test_strength),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
