/* A program that resets the device after faults of kernels, for tests without nvcc. FATBIN has the
 * kernels.
 *
 *     app SEED STEPS
 *
 * issues random launches to two streams. Some of the kernels fault or wait forever. After a fault
 * each call must return the error until cudaDeviceReset; afterwards memory, variables and kernels
 * must be as in a new process. Prints the number of faults. */
#include "runtime.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaFree(void *at);
int cudaStreamCreate(void **to);
int cudaDeviceReset(void);
int cudaGetLastError(void);

__asm__(".section .nv_fatbin,\"a\"\n"
        ".balign 8\n"
        "image: .incbin \"" FATBIN "\"\n"
        ".previous\n");
extern const char image[] __attribute__((visibility("hidden")));

enum { WORDS = 1024, BLOCK = 128, TO_DEVICE = 1, TO_HOST = 2, ADD = 0, COUNT = 1, RIGHT = 2 };
static char stubs[5], *const names[] = {"add", "count", "wild", "trap", "stuck"};
static const int errors[] = {0, 0, 700, 719, 702};
static void *streams[2], *buffers[2];
static unsigned counted, words[2][WORDS], faults;
static uint64_t state;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void allocate(void)
{
    for (int i = 0; i < 2; i++) {
        CHECK(!cudaMalloc(&buffers[i], sizeof words[i]));
        for (int k = 0; k < WORDS; k++)
            words[i][k] = draw(1000);
        CHECK(!cudaMemcpy(buffers[i], words[i], sizeof words[i], TO_DEVICE));
    }
    counted = 5;
}

/* A stream has a buffer of its own. */
static void launch(int kernel, int stream)
{
    struct dim3 grid = {WORDS / BLOCK, 1, 1}, block = {BLOCK, 1, 1};
    void *arguments[] = {&buffers[stream]};
    CHECK(!cudaLaunchKernel(&stubs[kernel], grid, block, arguments, 0, streams[stream]));
    for (int i = 0; kernel == ADD && i < WORDS; i++)
        words[stream][i] += 7;
}

static void check(void)
{
    static unsigned got[WORDS];
    for (int i = 0; i < 2; i++) {
        CHECK(!cudaMemcpy(got, buffers[i], sizeof got, TO_HOST));
        CHECK(!memcmp(got, words[i], sizeof got));
    }
    launch(COUNT, 0);
    CHECK(!cudaMemcpy(got, buffers[0], 4, TO_HOST));
    words[0][0] = got[0];
    CHECK(got[0] == ++counted);
}

static void recover(int error)
{
    void *more, *old = buffers[0];
    CHECK(cudaDeviceSynchronize() == error);
    CHECK(cudaGetLastError() == error);
    CHECK(cudaMalloc(&more, 16) == error);
    CHECK(cudaMemcpy(words[0], buffers[0], 4, TO_HOST) == error);
    cudaDeviceReset();
    cudaGetLastError();
    CHECK(!cudaDeviceSynchronize());
    CHECK(cudaFree(old));
    cudaGetLastError();
    allocate();
    faults++;
}

int main(int count, char **arguments)
{
    static struct {
        int magic, version;
        const void *data;
        void *more;
    } wrapper = {0x466243b1, 1, image, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    for (int i = 0; i < 5; i++)
        __cudaRegisterFunction(handle, &stubs[i], names[i], names[i], -1, NULL, NULL, NULL, NULL,
                               NULL);
    __cudaRegisterFatBinaryEnd(handle);
    CHECK(count == 3);
    state = strtoull(arguments[1], NULL, 10);
    for (int i = 0; i < 2; i++)
        CHECK(!cudaStreamCreate(&streams[i]));
    allocate();
    for (int step = atoi(arguments[2]); step; step--) {
        int wrong = draw(3) ? 0 : RIGHT + (int)draw(3);
        for (unsigned n = 1 + draw(3); n; n--)
            launch(ADD, draw(2));
        if (wrong)
            launch(wrong, draw(2));
        for (unsigned n = draw(3); n && wrong; n--)
            launch(ADD, draw(2));
        if (wrong)
            recover(errors[wrong]);
        else
            check();
    }
    printf("%u\n", faults);
    return 0;
}
