/* What programs do with several devices, by the name in the first argument; the second one is the
 * number of devices. */
#include "devices.h"
#include <pthread.h>

int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxGetDevice(int *device);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuCtxDisablePeerAccess(void *context);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDeviceGet(int *device, int number);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes);
int cuMemAddressReserve(uint64_t *to, size_t bytes, size_t align, uint64_t at,
                        unsigned long long flags);
int cuMemCreate(uint64_t *handle, size_t bytes, const struct physical *properties,
                unsigned long long flags);
int cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
int cuMemSetAccess(uint64_t at, size_t bytes, const struct access *list, size_t count);

enum { WORDS = 1000, BYTES = WORDS * 4, INVALID_CONTEXT = 201 };

static int devices;
static unsigned values[WORDS], got[WORDS];

static unsigned *allocate(int device)
{
    unsigned *at;
    CALL(cudaSetDevice(device));
    CALL(cudaMalloc(&at, BYTES));
    CALL(cudaMemcpy(at, values, BYTES, TO_DEVICE));
    return at;
}

static unsigned fetch(const unsigned *from)
{
    unsigned value;
    CALL(cudaMemcpy(&value, from, sizeof value, DEFAULT));
    return value;
}

static void *current_in_thread(void *to)
{
    CALL(cudaGetDevice(to));
    return NULL;
}

static void properties(void)
{
    int number, value, can;
    char bus[32];
    pthread_t thread;
    CALL(cudaGetDeviceCount(&number));
    EXPECT(number, devices);
    EXPECT(cudaSetDevice(devices), INVALID_DEVICE);
    EXPECT(cudaSetDevice(-1), INVALID_DEVICE);
    for (int i = 0; i < devices; i++) {
        CALL(cudaSetDevice(i));
        CALL(cudaGetDevice(&number));
        EXPECT(number, i);
        CALL(pthread_create(&thread, NULL, current_in_thread, &number));
        CALL(pthread_join(thread, NULL));
        EXPECT(number, 0); // a new thread begins with the first device
        CALL(cudaDeviceGetPCIBusId(bus, sizeof bus, i));
        CALL(cudaDeviceGetByPCIBusId(&number, bus));
        EXPECT(number, i);
        CALL(cudaDeviceGetAttribute(&value, 33, i));
        EXPECT(value, i + 1);
        for (int k = 0; k < devices; k++) {
            CALL(cudaDeviceCanAccessPeer(&can, i, k));
            EXPECT(can, i != k);
            EXPECT(cudaDeviceGetP2PAttribute(&value, 2, i, k), i == k ? INVALID_DEVICE : 0);
        }
    }
    EXPECT(cudaDeviceCanAccessPeer(&can, 0, devices), INVALID_DEVICE);
    EXPECT(cudaDeviceGetAttribute(&value, 33, devices), INVALID_DEVICE);
    EXPECT(cudaDeviceEnablePeerAccess(devices, 0), INVALID_DEVICE);
}

static void errors(void)
{
    unsigned *at = allocate(1);
    void *stream, *event;
    int number;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamGetDevice(stream, &number));
    EXPECT(number, 1);
    CALL(cudaEventCreate(&event));
    CALL(cudaSetDevice(0));
    EXPECT(launch_bump(at, 8, 1, stream), INVALID_HANDLE); // a stream of another device
    EXPECT(cudaEventRecord(event, NULL), INVALID_HANDLE);
    EXPECT(cudaDeviceEnablePeerAccess(1, 1), INVALID_VALUE);
    EXPECT(cudaDeviceDisablePeerAccess(1), NOT_ENABLED);
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), ALREADY_ENABLED);
    EXPECT(cudaMemcpyPeer(at, 1, at, devices, 4), INVALID_DEVICE);
    CALL(launch_bump(at, 8, 1, NULL));
    CALL(cudaDeviceSynchronize());
    EXPECT(fetch(at), values[0] + 1);
    CALL(cudaDeviceDisablePeerAccess(1));
}

// Ends with the error of an access that is not allowed.
static void fault(void)
{
    unsigned *at = allocate(1);
    CALL(cudaSetDevice(0));
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    CALL(launch_bump(at, 8, 1, NULL));
    CALL(cudaDeviceDisablePeerAccess(1));
    CALL(launch_bump(at, 8, 1, NULL));
    EXPECT(cudaDeviceSynchronize(), ILLEGAL_ADDRESS);
    EXPECT(cudaMemcpy(got, at, 4, TO_HOST), ILLEGAL_ADDRESS);
    EXPECT(cudaDeviceReset(), ILLEGAL_ADDRESS); // of the work that it waits for
    CALL(cudaSetDevice(1));
    EXPECT(fetch(at), values[0] + 1);
}

// Each device has variables and memory of its own; managed memory belongs to all.
static void memory(void)
{
    unsigned *at[16], *managed, *pinned;
    void *variable[16];
    size_t before, after, bytes;
    CALL(cudaMallocManaged(&managed, BYTES, 1));
    CALL(cudaMallocHost(&pinned, BYTES));
    memset(managed, 0, BYTES);
    memcpy(pinned, values, BYTES);
    for (int i = 0; i < devices; i++) {
        at[i] = allocate(i);
        CALL(cudaGetSymbolAddress(&variable[i], &counter));
        for (int k = 0; k < i; k++)
            EXPECT(variable[i] != variable[k], 1);
        CALL(launch_mix(at[i], pinned, 100 * (unsigned)(i + 1), 7, NULL));
        CALL(launch_bump(managed, WORDS, 1, NULL));
        CALL(cudaDeviceSynchronize());
    }
    for (int i = 0; i < devices; i++) {
        EXPECT(fetch(variable[i]), 100 * (i + 1));
        EXPECT(fetch(at[i]), values[0] * 4 + 7);
        EXPECT(managed[3], WORDS / 8 * (unsigned)devices);
    }
    EXPECT(*total, 50 * devices * (devices + 1));
    CALL(cudaSetDevice(devices - 1));
    CALL(cudaMemGetInfo(&before, &bytes));
    CALL(cudaDeviceReset());
    CALL(cudaMemGetInfo(&after, &bytes));
    EXPECT(after - before, BYTES);
    EXPECT(fetch(variable[devices - 1]), 0);
    EXPECT(fetch(variable[0]), 100); // other devices keep theirs
    EXPECT(fetch(at[0]), values[0] * 4 + 7);
}

// Chains of works through all devices, by events.
static void events(void)
{
    unsigned *at[16];
    void *stream[16], *event[16];
    for (int i = 0; i < devices; i++) {
        at[i] = allocate(i);
        CALL(cudaStreamCreate(&stream[i]));
        CALL(cudaEventCreate(&event[i]));
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < devices; i++) {
            int next = (i + 1) % devices;
            CALL(cudaSetDevice(i));
            CALL(launch_mix(at[i], at[i], WORDS, 1, stream[i]));
            CALL(cudaMemcpyPeerAsync(at[next], next, at[i], i, BYTES, stream[i]));
            CALL(cudaEventRecord(event[i], stream[i]));
            CALL(cudaSetDevice(next));
            CALL(cudaStreamWaitEvent(stream[next], event[i], 0));
        }
    CALL(cudaMemcpyAsync(got, at[0], BYTES, TO_HOST, stream[0]));
    CALL(cudaStreamSynchronize(stream[0]));
    for (int k = 0; k < WORDS; k++) {
        unsigned value = values[k];
        for (int i = 0; i < 3 * devices; i++)
            value = value * 4 + 1;
        EXPECT(got[k], value);
    }
}

// A kernel waits for what a kernel of another device stores into its memory.
static void poll(void)
{
    unsigned *flag;
    CALL(cudaSetDevice(1));
    CALL(cudaMalloc(&flag, 32));
    CALL(cudaSetDevice(0));
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    CALL(cudaSetDevice(1));
    void *arguments[] = {&flag};
    CALL(launch(&await_kernel, 1, arguments, NULL));
    CALL(cudaSetDevice(0));
    CALL(launch_bump(flag, 8, 1, NULL));
    CALL(cudaSetDevice(1));
    CALL(cudaDeviceSynchronize());
    EXPECT(fetch(flag), 2);
}

static void *use_device(void *of)
{
    int device = *(int *)of, number;
    unsigned *at = allocate(device), *own = malloc(BYTES);
    void *stream;
    CALL(cudaStreamCreate(&stream));
    for (int i = 0; i < 20; i++)
        CALL(launch_bump(at, WORDS, (unsigned)device + 1, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(own, at, BYTES, TO_HOST));
    for (int k = 0; k < 8; k++)
        EXPECT(own[k], values[k] + 20u * WORDS / 8 * (unsigned)(device + 1));
    CALL(cudaGetDevice(&number));
    EXPECT(number, device);
    free(own);
    return NULL;
}

static void threads(void)
{
    pthread_t all[16];
    int numbers[16];
    for (int i = 0; i < devices; i++) {
        numbers[i] = i;
        CALL(pthread_create(&all[i], NULL, use_device, &numbers[i]));
    }
    for (int i = 0; i < devices; i++)
        CALL(pthread_join(all[i], NULL));
}

// The driver's contexts, peer copies, and memory that is mapped for several devices.
static void driver(void)
{
    enum { PIECE = 2 << 20 };
    void *context[2], *primary, *old;
    int device;
    uint64_t at[2], address, handle;
    for (int i = 0; i < 2; i++) {
        CALL(cuDeviceGet(&device, i));
        CALL(cuCtxCreate_v2(&context[i], 0, device));
        CALL(cuCtxGetDevice(&device));
        EXPECT(device, i);
        CALL(cuMemAlloc_v2(&at[i], BYTES));
    }
    EXPECT(cuDeviceGet(&device, devices), INVALID_DEVICE);
    CALL(cudaMemcpy((void *)at[0], values, BYTES, DEFAULT));
    CALL(cuMemcpyPeer(at[1], context[1], at[0], context[0], BYTES));
    EXPECT(fetch((unsigned *)at[1] + 5), values[5]);
    CALL(cuCtxEnablePeerAccess(context[0], 0));
    EXPECT(cuCtxEnablePeerAccess(context[0], 0), ALREADY_ENABLED);
    CALL(launch_bump((void *)at[0], 8, 2, NULL));
    CALL(cudaDeviceSynchronize());
    EXPECT(fetch((unsigned *)at[0]), values[0] + 2);
    CALL(cuCtxDisablePeerAccess(context[0]));
    CALL(cuCtxPopCurrent_v2(&old));
    EXPECT(old == context[1], 1);
    CALL(cuCtxGetDevice(&device));
    EXPECT(device, 0);
    CALL(cuDevicePrimaryCtxRetain(&primary, 1));
    CALL(cuCtxSetCurrent(primary));
    CALL(cuCtxGetDevice(&device));
    EXPECT(device, 1);
    // Memory of device 1, mapped for both.
    struct physical properties = {.type = 1, .location = {1, 1}};
    struct access access[2] = {{{1, 0}, 3}, {{1, 1}, 3}};
    CALL(cuMemAddressReserve(&address, PIECE, 0, 0, 0));
    CALL(cuMemCreate(&handle, PIECE, &properties, 0));
    CALL(cuMemMap(address, PIECE, 0, handle, 0));
    CALL(cuMemSetAccess(address, PIECE, access, 2));
    for (int i = 0; i < 2; i++) {
        CALL(cudaSetDevice(i));
        CALL(launch_bump((void *)address, 8, 3, NULL));
        CALL(cudaDeviceSynchronize());
    }
    EXPECT(fetch((unsigned *)address), 6);
    // A pool, to which another device gets access.
    void *pool;
    unsigned *piece;
    int flags;
    CALL(cudaDeviceGetDefaultMemPool(&pool, 1));
    CALL(cudaMallocAsync(&piece, 64, NULL)); // of device 1, which is current
    CALL(cudaMemsetAsync(piece, 0, 64, NULL));
    CALL(cudaMemPoolGetAccess(&flags, pool, &access[0].location));
    EXPECT(flags, 0);
    CALL(cudaMemPoolSetAccess(pool, access, 1));
    CALL(cudaDeviceSynchronize());
    CALL(cudaSetDevice(0));
    CALL(launch_bump(piece, 8, 4, NULL));
    CALL(cudaDeviceSynchronize());
    EXPECT(fetch(piece), 4);
}

// Prints the microseconds of a copy of 64 KiB within a device and between two, and of 64 dependent
// loads from memory of the device and of the other one.
static void times(void)
{
    enum { SIZE = 64 << 10 };
    char *at[3], *to;
    void *begin, *end;
    float time[4];
    for (int i = 0; i < 3; i++) {
        CALL(cudaSetDevice(i == 2));
        CALL(cudaMalloc(&at[i], SIZE));
    }
    CALL(cudaSetDevice(0));
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    CALL(cudaMalloc(&to, SIZE));
    CALL(cudaEventCreate(&begin));
    CALL(cudaEventCreate(&end));
    for (int i = 0; i < 4; i++) {
        unsigned loads = 64;
        char *from = at[i & 1 ? 2 : 0];
        void *arguments[] = {&to, &from, &loads};
        CALL(cudaEventRecord(begin, NULL));
        CALL(i < 2 ? cudaMemcpyAsync(at[1], from, SIZE, DEFAULT, NULL)
                   : launch(&walk, 1, arguments, NULL));
        CALL(cudaEventRecord(end, NULL));
        CALL(cudaEventSynchronize(end));
        CALL(cudaEventElapsedTime(&time[i], begin, end));
    }
    for (int i = 0; i < 4; i++)
        printf("%.3f\n", time[i] * 1e3);
}

// Works of both devices that overlap: prints the simulated microseconds of one and of two.
static void overlap(void)
{
    float time[2];
    for (int both = 0; both < 2; both++) {
        unsigned *at[2] = {allocate(0), allocate(1)}, loads = 30;
        void *begin, *end, *other;
        CALL(cudaSetDevice(0));
        CALL(cudaEventCreate(&begin));
        CALL(cudaEventCreate(&end));
        CALL(cudaEventRecord(begin, NULL));
        for (int i = 0; i <= both; i++) {
            void *arguments[] = {&at[i], &at[i], &loads};
            CALL(cudaSetDevice(i));
            CALL(launch(&walk, 1, arguments, NULL));
            CALL(cudaEventCreate(&other));
            CALL(cudaEventRecord(other, NULL));
        }
        CALL(cudaSetDevice(0));
        CALL(cudaStreamWaitEvent(NULL, other, 0));
        CALL(cudaEventRecord(end, NULL));
        CALL(cudaEventSynchronize(end));
        CALL(cudaEventElapsedTime(&time[both], begin, end));
    }
    printf("%.3f\n%.3f\n", time[0] * 1e3, time[1] * 1e3);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"properties", properties}, {"errors", errors}, {"fault", fault},
               {"memory", memory},         {"events", events}, {"poll", poll},
               {"threads", threads},       {"driver", driver}, {"times", times},
               {"overlap", overlap}};
    devices = argc > 2 ? atoi(argv[2]) : 2;
    for (unsigned i = 0; i < WORDS; i++)
        values[i] = i * 2654435761u >> 7;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(argv[1], all[i].name))
            all[i].run();
    puts("PASSED");
    return 0;
}
