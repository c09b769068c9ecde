// The tables as ELF objects: a written object reads back unchanged in every part.
#include "tests/unit/backend/elf.h"
#include "tests/unit/backend/texts.h"
#include <dirent.h>

static bool read_image(struct made *m, struct elf_image image, struct tables *tables,
                       struct source *ptx, struct diags *diags)
{
    diags_init(diags, &m->program.arena);
    return tables_read_elf(tables, ptx, &m->program.arena, "in.elf", image.bytes, image.size,
                           diags);
}

// Checks that the object gives the same JSON, PTX and ELF again.
static void check_round(struct made *m)
{
    struct elf_image image = made_elf_image(m), again;
    struct tables tables;
    struct source ptx;
    struct diags diags;
    assert_true(tables_is_elf(image.bytes, image.size));
    if (!read_image(m, image, &tables, &ptx, &diags))
        fail_msg("%s", diags.list.v[0].message);
    char *before = made_json(&m->output.tables), *after = made_json(&tables);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(ptx.length, m->output.length);
    assert_memory_equal(ptx.text, m->output.text, ptx.length);
    assert_memory_equal(ptx.text + ptx.length, "\0\0", 2);
    assert_string_equal(ptx.name, "in.elf");
    assert_null(tables_write_elf(&again, &m->program.arena, &tables, ptx.text, ptx.length));
    assert_int_equal(image.size, again.size);
    assert_memory_equal(image.bytes, again.bytes, image.size);
}

static void test_round(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++)
        for (size_t i = 0; i < ODD_TEXTS; i++) {
            struct made m;
            made_emit(&m, odd_texts[i], strlen(odd_texts[i]), TAGS_PRAGMA_FULL, seed & 1, seed);
            check_round(&m);
            program_free(&m.program);
        }
}

static void test_each(void **state)
{
    (void)state;
    struct made m;
    made_one_of_each(&m);
    check_round(&m);
    struct table_block *block = &m.output.tables.kernels.v[0].blocks.v[0];
    // What is not said takes no place: the condition of none is 0.
    block->has_condition = false;
    check_round(&m);
    struct elf_image image = made_elf_image(&m);
    const char *record = image.bytes + made_section_of(image.bytes, ".ptxoffload.blocks").sh_offset;
    static const char zeros[8];
    assert_memory_equal(record + offsetof(struct ptxoffload_block, condition), zeros, 4);
    assert_memory_equal(record + offsetof(struct ptxoffload_block, threshold), zeros, 8);
    program_free(&m.program);
}

// Records have the layout of the header, and the values of the plan.
static void test_records(void **state)
{
    (void)state;
    struct made m;
    struct ptxoffload_chain chain;
    struct ptxoffload_block block;
    struct ptxoffload_rejection rejection;
    made_one_of_each(&m);
    struct elf_image image = made_elf_image(&m);
    const char *bytes = image.bytes;
    const char *strings = bytes + made_section_of(bytes, ".ptxoffload.strings").sh_offset;
    memcpy(&chain, bytes + made_section_of(bytes, ".ptxoffload.chains").sh_offset, sizeof chain);
    memcpy(&block, bytes + made_section_of(bytes, ".ptxoffload.blocks").sh_offset, sizeof block);
    memcpy(&rejection, bytes + made_section_of(bytes, ".ptxoffload.rejected").sh_offset,
           sizeof rejection);
    assert_int_equal(chain.pattern, 4);
    assert_int_equal(chain.response, PTXOFFLOAD_RESPONSE_DATA);
    assert_int_equal(chain.response_flits, 5);
    assert_int_equal(chain.saving, 16);
    assert_int_equal(chain.instructions.count, 2);
    assert_int_equal(block.kind, PTXOFFLOAD_BLOCK_REGION);
    assert_int_equal(block.live_out.first, 2);
    assert_int_equal(block.live_out.count, 1);
    assert_true(block.threshold == UINT64_C(1) << 40);
    assert_true(block.estimate.at_threshold_bw_tx == 0.25);
    assert_int_equal(block.estimate.saves, PTXOFFLOAD_SAVES_RX);
    assert_true(block.conditional && block.passed_over && block.estimate.candidate);
    assert_string_equal(strings + block.condition, "(%r1 + 3) / 4");
    assert_string_equal(strings + rejection.rule, "reuse");
    assert_int_equal(rejection.because_line, 9);
    program_free(&m.program);
}

static uint32_t leaves(const struct record_field *fields)
{
    uint32_t count = 0;
    for (const struct record_field *field = fields; field->key; field++)
        if (field->kind == FIELD_OBJECT || field->kind == FIELD_PART)
            count += leaves(field->rows);
        else if (field->kind == FIELD_OPTION)
            count += 1 + leaves(field->rows);
        else // others are in JSON or in tags only
            count += *field->key && field->kind != FIELD_FIXED && field->rows != rows_map;
    return count;
}

static void check_slot(const struct record_field_use *slot, uint32_t record_size)
{
    static const uint8_t sizes[] = {
        [FIELD_TEXT] = 4,   [FIELD_SHA256] = 32, [FIELD_OPTIONAL] = 4, [FIELD_COUNT] = 8,
        [FIELD_DOUBLE] = 8, [FIELD_BOOL] = 1,    [FIELD_WORDS] = 1,    [FIELD_TEXTS] = 8,
        [FIELD_OPTION] = 1, [FIELD_LIST] = 8,    [FIELD_MAYBE] = 8,
    };
    uint32_t size = slot->field->elf.size, kind = slot->field->kind;
    bool free_size = kind == FIELD_UINT || kind == FIELD_WORD;
    if (free_size ? size != 1 && size != 4 : size != sizes[kind])
        fail_msg("%s has %u bytes", slot->path, size);
    assert_true(slot->at + size <= record_size);
    assert_int_equal(elf_list(slot->field) != ELF_PARTS, kind == FIELD_LIST || kind == FIELD_TEXTS);
}

// ELF objects have all that JSON has of the tables: each entry has its own place in its record.
static void test_complete(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    struct elf_record_fields slots;
    uint32_t all[ELF_PARTS] = {0};
    arena_init(&arena, &memory);
    elf_record_fields_init(&slots, &arena);
    for (enum elf_part part = 0; part < ELF_PARTS; part++) {
        const struct elf_part_info *info = &elf_parts[part];
        uint32_t size = part == ELF_NOTE ? sizeof(struct elf_notes) : info->record_size;
        bool taken[sizeof(struct ptxoffload_block)] = {0};
        for (const struct record_field_use *slot = slots.of[part]; slot && slot->field;
             slot++, all[part]++) {
            check_slot(slot, size);
            for (uint32_t i = 0; i < slot->field->elf.size; i++) {
                assert_false(taken[slot->at + i]);
                taken[slot->at + i] = true;
            }
        }
        if (slots.of[part] && part != ELF_NOTE && part != ELF_MODULE)
            assert_int_equal(all[part], leaves(info->fields));
    }
    assert_int_equal(all[ELF_NOTE] + all[ELF_MODULE], leaves(rows_document));
    arena_free(&arena);
}

// The file is valid ELF for readers without this library.
static void test_object(void **state)
{
    (void)state;
    struct made m;
    Elf64_Ehdr file;
    made_one_of_each(&m);
    struct elf_image image = made_elf_image(&m);
    memcpy(&file, image.bytes, sizeof file);
    assert_int_equal(file.e_type, ET_REL);
    assert_int_equal(file.e_machine, EM_NONE);
    assert_int_equal(file.e_ident[EI_CLASS], ELFCLASS64);
    assert_int_equal(file.e_ident[EI_DATA], ELFDATA2LSB);
    for (enum elf_part part = 0; part < ELF_PARTS; part++) {
        Elf64_Shdr header = made_section_of(image.bytes, elf_parts[part].name);
        assert_int_equal(header.sh_entsize, elf_parts[part].record_size);
        assert_int_equal(header.sh_addralign, elf_parts[part].align);
        assert_int_equal(header.sh_offset % elf_parts[part].align, 0);
        assert_int_equal(header.sh_flags, 0); // nothing of it belongs into a program's memory
    }
    Elf64_Shdr symbols = made_section_of(image.bytes, ".symtab");
    Elf64_Sym symbol;
    Elf64_Shdr names = made_section_of(image.bytes, ".strtab");
    assert_int_equal(symbols.sh_size, 2 * sizeof symbol);
    assert_int_equal(symbols.sh_info, 2);
    memcpy(&symbol, image.bytes + symbols.sh_offset + sizeof symbol, sizeof symbol);
    assert_string_equal(image.bytes + names.sh_offset + symbol.st_name, "k");
    assert_int_equal(symbol.st_size, sizeof(struct ptxoffload_kernel));
    program_free(&m.program);
}

// Records that a later version has extended are read; the added bytes are ignored.
static void test_longer_records(void **state)
{
    (void)state;
    struct made m;
    made_one_of_each(&m);
    struct elf_image image = made_elf_image(&m), longer;
    struct elf_section sections[ELF_PARTS + 1];
    for (enum elf_part part = 0; part < ELF_PARTS; part++) {
        const struct elf_part_info *info = &elf_parts[part];
        Elf64_Shdr header = made_section_of(image.bytes, info->name);
        const char *bytes = image.bytes + header.sh_offset;
        uint32_t step = info->record_size ? info->record_size + 16 : 0,
                 size = (uint32_t)header.sh_size;
        char *room = arena_alloc(&m.program.arena, size * 8u + 8);
        if (!step)
            memcpy(room, bytes, size);
        else
            for (uint32_t i = 0; i < size / info->record_size; i++) {
                memset(room + i * step, 0xff, step);
                memcpy(room + i * step, bytes + i * info->record_size, info->record_size);
            }
        sections[part] = (struct elf_section){
            info->name, info->type, info->align, step,
            0,          0,          room,        step ? size / info->record_size * step : size};
    }
    sections[ELF_PARTS] =
        (struct elf_section){".ptxoffload.later", SHT_PROGBITS, 1, 0, 0, 0, "what?", 5};
    assert_null(elf_object_write(&longer, &m.program.arena, sections, ELF_PARTS + 1));
    struct tables tables;
    struct source ptx;
    struct diags diags;
    if (!read_image(&m, longer, &tables, &ptx, &diags))
        fail_msg("%s", diags.list.v[0].message);
    char *before = made_json(&m.output.tables), *after = made_json(&tables);
    assert_string_equal(before, after);
    free(before);
    free(after);
    program_free(&m.program);
}

__attribute__((noinline)) static uint32_t open_files(void)
{
    uint32_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

// Memory runs out at any point of writing and reading: all memory and files are released.
static void test_memory(void **state)
{
    (void)state;
    struct made m;
    made_one_of_each(&m);
    struct elf_image from = made_elf_image(&m);
    uint32_t files = open_files();
    volatile bool good = false;
    volatile long n = 1;
    for (; !good; n++) {
        struct memory memory = {0};
        struct arena arena;
        struct diags diags;
        struct tables tables;
        struct source ptx;
        struct elf_image image;
        arena_init(&arena, &memory);
        memory.fail_in = n;
        if (!setjmp(memory.on_failure)) {
            diags_init(&diags, &arena);
            assert_true(
                tables_read_elf(&tables, &ptx, &arena, "in.elf", from.bytes, from.size, &diags));
            assert_null(tables_write_elf(&image, &arena, &tables, ptx.text, ptx.length));
            good = true;
        }
        arena_free(&arena);
        assert_int_equal(memory.bytes, 0);
        assert_int_equal(open_files(), files);
    }
    assert_true(n > 2);
    program_free(&m.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),   cmocka_unit_test(test_each),
        cmocka_unit_test(test_records), cmocka_unit_test(test_complete),
        cmocka_unit_test(test_object),  cmocka_unit_test(test_longer_records),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
