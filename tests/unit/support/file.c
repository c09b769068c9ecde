// support/file: whole files, pipes, devices, and unreadable files.
#include "support/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    char folder[64];
    char path[128];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena, &f->memory);
    strcpy(f->folder, "/tmp/ptxoffload-file-XXXXXX");
    if (!mkdtemp(f->folder))
        return 1;
    snprintf(f->path, sizeof f->path, "%s/in", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    memory_free(f->arena.memory);
    unlink(f->path);
    rmdir(f->folder);
    free(f);
    return 0;
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_int_equal(fwrite(text, 1, length, to), length);
    assert_int_equal(fclose(to), 0);
}

static void test_regular(void **state)
{
    struct fixture *f = *state;
    struct file_text file;
    write_file(f->path, "a\0b\n", 4);
    assert_null(file_read(&f->arena, f->path, &file));
    assert_int_equal(file.length, 4);
    assert_memory_equal(file.text, "a\0b\n\0\0", 6);
}

// Sizes around those at which the reader's buffer grows.
static void test_sizes(void **state)
{
    static const size_t sizes[] = {1, 16383, 65535, 65536, 65537, 131072, 131073, 1000000};
    struct fixture *f = *state;
    char *text = malloc(1000000), command[256];
    for (size_t i = 0; i < 1000000; i++)
        text[i] = (char)('a' + i % 23);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct file_text file;
        write_file(f->path, text, sizes[i]);
        assert_null(file_read(&f->arena, f->path, &file));
        assert_int_equal(file.length, sizes[i]);
        assert_memory_equal(file.text, text, sizes[i]);
        assert_memory_equal(file.text + sizes[i], "\0", 2);
        // The same through a pipe, where no size is known.
        snprintf(command, sizeof command, "cat %s", f->path);
        FILE *pipe_end = popen(command, "r");
        snprintf(command, sizeof command, "/dev/fd/%d", fileno(pipe_end));
        assert_null(file_read(&f->arena, command, &file));
        pclose(pipe_end);
        assert_int_equal(file.length, sizes[i]);
        assert_memory_equal(file.text, text, sizes[i]);
        assert_memory_equal(file.text + sizes[i], "\0", 2);
    }
    free(text);
}

// A file of /proc, which reports the size 0.
static void test_proc(void **state)
{
    struct fixture *f = *state;
    struct file_text file;
    assert_null(file_read(&f->arena, "/proc/self/status", &file));
    assert_memory_equal(file.text, "Name:", 5);
}

static void test_errors(void **state)
{
    struct fixture *f = *state;
    struct file_text file;
    assert_string_equal(file_read(&f->arena, f->path, &file), "No such file or directory");
    assert_string_equal(file_read(&f->arena, f->folder, &file), "it is a directory");
    assert_string_equal(file_read(&f->arena, "/dev/null", &file), "it is empty");
    write_file(f->path, "", 0);
    assert_string_equal(file_read(&f->arena, f->path, &file), "it is empty");
    assert_int_equal(file.length, 0);
    if (geteuid()) {
        assert_int_equal(chmod(f->path, 0), 0);
        assert_string_equal(file_read(&f->arena, f->path, &file), "Permission denied");
    }
}

static void test_too_large(void **state)
{
    struct fixture *f = *state;
    struct file_text file;
    write_file(f->path, "x", 1);
    // A hole takes no space.
    if (truncate(f->path, (off_t)FILE_LIMIT + 1))
        skip();
    assert_string_equal(file_read(&f->arena, f->path, &file),
                        "it is too large: files of 2 GiB and more are not read");
    assert_true(f->memory.peak < 1 << 20);
}

static void test_standard_name(void **state)
{
    (void)state;
    assert_true(file_is_standard("-"));
    assert_false(file_is_standard("-x"));
    assert_false(file_is_standard("./-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_regular, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_proc, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_large, set_up, tear_down),
        cmocka_unit_test(test_standard_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
