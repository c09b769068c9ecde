// frontend/container: finding, reading, listing and selecting modules of valid files.
#include "tests/unit/frontend/opened.h"

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct made_entry entries[] = {
    {FATBIN_CUBIN, 90, PACKING_NONE, 0, "no cubin", 0, NULL, NULL},
    {FATBIN_PTX, 90, PACKING_NONE, FATBIN_ARCH_SPECIFIC, PTX("sm_90a"), 0, "a.cu", NULL},
    {FATBIN_PTX, 80, PACKING_LZ4, FATBIN_DEBUG, PTX("sm_80"), 0, "b\033.cu", "-maxrregcount 32"},
    {FATBIN_RELOC, 100, PACKING_ZSTD, FATBIN_FAMILY_SPECIFIC, PTX("sm_100f"), 0, NULL, "-O3"},
    {FATBIN_LTO_IR, 80, PACKING_ZSTD, FATBIN_ENCRYPTED, "ir", 0, NULL, NULL},
    {99, 0, PACKING_NONE, 0, "?", 0, NULL, NULL},
};

enum { ENTRIES = sizeof entries / sizeof *entries };

static void check_entries(struct opened *o, uint32_t first)
{
    static const uint8_t kinds[ENTRIES] = {MODULE_CUBIN, MODULE_PTX,    MODULE_PTX,
                                           MODULE_PTX,   MODULE_LTO_IR, MODULE_OTHER};
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const struct container_module *module = module_at(o, first + i);
        assert_int_equal(module->kind, kinds[i]);
        assert_int_equal(module->fatbin_kind, entries[i].kind);
        assert_int_equal(module->arch, entries[i].arch);
        assert_int_equal(module->packing, entries[i].packing);
        if (module->kind == MODULE_PTX)
            assert_text(o, first + i, entries[i].payload);
    }
    assert_no_text(o, first, "is not a readable cubin");
    assert_no_text(o, first + 4, "nvcc -dlto -dlink -ptx");
    assert_no_text(o, first + 5, "is of the unknown kind 99");
}

static void test_text(void **state)
{
    struct opened *o = *state;
    static const char text[] = "// a\n/* b */ .version 9.0 .target sm_120f, debug\n";
    open_bytes(o, text, sizeof text - 1);
    assert_true(o->is_good);
    assert_int_equal(o->container.kind, CONTAINER_TEXT);
    assert_int_equal(o->container.modules.n, 1);
    const struct container_module *module = module_at(o, 0);
    assert_int_equal(module->kind, MODULE_PTX);
    assert_int_equal(module->arch, 120);
    assert_int_equal(module->suffix, 'f');
    assert_int_equal(module->major, 9);
    assert_text(o, 0, text);
    // The parser is to say what is wrong with any other text.
    open_bytes(o, "int main", 8);
    assert_true(o->is_good);
    assert_int_equal(module_at(o, 0)->arch, 0);
    assert_text(o, 0, "int main");
}

static void test_ptx_header(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct ptx_header header;
        bool is_read;
    } cases[] = {
        {".version 6.5\n.target sm_70", {6, 5, 70, 0}, true},
        {" \t\r\n\v\f.version\n7.0.target/**/sm_90a\n", {7, 0, 90, 'a'}, true},
        {".version 7.0 .target texmode_independent", {7, 0, 0, 0}, true},
        {".version 7.0 .target sm_80x", {7, 0, 0, 0}, true},
        {".version 7.0 .target sm_99999999999999", {7, 0, 0, 0}, true},
        {".version 7.0", {7, 0, 0, 0}, true},
        {"\xef\xbb\xbf// a byte order mark\n.version 7.0\n.target sm_80",
         {.major = 7, .minor = 0, .arch = 80},
         true},
        {"//\n\xef\xbb\xbf.version 7.0", {0}, false},
        {".version 7.", {0}, false},
        {".version .7", {0}, false},
        {".version", {0}, false},
        {"// .version 7.0", {0}, false},
        {"/* .version 7.0", {0}, false},
        {"", {0}, false},
        {".target sm_80", {0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_header header;
        bool is_read = ptx_header_read(&header, cases[i].text, strlen(cases[i].text));
        assert_int_equal(is_read, cases[i].is_read);
        assert_int_equal(header.major, cases[i].header.major);
        assert_int_equal(header.minor, cases[i].header.minor);
        assert_int_equal(header.arch, cases[i].header.arch);
        assert_int_equal(header.suffix, cases[i].header.suffix);
    }
}

static void test_fatbin(void **state)
{
    struct opened *o = *state;
    make_fatbin(&o->blob, entries, ENTRIES);
    open_blob(o);
    assert_true(o->is_good);
    assert_int_equal(o->container.kind, CONTAINER_FATBIN);
    assert_int_equal(o->container.modules.n, ENTRIES);
    const struct container_module *module = module_at(o, 1);
    assert_int_equal(module->suffix, 'a');
    assert_int_equal(module->major, 8);
    assert_int_equal(module->minor, 3);
    assert_int_equal(module->size, sizeof PTX("sm_90a") - 1);
    assert_int_equal(module->offset, 16 + 64 + 8);
    assert_string_equal(module->identifier, "a.cu");
    assert_null(module->options);
    assert_false(module->is_debug);
    module = module_at(o, 2);
    assert_true(module->is_debug);
    assert_true(module->payload_size < module->size);
    // What could act on a terminal is made visible.
    assert_string_equal(module->identifier, "b?.cu");
    assert_string_equal(module->options, "-maxrregcount 32");
    assert_int_equal(module_at(o, 3)->suffix, 'f');
    assert_string_equal(module_at(o, 3)->options, "-O3");
    check_entries(o, 0);
}

// Several fatbins follow each other, aligned with zeros; one may be empty.
static void test_several_fatbins(void **state)
{
    struct opened *o = *state;
    make_fatbin(&o->blob, entries, ENTRIES);
    blob_zeros(&o->blob, 24);
    make_fatbin(&o->blob, NULL, 0);
    make_fatbin(&o->blob, entries, ENTRIES);
    blob_zeros(&o->blob, 5);
    open_blob(o);
    assert_true(o->is_good);
    assert_int_equal(o->container.modules.n, 2 * ENTRIES);
    check_entries(o, 0);
    check_entries(o, ENTRIES);
}

static void make_object(struct blob *to, struct made_elf elf)
{
    struct blob fatbin = {0}, mixed = {0}, code = {0};
    make_fatbin(&fatbin, entries, ENTRIES);
    // In the program's own data anything may stand around a fatbin, and the magic number by itself.
    blob_put(&mixed, "xyz" FATBIN_MAGIC "xyz", 10);
    blob_put(&mixed, fatbin.bytes, fatbin.size);
    blob_put(&mixed, "xyz" FATBIN_MAGIC, 7);
    blob_put(&code, fatbin.bytes, fatbin.size);
    struct made_section sections[] = {
        {".nv_fatbin", SHF_ALLOC, fatbin},
        {".text", SHF_ALLOC | SHF_EXECINSTR, code},
        {"__nv_relfatbin", SHF_ALLOC, fatbin},
        {".rodata", SHF_ALLOC, mixed},
        {".comment", 0, mixed},
    };
    make_elf(to, elf, sections, sizeof sections / sizeof *sections);
    blob_free(&fatbin);
    blob_free(&mixed);
    blob_free(&code);
}

static void test_elf(void **state)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin", ".rodata"};
    struct opened *o = *state;
    for (int form = 0; form < 4; form++) {
        blob_free(&o->blob);
        make_object(&o->blob,
                    (struct made_elf){.is_32 = form & 1, .is_big = form >> 1, .machine = 62});
        open_blob(o);
        if (!o->is_good)
            fail_msg("form %d: %s", form, last_said(o));
        assert_int_equal(o->container.kind, CONTAINER_ELF);
        assert_int_equal(o->container.modules.n, 3 * ENTRIES);
        for (uint32_t i = 0; i < 3; i++) {
            assert_string_equal(module_at(o, i * ENTRIES)->section, names[i]);
            check_entries(o, i * ENTRIES);
        }
    }
}

// In a file without section headers, the loaded segments are searched.
static void test_segments(void **state)
{
    struct opened *o = *state;
    for (int form = 0; form < 4; form++) {
        blob_free(&o->blob);
        make_object(&o->blob, (struct made_elf){.is_32 = form & 1,
                                                .is_big = form >> 1,
                                                .machine = 62,
                                                .has_segments = true});
        open_blob(o);
        assert_true(o->is_good);
        assert_int_equal(o->container.modules.n, 5 * ENTRIES);
        assert_null(module_at(o, 0)->section);
        check_entries(o, 2 * ENTRIES);
    }
}

static const char lines[] = "\0.version 8.3\0.target sm_80\0\0.visible .entry k() { ret; }";
static const char lines_text[] = "\n.version 8.3\n.target sm_80\n\n.visible .entry k() { ret; }\n";

static void make_cubin(struct blob *to, struct made_elf elf, bool with_text)
{
    struct blob text = {0}, code = {0}, note = {0};
    blob_put(&text, lines, sizeof lines);
    blob_put(&code, "code", 4);
    blob_put(&note, "NVIDIA Corp\0ptxas\0-arch sm_90a -m 64 ", 38);
    struct made_section sections[] = {
        {".text.k", SHF_ALLOC, code},
        {".note.nv.tkinfo", 0, note},
        {".nv_debug_ptx_txt", 0, text},
    };
    elf.machine = 190;
    make_elf(to, elf, sections, with_text ? 3 : 2);
    blob_free(&text);
    blob_free(&code);
    blob_free(&note);
}

static void test_cubin(void **state)
{
    struct opened *o = *state;
    make_cubin(&o->blob, (struct made_elf){.abi_version = 8, .flags = 0x6005a04}, true);
    open_blob(o);
    assert_true(o->is_good);
    assert_int_equal(o->container.kind, CONTAINER_CUBIN);
    assert_int_equal(o->container.modules.n, 1);
    assert_int_equal(module_at(o, 0)->kind, MODULE_CUBIN);
    assert_int_equal(module_at(o, 0)->arch, 90);
    assert_int_equal(module_at(o, 0)->suffix, 'a');
    assert_text(o, 0, lines_text);
    blob_free(&o->blob);
    // Before CUDA 13 the architecture stood elsewhere; and here it is another than ptxas noted.
    make_cubin(&o->blob, (struct made_elf){.abi_version = 7, .flags = 0x500550}, false);
    open_blob(o);
    assert_true(o->is_good);
    assert_int_equal(module_at(o, 0)->arch, 80);
    assert_int_equal(module_at(o, 0)->suffix, 0);
    assert_no_text(o, 0, "was made without its PTX");
    assert_string_equal(o->diags.list.v[0].id, "no-ptx");
}

static void test_cubin_in_fatbin(void **state)
{
    struct opened *o = *state;
    for (enum packing packing = PACKING_NONE; packing <= PACKING_ZSTD; packing++) {
        struct blob cubin = {0};
        make_cubin(&cubin, (struct made_elf){.abi_version = 8, .flags = 0x6005004}, true);
        blob_free(&o->blob);
        struct made_entry entry = {FATBIN_CUBIN, 80,         packing, 0,
                                   cubin.bytes,  cubin.size, NULL,    NULL};
        make_fatbin(&o->blob, &entry, 1);
        blob_free(&cubin);
        open_blob(o);
        assert_true(o->is_good);
        assert_text(o, 0, lines_text);
    }
}

static void test_lto_ir(void **state)
{
    struct opened *o = *state;
    open_bytes(o, "\xed\x43\x4e\x7fxyz", 7);
    assert_true(o->is_good);
    assert_int_equal(o->container.kind, CONTAINER_LTO_IR);
    assert_no_text(o, 0, "module 0 (lto-ir, offset 0x0) has no PTX yet");
}

static void test_archive(void **state)
{
    struct opened *o = *state;
    struct blob names = {0}, object = {0}, cubin = {0}, ptx = {0}, odd = {0}, empty = {0},
                inner = {0};
    blob_put(&names, "a-name-that-is-longer-than-16.o/\n", 33);
    make_object(&object, (struct made_elf){.machine = 62});
    make_cubin(&cubin, (struct made_elf){.abi_version = 8, .flags = 0x6005004}, true);
    blob_put(&ptx, PTX("sm_75"), sizeof PTX("sm_75") - 1);
    blob_put(&odd, "read me", 7);
    make_archive(&inner);
    make_archive(&o->blob);
    make_member(&o->blob, "//", &names);
    make_member(&o->blob, "odd.txt/", &odd);
    make_member(&o->blob, "/0", &object);
    make_member(&o->blob, "empty.o/", &empty);
    make_member(&o->blob, "in\033ner.a/", &inner);
    make_member(&o->blob, "k.cubin/", &cubin);
    make_member(&o->blob, "k.ptx/", &ptx);
    open_blob(o);
    assert_true(o->is_good);
    assert_int_equal(o->container.kind, CONTAINER_ARCHIVE);
    assert_int_equal(o->container.modules.n, 3 * ENTRIES + 2);
    assert_string_equal(module_at(o, 0)->member, "a-name-that-is-longer-than-16.o");
    check_entries(o, ENTRIES);
    assert_string_equal(module_at(o, 3 * ENTRIES)->member, "k.cubin");
    assert_text(o, 3 * ENTRIES, lines_text);
    assert_int_equal(module_at(o, 3 * ENTRIES + 1)->arch, 75);
    assert_text(o, 3 * ENTRIES + 1, PTX("sm_75"));
    assert_int_equal(o->diags.warnings, 3);
    assert_string_equal(
        o->diags.list.v[0].message,
        "member 'odd.txt', offset 0xa2, is skipped: it is no object, fatbin or PTX text");
    assert_non_null(strstr(o->diags.list.v[1].message, "it is empty"));
    assert_non_null(strstr(o->diags.list.v[2].message, "in?ner.a"));
    assert_non_null(strstr(o->diags.list.v[2].message, "an archive in an archive"));
    blob_free(&names);
    blob_free(&object);
    blob_free(&cubin);
    blob_free(&ptx);
    blob_free(&odd);
    blob_free(&inner);
}

static void test_archive_names(void **state)
{
    static const struct {
        const char *header, *name;
    } cases[] = {
        {"gnu.ptx/", "gnu.ptx"},
        {"old.ptx", "old.ptx"},
        {"a b/", "a b"},
        {"/0", "first-long-name.o"},
        {"/19", "second-long-name.o"},
        {"/21", "cond-long-name.o"},
        {"/99999", "/99999"},
        {"/x", "/x"},
        {"#1/200000", "#1/200000"},
        {"#1/x", "#1/x"},
        {"", ""},
    };
    struct opened *o = *state;
    struct blob names = {0}, ptx = {0}, symbols = {0};
    blob_put(&names, "first-long-name.o/\nsecond-long-name.o/\n", 39);
    blob_put(&ptx, PTX("sm_75"), sizeof PTX("sm_75") - 1);
    blob_zeros(&symbols, 12);
    make_archive(&o->blob);
    make_member(&o->blob, "/", &symbols);
    make_member(&o->blob, "//", &names);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        make_member(&o->blob, cases[i].header, &ptx);
    // BSD: the contents begin with the name.
    struct blob bsd = {0};
    blob_put(&bsd, "bsd name.ptx\0\0\0\0", 16);
    blob_put(&bsd, ptx.bytes, ptx.size);
    make_member(&o->blob, "#1/16", &bsd);
    blob_free(&bsd);
    blob_put(&bsd, "__.SYMDEF\0\0\0....", 16);
    make_member(&o->blob, "#1/12", &bsd);
    open_blob(o);
    assert_true(o->is_good);
    uint32_t count = sizeof cases / sizeof *cases;
    assert_int_equal(o->container.modules.n, count + 1);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(module_at(o, i)->member, cases[i].name);
    assert_string_equal(module_at(o, count)->member, "bsd name.ptx");
    assert_text(o, count, PTX("sm_75"));
    blob_free(&names);
    blob_free(&ptx);
    blob_free(&symbols);
    blob_free(&bsd);
}

static void test_thin_archive(void **state)
{
    struct opened *o = *state;
    open_bytes(o, "!<thin>\nxyz", 11);
    assert_false(o->is_good);
    assert_said(o, "this is a thin archive");
}

static void test_foreign(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *said;
    } cases[] = {
        {"", 0, "it is empty"},
        {"MZ\x90", 3, "it is a Windows program"},
        {"BC\xc0\xde", 4, "it is LLVM bitcode"},
        {"\x1f\x8b\x08", 3, "it is compressed by gzip"},
        {"\xba\x55\xed\x50", 4, "it is a fatbin of the other byte order"},
        {"abc\0def", 7, "offset 0x3: this is neither PTX text nor a known container"},
        {"\x7f"
         "ELF",
         4, "the ELF header is damaged or truncated"},
    };
    struct opened *o = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_bytes(o, cases[i].bytes, cases[i].size);
        assert_false(o->is_good);
        assert_int_equal(o->container.modules.n, 0);
        assert_int_equal(o->diags.list.v[0].begin, NO_OFFSET);
        assert_said(o, cases[i].said);
    }
}

static char *printed(const struct opened *o, void (*print)(const struct container *, FILE *))
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    print(&o->container, to);
    fclose(to);
    return text;
}

static void test_print(void **state)
{
    struct opened *o = *state;
    struct blob fatbin = {0};
    make_fatbin(&fatbin, entries, 3);
    struct made_section section = {".nv_fatbin", SHF_ALLOC, fatbin};
    make_elf(&o->blob, (struct made_elf){.machine = 62}, &section, 1);
    open_blob(o);
    char *text = printed(o, container_print), expected[1000];
    uint64_t lz4 = module_at(o, 2)->payload_size;
    snprintf(expected, sizeof expected,
             "module  kind   arch    ptx  bytes  packed  packing  where\n"
             "     0  cubin  sm_90   -        8       8  none     .nv_fatbin 0x50\n"
             "     1  ptx    sm_90a  8.3  %5zu  %6zu  none     .nv_fatbin 0x98 (a.cu)\n"
             "     2  ptx    sm_80   8.3  %5zu  %6d  lz4      .nv_fatbin 0x%x (b?.cu)\n",
             sizeof PTX("sm_90a") - 1, sizeof PTX("sm_90a") - 1, sizeof PTX("sm_80") - 1, (int)lz4,
             (unsigned)module_at(o, 2)->offset);
    assert_string_equal(text, expected);
    free(text);
    text = printed(o, container_print_json);
    assert_non_null(strstr(text, "\"format\": \"ptxoffload-modules\""));
    assert_non_null(strstr(text, "\"container\": \"elf\""));
    assert_non_null(strstr(text, "\"arch\": \"sm_90a\""));
    assert_non_null(strstr(text, "\"options\": \"-maxrregcount 32\""));
    free(text);
    blob_free(&fatbin);
}

static void assert_chosen(struct opened *o, const char *module, const char *arch,
                          const char *expected)
{
    uint32_t *chosen, count;
    char list[100] = "";
    count = container_choose(&o->container, (struct container_choice){module, arch}, &chosen,
                             &o->diags);
    for (uint32_t i = 0; i < count; i++)
        sprintf(list + strlen(list), "%u ", chosen[i]);
    assert_string_equal(list, expected);
}

static void test_choose(void **state)
{
    struct opened *o = *state;
    make_fatbin(&o->blob, entries, ENTRIES);
    open_blob(o);
    assert_chosen(o, NULL, NULL, "1 2 3 ");
    assert_chosen(o, NULL, "sm_80", "2 ");
    assert_chosen(o, NULL, "compute_80", "2 ");
    assert_chosen(o, NULL, "90a", "1 ");
    assert_chosen(o, NULL, "100f", "3 ");
    assert_chosen(o, "0", NULL, "0 ");
    assert_chosen(o, "2", "80", "2 ");
    assert_int_equal(o->diags.errors, 0);
    assert_chosen(o, "2", "90a", "");
    assert_said(o, "module 2 is not for '90a'");
    assert_chosen(o, "6", NULL, "");
    assert_said(o, "no module 6: the file has 6, counted from 0");
    assert_chosen(o, "1x", NULL, "");
    assert_chosen(o, "", NULL, "");
    assert_chosen(o, "-1", NULL, "");
    assert_chosen(o, "18446744073709551617", NULL, "");
    assert_said(o, "no module 18446744073709551617");
    assert_chosen(o, NULL, "100", "");
    assert_said(o, "no module for '100'; the file has: sm_90, sm_90a, sm_80, sm_100f");
    assert_chosen(o, NULL, "sm_", "");
    assert_said(o, "'sm_' is not an architecture such as sm_80");
    assert_chosen(o, NULL, "80 ", "");
    assert_chosen(o, NULL, "90", "");
    assert_said(o, "the file has GPU code, but no PTX");
    assert_string_equal(o->container.modules.n ? container_file_name(&o->container, 1) : "",
                        "made.o.1.sm_90a");
    assert_string_equal(container_file_name(&o->container, 5), "made.o.5");
}

static void test_choose_cubins(void **state)
{
    struct opened *o = *state;
    struct blob with = {0}, without = {0};
    make_cubin(&with, (struct made_elf){.abi_version = 8, .flags = 0x6005004}, true);
    make_cubin(&without, (struct made_elf){.abi_version = 8, .flags = 0x6005004}, false);
    struct made_entry cubins[] = {
        {FATBIN_CUBIN, 75, PACKING_ZSTD, 0, without.bytes, without.size, NULL, NULL},
        {FATBIN_CUBIN, 80, PACKING_ZSTD, 0, with.bytes, with.size, NULL, NULL},
        {FATBIN_CUBIN, 90, PACKING_NONE, 0, with.bytes, with.size, NULL, NULL},
    };
    make_fatbin(&o->blob, cubins, 3);
    open_blob(o);
    assert_chosen(o, NULL, NULL, "1 2 ");
    assert_chosen(o, NULL, "sm_80", "1 ");
    assert_int_equal(o->diags.errors, 0);
    assert_chosen(o, NULL, "sm_75", "");
    assert_said(o, "the file has GPU code, but no PTX");
    open_bytes(o, o->blob.bytes, 0);
    assert_chosen(o, NULL, NULL, "");
    assert_said(o, "the file has no GPU code");
    blob_free(&with);
    blob_free(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_text),          TEST(test_ptx_header),
        TEST(test_fatbin),        TEST(test_several_fatbins),
        TEST(test_elf),           TEST(test_segments),
        TEST(test_cubin),         TEST(test_cubin_in_fatbin),
        TEST(test_lto_ir),        TEST(test_archive),
        TEST(test_archive_names), TEST(test_thin_archive),
        TEST(test_foreign),       TEST(test_print),
        TEST(test_choose),        TEST(test_choose_cubins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
