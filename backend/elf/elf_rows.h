// Sections of the ELF object. The rows of backend/tables/metadata.def give the place of each entry
// in its record. Numbers have `size` bytes. Words of one byte are enumerators; longer words and
// strings are offsets into the section of strings. A list is the index of its first record, and a
// count.
#pragma once
#include "backend/tables/rows.h"

enum elf_part {
#define SECTION(ID, ...) ELF_##ID,
#define RECORDS SECTION
#include "backend/tables/metadata.def"
    ELF_PARTS,
};

struct elf_part_info {
    const char *name;
    uint32_t type; // SHT_…
    uint32_t align;
    uint32_t record_size;              // 0: no records
    const struct record_field *fields; // NULL: no rows describe it
};
extern const struct elf_part_info elf_parts[ELF_PARTS];

enum { SHA256_BYTES = 32 };
typedef uint8_t elf_digest[SHA256_BYTES];

// The notes as one record.
struct elf_notes {
    uint32_t version;
    elf_digest source, output;
};

struct elf_record_fields {
    const struct record_field_use *of[ELF_PARTS]; // NULL: the section has no records
};

// Fills the slots of all sections with records, and of the notes.
void elf_record_fields_init(struct elf_record_fields *slots, struct arena *arena);
// Returns the section that holds the records of a list, or ELF_PARTS for other fields.
enum elf_part elf_list(const struct record_field *field);

// Read and write numbers of 1 to 8 bytes, little-endian.
static inline uint64_t elf_get(const char *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = size; i--;)
        number = number << 8 | (unsigned char)bytes[i];
    return number;
}
static inline void elf_put(char *bytes, uint32_t size, uint64_t number)
{
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (char)(number >> 8 * i & 0xff);
}

// Finds the sections of an object by name. Checks that they are inside the file and have the type,
// alignment and size of records that their contents need.

struct elf_part_bytes {
    const char *bytes;
    uint64_t begin, size; // in the file
    uint32_t step, count; // size and number of the records
};

struct elf_reader {
    struct arena *arena;
    struct diags *diags;
    const char *bytes;
    size_t size;
    struct elf_part_bytes parts[ELF_PARTS];
    struct elf_record_fields slots;
    uint32_t next[ELF_PARTS]; // number of records that lists have claimed so far
};

// Adds a fault (id "metadata") to the reader's diagnostics. Returns false.
bool elf_fault(struct elf_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Fills `parts`, with strings that are UTF-8 and end with NUL. Returns false after adding a fault.
bool elf_find_parts(struct elf_reader *r);

// Reads the notes. Requires `parts`. Returns false after adding a fault.
bool elf_read_notes(struct elf_reader *r, struct elf_notes *notes);
