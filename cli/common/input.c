#include "cli/common/input.h"
#include "support/file.h"
#include <elf.h>
#include <string.h>

#define MAGIC(bytes, what)                                                                         \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, what                                                             \
    }

// First bytes of files that are given in place of PTX.
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

#define CUDA "CUDA C++: compile it with nvcc -ptx, or build with ptxoffload-nvcc"
#define C "C or C++: nvcc -ptx generates PTX from CUDA C++"
#define LLVM "LLVM IR: compile it with llc -march=nvptx64"
#define SASS "a disassembly (SASS): cuobjdump -ptx extracts the PTX of a program"

// Starts of lines in sources and results of PTX. The first one found counts, except that CUDA's
// words may follow those of C.
static const struct {
    const char *begin, *what;
} lines[] = {
    {"__global__", CUDA},
    {"__device__", CUDA},
    {"__host__", CUDA},
    {"__constant__", CUDA},
    {"__shared__", CUDA},
    {"extern \"C\" __global__", CUDA},
    {"static __global__", CUDA},
    {"static __device__", CUDA},
    {"#include <cuda", CUDA},
    {"#include \"cuda", CUDA},
    {"#include", C},
    {"#define", C},
    {"#pragma", C},
    {"#if", C},
    {"template", C},
    {"namespace ", C},
    {"using ", C},
    {"extern \"C\"", C},
    {"static ", C},
    {"typedef ", C},
    {"struct ", C},
    {"class ", C},
    {"void ", C},
    {"int ", C},
    {"__kernel ", "OpenCL C: compile it to PTX first"},
    {"kernel void ", "OpenCL C: compile it to PTX first"},
    {"; ModuleID", LLVM},
    {"source_filename", LLVM},
    {"target triple", LLVM},
    {"target datalayout", LLVM},
    {"define ", LLVM},
    {".headerflags", SASS},
    {"Fatbin elf code:", SASS},
    {"code for sm_", SASS},
    {"Function :", SASS},
    {"/*0000*/", SASS},
};

static const char *line_kind(const char *line)
{
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
        if (!strncmp(line, lines[i].begin, strlen(lines[i].begin)))
            return lines[i].what;
    return NULL;
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + strspn(at, " \t\r\n");
}

// Returns the end of a comment of C, which PTX has too, or the line itself. The address before an
// instruction of SASS is not a comment.
static const char *skip_comment(const char *line)
{
    const char *end =
        !strncmp(line, "/*", 2) && strncmp(line, "/*0000*/", 8) ? strstr(line, "*/") : NULL;
    return end ? end + 2 + strspn(end + 2, " \t\r\n") : line;
}

// Returns the kind of a text without .version, or NULL.
static const char *text_kind(const char *text)
{
    const char *found = NULL;
    for (const char *line = text + strspn(text, " \t\r\n"); *line;) {
        const char *behind = skip_comment(line);
        const char *kind = behind == line ? line_kind(line) : NULL;
        if (!strncmp(line, ".version", strlen(".version")))
            return NULL;
        if (kind && (!found || !strcmp(kind, CUDA)))
            found = kind;
        line = behind == line ? next_line(line) : behind;
    }
    return found;
}

// Returns the kind of a file without PTX, or NULL.
static const char *kind_of(struct arena *arena, const struct file_text *file)
{
    if (begins_with(file, ELFMAG, SELFMAG))
        return elf_kind(file->text, file->length);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (begins_with(file, kinds[i].bytes, kinds[i].length))
            return kinds[i].what;
    // A text that starts like PTX is PTX; the parser reports stray bytes in it.
    const char *zero = memchr(file->text, 0, file->length < 512 ? file->length : 512);
    const char *first = file->text + strspn(file->text, " \t\r\n");
    if (zero && (!*first || !strchr("./#", *first)))
        return arena_printf(arena, "binary data: byte %zu is 0", (size_t)(zero - file->text));
    return text_kind(file->text);
}

bool input_text(const struct messages *messages, struct arena *arena, const char *path,
                struct source *source)
{
    struct file_text file;
    const char *error = file_read(arena, path, &file);
    const char *name = file_is_standard(path) ? "standard input" : path;
    const char *kind = error ? NULL : kind_of(arena, &file);
    if (error)
        message_error(messages, "cannot read '%s': %s", name, error);
    else if (kind)
        message_fault(messages, "not-ptx", "'%s' is not PTX text: it is %s", name, kind);
    if (error || kind)
        return false;
    source_init(source, arena, file_is_standard(path) ? "<stdin>" : path, file.text, file.length);
    messages_artifact(messages, source->name, source->text, source->length, -1);
    return true;
}
