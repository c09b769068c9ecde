#include "support/arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024, LARGE = 16 * 1024 };

// Header of each piece taken from the system. Large allocations have one of their own, so that
// realloc can move them; the payload follows at 48 bytes.
struct arena_block {
    struct arena_block *next, *previous;         // of the arena
    struct arena_block *all_next, *all_previous; // of the memory
    size_t size;                                 // payload
    size_t pad;
};

void arena_init(struct arena *arena, struct memory *memory)
{
    *arena = (struct arena){.memory = memory};
}

static void account(struct memory *memory, size_t taken, size_t given_back)
{
    memory->bytes += taken - given_back;
    if (memory->bytes > memory->peak)
        memory->peak = memory->bytes;
}

static bool injected_failure(struct memory *memory)
{
    return memory->fail_in > 0 && --memory->fail_in == 0;
}

static void link_block(struct arena *arena, struct arena_block *block)
{
    block->previous = block->all_previous = NULL;
    block->next = arena->blocks;
    block->all_next = arena->memory->blocks;
    if (block->next)
        block->next->previous = block;
    if (block->all_next)
        block->all_next->all_previous = block;
    arena->blocks = arena->memory->blocks = block;
}

// Tells a block's neighbours where it has moved to.
static void relink_block(struct arena *arena, struct arena_block *block)
{
    *(block->previous ? &block->previous->next : &arena->blocks) = block;
    *(block->all_previous ? &block->all_previous->all_next : &arena->memory->blocks) = block;
    if (block->next)
        block->next->previous = block;
    if (block->all_next)
        block->all_next->all_previous = block;
}

static void drop_block(struct memory *memory, struct arena_block *block)
{
    *(block->all_previous ? &block->all_previous->all_next : &memory->blocks) = block->all_next;
    if (block->all_next)
        block->all_next->all_previous = block->all_previous;
    account(memory, 0, sizeof *block + block->size);
    free(block);
}

static void *take_block(struct arena *arena, size_t size, bool zero)
{
    struct memory *memory = arena->memory;
    size_t whole = sizeof(struct arena_block) + size;
    struct arena_block *block = NULL;
    if (!injected_failure(memory))
        block = zero ? calloc(1, whole) : malloc(whole);
    if (!block)
        longjmp(memory->on_failure, 1);
    block->size = size;
    link_block(arena, block);
    account(memory, whole, 0);
    return block + 1;
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        drop_block(arena->memory, block);
    }
    arena_init(arena, arena->memory);
}

void memory_free(struct memory *memory)
{
    while (memory->blocks)
        drop_block(memory, memory->blocks);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size >= LARGE)
        return take_block(arena, size, true);
    size_t align = size >= 16 ? 15 : 7;
    uintptr_t at = ((uintptr_t)arena->at + align) & ~(uintptr_t)align;
    if (!arena->at || at + size > (uintptr_t)arena->end) {
        arena->at = take_block(arena, CHUNK, true);
        arena->end = arena->at + CHUNK;
        at = (uintptr_t)arena->at;
    }
    arena->at = (char *)at + size;
    return (void *)at;
}

static void *grow_large(struct arena *arena, void *old, size_t new_size)
{
    struct arena_block *block = (struct arena_block *)old - 1;
    size_t old_size = block->size;
    struct arena_block *moved = NULL;
    if (!injected_failure(arena->memory))
        moved = realloc(block, sizeof *block + new_size);
    if (!moved)
        longjmp(arena->memory->on_failure, 1);
    moved->size = new_size;
    relink_block(arena, moved);
    account(arena->memory, new_size, old_size);
    return moved + 1;
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    if (old_size >= LARGE)
        return grow_large(arena, old, new_size);
    void *grown =
        new_size >= LARGE ? take_block(arena, new_size, false) : arena_alloc(arena, new_size);
    if (old_size)
        memcpy(grown, old, old_size);
    return grown;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}
