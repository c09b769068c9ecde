// The two tables of instructions agree: isa.def and the forms name the same written operands.
#include "frontend/forms.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct tables {
    struct memory memory;
    struct arena arena;
    struct forms *forms;
};

static int set_up(void **state)
{
    static struct tables tables;
    if (setjmp(tables.memory.on_failure))
        return 1;
    arena_init(&tables.arena, &tables.memory);
    tables.forms = forms_new(&tables.arena);
    *state = &tables;
    return 0;
}

static int tear_down(void **state)
{
    struct tables *tables = *state;
    arena_free(&tables->arena);
    return 0;
}

// Fills each required slot with its first word.
static uint32_t shortest(const struct form *form, uint16_t *mods)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < form->slot_count; s++)
        if (!form->slots[s].optional)
            mods[count++] = form->slots[s].words[0].word;
    return count;
}

static void roles_agree(const struct form *form)
{
    uint16_t mods[FORM_MODIFIERS];
    const char *role = isa_form(form->op, mods, shortest(form, mods)).roles;
    if (*role == 'f')
        return; // a call's operands are told apart by where the function stands
    for (uint32_t i = 0; i < form->operand_count; i++) {
        const struct form_operand *operand = &form->operand[i];
        if (operand->inside)
            continue;
        bool fixed = operand->kind == FORM_SOURCE || operand->kind == FORM_REGISTER ||
                     operand->kind == FORM_PREDICATE;
        char wanted = !operand->written ? 'u' : operand->read ? 'm' : 'd';
        if (fixed && *role != wanted)
            fail_msg("%s %s, operand %u: '%c' in one table, '%c' in the other",
                     isa_op_names[form->op], form->modifiers, i, *role ? *role : '-', wanted);
        if (*role && role[1])
            role++;
    }
}

static void test_roles(void **state)
{
    struct tables *tables = *state;
    for (uint16_t op = 0; op < OP_COUNT; op++) {
        uint32_t count;
        const struct form *forms = forms_of(tables->forms, op, &count);
        for (uint32_t i = 0; i < count; i++)
            roles_agree(&forms[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roles)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
