// frontend/container: files that are truncated, changed or inconsistent. Nothing is read after
// their end, where accessible memory ends, and unreadable parts are reported.
#include "tests/unit/frontend/opened.h"
#include <inttypes.h>

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct made_entry entries[] = {
    {FATBIN_PTX, 80, PACKING_NONE, 0, PTX("sm_80"), 0, "a.cu", "-O3"},
    {FATBIN_PTX, 90, PACKING_LZ4, 0, PTX("sm_90"), 0, NULL, NULL},
    {FATBIN_PTX, 75, PACKING_ZSTD, 0, PTX("sm_75"), 0, "b.cu", "-O2"},
};

enum { ENTRIES = sizeof entries / sizeof *entries };

// Reads everything. Requires a report if that fails.
static void read_all(struct opened *o)
{
    for (uint32_t i = 0; i < o->container.modules.n; i++) {
        char *text;
        uint32_t length, said = o->diags.list.n;
        if (container_text(&o->container, i, &o->arena, &text, &length, &o->diags)) {
            assert_true(length > 0);
            assert_memory_equal(text + length, "\0\0", 2);
        } else
            assert_int_equal(o->diags.list.n, said + 1);
    }
    assert_int_equal(o->is_good, !o->container.faults);
}

static void try_bytes(struct opened *o, const char *bytes, size_t size)
{
    open_bytes(o, bytes, size);
    assert_true(o->is_good || o->diags.errors);
    read_all(o);
}

static void make_object(struct blob *to, struct made_elf elf)
{
    struct blob fatbin = {0};
    make_fatbin(&fatbin, entries, ENTRIES);
    struct made_section sections[] = {
        {".nv_fatbin", SHF_ALLOC, fatbin},
        {".rodata", SHF_ALLOC, fatbin},
    };
    make_elf(to, elf, sections, 2);
    blob_free(&fatbin);
}

static void make_library(struct blob *to)
{
    struct blob object = {0}, names = {0};
    make_object(&object, (struct made_elf){.machine = 62});
    blob_put(&names, "a-name-that-is-longer-than-16.o/\n", 33);
    make_archive(to);
    make_member(to, "//", &names);
    make_member(to, "/0", &object);
    make_member(to, "b.o/", &object);
    blob_free(&object);
    blob_free(&names);
}

// Files of every form.
static void make_form(struct blob *to, int form)
{
    blob_free(to);
    if (form < 8)
        make_object(to, (struct made_elf){.machine = form == 7 ? 190 : 62,
                                          .is_32 = form & 1,
                                          .is_big = form >> 1 & 1,
                                          .has_segments = form >> 2});
    else if (form == 8)
        make_library(to);
    else
        make_fatbin(to, entries, ENTRIES);
}

enum { FORMS = 10, FORM_FATBIN = 9, FORM_LIBRARY = 8 };

static void test_cut_anywhere(void **state)
{
    struct opened *o = *state;
    for (int form = 0; form < FORMS; form++) {
        make_form(&o->blob, form);
        for (size_t size = 0; size < o->blob.size; size++)
            try_bytes(o, o->blob.bytes, size);
    }
}

// A fatbin has its own length, so that truncation is detected; the parts before the cut are read.
static void test_cut_fatbin(void **state)
{
    struct opened *o = *state;
    make_fatbin(&o->blob, entries, 1);
    size_t first = o->blob.size;
    make_fatbin(&o->blob, entries, ENTRIES);
    for (size_t size = 4; size < o->blob.size; size++) {
        open_bytes(o, o->blob.bytes, size);
        // Behind the first one's header only the magic number tells that more was to come.
        assert_int_equal(o->is_good, size == first);
        assert_int_equal(o->container.modules.n, size >= first);
        if (size >= first)
            assert_text(o, 0, entries[0].payload);
    }
}

static void test_cut_object(void **state)
{
    struct opened *o = *state;
    make_form(&o->blob, 0);
    for (size_t size = SELFMAG; size < o->blob.size; size++) {
        open_bytes(o, o->blob.bytes, size);
        assert_false(o->is_good);
    }
    open_bytes(o, o->blob.bytes, o->blob.size - 1);
    assert_said(o, "offset 0x0: its section table is truncated");
    open_bytes(o, o->blob.bytes, 200);
    assert_said(o, "it is truncated: its section table would be after its end");
}

static void test_cut_library(void **state)
{
    struct opened *o = *state;
    make_form(&o->blob, FORM_LIBRARY);
    open_bytes(o, o->blob.bytes, o->blob.size - 1);
    assert_false(o->is_good);
    assert_said(o, ": this member is truncated");
    // The first member is whole.
    assert_int_equal(o->container.modules.n, 2 * ENTRIES);
    assert_text(o, 0, entries[0].payload);
    // A member's header is cut, or is none.
    char said[100];
    snprintf(said, sizeof said, "offset 0x%zx: the archive is truncated in a member's header",
             o->blob.size);
    blob_put(&o->blob, "c.o/            0    ", 20);
    open_blob(o);
    assert_false(o->is_good);
    assert_said(o, said);
    assert_int_equal(o->container.modules.n, 4 * ENTRIES);
    blob_zeros(&o->blob, 100);
    open_blob(o);
    assert_false(o->is_good);
    assert_said(o, "expected the header of a member");
}

static const uint64_t extremes[] = {0,
                                    1,
                                    7,
                                    63,
                                    65,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x100,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    1ull << 32,
                                    1ull << 63,
                                    INT64_MAX,
                                    UINT64_MAX,
                                    UINT64_MAX - 15,
                                    UINT64_MAX - 79};

enum { EXTREMES = sizeof extremes / sizeof *extremes };

// Each number of 2, 4 and 8 bytes in the file is set to each extreme.
static void test_extremes(void **state)
{
    struct opened *o = *state;
    for (int form = 0; form < FORMS; form++) {
        make_form(&o->blob, form);
        char *copy = malloc(o->blob.size);
        for (size_t at = 0; at < o->blob.size; at += 2)
            for (size_t i = 0; i < EXTREMES; i++) {
                int width = extremes[i] >> 32 ? 8 : extremes[i] >> 16 ? 4 : 2;
                if (at % (size_t)width || at + (size_t)width > o->blob.size)
                    continue;
                struct blob changed = {copy, o->blob.size};
                memcpy(copy, o->blob.bytes, o->blob.size);
                blob_set(&changed, at, extremes[i], width, 0);
                try_bytes(o, copy, o->blob.size);
            }
        free(copy);
    }
}

static void test_flipped_bits(void **state)
{
    struct opened *o = *state;
    make_form(&o->blob, FORM_FATBIN);
    for (size_t bit = 0; bit < 8 * o->blob.size; bit++) {
        o->blob.bytes[bit / 8] ^= (char)(1 << bit % 8);
        try_bytes(o, o->blob.bytes, o->blob.size);
        o->blob.bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    open_blob(o);
    assert_true(o->is_good);
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert_text(o, i, entries[i].payload);
}

enum { HEADER = 0, FIRST = FATBIN_HEADER_SIZE };

// Invalid values of each field, and their reports.
static void test_fields(void **state)
{
    static const struct {
        size_t at;
        int size;
        uint64_t value;
        const char *said;
    } cases[] = {
        {HEADER + 4, 2, 2, "offset 0x0: fatbins of version 2 are not supported"},
        {HEADER + 6, 2, 15, "the fatbin's header cannot have 15 bytes"},
        {HEADER + 6, 2, 0xffff, "the fatbin's header cannot have 65535 bytes"},
        {HEADER + 8, 8, UINT64_MAX, "the fatbin claims 18446744073709551615 bytes; there are"},
        {HEADER + 8, 8, 63, "offset 0x10: the fatbin ends in an entry's header, after 63 bytes"},
        {FIRST + 2, 2, 0x0102, "fatbin entries of version 0x0102 are not supported"},
        {FIRST + 4, 4, 63, "the entry's header cannot have 63 bytes"},
        {FIRST + 4, 4, UINT32_MAX, "the entry's header cannot have 4294967295 bytes"},
        {FIRST + 8, 8, UINT64_MAX, "the entry claims 18446744073709551615 bytes;"},
        {FIRST + 8, 8, UINT64_MAX - 87, "the entry claims 18446744073709551528 bytes;"},
        {FIRST + 16, 4, 10000, "the entry claims 10000 packed bytes in a payload of"},
        {FIRST + 20, 4, UINT32_MAX,
         "the entry's options, at 4294967295, lie outside its header of 88"},
        {FIRST + 20, 4, 81, "the entry's options, at 81, lie outside its header of 88 bytes"},
        {FIRST + 72, 4, 88, "the entry's options, 3 bytes at 88, lie outside its header of 88"},
        {FIRST + 76, 4, UINT32_MAX, "the entry's options, 4294967295 bytes at 80, lie outside"},
        {FIRST + 32, 4, 85, "the entry's identifier, 4 bytes at 85, lies outside its header"},
        {FIRST + 36, 4, UINT32_MAX, "the entry's identifier, 4294967295 bytes at 64, lies outside"},
    };
    struct opened *o = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        blob_free(&o->blob);
        make_fatbin(&o->blob, entries, ENTRIES);
        make_fatbin(&o->blob, entries, 1);
        blob_set(&o->blob, cases[i].at, cases[i].value, cases[i].size, 0);
        open_blob(o);
        assert_false(o->is_good);
        if (!strstr(o->diags.list.v[0].message, cases[i].said))
            fail_msg("'%s' is not in '%s'", cases[i].said, o->diags.list.v[0].message);
        // The fatbin behind it is found.
        assert_true(o->container.modules.n);
        assert_text(o, o->container.modules.n - 1, entries[0].payload);
    }
}

// Sizes that an entry claims for its uncompressed contents.
static void test_claims(void **state)
{
    static const struct {
        uint32_t module;
        enum packing packing;
        uint64_t claim;
        const char *said;
    } cases[] = {
        {1, PACKING_LZ4, 0, "(ptx for sm_90, offset 0x"},
        {1, PACKING_LZ4, 100, "is damaged, or unpacks to more bytes than it claims"},
        {1, PACKING_LZ4, 1000, "unpacks to fewer bytes than it claims"},
        {1, PACKING_LZ4, UINT64_C(1) << 31, "claims 2147483648 bytes; 2 GiB and more are not read"},
        {1, PACKING_LZ4, INT32_MAX, "claims to unpack to 2147483647 bytes, which its"},
        {2, PACKING_ZSTD, 100, "unpacks to more bytes than it claims"},
        {2, PACKING_ZSTD, 1000, "unpacks to fewer bytes than it claims"},
        {2, PACKING_ZSTD, UINT64_C(100) << 30, "2 GiB and more are not read"},
        {2, PACKING_ZSTD, UINT64_MAX, "claims 18446744073709551615 bytes; 2 GiB and more"},
        {2, PACKING_ZSTD, INT32_MAX, "claims to unpack to 2147483647 bytes, which its"},
    };
    struct opened *o = *state;
    make_fatbin(&o->blob, entries, ENTRIES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_blob(o);
        size_t at = module_at(o, cases[i].module)->offset + 56;
        struct blob changed = {0};
        blob_put(&changed, o->blob.bytes, o->blob.size);
        blob_set(&changed, at, cases[i].claim, 8, 0);
        open_bytes(o, changed.bytes, changed.size);
        assert_true(o->is_good); // it is only seen when it is read
        assert_no_text(o, cases[i].module, cases[i].said);
        assert_string_equal(o->diags.list.v[0].id, "packing");
        assert_true(o->memory.peak < 32 << 20);
        blob_free(&changed);
    }
}

// A small zstd frame that expands to a large block of zeros: no more is read than the entry claims.
static void test_bomb(void **state)
{
    struct opened *o = *state;
    size_t size = 64 << 20;
    char *zeros = calloc(1, size);
    struct made_entry bomb = {FATBIN_PTX, 80, PACKING_ZSTD, 0, zeros, size, NULL, NULL};
    make_fatbin(&o->blob, &bomb, 1);
    free(zeros);
    open_blob(o);
    assert_true(module_at(o, 0)->payload_size < 16384);
    assert_no_text(o, 0, "packed bytes cannot hold");
    blob_set(&o->blob, FIRST + 56, 1000, 8, 0);
    open_blob(o);
    assert_no_text(o, 0, "unpacks to more bytes than it claims");
}

static void test_packings(void **state)
{
    struct opened *o = *state;
    const struct made_entry odd[] = {
        {FATBIN_PTX, 80, PACKING_OLD, 0, PTX("sm_80"), 0, NULL, NULL},
        {FATBIN_PTX, 80, PACKING_NONE, FATBIN_ENCRYPTED, PTX("sm_80"), 0, NULL, NULL},
        {FATBIN_PTX, 80, PACKING_NONE, 0, "\0\0\0\0", 4, NULL, NULL},
        {FATBIN_PTX, 80, PACKING_NONE, FATBIN_PACKED_ZSTD, PTX("sm_80"), 0, NULL, NULL},
    };
    make_fatbin(&o->blob, odd, 4);
    open_blob(o);
    assert_true(o->is_good);
    assert_no_text(o, 0, "is packed in the format of CUDA 5 and 6");
    assert_no_text(o, 1, "is encrypted");
    assert_no_text(o, 2, "is empty");
    assert_no_text(o, 3, "is packed, but has no packed bytes");
}

// Garbage in a section for fatbins is reported, and what follows it is found.
static void test_garbage(void **state)
{
    struct opened *o = *state;
    struct blob section = {0};
    blob_put(&section, "garbage" FATBIN_MAGIC, 11);
    make_fatbin(&section, entries, 1);
    struct made_section sections[] = {{".nv_fatbin", SHF_ALLOC, section}};
    make_elf(&o->blob, (struct made_elf){.machine = 62}, sections, 1);
    open_blob(o);
    assert_false(o->is_good);
    assert_int_equal(o->diags.errors, 1);
    assert_said(o, "section '.nv_fatbin', offset 0x40: this is not a fatbin");
    assert_text(o, 0, entries[0].payload);
    blob_free(&section);
}

// Of a file with a thousand faults, the first ones are reported.
static void test_many_faults(void **state)
{
    struct opened *o = *state;
    struct made_entry wrong = {FATBIN_PTX, 80, PACKING_NONE, 0, "x", 0, "a", NULL};
    for (int i = 0; i < 1000; i++) {
        size_t at = o->blob.size;
        make_fatbin(&o->blob, &wrong, 1);
        blob_set(&o->blob, at + FATBIN_HEADER_SIZE + 32, 1000, 4, 0);
    }
    open_blob(o);
    assert_false(o->is_good);
    assert_int_equal(o->container.faults, 1000);
    assert_int_equal(o->diags.errors, 20);
    assert_said(o, "further errors in this file are not reported");
}

// Many sections that each span the whole file are not read repeatedly.
static void test_overlap(void **state)
{
    enum { SECTIONS = 1000 };
    struct opened *o = *state;
    make_form(&o->blob, 0);
    struct blob file = {0};
    blob_put(&file, o->blob.bytes, o->blob.size);
    uint64_t table, each = sizeof(Elf64_Shdr);
    memcpy(&table, file.bytes + offsetof(Elf64_Ehdr, e_shoff), 8);
    blob_align(&file, 8);
    blob_set(&file, offsetof(Elf64_Ehdr, e_shoff), file.size, 8, 0);
    blob_set(&file, offsetof(Elf64_Ehdr, e_shnum), SECTIONS + 4, 2, 0);
    blob_put(&file, o->blob.bytes + table, 4 * each);
    for (int i = 0; i < SECTIONS; i++)
        blob_put(&file, o->blob.bytes + table + each, each);
    open_bytes(o, file.bytes, file.size);
    assert_false(o->is_good);
    assert_said(o, "further errors in this file");
    assert_true(o->container.modules.n < 1000);
    blob_free(&file);
}

static void test_lost_section(void **state)
{
    struct opened *o = *state;
    make_form(&o->blob, 0);
    uint64_t table;
    memcpy(&table, o->blob.bytes + offsetof(Elf64_Ehdr, e_shoff), 8);
    size_t first = table + sizeof(Elf64_Shdr);
    blob_set(&o->blob, first + offsetof(Elf64_Shdr, sh_offset), UINT64_MAX - 4, 8, 0);
    open_blob(o);
    assert_false(o->is_good);
    assert_said(o, "section '.nv_fatbin', offset 0x0: ");
    assert_said(o, "bytes at 0xfffffffffffffffb are claimed, but the file does not have them");
    assert_int_equal(o->container.modules.n, ENTRIES); // those of the other section
}

// Memory runs out at any point: nothing leaks, libelf's memory included.
static void test_no_memory(void **state)
{
    struct opened *o = *state;
    for (volatile int form = 0; form < FORMS; form++) {
        make_form(&o->blob, form);
        const char *bytes = guarded_copy(&o->guarded, o->blob.bytes, o->blob.size);
        for (volatile long n = 1, failed = 1; failed; n++) {
            struct memory memory = {.fail_in = n};
            struct arena arena;
            struct diags diags;
            struct container container;
            uint32_t *modules;
            char *text;
            uint32_t length;
            arena_init(&arena, &memory);
            failed = setjmp(memory.on_failure);
            if (!failed) {
                diags_init(&diags, &arena);
                container_open(&container, &arena, "x", bytes, o->blob.size, &diags);
                container_choose(&container, (struct container_choice){0}, &modules, &diags);
                for (uint32_t i = 0; i < container.modules.n; i++)
                    container_text(&container, i, &arena, &text, &length, &diags);
            }
            arena_free(&arena);
            assert_int_equal(memory.bytes, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cut_anywhere), TEST(test_cut_fatbin),   TEST(test_cut_object),
        TEST(test_cut_library),  TEST(test_extremes),     TEST(test_flipped_bits),
        TEST(test_fields),       TEST(test_claims),       TEST(test_bomb),
        TEST(test_packings),     TEST(test_garbage),      TEST(test_many_faults),
        TEST(test_overlap),      TEST(test_lost_section), TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
