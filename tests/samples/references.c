// Runs the samples' run files and compares what they leave in memory with references in plain C.
//
// usage: references BUILD-ROOT SOURCE-ROOT [small|large]
//
// Without the last word all of them, else those at that size.
#include "tests/samples/references.h"
#include <dirent.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *sample, *file;
    reference_fn *reference;
    const char *buffers; // that are saved
    double numbers[NUMBERS];
} rows[] = {
    {"vecadd", "run", ref_vecadd, "c", {5000}},
    {"vecadd", "run-large", ref_vecadd, "c", {1048576}},
    {"vecadd-strided", "run", ref_vecadd_strided, "c", {5000, 32, 64}},
    {"vecadd-strided", "run-large", ref_vecadd_strided, "c", {1048576, 32, 64}},
    {"copy-aligned", "run", ref_copy, "c", {5000}},
    {"copy-aligned", "run-large", ref_copy, "c", {1048576}},
    {"copy-strided", "run", ref_copy_strided, "c", {5000, 128}},
    {"copy-strided", "run-large", ref_copy_strided, "c", {1048576, 128}},
    {"compare", "run", ref_compare, "differ", {5000}},
    {"compare", "run-large", ref_compare, "differ", {1048576}},
    {"density", "run", ref_density, "zeros", {5000}},
    {"density", "run-large", ref_density, "zeros", {1048576}},
    {"norm", "run", ref_norm, "c", {5000, 7}},
    {"norm", "run-large", ref_norm, "c", {1048576, 7}},
    {"triad", "run", ref_triad, "a", {5000, 2.5}},
    {"triad", "run-large", ref_triad, "a", {1048576, 2.5}},
    {"bfs", "run", ref_bfs, "cost visited frontier next again", {3000, 4}},
    {"bfs", "run-large", ref_bfs, "cost visited frontier next again", {262144, 4}},
    {"fdtd", "run", ref_fdtd, "ex ey hz", {40, 50, 5}},
    {"fdtd", "run-large", ref_fdtd, "ex ey hz", {512, 512, 4}},
    {"kmn", "run", ref_kmn, "feature centre member moved", {1000, 4, 5, 1000}},
    {"kmn", "run-large", ref_kmn, "feature centre member moved", {32768, 8, 8, 5}},
    {"kmn", "run-points", ref_kmn_points, "member", {1000, 8, 5}},
    {"kmn", "run-points-large", ref_kmn_points, "member", {131072, 8, 5}},
    {"libor", "run", ref_libor, "L_b value", {300, 10, 20}},
    {"libor", "run-large", ref_libor, "L_b value", {16384, 40, 80}},
    {"libor", "run-libor32", ref_libor32, "L_b", {300, 10, 10}},
    {"libor", "run-libor32-large", ref_libor32, "L_b", {16384, 40, 40}},
    {"mvt", "run", ref_mvt, "x1 x2", {150}},
    {"mvt", "run-large", ref_mvt, "x1 x2", {1500}},
    {"red", "run", ref_red, "sum", {3}},
    {"red", "run-large", ref_red, "sum", {512}},
    {"red", "run-hybrid1", ref_red, "sum", {3}},
    {"red", "run-hybrid1-large", ref_red, "sum", {512}},
    {"red", "run-hybrid2", ref_red, "sum", {3}},
    {"red", "run-hybrid2-large", ref_red, "sum", {512}},
    {"red", "run-hybrid3", ref_red, "sum", {3}},
    {"red", "run-hybrid3-large", ref_red, "sum", {512}},
    {"red", "run-global", ref_red, "sum", {3}},
    {"red", "run-global-large", ref_red, "sum", {512}},
    {"red", "run-stride", ref_red_stride, "sum total", {10000, 4}},
    {"red", "run-stride-large", ref_red_stride, "sum total", {4194304, 448}},
    {"scp", "run", ref_scp, "product", {7, 1000}},
    {"scp", "run-large", ref_scp, "product", {128, 8192}},
    {"srad", "run", ref_srad, "image", {24, 40, 3}},
    {"srad", "run-large", ref_srad, "image", {256, 256, 2}},
    {"stream",
     "run",
     ref_stream,
     "distance cost assign go closes accept total",
     {2000, 4, 6, 1.5, 20}},
    {"stream",
     "run-large",
     ref_stream,
     "distance cost assign go closes accept total",
     {65536, 16, 8, 0.5, 900}},
    {"bp", "run", ref_bp, "out delta weight change", {512}},
    {"bp", "run-large", ref_bp, "out delta weight change", {65536}},
    {"matrixmul", "run", ref_matrixmul, "c", {64, 64, 64}},
    {"matrixmul", "run-large", ref_matrixmul, "c", {640, 640, 640}},
    {"mriq", "run", ref_mriq, "q_real q_imaginary", {512, 96}},
    {"mriq", "run-large", ref_mriq, "q_real q_imaginary", {8192, 3072}},
    {"nn", "run", ref_nn, "out", {2, 50}},
    {"nn", "run-large", ref_nn, "out", {512, 50}},
    {"blackscholes", "run", ref_blackscholes, "call put", {8192, 0.02, 0.3}},
    {"blackscholes", "run-large", ref_blackscholes, "call put", {524288, 0.02, 0.3}},
    {"fwt", "run", ref_fwt, "data", {2, 1, 8192}},
    {"fwt", "run-large", ref_fwt, "data", {1, 5, 2097152}},
    {"conv", "run", ref_conv, "direct tile separable", {70, 45}},
    {"conv", "run-large", ref_conv, "direct tile separable", {1920, 1080}},
    {"hist", "run", ref_hist, "bins", {20000}},
    {"hist", "run-large", ref_hist, "bins", {6220800}},
    {"histogram64", "run", ref_histogram64, "histogram", {65536}},
    {"histogram64", "run-large", ref_histogram64, "histogram", {2097152}},
    {"hw", "run", ref_hw, "row column", {96, 80, 6, 3}},
    {"hw", "run-large", ref_hw, "row column", {1440, 1080, 408, 3}},
    {"integr", "run", ref_integr, "out", {300, 40}},
    {"integr", "run-large", ref_integr, "out", {1920, 1080}},
    {"integr", "run-serial", ref_integr, "out", {40, 30}},
    {"integr", "run-serial-large", ref_integr, "out", {640, 360}},
    {"ray", "run", ref_ray, "image", {5, 48, 32}},
    {"ray", "run-large", ref_ray, "image", {16, 256, 256}},
    {"fiblookup", "run", ref_fiblookup, "hop", {16, 64, 64, 512}},
    {"fiblookup", "run-large", ref_fiblookup, "hop", {256, 1024, 4096, 262144}},
    {"mum", "run", ref_mum, "longest place", {10, 200, 20}},
    {"mum", "run-large", ref_mum, "longest place", {20, 16384, 32}},
    {"nw", "run", ref_nw, "score", {96, 160, 5, -3, 10}},
    {"nw", "run-large", ref_nw, "score", {2048, 2048, 5, -3, 10}},
    {"nw", "run-serial", ref_nw, "score", {30, 40, 5, -3, 10}},
    {"nw", "run-serial-large", ref_nw, "score", {360, 480, 5, -3, 10}},
    {"path", "run", ref_path, "one", {1000, 2, 5}},
    {"path", "run-large", ref_path, "one", {100000, 2, 20}},
    {"path", "run-serial", ref_path_serial, "cost", {60, 20}},
    {"path", "run-serial-large", ref_path_serial, "cost", {1000, 200}},
    {"cfd", "run", ref_cfd, "state", {40, 24, 2}},
    {"cfd", "run-large", ref_cfd, "state", {640, 200, 2}},
    {"hotspot", "run", ref_hotspot, "one", {64, 64, 16}},
    {"hotspot", "run-large", ref_hotspot, "one", {1024, 1024, 4}},
    {"stencil", "run", ref_stencil, "point walk", {40, 20, 10}},
    {"stencil", "run-large", ref_stencil, "point walk", {128, 128, 96}},
};
enum { ROWS = sizeof rows / sizeof *rows };

#define FAIL(job, ...)                                                                             \
    do {                                                                                           \
        snprintf((job)->text, sizeof(job)->text, __VA_ARGS__);                                     \
        (job)->wrong = (job)->wrong ? (job)->wrong : (job)->text;                                  \
    } while (0)

// Fills

uint64_t drawn(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(11400714819323198485);
    z ^= z >> 30;
    z *= UINT64_C(13787848793156543929);
    z ^= z >> 27;
    z *= UINT64_C(10723151780598845931);
    return z ^ (z >> 31);
}

static void *allocate_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

float *uniform(size_t count, uint64_t seed)
{
    float *to = allocate_zeroed(count, sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(drawn(seed, i) / (UINT64_C(1) << 40)) / 16777216.0f;
    return to;
}

float *range_float(size_t count, double low, double high, uint64_t seed)
{
    float *to = allocate_zeroed(count, sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(low + (high - low) * ((double)(drawn(seed, i) >> 11) / 9007199254740992.0));
    return to;
}

// The whole part of drawn * (high - low) / 2^64, by halves of 32 bits.
int32_t *range_int(size_t count, int64_t low, int64_t high, uint64_t seed)
{
    int32_t *to = allocate_zeroed(count, sizeof *to);
    uint64_t width = (uint64_t)(high - low); // below 2^32
    for (size_t i = 0; i < count; i++) {
        uint64_t z = drawn(seed, i);
        uint64_t below = (z & UINT32_MAX) * width >> 32;
        to[i] = (int32_t)(low + (int64_t)(((z >> 32) * width + below) >> 32));
    }
    return to;
}

double *widen(float *from, size_t count)
{
    double *to = allocate_zeroed(count, sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
    free(from);
    return to;
}

// Saved buffers

void *saved(struct job *job, const char *buffer, const char *type, size_t count)
{
    char path[400], expected[64], header[10 + 65535];
    void *data = allocate_zeroed(count, 4);
    snprintf(path, sizeof path, "%s/%s.npy", job->folder, buffer);
    snprintf(expected, sizeof expected, "'descr': '%s', 'fortran_order': False, 'shape': (%zu,)",
             type, count);
    FILE *file = fopen(path, "rb");
    if (!file || fread(header, 1, 10, file) != 10) {
        FAIL(job, "there is no %s", path);
    } else {
        size_t length = (unsigned char)header[8] + 256u * (unsigned char)header[9];
        header[10 + length] = 0;
        if (fread(header + 10, 1, length, file) != length || !strstr(header + 10, expected))
            FAIL(job, "the header of %s is not %s", path, expected);
        else if (fread(data, 4, count, file) != count || getc(file) != EOF)
            FAIL(job, "%s has not %zu elements", path, count);
    }
    if (file)
        fclose(file);
    return data;
}

void same_ints(struct job *job, const char *buffer, int32_t *expected, size_t count)
{
    int32_t *got = saved(job, buffer, "<i4", count);
    for (size_t i = 0; i < count && !job->wrong; i++)
        if (got[i] != expected[i])
            FAIL(job, "%s[%zu] is %d and should be %d", buffer, i, got[i], expected[i]);
    free(got);
    free(expected);
}

void same_floats(struct job *job, const char *buffer, float *expected, size_t count)
{
    float *got = saved(job, buffer, "<f4", count);
    for (size_t i = 0; i < count && !job->wrong; i++)
        if (memcmp(&got[i], &expected[i], 4))
            FAIL(job, "%s[%zu] is %a and should be %a", buffer, i, (double)got[i],
                 (double)expected[i]);
    free(got);
    free(expected);
}

void near_floats(struct job *job, const char *buffer, double *expected, size_t count, double rtol,
                 double atol)
{
    float *got = saved(job, buffer, "<f4", count);
    for (size_t i = 0; i < count && !job->wrong; i++)
        if (!(fabs((double)got[i] - expected[i]) <= atol + rtol * fabs(expected[i])))
            FAIL(job, "%s[%zu] is %.9g and should be %.9g", buffer, i, (double)got[i], expected[i]);
    free(got);
    free(expected);
}

// Running

static void append(char *command, size_t size, const char *text)
{
    size_t length = strlen(command);
    snprintf(command + length, size - length, "%s", text);
}

static void run(struct job *job, const char *build, const char *source, const char *buffers)
{
    char command[4096], part[600], name[64];
    snprintf(command, sizeof command,
             "'%s/cli/ptxoffload-sim' --functional '%s/samples/%s/%s.yaml'", build, source,
             job->sample, job->file);
    for (int read; sscanf(buffers, "%63s%n", name, &read) == 1; buffers += read) {
        snprintf(part, sizeof part, " --save %s='%s/%s.npy'", name, job->folder, name);
        append(command, sizeof command, part);
    }
    append(command, sizeof command, " 2>&1 | sed 's/^/# /'; exit ${PIPESTATUS[0]}");
    fflush(stdout);
    setenv("COMMAND", command, 1);
    int status = system("bash -c \"$COMMAND\"");
    if (status)
        FAIL(job, "exit code %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// A run file that nobody looks at is none.
static bool all_listed(const char *source, int number)
{
    char pattern[400];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/samples/*/run*.yaml", source);
    bool good = !glob(pattern, 0, NULL, &found);
    if (good) {
        good = found.gl_pathc == ROWS;
        globfree(&found);
    }
    printf("%s %d - every run file of a sample has a reference\n", good ? "ok" : "not ok", number);
    return good;
}

static void remove_saved(const char *folder)
{
    DIR *all = opendir(folder);
    char path[400];
    for (struct dirent *entry; all && (entry = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (all)
        closedir(all);
}

static bool is_asked_for(int row, const char *size)
{
    bool large = strstr(rows[row].file, "large");
    return !size || large == !strcmp(size, "large");
}

int main(int argc, char **argv)
{
    const char *size = argc > 3 ? argv[3] : NULL;
    int number = 0;
    char folder[] = "/tmp/ptxoffload-references-XXXXXX";
    bool failed = false;
    if (argc < 3 || !mkdtemp(folder))
        return 2;
    for (int i = 0; i < ROWS; i++) {
        if (!is_asked_for(i, size))
            continue;
        struct job job = {.sample = rows[i].sample,
                          .file = rows[i].file,
                          .number = rows[i].numbers,
                          .folder = folder};
        run(&job, argv[1], argv[2], rows[i].buffers);
        if (!job.wrong)
            rows[i].reference(&job);
        failed |= !!job.wrong;
        printf("%s %d - %s/%s\n", job.wrong ? "not ok" : "ok", ++number, job.sample, job.file);
        if (job.wrong)
            printf("# %s\n", job.wrong);
        remove_saved(folder);
    }
    rmdir(folder);
    failed |= !all_listed(argv[2], ++number);
    printf("1..%d\n", number);
    return failed;
}
