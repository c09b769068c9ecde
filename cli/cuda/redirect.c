// Redirects the functions of a static CUDA runtime, nvcc's default, to ours: a jump at the entry of
// each public function, found by its symbol.
#include "cli/cuda/redirect.h"
#include "cli/cuda/jump.h"
#include "cli/run/linkage.h"
#include "support/vec.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

// The replacements

typedef int entry_point(void); // the real arguments vary

extern entry_point ptxo_unsupported;
#define CUDA_YES(versions, name, function) extern entry_point ptxo_##function;
#define CUDA_NO(versions, name) extern entry_point ptxo_no_##name;
#include "runtime-sim/cuda/functions.def"
#undef CUDA_YES
#undef CUDA_NO

enum row_version { ROW_B, ROW_E, ROW_T, ROW_N, ROW_VERSIONS };

struct row {
    const char *name;
    enum row_version version;
    entry_point *function;
};

static const struct row rows[] = {
#define CUDA_YES(versions, name, function) {#name, ROW_##versions, ptxo_##function},
#define CUDA_NO(versions, name) {#name, ROW_##versions, ptxo_no_##name},
#include "runtime-sim/cuda/functions.def"
#undef CUDA_YES
#undef CUDA_NO
};

enum { ROWS = ARRAY_LENGTH(rows) };

enum runtime_version { ELEVEN, TWELVE, THIRTEEN };

// Ranks of rows with the same name: a version uses the row of the highest rank, and none of rank 0.
static const int ranks[][ROW_VERSIONS] = {
    [ELEVEN] = {[ROW_B] = 1, [ROW_T] = 2, [ROW_E] = 3},
    [TWELVE] = {[ROW_B] = 1, [ROW_T] = 2},
    [THIRTEEN] = {[ROW_B] = 1, [ROW_N] = 2},
};

// A mapped file that contains a static runtime.
struct runtime_file {
    struct arena *arena;
    const struct link_map *map;
    Elf *elf;
    Elf_Data *symbols;
    size_t symbol_count, names; // section of the names
    VEC(struct jump) jumps;     // sorted by address
    VEC(struct jump) unknown;   // functions that we lack
};

struct symbol {
    const char *name;
    uint64_t at;
    size_t section;
};

// Symbols

static bool open_symbols(struct runtime_file *object)
{
    GElf_Shdr header;
    Elf_Scn *section = linkage_section(object->elf, SHT_SYMTAB, &header);
    object->symbols = section ? elf_getdata(section, NULL) : NULL;
    if (!object->symbols || !header.sh_entsize)
        return false;
    object->symbol_count = object->symbols->d_size / header.sh_entsize;
    object->names = header.sh_link;
    return true;
}

// Reads a symbol. Returns false if it is not a function of this file.
static bool read_function(const struct runtime_file *object, size_t number, struct symbol *symbol)
{
    GElf_Sym from;
    if (!gelf_getsym(object->symbols, (int)number, &from) ||
        GELF_ST_TYPE(from.st_info) != STT_FUNC || from.st_shndx == SHN_UNDEF ||
        from.st_shndx >= SHN_LORESERVE)
        return false;
    *symbol = (struct symbol){.name = elf_strptr(object->elf, object->names, from.st_name),
                              .at = object->map->l_addr + from.st_value,
                              .section = from.st_shndx};
    return symbol->name;
}

static bool is_public(const char *name)
{
    name += !strncmp(name, "__", 2) ? 2 : 0;
    return !strncmp(name, "cuda", 4) && name[4] >= 'A' && name[4] <= 'Z';
}

static uint64_t section_end(const struct runtime_file *object, size_t section)
{
    GElf_Shdr header;
    return gelf_getshdr(elf_getscn(object->elf, section), &header)
               ? object->map->l_addr + header.sh_addr + header.sh_size
               : 0;
}

static int compare_jumps(const void *a, const void *b)
{
    const struct jump *one = a, *other = b;
    return (one->at > other->at) - (one->at < other->at);
}

static void find_functions(struct runtime_file *object)
{
    struct symbol symbol;
    for (size_t i = 0; i < object->symbol_count; i++) {
        if (!read_function(object, i, &symbol) || !is_public(symbol.name))
            continue;
        uint64_t end = section_end(object, symbol.section);
        vec_push(object->arena, &object->jumps,
                 (struct jump){symbol.name, symbol.at, 0, end > symbol.at ? end - symbol.at : 0});
    }
    qsort(object->jumps.v, object->jumps.n, sizeof *object->jumps.v, compare_jumps);
}

// Targets

static bool has_function(const struct runtime_file *object, const char *name)
{
    for (uint32_t i = 0; i < object->jumps.n; i++)
        if (!strcmp(object->jumps.v[i].name, name))
            return true;
    return false;
}

// Versions 11 and 12 each have a function that no other version has.
static enum runtime_version version_of(const struct runtime_file *object)
{
    if (has_function(object, "cudaBindTexture"))
        return ELEVEN;
    return has_function(object, "cudaGetDeviceProperties_v2") ? TWELVE : THIRTEEN;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    return strcmp(one->name, other->name);
}

// Returns the rows that this version uses, sorted by name, with one row for each name.
static struct row *rows_of(struct arena *arena, enum runtime_version version, size_t *count)
{
    struct row *list = ARENA_ARRAY(arena, struct row, ROWS);
    const int *rank = ranks[version];
    size_t n = 0;
    *count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rank[rows[i].version])
            list[n++] = rows[i];
    qsort(list, n, sizeof *list, compare_rows);
    for (size_t i = 0; i < n; i++)
        if (*count && !strcmp(list[*count - 1].name, list[i].name)) {
            if (rank[list[i].version] > rank[list[*count - 1].version])
                list[*count - 1] = list[i];
        } else {
            list[(*count)++] = list[i];
        }
    return list;
}

// Sets the targets. A function without a row is the runtime's if it lies between others; the rest,
// the program's own functions with such a name, is dropped.
static void find_targets(struct runtime_file *object)
{
    size_t count;
    const struct row *list = rows_of(object->arena, version_of(object), &count);
    uint32_t known = 0, between = 0; // unknown functions before the last known one
    for (uint32_t i = 0; i < object->jumps.n; i++) {
        struct jump jump = object->jumps.v[i];
        const struct row key = {.name = jump.name},
                         *row = bsearch(&key, list, count, sizeof key, compare_rows);
        jump.to = (uintptr_t)(row ? row->function : ptxo_unsupported);
        if (row) {
            object->jumps.v[known++] = jump;
            between = object->unknown.n;
        } else if (known) {
            vec_push(object->arena, &object->unknown, jump);
        }
    }
    object->jumps.n = known;
    object->unknown.n = between;
}

// Adds the functions that we lack. Returns false, with errno, if the system refuses memory for
// code.
static bool add_unknown(struct runtime_file *object)
{
    if (!jump_name(object->unknown.v, object->unknown.n))
        return false;
    for (uint32_t i = 0; i < object->unknown.n; i++)
        vec_push(object->arena, &object->jumps, object->unknown.v[i]);
    qsort(object->jumps.v, object->jumps.n, sizeof *object->jumps.v, compare_jumps);
    return true;
}

// Room

// Limits the room of the last jump before a function.
static void limit_room(struct runtime_file *object, uint64_t at)
{
    uint32_t first = 0, end = object->jumps.n; // the jumps from `first` on are not before `at`
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (object->jumps.v[middle].at < at)
            first = middle + 1;
        else
            end = middle;
    }
    struct jump *before = first ? &object->jumps.v[first - 1] : NULL;
    if (before && before->room > at - before->at)
        before->room = at - before->at;
}

// Returns a function that has no room for its jump or shares its code with another one, or NULL.
static const char *find_obstacle(struct runtime_file *object)
{
    struct symbol symbol;
    for (size_t i = 0; i < object->symbol_count; i++)
        if (read_function(object, i, &symbol))
            limit_room(object, symbol.at);
    for (uint32_t i = 0; i < object->jumps.n; i++) {
        const struct jump *jump = &object->jumps.v[i], *next = jump + 1;
        bool shared = i + 1 < object->jumps.n && next->at == jump->at;
        if (shared ? next->to != jump->to : jump->room < JUMP_BYTES)
            return jump->name;
    }
    return NULL;
}

// Writes the jumps of each segment. Returns false, with errno, if the system refuses.
static bool write_jumps(const struct runtime_file *object)
{
    size_t segments = 0;
    bool good = !elf_getphdrnum(object->elf, &segments);
    for (uint32_t i = 0, at = 0; good && i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        uint64_t end = object->map->l_addr + segment.p_vaddr + segment.p_memsz;
        uint32_t first = at;
        while (at < object->jumps.n && object->jumps.v[at].at < end)
            at++;
        good = jump_write(vec_from(&object->jumps, first), at - first,
                          (segment.p_flags & PF_R ? PROT_READ : 0) |
                              (segment.p_flags & PF_W ? PROT_WRITE : 0) |
                              (segment.p_flags & PF_X ? PROT_EXEC : 0));
    }
    return good;
}

// Files

// Returns why the functions cannot be redirected, to follow the file's name, or NULL. Sets *ends if
// the code may have lost its protection, so that it cannot run.
static const char *redirect(struct arena *arena, const struct link_map *map, Elf *elf, bool *ends)
{
    static const char advice[] = "link it with nvcc -cudart shared";
    struct runtime_file object = {.arena = arena, .map = map, .elf = elf};
    if (!open_symbols(&object))
        return NULL;
    find_functions(&object);
    find_targets(&object);
    bool good = add_unknown(&object);
    const char *obstacle = good ? find_obstacle(&object) : NULL;
    if (obstacle)
        return arena_printf(arena,
                            "has a static CUDA runtime whose %s is too short to be replaced, or "
                            "shares its code: %s",
                            obstacle, advice);
    if (good && write_jumps(&object))
        return NULL;
    *ends = true;
    return arena_printf(arena, "has a static CUDA runtime that cannot be replaced: %s; %s",
                        strerror(errno), advice);
}

static const char *examine(struct arena *arena, const struct link_map *map, int file, bool *ends)
{
    struct cuda_linkage linkage;
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    const char *fault = NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        linkage_read(&linkage, elf);
        fault =
            linkage.contains_runtime ? redirect(arena, map, elf, ends) : linkage_fault(&linkage);
    }
    elf_end(elf);
    return fault;
}

// Returns the path of the program. A dynamic linker that was started with the program as its
// argument has no dynamic linker (AT_BASE).
static const char *program_path(const struct link_map *map)
{
    Dl_info info;
    if (getauxval(AT_BASE) || !dladdr(map->l_ld, &info))
        return (const char *)getauxval(AT_EXECFN);
    return info.dli_fname;
}

static void redirect_file(struct arena *arena, const struct link_map *map)
{
    bool is_program = !*map->l_name, ends = is_program;
    const char *path = is_program ? program_path(map) : map->l_name;
    int file =
        open(is_program && getauxval(AT_BASE) ? "/proc/self/exe" : path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return; // such as the vdso
    const char *fault = examine(arena, map, file, &ends);
    close(file);
    if (fault)
        dprintf(STDERR_FILENO, "ptxoffload-run: %s: '%s' %s\n", ends ? "error" : "warning", path,
                fault);
    if (fault && ends)
        _exit(1);
}

void ptxo_redirect(const struct link_map *first)
{
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure)) {
        dprintf(STDERR_FILENO, "ptxoffload-run: error: out of memory\n");
        _exit(1);
    }
    arena_init(&arena, &memory);
    elf_version(EV_CURRENT);
    for (const struct link_map *map = first; map; map = map->l_next)
        if (map->l_ld != _DYNAMIC) // this library
            redirect_file(&arena, map);
    memory_free(&memory);
}
