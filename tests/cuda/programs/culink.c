/* Links modules with the driver, for tests without nvcc.
 *
 *     app FILE:KIND …
 *
 * adds the files, alternately as data and by name, links and loads them, and runs main_kernel with
 * 32 threads. Prints the error of each step, the log, and the words that the kernel has written. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuLinkCreate_v2(unsigned count, int *options, void **values, void **state);
int cuLinkAddData_v2(void *state, int kind, void *data, size_t bytes, const char *name,
                     unsigned count, int *options, void **values);
int cuLinkAddFile_v2(void *state, int kind, const char *path, unsigned count, int *options,
                     void **values);
int cuLinkComplete(void *state, void **image, size_t *bytes);
int cuLinkDestroy(void *state);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetLoadingMode(int *mode);
int cuMemAlloc_v2(uint64_t *to, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);

static int add(void *state, int number, char *file)
{
    static char text[1 << 20];
    const char *path = strtok(file, ":"), *kind = strtok(NULL, ":");
    if (number % 2)
        return cuLinkAddFile_v2(state, atoi(kind), path, 0, NULL, NULL);
    FILE *from = fopen(path, "rb");
    size_t bytes = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[bytes] = 0;
    int error = cuLinkAddData_v2(state, atoi(kind), text, bytes + 1, path, 0, NULL, NULL);
    memset(text, 'x', sizeof text); // the data may be freed after the call
    return error;
}

int main(int count, char **arguments)
{
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES, WORDS = 32 };
    char log[4096] = "";
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES}, mode = 0;
    void *values[] = {log, (void *)sizeof log}, *context, *state, *image, *module, *function;
    uint64_t buffer;
    size_t bytes = 0;
    unsigned words[WORDS];
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    printf("%d", cuLinkCreate_v2(2, options, values, &state));
    for (int i = 1; i < count; i++)
        printf(" %d", add(state, i, arguments[i]));
    int error = cuLinkComplete(state, &image, &bytes);
    printf(" %d\n%s\n", error, log);
    if (error)
        return 0;
    error = cuModuleLoadData(&module, image) | cuLinkDestroy(state);
    error |= cuModuleGetFunction(&function, module, "main_kernel");
    error |= cuMemAlloc_v2(&buffer, sizeof words);
    void *parameters[] = {&buffer};
    error |= cuLaunchKernel(function, 1, 1, 1, WORDS, 1, 1, 0, NULL, parameters, NULL);
    error |= cuMemcpyDtoH_v2(words, buffer, sizeof words) | cuModuleGetLoadingMode(&mode);
    printf("%d %d %d\n", error, mode, cuLinkDestroy(state));
    for (int i = 0; i < WORDS; i++)
        printf("%u ", words[i]);
    return 0;
}
