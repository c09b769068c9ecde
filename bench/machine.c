// How fast a whole machine is simulated: warp instructions per second of CPU time in the kernel,
// one thread, the best of some runs. Each row has a process of its own, so that its memory can be
// told.
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "runtime-sim/schemes/schemes.h"
#include "tests/lib/machine_run.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct row {
    const char *name, *kernel;
    uint32_t grid[2], block[2];
    uint32_t n;         // the kernel's number
    uint32_t words;     // of each array, a power of two
    double aim;         // warp instructions per second; 0: none
    uint32_t registers; // of a thread; 0: what the kernel's PTX needs
    bool is_long;       // only with -l
};

static const struct row rows[] = {
    {"vecadd, 1 M", "vecadd", {4096, 1}, {256, 1}, 1 << 20, 1 << 20, 600e3, 0, false},
    {"vecadd, 128 K", "vecadd", {512, 1}, {256, 1}, 1 << 17, 1 << 17, 0, 0, false},
    {"vecadd, 8 M", "vecadd", {32768, 1}, {256, 1}, 1 << 23, 1 << 23, 0, 0, false},
    {"matmul 256, 16 x 16", "matmul16", {16, 16}, {16, 16}, 256, 1 << 16, 1.2e6, 0, false},
    {"matmul 256, 32 x 32", "matmul32", {8, 8}, {32, 32}, 256, 1 << 16, 1.2e6, 16, false},
    {"gather", "gather", {512, 1}, {256, 1}, 1 << 20, 1 << 20, 0, 0, false},
    {"visit", "visit", {128, 1}, {256, 1}, 1 << 18, 1 << 18, 0, 0, false},
    {"strided", "strided", {128, 1}, {256, 1}, 1 << 22, 1 << 22, 0, 0, false},
    {"sum in shared memory", "sum", {448, 1}, {256, 1}, 8, 1 << 17, 0, 0, false},
    {"chain", "chain", {448, 1}, {256, 1}, 32, 1 << 17, 0, 0, false},
    {"chain, one CTA", "chain", {1, 1}, {256, 1}, 8000, 1 << 17, 0, 0, false},
    {"chain, one warp", "chain", {1, 1}, {32, 1}, 16000, 1 << 17, 0, 0, false},
    {"chase, one warp", "chase", {1, 1}, {32, 1}, 20000, 1 << 22, 0, 0, false},
    {"chase, one CTA", "chase", {1, 1}, {256, 1}, 5000, 1 << 22, 0, 0, false},
    {"parallel, 10^5", "parallel", {168, 1}, {256, 1}, 2, 1 << 17, 0, 0, false},
    {"parallel, 10^6", "parallel", {168, 1}, {256, 1}, 38, 1 << 17, 0, 0, false},
    {"parallel, 10^7", "parallel", {168, 1}, {256, 1}, 390, 1 << 17, 0, 0, false},
    {"parallel, 10^8", "parallel", {168, 1}, {256, 1}, 3910, 1 << 17, 0, 0, true},
    {"parallel, 10^9", "parallel", {168, 1}, {256, 1}, 39150, 1 << 17, 0, 0, true},
};

struct options {
    const char *kernels, *name, *config;
    FILE *stats; // of all rows; NULL: not wanted
    uint64_t shuffle;
    int runs;
    bool is_long;
};

struct result {
    double seconds;
    uint64_t cycles, instructions;
    bool done;
};

// What a kernel needs to be there.
struct setting {
    struct arena arena;
    struct source source;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
    struct program program;
    struct image image;
    struct config config;
    struct machine_config machine;
    uint8_t params[32];
};

static bool read_kernels(struct setting *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    enum { LIMIT = 1 << 20 };
    char *text = arena_alloc(&s->arena, LIMIT);
    size_t length = file ? fread(text, 1, LIMIT - 2, file) : 0;
    if (!file)
        return false;
    fclose(file);
    source_init(&s->source, &s->arena, path, text, (uint32_t)length);
    diags_init(&s->diags, &s->arena);
    ptx_parse(&s->tree, &s->arena, &s->source, &s->diags);
    ir_build(&s->module, &s->arena, &s->tree, &s->diags);
    program_build(&s->program, &s->arena, &s->module, lanes_best());
    image_init(&s->image, &s->arena, GLOBAL_FIRST_64);
    return !s->diags.errors && !grid_load(&s->image, &s->program, 0);
}

// Numbers that look random: small ones, so that those who take them for floats get no exceptions.
static void fill(struct setting *s, const struct row *row)
{
    uint32_t state = 12345;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t address = image_allocate(&s->image, (uint64_t)row->words * 4, 256, "array");
        uint32_t *words = (void *)s->image.list.v[s->image.list.n - 1].data;
        memcpy(s->params + (size_t)k * 8, &address, 8);
        for (uint32_t i = 0; k < 2 && i < row->words; i++) {
            state = state * 1664525 + 1013904223;
            words[i] = (state >> 8) & (row->words - 1);
        }
    }
    memcpy(s->params + 24, &row->n, 4);
}

static bool read_machine(struct setting *s, const char *name)
{
    uint32_t count;
    struct config_section *sections = machine_sections(&s->machine, &s->arena, schemes, &count);
    config_init(&s->config, &s->arena, sections, count);
    return config_load(&s->config, name) && !machine_check(&s->arena, &s->machine);
}

static void write_stats(const struct row *row, struct setting *s, struct machine *machine, FILE *to)
{
    struct stats stats;
    stats_init(&stats, &s->arena);
    machine_stats_add(machine, &stats);
    fprintf(to, "== %s\n", row->name);
    stats_text(&stats, NULL, NULL, to);
    uint64_t digest = 0xcbf29ce484222325; // FNV-1a
    for (uint32_t i = 0; i < s->image.list.n; i++)
        for (uint64_t k = 0; k < s->image.list.v[i].bytes; k++)
            digest = (digest ^ s->image.list.v[i].data[k]) * 0x100000001b3;
    fprintf(to, "memory %016" PRIx64 "\n", digest);
    fflush(to);
}

static bool run(const struct row *row, const struct options *options, struct memory *memory,
                struct result *result)
{
    struct setting *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    arena_init(&s->arena, memory);
    const struct program_function *function = NULL;
    if (read_kernels(s, options->kernels) && read_machine(s, options->config))
        function = program_find(&s->program, row->kernel);
    if (!function)
        return false;
    fill(s, row);
    if (row->registers)
        s->machine.core.thread_registers = row->registers;
    struct machine *machine = machine_new(&s->arena, &s->machine, &s->program);
    machine_shuffle(machine, options->shuffle);
    struct launch launch = {.program = &s->program,
                            .function = (uint32_t)(function - s->program.functions.v),
                            .grid = {row->grid[0], row->grid[1], 1},
                            .block = {row->block[0], row->block[1], 1},
                            .params = s->params,
                            .image = &s->image};
    struct machine_launch one = {.launch = &launch};
    struct machine_event event = {.launch = &one};
    struct grid_result grid;
    clock_t begin = clock();
    enum machine_end end = machine_run(machine, &event, 1, &(struct machine_limits){0}, &grid);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (!result->done || seconds < result->seconds)
        *result = (struct result){seconds, one.ended - one.begun, grid.warp_instructions,
                                  end == MACHINE_DONE};
    if (options->stats)
        write_stats(row, s, machine, options->stats);
    arena_free(&s->arena);
    free(s);
    return result->done;
}

// In a process of its own; returns its most resident memory in KiB, 0 if it failed.
static long measure(const struct row *row, const struct options *options, struct result *result)
{
    struct rusage usage;
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        return 0;
    if (!child) {
        struct memory memory = {.sparse = true};
        if (setjmp(memory.on_failure))
            _exit(1);
        for (int i = 0; i < options->runs; i++)
            if (!run(row, options, &memory, result))
                _exit(1);
        _exit(0);
    }
    if (wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        return 0;
    return usage.ru_maxrss;
}

static void print_row(const struct row *row, const struct result *result, long kilobytes)
{
    double rate = (double)result->instructions / result->seconds;
    printf("| %-20s | %8" PRIu64 " | %10" PRIu64 " | %7.2f | %5.2f | %6.0f | %4.0f | ", row->name,
           result->cycles, result->instructions, result->seconds, rate / 1e6,
           result->seconds * 1e9 / (double)result->cycles, (double)kilobytes / 1024);
    if (row->aim > 0)
        printf("%.1f | %.2f |\n", row->aim / 1e6, rate / row->aim);
    else
        puts("    |      |");
}

static int run_all(const struct options *options)
{
    struct result *result =
        mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return 1;
    puts("| kernel | cycles | warp instructions | CPU s | M/s | ns/cycle | MB | aim | ratio |");
    puts("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (options->name ? strncmp(rows[i].name, options->name, strlen(options->name)) != 0
                          : rows[i].is_long && !options->is_long)
            continue;
        *result = (struct result){0};
        long kilobytes = measure(&rows[i], options, result);
        if (!kilobytes) {
            fprintf(stderr, "%s cannot be run\n", rows[i].name);
            return 1;
        }
        print_row(&rows[i], result, kilobytes);
    }
    return 0;
}

static const char usage[] =
    "usage: bench-machine [-c CONFIG] [-d FILE] [-l] [-n RUNS] [-s SEED] KERNELS.ptx [NAME]\n"
    "    -c  the machine; isca19\n"
    "    -d  writes all statistics and a digest of the memory, to compare two builds\n"
    "    -l  the long ones too\n"
    "    -n  runs of each row, of which the best counts; 3\n"
    "    -s  evaluates in another order each time\n"
    "Only the rows whose names begin with NAME.\n";

int main(int argc, char **argv)
{
    struct options options = {.config = "isca19", .runs = 3};
    for (int c; (c = getopt(argc, argv, "c:d:ln:s:")) != -1;) {
        switch (c) {
        case 'c': options.config = optarg; break;
        case 'd': options.stats = fopen(optarg, "w"); break;
        case 'l': options.is_long = true; break;
        case 'n': options.runs = atoi(optarg); break;
        case 's': options.shuffle = strtoull(optarg, NULL, 10); break;
        default: optind = argc; break;
        }
    }
    if (optind == argc) {
        fputs(usage, stderr);
        return 2;
    }
    options.kernels = argv[optind];
    options.name = argv[optind + 1];
    return run_all(&options);
}
