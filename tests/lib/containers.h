// Containers made by the tests themselves: fatbins, ELF files and archives, byte by byte.
#pragma once
#include "frontend/container.h"
#include "frontend/fatbin.h"
#include <assert.h>
#include <elf.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct blob {
    char *bytes; // NULL: empty
    size_t size;
};

static inline void blob_free(struct blob *blob)
{
    free(blob->bytes);
    *blob = (struct blob){0};
}

// Returns room for `size` more bytes, which count as written.
static inline char *blob_more(struct blob *blob, size_t size)
{
    blob->bytes = realloc(blob->bytes, blob->size + size + 1);
    blob->size += size;
    return blob->bytes + blob->size - size;
}

static inline void blob_put(struct blob *blob, const void *bytes, size_t size)
{
    char *to = blob_more(blob, size);
    if (size)
        memcpy(to, bytes, size);
}

static inline void blob_zeros(struct blob *blob, size_t size)
{
    memset(blob_more(blob, size), 0, size);
}

static inline void blob_align(struct blob *blob, size_t to)
{
    blob_zeros(blob, (to - blob->size % to) % to);
}

// Sets a number of this many bytes, little-endian or big-endian.
static inline void blob_set(struct blob *blob, size_t at, uint64_t value, int size, int is_big)
{
    for (int i = 0; i < size; i++)
        blob->bytes[at + (size_t)(is_big ? size - 1 - i : i)] = (char)(value >> 8 * i);
}

static inline void blob_number(struct blob *blob, uint64_t value, int size, int is_big)
{
    blob_zeros(blob, (size_t)size);
    blob_set(blob, blob->size - (size_t)size, value, size, is_big);
}

struct made_entry {
    uint16_t kind;
    uint32_t arch;
    enum packing packing;
    uint64_t flags; // besides those for the packing
    const char *payload;
    size_t size; // 0: that of the string
    const char *identifier, *options;
};

static inline struct blob packed(const struct made_entry *entry)
{
    size_t size = entry->size ? entry->size : strlen(entry->payload);
    struct blob blob = {0};
    if (entry->packing == PACKING_LZ4) {
        blob_zeros(&blob, (size_t)LZ4_compressBound((int)size));
        blob.size =
            (size_t)LZ4_compress_default(entry->payload, blob.bytes, (int)size, (int)blob.size);
    } else if (entry->packing == PACKING_ZSTD) {
        blob_zeros(&blob, ZSTD_compressBound(size));
        blob.size = ZSTD_compress(blob.bytes, blob.size, entry->payload, size, 3);
    } else
        blob_put(&blob, entry->payload, size);
    return blob;
}

static inline void make_entry(struct blob *to, const struct made_entry *entry)
{
    static const uint64_t flags[PACKINGS] = {
        [PACKING_LZ4] = FATBIN_PACKED_LZ4,
        [PACKING_ZSTD] = FATBIN_PACKED_ZSTD,
        [PACKING_OLD] = FATBIN_PACKED_OLD,
    };
    struct blob payload = packed(entry), header = {0};
    int is_packed = entry->packing != PACKING_NONE;
    size_t size = entry->size ? entry->size : strlen(entry->payload);
    blob_zeros(&header, FATBIN_ENTRY_SIZE);
    if (entry->identifier) {
        blob_set(&header, 32, header.size, 4, 0);
        blob_set(&header, 36, strlen(entry->identifier), 4, 0);
        blob_put(&header, entry->identifier, strlen(entry->identifier));
        blob_align(&header, 8);
    }
    if (entry->options) {
        blob_set(&header, 20, header.size, 4, 0);
        blob_number(&header, header.size + 8, 4, 0);
        blob_number(&header, strlen(entry->options), 4, 0);
        blob_put(&header, entry->options, strlen(entry->options));
        blob_align(&header, 8);
    }
    blob_set(&header, 0, entry->kind, 2, 0);
    blob_set(&header, 2, 0x0101, 2, 0);
    blob_set(&header, 4, header.size, 4, 0);
    blob_set(&header, 8, (payload.size + 7) / 8 * 8, 8, 0);
    blob_set(&header, 16, is_packed ? payload.size : 0, 4, 0);
    blob_set(&header, 24, 3, 2, 0);
    blob_set(&header, 26, 8, 2, 0);
    blob_set(&header, 28, entry->arch, 4, 0);
    blob_set(&header, 40, FATBIN_64BIT | FATBIN_LINUX | entry->flags | flags[entry->packing], 8, 0);
    blob_set(&header, 56, is_packed ? size : 0, 8, 0);
    size_t begin = to->size;
    blob_put(to, header.bytes, header.size);
    blob_put(to, payload.bytes, payload.size);
    blob_zeros(to, (8 - (to->size - begin) % 8) % 8);
    blob_free(&payload);
    blob_free(&header);
}

static inline void make_fatbin(struct blob *to, const struct made_entry *entries, size_t count)
{
    size_t begin = to->size;
    blob_put(to, FATBIN_MAGIC, FATBIN_MAGIC_SIZE);
    blob_number(to, 1, 2, 0);
    blob_number(to, FATBIN_HEADER_SIZE, 2, 0);
    blob_zeros(to, 8);
    for (size_t i = 0; i < count; i++)
        make_entry(to, &entries[i]);
    blob_set(to, begin + 8, to->size - begin - FATBIN_HEADER_SIZE, 8, 0);
}

struct made_section {
    const char *name;
    uint64_t flags;
    struct blob contents;
};

struct made_elf {
    int is_32, is_big;
    uint16_t machine;
    uint8_t abi_version;
    uint32_t flags;
    int has_segments; // in place of sections: nothing but one segment of all the contents
};

// The fields of an ELF structure, with their widths for 32 and 64 bits.
struct made_field {
    uint64_t value;
    int size_32, size_64;
};

static inline void put_fields(struct blob *to, const struct made_elf *elf,
                              const struct made_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        blob_number(to, fields[i].value, elf->is_32 ? fields[i].size_32 : fields[i].size_64,
                    elf->is_big);
}

#define PUT_FIELDS(to, elf, ...)                                                                   \
    put_fields(to, elf, (struct made_field[]){__VA_ARGS__},                                        \
               sizeof((struct made_field[]){__VA_ARGS__}) / sizeof(struct made_field))

static inline void put_elf_header(struct blob *to, const struct made_elf *elf, uint64_t table,
                                  size_t sections)
{
    uint64_t header = elf->is_32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    uint64_t phdr = elf->is_32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
    uint64_t shdr = elf->is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
    int has = elf->has_segments;
    blob_put(to, ELFMAG, SELFMAG);
    PUT_FIELDS(to, elf, {elf->is_32 ? ELFCLASS32 : ELFCLASS64, 1, 1},
               {elf->is_big ? ELFDATA2MSB : ELFDATA2LSB, 1, 1}, {EV_CURRENT, 1, 1}, {0, 1, 1},
               {elf->abi_version, 1, 1}, {0, 7, 7}, {has ? ET_DYN : ET_REL, 2, 2},
               {elf->machine, 2, 2}, {EV_CURRENT, 4, 4}, {0, 4, 8}, {has ? table : 0, 4, 8},
               {has ? 0 : table, 4, 8}, {elf->flags, 4, 4}, {header, 2, 2}, {has ? phdr : 0, 2, 2},
               {has ? 1 : 0, 2, 2}, {has ? 0 : shdr, 2, 2}, {has ? 0 : sections, 2, 2},
               {has ? 0 : sections - 1, 2, 2});
}

static inline void put_section(struct blob *to, const struct made_elf *elf, uint64_t name,
                               uint32_t type, uint64_t flags, uint64_t begin, uint64_t size)
{
    PUT_FIELDS(to, elf, {name, 4, 4}, {type, 4, 4}, {flags, 4, 8}, {0, 4, 8}, {begin, 4, 8},
               {size, 4, 8}, {0, 4, 4}, {0, 4, 4}, {1, 4, 8}, {0, 4, 8});
}

// Makes an ELF file with these sections of type PROGBITS, an empty first one, and the table of
// names.
static inline void make_elf(struct blob *to, struct made_elf elf,
                            const struct made_section *sections, size_t count)
{
    struct blob file = {0}, names = {0};
    uint64_t begins[16], header = elf.is_32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    assert(count < 16);
    blob_zeros(&file, header);
    blob_zeros(&names, 1);
    for (size_t i = 0; i < count; i++) {
        blob_align(&file, 8);
        begins[i] = file.size;
        blob_put(&file, sections[i].contents.bytes, sections[i].contents.size);
    }
    uint64_t end = file.size;
    for (size_t i = 0; i < count; i++)
        blob_put(&names, sections[i].name, strlen(sections[i].name) + 1);
    blob_put(&names, ".shstrtab", sizeof ".shstrtab");
    blob_put(&file, names.bytes, names.size);
    blob_align(&file, 8);
    uint64_t table = file.size, name = 1;
    if (elf.has_segments && elf.is_32)
        PUT_FIELDS(&file, &elf, {PT_LOAD, 4, 4}, {header, 4, 4}, {0, 4, 4}, {0, 4, 4},
                   {end - header, 4, 4}, {end - header, 4, 4}, {PF_R, 4, 4}, {1, 4, 4});
    else if (elf.has_segments)
        PUT_FIELDS(&file, &elf, {PT_LOAD, 4, 4}, {PF_R, 4, 4}, {header, 8, 8}, {0, 8, 8}, {0, 8, 8},
                   {end - header, 8, 8}, {end - header, 8, 8}, {1, 8, 8});
    else {
        put_section(&file, &elf, 0, SHT_NULL, 0, 0, 0);
        for (size_t i = 0; i < count; i++) {
            put_section(&file, &elf, name, SHT_PROGBITS, sections[i].flags, begins[i],
                        sections[i].contents.size);
            name += strlen(sections[i].name) + 1;
        }
        put_section(&file, &elf, name, SHT_STRTAB, 0, end, names.size);
    }
    struct blob head = {0};
    put_elf_header(&head, &elf, table, count + 2);
    memcpy(file.bytes, head.bytes, head.size);
    blob_put(to, file.bytes, file.size);
    blob_free(&head);
    blob_free(&names);
    blob_free(&file);
}

static inline void make_archive(struct blob *to)
{
    blob_put(to, "!<arch>\n", 8);
}

// Makes a member. `name` is as in the header: with a slash at its end, or "/" and a number.
static inline void make_member(struct blob *to, const char *name, const struct blob *contents)
{
    char header[61];
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644,
             contents->size);
    blob_put(to, header, 60);
    blob_put(to, contents->bytes, contents->size);
    if (to->size % 2)
        blob_put(to, "\n", 1);
}
