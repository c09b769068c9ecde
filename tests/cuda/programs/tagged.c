/* Loads modules one after the other and launches the kernel of each, from another folder, as
 * programs do that change theirs. Needs no header of the toolkit. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoad(void **module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemsetD32_v2(uint64_t at, unsigned value, size_t count);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuCtxSynchronize(void);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);

enum { N = 4096, ONE = 0x3f800000 };

static int fail(const char *what, int error)
{
    printf("%s: %d\n", what, error);
    return 2;
}

/* Runs the kernel, which adds a product of ones to ones. */
static int launch(void *function)
{
    static float values[N];
    uint64_t a, b, c;
    unsigned n = N, wrong = 0;
    uint64_t *all[] = {&a, &b, &c};
    void *parameters[] = {&a, &b, &c, &n};
    for (int i = 0; i < 3; i++) {
        cuMemAlloc_v2(all[i], 4 * N);
        cuMemsetD32_v2(*all[i], ONE, N);
    }
    int error = cuLaunchKernel(function, N / 128, 1, 1, 128, 1, 1, 0, 0, parameters, 0);
    error = error ? error : cuCtxSynchronize();
    cuMemcpyDtoH_v2(values, a, 4 * N);
    for (int i = 0; i < N; i++)
        wrong += values[i] != 2;
    printf("%d %u\n", error, wrong);
    return error || wrong;
}

/* usage: tagged FOLDER MODULE... */
int main(int count, char **names)
{
    void *context, *module, *function;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    for (int i = 2; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.ptx", names[1], names[i]);
        int error = cuModuleLoad(&module, path);
        error = error ? error : chdir("/");
        error = error ? error : cuModuleGetFunction(&function, module, names[i]);
        if (error)
            return fail("load", error);
        if (launch(function))
            return 1;
    }
    return 0;
}
