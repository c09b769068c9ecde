// Runs a kernel from its text, for tests.
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/exec/lanes/rows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef DRIVEN
#include "tests/unit/runtime-sim/issue_drive.h"
#endif

#define HEAD(version, target) ".version " version "\n.target " target "\n.address_size 64\n"

struct kernel {
    struct memory memory;
    struct arena arena;
    struct source source;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
    struct program program;
    struct image image;
    uint8_t params[256];
    uint32_t param_bytes;
    uint32_t threads;
    uint32_t grid_y, grid_z; // 0: 1
    bool cooperative;
    uint64_t max_idle;
    const atomic_int *stop;
    const struct textures *textures;
    struct profile *profile;
    struct grid_result result;
};

static inline void kernel_load(struct kernel *k, const char *text, const char *lanes)
{
    memset(k, 0, sizeof *k);
    if (setjmp(k->memory.on_failure))
        abort();
    arena_init(&k->arena, &k->memory);
    size_t length = strlen(text);
    char *copy = arena_alloc(&k->arena, length + 2);
    memcpy(copy, text, length);
    source_init(&k->source, &k->arena, "test.ptx", copy, (uint32_t)length);
    diags_init(&k->diags, &k->arena);
    ptx_parse(&k->tree, &k->arena, &k->source, &k->diags);
    ir_build(&k->module, &k->arena, &k->tree, &k->diags);
    for (uint32_t i = 0; i < k->diags.list.n; i++)
        diag_print(&k->diags.list.v[i], &k->source, stderr, false);
    assert_int_equal(k->diags.errors, 0);
    const struct lanes_table *table = lanes ? lanes_named(lanes) : lanes_best();
    program_build(&k->program, &k->arena, &k->module, table);
    image_init(&k->image, &k->arena, GLOBAL_FIRST_64);
    const char *error = grid_load(&k->image, &k->program, 0);
    if (error)
        fail_msg("%s", error);
}

// Makes a zeroed buffer, whose address becomes the next parameter.
static inline void *kernel_buffer(struct kernel *k, uint64_t bytes)
{
    uint64_t address = image_allocate(&k->image, bytes, 256, "buffer");
    k->param_bytes = (k->param_bytes + 7) & ~7u;
    memcpy(k->params + k->param_bytes, &address, 8);
    k->param_bytes += 8;
    return k->image.list.v[k->image.list.n - 1].data;
}

static inline void kernel_u32(struct kernel *k, uint32_t value)
{
    memcpy(k->params + k->param_bytes, &value, 4);
    k->param_bytes += 4;
}

// Executes a launch. A second build of the tests executes by single instructions, with accesses
// that take time.
static inline void kernel_execute(struct launch *launch, struct arena *arena,
                                  const struct grid_options *options, struct grid_result *result)
{
#ifdef DRIVEN
    struct drive drive = {.seed = 1, .ctas = 4, .max_delay = 30, .checked = true};
    (void)options;
    drive_run(&drive, launch, arena, result);
#else
    grid_run(launch, arena, options, result);
#endif
}

// Skips the second build in tests that depend on the order of lanes and warps.
static inline void kernel_needs_order(void)
{
#ifdef DRIVEN
    skip();
#endif
}

static inline void kernel_run(struct kernel *k, const char *name, uint32_t grid, uint32_t block,
                              uint32_t dynamic_shared)
{
    const struct program_function *function = program_find(&k->program, name);
    assert_non_null(function);
    if (function->refusal)
        fail_msg("line %u: %s",
                 source_position_at(&k->source, k->tree.nodes.v[function->refused_node].begin).line,
                 function->refusal);
    struct launch launch = {.program = &k->program,
                            .function = (uint32_t)(function - k->program.functions.v),
                            .grid = {grid, k->grid_y ? k->grid_y : 1, k->grid_z ? k->grid_z : 1},
                            .block = {block, 1, 1},
                            .dynamic_shared = dynamic_shared,
                            .params = k->params,
                            .image = &k->image,
                            .cooperative = k->cooperative,
                            .stop = k->stop,
                            .textures = k->textures,
                            .profile = k->profile};
    struct grid_options options = {.threads = k->threads, .max_idle = k->max_idle};
    kernel_execute(&launch, &k->arena, &options, &k->result);
}

static inline void kernel_succeeds(struct kernel *k, const char *name, uint32_t grid,
                                   uint32_t block)
{
    kernel_run(k, name, grid, block, 0);
    if (k->result.fault.happened)
        fail_msg("%s", k->result.fault.text);
    assert_false(k->result.stuck);
}

static inline void kernel_free(struct kernel *k)
{
    arena_free(&k->arena);
    assert_int_equal(k->memory.bytes, 0);
}
