// Maps from texts, for tests: the drawings of [003] and chains.
#pragma once
#include "passes/maps/map_rate.h"
#include "passes/maps/map_read.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct map_rig {
    struct memory memory;
    struct arena arena;
    struct source source;
    struct diags diags;
    const struct map *map; // NULL: the text has errors
    struct map_hardware hardware;
};

static inline void map_rig_read(struct map_rig *r, const char *text)
{
    memset(r, 0, sizeof *r);
    if (setjmp(r->memory.on_failure))
        abort();
    arena_init(&r->arena, &r->memory);
    size_t length = strlen(text);
    char *copy = arena_alloc(&r->arena, length + 2);
    memcpy(copy, text, length);
    source_init(&r->source, &r->arena, "test.map.yaml", copy, (uint32_t)length);
    diags_init(&r->diags, &r->arena);
    r->hardware = map_hardware_initial();
    r->hardware.space = MAP_RESERVE; // closed forms: a place is taken when an instruction fires
    r->map = map_read(&r->arena, &r->source, &r->diags);
}

// Reads a map. Requires a valid text.
static inline void map_rig_load(struct map_rig *r, const char *text)
{
    map_rig_read(r, text);
    for (uint32_t i = 0; i < r->diags.list.n; i++)
        diag_print(&r->diags.list.v[i], &r->source, stderr, false);
    assert_non_null(r->map);
}

static inline void map_rig_free(struct map_rig *r)
{
    arena_free(&r->arena);
    assert_int_equal(r->memory.bytes, 0);
}

// [003 Fig. 7a]: 9 multiplications, 2 additions, 2 increments, 3 loads, 1 store; sums in transposed
// form.
#define CONV_HEAD                                                                                  \
    "params: [in, out, count, pitch]\nnodes:\n"                                                    \
    "  at_in: {op: increment, step: 4, count: count}\n"                                            \
    "  at_out: {op: increment, step: 4, start: 4, count: count}\n"                                 \
    "  ld0: {op: ld.f32, in: [at_in], base: in}\n"                                                 \
    "  ld1: {op: ld.f32, in: [at_in], base: in, offset: pitch}\n"                                  \
    "  ld2: {op: ld.f32, in: [at_in], base: in, offset: 2 * pitch}\n"
#define CONV_TAIL                                                                                  \
    "  sum01: {op: add.f32, in: [m02, m12]}\n"                                                     \
    "  sum: {op: add.f32, in: [sum01, m22]}\n"                                                     \
    "  st: {op: st.f32, in: [at_out, sum], base: out}\n"
#define CONV_ROW(r)                                                                                \
    "  m" r "0: {op: mul.f32, in: [ld" r "], imm: 0.25}\n"                                         \
    "  m" r "1: {op: fma.rn.f32, in: [ld" r ", {value: 0.5}, {from: m" r "0, initial: [0]}]}\n"    \
    "  m" r "2: {op: fma.rn.f32, in: [ld" r ", {value: 0.25}, {from: m" r "1, initial: [0]}]}\n"
#define CONV_DIRECT_ROW(r)                                                                         \
    "  m" r "0: {op: mul.f32, in: [ld" r "], imm: 0.25}\n"                                         \
    "  m" r "1: {op: fma.rn.f32, in: [{from: ld" r ", initial: [0]}, {value: 0.5}, m" r "0]}\n"    \
    "  m" r "2: {op: fma.rn.f32, in: [{from: ld" r ", initial: [0, 0]}, {value: 0.25}, m" r        \
    "1]}\n"
#define CONV_PASS_ROW(r)                                                                           \
    "  m" r "0: {op: mul.f32, in: [ld" r "], imm: 0.25}\n"                                         \
    "  p" r ": {op: mov.b32, in: [ld" r "]}\n"                                                     \
    "  m" r "1: {op: fma.rn.f32, in: [ld" r ", {value: 0.5}, {from: m" r "0, initial: [0]}]}\n"    \
    "  m" r "2: {op: fma.rn.f32, in: [p" r ", {value: 0.25}, {from: m" r "1, initial: [0]}]}\n"
#define CONV CONV_HEAD CONV_ROW("0") CONV_ROW("1") CONV_ROW("2") CONV_TAIL
#define CONV_DIRECT                                                                                \
    CONV_HEAD CONV_DIRECT_ROW("0") CONV_DIRECT_ROW("1") CONV_DIRECT_ROW("2") CONV_TAIL
#define CONV_PASS CONV_HEAD CONV_PASS_ROW("0") CONV_PASS_ROW("1") CONV_PASS_ROW("2") CONV_TAIL

// [003 Fig. 5a], a row: 2 increments, 2 additions, 1 subtraction, 2 loads, 1 store.
#define INTEGR_ROW(r, north)                                                                       \
    "  words" r ": {op: increment, step: 4, tokens: 5, count: width}\n"                            \
    "  bytes" r ": {op: increment, step: 1, tokens: 5, count: width}\n"                            \
    "  in" r ": {op: ld.s8, in: [bytes" r "], base: in + " r " * width}\n"                         \
    "  sub" r ": {op: sub.s32, in: [" north ", {from: " north ", initial: [0]}]}\n"                \
    "  west" r ": {op: add.s32, in: [in" r ", sub" r "]}\n"                                        \
    "  sum" r ": {op: add.s32, in: [west" r ", {from: sum" r ", initial: [0]}]}\n"                 \
    "  st" r ": {op: st.s32, in: [words" r ", sum" r "], base: out + 4 * " r " * width}\n"
#define INTEGR_NORTH "  north: {op: ld.s32, in: [words0], base: out - 4 * width}\n"
#define INTEGR_HEAD "params: [in, out, width]\nnodes:\n"
#define INTEGR1 INTEGR_HEAD INTEGR_ROW("0", "north") INTEGR_NORTH
#define INTEGR2 INTEGR1 INTEGR_ROW("1", "sum0")
#define INTEGR3 INTEGR2 INTEGR_ROW("2", "sum1")
#define INTEGR4 INTEGR3 INTEGR_ROW("3", "sum2")
