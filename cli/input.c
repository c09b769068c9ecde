#include "cli/input.h"
#include "support/file.h"
#include <elf.h>
#include <string.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAGIC(bytes, what)                                                                         \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, what                                                             \
    }

// How files begin that are given instead of PTX.
static const struct {
    const char *bytes;
    size_t length;
    const char *what;
} kinds[] = {
    MAGIC("\x50\xed\x55\xba", "a CUDA fat binary"),
    MAGIC("\xb1\x43\x62\x46", "the wrapper of a CUDA fat binary"),
    MAGIC("\x1f\x8b", "compressed by gzip"),
    MAGIC("\x28\xb5\x2f\xfd", "compressed by zstd"),
    MAGIC("\xfd"
          "7zXZ",
          "compressed by xz"),
    MAGIC("BZh", "compressed by bzip2"),
    MAGIC("\x04\x22\x4d\x18", "compressed by lz4"),
    MAGIC("PK\x03\x04", "a zip archive"),
    MAGIC("!<arch>\n", "an archive of object files"),
    MAGIC("BC\xc0\xde", "LLVM bitcode"),
    MAGIC("MZ", "a Windows program"),
    MAGIC("\xff\xfe", "text in UTF-16"),
    MAGIC("\xfe\xff", "text in UTF-16"),
};

enum { MACHINE_CUDA = 190 };

static const char *elf_kind(const char *text, uint32_t length)
{
    Elf32_Half machine;
    size_t at = offsetof(Elf64_Ehdr, e_machine);
    if (length < at + sizeof machine)
        return "the beginning of an ELF file";
    memcpy(&machine, text + at, sizeof machine);
    return machine == MACHINE_CUDA ? "a cubin, machine code for a GPU" : "an ELF file";
}

static bool begins_with(const struct file_text *file, const char *bytes, size_t length)
{
    return file->length >= length && !memcmp(file->text, bytes, length);
}

// What a file without PTX in it is, or NULL.
static const char *kind_of(struct arena *arena, const struct file_text *file)
{
    if (begins_with(file, ELFMAG, SELFMAG))
        return elf_kind(file->text, file->length);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins_with(file, kinds[i].bytes, kinds[i].length))
            return kinds[i].what;
    // What begins like PTX is PTX: a stray byte in it is the parser's to complain of.
    const char *zero = memchr(file->text, 0, file->length < 512 ? file->length : 512);
    const char *first = file->text + strspn(file->text, " \t\r\n");
    if (zero && (!*first || !strchr("./#", *first)))
        return arena_printf(arena, "binary data: byte %zu is 0", (size_t)(zero - file->text));
    return NULL;
}

const char *input_read(struct source *source, struct arena *arena, const char *path,
                       const char **id)
{
    struct file_text file;
    const char *error = file_read(arena, path, &file);
    const char *name = file_is_standard(path) ? "standard input" : path;
    *id = error ? "file" : "not-ptx";
    if (error)
        return arena_printf(arena, "cannot read '%s': %s", name, error);
    const char *kind = kind_of(arena, &file);
    if (kind)
        return arena_printf(arena, "'%s' is not PTX text: it is %s", name, kind);
    source_init(source, arena, file_is_standard(path) ? "<stdin>" : path, file.text, file.length);
    return NULL;
}

// The wrong direction makes their use an error.
void input_open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_FAILURE);
}
