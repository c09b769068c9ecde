// Streams, events, callbacks, host functions, graphs.
#include "check.h"

__global__ void store(int *at, int value)
{
    *at = value;
}

__global__ void scale(float *at, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? at[i] : 0;
    for (int k = 0; k < rounds; k++)
        value = value * 1.0001f + 0.5f;
    if (i < n)
        at[i] = value;
}

__global__ void add(int *to, const int *from)
{
    *to += *from;
}

static void note(void *context)
{
    ++*(int *)context;
}

static void CUDART_CB call_back(cudaStream_t, cudaError_t status, void *context)
{
    CHECK(status == cudaSuccess);
    *(int *)context += 10;
}

static void order()
{
    int *at, back = 0, calls = 0;
    cudaStream_t a, b;
    cudaEvent_t event, begin, end;
    CALL(cudaMalloc(&at, 2 * sizeof(int)));
    CALL(cudaStreamCreate(&a));
    CALL(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CALL(cudaEventCreate(&begin));
    CALL(cudaEventCreate(&end));
    CALL(cudaEventRecord(begin, a));
    store<<<1, 1, 0, a>>>(at, 5);
    store<<<1, 1, 0, a>>>(at + 1, 6);
    CALL(cudaEventRecord(event, a));
    CALL(cudaStreamWaitEvent(b, event, 0));
    add<<<1, 1, 0, b>>>(at, at + 1);
    CALL(cudaLaunchHostFunc(b, note, &calls));
    CALL(cudaStreamAddCallback(b, call_back, &calls, 0));
    CALL(cudaMemcpyAsync(&back, at, sizeof back, cudaMemcpyDeviceToHost, b));
    CALL(cudaEventRecord(end, b));
    CALL(cudaEventSynchronize(end));
    CHECK(back == 11 && calls == 11);
    CHECK(cudaEventQuery(end) == cudaSuccess);
    CHECK(cudaStreamQuery(b) == cudaSuccess);
    float milliseconds = -1;
    CALL(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds > 0 && milliseconds < 10);
    EXPECT(cudaEventElapsedTime(&milliseconds, event, end), cudaErrorInvalidResourceHandle);
    // The default stream waits for blocking streams.
    store<<<1, 1, 0, a>>>(at, 77);
    CALL(cudaMemcpy(&back, at, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back == 77);
    int least, most, priority;
    CALL(cudaDeviceGetStreamPriorityRange(&least, &most));
    cudaStream_t c;
    CALL(cudaStreamCreateWithPriority(&c, cudaStreamNonBlocking, most));
    CALL(cudaStreamGetPriority(c, &priority));
    CHECK(priority == most && least >= most);
    CALL(cudaStreamDestroy(c));
    EXPECT(cudaStreamSynchronize(c), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CALL(cudaStreamDestroy(a));
    CALL(cudaStreamDestroy(b));
    CALL(cudaEventDestroy(event));
    CALL(cudaFree(at));
}

// A query is answered no until the work is done, and a loop of queries ends.
static void polling()
{
    float *at;
    cudaEvent_t event;
    int asked = 0;
    CALL(cudaMalloc(&at, 4096 * sizeof(float)));
    CALL(cudaEventCreate(&event));
    scale<<<16, 256>>>(at, 4096, 100);
    CALL(cudaEventRecord(event));
    while (cudaEventQuery(event) == cudaErrorNotReady)
        asked++;
    CHECK(asked > 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    CALL(cudaFree(at));
}

static void graphs()
{
    int *at, back, calls = 0;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CALL(cudaMalloc(&at, 2 * sizeof(int)));
    CALL(cudaStreamCreate(&a));
    CALL(cudaStreamCreate(&b));
    CALL(cudaEventCreate(&fork));
    CALL(cudaEventCreate(&join));
    CALL(cudaMemset(at, 0, 2 * sizeof(int)));
    CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CALL(cudaStreamIsCapturing(a, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    store<<<1, 1, 0, a>>>(at + 1, 3);
    CALL(cudaEventRecord(fork, a));
    CALL(cudaStreamWaitEvent(b, fork, 0));
    add<<<1, 1, 0, b>>>(at, at + 1);
    CALL(cudaEventRecord(join, b));
    CALL(cudaStreamWaitEvent(a, join, 0));
    CALL(cudaLaunchHostFunc(a, note, &calls));
    CALL(cudaStreamEndCapture(a, &graph));
    CALL(cudaMemcpy(&back, at, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back == 0 && calls == 0);
    size_t nodes = 0;
    CALL(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes == 3);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 5; i++)
        CALL(cudaGraphLaunch(exec, a));
    CALL(cudaStreamSynchronize(a));
    CALL(cudaMemcpy(&back, at, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back == 15 && calls == 5);
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(graph));
    // By nodes
    cudaGraphNode_t first, second, third;
    int value = 9, *to = at;
    void *parameters[] = {&to, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)store;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = parameters;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddKernelNode(&first, graph, NULL, 0, &kernel));
    int *other = at + 1;
    void *add_parameters[] = {&to, &other};
    kernel.func = (void *)add;
    kernel.kernelParams = add_parameters;
    CALL(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CALL(cudaGraphAddMemcpyNode1D(&third, graph, &second, 1, &back, at, sizeof back,
                                  cudaMemcpyDeviceToHost));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphLaunch(exec, a));
    CALL(cudaStreamSynchronize(a));
    CHECK(back == 12);
    // A wait during a capture spoils it.
    CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    EXPECT(cudaStreamSynchronize(a), cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    CALL(cudaFree(at));
}

int main()
{
    order();
    polling();
    graphs();
    return RESULT;
}
