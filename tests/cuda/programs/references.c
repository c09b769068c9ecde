/* A program of CUDA 11 with texture and surface references, which links a static runtime. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dim3 {
    unsigned x, y, z;
};

struct channels {
    int x, y, z, w, kind;
};

struct reference {
    int normalized, filter, address[3];
    struct channels channels;
    int srgb;
    unsigned anisotropy;
    int mipmap_filter;
    float bias, min, max;
    int reserved[15];
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *name, const char *device,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
void __cudaRegisterTexture(void **handle, const struct reference *host, const void **device,
                           const char *name, int dimensions, int reads_numbers, int external);
void __cudaRegisterSurface(void **handle, const struct channels *host, const void **device,
                           const char *name, int dimensions, int external);
int cudaMalloc(void *to, size_t bytes);
int cudaMallocPitch(void *to, size_t *pitch, size_t width, size_t height);
int cudaMallocArray(void *to, const struct channels *channels, size_t width, size_t height,
                    unsigned flags);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *array, size_t x, size_t y,
                          size_t width, size_t height, int kind);
int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from, size_t pitch,
                        size_t width, size_t height, int kind);
int cudaBindTexture(size_t *offset, const struct reference *reference, const void *at,
                    const struct channels *channels, size_t bytes);
int cudaBindTexture2D(size_t *offset, const struct reference *reference, const void *at,
                      const struct channels *channels, size_t width, size_t height, size_t pitch);
int cudaBindTextureToArray(const struct reference *reference, void *array,
                           const struct channels *channels);
int cudaBindSurfaceToArray(const struct channels *reference, void *array,
                           const struct channels *channels);
int cudaUnbindTexture(const struct reference *reference);
int cudaGetTextureAlignmentOffset(size_t *offset, const struct reference *reference);
int cudaGetTextureReference(const struct reference **reference, const void *symbol);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);

__asm__(".section .nv_fatbin,\"a\"\n"
        ".balign 8\n"
        "image:\n"
        ".incbin \"" FATBIN "\"\n"
        ".previous\n");
extern const char image[];

static struct {
    int magic, version;
    const void *data;
    void *more;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, image, NULL};

static char read_stub;
static struct reference row, plane = {.address = {1, 1, 1}}, levels;
static struct channels out;

__attribute__((constructor)) static void enter(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &read_stub, "read", "read", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterTexture(handle, &row, NULL, "row", 1, 0, 0);
    __cudaRegisterTexture(handle, &plane, NULL, "plane", 2, 0, 0);
    __cudaRegisterTexture(handle, &levels, NULL, "levels", 1, 1, 0);
    __cudaRegisterSurface(handle, &out, NULL, "out", 2, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static void expect(long got, long expected, const char *what, int line)
{
    if (got == expected)
        return;
    printf("FAILED: line %d: %s: %ld, expected %ld\n", line, what, got, expected);
    fflush(stdout);
    _exit(1);
}
#define EXPECT(value, expected) expect((long)(value), (long)(expected), #value, __LINE__)
#define CALL(call) EXPECT(call, 0)

enum { N = 32, TO_DEVICE = 1, TO_HOST, UNSIGNED = 1, FLOAT, SURFACE = 2, INVALID_TEXTURE = 18 };

static void check(void *to, const unsigned *words, float (*texels)[N], const unsigned char *bytes)
{
    struct {
        unsigned word;
        float texel, level;
    } got[N];
    void *arguments[] = {&to};
    CALL(cudaLaunchKernel(&read_stub, (struct dim3){1, 1, 1}, (struct dim3){N, 1, 1}, arguments, 0,
                          NULL));
    CALL(cudaMemcpy(got, to, sizeof got, TO_HOST));
    for (int i = 0; i < N; i++) {
        EXPECT(got[i].word, words[i]);
        EXPECT(got[i].texel == texels[1][i], 1);
        EXPECT(got[i].level * 255 + 0.5f, bytes[i]);
    }
}

int main(void)
{
    const struct channels word = {32, 0, 0, 0, UNSIGNED}, number = {32, 0, 0, 0, FLOAT};
    const struct channels byte = {8, 0, 0, 0, UNSIGNED};
    const struct reference *same;
    unsigned words[2 * N], *at, stored[2 * N];
    float texels[2][N];
    unsigned char bytes[N], *levels_at;
    void *to, *array, *surface, *pitched;
    size_t offset = 1, pitch;
    for (int i = 0; i < 2 * N; i++) {
        words[i] = 7u * (unsigned)i + 1;
        texels[i / N][i % N] = 0.5f * (float)(i * i);
        bytes[i % N] = (unsigned char)(8 * i);
    }
    CALL(cudaMalloc(&to, 12 * N));
    CALL(cudaMalloc(&at, sizeof words));
    CALL(cudaMalloc(&levels_at, N));
    CALL(cudaMallocArray(&array, &number, N, 2, 0));
    CALL(cudaMallocArray(&surface, &word, N, 2, SURFACE));
    CALL(cudaMallocPitch(&pitched, &pitch, 4 * N, 2));
    CALL(cudaMemcpy(at, words, sizeof words, TO_DEVICE));
    CALL(cudaMemcpy(levels_at, bytes, N, TO_DEVICE));
    CALL(cudaMemcpy2DToArray(array, 0, 0, texels, 4 * N, 4 * N, 2, TO_DEVICE));
    CALL(cudaMemcpy2D(pitched, pitch, texels, 4 * N, 4 * N, 2, TO_DEVICE));
    CALL(cudaBindTexture(&offset, &row, at, &word, 0xffffffffu)); // the default size
    EXPECT(offset, 0);
    CALL(cudaBindTexture(NULL, &levels, levels_at, &byte, N));
    CALL(cudaBindTextureToArray(&plane, array, &number));
    CALL(cudaBindSurfaceToArray(&out, surface, &word));
    check(to, words, texels, bytes);
    CALL(cudaMemcpy2DFromArray(stored, 4 * N, surface, 0, 0, 4 * N, 2, TO_HOST));
    for (int i = 0; i < N; i++)
        EXPECT(stored[N + i], i + 100);
    // Bound again, to other memory.
    CALL(cudaBindTexture(&offset, &row, at + N, &word, 4 * N));
    CALL(cudaBindTexture2D(&offset, &plane, pitched, &number, N, 2, pitch));
    check(to, words + N, texels, bytes);
    CALL(cudaGetTextureReference(&same, &row));
    EXPECT(same == &row, 1);
    CALL(cudaGetTextureAlignmentOffset(&offset, &row));
    CALL(cudaUnbindTexture(&row));
    EXPECT(cudaBindTexture(&offset, (const struct reference *)&offset, at, &word, 4),
           INVALID_TEXTURE);
    puts("PASSED");
    return 0;
}
