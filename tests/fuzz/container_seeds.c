// Writes the initial files of the container's fuzz target, one for each kind of container.
//
// usage: container_seeds FOLDER
#include "tests/lib/containers.h"

#define PTX ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"

static void save(const char *folder, const char *name, struct blob *blob)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(blob->bytes, 1, blob->size, to) != blob->size || fclose(to)) {
        perror(path);
        exit(1);
    }
}

static struct blob fatbin(void)
{
    static const struct made_entry entries[] = {
        {FATBIN_PTX, 80, PACKING_NONE, 0, PTX, 0, "a.cu", "-O3"},
        {FATBIN_PTX, 90, PACKING_LZ4, FATBIN_ARCH_SPECIFIC, PTX PTX, 0, NULL, NULL},
        {FATBIN_RELOC, 100, PACKING_ZSTD, FATBIN_FAMILY_SPECIFIC, PTX PTX, 0, "b.cu", NULL},
        {FATBIN_LTO_IR, 80, PACKING_ZSTD, FATBIN_ENCRYPTED, "ir", 0, NULL, "-ftz=0"},
    };
    struct blob blob = {0};
    make_fatbin(&blob, entries, sizeof entries / sizeof *entries);
    return blob;
}

static struct blob cubin(void)
{
    struct blob blob = {0}, text = {0}, note = {0};
    blob_put(&text, "\0.version 8.3\0.target sm_80\0", 29);
    blob_put(&note, "NVIDIA Corp\0-arch sm_90a -m 64 ", 32);
    struct made_section sections[] = {
        {".nv_debug_ptx_txt", 0, text},
        {".note.nv.tkinfo", 0, note},
    };
    make_elf(&blob, (struct made_elf){.machine = 190, .abi_version = 8, .flags = 0x6005a04},
             sections, 2);
    blob_free(&text);
    blob_free(&note);
    return blob;
}

static struct blob cubins(const struct blob *image)
{
    struct made_entry entry = {FATBIN_CUBIN, 90,          PACKING_ZSTD, 0,
                               image->bytes, image->size, NULL,         NULL};
    struct blob blob = {0};
    make_fatbin(&blob, &entry, 1);
    return blob;
}

static struct blob object(struct blob fatbin, struct made_elf elf)
{
    struct blob blob = {0};
    struct made_section sections[] = {
        {".nv_fatbin", SHF_ALLOC, fatbin},
        {".rodata", SHF_ALLOC, fatbin},
    };
    elf.machine = 62;
    make_elf(&blob, elf, sections, 2);
    return blob;
}

static struct blob library(const struct blob *object, const struct blob *cubin)
{
    struct blob blob = {0}, names = {0};
    blob_put(&names, "a-name-that-is-longer-than-16.o/\n", 33);
    make_archive(&blob);
    make_member(&blob, "//", &names);
    make_member(&blob, "/0", object);
    make_member(&blob, "k.cubin/", cubin);
    make_member(&blob, "odd/", &names);
    blob_free(&names);
    return blob;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    struct blob text = {0};
    blob_put(&text, PTX, sizeof PTX - 1);
    struct blob code = fatbin(), image = cubin(), packed_image = cubins(&image);
    struct blob wide = object(code, (struct made_elf){0});
    struct blob seeds[] = {
        text,
        code,
        image,
        packed_image,
        wide,
        object(packed_image, (struct made_elf){.is_32 = true}),
        object(code, (struct made_elf){.is_big = true}),
        object(code, (struct made_elf){.is_32 = true, .is_big = true, .has_segments = true}),
        object(code, (struct made_elf){.has_segments = true}),
        library(&wide, &image),
    };
    static const char *const names[] = {
        "text",
        "fatbin",
        "cubin",
        "fatbin-of-cubin",
        "elf64",
        "elf32",
        "elf64-big-endian",
        "elf32-bare-big-endian",
        "elf64-bare",
        "archive",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        save(argv[1], names[i], &seeds[i]);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        blob_free(&seeds[i]);
    return 0;
}
