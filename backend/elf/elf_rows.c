#include "backend/elf/elf_rows.h"
#include "include/ptxoffload/metadata.h"
#include <elf.h>

const struct elf_part_info elf_parts[ELF_PARTS] = {
#define SECTION(ID, NAME, TYPE, ALIGN, ...)                                                        \
    {.name = PTXOFFLOAD_SECTION_##ID, .type = TYPE, .align = ALIGN},
#define RECORDS(ID, NAME, STRUCT, ROWS, ...)                                                       \
    {.name = PTXOFFLOAD_SECTION_##ID,                                                              \
     .type = SHT_PROGBITS,                                                                         \
     .align = _Alignof(struct STRUCT),                                                             \
     .record_size = sizeof(struct STRUCT),                                                         \
     .fields = rows_##ROWS},
#include "backend/tables/metadata.def"
};

enum elf_part elf_list(const struct record_field *field)
{
    if (field->kind == FIELD_TEXTS)
        return ELF_REGISTERS;
    enum elf_part part = 0;
    while (part < ELF_PARTS && (field->kind != FIELD_LIST || elf_parts[part].fields != field->rows))
        part++;
    return part;
}

void elf_slots_init(struct elf_slots *slots, struct arena *arena)
{
    *slots = (struct elf_slots){0};
    slots->of[ELF_NOTE] = fields_of(arena, rows_document, ELF_NOTE);
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        if (elf_parts[part].fields)
            slots->of[part] = fields_of(arena, elf_parts[part].fields, part);
}
