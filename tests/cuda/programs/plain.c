/* A CUDA program as nvcc compiles one, for tests without nvcc. FATBIN has samples/vecadd. With
 * -DLIBRARY it is a shared library, whose function `check` is called. Arguments of the program:
 *
 *     first       shows what the first call returns
 *     own         checks the kernel of the program
 *     linked      checks that of a library that it is linked with (-DLINKED)
 *     open FILE   loads a library and checks its kernel; close FILE: removes it then
 *     call        calls two functions that are not supported, and one of its own
 *     layout      shows how many bytes of two structures the runtime writes
 *     pages       counts pages that are writable and executable */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *name, const char *device,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
int cudaMalloc(void **to, size_t bytes);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaDeviceSynchronize(void);
const char *cudaGetErrorName(int error);

__asm__(".section .nv_fatbin,\"a\"\n"
        ".balign 8\n"
        ".globl image\n"
        ".hidden image\n"
        "image:\n"
        ".incbin \"" FATBIN "\"\n"
        ".previous\n");
extern const char image[] __attribute__((visibility("hidden")));

static struct {
    int magic, version;
    const void *data;
    void *more;
} wrapper = {0x466243b1, 1, image, NULL};

static void **handle;

static void kernel(void)
{
}

static void leave(void)
{
    __cudaUnregisterFatBinary(handle);
}

__attribute__((constructor)) static void enter(void)
{
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const void *)kernel, "vecadd", "vecadd", -1, NULL, NULL, NULL,
                           NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(leave);
}

static int check_kernel(const char *name)
{
    enum { N = 1000, BYTES = N * sizeof(float), TO_DEVICE = 1, TO_HOST };
    static float in[N], out[N];
    int n = N, wrong = 0, error = 0;
    float *a = NULL, *b = NULL, *c = NULL;
    void *arguments[] = {&a, &b, &c, &n};
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    error |= cudaMalloc((void **)&a, BYTES) | cudaMalloc((void **)&b, BYTES) |
             cudaMalloc((void **)&c, BYTES);
    error |= cudaMemcpy(a, in, BYTES, TO_DEVICE) | cudaMemcpy(b, in, BYTES, TO_DEVICE);
    int launch = cudaLaunchKernel((const void *)kernel, (struct dim3){8, 1, 1},
                                  (struct dim3){128, 1, 1}, arguments, 0, NULL);
    error |= cudaMemcpy(out, c, BYTES, TO_HOST) | cudaDeviceSynchronize();
    error |= cudaFree(a) | cudaFree(b) | cudaFree(c);
    for (int i = 0; i < N; i++)
        wrong += out[i] != 2 * in[i];
    printf("%s: %s %d %s\n", name, cudaGetErrorName(launch), wrong, error ? "errors" : "good");
    return error | launch | wrong;
}

#ifdef LIBRARY

__attribute__((visibility("default"))) int check(void);
int check(void)
{
    return check_kernel(LIBRARY);
}

#else

int check(void);
int cudaDestroyExternalMemory(void *memory);
int cudaGetDeviceProperties(void *to, int device);
int cudaFuncGetAttributes(void *to, const void *function);
int cudaOfTheProgram(int n);
int cudaNotKnownYet(int a, void *b);

#ifndef LINKED
int check(void)
{
    return 0;
}
#endif

static int load(const char *path, int closes)
{
    int (*its)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        puts(dlerror());
        return 1;
    }
    *(void **)&its = dlsym(library, "check");
    int wrong = its();
    if (closes)
        dlclose(library);
    return wrong;
}

static int count_pages(void)
{
    char line[512], access[5];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        count += sscanf(line, "%*s %4s", access) == 1 && access[1] == 'w' && access[2] == 'x';
    fclose(maps);
    printf("writable and executable: %d\n", count);
    return 0;
}

static int last_byte(const unsigned char *from, int bytes)
{
    while (bytes && from[bytes - 1] == 0xa5)
        bytes--;
    return bytes;
}

static int show_layout(void)
{
    static unsigned char properties[2048], attributes[256];
    memset(properties, 0xa5, sizeof properties);
    memset(attributes, 0xa5, sizeof attributes);
    int error = cudaGetDeviceProperties(properties, 0) |
                cudaFuncGetAttributes(attributes, (const void *)kernel);
    printf("layout: %d %d\n", last_byte(properties, sizeof properties),
           last_byte(attributes, sizeof attributes));
    return error;
}

#ifdef UNKNOWN
static int call(void)
{
    printf("call: %d %d %d\n", cudaDestroyExternalMemory(NULL), cudaNotKnownYet(1, NULL),
           cudaOfTheProgram(20));
    return 0;
}

int cudaOfTheProgram(int n)
{
    return n + 1;
}
#endif

int main(int count, char **arguments)
{
    int wrong = 0;
    for (int i = 1; i < count; i++) {
        const char *what = arguments[i];
        if (!strcmp(what, "first"))
            printf("first: %s\n", cudaGetErrorName(cudaFree(NULL)));
        else if (!strcmp(what, "own"))
            wrong |= check_kernel("own");
        else if (!strcmp(what, "linked"))
            wrong |= check();
        else if (!strcmp(what, "open") || !strcmp(what, "close"))
            wrong |= load(arguments[++i], *what == 'c');
        else if (!strcmp(what, "pages"))
            wrong |= count_pages();
        else if (!strcmp(what, "layout"))
            wrong |= show_layout();
#ifdef UNKNOWN
        else if (!strcmp(what, "call"))
            wrong |= call();
#endif
        fflush(stdout);
    }
    return wrong != 0;
}

#endif
