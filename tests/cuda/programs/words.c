/* Streams that wait for words in memory and write them, beside a model of the conditions. The
 * second argument is the number of devices: words and streams are on any of them. */
#include "devices.h"

int cuStreamWaitValue32_v2(void *stream, uint64_t at, uint32_t value, unsigned flags);
int cuStreamWaitValue64_v2(void *stream, uint64_t at, uint64_t value, unsigned flags);
int cuStreamWriteValue32_v2(void *stream, uint64_t at, uint32_t value, unsigned flags);
int cuStreamWriteValue64_v2(void *stream, uint64_t at, uint64_t value, unsigned flags);
struct batch {
    int operation;
    uint64_t at, value;
    unsigned flags;
    uint64_t alias, room;
};
int cuStreamBatchMemOp_v2(void *stream, unsigned count, const struct batch *list, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);

enum { AT_LEAST, EQUAL, AND, NOR };

static int devices;
static void *streams[2]; // of the first device and of the last one
static uint64_t *words;  // of the last device

static unsigned state = 1;
static uint64_t draw(void)
{
    state = state * 1103515245 + 12345;
    uint64_t high = state >> 16;
    state = state * 1103515245 + 12345;
    return high << 49 | (uint64_t)(state >> 16) << 20 | high % 7;
}

static int holds(uint64_t is, uint64_t value, int bits, int condition)
{
    uint64_t all = bits == 32 ? UINT32_MAX : UINT64_MAX;
    is &= all;
    value &= all;
    return condition == AT_LEAST
               ? bits == 32 ? (int32_t)(is - value) >= 0 : (int64_t)(is - value) >= 0
           : condition == EQUAL ? is == value
           : condition == AND   ? (is & value) != 0
                                : (~(is | value) & all) != 0;
}

// One stream waits and then writes word 1; the other writes word 0 and then the word that lets the
// first one continue.
static void random_conditions(void)
{
    for (int i = 0; i < 60; i++) {
        uint64_t value = draw(), good = draw(), got[2];
        int bits = i & 1 ? 64 : 32, condition = i / 2 % 4, one = i / 8 % 2;
        while (!holds(good, value, bits, condition))
            good = draw() % 3 ? draw() : value;
        CALL(cudaMemcpy(words, (uint64_t[2]){0, 0}, 16, TO_DEVICE));
        if (bits == 32)
            CALL(cuStreamWaitValue32_v2(streams[one], (uint64_t)words, (uint32_t)value,
                                        (unsigned)condition));
        else
            CALL(cuStreamWaitValue64_v2(streams[one], (uint64_t)words, value, (unsigned)condition));
        CALL(cuStreamWriteValue64_v2(streams[one], (uint64_t)(words + 1), 77, 0));
        CALL(bits == 32 ? cuStreamWriteValue32_v2(streams[!one], (uint64_t)words, (uint32_t)good, 0)
                        : cuStreamWriteValue64_v2(streams[!one], (uint64_t)words, good, 0));
        CALL(cudaStreamSynchronize(streams[one]));
        CALL(cudaMemcpy(got, words, 16, TO_HOST));
        EXPECT(got[1], 77);
    }
}

// Kernels before and after words, as a batch, and captured.
static void order(void)
{
    enum { WAIT = 1, WRITE, WRITE_64 = 5, BARRIER };
    unsigned *at, got;
    void *graph, *exec, *stream;
    CALL(cudaSetDevice(0));
    CALL(cudaMalloc(&at, 64));
    CALL(cudaMemsetAsync(at, 0, 64, NULL));
    CALL(cudaMemcpy(words, (uint64_t[2]){0, 0}, 16, TO_DEVICE));
    struct batch waits[] = {
        {WAIT, (uint64_t)words, 3, EQUAL}, {BARRIER}, {WRITE_64, (uint64_t)(words + 1), 8}};
    struct batch writes[] = {{WRITE, (uint64_t)words, 3}};
    CALL(cuStreamBatchMemOp_v2(streams[1], 3, waits, 0));
    CALL(launch_bump(at, 8, 5, streams[0]));
    CALL(cuStreamBatchMemOp_v2(streams[0], 1, writes, 0));
    CALL(cudaStreamSynchronize(streams[1]));
    CALL(cudaMemcpy(&got, at, 4, TO_HOST));
    EXPECT(got, 5);
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamBeginCapture(stream, 0));
    CALL(cuStreamWriteValue32_v2(stream, (uint64_t)at, 9, 0));
    CALL(cuStreamWaitValue32_v2(stream, (uint64_t)at, 9, EQUAL));
    CALL(launch_bump(at, 8, 2, stream));
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(&got, at, 4, TO_HOST));
    EXPECT(got, 11);
}

// The program lets a stream continue, after its launch or, without time, while it polls.
static void by_host(int polls)
{
    volatile unsigned *flag;
    CALL(cudaMallocHost(&flag, 64));
    flag[0] = flag[1] = 0;
    CALL(cuStreamWaitValue32_v2(streams[0], (uint64_t)flag, 1, AT_LEAST));
    CALL(launch_bump((void *)(flag + 8), 1, 4, streams[0]));
    CALL(cuStreamWriteValue32_v2(streams[0], (uint64_t)(flag + 1), 6, 0));
    usleep(polls ? 20000 : 0);
    EXPECT(flag[1], 0);
    flag[0] = 1;
    while (polls && flag[1] != 6)
        usleep(100);
    CALL(cudaStreamSynchronize(streams[0]));
    EXPECT(flag[8], 4);
    EXPECT(flag[1], 6);
}

int main(int argc, char **argv)
{
    uint64_t outside;
    devices = atoi(argv[2]);
    CALL(cudaStreamCreateWithFlags(&streams[0], 1));
    CALL(cudaSetDevice(devices - 1));
    CALL(cudaStreamCreateWithFlags(&streams[1], 1));
    CALL(cudaMalloc(&words, 64));
    EXPECT(cuStreamWaitValue32_v2(streams[0], (uint64_t)&outside, 0, EQUAL), INVALID_VALUE);
    EXPECT(cuStreamWriteValue64_v2(streams[0], (uint64_t)words + 4, 0, 0), INVALID_VALUE);
    EXPECT(cuStreamWaitValue32_v2(streams[0], (uint64_t)words, 0, 4), INVALID_VALUE);
    random_conditions();
    order();
    CALL(cudaSetDevice(0));
    by_host(!strcmp(argv[1], "values"));
    puts("PASSED");
    return argc < 3;
}
