// frontend/container: outputs of nvcc. The PTX of each kind of file equals the output of `nvcc
// -ptx`, except for comments and white space, which nvcc removes before packing.
#include "support/file.h"
#include "tests/unit/frontend/opened.h"
#include <ctype.h>
#include <unistd.h>

static const char program[] =
    "__device__ int thrice(int x) { return 3 * x; }\n"
    "__global__ void add(float *a, const float *b, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) a[i] += b[thrice(i)];\n"
    "}\n"
    "int launch(float *a, const float *b) { add<<<1, 32>>>(a, b, 32); return 0; }\n"
    "#ifdef MAIN\n"
    "int main() { return launch(0, 0); }\n"
    "#endif\n";

struct made {
    struct opened o;
    struct file_map map;
    char folder[64], path[128];
};

static void need_nvcc(void)
{
    if (!system("nvcc --version >/dev/null 2>&1 && ptxas --version >/dev/null 2>&1"))
        return;
    print_message("# nvcc and ptxas are not in the search path\n");
    skip();
}

static void shell(const struct made *m, const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "cd %s && %s", m->folder, command);
    if (system(line))
        fail_msg("%s", line);
}

static int set_up_folder(void **state)
{
    struct made *m = calloc(1, sizeof *m);
    arena_init(&m->o.arena, &m->o.memory);
    strcpy(m->folder, "/tmp/ptxoffload-nvcc-XXXXXX");
    if (!mkdtemp(m->folder))
        return 1;
    snprintf(m->path, sizeof m->path, "%s/a.cu", m->folder);
    FILE *to = fopen(m->path, "w");
    fputs(program, to);
    fclose(to);
    *state = m;
    return 0;
}

static int tear_down_folder(void **state)
{
    struct made *m = *state;
    shell(m, "rm -rf \"$PWD\"");
    memory_free(m->o.arena.memory);
    file_unmap(&m->map);
    free(m);
    return 0;
}

static void open_file(struct made *m, const char *name)
{
    file_unmap(&m->map);
    arena_free(&m->o.arena);
    diags_init(&m->o.diags, &m->o.arena);
    snprintf(m->path, sizeof m->path, "%s%s%s", *name == '/' ? "" : m->folder,
             *name == '/' ? "" : "/", name);
    const char *fault = file_map(&m->o.arena, m->path, &m->map);
    if (fault)
        fail_msg("%s: %s", m->path, fault);
    if (!container_open(&m->o.container, &m->o.arena, name, m->map.bytes, m->map.size, &m->o.diags))
        fail_msg("%s: %s", name, last_said(&m->o));
}

static bool begins_with_any(const char *line, const char *const *words)
{
    line += strspn(line, " \t");
    for (; words && *words; words++)
        if (!strncmp(line, *words, strlen(*words)))
            return true;
    return false;
}

// Returns the text's words with single spaces between them, without comments and the lines that
// begin with `dropped`.
static char *in_one_spelling(const char *text, const char *const *dropped)
{
    char *plain = calloc(1, strlen(text) + 2), *to = plain;
    bool at_line = true;
    while (*text) {
        if (!strncmp(text, "//", 2) || (at_line && begins_with_any(text, dropped)))
            text = strchrnul(text, '\n');
        at_line = *text == '\n';
        if (*text && !isspace((unsigned char)*text))
            *to++ = *text++;
        else if (*text) {
            text++;
            if (to != plain && to[-1] != ' ')
                *to++ = ' ';
        }
    }
    return plain;
}

static char *module_text(struct made *m, uint32_t module)
{
    char *text;
    uint32_t length;
    if (!container_text(&m->o.container, module, &m->o.arena, &text, &length, &m->o.diags))
        fail_msg("%s", last_said(&m->o));
    assert_int_equal(strlen(text), length);
    return text;
}

// Checks that the module's text equals the file. A cubin's text lacks source lines and the bytes of
// DWARF.
static void assert_same_text(struct made *m, uint32_t module, const char *file)
{
    static const char *const lost[] = {".loc", ".file", ".b8", NULL};
    bool is_cubin = module_at(&m->o, module)->kind == MODULE_CUBIN;
    struct file_map map;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", m->folder, file);
    assert_null(file_map(&m->o.arena, path, &map));
    char *expected = in_one_spelling(map.bytes, is_cubin ? lost : NULL);
    char *got = in_one_spelling(module_text(m, module), NULL);
    assert_string_equal(got, expected);
    assert_true(strstr(got, ".visible .entry") != NULL);
    free(got);
    free(expected);
    file_unmap(&map);
}

// Returns the last module of this kind. There is one PTX; linking adds an empty cubin.
static uint32_t find_kind(const struct made *m, enum module_kind kind)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < m->o.container.modules.n; i++)
        if (m->o.container.modules.v[i].kind == kind) {
            assert_true(kind != MODULE_PTX || found == UINT32_MAX);
            found = i;
        }
    assert_int_not_equal(found, UINT32_MAX);
    return found;
}

static void check_ptx(struct made *m, const char *file, const char *section, const char *expected)
{
    open_file(m, file);
    uint32_t ptx = find_kind(m, MODULE_PTX);
    const struct container_module *module = module_at(&m->o, ptx);
    struct ptx_header header;
    char *text = module_text(m, ptx);
    if (section)
        assert_string_equal(module->section, section);
    assert_int_equal(module->arch, 80);
    assert_true(ptx_header_read(&header, text, strlen(text)));
    assert_int_equal(module->major, header.major);
    assert_int_equal(module->minor, header.minor);
    assert_same_text(m, ptx, expected);
}

// Outputs of the host's tools: object, program, shared and static library.
static void test_host_files(void **state)
{
    struct made *m = *state;
    need_nvcc();
    shell(m, "nvcc -arch=sm_80 -ptx a.cu -o a.ptx");
    shell(m, "nvcc -arch=sm_80 -Xcompiler -fPIC -c a.cu -o a.o");
    shell(m, "nvcc -arch=sm_80 -DMAIN a.cu -o a.out");
    shell(m, "nvcc -arch=sm_80 -shared a.o -o a.so");
    shell(m, "nvcc -lib a.o -o a.a");
    static const char *const files[] = {"a.o", "a.out", "a.so", "a.a"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        check_ptx(m, files[i], ".nv_fatbin", "a.ptx");
        assert_int_equal(module_at(&m->o, find_kind(m, MODULE_CUBIN))->arch, 80);
    }
    assert_string_equal(module_at(&m->o, 0)->member, "a.o");
    open_file(m, "a.ptx");
    assert_same_text(m, 0, "a.ptx");
    assert_int_equal(module_at(&m->o, 0)->arch, 80);
    // Stripped of symbols; and of section headers, as sstrip does it.
    shell(m, "strip a.out -o stripped");
    check_ptx(m, "stripped", ".nv_fatbin", "a.ptx");
    shell(m, "cp a.out bare && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | "
             "dd of=bare bs=1 seek=40 conv=notrunc status=none && printf '\\0\\0\\0\\0' | "
             "dd of=bare bs=1 seek=60 conv=notrunc status=none");
    check_ptx(m, "bare", NULL, "a.ptx");
}

static void test_relocatable(void **state)
{
    struct made *m = *state;
    need_nvcc();
    shell(m, "nvcc -arch=sm_80 -rdc=true -ptx a.cu -o a.ptx");
    shell(m, "nvcc -arch=sm_80 -rdc=true -DMAIN -c a.cu -o a.o");
    shell(m, "nvcc -arch=sm_80 -rdc=true a.o -o a.out");
    check_ptx(m, "a.o", "__nv_relfatbin", "a.ptx");
    check_ptx(m, "a.out", "__nv_relfatbin", "a.ptx");
    shell(m, "nvcc -arch=sm_80 -dlto -dc a.cu -o lto.o");
    check_ptx(m, "lto.o", "__nv_relfatbin", "a.ptx");
    assert_no_text(&m->o, find_kind(m, MODULE_LTO_IR), "nvcc -dlto -dlink -ptx");
    shell(m, "nvcc -arch=sm_80 -dlto -ltoir a.cu -o a.ltoir");
    open_file(m, "a.ltoir");
    assert_int_equal(m->o.container.kind, CONTAINER_LTO_IR);
}

static void test_packings(void **state)
{
    static const struct {
        const char *option;
        enum packing ptx, cubin;
    } cases[] = {
        {"-compress-mode=default -Xfatbin -compress-all", PACKING_ZSTD, PACKING_ZSTD},
        {"-compress-mode=size", PACKING_ZSTD, PACKING_ZSTD},
        {"-compress-mode=speed", PACKING_LZ4, PACKING_NONE},
        {"-compress-mode=speed -Xfatbin -compress-all", PACKING_LZ4, PACKING_LZ4},
        {"-compress-mode=balance -Xfatbin -compress-all", PACKING_ZSTD, PACKING_ZSTD},
        {"-compress-mode=none", PACKING_NONE, PACKING_NONE},
        {"-Xfatbin -compress=false", PACKING_NONE, PACKING_NONE},
    };
    struct made *m = *state;
    need_nvcc();
    shell(m, "nvcc -arch=sm_80 -lineinfo -ptx a.cu -o a.ptx");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[200];
        snprintf(command, sizeof command, "nvcc -arch=sm_80 -lineinfo -fatbin %s a.cu -o a.fatbin",
                 cases[i].option);
        shell(m, command);
        check_ptx(m, "a.fatbin", NULL, "a.ptx");
        assert_int_equal(m->o.container.kind, CONTAINER_FATBIN);
        assert_int_equal(module_at(&m->o, find_kind(m, MODULE_PTX))->packing, cases[i].ptx);
        // With line information it is in the cubin a second time.
        uint32_t cubin = find_kind(m, MODULE_CUBIN);
        assert_int_equal(module_at(&m->o, cubin)->packing, cases[i].cubin);
        assert_string_equal(module_at(&m->o, cubin)->identifier, "a.cu");
        assert_same_text(m, cubin, "a.ptx");
    }
}

static void test_architectures(void **state)
{
    struct made *m = *state;
    need_nvcc();
    shell(m, "nvcc -fatbin -gencode arch=compute_75,code=[sm_75,compute_75] -gencode "
             "arch=compute_90a,code=[sm_90a,compute_90a] -gencode "
             "arch=compute_100f,code=[sm_100f,compute_100f] a.cu -o a.fatbin");
    open_file(m, "a.fatbin");
    assert_int_equal(m->o.container.modules.n, 6);
    static const char *const archs[] = {"75", "90a", "100f"};
    for (size_t i = 0; i < 3; i++) {
        uint32_t *chosen;
        struct container_choice choice = {.arch = archs[i]};
        assert_int_equal(container_choose(&m->o.container, choice, &chosen, &m->o.diags), 1);
        struct ptx_header header;
        char *text = module_text(m, *chosen), arch[16], said[16];
        container_arch(module_at(&m->o, *chosen), arch);
        assert_true(ptx_header_read(&header, text, strlen(text)));
        snprintf(said, sizeof said, "%u%s", header.arch, (char[]){header.suffix, 0});
        assert_string_equal(arch, archs[i]);
        assert_string_equal(said, archs[i]);
    }
}

static void test_cubins(void **state)
{
    struct made *m = *state;
    need_nvcc();
    shell(m, "nvcc -arch=sm_80 -lineinfo -ptx a.cu -o line.ptx");
    shell(m, "nvcc -arch=sm_80 -lineinfo -cubin a.cu -o line.cubin");
    shell(m, "nvcc -arch=sm_80 -G -cubin a.cu -o debug.cubin");
    shell(m, "nvcc -arch=sm_90a -cubin a.cu -o plain.cubin");
    open_file(m, "line.cubin");
    assert_int_equal(m->o.container.kind, CONTAINER_CUBIN);
    assert_int_equal(module_at(&m->o, 0)->arch, 80);
    assert_same_text(m, 0, "line.ptx");
    open_file(m, "debug.cubin");
    char *text = module_text(m, 0);
    assert_non_null(strstr(text, ".target sm_80, debug\n"));
    assert_non_null(strstr(text, ".visible .entry"));
    // What it is missing, DWARF in numbers, ptxas does not miss.
    FILE *to = fopen(m->path, "w");
    fputs(text, to);
    fclose(to);
    shell(m, "ptxas -arch=sm_80 debug.cubin -o again.cubin");
    open_file(m, "plain.cubin");
    assert_int_equal(module_at(&m->o, 0)->arch, 90);
    assert_int_equal(module_at(&m->o, 0)->suffix, 'a');
    assert_no_text(&m->o, 0, "was made without its PTX");
}

// A library of the toolkit.
static void test_toolkit(void **state)
{
    struct made *m = *state;
    char path[512] = "";
    FILE *from = popen("f=$(dirname \"$(command -v nvcc)\")/../lib64/libcudadevrt.a && "
                       "[ -r \"$f\" ] && realpath \"$f\"",
                       "r");
    bool found = fgets(path, sizeof path, from);
    pclose(from);
    if (!found || strlen(path) >= sizeof m->path) {
        print_message("# there is no libcudadevrt.a\n");
        skip();
    }
    path[strcspn(path, "\n")] = 0;
    open_file(m, path);
    assert_int_equal(m->o.container.kind, CONTAINER_ARCHIVE);
    assert_true(m->o.container.modules.n > 0);
    uint32_t *chosen, count;
    count = container_choose(&m->o.container, (struct container_choice){0}, &chosen, &m->o.diags);
    assert_true(count > 0);
    assert_string_equal(module_at(&m->o, *chosen)->member, "cuda_device_runtime.o");
    assert_string_equal(module_at(&m->o, *chosen)->section, "__nv_relfatbin");
    assert_non_null(strstr(module_text(m, *chosen), ".version"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up_folder, tear_down_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_host_files),    TEST(test_relocatable), TEST(test_packings),
        TEST(test_architectures), TEST(test_cubins),      TEST(test_toolkit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
