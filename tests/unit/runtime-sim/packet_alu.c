// The service queue's ALU: it has the operations that the tagger offers by default, form by form,
// and computes the same as the functional engine.
#include "passes/base/capability.h"
#include "runtime-sim/schemes/llc_omni/packet_alu.h"
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/form_walk.h"
#include "tests/unit/runtime-sim/packet_model.h"

enum { SOURCES = 3, BLOCK = 512, GRID = 4, TUPLES = BLOCK * GRID };

// Sources of the operands: a, b, and the scalar s, by their number in packet_source.
static const uint8_t assignments[][SOURCES] = {
    {0, 1, 2}, {0, 1, 0}, {0, 1, 1}, {0, 0, 0}, {0, 2, 0}, {2, 0, 1},
};
enum { ASSIGNMENTS = sizeof assignments / sizeof *assignments };

static bool is_op(const struct kernel *k, uint32_t function, uint32_t inst, const uint8_t *from,
                  struct packet_op *op)
{
    uint8_t source[SOURCES + 1] = {from[0], from[1], from[2], PACKET_SCALAR};
    return packet_op_of(&k->module, &k->module.functions.v[function], inst, source, op);
}

static uint16_t op_named(const char *name)
{
    uint16_t op = 0;
    while (strcmp(isa_op_names[op], name) != 0)
        op++;
    return op;
}

// Offered operations

struct offered {
    struct form_walk walk;
    FILE *text;
    uint32_t kernels;
};

static void put_form(struct form_walk *walk)
{
    struct offered *o = walk->own;
    // A source wider than its type is none that a chain loads.
    if (walk->variant != FORM_WIDER)
        fprintf(o->text, ".entry k%u()\n{ %s%s;\nret; }\n", o->kernels++, FORM_REGISTERS,
                walk->text);
}

// Returns the number of operations that the tagger offers.
static uint32_t check_offered(const char *text)
{
    struct kernel k;
    uint32_t offered = 0, differ = 0;
    kernel_load(&k, text, NULL);
    for (uint32_t f = 0; f < k.module.functions.n; f++) {
        const struct ir_function *fn = &k.module.functions.v[f];
        struct packet_op op;
        bool wanted = alu_of(&capability_usual, &k.module, fn, 0).kind != ALU_NONE, has = false;
        for (uint32_t i = 0; i < ASSIGNMENTS; i++)
            has |= is_op(&k, f, 0, assignments[i], &op);
        offered += wanted;
        if (wanted == has)
            continue;
        const struct node *node = &k.tree.nodes.v[fn->insts.v[0].node];
        print_error("%.*s: the tagger says %d, the unit %d\n", (int)(node->end - node->begin),
                    k.source.text + node->begin, wanted, has);
        differ++;
    }
    kernel_free(&k);
    assert_int_equal(differ, 0);
    return offered;
}

static void what_is_offered(void **state)
{
    (void)state;
    struct offered o = {
        .walk = {
            .which = FORM_ALL_WORDS, .variants = FORM_VARIANTS, .accept = put_form, .own = &o}};
    uint32_t forms = 0, ops = 0;
    form_walk_begin(&o.walk);
    for (uint32_t bit = 0; capability_operation_name(bit); bit++) {
        char *text = NULL;
        size_t length = 0;
        o.text = open_memstream(&text, &length);
        assert_non_null(o.text);
        fprintf(o.text, HEAD("9.1", "sm_100a") ".global .b32 variable[4];\n");
        form_walk_op(&o.walk, op_named(capability_operation_name(bit)));
        fclose(o.text);
        uint32_t offered = check_offered(text);
        assert_int_equal(offered > 0, capability_usual.operations >> bit & 1);
        forms += offered;
        ops += offered > 0;
        free(text);
    }
    form_walk_end(&o.walk);
    assert_int_equal(ops, 21);
    assert_in_range(forms, 2000, UINT32_MAX);
}

// Computed results

struct tuples {
    uint32_t v[SOURCES][TUPLES]; // the scalar's: that of each warp's first lane
};

static void fill(struct tuples *tuples)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < TUPLES; i++) {
        for (uint32_t k = 0; k < SOURCES; k++)
            tuples->v[k][i] = (uint32_t)conform_bits(&state, 32);
        if (i % 3 == 0) // numbers of about the same size, which cancel
            for (uint32_t k = 0; k < SOURCES; k++)
                tuples->v[k][i] = (tuples->v[0][i] & 0x7f800000) | (tuples->v[k][i] & 0x80ffffff);
        if (i % 7 == 0) // a product with the opposite addend near by
            tuples->v[1][i] = tuples->v[0][i] ^ (uint32_t)(conform_random(&state) & 0x80000003);
        if (i % 5 == 0) // small integers, counts of shifts
            tuples->v[i % 2][i] %= 70;
    }
    for (uint32_t i = 0; i < TUPLES; i++)
        tuples->v[PACKET_SCALAR][i] = tuples->v[PACKET_SCALAR][i / LANES * LANES];
}

struct compute {
    struct form_walk walk;
    FILE *text;
    uint32_t kernels;
};

// Writes a kernel that loads the registers of an instruction from the buffers of an assignment, the
// predicate from the scalar's buffer, and stores the results.
static void put_kernel(struct compute *c, const struct form_walk *walk, const char *inst,
                       const uint8_t *from)
{
    fprintf(c->text,
            ".entry k%u(.param .u64 a, .param .u64 b, .param .u64 s, .param .u64 d)\n{ %s"
            ".reg .b64 %%q<9>; .reg .b32 %%i, %%j, %%n;\n"
            "mov.u32 %%i, %%ctaid.x; mov.u32 %%n, %%ntid.x; mov.u32 %%j, %%tid.x;\n"
            "mad.lo.u32 %%i, %%i, %%n, %%j;\nmul.wide.u32 %%q1, %%i, 4;\n"
            "ld.param.u64 %%q2, [a]; ld.param.u64 %%q3, [b]; ld.param.u64 %%q4, [s];\n"
            "ld.param.u64 %%q5, [d]; add.u64 %%q2, %%q2, %%q1; add.u64 %%q3, %%q3, %%q1;\n"
            "add.u64 %%q4, %%q4, %%q1; add.u64 %%q5, %%q5, %%q1; add.u64 %%q5, %%q5, %%q1;\n",
            c->kernels++, FORM_REGISTERS);
    uint32_t read = 0;
    for (uint32_t i = 0; i < walk->register_count; i++) {
        const struct form_register *reg = &walk->registers[i];
        if (reg->read && reg->bits == 1)
            fprintf(c->text, "ld.u32 %%j, [%%q4]; setp.ne.u32 %%p%u, %%j, 0;\n", reg->number);
        else if (reg->read)
            fprintf(c->text, "ld.u32 %%r32_%u, [%%q%u];\n", reg->number, 2 + from[read++]);
    }
    fprintf(c->text, "%s;\n", inst);
    for (uint32_t i = 0, written = 0; i < walk->register_count; i++) {
        const struct form_register *reg = &walk->registers[i];
        if (reg->written && reg->bits == 1)
            fprintf(c->text, "selp.u32 %%j, 1, 0, %%p%u; st.u32 [%%q5+%u], %%j;\n", reg->number,
                    4 * written++);
        else if (reg->written)
            fprintf(c->text, "st.u32 [%%q5+%u], %%r32_%u;\n", 4 * written++, reg->number);
    }
    fprintf(c->text, "ret; }\n");
}

// Returns true for words and predicates, with no more words than the unit can read.
static bool is_word(const struct form_walk *walk)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < walk->register_count; i++) {
        const struct form_register *reg = &walk->registers[i];
        if (reg->bits != 32 && reg->bits != 1)
            return false;
        words += reg->read && reg->bits == 32;
    }
    return words <= SOURCES;
}

static void put_inst(struct compute *c, const struct form_walk *walk, const char *inst)
{
    for (uint32_t i = 0; i < ASSIGNMENTS; i++)
        put_kernel(c, walk, inst, assignments[i]);
}

// Adds forms: the walk has one table of lop3, and no negated predicates.
static void put_forms(struct form_walk *walk)
{
    struct compute *c = walk->own;
    const char *last = strrchr(walk->text, ',');
    char inst[FORM_TEXT + 8];
    if (!is_word(walk) || (walk->variant != FORM_PLAIN && walk->variant != FORM_OPTIONALS))
        return;
    int kept = last ? (int)(last - walk->text) : 0;
    if (strncmp(walk->text, "lop3.b32", 8) != 0)
        put_inst(c, walk, walk->text);
    for (uint32_t i = 0; i < 256 && !strncmp(walk->text, "lop3.b32", 8); i++) {
        snprintf(inst, sizeof inst, "%.*s, %u", kept, walk->text, i);
        put_inst(c, walk, inst);
    }
    if (last && !strncmp(last, ", %p", 4)) {
        snprintf(inst, sizeof inst, "%.*s, !%s", kept, walk->text, last + 2);
        put_inst(c, walk, inst);
    }
}

// Compares the results. Each warp of the launch is a packet.
static bool same_results(const struct tuples *tuples, const struct compute_packet *shape,
                         const uint32_t *results, bool second)
{
    bool predicate = packet_compares(&shape->op[0]) && shape->op[0].made == PACKET_PREDICATE;
    for (uint32_t warp = 0; warp < TUPLES / LANES; warp++) {
        struct compute_packet packet = *shape;
        union lanes operand[2], result;
        uint32_t first = warp * LANES;
        packet.scalar = tuples->v[PACKET_SCALAR][first];
        memcpy(operand[0].u32, tuples->v[0] + first, sizeof operand[0].u32);
        memcpy(operand[1].u32, tuples->v[1] + first, sizeof operand[1].u32);
        packet_compute(&packet, operand, &result);
        uint32_t mask = predicate ? result.mask : 0;
        uint32_t opposite = predicate ? packet_second_predicate(&packet, mask) : 0;
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t *wanted = results + (first + i) * 2;
            uint32_t has = predicate ? mask >> i & 1 : result.u32[i];
            if (has == wanted[0] && (!second || (opposite >> i & 1) == wanted[1]))
                continue;
            print_error("%#x, %#x, scalar %#x: %#x, not %#x\n", operand[0].u32[i],
                        operand[1].u32[i], packet.scalar, has, wanted[0]);
            return false;
        }
    }
    return true;
}

// Returns the instruction under test: it is before the first store of its result, or before the
// selp that makes a number of a predicate.
static uint32_t tried_inst(const struct ir_function *fn)
{
    uint32_t inst = 0;
    while (fn->insts.v[inst].op != OP_st)
        inst++;
    return inst - 1 - (fn->insts.v[inst - 1].op == OP_selp);
}

static bool has_second(const struct ir_function *fn, uint32_t inst)
{
    return ir_find_operand(fn, inst, ROLE_DEF, 1) != IR_NONE;
}

// Returns the number of operations computed; kernel i uses assignment i.
static uint32_t check_computed(const char *text, uint32_t *functions)
{
    static struct tuples tuples;
    struct kernel k;
    uint32_t computed = 0, wrong = 0;
    fill(&tuples);
    kernel_load(&k, text, NULL);
    for (uint32_t i = 0; i < SOURCES; i++)
        memcpy(kernel_buffer(&k, sizeof tuples.v[i]), tuples.v[i], sizeof tuples.v[i]);
    uint32_t *results = kernel_buffer(&k, sizeof(uint32_t) * 2 * (TUPLES + 1));
    for (uint32_t f = 0; f < k.module.functions.n; f++) {
        const struct ir_function *fn = &k.module.functions.v[f];
        struct compute_packet packet = {.mask = FULL_MASK, .load_count = 2, .op_count = 1};
        uint32_t inst = tried_inst(fn);
        char name[16];
        if (!is_op(&k, f, inst, assignments[f % ASSIGNMENTS], &packet.op[0]))
            continue;
        snprintf(name, sizeof name, "k%u", f);
        kernel_succeeds(&k, name, GRID, BLOCK);
        computed++;
        functions[packet.op[0].function]++;
        if (same_results(&tuples, &packet, results, has_second(fn, inst)))
            continue;
        const struct node *node = &k.tree.nodes.v[fn->insts.v[inst].node];
        print_error("  %.*s\n", (int)(node->end - node->begin), k.source.text + node->begin);
        wrong++;
    }
    kernel_free(&k);
    assert_int_equal(wrong, 0);
    return computed;
}

static uint32_t compute_forms(struct compute *c, uint16_t op, uint32_t *functions)
{
    char *text = NULL;
    size_t length = 0;
    c->text = open_memstream(&text, &length);
    assert_non_null(c->text);
    fprintf(c->text, HEAD("9.1", "sm_100a") ".global .b32 variable[4];\n");
    c->kernels = 0;
    form_walk_op(&c->walk, op);
    fclose(c->text);
    uint32_t computed = check_computed(text, functions);
    free(text);
    return computed;
}

static void what_is_computed(void **state)
{
    (void)state;
    struct compute c = {.walk = {.which = FORM_ALL_WORDS,
                                 .variants = FORM_OPTIONALS + 1,
                                 .accept = put_forms,
                                 .own = &c}};
    uint32_t functions[PACKET_FUNCTIONS] = {0}, computed = 0;
    form_walk_begin(&c.walk);
    for (uint32_t bit = 0; capability_operation_name(bit); bit++)
        if (capability_usual.operations >> bit & 1)
            computed += compute_forms(&c, op_named(capability_operation_name(bit)), functions);
    form_walk_end(&c.walk);
    assert_in_range(computed, 5000, UINT32_MAX);
    for (uint32_t i = 1; i < PACKET_FUNCTIONS; i++)
        if (!functions[i])
            fail_msg("%s was not computed", packet_function_name(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_offered),
        cmocka_unit_test(what_is_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
