/* A program of several objects as nvcc -rdc=true makes it, for tests without nvcc. OBJECTS is a
 * list of .incbin lines that the test writes, each with a label object0, object1 …; COUNT is their
 * number; LINKED has the fatbin that the device linker has made. With -DPLAIN the program has
 * LINKED alone, as without -rdc=true.
 *
 *     app KERNEL:GRID:BLOCK …
 *
 * launches kernels with a buffer of 4096 words, which is zero at first, and prints the error of
 * each launch, that of the last call, and the words up to the last one that is not zero. */
#include "runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMemset(void *at, int value, size_t bytes);
int cudaDeviceSetLimit(int limit, size_t value);

__asm__(".section .nv_fatbin,\"a\"\n"
        ".balign 8\n"
        "linked: .incbin \"" LINKED "\"\n"
        ".section __nv_relfatbin,\"a\"\n" OBJECTS ".previous\n");
extern const char linked[] __attribute__((visibility("hidden")));
extern const char object0[] __attribute__((visibility("hidden")));
extern const char object1[] __attribute__((visibility("hidden")));
extern const char object2[] __attribute__((visibility("hidden")));

int main(int count, char **arguments)
{
    enum { WORDS = 4096, TO_HOST = 2, KERNELS = 64 };
    static const void *objects[4], *const all[] = {object0, object1, object2};
    static struct {
        int magic, version;
        const void *data;
        const void **more;
    } wrapper = {0x466243b1, 2, linked, objects};
    static char stubs[KERNELS][16];
    static unsigned words[WORDS];
    unsigned *buffer = NULL, last = 0;
    memcpy(objects, all, COUNT * sizeof *objects);
#ifdef PLAIN
    wrapper.version = 1;
    wrapper.more = NULL;
#endif
    void **handle = __cudaRegisterFatBinary(&wrapper);
    for (int i = 1; i < count; i++)
        __cudaRegisterFunction(handle, stubs[i], strtok(arguments[i], ":"), arguments[i], -1, NULL,
                               NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    if (getenv("PENDING"))
        cudaDeviceSetLimit(4, (size_t)atoi(getenv("PENDING")));
    cudaMalloc((void **)&buffer, sizeof words);
    cudaMemset(buffer, 0, sizeof words);
    for (int i = 1; i < count; i++) {
        unsigned grid = (unsigned)atoi(strtok(arguments[i] + strlen(arguments[i]) + 1, ":"));
        unsigned block = (unsigned)atoi(strtok(NULL, ":"));
        void *parameters[] = {&buffer};
        printf("%d ", cudaLaunchKernel(stubs[i], (struct dim3){grid, 1, 1},
                                       (struct dim3){block, 1, 1}, parameters, 0, NULL));
    }
    int error = cudaMemcpy(words, buffer, sizeof words, TO_HOST);
    printf("%d\n", error);
    for (unsigned i = 0; i < WORDS; i++)
        last = words[i] ? i + 1 : last;
    for (unsigned i = 0; i < last; i++)
        printf("%u%c", words[i], i + 1 == last ? '\n' : ' ');
    return 0;
}
