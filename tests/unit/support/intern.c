// Names and their ids, for more names than fit any cache or first table.
#include "support/intern.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NAMES = 40000, LONGEST = 24, FORMS = 8 };

static const char *name_of(struct arena *arena, uint32_t id)
{
    char text[LONGEST];
    switch (id % FORMS) {
    case 0: snprintf(text, sizeof text, "%%r%u", id / FORMS); break;
    case 1: snprintf(text, sizeof text, "%%f%u", id / FORMS); break;
    case 2: snprintf(text, sizeof text, "r0%u", id / FORMS); break;
    case 3: snprintf(text, sizeof text, "%uq", id / FORMS); break;
    case 4: snprintf(text, sizeof text, "$L__BB%u_3", id / FORMS); break;
    case 5: snprintf(text, sizeof text, "$L__BB3_%ua", id / FORMS); break;
    case 6: snprintf(text, sizeof text, "parameter_of_%u", id / FORMS); break;
    default: snprintf(text, sizeof text, "%u", id / FORMS); break;
    }
    return arena_strndup(arena, text, strlen(text));
}

static void test_ids(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    struct intern intern;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    intern_init(&intern, &arena);
    const char **names = ARENA_ARRAY(&arena, const char *, NAMES);
    for (uint32_t id = 0; id < NAMES; id++) {
        names[id] = name_of(&arena, id);
        assert_int_equal(intern_find(&intern, names[id], strlen(names[id])), UINT32_MAX);
        assert_int_equal(intern_add(&intern, names[id], strlen(names[id])), id);
        assert_int_equal(intern_add(&intern, names[id / 2], strlen(names[id / 2])), id / 2);
    }
    assert_int_equal(intern.names.n, NAMES);
    for (uint32_t id = 0; id < NAMES; id++) {
        const char *again = arena_strndup(&arena, names[id], strlen(names[id]));
        assert_int_equal(intern_add(&intern, again, strlen(again)), id);
        assert_int_equal(intern_find(&intern, again, strlen(again)), id);
        assert_ptr_equal(intern.names.v[id].text, names[id]);
    }
    arena_free(&arena);
    assert_int_equal(memory.bytes, 0);
}

// Texts of one length that differ in their last two bytes only, digits or others, and empty ones.
static void test_ends(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    struct intern intern;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    intern_init(&intern, &arena);
    assert_int_equal(intern_add(&intern, "", 0), 0);
    uint32_t expected = 1;
    for (size_t length = 2; length <= 20; length++)
        for (unsigned a = '&'; a < 'A'; a++)
            for (unsigned b = '&'; b < 'A'; b++) {
                char *text = arena_alloc(&arena, length);
                memset(text, 'x', length);
                text[length - 2] = (char)a;
                text[length - 1] = (char)b;
                assert_int_equal(intern_add(&intern, text, length), expected);
                assert_int_equal(intern_add(&intern, text, length), expected++);
            }
    assert_int_equal(intern_find(&intern, "", 0), 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
