// Executes every form of an opcode in the frontend, with each of its words, types and kinds of
// operands: no row is missing. Results are checked by the tests of the instructions.
#include "runtime-sim/exec/lanes/rows.h"
#include "tests/unit/runtime-sim/form_walk.h"

struct coverage {
    struct form_walk walk;
    FILE *text;
    uint32_t kernels;
};

static void put_kernel(struct form_walk *walk)
{
    struct coverage *c = walk->own;
    if (strstr(walk->form->modifiers, "tensor")) // tensor maps are left out
        return;
    fprintf(c->text, ".entry k%u()\n{ %s%s;\nret; }\n", c->kernels++, FORM_REGISTERS, walk->text);
}

static uint32_t count_refused(const char *text, uint32_t kernels)
{
    struct kernel k;
    uint32_t refused = 0;
    kernel_load(&k, text, NULL);
    assert_int_equal(k.program.functions.n, kernels);
    for (uint32_t i = 0; i < k.program.functions.n; i++) {
        const struct program_function *function = &k.program.functions.v[i];
        if (!function->refusal)
            continue;
        const struct node *node = &k.tree.nodes.v[function->refused_node];
        print_error("%.*s: %s\n", (int)(node->end - node->begin), k.source.text + node->begin,
                    function->refusal);
        refused++;
    }
    kernel_free(&k);
    return refused;
}

static uint32_t refused_of(struct coverage *c, uint16_t op)
{
    char *text = NULL;
    size_t length = 0;
    c->text = open_memstream(&text, &length);
    assert_non_null(c->text);
    fprintf(c->text, HEAD("9.1", "sm_100a") ".global .b32 variable[4];\n");
    c->kernels = 0;
    form_walk_op(&c->walk, op);
    fclose(c->text);
    if (!c->kernels)
        fail_msg("%s: no form", isa_op_names[op]);
    uint32_t refused = count_refused(text, c->kernels);
    free(text);
    return refused;
}

static void check(const uint16_t *ops, size_t count, enum form_words which, uint32_t min)
{
    struct coverage c = {
        .walk = {.which = which, .variants = FORM_VARIANTS, .accept = put_kernel, .own = &c}};
    uint32_t refused = 0, kernels = 0;
    form_walk_begin(&c.walk);
    for (size_t i = 0; i < count; i++) {
        refused += refused_of(&c, ops[i]);
        kernels += c.kernels;
    }
    form_walk_end(&c.walk);
    assert_in_range(kernels, min, UINT32_MAX);
    assert_int_equal(refused, 0);
}
#define CHECK(ops, which, min) check(ops, sizeof ops / sizeof *ops, which, min)

// The first group with rows of an opcode, as isa.def names it.
static const uint8_t first_group[OP_COUNT] = {
#define ISA_OP(name, class, roles, time, rows) [OP_##name] = EXEC_##rows,
#define ISA_SUB(name, modifier, class, roles)
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
};

// Instructions that lanes compute independently.
static void test_arithmetic(void **state)
{
    (void)state;
    uint16_t ops[OP_COUNT] = {OP_set};
    size_t count = 1;
    for (uint16_t op = 0; op < OP_COUNT; op++)
        if (first_group[op] < EXEC_warp_sync && op != OP_cvt && op != OP_mov)
            ops[count++] = op;
    check(ops, count, FORM_ALL_WORDS, 11000);
}

static void test_conversions(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_cvt, OP_mov, OP_cvta, OP_isspacep};
    CHECK(ops, FORM_ALL_WORDS, 2600);
}

static void test_memory(void **state)
{
    (void)state;
    static const uint16_t ops[] = {
        OP_ld,        OP_ldu,          OP_st,     OP_prefetch,       OP_prefetchu,
        OP_discard,   OP_isspacep,     OP_cvta,   OP_applypriority,  OP_createpolicy,
        OP_mapa,      OP_getctarank,   OP_cp,     OP_atom,           OP_red,
        OP_membar,    OP_fence,        OP_alloca, OP_griddepcontrol, OP_mbarrier,
        OP_stacksave, OP_stackrestore,
    };
    CHECK(ops, FORM_EACH_WORD, 7000);
}

static bool has_row(uint32_t group, uint16_t op)
{
    bool has = false;
    for (const struct exec_row *row = lanes_best()->rows[group]; row->lanes || row->step; row++)
        has |= row->op == op;
    return has;
}

static void test_groups(void **state)
{
    (void)state;
    for (uint16_t op = 0; op < OP_COUNT; op++) {
        uint32_t first = 0;
        while (first < EXEC_none && !has_row(first, op))
            first++;
        if (first != first_group[op])
            fail_msg("%s: group %u, not %u", isa_op_names[op], first, first_group[op]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
