/* Calls of the CUDA libraries in random order: allocations of all kinds, releases, copies, sets,
 * writes of the host without a call, launches in several streams and graphs, a module. After each
 * launch it writes address, size and hash of all memory into a file. It needs no nvcc; FATBIN has
 * record_random.ptx.
 *
 *     record_random SEED LOG MODULE [slack]
 *
 * MODULE is record_late.ptx; with `slack`, kernels read before their allocations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
    unsigned x, y, z;
};

enum { TO_DEVICE = 1, BY_ADDRESS = 4, WORDS = 64, BLOCKS = 64, SLACK_READ = 64, STREAMS = 3 };
enum { LIMIT_HEAP = 2, HOST_MAPPED = 2 };

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *name, const char *device,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t bytes, int constant, int global);
int cudaMalloc(void **to, size_t bytes);
int cudaMallocManaged(void **to, size_t bytes, unsigned flags);
int cudaHostAlloc(void **to, size_t bytes, unsigned flags);
int cudaMallocAsync(void **to, size_t bytes, void *stream);
int cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height);
int cudaHostRegister(void *at, size_t bytes, unsigned flags);
int cudaHostUnregister(void *at);
int cudaHostGetDevicePointer(void **to, void *host, unsigned flags);
int cudaFree(void *at);
int cudaFreeHost(void *at);
int cudaFreeAsync(void *at, void *stream);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t at, int kind);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *context);
int cudaDeviceSynchronize(void);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaStreamCreate(void **stream);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
const char *cudaGetErrorName(int error);
int cuModuleLoad(void **module, const char *path);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **arguments, void **more);

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

static char mix, keep, counter[4 * WORDS]; // the host's symbols of kernels and of a variable
static int *shared_counter;

__attribute__((constructor)) static void enter(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &mix, "mix", "mix", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &keep, "keep", "keep", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, counter, "counter", "counter", 0, sizeof counter, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared_counter, "shared_counter", "shared_counter",
                             0, 4 * WORDS, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

enum kind { PLAIN, MANAGED, PINNED, STREAM_ORDERED, PITCHED, REGISTERED, KINDS };

struct block {
    char *at, *host; // host: where the program writes without a call
    size_t bytes;
    enum kind kind;
};

static uint64_t seed;
static struct block blocks[BLOCKS];
static unsigned count;
static void *streams[STREAMS], *event, *module_function;
static int with_slack;

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static void need(int error)
{
    if (error) {
        printf("FAILED %s\n", cudaGetErrorName(error));
        exit(1);
    }
}

static struct block *draw_block(void)
{
    return &blocks[draw(count)];
}

/* Returns a stream that waits for all calls so far, if done_in has been called for them. */
static void *draw_stream(void)
{
    void *stream = streams[draw(STREAMS)];
    need(cudaStreamWaitEvent(stream, event, 0));
    return stream;
}

static void done_in(void *stream)
{
    need(cudaEventRecord(event, stream));
}

static void allocate(void)
{
    struct block one = {.bytes = 4 * (WORDS + draw(300)), .kind = draw(KINDS)};
    void *to = NULL;
    size_t pitch;
    switch (one.kind) {
    case PLAIN: need(cudaMalloc(&to, one.bytes)); break;
    case MANAGED: need(cudaMallocManaged(&to, one.bytes, 1)); break;
    case PINNED: need(cudaHostAlloc(&to, one.bytes, HOST_MAPPED)); break;
    case STREAM_ORDERED: need(cudaMallocAsync(&to, one.bytes, NULL)); break;
    case PITCHED: need(cudaMallocPitch(&to, &pitch, one.bytes, 1)); break;
    default:
        one.host = calloc(1, one.bytes);
        need(cudaHostRegister(one.host, one.bytes, HOST_MAPPED));
        need(cudaHostGetDevicePointer(&to, one.host, 0));
    }
    one.at = to;
    if (one.kind == MANAGED || one.kind == PINNED)
        one.host = to;
    if (draw(2))
        need(cudaMemset(one.at, (int)draw(256), one.bytes));
    blocks[count++] = one;
}

static void release(void)
{
    struct block *which = draw_block(), one = *which;
    switch (one.kind) {
    case PINNED: need(cudaFreeHost(one.at)); break;
    case STREAM_ORDERED: need(cudaFreeAsync(one.at, NULL)); break;
    case REGISTERED: need(cudaHostUnregister(one.host)); break;
    default: need(cudaFree(one.at));
    }
    *which = blocks[--count];
    if (one.kind == REGISTERED)
        free(one.host);
    if (draw(2) && one.kind == PLAIN) { // the next one may get its address, with another size
        one.bytes += 4 * draw(WORDS);
        need(cudaMalloc((void **)&one.at, one.bytes));
        blocks[count++] = one;
    }
}

static void write_word(void *at)
{
    ++*(int *)at;
}

static void write_by_host(void)
{
    struct block *one = draw_block();
    static int values[1024];
    for (unsigned i = 0; i < one->bytes / 4; i++)
        values[i] = (int)draw(1000);
    if (one->host && draw(2)) {
        void *stream = draw_stream();
        need(cudaLaunchHostFunc(stream, write_word, one->host + 4 * draw(one->bytes / 4)));
        done_in(stream);
    } else if (one->host) {
        need(cudaDeviceSynchronize());
        write_word(one->host + 4 * draw(one->bytes / 4));
    } else if (draw(2)) {
        void *stream = draw_stream();
        need(cudaMemcpyAsync(one->at, values, one->bytes, TO_DEVICE, stream));
        done_in(stream);
    } else if (draw(2)) {
        need(cudaMemcpy2D(one->at, 32, values, 16, 12, 8, TO_DEVICE));
    } else {
        need(cudaMemcpy(one->at, values, 4 * (1 + draw(one->bytes / 4)), TO_DEVICE));
    }
}

static void copy_or_set(void)
{
    struct block *from = draw_block(), *to = draw_block();
    size_t bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
    void *stream = draw_stream();
    if (from != to)
        need(cudaMemcpyAsync(to->at, from->at, bytes, BY_ADDRESS, stream));
    else
        need(cudaMemsetAsync(to->at, (int)draw(256), bytes / 2, stream));
    done_in(stream);
}

static void write_variable(void)
{
    int value = (int)draw(100);
    need(cudaDeviceSynchronize());
    if (draw(2))
        need(cudaMemcpyToSymbol(counter, &value, 4, 4 * draw(WORDS), TO_DEVICE));
    else
        shared_counter[draw(WORDS)] = value;
}

static uint64_t hash_of(const void *at, size_t bytes)
{
    static unsigned char data[4096];
    uint64_t hash = UINT64_C(14695981039346656037);
    need(cudaMemcpy(data, at, bytes, BY_ADDRESS));
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ data[i]) * UINT64_C(1099511628211);
    return hash;
}

static void write_state(FILE *to)
{
    need(cudaDeviceSynchronize());
    fprintf(to, "launch\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(to, "%llu %zu %llu\n", (unsigned long long)(uintptr_t)blocks[i].at, blocks[i].bytes,
                (unsigned long long)hash_of(blocks[i].at, blocks[i].bytes));
}

static void launch_mix(void *stream)
{
    const struct block *from = draw_block(), *to = draw_block();
    int n = (int)((from->bytes < to->bytes ? from->bytes : to->bytes) / 4);
    char *first = from->at, how[3] = {(char)(1 + draw(9))};
    if (with_slack && (from->kind == PLAIN || from->kind == STREAM_ORDERED))
        first -= SLACK_READ;
    void *arguments[] = {&first, (void *)&to->at, &n, how};
    struct dim3 grid = {((unsigned)n + 63) / 64, 1, 1};
    if (draw(8) == 0 && // a launch that is refused is not there
        !cudaLaunchKernel(&mix, grid, (struct dim3){2048, 1, 1}, arguments, 0, NULL))
        exit(1);
    need(cudaLaunchKernel(&mix, grid, (struct dim3){64, 1, 1}, arguments, draw(2) * 512, stream));
}

static void launch_keep(void *stream)
{
    int which = (int)draw(8), bytes = 4 * (1 + (int)draw(50000));
    void *arguments[] = {&draw_block()->at, &which, &bytes};
    struct dim3 one = {1, 1, 1};
    need(cudaLaunchKernel(&keep, one, one, arguments, 0, stream));
}

static void launch_late(void *stream, const char *path)
{
    void *module;
    int n = 32;
    void *arguments[] = {&draw_block()->at, &n};
    if (!module_function) {
        need(cuModuleLoad(&module, path));
        need(cuModuleGetFunction(&module_function, module, "late"));
    }
    need(cuLaunchKernel(module_function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
}

static void launch_graph(void *stream)
{
    void *graph, *exec;
    const struct block *set = draw_block();
    need(cudaStreamBeginCapture(stream, 0));
    need(cudaMemsetAsync(set->at, 3, 16, stream));
    launch_mix(stream);
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphInstantiate(&exec, graph, 0));
    need(cudaGraphLaunch(exec, stream));
}

static void launch(FILE *to, const char *path)
{
    void *stream = draw_stream();
    switch (draw(6)) {
    case 0: launch_keep(stream); break;
    case 1: launch_late(stream, path); break;
    case 2: launch_graph(stream); break;
    default: launch_mix(stream);
    }
    done_in(stream);
    write_state(to);
}

int main(int arguments, char **argument)
{
    seed = strtoull(argument[1], NULL, 0);
    FILE *to = fopen(argument[2], "w");
    with_slack = arguments > 4;
    need(cudaDeviceSetLimit(LIMIT_HEAP, (1 + draw(8)) << 16));
    need(cudaEventCreate(&event));
    for (int i = 0; i < STREAMS; i++)
        need(cudaStreamCreate(&streams[i]));
    allocate();
    for (int i = 0; i < 40; i++) {
        switch (draw(10)) {
        case 0:
        case 1: allocate(); break;
        case 2:
            if (count > 1)
                release();
            break;
        case 3: write_by_host(); break;
        case 4: copy_or_set(); break;
        case 5: write_variable(); break;
        default: launch(to, argument[3]);
        }
    }
    launch(to, argument[3]);
    fclose(to);
    printf("PASSED\n");
    return 0;
}
