/* Random sequences of allocations, copies, kernels and events on several devices, beside a model in
 * plain C. Arguments: devices, seed, steps. A work waits for the events of the last works on its
 * buffers, in whatever stream of whatever device they are. */
#include "devices.h"

enum { MOST = 24, WORDS = 300, STREAMS = 3, DEVICES = 16 };
enum kind { ON_DEVICE, MANAGED, PINNED };

struct buffer {
    enum kind kind;
    int device;
    unsigned *at, model[WORDS];
    void *event; // of the last work on it
};

static struct buffer buffers[MOST];
static int count, devices;
static int peers[DEVICES][DEVICES];
static void *streams[DEVICES][STREAMS];
static unsigned counters[DEVICES], all, state;

static int draw(int limit)
{
    state = state * 1103515245 + 12345;
    return (int)((state >> 16) % (unsigned)limit);
}

static struct buffer *any(void)
{
    return &buffers[draw(count)];
}

static int may_access(int device, const struct buffer *b)
{
    return b->kind != ON_DEVICE || b->device == device || peers[device][b->device];
}

static void allocate(void)
{
    struct buffer *b = &buffers[count++];
    struct pointer pointer;
    b->kind = draw(4) ? ON_DEVICE : draw(2) ? MANAGED : PINNED;
    b->device = draw(devices);
    CALL(cudaSetDevice(b->device));
    CALL(b->kind == ON_DEVICE ? cudaMalloc(&b->at, sizeof b->model)
         : b->kind == MANAGED ? cudaMallocManaged(&b->at, sizeof b->model, 1)
                              : cudaMallocHost(&b->at, sizeof b->model));
    CALL(cudaPointerGetAttributes(&pointer, b->at));
    EXPECT(pointer.device, b->device);
    for (int i = 0; i < count - 1; i++)
        EXPECT(b->at + WORDS <= buffers[i].at || buffers[i].at + WORDS <= b->at, 1);
    for (int i = 0; i < WORDS; i++)
        b->model[i] = (unsigned)draw(1 << 15);
    CALL(cudaMemcpy(b->at, b->model, sizeof b->model, DEFAULT));
    CALL(cudaEventCreate(&b->event));
}

// Chooses a stream of a device, which waits for the last works on these buffers.
static void *stream_for(int device, struct buffer *one, struct buffer *two)
{
    void *stream = streams[device][draw(STREAMS)];
    CALL(cudaSetDevice(device));
    CALL(cudaStreamWaitEvent(stream, one->event, 0));
    CALL(cudaStreamWaitEvent(stream, two->event, 0));
    return stream;
}

// Records new events of the device after a work on these buffers.
static void note(void *stream, struct buffer *one, struct buffer *two)
{
    struct buffer *both[] = {one, two};
    for (int i = 0; i < 1 + (one != two); i++) {
        CALL(cudaEventDestroy(both[i]->event));
        CALL(cudaEventCreate(&both[i]->event));
        CALL(cudaEventRecord(both[i]->event, stream));
    }
}

static void compare(struct buffer *b)
{
    unsigned got[WORDS];
    CALL(cudaEventSynchronize(b->event));
    CALL(cudaSetDevice(draw(devices)));
    if (b->kind == ON_DEVICE || draw(2))
        CALL(cudaMemcpy(got, b->at, sizeof got, draw(2) ? DEFAULT : TO_HOST));
    else
        memcpy(got, b->at, sizeof got);
    for (int i = 0; i < WORDS; i++)
        EXPECT(got[i], b->model[i]);
}

static void copy(void)
{
    struct buffer *to = any(), *from = any();
    int device = draw(devices), n = 1 + draw(WORDS), at = draw(WORDS - n + 1);
    if (to == from)
        return;
    void *stream = stream_for(device, to, from);
    int rows = n / 4 > 0 ? n / 4 : 1, is_plain = draw(3);
    if (is_plain == 0 || rows < 2) {
        CALL(draw(2) ? cudaMemcpyAsync(to->at + at, from->at, 4u * (unsigned)n, DEFAULT, stream)
                     : cudaMemcpyPeerAsync(to->at + at, to->device, from->at, from->device,
                                           4u * (unsigned)n, stream));
        memcpy(to->model + at, from->model, 4u * (unsigned)n);
    } else { // three of four words in each row
        struct copy_peer three = {.from = {from->at, 16, 16, (size_t)rows},
                                  .from_device = from->device,
                                  .to = {to->at, 16, 16, (size_t)rows},
                                  .to_device = to->device,
                                  .extent = {12, (size_t)rows, 1}};
        CALL(is_plain == 1
                 ? cudaMemcpy2DAsync(to->at, 16, from->at, 16, 12, (size_t)rows, DEFAULT, stream)
                 : cudaMemcpy3DPeerAsync(&three, stream));
        for (int i = 0; i < rows; i++)
            memcpy(to->model + 4 * i, from->model + 4 * i, 12);
    }
    note(stream, to, from);
}

static void set(void)
{
    struct buffer *b = any();
    int value = draw(256), n = 1 + draw(WORDS);
    void *stream = stream_for(draw(devices), b, b);
    CALL(cudaMemsetAsync(b->at, value, 4u * (unsigned)n, stream));
    memset(b->model, value, 4u * (unsigned)n);
    note(stream, b, b);
}

static void run_mix(void)
{
    struct buffer *to = any(), *from = any();
    int device = draw(devices);
    unsigned n = 1 + (unsigned)draw(WORDS), k = (unsigned)draw(1000);
    if (!may_access(device, to) || !may_access(device, from))
        return;
    void *stream = stream_for(device, to, from);
    CALL(launch_mix(to->at, from->at, n, k, stream));
    for (unsigned i = 0; i < n; i++)
        to->model[i] = to->model[i] * 3 + from->model[i] + k;
    counters[device] += n;
    all += n;
    note(stream, to, from);
}

static void run_bump(void)
{
    struct buffer *b = any();
    int device = draw(devices);
    unsigned n = 1 + (unsigned)draw(WORDS), k = (unsigned)draw(1000);
    if (!may_access(device, b))
        return;
    void *stream = stream_for(device, b, b);
    CALL(launch_bump(b->at, n, k, stream));
    for (unsigned i = 0; i < n; i++)
        b->model[i % 8] += k;
    note(stream, b, b);
}

static void change_access(void)
{
    int device = draw(devices), peer = draw(devices);
    int *on = &peers[device][peer], enables = draw(3) != 0;
    CALL(cudaSetDevice(device));
    if (enables)
        EXPECT(cudaDeviceEnablePeerAccess(peer, 0), device == peer ? INVALID_DEVICE
                                                    : *on          ? ALREADY_ENABLED
                                                                   : 0);
    else
        EXPECT(cudaDeviceDisablePeerAccess(peer), *on ? 0 : NOT_ENABLED);
    *on = enables && device != peer;
}

static void release(void)
{
    struct buffer *b = any();
    compare(b);
    CALL(cudaSetDevice(draw(devices)));
    CALL(b->kind == PINNED ? cudaFreeHost(b->at) : cudaFree(b->at));
    CALL(cudaEventDestroy(b->event));
    *b = buffers[--count];
}

static void wait(void)
{
    int device = draw(devices);
    CALL(cudaSetDevice(device));
    CALL(draw(2) ? cudaDeviceSynchronize() : cudaStreamSynchronize(streams[device][draw(STREAMS)]));
}

static void check_counters(void)
{
    for (int i = 0; i < devices; i++) {
        unsigned got;
        void *at;
        CALL(cudaSetDevice(i));
        CALL(cudaDeviceSynchronize());
        CALL(cudaGetSymbolAddress(&at, &counter));
        CALL(cudaMemcpy(&got, at, sizeof got, TO_HOST));
        EXPECT(got, counters[i]);
    }
    EXPECT(*total, all);
}

int main(int argc, char **argv)
{
    static void (*const steps[])(void) = {copy,    copy, copy, set,           run_mix, run_mix,
                                          run_mix, wait, wait, change_access, run_bump};
    (void)argc;
    devices = atoi(argv[1]);
    state = (unsigned)atoi(argv[2]);
    int given;
    CALL(cudaGetDeviceCount(&given));
    EXPECT(given, devices);
    for (int i = 0; i < devices; i++) {
        CALL(cudaSetDevice(i));
        for (int k = 0; k < STREAMS; k++)
            CALL(cudaStreamCreateWithFlags(&streams[i][k], k & 1));
    }
    allocate();
    for (int i = atoi(argv[3]); i; i--) {
        if (count < MOST && !draw(8))
            allocate();
        else if (count > 4 && !draw(12))
            release();
        else if (!draw(6))
            compare(any());
        else
            steps[draw(sizeof steps / sizeof *steps)]();
    }
    for (int i = 0; i < count; i++)
        compare(&buffers[i]);
    check_counters();
    puts("PASSED");
    return 0;
}
