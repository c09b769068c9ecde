// Every kernel of every sample, on valid inputs.
#include "tests/fuzz/differential.h"
#include "runtime-sim/exec/lanes/rows.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Arguments: a letter, how many words, and what the fill needs. z zeros, r finite floats, i floats
// that are small integers (their sums are exact, fused or not), b words below, a words from that to
// twice that, s steps; w a word, f a float.
static const struct sample {
    const char *kernel;
    uint32_t grid[2], block[2];
    const char *arguments;
} samples[] = {
    // Edges lead to vertices that no thread expands, so that no cost is read while it is written.
    {"bfs_expand",
     {4, 1},
     {256, 1},
     "s1000:4 b1000:5 a4004:1000 b2000:2 z2000 b2000:2 z2000 w1000"},
    {"bfs_commit", {4, 1}, {256, 1}, "z1000 b1000:2 b1000:2 z1 w1000"},
    {"blackscholes", {8, 1}, {128, 1}, "r1000 r1000 r1000 z1000 z1000 f0.02 f0.3 w1000"},
    {"bp_forward", {8, 1}, {16, 16}, "r128 r2048 z128"},
    {"bp_hidden", {16, 1}, {256, 1}, "r4800 r16 z16 z16 w300"},
    {"bp_adjust", {8, 1}, {16, 16}, "r128 r16 r2048 r2048"},
    {"cfd_save", {4, 1}, {256, 1}, "r1000 z1000 w1000"},
    {"cfd_factor", {4, 1}, {192, 1}, "r5000 r1000 z1000 f0.5 w1000"},
    {"cfd_flux", {4, 1}, {192, 1}, "r5000 b4000:1000 r12000 z5000 w1000"},
    {"cfd_update", {4, 1}, {192, 1}, "r5000 r1000 r5000 z5000 w2 w1000"},
    {"compare", {2, 1}, {256, 1}, "b3000:3 b3000:3 z1 w3000"},
    {"conv_direct",
     {2, 5},
     {32, 8},
     "r2236 z2000 w50 w40 f0.1 f0.2 f0.3 f0.4 f0.5 f0.6 f0.7 f0.8 f0.9"},
    {"conv_tile",
     {4, 3},
     {16, 16},
     "r2236 z2000 w50 w40 f0.1 f0.2 f0.3 f0.4 f0.5 f0.6 f0.7 f0.8 f0.9"},
    {"conv_row", {2, 5}, {32, 8}, "r2080 z2000 w50 w40 f0.2 f0.3 f0.4"},
    {"conv_column", {2, 5}, {32, 8}, "r2100 z2000 w50 w40 f0.2 f0.3 f0.4"},
    {"copy_aligned", {4, 1}, {256, 1}, "b1000:99999 z1000 w1000"},
    {"copy_strided", {4, 1}, {256, 1}, "b1000:99999 z1128 w1000 w128"},
    {"density", {2, 1}, {256, 1}, "b3000:3 z1 w3000"},
    {"fdtd_ey", {2, 5}, {32, 8}, "r10 r2050 r2000 w40 w50 w3"},
    {"fdtd_ex", {2, 5}, {32, 8}, "r2040 r2000 w40 w50"},
    {"fdtd_hz", {2, 5}, {32, 8}, "r2040 r2050 r2000 w40 w50"},
    {"fiblookup", {4, 1}, {128, 1}, "b500:4294967295 b2560:2560 z500 w500"},
    {"fwt_shared", {2, 1}, {256, 1}, "i2048"},
    {"fwt_radix4", {4, 1}, {256, 1}, "i4096 w1024"},
    {"fwt_radix2", {4, 1}, {256, 1}, "i2048 w1024"},
    {"hist", {2, 1}, {256, 1}, "b1000:4294967295 z256 w4000"},
    {"histogram64_count", {2, 1}, {64, 1}, "b5000:4294967295 z128 w5000"},
    {"histogram64_merge", {64, 1}, {64, 1}, "b6400:1000 z64 w100"},
    {"hotspot", {2, 5}, {32, 8}, "r2000 r2000 z2000 w40 w50 f0.1 f0.2 f0.3 f0.4 f300"},
    {"hw_template", {4, 1}, {64, 1}, "b2000:4294967295 a4:20 a4:20 z676 w80"},
    {"hw_track", {4, 1}, {256, 1}, "b2000:4294967295 r676 a4:20 a4:20 w80"},
    {"integr_rows", {20, 1}, {256, 1}, "b1500:4294967295 z6000 w300"},
    {"integr_columns", {5, 1}, {64, 1}, "b6000:1000 w300 w20"},
    {"integr_serial", {1, 1}, {1, 1}, "b300:4294967295 z1200 w40 w30"},
    {"kmn_layout", {4, 1}, {256, 1}, "b5000:1000 z5000 w1000 w5"},
    {"kmn_assign", {4, 1}, {256, 1}, "r5000 r40 b1000:8 z1 w1000 w8 w5"},
    {"kmn_points", {4, 1}, {256, 1}, "r8000 r40 z1000 w1000 w5 w8"},
    {"kmn_centres", {5, 8}, {256, 1}, "r5000 b1000:8 r40 w1000 w5"},
    {"libor_portfolio", {4, 1}, {64, 1}, "r3200 r3200 z200 w200 w7 w16 f0.25 f0.6"},
    {"libor_portfolio_b", {4, 1}, {64, 1}, "r6400 r6400 r256 r256 w200 w7 w16 f0.25"},
    {"matrixmul", {3, 4}, {16, 16}, "i2048 i1536 z3072 w32 w48"},
    {"mriq_magnitude", {4, 1}, {128, 1}, "r500 r500 r2000 w500"},
    {"mriq", {4, 1}, {64, 1}, "r200 r200 r200 r400 z200 z200 w200 w100"},
    // A genome of zeros, and reads that end.
    {"mum_key", {4, 1}, {256, 1}, "b250:4294967295 z2000 z1000 w1000"},
    {"mum_sort", {2, 1}, {256, 1}, "z1000 b2048:4294967295 b1024:1000 w1024 w8 w4"},
    {"mum_match", {2, 1}, {128, 1}, "z1000 b1001:999 a1050:16843009 z200 z200 w1000 w20 w200"},
    {"mvt_rows", {3, 1}, {64, 1}, "i22500 i150 z150 w150"},
    {"mvt_columns", {3, 1}, {64, 1}, "i22500 i150 z150 w150"},
    {"mvt_add", {4, 1}, {256, 1}, "r1000 r1000 w1000"},
    {"nn", {8, 3}, {5, 5}, "i3042 i1200 i8 z600"},
    {"normalize", {4, 1}, {256, 1}, "r1000 z1000 f0.3 w1000"},
    {"nw_tiles", {2, 1}, {32, 1}, "b24:4294967295 b24:4294967295 b9409:1000 w96 w2 w2 w5 w3 w10"},
    {"nw_serial", {1, 1}, {1, 1}, "b8:4294967295 b10:4294967295 b1353:1000 w32 w40 w5 w3 w10"},
    {"path_rows", {5, 1}, {256, 1}, "b10000:10 b1000:10 z1000 w1000 w1 w5"},
    {"path_serial", {1, 1}, {1, 1}, "b1200:10 b120:10 w60 w20"},
    {"ray", {3, 4}, {16, 8}, "r5 r5 r5 r5 r5 r5 w5 z1536 w48 w32"},
    {"red_global", {3, 1}, {256, 1}, "r6144 z3"},
    {"red_hybrid1", {3, 1}, {256, 1}, "r6144 z3"},
    {"red_hybrid2", {3, 1}, {256, 1}, "r6144 z3"},
    {"red_hybrid3", {3, 1}, {256, 1}, "r6144 z3"},
    {"red_shared", {3, 1}, {256, 1}, "r6144 z3"},
    {"red_stride", {4, 1}, {256, 1}, "i5000 z4 w5000"},
    {"scp", {4, 1}, {256, 1}, "i4000 i4000 z4 w1000"},
    {"srad_scale", {4, 1}, {256, 1}, "r1000 f0.00392 w1000"},
    {"srad_extract", {4, 1}, {256, 1}, "r1000 w1000"},
    {"srad_compress", {4, 1}, {256, 1}, "r1000 w1000"},
    {"srad_prepare", {4, 1}, {256, 1}, "r1000 z1000 z1000 w1000"},
    {"srad_reduce", {2, 1}, {256, 1}, "r999 r999 w999"},
    {"srad_1",
     {2, 5},
     {32, 8},
     "r2000 z2000 z2000 z2000 z2000 z2000 b40:40 b40:40 b50:50 b50:50 w40 w50 f0.3"},
    {"srad_2", {2, 5}, {32, 8}, "i2000 i2000 i2000 i2000 i2000 i2000 b40:40 b50:50 w40 w50 f0.5"},
    {"stencil_point", {1, 5}, {32, 4}, "r4000 z4000 w20 w20 w3 f0.25 f0.125"},
    {"stencil_walk", {1, 5}, {32, 4}, "r4000 z4000 w20 w20 w10 f0.25 f0.125"},
    {"stream_distance", {4, 1}, {256, 1}, "r5000 r5 z1000 w1000 w5"},
    {"stream_gain", {4, 1}, {256, 1}, "r1000 r1000 b1000:7 z8000 z1000 f0.9 w1000"},
    {"stream_total", {8, 1}, {256, 1}, "r8000 z8 w1000"},
    {"stream_decide", {1, 1}, {1, 1}, "r8 z7 z1 f0.8 w7"},
    {"stream_reassign", {4, 1}, {256, 1}, "r1000 r1000 b1000:7 b1000:2 b7:2 b1:2 f0.9 w7 w1000"},
    {"triad", {4, 1}, {256, 1}, "z1000 r1000 r1000 f0.7 w1000"},
    {"vecadd", {4, 1}, {256, 1}, "r1000 r1000 z1000 w1000"},
    {"vecadd_strided", {4, 1}, {256, 1}, "r1000 r1032 z1064 w1000 w32 w64"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static struct input read_argument(const char *text)
{
    static const char letters[] = "zribas";
    static const enum fill fills[] = {FILL_ZERO,  FILL_REAL,  FILL_WHOLE,
                                      FILL_BELOW, FILL_ABOVE, FILL_STEPS};
    struct input input = {.kind = INPUT_WORD};
    char *end;
    if (*text == 'f') {
        float real = strtof(text + 1, NULL);
        memcpy(&input.value, &real, 4);
        return input;
    }
    uint32_t number = (uint32_t)strtoul(text + 1, &end, 10);
    if (*text == 'w') {
        input.value = number;
        return input;
    }
    input.kind = INPUT_BUFFER;
    input.bytes = 4 * number;
    input.fill = fills[strchr(letters, *text) - letters];
    if (*end == ':')
        input.value = (uint32_t)strtoul(end + 1, NULL, 10);
    return input;
}

static struct launch_inputs inputs_of(const struct sample *sample)
{
    struct launch_inputs inputs = {.entry = sample->kernel,
                                   .grid = {sample->grid[0], sample->grid[1], 1},
                                   .block = {sample->block[0], sample->block[1], 1},
                                   .seed = 1};
    for (const char *at = sample->arguments; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        inputs.list[inputs.count++] = read_argument(at);
    }
    return inputs;
}

// Returns the text itself: the inputs make the division of fused multiply-adds exact.
static const char *same_text(void *context, const struct tagged *tagged)
{
    (void)tagged;
    return context;
}

static bool compare_sample(const char *text, const struct sample *sample)
{
    static const char *const lanes[] = {"plain", "avx2"};
    struct launch_inputs inputs = inputs_of(sample);
    bool same = true;
    for (uint32_t i = 0; i < 4; i++) {
        struct comparison result;
        struct trial trial = {.lanes = lanes[i / 2], .fma = i % 2 ? FMA_SPLIT : FMA_FUSED};
        if (!lanes_named(trial.lanes))
            continue;
        union {
            const char *given;
            void *context;
        } original = {.given = text};
        compare_launch(&result, &trial, text, &inputs, same_text, original.context);
        if (result.outcome == OUTCOME_SAME && result.thread_instructions)
            continue;
        printf("# %s, %s, --fma=%s: %s\n", sample->kernel, trial.lanes,
               trial.fma == FMA_SPLIT ? "split" : "fused", result.why);
        same = false;
    }
    return same;
}

static char *read_whole(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *from = fopen(path, "r");
    if (!from || getdelim(&text, &size, 0, from) < 0)
        return NULL;
    fclose(from);
    return text;
}

// Compares the kernels of one file; each must be in the table.
static uint32_t compare_file(const char *path, uint32_t number, uint32_t *failed)
{
    uint32_t count = 0;
    char *text = read_whole(path);
    for (const char *at = text; at && (at = strstr(at, ".entry "));) {
        at += strlen(".entry ");
        size_t length = strcspn(at, " (\n"), row = 0;
        while (row < SAMPLES && (strlen(samples[row].kernel) != length ||
                                 memcmp(samples[row].kernel, at, length) != 0))
            row++;
        bool same = row < SAMPLES && compare_sample(text, &samples[row]);
        *failed += !same;
        printf("%s %u - %.*s\n", same ? "ok" : "not ok", number + count, (int)length, at);
        count++;
    }
    free(text);
    return count;
}

uint32_t compare_samples(const char *root, uint32_t first, uint32_t *failed)
{
    glob_t files;
    char pattern[4096];
    uint32_t count = 0;
    snprintf(pattern, sizeof pattern, "%s/samples/*/*.ptx", root);
    if (!glob(pattern, 0, NULL, &files))
        for (size_t i = 0; i < files.gl_pathc; i++)
            count += compare_file(files.gl_pathv[i], first + count, failed);
    globfree(&files);
    if (count < SAMPLES) {
        printf("# there are %u kernels of %u in the table\n", count, SAMPLES);
        ++*failed;
    }
    return count;
}
