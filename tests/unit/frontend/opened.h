// A container from bytes of the test, opened, with its reports.
#pragma once
#include "frontend/container.h"
#include "tests/lib/containers.h"
#include "tests/lib/guarded.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define ADD "    add.s32 %r1, %r1, 1;\n"
// Long enough to become smaller by compression.
#define PTX(target)                                                                                \
    ".version 8.3\n.target " target "\n.address_size 64\n"                                         \
    ".visible .entry k() {\n    .reg .b32 %r<2>;\n" ADD ADD ADD ADD "    ret;\n}\n"

struct opened {
    struct memory memory;
    struct arena arena;
    struct diags diags;
    struct container container;
    struct guarded guarded;
    struct blob blob; // what the test makes
    bool is_good;
};

enum { MAX_BYTES = 1 << 20 };

static inline int set_up(void **state)
{
    struct opened *o = calloc(1, sizeof *o);
    arena_init(&o->arena, &o->memory);
    o->guarded = guarded_new(MAX_BYTES);
    *state = o;
    return 0;
}

static inline int tear_down(void **state)
{
    struct opened *o = *state;
    arena_free(&o->arena);
    guarded_free(&o->guarded);
    blob_free(&o->blob);
    free(o);
    return 0;
}

// Opens bytes that end at the end of accessible memory.
static inline void open_bytes(struct opened *o, const char *bytes, size_t size)
{
    arena_free(&o->arena);
    diags_init(&o->diags, &o->arena);
    o->is_good = container_open(&o->container, &o->arena, "dir/made.o",
                                guarded_copy(&o->guarded, bytes, size), size, &o->diags);
}

static inline void open_blob(struct opened *o)
{
    open_bytes(o, o->blob.bytes, o->blob.size);
}

static inline const struct container_module *module_at(const struct opened *o, uint32_t index)
{
    assert_in_range(index, 0, o->container.modules.n - 1);
    return &o->container.modules.v[index];
}

// Returns the last report, or "".
static inline const char *last_said(const struct opened *o)
{
    return o->diags.list.n ? o->diags.list.v[o->diags.list.n - 1].message : "";
}

static inline void assert_said(const struct opened *o, const char *part)
{
    if (!strstr(last_said(o), part))
        fail_msg("'%s' is not in '%s'", part, last_said(o));
}

static inline void assert_text(struct opened *o, uint32_t module, const char *expected)
{
    char *text;
    uint32_t length;
    if (!container_text(&o->container, module, &o->arena, &text, &length, &o->diags))
        fail_msg("%s", last_said(o));
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
    assert_memory_equal(text + length, "\0\0", 2);
}

static inline void assert_no_text(struct opened *o, uint32_t module, const char *why)
{
    char *text;
    uint32_t length;
    assert_false(container_text(&o->container, module, &o->arena, &text, &length, &o->diags));
    assert_said(o, why);
}
