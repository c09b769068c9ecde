// Bytes at the end of accessible memory, so that over-reads are caught, in libraries too.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded {
    char *mapping;
    size_t room; // in front of the page that nobody may touch
};

static inline struct guarded guarded_new(size_t max)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (max + page - 1) / page * page;
    char *mapping =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping + room, page, PROT_NONE))
        abort();
    return (struct guarded){mapping, room};
}

// Returns a copy that ends where the room ends. Invalidates the one before.
static inline char *guarded_copy(const struct guarded *guarded, const void *bytes, size_t size)
{
    char *at = guarded->mapping + guarded->room - size;
    if (size)
        memcpy(at, bytes, size);
    return at;
}

static inline void guarded_free(struct guarded *guarded)
{
    munmap(guarded->mapping, guarded->room + (size_t)sysconf(_SC_PAGESIZE));
    guarded->mapping = NULL;
}

// As guarded_copy, with pages that are kept until more bytes are needed: mapping takes longer than
// most tests.
static inline char *guarded_input(struct guarded *guarded, const void *bytes, size_t size)
{
    enum { MINIMUM = 1 << 16 };
    if (!guarded->mapping || size > guarded->room) {
        if (guarded->mapping)
            guarded_free(guarded);
        *guarded = guarded_new(size > MINIMUM ? size : MINIMUM);
    }
    return guarded_copy(guarded, bytes, size);
}
