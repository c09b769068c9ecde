// A memory system of a configuration, for tests.
#pragma once
#include "runtime-sim/gpu/machine/machine.h"
#include "tests/unit/runtime-sim/plain_slice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, REQUESTERS = 3 };

struct fixture {
    struct memory memory;
    struct arena arena;
    struct machine_config all;
    struct memsys_config *values; // of `all`
    struct config config;
    struct memsys *m;
    uint64_t now;    // the cycle to which `advance` has come
    uint64_t served; // times that memsys_serve was called
};

static inline void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
}

// Starts a memory system of a configuration, after settings up to a NULL.
static inline void begin(struct fixture *f, const char *name, const char *const *settings)
{
    fixture_init(f);
    f->values = &f->all.memsys;
    uint32_t count;
    struct config_section *sections = machine_sections(&f->all, &f->arena, NULL, &count);
    config_init(&f->config, &f->arena, sections, count);
    assert_true(config_load(&f->config, name));
    if (!strcmp(name, "isca19"))
        set_plain_slice(&f->config);
    for (; settings && *settings; settings++)
        assert_true(config_set(&f->config, *settings));
}

// Starts with tables that the owner adds; fills in their requesters.
static inline void start_with(struct fixture *f, struct memsys_tables tables, memsys_serve *serve,
                              void *context)
{
    static const struct memsys_requester requesters[REQUESTERS] = {
        {"data", false, NULL}, {"code", false, NULL}, {"third", false, "message"}};
    tables.requesters = requesters;
    tables.requester_count = REQUESTERS;
    assert_null(memsys_check(&f->arena, f->values));
    f->m = memsys_new(&f->arena, f->values, &tables, serve, context);
}

static inline void start(struct fixture *f, memsys_serve *serve, void *context)
{
    start_with(f, (struct memsys_tables){0}, serve, context);
}

static inline uint64_t advance(struct fixture *f, uint64_t next)
{
    uint64_t reached = memsys_advance(f->m, next);
    if (reached != UINT64_MAX)
        f->now = reached;
    return reached;
}

static inline void end(struct fixture *f)
{
    assert_int_equal(memsys_inside(f->m), 0);
    for (int i = 0; i < 2; i++)
        assert_null(noc_verify(memsys_network(f->m, (enum memsys_network)i), &f->arena));
    arena_free(&f->arena);
}

static inline struct memsys_request request(uint32_t core, uint64_t line, enum memsys_kind kind)
{
    return (struct memsys_request){.line = line,
                                   .bytes = mask_range(0, LINE),
                                   .core = core,
                                   .tag = (uint32_t)line,
                                   .carries = LINE,
                                   .returns = LINE,
                                   .kind = (uint8_t)kind};
}
