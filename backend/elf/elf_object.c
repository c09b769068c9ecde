#include "backend/elf/elf_object.h"
#include "backend/emit/text.h"
#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct layout {
    const struct elf_section *sections; // the last one is .shstrtab
    uint32_t count;
    const uint32_t *names; // offset of each section's name
    char *room;            // `size` bytes for the object
    size_t size;
};

static bool add_section(Elf *elf, const struct layout *layout, uint32_t index)
{
    const struct elf_section *section = &layout->sections[index];
    Elf_Scn *to = elf_newscn(elf);
    Elf_Data *data = to ? elf_newdata(to) : NULL;
    Elf64_Shdr *header = data ? elf64_getshdr(to) : NULL;
    if (!header)
        return false;
    // Not converted: the records are in the file's byte order already.
    *data = (Elf_Data){
        .d_buf = (char *)(uintptr_t)section->bytes,
        .d_type = ELF_T_BYTE,
        .d_version = EV_CURRENT,
        .d_size = section->size,
        .d_align = section->align,
    };
    header->sh_name = layout->names[index];
    header->sh_type = section->type;
    header->sh_addralign = section->align;
    header->sh_entsize = section->entry_size;
    header->sh_link = section->link;
    header->sh_info = section->info;
    return true;
}

// Sets no machine, because the object is data. CUDA's tools would take an object with NVIDIA's
// number for a cubin, and the linker would accept one with the host's number.
static bool fill(Elf *elf, const struct layout *layout)
{
    Elf64_Ehdr *header = elf64_newehdr(elf);
    if (!header)
        return false;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_type = ET_REL;
    header->e_machine = EM_NONE;
    header->e_version = EV_CURRENT;
    header->e_shstrndx = (Elf64_Half)layout->count;
    for (uint32_t i = 0; i < layout->count; i++)
        if (!add_section(elf, layout, i))
            return false;
    return true;
}

// Returns the object's size, or a negative number on failure.
static int64_t write_to(int fd, const struct layout *layout)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -1;
    Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    int64_t size = elf && fill(elf, layout) ? elf_update(elf, ELF_C_WRITE) : -1;
    elf_end(elf);
    return size;
}

static bool read_back(int fd, char *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t count = pread(fd, to + at, size - at, (off_t)at);
        if (count <= 0)
            return false;
        at += (size_t)count;
    }
    return true;
}

// Writes to a file in memory, because libelf writes to files only. Must not allocate from the arena
// while the file and libelf's memory are held: exhausted memory would leak both.
static const char *make(struct elf_image *image, const struct layout *layout)
{
    int fd = memfd_create("ptxoffload", MFD_CLOEXEC);
    if (fd < 0)
        return "cannot make an ELF object: no room for a file in memory";
    errno = 0;
    int64_t size = write_to(fd, layout);
    bool ran_out = errno == ENOMEM; // libelf does not report it
    bool good =
        size >= 0 && (size_t)size <= layout->size && read_back(fd, layout->room, (size_t)size);
    close(fd);
    *image = (struct elf_image){layout->room, good ? (size_t)size : 0};
    if (good)
        return NULL;
    return ran_out ? "cannot make an ELF object: out of memory"
                   : "cannot make an ELF object: libelf could not write it";
}

// Returns an upper bound on the object's size.
static size_t max_bytes(const struct elf_section *sections, uint32_t count)
{
    size_t size = sizeof(Elf64_Ehdr) + (count + 1) * sizeof(Elf64_Shdr) + sizeof(Elf64_Xword);
    for (uint32_t i = 0; i < count; i++)
        size += sections[i].size + sections[i].align;
    return size;
}

const char *elf_object_write(struct elf_image *image, struct arena *arena,
                             const struct elf_section *sections, uint32_t count)
{
    struct elf_section *all = ARENA_ARRAY(arena, struct elf_section, count + 1);
    uint32_t *offsets = ARENA_ARRAY(arena, uint32_t, count + 1);
    struct text names;
    memcpy(all, sections, count * sizeof *all);
    all[count] = (struct elf_section){.name = ".shstrtab", .type = SHT_STRTAB, .align = 1};
    text_init(&names, arena);
    text_add(&names, "", 1);
    for (uint32_t i = 0; i <= count; i++) {
        offsets[i] = names.bytes.n;
        text_add(&names, all[i].name, strlen(all[i].name) + 1);
    }
    all[count].bytes = names.bytes.v;
    all[count].size = names.bytes.n;
    struct layout layout = {all, count + 1, offsets, NULL, max_bytes(all, count + 1)};
    layout.room = arena_alloc(arena, layout.size);
    return make(image, &layout);
}
