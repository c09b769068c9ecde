// The forms: every row compiles, agrees with the table of opcodes, and matches as it is spelled.
#include "tests/isa/captured.h"
#include "tests/unit/program.h"

struct table {
    struct memory memory;
    struct arena arena;
    struct forms *forms;
};

static int begin(void **state)
{
    struct table *table = calloc(1, sizeof *table);
    if (!table || setjmp(table->memory.on_failure))
        abort();
    arena_init(&table->arena, &table->memory);
    table->forms = forms_new(&table->arena);
    *state = table;
    return 0;
}

static int end(void **state)
{
    struct table *table = *state;
    arena_free(&table->arena);
    free(table);
    return 0;
}

static void check_slots(const struct form *form)
{
    for (uint32_t i = 0; i < form->slot_count; i++) {
        const struct form_modifier *slot = &form->slots[i];
        if (!slot->word_count)
            fail_msg("%s %s: nothing in item %u", isa_op_names[form->op], form->modifiers, i);
        for (uint32_t w = 0; w < slot->word_count; w++)
            if (slot->words[w].word >= WORD_COUNT)
                fail_msg("%s %s: unknown word or set in item %u", isa_op_names[form->op],
                         form->modifiers, i);
        if (slot->capture && !strchr("TUV#", slot->capture) &&
            !(slot->capture >= 'a' && slot->capture <= 'z'))
            fail_msg("%s %s: captured as '%c'", isa_op_names[form->op], form->modifiers,
                     slot->capture);
    }
}

// Checks that a type named by an operand is captured or is a type, and that a length is captured.
static void check_operands(const struct form *form)
{
    for (uint32_t i = 0; i < form->operand_count; i++) {
        const struct form_operand *operand = &form->operand[i];
        bool typed = (operand->kind == FORM_SOURCE && !operand->special) ||
                     (operand->kind == FORM_REGISTER && !operand->sink);
        bool known = operand->type >= FORM_CAPTURED
                         ? form_captured(form, (char)('T' + operand->type - FORM_CAPTURED)) != NULL
                         : isa_is_type(operand->type);
        if (typed && !known)
            fail_msg("%s %s: operand %u of '%s' has no type", isa_op_names[form->op],
                     form->modifiers, i, form->operands);
        if (operand->length == FORM_BY_MODIFIER && !form_captured(form, '#'))
            fail_msg("%s %s: operand %u of '%s' has no length", isa_op_names[form->op],
                     form->modifiers, i, form->operands);
        if (operand->link && !form_captured(form, operand->link))
            fail_msg("%s %s: operand %u of '%s' depends on nothing", isa_op_names[form->op],
                     form->modifiers, i, form->operands);
    }
}

// Checks that the form writes the operands that the opcode's roles call written, and no others.
static void check_roles(const struct form *form)
{
    uint16_t mods[FORM_MODIFIERS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < form->slot_count; i++)
        if (!form->slots[i].optional)
            mods[count++] = form->slots[i].words[0].word;
    const char *role = isa_form(form->op, mods, count).roles;
    for (uint32_t i = 0; i < form->operand_count; i++) {
        const struct form_operand *operand = &form->operand[i];
        if (operand->inside)
            continue;
        bool written = *role == 'd' || *role == 'm';
        bool told = operand->kind == FORM_SOURCE || operand->kind == FORM_REGISTER ||
                    operand->kind == FORM_PREDICATE;
        if (told && written != operand->written)
            fail_msg("%s %s: operand %u of '%s' is '%c' for isa.def", isa_op_names[form->op],
                     form->modifiers, i, form->operands, *role);
        if (*role && role[1])
            role++;
    }
}

static void test_rows(void **state)
{
    struct table *table = *state;
    for (uint16_t op = 0; op < OP_COUNT; op++) {
        uint32_t count;
        const struct form *all = forms_of(table->forms, op, &count);
        for (uint32_t i = 0; i < count; i++) {
            check_slots(&all[i]);
            check_operands(&all[i]);
            check_roles(&all[i]);
        }
    }
}

// Matches a text such as "mul.lo.u32", split into opcode and modifiers.
static const struct form_match *match(struct table *table, const char *text)
{
    uint16_t mods[16], op = 0;
    uint32_t count = 0;
    struct intern names;
    intern_init(&names, &table->arena);
    isa_intern(&names);
    size_t length = strcspn(text, ".");
    op = (uint16_t)intern_find(&names, text, length);
    for (text += length; *text; text += length) {
        length = 1 + strcspn(text + 1, ".");
        uint32_t word = intern_find(&names, text, length) - OP_COUNT;
        mods[count++] = word < WORD_COUNT ? (uint16_t)word : W_UNKNOWN;
    }
    return forms_match(table->forms, op, mods, count);
}

static void test_order(void **state)
{
    struct table *table = *state;
    assert_non_null(match(table, "mul.lo.u32")->form);
    assert_null(match(table, "mul.u32.lo")->form);
    assert_non_null(match(table, "mad.hi.s32.sat")->form);
    assert_non_null(match(table, "mad.hi.sat.s32")->form);
    assert_null(match(table, "mad.sat.hi.s32")->form);
    assert_non_null(match(table, "add.s32.sat")->form);
    assert_null(match(table, "add.sat.u32")->form);
    assert_null(match(table, "add.u32.u32")->form);
    assert_ptr_equal(match(table, "add.u32"), match(table, "add.u32"));
}

static void test_types(void **state)
{
    struct table *table = *state;
    const struct form_match *dp4a = match(table, "dp4a.u32.s32");
    assert_int_equal(dp4a->type[0], W_u32);
    assert_int_equal(dp4a->type[1], W_s32);
    assert_int_equal(form_operand_type(dp4a, &dp4a->form->operand[2]), W_s32);
    assert_true(match(table, "mul.wide.u16")->form->operand[0].twice);
}

static void test_faults(void **state)
{
    struct table *table = *state;
    assert_int_equal(match(table, "add.foo.u32")->bad_modifier, 0);
    assert_int_equal(match(table, "mul.u32.lo")->bad_modifier, 1);
    assert_int_equal(match(table, "mul.lo")->bad_modifier, UINT32_MAX);
    assert_string_equal(form_text(&table->arena, match(table, "dp2a.lo.u32")->closest),
                        "dp2a(.lo|.hi)(.u32|.s32)(.u32|.s32)");
}

static void test_needs(void **state)
{
    struct table *table = *state;
    const struct form_match *relu = match(table, "min.relu.s32");
    assert_int_equal(relu->version, 80);
    assert_string_equal(relu->targets[0], "90");
    assert_null(relu->targets[1]);
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *needed, *target;
        bool allowed;
    } cases[] = {
        {"", "sm_10", true},       {"70", "sm_70", true},         {"70", "sm_90a", true},
        {"70", "sm_62", false},    {"90a", "sm_90a", true},       {"90a", "sm_90", false},
        {"90a", "sm_100a", false}, {"100f", "sm_100f", true},     {"100f", "sm_103a", true},
        {"100f", "sm_100", false}, {"100f", "sm_120f", false},    {"103f", "sm_100f", false},
        {"120f", "sm_121f", true}, {"90a 100f", "sm_100a", true}, {"100a,103a", "sm_103a", true},
        {"<70", "sm_62", true},    {"<70", "sm_70", false},       {"100f", "sm_110a", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (form_target_allows(cases[i].needed, cases[i].target,
                               (uint32_t)strlen(cases[i].target)) != cases[i].allowed)
            fail_msg("'%s' for %s", cases[i].needed, cases[i].target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_order), cmocka_unit_test(test_types),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_needs), cmocka_unit_test(test_targets),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
