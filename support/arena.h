// Memory by lifetime. Everything that a floor builds is in an arena and is freed with it.
//
// Failure: an arena never returns NULL. If memory is exhausted, control jumps to the `memory`'s
// jump buffer, which the public entry point has set; it then frees all arenas of that memory.
// Libraries therefore neither exit nor check allocations.
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
    jmp_buf on_failure;         // set by the entry point before the first allocation
    struct arena_block *blocks; // all allocated blocks, of all arenas
    struct arena_block *spare;  // chunks that were freed, for other arenas, if `sparse`
    struct protected_files *protected_files; // by support/protect.h; NULL: none
    size_t bytes;                            // allocated from the system now, without spare chunks
    size_t peak;                             // maximum of `bytes`
    size_t limit;                            // maximum of `bytes` that is allowed; 0: no limit
    bool limited;                            // the last failed request exceeded the limit
    bool sparse;  // set by the entry point: much of what is allocated is not used
    long fail_in; // testing: >0 fails the n-th request to the system from now; 0 never
};

struct arena {
    struct memory *memory;
    struct arena_block *blocks;
    struct arena_block *chunk; // the block that small allocations come from
    char *at, *end;            // its free part
};

void arena_init(struct arena *arena, struct memory *memory);
// Frees all arenas of this memory, which must not be used afterwards. For the entry point after a
// failure: arenas on the stack no longer exist then, but their blocks do.
void memory_free(struct memory *memory);
// Frees all memory of the arena, which can be used again afterwards.
void arena_free(struct arena *arena);
// The same, but keeps one block for the next allocations. For repeated work.
void arena_reset(struct arena *arena);

// Returns `size` bytes, zeroed, aligned to 8 (to 16 from 16 bytes up).
void *arena_alloc(struct arena *arena, size_t size);
// Grows an allocation from `old_size` to `new_size` (the new part is not zeroed). The system moves
// large ones without a copy. Returns the new address.
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);
// Moves an allocation to another arena, cut to `new_size` bytes (at most `old_size`). Returns its
// new address; NULL if `new_size` is 0.
void *arena_keep(struct arena *to, struct arena *from, void *old, size_t old_size, size_t new_size);
// Gives all memory of an arena to another one, which may have another `memory`. `from` is empty
// afterwards.
void arena_join(struct arena *to, struct arena *from);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))
