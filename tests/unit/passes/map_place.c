// The mapper: minimum number of lanes, positions, and lanes without overlap.
#include "passes/maps/map_place.h"
#include "support/random.h"
#include "tests/unit/passes/map_text.h"

// Checks that positions have the right kind, nodes share no position, every consumer is on its arc,
// and arcs of a lane share no gap.
static void check_placement(const struct map_rig *r, const struct map_placement *p)
{
    uint32_t n = r->map->nodes.n;
    bool used[512] = {false}, busy[512][16] = {{false}};
    for (uint32_t i = 0; i < p->copies * n; i++) {
        uint32_t at = p->position[i];
        assert_in_range(at, 0, p->positions - 1);
        assert_false(used[at]);
        used[at] = true;
        assert_int_equal(map_position_is_lsu(&r->hardware, at),
                         r->map->nodes.v[i % n].kind != MAP_CORE);
    }
    uint32_t consumers = 0;
    for (uint32_t i = 0; i < p->arcs.n; i++) {
        const struct map_arc *arc = &p->arcs.v[i];
        assert_true(arc->lane < p->lanes);
        for (uint32_t at = arc->begin; at != arc->end; at = (at + 1) % p->positions) {
            assert_false(busy[at][arc->lane]);
            busy[at][arc->lane] = true;
            for (uint32_t k = 0; k < n; k++) {
                bool uses = false;
                EACH_FIFO (operand, &r->map->nodes.v[k])
                    uses |= map_operand(&r->map->nodes.v[k], operand)->from == arc->from;
                consumers += uses && k != arc->from &&
                             p->position[arc->copy * n + k] == (at + 1) % p->positions;
            }
        }
    }
    uint32_t expected = 0;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t from = 0; from < n; from++) {
            bool uses = false;
            EACH_FIFO (operand, &r->map->nodes.v[k])
                uses |= map_operand(&r->map->nodes.v[k], operand)->from == from;
            expected += uses && from != k;
        }
    assert_int_equal(consumers, expected * p->copies);
}

static void place(const char *text, uint32_t copies, uint32_t lanes, uint32_t expected)
{
    struct map_rig r;
    struct map_placement p;
    map_rig_load(&r, text);
    const char *fault = map_place(&p, &r.arena, &r.hardware, r.map, copies, MAP_STATES);
    if (fault)
        fail_msg("%s", fault);
    check_placement(&r, &p);
    assert_int_equal(p.lanes, lanes);
    assert_int_equal(p.min, lanes);
    assert_int_equal(p.copies, expected);
    map_rig_free(&r);
}

// [003 Table I]: CONV needs 4 lanes, alone and twice; INTEGR with its four rows needs 3. One row
// alone needs 2: the sum goes round the ring to the store.
static void minimum(void **state)
{
    (void)state;
    place(CONV, 1, 4, 1);
    place(CONV, 2, 4, 2);
    place(CONV, 0, 4, 2);
    place(INTEGR1, 1, 2, 1);
    place(INTEGR2, 1, 3, 1);
    place(INTEGR3, 1, 3, 1);
    place(INTEGR4, 0, 3, 1);
}

// [003 §5.1.1]: 13 cores, 4 load-store units.
static void counts(void **state)
{
    struct map_rig r;
    (void)state;
    map_rig_load(&r, CONV);
    assert_int_equal(map_count(r.map).cores, 13);
    assert_int_equal(map_count(r.map).lsus, 4);
    map_rig_free(&r);
    map_rig_load(&r, INTEGR4);
    assert_int_equal(map_count(r.map).cores, 20);
    assert_int_equal(map_count(r.map).lsus, 9);
    map_rig_free(&r);
}

static void refuse(const char *text, uint32_t copies, const char *key, uint32_t value,
                   const char *why)
{
    struct map_rig r;
    struct map_placement p;
    map_rig_load(&r, text);
    *(!strcmp(key, "lanes")   ? &r.hardware.lanes
      : !strcmp(key, "cores") ? &r.hardware.cores
                              : &r.hardware.lsus) = value;
    assert_string_equal(map_place(&p, &r.arena, &r.hardware, r.map, copies, MAP_STATES), why);
    map_rig_free(&r);
}

static void refusals(void **state)
{
    (void)state;
    refuse(CONV, 1, "lanes", 3, "no placement of 1 copy needs 3 lanes or fewer");
    refuse(INTEGR4, 1, "lanes", 2, "no placement of 1 copy needs 2 lanes or fewer");
    refuse(CONV, 3, "lanes", 6, "3 copies of the map are requested, but only 2 fit");
    refuse(CONV, 0, "cores", 12, "the map needs 13 cores, but there are 12");
    refuse(CONV, 0, "lsus", 3, "the map needs 4 load-store units, but there are 3");
}

// Small random maps: the minimum number of lanes over all orders

static uint32_t edges[8]; // producers of each node

static uint32_t lanes_of(const uint32_t *order, uint32_t n)
{
    uint32_t max = 0;
    for (uint32_t gap = 0; gap < n; gap++) { // behind position `gap`
        uint32_t arcs = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t far = 0;
            for (uint32_t k = 1; k < n; k++)
                far = edges[order[(i + k) % n]] >> order[i] & 1 ? k : far;
            arcs += (gap + n - i) % n < far;
        }
        max = arcs > max ? arcs : max;
    }
    return max;
}

static uint32_t try_orders(uint32_t *order, uint32_t at, uint32_t n)
{
    uint32_t best = UINT32_MAX;
    if (at == n)
        return lanes_of(order, n);
    for (uint32_t i = at; i < n; i++) {
        uint32_t other = order[i], found;
        order[i] = order[at];
        order[at] = other;
        found = try_orders(order, at + 1, n);
        order[at] = order[i];
        order[i] = other;
        best = found < best ? found : best;
    }
    return best;
}

// Writes a map of cores with these edges; edges to earlier nodes have a token.
static void draw(char *text, uint32_t *n, uint64_t *seed)
{
    *n = 4 + (uint32_t)(splitmix64(seed) % 4);
    char *at = text + sprintf(text, "nodes:\n  n0: {op: increment, tokens: 1, count: 1}\n");
    memset(edges, 0, sizeof edges);
    for (uint32_t i = 1; i < *n; i++) {
        static const char *const ops[] = {"mov.b32", "add.s32", "mad.lo.s32"};
        uint32_t count = 1 + (uint32_t)(splitmix64(seed) % 3);
        at += sprintf(at, "  n%u: {op: %s, in: [", i, ops[count - 1]);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t from = k && splitmix64(seed) % 3 == 0 ? (uint32_t)(splitmix64(seed) % *n)
                                                           : (uint32_t)(splitmix64(seed) % i);
            at += sprintf(at, from < i ? "%sn%u" : "%s{from: n%u, initial: [0]}", k ? ", " : "",
                          from);
            edges[i] |= from != i ? 1u << from : 0;
        }
        at += sprintf(at, "]}\n");
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < *n; i++)
        used |= edges[i];
    for (uint32_t i = 0; i < *n; i++) // unused results go to n0's right
        if (!(used >> i & 1)) {
            at += sprintf(at, "  u%u: {op: st.s32, in: [n%u, n%u], base: 0}\n", i, i, i);
        }
}

static void random_maps(void **state)
{
    static char text[4096];
    uint64_t seed = 5;
    uint32_t different = 0;
    (void)state;
    for (uint32_t number = 0; number < 200; number++) {
        struct map_rig r;
        struct map_placement p;
        uint32_t n;
        draw(text, &n, &seed);
        map_rig_load(&r, text);
        uint32_t order[16], all = r.map->nodes.n;
        uint32_t saved[8];
        memcpy(saved, edges, sizeof saved);
        if (all > 8) { // too many orders
            map_rig_free(&r);
            continue;
        }
        for (uint32_t i = n; i < all; i++)
            edges[i] = 1u << r.map->nodes.v[i].operands[0].from;
        for (uint32_t i = 0; i < all; i++)
            order[i] = i;
        r.hardware.lanes = 8;
        assert_null(map_place(&p, &r.arena, &r.hardware, r.map, 1, MAP_STATES));
        check_placement(&r, &p);
        uint32_t min = try_orders(order, 1, all); // orders that begin with node 0: of a ring
        assert_int_equal(p.min, min);
        different += p.lanes != min; // more colours than arcs over a gap
        map_rig_free(&r);
    }
    assert_in_range(different, 0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimum),
        cmocka_unit_test(counts),
        cmocka_unit_test(refusals),
        cmocka_unit_test(random_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
