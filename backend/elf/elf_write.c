// Writes tables to sections. The records of a record's lists are written before the next record, so
// that the ranges of a section follow each other.
#include "backend/elf/elf_object.h"
#include "backend/elf/elf_rows.h"
#include "backend/emit/text.h"
#include "include/ptxoffload/metadata.h"
#include "support/intern.h"
#include <elf.h>
#include <math.h>
#include <string.h>

struct elf_writer {
    struct arena *arena;
    struct elf_record_fields slots;
    struct text parts[ELF_PARTS];
    uint32_t counts[ELF_PARTS]; // of records
    struct intern strings;
    VEC(uint32_t) offsets; // of each string
};

static uint32_t add_string(struct elf_writer *w, const char *text)
{
    size_t length = strlen(text);
    uint32_t id = intern_add(&w->strings, text, length);
    if (id == w->offsets.n) {
        vec_push(w->arena, &w->offsets, w->parts[ELF_STRINGS].bytes.n);
        text_add(&w->parts[ELF_STRINGS], text, length + 1);
    }
    return w->offsets.v[id];
}

static void add_record(struct elf_writer *w, enum elf_part part, const void *record);

// Adds the records of a list. Returns the index of the first one.
static uint32_t add_list(struct elf_writer *w, const struct record_field_use *slot,
                         const void *value)
{
    enum elf_part part = elf_list(slot->field);
    uint32_t first = w->counts[part];
    struct field_list list;
    memcpy(&list, value, sizeof list);
    for (uint32_t i = 0; i < list.items.n; i++)
        add_record(w, part, list.items.v + i * slot->field->size);
    return first;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t maybe_bits(const double *value)
{
    return double_bits(value ? *value : (double)NAN);
}

static uint64_t word_number(struct elf_writer *w, const struct record_field_use *slot,
                            unsigned word)
{
    return slot->field->elf.size == 1 ? word : add_string(w, slot->field->words[word]);
}

// Returns the record's entry for a value: the value itself, the offset of its string, or the index
// of its list's first record.
static uint64_t number_of(struct elf_writer *w, const struct record_field_use *slot,
                          const void *value)
{
    switch (slot->field->kind) {
    case FIELD_TEXT: return add_string(w, *(const char *const *)value);
    case FIELD_UINT:
    case FIELD_OPTIONAL: return *(const uint32_t *)value;
    case FIELD_WORDS: return *(const unsigned *)value;
    case FIELD_COUNT: return *(const uint64_t *)value;
    case FIELD_DOUBLE: return double_bits(*(const double *)value);
    case FIELD_MAYBE: return maybe_bits(*(const double *const *)value);
    case FIELD_OPTION:
    case FIELD_BOOL: return *(const bool *)value;
    case FIELD_WORD: return word_number(w, slot, *(const unsigned *)value);
    case FIELD_TEXTS:
    case FIELD_LIST: return add_list(w, slot, value);
    case FIELD_SHA256:
    case FIELD_FIXED:
    case FIELD_NUMBER:
    case FIELD_ANY:
    case FIELD_OBJECT:
    case FIELD_PART: break; // not numbers
    }
    return 0;
}

static void put_digest(char *to, const char *digits)
{
    static const char values[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_BYTES; i++, digits += 2)
        to[i] = (char)((strchr(values, digits[0]) - values) << 4 |
                       (strchr(values, digits[1]) - values));
}

static void put_entry(struct elf_writer *w, const struct record_field_use *slot, const void *value,
                      char *to)
{
    if (slot->field->kind == FIELD_SHA256) {
        put_digest(to, value);
        return;
    }
    uint64_t number = number_of(w, slot, value);
    if (elf_list(slot->field) == ELF_PARTS) {
        elf_put(to, slot->field->elf.size, number);
        return;
    }
    struct field_list list;
    memcpy(&list, value, sizeof list);
    elf_put(to, 4, number);
    elf_put(to + 4, 4, list.items.n);
}

// Adds a record before the records of its lists.
static void add_record(struct elf_writer *w, enum elf_part part, const void *record)
{
    char bytes[sizeof(struct ptxoffload_block)] = {0}; // the largest record
    struct text *to = &w->parts[part];
    uint32_t at = to->bytes.n, size = elf_parts[part].record_size;
    text_add(to, bytes, size);
    w->counts[part]++;
    for (const struct record_field_use *slot = w->slots.of[part]; slot->field; slot++)
        if (slot->option == SIZE_MAX || *(const bool *)((const char *)record + slot->option))
            put_entry(w, slot, (const char *)record + slot->offset, bytes + slot->at);
    memcpy(to->bytes.v + at, bytes, size);
}

static void add_note(struct text *to, uint32_t type, const char *bytes, uint32_t size)
{
    static const char name[] = PTXOFFLOAD_NOTE_NAME;
    static const char zeros[4];
    char header[12];
    elf_put(header, 4, sizeof name);
    elf_put(header + 4, 4, size);
    elf_put(header + 8, 4, type);
    text_add(to, header, sizeof header);
    text_add(to, name, sizeof name);
    text_add(to, zeros, -sizeof name & 3);
    text_add(to, bytes, size);
    text_add(to, zeros, -size & 3);
}

static void add_notes(struct elf_writer *w, const struct tables *tables)
{
    char bytes[sizeof(struct elf_notes)];
    struct text *to = &w->parts[ELF_NOTE];
    for (const struct record_field_use *slot = w->slots.of[ELF_NOTE]; slot->field; slot++)
        put_entry(w, slot, (const char *)tables + slot->offset, bytes + slot->at);
    add_note(to, PTXOFFLOAD_NOTE_VERSION, bytes, 4);
    add_note(to, PTXOFFLOAD_NOTE_SOURCE, bytes + offsetof(struct elf_notes, source), SHA256_BYTES);
    add_note(to, PTXOFFLOAD_NOTE_OUTPUT, bytes + offsetof(struct elf_notes, output), SHA256_BYTES);
}

static void add_symbol(struct text *to, const Elf64_Sym *symbol)
{
    char bytes[sizeof *symbol];
    elf_put(bytes, 4, symbol->st_name);
    elf_put(bytes + 4, 1, symbol->st_info);
    elf_put(bytes + 5, 1, symbol->st_other);
    elf_put(bytes + 6, 2, symbol->st_shndx);
    elf_put(bytes + 8, 8, symbol->st_value);
    elf_put(bytes + 16, 8, symbol->st_size);
    text_add(to, bytes, sizeof bytes);
}

// Adds a symbol for each kernel. They are local, because nothing is resolved with them and the
// host's program has functions of the same names. Their names have a section of their own, because
// tools that copy objects write it anew.
static void add_symbols(const struct tables *tables, struct text *symbols, struct text *names)
{
    uint32_t size = elf_parts[ELF_KERNELS].record_size;
    Elf64_Sym symbol = {0};
    add_symbol(symbols, &symbol);
    text_add(names, "", 1);
    for (uint32_t i = 0; i < tables->kernels.n; i++) {
        const char *name = tables->kernels.v[i].name;
        symbol = (Elf64_Sym){
            .st_name = names->bytes.n,
            .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
            .st_shndx = 1 + ELF_KERNELS,
            .st_value = i * size,
            .st_size = size,
        };
        text_add(names, name, strlen(name) + 1);
        add_symbol(symbols, &symbol);
    }
}

static const char *write_object(struct elf_writer *w, struct elf_image *image,
                                const struct tables *tables)
{
    enum { SYMBOLS = ELF_PARTS, NAMES, COUNT };
    struct elf_section sections[COUNT];
    struct text symbols, names;
    text_init(&symbols, w->arena);
    text_init(&names, w->arena);
    add_symbols(tables, &symbols, &names);
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        sections[part] = (struct elf_section){
            .name = elf_parts[part].name,
            .type = elf_parts[part].type,
            .align = elf_parts[part].align,
            .entry_size = elf_parts[part].record_size,
            .bytes = w->parts[part].bytes.v,
            .size = w->parts[part].bytes.n,
        };
    sections[SYMBOLS] = (struct elf_section){
        ".symtab",       SHT_SYMTAB,      8, sizeof(Elf64_Sym), 1 + NAMES, 1 + tables->kernels.n,
        symbols.bytes.v, symbols.bytes.n,
    };
    sections[NAMES] = (struct elf_section){
        ".strtab", SHT_STRTAB, 1, 0, 0, 0, names.bytes.v, names.bytes.n,
    };
    return elf_object_write(image, w->arena, sections, COUNT);
}

const char *tables_write_elf(struct elf_image *image, struct arena *arena,
                             const struct tables *tables, const char *ptx, uint32_t length)
{
    struct elf_writer w = {.arena = arena};
    elf_record_fields_init(&w.slots, arena);
    intern_init(&w.strings, arena);
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        text_init(&w.parts[part], arena);
    add_string(&w, "");
    text_add(&w.parts[ELF_PTX], ptx, length);
    add_notes(&w, tables);
    add_record(&w, ELF_MODULE, tables);
    return write_object(&w, image, tables);
}
