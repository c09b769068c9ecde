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

static const char wrong[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry k()
{
    add.u32 %r2, 1, 2;
    ret;
}
)";

static const char undefined[] = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .global .align 4 .u32 elsewhere;
.visible .entry k()
{
    .reg .u32 %r<2>;
    ld.global.u32 %r1, [elsewhere];
    ret;
}
)";

// Copies and sets of rows. `at` has 64 bytes.
static void rows(CUdeviceptr at)
{
    unsigned char block[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, back[64];
    DRIVER(cuMemsetD8(at, 0, 64));
    CUDA_MEMCPY2D plane = {};
    plane.srcMemoryType = CU_MEMORYTYPE_HOST;
    plane.srcHost = block;
    plane.srcPitch = 4;
    plane.srcXInBytes = 1;
    plane.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    plane.dstDevice = at;
    plane.dstPitch = 16;
    plane.dstXInBytes = 2;
    plane.dstY = 1;
    plane.WidthInBytes = 3;
    plane.Height = 3;
    DRIVER(cuMemcpy2D(&plane));
    DRIVER(cuMemcpyDtoH(back, at, 64));
    CHECK(back[18] == 2 && back[20] == 4 && back[21] == 0 && back[34] == 6 && back[52] == 12);
    plane.dstPitch = 2;
    CHECK(cuMemcpy2D(&plane) == CUDA_ERROR_INVALID_VALUE);
    // Two slices of two rows of four bytes, from slices of four rows of eight.
    CUDA_MEMCPY3D solid = {};
    for (int i = 0; i < 64; i++)
        back[i] = i;
    DRIVER(cuMemcpyHtoD(at, back, 64));
    memset(back, 0, sizeof back);
    solid.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    solid.srcDevice = at;
    solid.srcPitch = 8;
    solid.srcHeight = 4;
    solid.srcXInBytes = 3;
    solid.srcY = 1;
    solid.dstMemoryType = CU_MEMORYTYPE_HOST;
    solid.dstHost = back;
    solid.WidthInBytes = 4;
    solid.Height = 2;
    solid.Depth = 2;
    DRIVER(cuMemcpy3DAsync(&solid, NULL));
    DRIVER(cuCtxSynchronize());
    CHECK(back[0] == 11 && back[3] == 14 && back[4] == 19 && back[8] == 43 && back[15] == 54 && !back[16]);
    DRIVER(cuMemsetD2D32(at, 16, 0x01020304, 2, 3));
    DRIVER(cuMemsetD2D16Async(at + 8, 16, 0x0506, 1, 2, NULL));
    DRIVER(cuMemcpyDtoH(back, at, 64));
    CHECK(back[0] == 4 && back[7] == 1 && back[8] == 6 && back[9] == 5 && back[10] == 10 && back[32] == 4 &&
          back[40] == 40 && back[48] == 48);
    CHECK(cuMemsetD2D8(at, 1, 0, 2, 2) == CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr pitched;
    size_t pitch;
    DRIVER(cuMemAllocPitch(&pitched, &pitch, 100, 3, 4));
    CHECK(pitch >= 100);
    DRIVER(cuMemsetD2D8(pitched, pitch, 9, 100, 3));
    DRIVER(cuMemFree(pitched));
}

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
    // Modules with errors: later calls are those of a program without them.
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK(cuModuleLoadDataEx(&other, wrong, 2, options, values) == CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "line 7; error") && strstr(log, "'%r2'"));
    CHECK((size_t)values[1] == strlen(log) + 1);
    values[1] = (void *)20;
    CHECK(cuModuleLoadDataEx(&other, undefined, 2, options, values) == CUDA_ERROR_INVALID_PTX);
    CHECK(!strcmp(log, "ptxas fatal   : Unr"));
    CHECK(cuModuleLoadData(&other, undefined) == CUDA_ERROR_INVALID_PTX);
    // Headers that claim more bytes than there are.
    static char image[64] = "\177ELF";
    memset(image + 40, 0x7f, 8);
    CHECK(cuModuleLoadData(&other, image) != CUDA_SUCCESS);
    memcpy(image, "\x50\xed\x55\xba", 4);
    memset(image + 8, 0x7f, 8);
    CHECK(cuModuleLoadData(&other, image) != CUDA_SUCCESS);
    DRIVER(cuModuleLoadData(&other, second));
    DRIVER(cuModuleGetFunction(&read, other, "add"));
    DRIVER(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyDtoH(&got, at, sizeof got));
    CHECK(got == 7);
    const char *text;
    DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(!strcmp(text, "CUDA_ERROR_INVALID_VALUE"));
    DRIVER(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(!strcmp(text, "invalid argument"));
    CHECK(cuGetErrorName((CUresult)4711, &text) == CUDA_ERROR_INVALID_VALUE);
    rows(at);
    DRIVER(cuMemFree(at));
    return RESULT;
}
