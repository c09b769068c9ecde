// ELF objects that are truncated or changed in one place: each is rejected with the place and the
// reason, or is consistent. The object ends at the end of accessible memory.
#include "tests/lib/containers.h"
#include "tests/unit/backend/elf.h"
#include <inttypes.h>

struct object {
    struct made made;
    struct elf_image image; // sound
    struct guarded guarded;
    char *bytes; // a copy to be changed; memory ends behind it
    struct diags diags;
    struct tables tables;
    struct source ptx;
};

static void restore(struct object *o)
{
    o->bytes = guarded_copy(&o->guarded, o->image.bytes, o->image.size);
}

static int set_up(void **state)
{
    struct object *o = calloc(1, sizeof *o);
    made_one_of_each(&o->made);
    o->image = made_elf_image(&o->made);
    o->guarded = guarded_new(o->image.size);
    restore(o);
    *state = o;
    return 0;
}

static int tear_down(void **state)
{
    struct object *o = *state;
    guarded_free(&o->guarded);
    program_free(&o->made.program);
    free(o);
    return 0;
}

static bool read_object(struct object *o, const char *bytes, size_t size)
{
    struct arena *arena = &o->made.program.arena;
    diags_init(&o->diags, arena);
    bool good = tables_read_elf(&o->tables, &o->ptx, arena, "in.elf", bytes, size, &o->diags);
    assert_int_equal(good, !o->diags.errors);
    return good;
}

static void refused(struct object *o, const char *why)
{
    if (read_object(o, o->bytes, o->image.size))
        fail_msg("taken, in spite of: %s", why);
    for (uint32_t i = 0; i < o->diags.list.n; i++)
        if (strstr(o->diags.list.v[i].message, why))
            return;
    fail_msg("'%s' does not say '%s'", o->diags.list.v[0].message, why);
}

static void test_cut(void **state)
{
    struct object *o = *state;
    for (size_t size = 0; size < o->image.size; size++) {
        const char *bytes = guarded_copy(&o->guarded, o->image.bytes, size);
        assert_false(read_object(o, bytes, size));
    }
    restore(o);
    assert_true(read_object(o, o->bytes, o->image.size));
}

// Returns false for bytes of sections whose contents are not checked: symbols, which are for other
// programs, and padding.
static bool is_checked(const struct object *o, size_t at)
{
    Elf64_Shdr ptx = made_section_of(o->image.bytes, ".ptxoffload.ptx");
    return at >= ptx.sh_offset && at < ptx.sh_offset + ptx.sh_size;
}

// Writes and reads accepted tables once more, and compares them.
static void check_sound(struct object *o)
{
    struct elf_image again;
    struct tables tables;
    struct source ptx;
    struct arena *arena = &o->made.program.arena;
    const char *wrong = tables_write_elf(&again, arena, &o->tables, o->ptx.text, o->ptx.length);
    assert_null(wrong);
    if (!tables_read_elf(&tables, &ptx, arena, "again", again.bytes, again.size, &o->diags))
        fail_msg("%s", o->diags.list.v[0].message);
    char *first = made_json(&o->tables), *second = made_json(&tables);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void test_changed_bytes(void **state)
{
    struct object *o = *state;
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    uint32_t taken = 0, refusals = 0;
    for (size_t at = 0; at < o->image.size; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            restore(o);
            o->bytes[at] ^= (char)changes[i];
            bool good = read_object(o, o->bytes, o->image.size);
            good ? taken++ : refusals++;
            assert_false(good && is_checked(o, at));
            if (good)
                check_sound(o);
            else
                assert_true(strlen(o->diags.list.v[0].message) > 10);
        }
    assert_true(taken > 100 && refusals > 1000);
}

// As above, with numbers out of every range.
static void test_changed_words(void **state)
{
    struct object *o = *state;
    static const uint32_t words[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t at = 0; at + 4 <= o->image.size; at += 4)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            restore(o);
            memcpy(o->bytes + at, &words[i], 4);
            if (read_object(o, o->bytes, o->image.size))
                check_sound(o);
        }
}

// Single faults

#define AT(TYPE, MEMBER) offsetof(struct TYPE, MEMBER), sizeof((struct TYPE *)NULL)->MEMBER

static const struct {
    const char *section;
    size_t at, size;
    uint64_t value;
    const char *why;
} faulty[] = {
    {".ptxoffload.chains", AT(ptxoffload_chain, pattern), 0,
     "section '.ptxoffload.chains', record 0, pattern: expected a whole number from 1 to "},
    {".ptxoffload.chains", AT(ptxoffload_chain, pattern), 99, "record 0, pattern: expected"},
    {".ptxoffload.chains", AT(ptxoffload_chain, response), 3,
     "response.kind: expected one of ack, data, bitmap"},
    {".ptxoffload.chains", AT(ptxoffload_chain, saving), 0x80000000,
     "saving: expected a whole number from 0 to 2147483647"},
    {".ptxoffload.chains", AT(ptxoffload_chain, id), 1,
     "its id differs from its place in the list"},
    {".ptxoffload.chains", AT(ptxoffload_chain, instructions.first), 1,
     "instructions: it begins with record 1 of '.ptxoffload.instructions', expected 0"},
    {".ptxoffload.chains", AT(ptxoffload_chain, instructions.count), 3,
     "instructions: it has 3 records, '.ptxoffload.instructions' has 2 more"},
    {".ptxoffload.chains", AT(ptxoffload_chain, instructions.count), UINT32_MAX,
     "instructions: it has 4294967295 records"},
    {".ptxoffload.chains", AT(ptxoffload_chain, instructions.count), 1,
     "section '.ptxoffload.instructions': record 1 is not referenced"},
    {".ptxoffload.instructions", AT(ptxoffload_instruction, tag), 0,
     "tag: expected one of 01, 10, 11"},
    {".ptxoffload.instructions", AT(ptxoffload_instruction, tag), 4, "tag: expected one of"},
    {".ptxoffload.instructions", AT(ptxoffload_instruction, tag), 3, "its tags are not 01, 10"},
    {".ptxoffload.instructions", AT(ptxoffload_instruction, line), 0, "line: expected"},
    {".ptxoffload.instructions", AT(ptxoffload_instruction, index), 99, "outside the kernel"},
    {".ptxoffload.instructions", AT(ptxoffload_instruction, opcode), UINT32_MAX,
     "section '.ptxoffload.instructions', record 0, opcode: expected a string"},
    {".ptxoffload.blocks", AT(ptxoffload_block, kind), 3,
     "kind: expected one of loop, block, region"},
    {".ptxoffload.blocks", AT(ptxoffload_block, passed_over), 2,
     "passed_over: expected true or false"},
    {".ptxoffload.blocks", AT(ptxoffload_block, conditional), 255,
     "condition: expected an object, or none"},
    {".ptxoffload.blocks", AT(ptxoffload_block, threshold), 0, "its condition has no threshold"},
    {".ptxoffload.blocks", AT(ptxoffload_block, threshold), UINT64_MAX,
     "condition.threshold: expected a positive whole number"},
    {".ptxoffload.blocks", AT(ptxoffload_block, condition), 0x10000,
     "condition.value: expected a string"},
    {".ptxoffload.blocks", AT(ptxoffload_block, estimate.bw_tx), UINT64_C(0x7ff0000000000000),
     "bw_tx: expected a number"},
    {".ptxoffload.blocks", AT(ptxoffload_block, estimate.at_threshold_bw_rx),
     UINT64_C(0xfff8000000000000), "at_threshold.bw_rx: expected a number"},
    {".ptxoffload.blocks", AT(ptxoffload_block, estimate.saves), 4, "saves: expected a list"},
    {".ptxoffload.blocks", AT(ptxoffload_block, estimate.cost), 2,
     "cost: expected one of tom, refined"},
    {".ptxoffload.blocks", AT(ptxoffload_block, estimate.candidate), 0,
     "passed over, but is not a candidate"},
    {".ptxoffload.blocks", AT(ptxoffload_block, end_index), 0x7fffffff,
     "it is not inside the kernel"},
    {".ptxoffload.blocks", AT(ptxoffload_block, live_out.first), 0,
     "live_out: it begins with record 0 of '.ptxoffload.registers', expected 2"},
    {".ptxoffload.registers", AT(ptxoffload_register, name), 0,
     "live_in: expected a list of names"},
    {".ptxoffload.registers", AT(ptxoffload_register, name), 0xfffffff0, "live_in: expected"},
    {".ptxoffload.estimates", AT(ptxoffload_estimate, cost), 9,
     "section '.ptxoffload.estimates', record 0, cost"},
    {".ptxoffload.rejected", AT(ptxoffload_rejection, rule), 0, "rule: expected one of reuse, "},
    {".ptxoffload.rejected", AT(ptxoffload_rejection, because_line), UINT32_MAX,
     "because_line: expected"},
    {".ptxoffload.rejected", AT(ptxoffload_rejection, kind), 6,
     "kind: expected one of load, chain, block, store, kernel, map"},
    {".ptxoffload.kernels", AT(ptxoffload_kernel, name), 0xffff, "name: expected a string"},
    {".ptxoffload.kernels", AT(ptxoffload_kernel, loads), 6, "more loads than instructions"},
    {".ptxoffload.kernels", AT(ptxoffload_kernel, instructions), 0x7fffffff,
     "the kernels have more instructions than the PTX has bytes"},
    {".ptxoffload.module", AT(ptxoffload_module, reorder), 2,
     "options.reorder: expected true or false"},
    {".ptxoffload.module", AT(ptxoffload_module, min_saving), UINT64_C(0x7ff0000000000000),
     "options.min_saving: expected a number"},
    {".ptxoffload.module", AT(ptxoffload_module, kernels.count), 0,
     "section '.ptxoffload.kernels': record 0 is not referenced"},
    {".ptxoffload.strings", 0, 1, 'x',
     "section '.ptxoffload.strings': it does not begin and end with"},
    {".ptxoffload.strings", 1, 1, 0xff, "section '.ptxoffload.strings': byte 1 is not UTF-8"},
    {".ptxoffload.ptx", 0, 1, 'x',
     "section '.ptxoffload.ptx': the PTX does not belong to the metadata"},
    // Notes: 12 bytes and 12 of the name in front of what they say.
    {".note.ptxoffload", 24, 4, 2, "the metadata have version 2; only version 1 is supported"},
    {".note.ptxoffload", 24, 4, 0, "the metadata have version 0"},
    {".note.ptxoffload", 0, 4, 10, "the note 'version' is missing"},
    {".note.ptxoffload", 4, 4, UINT32_MAX, "section '.note.ptxoffload': a note is truncated"},
    {".note.ptxoffload", 0, 4, UINT32_MAX, "a note is truncated"},
    {".note.ptxoffload", 8, 4, 16, "the note 'source' is of the wrong size"},
    {".note.ptxoffload", 28 + 8, 4, 17, "the note 'output' is given more than once"},
    {".note.ptxoffload", 28 + 8, 4, 99, "the note 'source' is missing"},
    {".note.ptxoffload", 84 + 24, 1, 0,
     "section '.ptxoffload.ptx': the PTX does not belong to the metadata"},
};

static void test_faulty(void **state)
{
    struct object *o = *state;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        restore(o);
        size_t at = made_section_of(o->bytes, faulty[i].section).sh_offset + faulty[i].at;
        elf_put(o->bytes + at, (uint32_t)faulty[i].size, faulty[i].value);
        refused(o, faulty[i].why);
    }
}

#define HEADER(MEMBER) offsetof(Elf64_Shdr, MEMBER), sizeof((Elf64_Shdr *)NULL)->MEMBER

static const struct {
    const char *section;
    size_t at, size;
    uint64_t value;
    const char *why;
} faulty_headers[] = {
    {".ptxoffload.kernels", HEADER(sh_name), 0, "section '.ptxoffload.kernels': it is missing"},
    {".ptxoffload.kernels", HEADER(sh_name), UINT32_MAX,
     "section '.ptxoffload.kernels': it is missing"},
    {".ptxoffload.kernels", HEADER(sh_type), SHT_NOBITS, "its type is 8, expected 1"},
    {".ptxoffload.kernels", HEADER(sh_flags), SHF_COMPRESSED,
     "it is compressed, which is not supported"},
    {".ptxoffload.kernels", HEADER(sh_offset), UINT64_MAX, "it is outside the file"},
    {".ptxoffload.kernels", HEADER(sh_size), UINT64_MAX, "it is outside the file"},
    {".ptxoffload.kernels", HEADER(sh_offset), 65, "its offset 0x41 is not a multiple of 4"},
    {".ptxoffload.kernels", HEADER(sh_size), 35, "its last record is truncated"},
    {".ptxoffload.kernels", HEADER(sh_entsize), 0, "its records have 0 bytes, expected 44"},
    {".ptxoffload.kernels", HEADER(sh_entsize), 32, "its records have 32 bytes, expected 44"},
    {".ptxoffload.kernels", HEADER(sh_entsize), 37, "its records have 37 bytes, expected 44"},
    {".ptxoffload.module", HEADER(sh_size), 0, "section '.ptxoffload.module': it has 0 records"},
    {".ptxoffload.ptx", HEADER(sh_offset), 64, "it overlaps with"},
    {".ptxoffload.strings", HEADER(sh_size), 0, "does not begin and end with a NUL byte"},
    {".ptxoffload.module", HEADER(sh_offset), 0, "it overlaps with the ELF header"},
    {".note.ptxoffload", HEADER(sh_type), SHT_PROGBITS,
     "section '.note.ptxoffload': its type is 1"},
    {".note.ptxoffload", HEADER(sh_size), 0, "the note 'version' is missing"},
};

static void test_faulty_headers(void **state)
{
    struct object *o = *state;
    for (size_t i = 0; i < sizeof faulty_headers / sizeof *faulty_headers; i++) {
        restore(o);
        size_t at = made_header(o->bytes, faulty_headers[i].section) + faulty_headers[i].at;
        elf_put(o->bytes + at, (uint32_t)faulty_headers[i].size, faulty_headers[i].value);
        refused(o, faulty_headers[i].why);
    }
    // Two sections of a name: the table of the one overwrites that of the other.
    restore(o);
    size_t kernels = made_header(o->bytes, ".ptxoffload.kernels");
    size_t chains = made_header(o->bytes, ".ptxoffload.chains");
    memcpy(o->bytes + chains, o->bytes + kernels, sizeof(Elf64_Shdr));
    refused(o, "section '.ptxoffload.kernels': it is given more than once");
    refused(o, "section '.ptxoffload.chains': it is missing");
}

static void test_other_files(void **state)
{
    struct object *o = *state;
    static const struct {
        size_t at;
        char value;
        const char *why;
    } changes[] = {
        {0, 'x', "this is not an ELF file"},
        {EI_CLASS, ELFCLASS32, "this is not a 64-bit ELF object"},
        {EI_DATA, ELFDATA2MSB, "this is not a little-endian ELF object"},
        {offsetof(Elf64_Ehdr, e_type), ET_EXEC, "the ELF file is not a relocatable object"},
        {offsetof(Elf64_Ehdr, e_machine), EM_X86_64, "the ELF object has a machine"},
        {offsetof(Elf64_Ehdr, e_shentsize), 65, "its section table is damaged"},
        {offsetof(Elf64_Ehdr, e_shoff) + 6, 1,
         "it is truncated: its section table would be after its end"},
        {offsetof(Elf64_Ehdr, e_shnum) + 1, 1, "its section table is truncated"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        restore(o);
        o->bytes[changes[i].at] = changes[i].value;
        refused(o, changes[i].why);
    }
}

// Objects of other classes and byte orders, complete except for their contents.
static void test_other_forms(void **state)
{
    struct object *o = *state;
    struct blob note = {0};
    blob_put(&note, "note", 4);
    struct made_section sections[] = {{PTXOFFLOAD_SECTION_NOTE, 0, note}};
    for (int form = 0; form < 4; form++) {
        struct blob blob = {0};
        make_elf(&blob, (struct made_elf){.is_32 = form & 1, .is_big = form >> 1}, sections, 1);
        assert_true(tables_is_elf(blob.bytes, blob.size));
        assert_false(read_object(o, blob.bytes, blob.size));
        const char *message = o->diags.list.v[0].message;
        assert_non_null(strstr(message, form & 1 ? "64-bit" : form ? "little-endian" : ""));
        blob_free(&blob);
        make_elf(&blob, (struct made_elf){.is_32 = form & 1, .is_big = form >> 1}, sections, 0);
        assert_false(tables_is_elf(blob.bytes, blob.size));
        blob_free(&blob);
    }
    assert_false(tables_is_elf("\177EL", 3));
    blob_free(&note);
}

static const char *const section_names[] = {PTXOFFLOAD_SECTION_NOTE,
                                            PTXOFFLOAD_SECTION_PTX,
                                            PTXOFFLOAD_SECTION_MODULE,
                                            PTXOFFLOAD_SECTION_KERNELS,
                                            PTXOFFLOAD_SECTION_CHAINS,
                                            PTXOFFLOAD_SECTION_INSTRUCTIONS,
                                            PTXOFFLOAD_SECTION_BLOCKS,
                                            PTXOFFLOAD_SECTION_STRINGS,
                                            "",
                                            ".none"};

// Finds all sections by the public header, and checks that they are within the object.
static uint32_t find_sections(const char *bytes, size_t size)
{
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof section_names / sizeof *section_names; i++) {
        uint64_t length, step;
        const char *found =
            (const char *)ptxoffload_section(bytes, size, section_names[i], &length, &step);
        assert_true(found ? found >= bytes && length <= size && found + length <= bytes + size
                          : !length && !step);
        count += found != NULL;
    }
    return count;
}

// The section lookup of the public header reads nothing outside the object and agrees with libelf.
static void test_sections(void **state)
{
    struct object *o = *state;
    for (size_t i = 0; i + 2 < sizeof section_names / sizeof *section_names; i++) {
        Elf64_Shdr header = made_section_of(o->image.bytes, section_names[i]);
        uint64_t size, step;
        const char *found = (const char *)ptxoffload_section(o->bytes, o->image.size,
                                                             section_names[i], &size, &step);
        assert_ptr_equal(found, o->bytes + header.sh_offset);
        assert_int_equal(size, header.sh_size);
        assert_int_equal(step, header.sh_entsize);
    }
    for (size_t size = 0; size < o->image.size; size++)
        assert_int_equal(find_sections(guarded_copy(&o->guarded, o->image.bytes, size), size), 0);
    restore(o);
    for (size_t i = 0; i < o->image.size; i++) {
        o->bytes[i] ^= (char)(1 << i % 8);
        find_sections(o->bytes, o->image.size);
        o->bytes[i] = (char)~o->bytes[i];
        find_sections(o->bytes, o->image.size);
        o->bytes[i] = o->image.bytes[i];
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cut),         TEST(test_changed_bytes),  TEST(test_changed_words),
        TEST(test_faulty),      TEST(test_faulty_headers), TEST(test_other_files),
        TEST(test_other_forms), TEST(test_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
