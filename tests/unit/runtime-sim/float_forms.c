// Every form that the tables of forms give to the floating-point and comparison opcodes is
// executed: each combination of words that a form takes is decoded, and none may be refused.
#include "tests/unit/runtime-sim/kernel.h"
#include "frontend/forms.h"

struct maker {
    struct arena arena;
    struct memory memory;
    struct forms *forms;
    const struct form *form;
    FILE *text;
    uint32_t kernels;
    uint16_t words[FORM_SLOTS];
    uint32_t word_count;
};

static void put_operand(struct maker *m, const struct form_match *match,
                        const struct form_operand *operand, uint32_t n, bool pair)
{
    uint16_t type = form_operand_type(match, operand);
    uint32_t bits = type == W_UNKNOWN ? 0 : isa_words[type].value;
    if (operand->kind == FORM_PREDICATE) {
        fprintf(m->text, "%%p%u", n);
        if (operand->pair == FORM_ALWAYS_PAIR || (pair && operand->pair))
            fprintf(m->text, "|%%p%u", n + 1);
        return;
    }
    if (operand->kind != FORM_SOURCE && operand->kind != FORM_REGISTER)
        fail_msg("%s %s: an operand of a kind that is not known here", isa_op_names[m->form->op],
                 m->form->modifiers);
    fprintf(m->text, "%%%s%u", bits <= 16 ? "h" : bits == 32 ? "r" : "d", n);
}

static void put_kernel(struct maker *m, const struct form_match *match, bool pair)
{
    fprintf(m->text,
            ".entry k%u()\n{ .reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; "
            ".reg .b64 %%d<9>;\n%s",
            m->kernels++, isa_op_names[m->form->op]);
    for (uint32_t i = 0; i < m->word_count; i++)
        fprintf(m->text, "%s", isa_words[m->words[i]].text);
    const char *between = " ";
    for (uint32_t i = 0; i < m->form->operand_count; i++) {
        if (form_operand_presence(match, &m->form->operand[i]) < 0)
            continue;
        fputs(between, m->text);
        put_operand(m, match, &m->form->operand[i], i, pair);
        between = ", ";
    }
    fprintf(m->text, ";\nret; }\n");
}

// All combinations of the words of this slot and those behind it.
static void put_words(struct maker *m, uint32_t slot_index)
{
    if (slot_index == m->form->slot_count) {
        const struct form_match *match =
            forms_match(m->forms, m->form->op, m->words, m->word_count);
        while (match && match->form != m->form)
            match = match->next;
        if (match) {
            put_kernel(m, match, false);
            put_kernel(m, match, true);
        }
        return;
    }
    const struct form_slot *slot = &m->form->slots[slot_index];
    if (slot->optional)
        put_words(m, slot_index + 1);
    for (uint32_t i = 0; i < slot->word_count; i++) {
        m->words[m->word_count++] = slot->words[i].word;
        put_words(m, slot_index + 1);
        m->word_count--;
    }
}

static uint32_t count_refused(const char *text)
{
    struct kernel k;
    uint32_t refused = 0;
    kernel_load(&k, text, NULL);
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

static uint32_t check_form(struct maker *m, const struct form *form)
{
    char *text = NULL;
    size_t length = 0;
    m->form = form;
    m->kernels = 0;
    m->text = open_memstream(&text, &length);
    assert_non_null(m->text);
    fprintf(m->text, HEAD("9.0", "sm_100"));
    put_words(m, 0);
    fclose(m->text);
    if (!m->kernels)
        fail_msg("%s %s: no instruction matches it", isa_op_names[form->op], form->modifiers);
    uint32_t refused = count_refused(text);
    free(text);
    return refused;
}

static void test_all(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_add, OP_sub,   OP_mul,      OP_fma,  OP_mad,  OP_div,
                                   OP_abs, OP_neg,   OP_min,      OP_max,  OP_rcp,  OP_sqrt,
                                   OP_sin, OP_rsqrt, OP_cos,      OP_lg2,  OP_ex2,  OP_tanh,
                                   OP_set, OP_testp, OP_copysign, OP_setp, OP_selp, OP_slct};
    struct maker m = {0};
    if (setjmp(m.memory.on_failure))
        abort();
    arena_init(&m.arena, &m.memory);
    m.forms = forms_new(&m.arena);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        uint32_t count;
        const struct form *forms = forms_of(m.forms, ops[i], &count);
        assert_true(count);
        for (uint32_t n = 0; n < count; n++)
            refused += check_form(&m, &forms[n]);
    }
    arena_free(&m.arena);
    assert_int_equal(refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
