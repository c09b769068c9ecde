#include "cli/cuda/jump.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Code with a 64-bit address at its end.
#if defined __x86_64__
static const uint8_t jump_code[] = {0xff, 0x25, 0, 0, 0, 0}; // jmp *0(%rip)
static const uint8_t name_code[] = {0x48, 0xbf};             // movabs $name, %rdi
#else
static const uint32_t jump_code[] = {
    0x58000050, // ldr x16, .+8
    0xd61f0200, // br x16
};
static const uint32_t name_code[] = {
    0x58000040, // ldr x0, .+8
    0x14000003, // b .+12
};
#endif

static uint8_t *put(uint8_t *to, const void *code, size_t bytes, uint64_t address)
{
    memcpy(to, code, bytes);
    memcpy(to + bytes, &address, sizeof address);
    return to + bytes + sizeof address;
}

static void put_jump(uint8_t *to, uint64_t target)
{
    _Static_assert(sizeof jump_code + sizeof target == JUMP_BYTES, "the size of a jump");
    put(to, jump_code, sizeof jump_code, target);
}

bool jump_write(const struct jump *jumps, size_t count, int protection)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = UINT64_MAX, end = 0;
    for (size_t i = 0; i < count; i++) {
        first = jumps[i].at < first ? jumps[i].at : first;
        end = jumps[i].at + JUMP_BYTES > end ? jumps[i].at + JUMP_BYTES : end;
    }
    if (!count)
        return true;
    first &= ~(page - 1);
    char *pages = (char *)(uintptr_t)first;
    if (mprotect(pages, end - first, PROT_READ | PROT_WRITE))
        return false;
    for (size_t i = 0; i < count; i++)
        put_jump((uint8_t *)(uintptr_t)jumps[i].at, jumps[i].to);
    __builtin___clear_cache(pages, (char *)(uintptr_t)end);
    return !mprotect(pages, end - first, protection);
}

bool jump_name(struct jump *jumps, size_t count)
{
    enum { FUNCTION_BYTES = 32 };
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += FUNCTION_BYTES + strlen(jumps[i].name) + 1;
    uint8_t *code =
        count ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
              : NULL;
    if (code == MAP_FAILED)
        return false;
    char *name = (char *)code + count * FUNCTION_BYTES;
    for (size_t i = 0; i < count; i++) {
        uint8_t *at = code + i * FUNCTION_BYTES;
        name = stpcpy(name, jumps[i].name) + 1;
        put_jump(put(at, name_code, sizeof name_code, (uintptr_t)name - strlen(jumps[i].name) - 1),
                 jumps[i].to);
        jumps[i].to = (uintptr_t)at;
    }
    if (count)
        __builtin___clear_cache((char *)code, (char *)code + bytes);
    return !count || !mprotect(code, bytes, PROT_READ | PROT_EXEC);
}
