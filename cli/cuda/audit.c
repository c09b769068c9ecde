// Reports to libptxoffload-cuda.so the files that the dynamic linker maps, at the start or by
// dlopen, before their constructors, which register fatbins. ptxoffload-run names this library in
// LD_AUDIT. A preloaded library would learn of a file from dlopen only after its constructors.
//
// An audit library cannot share the program's libc. This one uses none: a second libc in the
// process confuses valgrind.
#include "cli/cuda/redirect.h"
#include <stdint.h>

// One per process, because the interface of the dynamic linker has no argument for it.
static struct {
    const struct link_map *library; // NULL: not mapped
    const struct link_map *first;   // first file that is not reported yet; NULL: no file
} process;

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static int is_library(const char *path)
{
    static const char name[] = "/libptxoffload-cuda.so";
    size_t length = length_of(path), n = sizeof name - 1;
    for (size_t i = 1; i <= n && length >= n; i++)
        if (path[length - i] != name[n - i])
            return 0;
    return length >= n;
}

EXPORT unsigned la_version(unsigned version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t names, uintptr_t *cookie)
{
    (void)names;
    *cookie = (uintptr_t)map;
    if (!process.first)
        process.first = map;
    if (!process.library && is_library(map->l_name))
        process.library = map;
    return 0; // no calls of la_symbind
}

EXPORT unsigned la_objclose(uintptr_t *cookie)
{
    if (process.first && *cookie == (uintptr_t)process.first)
        process.first = process.first->l_next;
    return 0;
}

// Reports the new files, the last of the list, when all are mapped; at the start they are relocated
// by then. The entry point of the library is `ptxo_redirect`.
EXPORT void la_activity(uintptr_t *cookie, unsigned state)
{
    const struct link_map *first = process.first, *library = process.library;
    (void)cookie;
    if (state != LA_ACT_CONSISTENT)
        return;
    process.first = NULL;
    if (!library || !first)
        return;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)library->l_addr;
    ((redirect_files *)(library->l_addr + header->e_entry))(first);
}
