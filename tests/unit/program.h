// A PTX text as tree and IR, for tests.
#pragma once
#include "ir/ir.h"
#include "tests/lib/tree_validate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct test_program {
    struct memory memory;
    struct arena arena;
    struct source source;
    struct diags diags;
    struct tree tree;
};

static inline void program_parse(struct test_program *p, const char *text, size_t length)
{
    memset(p, 0, sizeof *p);
    if (setjmp(p->memory.on_failure))
        abort();
    arena_init(&p->arena, &p->memory);
    char *copy = arena_alloc(&p->arena, length + 2);
    memcpy(copy, text, length);
    source_init(&p->source, &p->arena, "test.ptx", copy, (uint32_t)length);
    diags_init(&p->diags, &p->arena);
    ptx_parse(&p->tree, &p->arena, &p->source, &p->diags);
    assert_memory_equal(copy, text, length); // the scanner restores what it touches
    const char *fault = tree_validate(&p->tree);
    if (fault)
        fail_msg("%s in:\n%s", fault, text);
}

static inline void program_free(struct test_program *p)
{
    arena_free(&p->arena);
    assert_int_equal(p->memory.bytes, 0);
}

// Returns the first node of a kind at or after `from`, or IR_NONE.
static inline uint32_t program_find(const struct test_program *p, enum node_kind kind,
                                    uint32_t from)
{
    for (uint32_t i = from; i < p->tree.nodes.n; i++)
        if (p->tree.nodes.v[i].kind == kind)
            return i;
    return UINT32_MAX;
}

#define KERNEL(body)                                                                               \
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 " \
    "n)\n{\n" body "\n}\n"
