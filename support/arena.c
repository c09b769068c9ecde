#include "support/arena.h"
#include "support/number.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Chunks grow with the arena, from MIN_CHUNK to MAX_CHUNK: many arenas live for one function and
// hold little, and each chunk is cleared entirely. Large allocations have their own block, so that
// the system can move them when they grow.
enum { MIN_CHUNK = 4 * 1024, MAX_CHUNK = 2 * 1024 * 1024 - 64 };
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
// AddressSanitizer only tracks allocations of malloc. Within chunks the arena therefore poisons a
// gap between allocations, and the former place of a grown allocation.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
static const size_t LARGE = 16 * 1024, MIN_MAPPED = SIZE_MAX, GAP = 16;
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
static const size_t LARGE = 128 * 1024, MIN_MAPPED = 1024 * 1024, GAP = 0;
#endif

// Header of each block from the system; the payload follows at byte 48.
struct arena_block {
    struct arena_block *next, *previous;         // list of the arena
    struct arena_block *all_next, *all_previous; // list of the memory
    size_t size;                                 // bytes of the payload
    size_t mapped;                               // bytes of the mapping; 0: from malloc
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

// Returns true if `more` bytes would exceed the limit, or if a test requires a failure.
static bool refuses(struct memory *memory, size_t more)
{
    memory->limited =
        memory->limit && (more > memory->limit || memory->bytes > memory->limit - more);
    return memory->limited || (memory->fail_in > 0 && --memory->fail_in == 0);
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

// Updates the list neighbours of a block that has moved.
static void relink_block(struct arena *arena, struct arena_block *block)
{
    *(block->previous ? &block->previous->next : &arena->blocks) = block;
    *(block->all_previous ? &block->all_previous->all_next : &arena->memory->blocks) = block;
    if (block->next)
        block->next->previous = block;
    if (block->all_next)
        block->all_next->all_previous = block;
}

static void unlink_block(struct arena *arena, struct arena_block *block)
{
    *(block->previous ? &block->previous->next : &arena->blocks) = block->next;
    if (block->next)
        block->next->previous = block->previous;
}

static void disown_block(struct memory *memory, struct arena_block *block)
{
    *(block->all_previous ? &block->all_previous->all_next : &memory->blocks) = block->all_next;
    if (block->all_next)
        block->all_next->all_previous = block->all_previous;
    account(memory, 0, sizeof *block + block->size);
}

static void return_block(struct arena_block *block)
{
    if (block->mapped)
        munmap(block, block->mapped);
    else
        free(block);
}

static void return_spares(struct memory *memory)
{
    for (struct arena_block *block = memory->spare, *next; block; block = next) {
        next = block->next;
        return_block(block);
    }
    memory->spare = NULL;
}

// Frees a block. A simulation repeatedly allocates and frees chunks, and new pages cost more than
// clearing old ones, so chunks are kept while the memory has any block.
static void drop_block(struct memory *memory, struct arena_block *block)
{
    disown_block(memory, block);
    if (memory->sparse && block->mapped && block->size == MAX_CHUNK) {
        block->next = memory->spare;
        memory->spare = block;
    } else {
        return_block(block);
    }
    if (!memory->blocks)
        return_spares(memory);
}

static struct arena_block *map_block(const struct memory *memory, size_t whole)
{
    size_t size = align_up(whole, 4096);
    // Chunks get filled, so populating their pages at once is cheaper than one fault per page,
    // unless most of them are never used. A simulation accesses its memory repeatedly and
    // irregularly: huge pages save more TLB misses and faults than clearing them costs.
    bool filled = size <= MAX_CHUNK + 64 && !memory->sparse;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (filled ? MAP_POPULATE : 0);
    struct arena_block *block = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    if (memory->sparse)
        madvise(block, size, MADV_HUGEPAGE);
    block->mapped = size;
    return block;
}

static struct arena_block *new_block(const struct memory *memory, size_t whole, bool zero)
{
    if (whole >= MIN_MAPPED)
        return map_block(memory, whole);
    struct arena_block *block = zero ? calloc(1, whole) : malloc(whole);
    if (block)
        block->mapped = 0;
    return block;
}

static struct arena_block *reuse_block(struct memory *memory)
{
    struct arena_block *block = memory->spare;
    memory->spare = block->next;
    memset(block + 1, 0, block->size);
    return block;
}

static void *allocate_block(struct arena *arena, size_t size, bool zero)
{
    struct memory *memory = arena->memory;
    size_t whole = sizeof(struct arena_block) + size;
    struct arena_block *block = NULL;
    if (!refuses(memory, whole))
        block = size == MAX_CHUNK && memory->spare ? reuse_block(memory)
                                                   : new_block(memory, whole, zero);
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

void arena_reset(struct arena *arena)
{
    struct arena_block *chunk = arena->chunk;
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        if (block == chunk)
            continue;
        unlink_block(arena, block);
        drop_block(arena->memory, block);
    }
    if (!chunk)
        return;
    size_t used = (size_t)(arena->at - (char *)(chunk + 1));
    ASAN_UNPOISON_MEMORY_REGION(chunk + 1, used);
    memset(chunk + 1, 0, used);
    ASAN_POISON_MEMORY_REGION(chunk + 1, used);
    arena->at = (char *)(chunk + 1);
}

void memory_free(struct memory *memory)
{
    while (memory->blocks)
        drop_block(memory, memory->blocks);
    return_spares(memory);
    memory->protected_files = NULL;
}

// Returns the size from which an allocation has its own block. In a simulation it is the size from
// which such a block has huge pages.
static size_t large_size(const struct memory *memory)
{
    return memory->sparse && MIN_MAPPED < SIZE_MAX ? MIN_MAPPED : LARGE;
}

// Starts a new chunk with room for at least this many bytes.
static void allocate_chunk(struct arena *arena, size_t min)
{
    size_t size = arena->chunk ? arena->chunk->size * 2 : MIN_CHUNK;
    while (size < min)
        size *= 2;
    // Only chunks of the maximum size have huge pages.
    bool is_huge = arena->memory->sparse && size > LARGE;
    size = size < MAX_CHUNK && !is_huge ? size : MAX_CHUNK;
    arena->at = allocate_block(arena, size, true);
    arena->end = arena->at + size;
    arena->chunk = (struct arena_block *)arena->at - 1;
    ASAN_POISON_MEMORY_REGION(arena->at, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size >= large_size(arena->memory))
        return allocate_block(arena, size, true);
    size_t align = size >= 16 ? 15 : 7;
    uintptr_t at = ((uintptr_t)arena->at + align) & ~(uintptr_t)align;
    if (!arena->at || at + size + GAP > (uintptr_t)arena->end) {
        allocate_chunk(arena, size + GAP);
        at = (uintptr_t)arena->at;
    }
    arena->at = (char *)at + size + GAP;
    ASAN_UNPOISON_MEMORY_REGION((void *)at, size);
    return (void *)at;
}

void *arena_lines(struct arena *arena, size_t size)
{
    enum { LINE = 64 };
    uintptr_t at = (uintptr_t)arena_alloc(arena, size + LINE - 1);
    return (void *)((at + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

static struct arena_block *grow_mapped(struct arena_block *block, size_t whole)
{
    size_t size = align_up(whole, 4096);
    struct arena_block *moved = mremap(block, block->mapped, size, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    moved->mapped = size;
    return moved;
}

static struct arena_block *grow_block(const struct memory *memory, struct arena_block *block,
                                      size_t whole)
{
    if (block->mapped)
        return grow_mapped(block, whole);
    if (whole < MIN_MAPPED)
        return realloc(block, whole);
    struct arena_block *moved = map_block(memory, whole);
    if (!moved)
        return NULL;
    size_t mapped = moved->mapped;
    memcpy(moved, block, sizeof *block + block->size);
    moved->mapped = mapped; // a shrunk block stays mapped
    free(block);
    return moved;
}

static void *grow_large(struct arena *arena, void *old, size_t new_size)
{
    struct arena_block *block = (struct arena_block *)old - 1;
    size_t old_size = block->size;
    struct arena_block *moved = NULL;
    if (!refuses(arena->memory, new_size > old_size ? new_size - old_size : 0))
        moved = grow_block(arena->memory, block, sizeof *block + new_size);
    if (!moved)
        longjmp(arena->memory->on_failure, 1);
    moved->size = new_size;
    relink_block(arena, moved);
    account(arena->memory, new_size, old_size);
    return moved + 1;
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    size_t large = large_size(arena->memory);
    if (old_size >= large)
        return grow_large(arena, old, new_size);
    void *grown =
        new_size >= large ? allocate_block(arena, new_size, false) : arena_alloc(arena, new_size);
    if (old_size)
        memcpy(grown, old, old_size);
    ASAN_POISON_MEMORY_REGION(old, old_size);
    return grown;
}

// A large allocation is moved by relinking its block, unless it has become small.
void *arena_keep(struct arena *to, struct arena *from, void *old, size_t old_size, size_t new_size)
{
    if (!new_size)
        return NULL;
    if (old_size < large_size(from->memory) || new_size < large_size(to->memory))
        return memcpy(arena_alloc(to, new_size), old, new_size);
    struct arena_block *block = (struct arena_block *)grow_large(from, old, new_size) - 1;
    unlink_block(from, block);
    block->previous = NULL;
    block->next = to->blocks;
    if (block->next)
        block->next->previous = block;
    to->blocks = block;
    return block + 1;
}

void arena_join(struct arena *to, struct arena *from)
{
    for (struct arena_block *block = from->blocks, *next; block; block = next) {
        next = block->next;
        disown_block(from->memory, block);
        link_block(to, block);
        account(to->memory, sizeof *block + block->size, 0);
    }
    arena_init(from, from->memory);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    char near[256]; // most texts fit, so they are formatted only once
    va_list again;
    va_copy(again, args);
    size_t length = format_text(near, sizeof near, format, args);
    char *text =
        length < sizeof near ? arena_strndup(arena, near, length) : arena_alloc(arena, length + 1);
    if (length >= sizeof near)
        format_text(text, length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
