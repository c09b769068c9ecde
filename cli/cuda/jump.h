// Jumps over the code of loaded functions. A page is never writable and executable at once.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jump {
    const char *name;      // of the function
    uint64_t at, to, room; // addresses of the function and its replacement; bytes for the jump
};

#if defined __x86_64__
enum { JUMP_BYTES = 14 };
#elif defined __aarch64__
enum { JUMP_BYTES = 16 };
#else
#error "the jump of this processor is not known"
#endif

// Writes jumps into pages with this protection. Returns false, with errno, if the system refuses.
// Requires room for each, and that no thread executes these pages.
bool jump_write(const struct jump *jumps, size_t count, int protection);
// Makes a function for each jump that calls `to` with the jump's name, and jumps to it instead. The
// functions stay until the process ends. Returns false, with errno, if the system refuses.
bool jump_name(struct jump *jumps, size_t count);
