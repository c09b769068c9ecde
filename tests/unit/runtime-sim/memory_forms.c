// No form of an instruction that accesses memory is refused: each form that the frontend knows,
// with each of its words, is decoded.
#include "tests/unit/runtime-sim/kernel.h"
#include "frontend/forms.h"

static const uint16_t opcodes[] = {
    OP_ld,
    OP_ldu,
    OP_st,
    OP_prefetch,
    OP_prefetchu,
    OP_applypriority,
    OP_discard,
    OP_isspacep,
    OP_createpolicy,
    OP_cvta,
    OP_mapa,
    OP_getctarank,
    OP_cp,
    OP_atom,
    OP_red,
    OP_membar,
    OP_fence,
    OP_mbarrier,
    OP_griddepcontrol,
    OP_stacksave,
    OP_stackrestore,
    OP_alloca,
};

struct maker {
    FILE *text;
    uint32_t kernels;
};

static void put_register(struct maker *m, uint16_t type, uint32_t n)
{
    uint32_t bits = type == W_UNKNOWN ? 64 : isa_words[type].value;
    if (bits == 1)
        fprintf(m->text, "%%p%u", n);
    else
        fprintf(m->text, "%%%s%u",
                bits <= 16    ? "h"
                : bits == 32  ? "r"
                : bits == 128 ? "q"
                              : "d",
                n);
}

static void put_operand(struct maker *m, const struct form_match *match,
                        const struct form_operand *operand, uint32_t n)
{
    uint16_t type = form_operand_type(match, operand);
    uint32_t length = operand->length == FORM_BY_MODIFIER ? match->vector : operand->length;
    switch (operand->kind) {
    case FORM_PREDICATE: fprintf(m->text, "%%p%u", n); return;
    case FORM_ADDRESS: fprintf(m->text, "[%%d%u]", n); return;
    case FORM_IMMEDIATE:
        fprintf(m->text, "%u",
                operand->value_count ? operand->value[0]
                : operand->ranged    ? operand->least
                                     : 8);
        return;
    case FORM_SOURCE:
    case FORM_REGISTER: break;
    default: fail_msg("an operand of a kind that is not known here");
    }
    if (length == FORM_SCALAR) {
        put_register(m, type, n);
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        fputs(i ? ", " : "{", m->text);
        put_register(m, type, 8 * n + i + 10);
    }
    fputs("}", m->text);
}

static void put_kernel(struct maker *m, const struct form *form, const struct form_match *match,
                       const uint16_t *words, uint32_t count)
{
    fprintf(m->text,
            ".entry k%u()\n{ .reg .pred %%p<9>; .reg .b16 %%h<90>; .reg .b32 %%r<90>; "
            ".reg .b64 %%d<90>; .reg .b128 %%q<9>;\n%s",
            m->kernels++, isa_op_names[form->op]);
    for (uint32_t i = 0; i < count; i++)
        fprintf(m->text, "%s", isa_words[words[i]].text);
    const char *between = " ";
    for (uint32_t i = 0; i < form->operand_count; i++) {
        if (form_operand_presence(match, &form->operand[i]) < 0)
            continue;
        fputs(between, m->text);
        put_operand(m, match, &form->operand[i], i);
        between = ", ";
    }
    fprintf(m->text, ";\nret; }\n");
}

// The form with one word chosen and as few others as may be.
static void put_choice(struct maker *m, struct forms *forms, const struct form *form, uint32_t slot,
                       uint32_t word)
{
    uint16_t words[FORM_SLOTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < form->slot_count; i++)
        if (i == slot)
            words[count++] = form->slots[i].words[word].word;
        else if (!form->slots[i].optional)
            words[count++] = form->slots[i].words[0].word;
    const struct form_match *match = forms_match(forms, form->op, words, count);
    while (match && match->form != form)
        match = match->next;
    if (match)
        put_kernel(m, form, match, words, count);
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

static uint32_t check_opcode(struct forms *forms, uint16_t op)
{
    char *text = NULL;
    size_t length = 0;
    uint32_t count;
    const struct form *all = forms_of(forms, op, &count);
    struct maker m = {.text = open_memstream(&text, &length)};
    assert_non_null(m.text);
    fprintf(m.text, HEAD("9.1", "sm_100a"));
    for (uint32_t i = 0; i < count; i++) {
        if (strstr(all[i].modifiers, "tensor")) // tensor maps are left out
            continue;
        put_choice(&m, forms, &all[i], FORM_SLOTS, 0);
        for (uint32_t slot = 0; slot < all[i].slot_count; slot++)
            for (uint32_t word = 0; word < all[i].slots[slot].word_count; word++)
                put_choice(&m, forms, &all[i], slot, word);
    }
    fclose(m.text);
    assert_true(m.kernels >= 1);
    uint32_t refused = count_refused(text);
    free(text);
    return refused;
}

static void test_all(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    struct forms *forms = forms_new(&arena);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        refused += check_opcode(forms, opcodes[i]);
    arena_free(&arena);
    assert_int_equal(refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
