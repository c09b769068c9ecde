// Memory by lifetime: everything that a component builds is allocated in an arena and freed with
// it.
//
// An arena never returns NULL. If memory runs out, it jumps to the jump buffer of its `memory`,
// which the public entry point has set and which then frees all arenas of that memory. Libraries
// therefore neither exit nor check allocations. glibc's obstacks have neither a limit over several
// of them nor a way to hand memory from one thread to another.
#pragma once
#include "support/integer.h"
#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct protected_files;
struct memory {
    jmp_buf on_failure;                      // set by the entry point before the first allocation
    struct arena_block *blocks;              // all allocated blocks, of all arenas
    struct arena_block *spare;               // freed chunks for other arenas, if `sparse`
    struct protected_files *protected_files; // see support/protect.h; NULL: no files
    size_t bytes;                            // allocated from the system, without spare chunks
    size_t peak;                             // maximum of `bytes`
    size_t limit;                            // allowed maximum of `bytes`; 0: no limit
    bool limited;                            // the last failed request exceeded the limit
    bool sparse;  // set by the entry point: much of the allocated memory is never used
    long fail_in; // for tests: >0 fails the n-th request to the system from now; 0: never
};

struct arena {
    struct memory *memory;
    struct arena_block *blocks;
    struct arena_block *chunk; // block for small allocations
    char *at, *end;            // free part of `chunk`
};

// Initialises an empty arena.
void arena_init(struct arena *arena, struct memory *memory);
// Frees all arenas of this memory, which must not be used afterwards. For the entry point after a
// failure, when arenas on the stack no longer exist but their blocks do.
void memory_free(struct memory *memory);
// Frees all memory of the arena, which can be used again afterwards.
void arena_free(struct arena *arena);
// Like arena_free, but keeps one block for the next allocations, for repeated work.
void arena_reset(struct arena *arena);

// Returns `size` bytes, zeroed, aligned to 8 (to 16 from 16 bytes up).
void *arena_alloc(struct arena *arena, size_t size);
// Returns `size` bytes, zeroed, aligned to a cache line of the host.
void *arena_lines(struct arena *arena, size_t size);
// Grows an allocation from `old_size` to `new_size`; the new part is not zeroed. Large allocations
// are moved without a copy. Returns the new address.
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);
// Moves an allocation to another arena, truncated to `new_size` bytes (at most `old_size`). Returns
// its new address, or NULL if `new_size` is 0.
void *arena_keep(struct arena *to, struct arena *from, void *old, size_t old_size, size_t new_size);
// Moves all memory of an arena to another, which may have another `memory`. `from` is empty
// afterwards.
void arena_join(struct arena *to, struct arena *from);
// Return a NUL-terminated copy of `length` bytes, and formatted text of any length.
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))
