/* Loads sums.ptx and launches its kernel k from another folder, as programs do that change theirs.
 * Needs no header of the toolkit. */
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
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra);
int cuCtxSynchronize(void);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);

enum { N = 4096, ONE = 0x3f800000 };

int main(void)
{
    void *context, *module, *function;
    uint64_t a, b, c;
    unsigned n = N, wrong = 0;
    static float values[N];
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    int error = cuModuleLoad(&module, "sums.ptx");
    if (chdir("/"))
        return 3;
    if (!error)
        error = cuModuleGetFunction(&function, module, "k");
    if (error)
        return printf("load: %d\n", error), 2;
    uint64_t *all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        cuMemAlloc_v2(all[i], 4 * N);
        cuMemsetD32_v2(*all[i], ONE, N);
    }
    void *parameters[] = {&a, &b, &c, &n};
    error = cuLaunchKernel(function, N / 128, 1, 1, 128, 1, 1, 0, 0, parameters, 0);
    error = error ? error : cuCtxSynchronize();
    cuMemcpyDtoH_v2(values, a, 4 * N);
    for (int i = 0; i < N; i++)
        wrong += values[i] != 2;
    printf("%d %u\n", error, wrong);
    return error || wrong;
}
