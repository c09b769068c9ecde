// To be preloaded: makes the FAIL_IN-th memory request of a program fail, or with FAIL_ALL all from
// there on, including those of its libraries. Writes the number of requests to the descriptor
// FAIL_COUNT_TO.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
__attribute__((visibility("default"))) void *malloc(size_t size);
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size);
__attribute__((visibility("default"))) void *realloc(void *old, size_t size);

static long requests, fail_in, fail_all;

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    requests = 0;
    fail_in = setting("FAIL_IN");
    fail_all = setting("FAIL_ALL");
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int to = (int)setting("FAIL_COUNT_TO");
    if (to && write(to, text, (size_t)snprintf(text, sizeof text, "%ld\n", requests)) < 0)
        _exit(99);
}

static int fails(void)
{
    requests++;
    if (!fail_in || (fail_all ? requests < fail_in : requests != fail_in))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}
