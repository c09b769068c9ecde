// Maps as text: a map that is read is written again, and faults have their places.
#include "passes/maps/map_read.h"
#include "passes/maps/map_scope.h"
#include "tests/unit/passes/map_text.h"

static const char everything[] =
    "name: all\nkernel: k\nenter: barrier 0\nleave: barrier 1\nparams: [in, out, n, w]\n"
    "values: {rows: n / 4, last: rows - 1}\ngroups: rows\nthreads: 64\nactivations: 2\ncopies: 2\n"
    "ordered: true\nnodes:\n"
    "  at: {op: increment, start: 4 * group, step: 4, tokens: 3, count: n}\n"
    "  ld: {op: ld.global.s8, in: [at], base: in, offset: copy * 16, off: group == 0}\n"
    "  up: {op: ld.u32, in: [at], base: out, wait: group > 0}\n"
    "  flag: {op: setp.lt.s32, in: [ld], imm: last}\n"
    "  loaded: {op: add.s32, in: [flag, {load: in + 3, type: s8}]}\n"
    "  pick: {op: selp.b32, in: [ld, {from: up, initial: [1, -2]}, flag]}\n"
    "  turn: {op: mov.b32, in: [{from: turn, initial: {count: 4, base: in, step: 8}}], count: n}\n"
    "  scale: {op: fma.rn.f32, in: [pick, {value: w}, {from: turn, initial: {count: 2, first: 0.5, "
    "step: 0.25}}]}\n"
    "  st: {op: st.f32, in: [loaded, scale], base: out, predicate: flag, through: true, off: "
    "grid_x > 3}\n"
    "  bin: {op: red.shared.add.u32, in: [at, {value: 1}], base: 0, unless: flag}\n"
    "results:\n"
    "  r: {node: pick, operand: 1, register: \"%r7\"}\n"
    "  s: {node: scale, operand: 2, base: out + 8, step: 16}\n";

static const char *written(struct map_rig *r)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    map_write(r->map, to);
    fclose(to);
    const char *copy = arena_strndup(&r->arena, text, size);
    free(text);
    return copy;
}

// A written map reads back, and is written again as the same text.
static void round_trips(void **state)
{
    static const char *const texts[] = {everything, CONV, CONV_DIRECT, INTEGR4};
    (void)state;
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct map_rig first, second;
        map_rig_load(&first, texts[i]);
        const char *text = written(&first);
        map_rig_load(&second, text);
        assert_string_equal(written(&second), text);
        assert_int_equal(first.map->nodes.n, second.map->nodes.n);
        map_rig_free(&second);
        map_rig_free(&first);
    }
}

static void contents(void **state)
{
    struct map_rig r;
    (void)state;
    map_rig_load(&r, everything);
    const struct map *m = r.map;
    assert_int_equal(m->enter.kind, MAP_AT_BARRIER);
    assert_int_equal(m->leave.barrier, 1);
    assert_true(m->is_ordered);
    const struct map_node *n = m->nodes.v;
    static const uint8_t units[] = {MAP_INT, MAP_LSU, MAP_LSU,   MAP_INT, MAP_INT,
                                    MAP_INT, MAP_INT, MAP_FLOAT, MAP_LSU, MAP_LSU};
    for (uint32_t i = 0; i < m->nodes.n; i++)
        assert_int_equal(n[i].unit, units[i]);
    assert_int_equal(map_count(m).cores, 6);
    assert_int_equal(map_count(m).lsus, 4);
    assert_int_equal(map_fifos(&n[5]), 3);
    assert_int_equal(map_fifos(&n[8]), 3);
    assert_true(n[9].negated && !n[8].negated);
    assert_true(n[9].is_shared && !n[8].is_shared && n[8].is_through);
    map_rig_free(&r);
}

// Constants and initial tokens for a group, a copy, and parameters.
static void values(void **state)
{
    struct map_rig r;
    uint32_t words[8];
    uint64_t addresses[8];
    (void)state;
    map_rig_load(&r, everything);
    struct host_number params[4] = {{.kind = NUMBER_INTEGER, .integer = 1000},
                                    {.kind = NUMBER_INTEGER, .integer = 2000},
                                    {.kind = NUMBER_INTEGER, .integer = 40},
                                    {.kind = NUMBER_REAL, .real = 1.5}};
    struct map_scope scope = {.map = r.map, .arena = &r.arena, .params = params};
    scope.names[MAP_NAME_group] = 3;
    const struct map_node *n = r.map->nodes.v;
    int64_t integer;
    assert_null(map_integer(&scope, &r.map->groups, 1, &integer));
    assert_int_equal(integer, 10);
    assert_null(map_initial_words(&scope, &n[0], 0, words, addresses)); // first result: 12
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(words[i], i * 4);
    assert_null(map_constant(&scope, &n[0], 1, words));
    assert_int_equal(words[0], 12);
    assert_null(map_constant(&scope, &n[3], 1, words));
    assert_int_equal(words[0], 9);
    assert_null(map_initial_words(&scope, &n[5], 1, words, addresses));
    assert_int_equal(words[1], UINT32_MAX - 1);
    assert_null(map_initial_words(&scope, &n[6], 0, words, addresses));
    assert_int_equal(addresses[3], 1024);
    assert_null(map_constant(&scope, &n[7], 1, words));
    assert_int_equal(words[0], 0x3fc00000); // 1.5
    assert_null(map_initial_words(&scope, &n[7], 2, words, addresses));
    assert_int_equal(words[1], 0x3f400000); // 0.75
    scope.params = NULL;
    assert_string_equal(map_integer(&scope, &r.map->groups, 1, &integer),
                        "the parameter 'n' has no value here");
    map_rig_free(&r);
}

// Every fault has its line, its column and its text.
static void faults(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *fault;
    } rows[] = {
        {"nodes: {a: {op: increment}}\n", 1, 9,
         "'a' never ends: it has no 'count', and no other "
         "node feeds it"},
        {"nodes: {a: {op: increment, count: 1}}\n", 1, 9, "no other node uses the result of 'a'"},
        {"nodes:\n  sum: {op: add.s32, in: [sam, b]}\n", 2, 27,
         "unknown node 'sam'; did you mean 'sum'?"},
        {"nodes:\n  a: {op: foo.s32, in: [a, a], count: 2}\n  s: {op: st.s32, in: [a, a], base: "
         "0}\n",
         2, 11, "'foo.s32' is not an instruction of a core"},
        {"nodes:\n  a: {op: add.s32, in: [b, b]}\n  b: {op: add.s32, in: [a, a]}\n", 2, 3,
         "'a' never fires: it is on a cycle without initial tokens, or depends on one"},
        {"nodes:\n  a: {op: increment, count: 1}\n  s: {op: st.f64, in: [a, a], base: 0}\n", 3, 11,
         "'st.f64' is not st with a type of 8, 16 or 32 bits"},
        {"nodes:\n  a: {op: increment, count: 1}\n  s: {op: st.f32, in: [a], base: 0}\n", 3, 3,
         "'s' has 1 operands, but 'st.f32' needs 2"},
        {"nodes:\n  a: {op: increment, count: 1}\n  s: {op: st.f32, in: [a, a]}\n", 3, 3,
         "'s' has no 'base'"},
        {"nodes:\n  a: {op: increment, count: 1 +}\n", 2, 29, "a value is missing here"},
        {"nodes:\n  a: {op: increment, count: m}\n", 2, 29, "unknown name 'm'"},
        {"nodes:\n  a: {op: increment, count: 1, tokens: x}\n", 2, 40,
         "'x' is not a whole number from 0 to 65536"},
        {"nodes:\n  a: {op: increment, count: 1}\n  a: {op: increment, count: 1}\n", 3, 3,
         "'a' is given twice"},
        {"nodes:\n  a: {op: bar.sync, in: [a], count: 1}\n  s: {op: st.s32, in: [a, a], base: 0}\n",
         2, 11, "'bar.sync' is not an instruction of a core"},
        {"nodes:\n  s: {op: st.f32, in: [s, s], base: 0, count: 1}\n", 2, 24, "'s' has no result"},
        {"node: {}\n", 1, 1, "the map has no key 'node'; did you mean 'nodes'?"},
        {"enter: barriers\nnodes: {}\n", 1, 8, "expected 'begin' or 'barrier N', not 'barriers'"},
        {"nodes:\n  a: {op: add.b32, in: [a], imm: 3, count: 1}\n"
         "  s: {op: st.s32, in: [a, a], base: 0}\n",
         2, 11,
         "'add.b32' with a result and 2 operands: modifier '.b32' is not allowed here: "
         "add(.u16|.u32|.u64|.s16|.s64)"},
        {"nodes:\n  a: {op: mov.b32, in: [a], imm: 3, count: 1}\n  s: {op: st.s32, in: [a, a], "
         "base: 0}\n",
         2, 11, "'mov.b32' with a result and 2 operands: 'mov' takes 2 operands, here are 3"},
        {"nodes:\n  a: {op: add.s32, in: [{from: a, value: 3}, a]}\n", 2, 42,
         "an operand must have one of 'from', 'value' and 'load'"},
        {"nodes:\n  a: {op: add.s32, in: [{from: a, initial: {count: 1, first: 3, add: 4}}], imm: "
         "1, "
         "count: 2}\n",
         2, 70, "'add' needs 'base'"},
        {"nodes:\n  a: {op: add.s32, imm: 3}\n", 2, 3,
         "'a' has no FIFO: nothing would make it fire"},
    };
    uint32_t wrong = 0;
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map_rig r;
        bool found = false;
        map_rig_read(&r, rows[i].text);
        if (r.map)
            fail_msg("row %u is accepted", i);
        for (uint32_t k = 0; k < r.diags.list.n; k++) {
            const struct diag *diag = &r.diags.list.v[k];
            struct source_position at = source_position_at(&r.source, diag->begin);
            bool here = at.line == rows[i].line && at.column == rows[i].column;
            found |= here && (!rows[i].fault || !strcmp(diag->message, rows[i].fault));
        }
        for (uint32_t k = 0; !found && k < r.diags.list.n; k++)
            diag_print(&r.diags.list.v[k], &r.source, stderr, false);
        wrong += !found;
        map_rig_free(&r);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(contents),
        cmocka_unit_test(values),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
