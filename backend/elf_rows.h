// The sections of the ELF object, and where in their records the entries of the tables lie. What an
// entry may hold stands in backend/rows.c: JSON, tags and ELF have it from there.
#pragma once
#include "backend/rows.h"

enum elf_part {
    ELF_NOTE, // its notes are put together and taken apart as one record, struct elf_notes
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

// An entry of a record. Numbers take `size` bytes; words of one byte are enumerators, longer ones
// and texts are offsets of strings; lists are a first record and a number of records.
struct elf_row {
    const char *path; // as in the JSON document, NULL behind the last
    uint16_t at;
    uint8_t size;
};

struct elf_part_info {
    const char *name;
    uint32_t type; // SHT_…
    uint32_t align;
    uint32_t record_size;              // 0: no records
    const struct record_field *fields; // NULL: the rows are not read by description
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
    const struct record_field *field;  // NULL behind the last
    const struct record_field *option; // the entry is there only if this one is; NULL: always
    enum elf_part list; // FIELD_LIST, FIELD_TEXTS: where its records are; else ELF_PARTS
};

struct elf_slots {
    const struct elf_slot *of[ELF_PARTS];
};

// Finds the entries for all rows.
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
