// Places in the source language, from .loc and .file.
#include "ir/loc.h"
#include "tests/unit/program.h"
#include <stdio.h>

static const char text[] = ".version 7.4\n.target sm_80\n.address_size 64\n"
                           ".visible .func g()\n{\n"
                           ".loc 2 9 1\n"
                           "ret;\n"
                           "}\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .b32 %r<3>; .reg .pred %p1;\n"
                           "mov.u32 %r1, 0;\n" // 0
                           ".loc 1 3 0\n"
                           "mov.u32 %r1, 1;\n" // 1
                           ".loc 1 5 7\n"
                           ".loc 2 20 4, function_name $L__one, inlined_at 1 5 7\n"
                           "{\n"
                           "mov.u32 %r1, 2;\n" // 2
                           ".loc 3 30 2, function_name $L__one_more, inlined_at 2 20 4\n"
                           "mov.u32 %r1, 3;\n" // 3
                           "}\n"
                           "mov.u32 %r1, 4;\n" // 4
                           ".loc 1 0 0\n"
                           "mov.u32 %r1, 5;\n" // 5
                           ".loc 9 8 7\n"
                           "L: mov.u32 %r1, 6;\n" // 6
                           ".loc 2 21 1, function_name $L__none, inlined_at 1 77 3\n"
                           "@%p1 bra L;\n" // 7
                           ".loc 1 5 7\n"
                           "ret;\n" // 8
                           "}\n"
                           ".file 1 \"/a/kernel.cu\", 1700000000, 345\n"
                           ".file 2 \"near.h\"\n"
                           ".file 3 \"far away.h\"\n"
                           ".section .debug_str\n{\n"
                           "$L__one_more:\n.b8 95,90\n.b8 51,98,97,114,118,0\n"
                           "$L__one:\n.b8 102,111,111,0\n.b8 120,0\n"
                           "}\n";

struct located {
    struct test_program p;
    struct ir_module module;
    struct ir_locs *locs;
};

static void load(struct located *l, const char *from)
{
    program_parse(&l->p, from, strlen(from));
    ir_build(&l->module, &l->p.arena, &l->p.tree, &l->p.diags);
    l->locs = ir_locs_new(&l->p.arena, &l->module);
}

static void expect(const struct ir_loc *loc, const char *file, uint32_t line, uint32_t column)
{
    assert_non_null(loc);
    if (file)
        assert_string_equal(loc->file, file);
    else
        assert_null(loc->file);
    assert_int_equal(loc->line, line);
    assert_int_equal(loc->column, column);
}

static void test_plain(void **state)
{
    struct located l;
    (void)state;
    load(&l, text);
    assert_null(ir_loc_find(l.locs, 1, 0)); // not that of the function in front
    const struct ir_loc *loc = ir_loc_find(l.locs, 1, 1);
    expect(loc, "/a/kernel.cu", 3, 0);
    assert_null(loc->inlined_at);
    assert_null(loc->function);
    assert_null(ir_loc_find(l.locs, 1, 5)); // line 0
    expect(ir_loc_find(l.locs, 1, 6), NULL, 8, 7);
    expect(ir_loc_find(l.locs, 1, 8), "/a/kernel.cu", 5, 7);
    expect(ir_loc_find(l.locs, 0, 0), "near.h", 9, 1);
    assert_null(ir_loc_find(l.locs, 1, 9)); // no such instruction
    program_free(&l.p);
}

static void test_inlined(void **state)
{
    struct located l;
    (void)state;
    load(&l, text);
    const struct ir_loc *loc = ir_loc_find(l.locs, 1, 3);
    assert_ptr_equal(loc, ir_loc_find(l.locs, 1, 4)); // a scope's end changes nothing
    expect(loc, "far away.h", 30, 2);
    assert_string_equal(loc->function, "_Z3barv");
    expect(loc->inlined_at, "near.h", 20, 4);
    assert_ptr_equal(loc->inlined_at, ir_loc_find(l.locs, 1, 2));
    assert_string_equal(loc->inlined_at->function, "foo");
    expect(loc->inlined_at->inlined_at, "/a/kernel.cu", 5, 7);
    assert_null(loc->inlined_at->inlined_at->inlined_at);
    assert_null(loc->inlined_at->inlined_at->function);
    loc = ir_loc_find(l.locs, 1, 7); // a place that no .loc has, and a name without bytes
    expect(loc, "near.h", 21, 1);
    assert_null(loc->function);
    expect(loc->inlined_at, "/a/kernel.cu", 77, 3);
    assert_null(loc->inlined_at->inlined_at);
    program_free(&l.p);
}

// A hundred nested calls, looked up from either end.
static void test_deep(void **state)
{
    struct located l;
    char deep[12000] = ".version 7.4\n.target sm_80\n.visible .func g()\n{\n.reg .b32 %r;\n"
                       ".loc 1 1 1\nmov.u32 %r, 0;\n";
    uint32_t n = 0;
    (void)state;
    for (int i = 2; i < 100; i++)
        sprintf(deep + strlen(deep),
                ".loc 1 %d 1, function_name n, inlined_at 1 %d 1\nmov.u32 %%r, 0;\n", i, i - 1);
    strcat(deep, "ret;\n}\n.file 1 \"a\"\n");
    for (uint32_t from = 0; from < 2; from++) {
        load(&l, deep);
        assert_int_equal(ir_loc_find(l.locs, 0, from ? 98 : 0)->line, from ? 99 : 1);
        n = 0;
        for (const struct ir_loc *loc = ir_loc_find(l.locs, 0, 98); loc; loc = loc->inlined_at, n++)
            expect(loc, "a", 99 - n, 1);
        assert_int_equal(n, 99);
        program_free(&l.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
