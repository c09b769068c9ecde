// Every form that the tables give to conversions, moves and addresses is executed: each combination
// of words, with registers, wider registers, numbers, special registers, variables and sinks where
// the form takes them.
#include "tests/unit/runtime-sim/kernel.h"
#include "frontend/forms.h"

enum variant { REGISTERS, WIDER, NUMBERS, SPECIALS, VARIABLES, SINKS, VARIANTS };

struct maker {
    struct arena arena;
    struct memory memory;
    struct forms *forms;
    const struct form *form;
    const struct form_match *match;
    FILE *text;
    uint32_t kernels, total;
    uint16_t words[FORM_SLOTS];
    uint32_t word_count;
    enum variant variant;
    bool varied; // some operand is another one than among plain registers
};

// Of a floating-point type in its own notation.
static const char *number_of(uint16_t type)
{
    return type == W_f32 ? "0f3FC00000" : type == W_f64 ? "0d3FF8000000000000" : "1";
}

static bool takes_numbers(uint16_t type)
{
    const char *name = type == W_UNKNOWN ? "" : isa_words[type].text + 1;
    return *name == 'u' || *name == 's' || *name == 'b' || type == W_f32 || type == W_f64;
}

static void put_scalar(struct maker *m, const struct form_operand *operand, uint32_t n)
{
    uint16_t type = form_operand_type(m->match, operand);
    uint32_t bits = type == W_UNKNOWN ? 32 : ir_type_bits(type);
    bool source = operand->kind == FORM_SOURCE && !operand->written;
    m->varied = true;
    if (m->variant == WIDER && operand->wider && bits < 64)
        fprintf(m->text, "%%r64_%u", n);
    else if (m->variant == NUMBERS && source && !operand->special && takes_numbers(type))
        fputs(number_of(type), m->text);
    else if (m->variant == SPECIALS && source && operand->special && bits < 64)
        fputs(m->match->vector > 1 ? "%tid" : "%tid.y", m->text);
    else if (m->variant == VARIABLES && source && operand->variable && bits >= 32)
        fputs("variable", m->text);
    else {
        m->varied = false;
        if (type == W_UNKNOWN && operand->special) // a vector, as special registers are
            fprintf(m->text, "%%v%u", ir_type_bits(m->match->type[0]));
        else
            fprintf(m->text, "%%r%u_%u", bits, n);
    }
}

static void put_vector(struct maker *m, const struct form_operand *operand, uint32_t n)
{
    uint32_t length = operand->length == FORM_BY_MODIFIER ? m->match->vector : operand->length;
    bool varied = false;
    fputs("{", m->text);
    for (uint32_t i = 0; i < length; i++) {
        fputs(i ? ", " : "", m->text);
        if (m->variant == SINKS && operand->sink && i == 1)
            fputs("_", m->text);
        else
            put_scalar(m, operand, n + i);
        varied |= m->varied || (m->variant == SINKS && operand->sink);
    }
    fputs("}", m->text);
    m->varied = varied;
}

static void put_operand(struct maker *m, const struct form_operand *operand, uint32_t n)
{
    m->varied = false;
    if (operand->kind == FORM_PREDICATE)
        fprintf(m->text, "%s%%p%u", m->variant == NUMBERS && !operand->written ? "!" : "", n);
    else if (operand->length != FORM_SCALAR)
        put_vector(m, operand, n);
    else
        put_scalar(m, operand, n);
}

// False: the variant is none of this form's.
static bool put_kernel(struct maker *m)
{
    bool varied = m->variant == REGISTERS;
    fprintf(m->text,
            ".entry k%u()\n{ .reg .pred %%r1_<9>, %%p<9>; .reg .b8 %%r8_<9>; .reg .b16 %%r16_<9>; "
            ".reg .b32 %%r32_<9>;\n.reg .b64 %%r64_<9>; .reg .b128 %%r128_<9>; "
            ".reg .v4 .b16 %%v16; .reg .v4 .b32 %%v32;\n%s",
            m->kernels, isa_op_names[m->form->op]);
    for (uint32_t i = 0; i < m->word_count; i++)
        fprintf(m->text, "%s", isa_words[m->words[i]].text);
    const char *between = " ";
    for (uint32_t i = 0; i < m->form->operand_count; i++) {
        if (form_operand_presence(m->match, &m->form->operand[i]) < 0)
            continue;
        fputs(between, m->text);
        put_operand(m, &m->form->operand[i], i);
        varied |= m->varied;
        between = ", ";
    }
    fprintf(m->text, ";\nret; }\n");
    return varied;
}

static void put_variants(struct maker *m)
{
    for (m->variant = REGISTERS; m->variant < VARIANTS; m->variant++) {
        long begin = ftell(m->text);
        if (put_kernel(m))
            m->kernels++;
        else
            assert_int_equal(fseek(m->text, begin, SEEK_SET), 0);
    }
}

// All combinations of the words of this slot and those behind it.
static void put_words(struct maker *m, uint32_t slot_index)
{
    if (slot_index == m->form->slot_count) {
        m->match = forms_match(m->forms, m->form->op, m->words, m->word_count);
        while (m->match && m->match->form != m->form)
            m->match = m->match->next;
        if (m->match)
            put_variants(m);
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

static uint32_t check_form(struct maker *m, const struct form *form)
{
    char *text = NULL;
    size_t length = 0;
    m->form = form;
    m->kernels = 0;
    m->text = open_memstream(&text, &length);
    assert_non_null(m->text);
    fprintf(m->text, HEAD("9.1", "sm_100a") ".global .b32 variable[4];\n");
    put_words(m, 0);
    fputc('\0', m->text); // over what a variant that was none has left
    fclose(m->text);
    if (!m->kernels)
        fail_msg("%s %s: no instruction matches it", isa_op_names[form->op], form->modifiers);
    uint32_t refused = count_refused(text, m->kernels);
    m->total += m->kernels;
    free(text);
    return refused;
}

static void test_all(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_cvt, OP_mov, OP_cvta, OP_isspacep};
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
    assert_in_range(m.total, 2500, UINT32_MAX);
    assert_int_equal(refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
