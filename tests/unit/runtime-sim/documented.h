// Tables in documents, for tests.
#pragma once
#include "support/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fails unless a document (path from the root) contains the text that `print` writes.
static inline void check_document(const char *name, void (*print)(FILE *to))
{
    struct memory memory = {0};
    struct arena arena;
    struct file_text document;
    char *table;
    size_t length;
    FILE *to = open_memstream(&table, &length);
    assert_non_null(to);
    print(to);
    fclose(to);
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    assert_null(file_read(&arena, arena_printf(&arena, SOURCE_ROOT "/%s", name), &document));
    if (!strstr(document.text, table))
        fail_msg("%s does not have:\n%s", name, table);
    memory_free(&memory);
    free(table);
}
