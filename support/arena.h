// Memory by lifetime. Everything a floor builds lives in an arena and is freed with it.
//
// Failure: an arena never returns NULL. When memory runs out, control goes to the `memory`'s jump
// buffer, which the public entry point has set; all arenas of that memory are then freed by it.
// Libraries therefore neither exit nor check every allocation.
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct memory {
    jmp_buf on_failure;         // set by the entry point before the first allocation
    struct arena_block *blocks; // all that is taken, of whichever arena
    size_t bytes;               // taken from the system now
    size_t peak;                // most ever taken
    size_t limit;               // what would take more fails; 0: no limit
    bool limited;               // it was the limit that made the last request fail
    long fail_in; // testing: >0 fails the n-th request to the system from now; 0 never
};

struct arena {
    struct memory *memory;
    struct arena_block *blocks;
    struct arena_block *chunk; // the block that small allocations come from
    char *at, *end;            // its free part
};

void arena_init(struct arena *arena, struct memory *memory);
// Frees what all arenas of this memory have taken; none of them may be used afterwards. For the
// entry point after a failure: arenas on the stack are gone by then, what they took is not.
void memory_free(struct memory *memory);
// Frees all that was taken from the arena; it can be used again afterwards.
void arena_free(struct arena *arena);
// The same, but keeps a piece for what is taken next: for what is made again and again.
void arena_reset(struct arena *arena);

// `size` bytes, zeroed, aligned to 8 (16 from 16 bytes up).
void *arena_alloc(struct arena *arena, size_t size);
// Grows an allocation from `old_size` to `new_size` (the new part is not zeroed); large ones are
// moved by the system, not copied. Returns where it now lies.
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);
// Gives another arena what was taken from this one, cut to `new_size` bytes (at most `old_size`).
// Returns where it now lies; NULL if nothing is left of it.
void *arena_keep(struct arena *to, struct arena *from, void *old, size_t old_size, size_t new_size);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))
