// support/output: all outputs of a run or none, modes, links, devices, and running out of memory.
#include "support/output.h"
#include "support/file.h"
#include "support/protect.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    struct outputs outputs;
    char folder[64];
    char *a, *b, *link;
    const char *error;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    arena_init(&f->arena, &f->memory);
    outputs_init(&f->outputs, &f->arena);
    strcpy(f->folder, "/tmp/ptxoffload-output-XXXXXX");
    if (!mkdtemp(f->folder))
        return 1;
    f->a = arena_printf(&f->arena, "%s/a", f->folder);
    f->b = arena_printf(&f->arena, "%s/b", f->folder);
    f->link = arena_printf(&f->arena, "%s/link", f->folder);
    umask(022);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    outputs_abandon(&f->outputs);
    unlink(f->a);
    unlink(f->b);
    unlink(f->link);
    // Fails if anything else is left.
    int left = rmdir(f->folder);
    memory_free(&f->memory);
    free(f);
    return left;
}

static void write_file(const char *path, const char *text)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    assert_int_equal(fclose(to), 0);
}

static void assert_file(const char *path, const char *text)
{
    char got[256] = {0};
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    assert_int_equal(fread(got, 1, sizeof got - 1, from), strlen(text));
    fclose(from);
    assert_string_equal(got, text);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static unsigned files_in(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(dir);
    return count;
}

static FILE *open_output(struct fixture *f, const char *path)
{
    FILE *to = output_open(&f->outputs, path, &f->error);
    if (!to)
        fail_msg("%s", f->error);
    return to;
}

static void test_together(void **state)
{
    struct fixture *f = *state;
    write_file(f->a, "old");
    fputs("new a", open_output(f, f->a));
    fputs("new b", open_output(f, f->b));
    assert_file(f->a, "old");
    assert_int_equal(access(f->b, F_OK), -1);
    assert_null(outputs_commit(&f->outputs));
    assert_file(f->a, "new a");
    assert_file(f->b, "new b");
    assert_int_equal(files_in(f->folder), 2);
}

static void test_abandoned(void **state)
{
    struct fixture *f = *state;
    write_file(f->a, "old");
    fputs("new a", open_output(f, f->a));
    fputs("new b", open_output(f, f->b));
    outputs_abandon(&f->outputs);
    assert_file(f->a, "old");
    assert_int_equal(files_in(f->folder), 1);
}

static void test_modes(void **state)
{
    struct fixture *f = *state;
    write_file(f->a, "old");
    assert_int_equal(chmod(f->a, 0640), 0);
    open_output(f, f->a);
    umask(027);
    open_output(f, f->b);
    assert_null(outputs_commit(&f->outputs));
    assert_int_equal(mode_of(f->a), 0640);
    assert_int_equal(mode_of(f->b), 0640);
    umask(022);
    unlink(f->b);
    open_output(f, f->b);
    assert_null(outputs_commit(&f->outputs));
    assert_int_equal(mode_of(f->b), 0644);
}

static void test_links(void **state)
{
    struct fixture *f = *state;
    struct stat status;
    // A link by a relative name to a file that is not there yet, then to one that is.
    assert_int_equal(symlink("a", f->link), 0);
    for (int i = 0; i < 2; i++) {
        fputs(i ? "again" : "first", open_output(f, f->link));
        assert_null(outputs_commit(&f->outputs));
        assert_int_equal(lstat(f->link, &status), 0);
        assert_true(S_ISLNK(status.st_mode));
        assert_file(f->a, i ? "again" : "first");
    }
    unlink(f->link);
    assert_int_equal(symlink("link", f->link), 0);
    assert_null(output_open(&f->outputs, f->link, &f->error));
    assert_non_null(strstr(f->error, "Too many levels of symbolic links"));
}

static void test_full(void **state)
{
    struct fixture *f = *state;
    write_file(f->a, "old");
    fputs("new", open_output(f, f->a));
    FILE *to = open_output(f, "/dev/full");
    for (int i = 0; i < 100000; i++)
        fputs("more than a buffer holds", to);
    assert_string_equal(outputs_commit(&f->outputs),
                        "cannot write '/dev/full': No space left on device");
    assert_file(f->a, "old");
    assert_int_equal(files_in(f->folder), 1);
}

// A write that fits the buffer fails only at the end.
static void test_full_at_the_end(void **state)
{
    struct fixture *f = *state;
    fputs("new", open_output(f, "/dev/full"));
    assert_string_equal(outputs_commit(&f->outputs),
                        "cannot write '/dev/full': No space left on device");
}

static void test_devices(void **state)
{
    struct fixture *f = *state;
    fputs("gone", open_output(f, "/dev/null"));
    assert_null(outputs_commit(&f->outputs));
    assert_true(output_is_special("/dev/null"));
    assert_true(output_is_special(f->folder));
    assert_false(output_is_special(f->a));
}

static void test_pipe(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char name[32], got[8] = {0};
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    fputs("through", open_output(f, name));
    assert_null(outputs_commit(&f->outputs));
    assert_int_equal(read(ends[0], got, sizeof got), 7);
    assert_string_equal(got, "through");
    close(ends[0]);
    close(ends[1]);
}

static void assert_not_opened(struct fixture *f, const char *path, const char *why)
{
    assert_null(output_open(&f->outputs, path, &f->error));
    assert_string_equal(f->error, arena_printf(&f->arena, "cannot write '%s': %s", path, why));
    assert_null(outputs_commit(&f->outputs));
}

static void test_unwritable(void **state)
{
    struct fixture *f = *state;
    assert_not_opened(f, f->folder, "Is a directory");
    assert_not_opened(f, arena_printf(&f->arena, "%s/", f->a), "Is a directory");
    assert_not_opened(f, arena_printf(&f->arena, "%s/b", f->a), "No such file or directory");
    write_file(f->a, "old");
    assert_not_opened(f, arena_printf(&f->arena, "%s/b", f->a), "Not a directory");
    assert_not_opened(f, "/proc/not-there", "No such file or directory");
    if (geteuid()) {
        chmod(f->a, 0444);
        assert_not_opened(f, f->a, "Permission denied");
    }
    assert_file(f->a, "old");
}

static void test_same(void **state)
{
    struct fixture *f = *state;
    const char *other = arena_printf(&f->arena, "%s/./a", f->folder);
    // Not there yet: by folder and name.
    assert_true(output_same(&f->arena, f->a, other));
    assert_false(output_same(&f->arena, f->a, f->b));
    assert_false(output_same(&f->arena, "/nowhere/x", "/elsewhere/x"));
    assert_int_equal(symlink("a", f->link), 0);
    assert_true(output_same(&f->arena, f->a, f->link));
    write_file(f->a, "old");
    assert_true(output_same(&f->arena, f->a, f->link));
    assert_true(output_same(&f->arena, f->a, other));
    assert_false(output_same(&f->arena, f->a, f->b));
    assert_true(output_same(&f->arena, "-", "-"));
    assert_false(output_same(&f->arena, "-", f->a));
    assert_false(output_same(&f->arena, "/dev/null", "/dev/null"));
}

// Memory runs out at every request in turn; nothing leaks.
static void test_memory(void **state)
{
    struct fixture *f = *state;
    volatile int failures = 0;
    for (volatile long fail_in = 1;; fail_in++) {
        if (setjmp(f->memory.on_failure)) {
            failures++;
            outputs_abandon(&f->outputs);
            assert_int_equal(files_in(f->folder), 0);
            continue;
        }
        arena_free(&f->arena);
        f->a = arena_printf(&f->arena, "%s/a", f->folder);
        f->b = arena_printf(&f->arena, "%s/b", f->folder);
        f->link = arena_printf(&f->arena, "%s/link", f->folder);
        outputs_init(&f->outputs, &f->arena);
        f->memory.fail_in = fail_in;
        fputs("a", open_output(f, f->a));
        fputs("b", open_output(f, f->b));
        assert_null(outputs_commit(&f->outputs));
        break;
    }
    f->memory.fail_in = 0;
    assert_true(failures >= 2);
    assert_file(f->b, "b");
}

// A file that is read, by another name, after it was opened as an output.
static void test_protected(void **state)
{
    struct fixture *f = *state;
    struct file_text file;
    write_file(f->a, "in");
    assert_int_equal(link(f->a, f->link), 0);
    fputs("out", open_output(f, f->link));
    assert_null(file_read(&f->arena, f->a, &file));
    f->error = outputs_commit(&f->outputs);
    assert_non_null(strstr(f->error, "this command reads or runs that file"));
    assert_null(output_open(&f->outputs, f->a, &f->error));
    assert_file(f->a, "in");
    protect_release(&f->memory, f->link);
    fputs("out", open_output(f, f->a));
    assert_null(outputs_commit(&f->outputs));
    assert_file(f->a, "out");
    assert_true(output_is_protected(&f->memory, "/proc/self/exe"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_together), TEST(test_abandoned), TEST(test_modes),
        TEST(test_links),    TEST(test_full),      TEST(test_full_at_the_end),
        TEST(test_devices),  TEST(test_pipe),      TEST(test_unwritable),
        TEST(test_same),     TEST(test_memory),    TEST(test_protected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
