// Reads tables from sections. Every record belongs to exactly one list, so that the tables cannot
// become larger than the file.
#include "backend/tables/build.h"
#include "backend/elf/elf_rows.h"
#include "backend/elf/elf_tables.h"
#include "include/ptxoffload/metadata.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

// The record that is being read.
struct elf_record_position {
    enum elf_part part;
    uint32_t index;
};

static bool fault(struct elf_reader *r, struct elf_record_position place,
                  const struct record_field_use *slot, const char *what)
{
    return elf_fault(r, "section '%s', record %u, %s: %s", elf_parts[place.part].name, place.index,
                     slot->path, what);
}

static bool read_string(struct elf_reader *r, uint64_t offset, const char **text)
{
    const struct elf_part_bytes *strings = &r->parts[ELF_STRINGS];
    if (offset >= strings->size)
        return false;
    *text = strings->bytes + offset;
    return true;
}

static bool read_word(struct elf_reader *r, const struct record_field_use *slot, uint64_t number,
                      unsigned *word)
{
    enum { LONGEST = 64 };
    const char *const *words = slot->field->words, *text;
    if (slot->field->elf.size > 1)
        return read_string(r, number, &text) &&
               fields_find_word(slot->field, text, strnlen(text, LONGEST), word);
    for (uint64_t i = 0; i <= number; i++)
        if (!words[i])
            return false;
    *word = (unsigned)number;
    return *words[number];
}

static bool read_words(const struct record_field_use *slot, uint64_t number, unsigned *set)
{
    unsigned count = 0;
    while (slot->field->words[count])
        count++;
    *set = (unsigned)number;
    return number < UINT64_C(1) << count;
}

static bool read_double(uint64_t bits, double *value)
{
    memcpy(value, &bits, sizeof bits);
    return isfinite(*value);
}

static bool read_maybe(struct elf_reader *r, uint64_t bits, const double **number)
{
    double *copy = ARENA_NEW(r->arena, double);
    bool finite = read_double(bits, copy);
    *number = finite ? copy : NULL;
    return finite || isnan(*copy);
}

static bool read_bool(uint64_t number, bool *flag)
{
    *flag = number == 1;
    return number < 2;
}

static bool read_uint(const struct record_field_use *slot, uint64_t number, uint32_t *to)
{
    *to = (uint32_t)number;
    return fields_in_range(slot->field, number);
}

static bool read_count(uint64_t number, uint64_t *to)
{
    *to = number;
    return number <= INT64_MAX;
}

static void read_digest(const char *bytes, char *digits)
{
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(digits + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
}

static bool read_number(struct elf_reader *r, const struct record_field_use *slot, uint64_t number,
                        void *value)
{
    switch (slot->field->kind) {
    case FIELD_TEXT: return read_string(r, number, value);
    case FIELD_OPTIONAL: return !number || read_uint(slot, number, value);
    case FIELD_UINT: return read_uint(slot, number, value);
    case FIELD_COUNT: return read_count(number, value);
    case FIELD_DOUBLE: return read_double(number, value);
    case FIELD_MAYBE: return read_maybe(r, number, value);
    case FIELD_OPTION:
    case FIELD_BOOL: return read_bool(number, value);
    case FIELD_WORD: return read_word(r, slot, number, value);
    case FIELD_WORDS: return read_words(slot, number, value);
    case FIELD_SHA256:
    case FIELD_FIXED:
    case FIELD_NUMBER:
    case FIELD_ANY:
    case FIELD_OBJECT:
    case FIELD_PART:
    case FIELD_LIST:
    case FIELD_TEXTS: break; // not numbers
    }
    return false;
}

// Lists

static bool read_record(struct elf_reader *r, struct elf_record_position place, void *record);

// Reads the range of a list's records. It must start after the preceding list of that section.
static bool read_range(struct elf_reader *r, struct elf_record_position place,
                       const struct record_field_use *slot, const char *bytes, uint32_t *count)
{
    enum elf_part part = elf_list(slot->field);
    uint64_t first = elf_get(bytes, 4), number = elf_get(bytes + 4, 4);
    uint32_t *next = &r->next[part], all = r->parts[part].count;
    *count = (uint32_t)number;
    if (first != *next)
        return elf_fault(r,
                         "section '%s', record %u, %s: it begins with record %" PRIu64
                         " of '%s', expected %u",
                         elf_parts[place.part].name, place.index, slot->path, first,
                         elf_parts[part].name, *next);
    if (number > all - *next)
        return elf_fault(
            r, "section '%s', record %u, %s: it has %" PRIu64 " records, '%s' has %u more",
            elf_parts[place.part].name, place.index, slot->path, number, elf_parts[part].name,
            all - *next);
    *next += *count;
    return true;
}

static bool read_registers(struct elf_reader *r, struct elf_record_position place,
                           const struct record_field_use *slot, uint32_t count,
                           struct field_texts *texts)
{
    const struct elf_part_bytes *part = &r->parts[ELF_REGISTERS];
    uint32_t first = r->next[ELF_REGISTERS] - count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name;
        uint64_t offset = elf_get(part->bytes + (uint64_t)(first + i) * part->step, 4);
        if (!read_string(r, offset, &name) || !*name)
            return fault(r, place, slot, fields_expected(r->arena, slot->field));
        vec_push(r->arena, &texts->items, name);
    }
    return true;
}

static bool read_list(struct elf_reader *r, struct elf_record_position place,
                      const struct record_field_use *slot, const char *bytes, void *value)
{
    uint32_t count;
    if (!read_range(r, place, slot, bytes, &count))
        return false;
    if (slot->field->kind == FIELD_TEXTS)
        return read_registers(r, place, slot, count, value);
    enum elf_part part = elf_list(slot->field);
    uint32_t first = r->next[part] - count;
    size_t size = slot->field->size;
    struct field_list list = {{arena_alloc(r->arena, count * size), count, count}};
    memcpy(value, &list, sizeof list);
    for (uint32_t i = 0; i < count; i++)
        if (!read_record(r, (struct elf_record_position){part, first + i}, list.items.v + i * size))
            return false;
    return true;
}

// Records

static bool read_entry(struct elf_reader *r, struct elf_record_position place,
                       const struct record_field_use *slot, const char *bytes, void *value)
{
    if (elf_list(slot->field) != ELF_PARTS)
        return read_list(r, place, slot, bytes, value);
    if (slot->field->kind == FIELD_SHA256) {
        read_digest(bytes, value);
        return true;
    }
    return read_number(r, slot, elf_get(bytes, slot->field->elf.size), value) ||
           fault(r, place, slot, fields_expected(r->arena, slot->field));
}

static bool read_bytes(struct elf_reader *r, struct elf_record_position place, const char *bytes,
                       void *record)
{
    for (const struct record_field_use *slot = r->slots.of[place.part]; slot->field; slot++)
        if (slot->option == SIZE_MAX || *(const bool *)((const char *)record + slot->option))
            if (!read_entry(r, place, slot, bytes + slot->at, (char *)record + slot->offset))
                return false;
    return true;
}

static bool read_record(struct elf_reader *r, struct elf_record_position place, void *record)
{
    const struct elf_part_bytes *part = &r->parts[place.part];
    return read_bytes(r, place, part->bytes + (uint64_t)place.index * part->step, record);
}

// The object

static bool read_version(struct elf_reader *r, struct tables *tables)
{
    struct elf_notes notes;
    if (!elf_read_notes(r, &notes))
        return false;
    uint64_t version = elf_get((const char *)&notes.version, 4);
    if (version != TABLES_VERSION)
        return elf_fault(r, "the metadata have version %" PRIu64 "; only version %u is supported",
                         version, TABLES_VERSION);
    return read_bytes(r, (struct elf_record_position){ELF_NOTE, 0}, (const char *)&notes, tables);
}

static bool read_ptx(struct elf_reader *r, const char *name, const struct tables *tables,
                     struct source *ptx)
{
    const struct elf_part_bytes *part = &r->parts[ELF_PTX];
    char digest[SHA256_HEX + 1];
    tables_digest(digest, part->bytes, part->size);
    if (strcmp(digest, tables->output.sha256))
        return elf_fault(
            r, "section '%s': the PTX does not belong to the metadata: its digest differs",
            PTXOFFLOAD_SECTION_PTX);
    char *text = arena_alloc(r->arena, part->size + 2);
    memcpy(text, part->bytes, part->size);
    source_init(ptx, r->arena, name, text, (uint32_t)part->size);
    return true;
}

static bool read_module(struct elf_reader *r, struct tables *tables)
{
    if (r->parts[ELF_MODULE].count != 1)
        return elf_fault(r, "section '%s': it has %u records, expected one",
                         PTXOFFLOAD_SECTION_MODULE, r->parts[ELF_MODULE].count);
    r->next[ELF_MODULE] = 1;
    if (!read_record(r, (struct elf_record_position){ELF_MODULE, 0}, tables))
        return false;
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        if (r->next[part] != r->parts[part].count)
            return elf_fault(r, "section '%s': record %u is not referenced", elf_parts[part].name,
                             r->next[part]);
    return true;
}

// Must precede any allocation per instruction. The PTX has at least one byte for each instruction.
static bool check_instructions(struct elf_reader *r, const struct tables *tables)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < tables->kernels.n; i++)
        count += tables->kernels.v[i].instructions;
    return count <= r->parts[ELF_PTX].size ||
           elf_fault(r, "the kernels have more instructions than the PTX has bytes");
}

// Copies the section of strings, because the tables point into it.
static void keep_strings(struct elf_reader *r)
{
    struct elf_part_bytes *strings = &r->parts[ELF_STRINGS];
    char *copy = arena_alloc(r->arena, strings->size);
    memcpy(copy, strings->bytes, strings->size);
    strings->bytes = copy;
}

bool tables_read_elf(struct tables *tables, struct source *ptx, struct arena *arena,
                     const char *name, const char *bytes, size_t size, struct diags *diags)
{
    struct elf_reader r = {.arena = arena, .diags = diags, .bytes = bytes, .size = size};
    *tables = (struct tables){0};
    if (!elf_find_parts(&r))
        return false;
    keep_strings(&r);
    elf_record_fields_init(&r.slots, arena);
    if (!read_version(&r, tables) || !read_ptx(&r, name, tables, ptx) || !read_module(&r, tables) ||
        !check_instructions(&r, tables))
        return false;
    const char *wrong = tables_check(arena, tables);
    return !wrong || elf_fault(&r, "%s", wrong);
}
