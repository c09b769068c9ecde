// Sections of the ELF object, and offsets of the tables' entries in their records. backend/rows.c,
// which JSON and tags share, has the ranges of values.
#pragma once
#include "backend/rows.h"

enum elf_part {
    ELF_NOTE, // its notes are handled as one record, struct elf_notes
    ELF_PTX,
    ELF_MODULE,
    ELF_KERNELS,
    ELF_CHAINS,
    ELF_INSTRUCTIONS,
    ELF_BLOCKS,
    ELF_ESTIMATES,
    ELF_REGISTERS,
    ELF_REJECTED,
    ELF_STRINGS,
    ELF_PARTS,
};

// An entry of a record. Numbers have `size` bytes; words of one byte are enumerators, longer ones
// and strings are offsets of strings; lists are a first record and a number of records.
struct elf_row {
    const char *path; // as in the JSON document, NULL after the last
    uint16_t at;
    uint8_t size;
};

struct elf_part_info {
    const char *name;
    uint32_t type; // SHT_…
    uint32_t align;
    uint32_t record_size;              // 0: no records
    const struct record_field *fields; // NULL: no rows describe it
    const struct elf_row *rows;
};
extern const struct elf_part_info elf_parts[ELF_PARTS];

enum { SHA256_BYTES = 32 };

struct elf_notes {
    uint32_t version;
    uint8_t source[SHA256_BYTES], output[SHA256_BYTES];
};

// A row with the entry's description.
struct elf_slot {
    const struct elf_row *row;
    const struct record_field *field;  // NULL after the last
    const struct record_field *option; // the entry exists only if this one does; NULL: always
    enum elf_part list; // FIELD_LIST, FIELD_TEXTS: section of its records; else ELF_PARTS
};

struct elf_slots {
    const struct elf_slot *of[ELF_PARTS];
};

// Finds the entries of all rows.
void elf_slots_init(struct elf_slots *slots, struct arena *arena);

// Numbers of 1 to 8 bytes, the lowest byte first.
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
