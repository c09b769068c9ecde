// The driver's interface: a module of PTX text that is loaded while another one is in use.
#include "check.h"
#include <cuda.h>
#include <cstring>

#define DRIVER(call)                                                                               \
    do {                                                                                           \
        CUresult result_ = (call);                                                                 \
        if (result_ != CUDA_SUCCESS) {                                                             \
            failures++;                                                                            \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, result_);                         \
        }                                                                                          \
    } while (0)

static const char first[] = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 total = 40;
.visible .entry add(.param .u64 at, .param .u32 value)
{
    .reg .u32 %r<4>;
    .reg .u64 %rd<4>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [value];
    ld.global.u32 %r2, [total];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [total], %r3;
    st.global.u32 [%rd1], %r3;
    ret;
}
)";

static const char second[] = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 total = 7;
.visible .entry add(.param .u64 at)
{
    .reg .u32 %r<4>;
    .reg .u64 %rd<4>;
    ld.param.u64 %rd1, [at];
    ld.global.u32 %r2, [total];
    st.global.u32 [%rd1], %r2;
    ret;
}
)";

int main()
{
    CUdevice device;
    CUcontext context;
    CUmodule module, other;
    CUfunction add, read;
    CUdeviceptr at, total;
    CUstream stream;
    size_t bytes;
    char name[100];
    int count, got;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGetCount(&count));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDeviceGetName(name, sizeof name, device));
    CHECK(count == 1 && strstr(name, "ptxoffload"));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuModuleLoadData(&module, first));
    DRIVER(cuModuleGetFunction(&add, module, "add"));
    DRIVER(cuMemAlloc(&at, 64));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    unsigned value = 2;
    void *parameters[] = {&at, &value};
    DRIVER(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyDtoH(&got, at, sizeof got));
    CHECK(got == 42);
    DRIVER(cuModuleLoadDataEx(&other, second, 0, NULL, NULL));
    DRIVER(cuModuleGetFunction(&read, other, "add"));
    DRIVER(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuMemcpyDtoH(&got, at, sizeof got));
    CHECK(got == 7);
    // What the first module has written is still there.
    DRIVER(cuModuleGetGlobal(&total, &bytes, module, "total"));
    DRIVER(cuMemcpyDtoH(&got, total, sizeof got));
    CHECK(got == 42 && bytes == 4);
    struct {
        CUdeviceptr at;
        unsigned value;
    } piece = {at, 8};
    size_t piece_bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &piece, CU_LAUNCH_PARAM_BUFFER_SIZE, &piece_bytes,
                     CU_LAUNCH_PARAM_END};
    DRIVER(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    DRIVER(cuMemsetD32(at + 8, 0x01020304, 4));
    DRIVER(cuMemcpyDtoH(&got, at, sizeof got));
    CHECK(got == 50);
    DRIVER(cuMemcpyDtoH(&got, at + 20, sizeof got));
    CHECK(got == 0x01020304);
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    DRIVER(cuLaunchKernelEx(&config, add, parameters, NULL));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyDtoH(&got, at, sizeof got));
    CHECK(got == 52);
    CHECK(cuLaunchKernel(add, 1, 1, 1, 2000, 1, 1, 0, stream, parameters, NULL) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuModuleGetFunction(&add, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleLoadData(&other, "no PTX") != CUDA_SUCCESS);
    const char *text;
    DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(!strcmp(text, "CUDA_ERROR_INVALID_VALUE"));
    DRIVER(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(!strcmp(text, "invalid argument"));
    CHECK(cuGetErrorName((CUresult)4711, &text) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(at));
    return RESULT;
}
