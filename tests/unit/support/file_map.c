// support/file_map: small files are read, large ones mapped.
#include "support/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    char path[64];
    int fd;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena, &f->memory);
    strcpy(f->path, "/tmp/ptxoffload-map-XXXXXX");
    f->fd = mkstemp(f->path);
    *state = f;
    return f->fd < 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    memory_free(&f->memory);
    close(f->fd);
    unlink(f->path);
    free(f);
    return 0;
}

static void test_small(void **state)
{
    struct fixture *f = *state;
    struct file_map map;
    assert_int_equal(write(f->fd, "a\0b", 3), 3);
    assert_null(file_map(&f->arena, f->path, &map));
    assert_int_equal(map.size, 3);
    assert_memory_equal(map.bytes, "a\0b", 3);
    assert_null(map.mapping);
    file_unmap(&map);
    file_unmap(&map);
    assert_int_equal(map.size, 0);
}

// A sparse file, which takes no space; larger than any text may be.
static void test_large(void **state)
{
    struct fixture *f = *state;
    struct file_map map;
    off_t size = (off_t)3 << 30;
    if (pwrite(f->fd, "end", 3, size - 3) != 3)
        skip();
    assert_null(file_map(&f->arena, f->path, &map));
    assert_int_equal(map.size, size);
    assert_non_null(map.mapping);
    assert_int_equal(map.bytes[0], 0);
    assert_memory_equal(map.bytes + size - 3, "end", 3);
    assert_true(f->memory.bytes < 65536); // only that it was read
    file_unmap(&map);
    assert_null(map.bytes);
}

static void test_pipe(void **state)
{
    struct fixture *f = *state;
    struct file_map map;
    char path[64];
    FILE *from = popen("printf abc", "r");
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(from));
    assert_null(file_map(&f->arena, path, &map));
    pclose(from);
    assert_int_equal(map.size, 3);
    assert_memory_equal(map.bytes, "abc", 3);
}

static void test_errors(void **state)
{
    struct fixture *f = *state;
    struct file_map map;
    assert_string_equal(file_map(&f->arena, f->path, &map), "it is empty");
    assert_string_equal(file_map(&f->arena, "/tmp", &map), "it is a directory");
    assert_string_equal(file_map(&f->arena, "/nowhere/x", &map), "No such file or directory");
    assert_null(map.bytes);
    file_unmap(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
