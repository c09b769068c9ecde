// One array to the device, a kernel, one array back: the four patterns of [001 Fig. 7].
// usage: overlap START FINISH N [ROUNDS [counts]]: START and FINISH are 0 or 1. ROUNDS of -1: what is
// refused, -2: a release.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ptxoffload/cuda_overlap.h>

__global__ void twice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

static int report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    return error != cudaSuccess;
}

// Returns the number of wrong words of a round.
static int round_of(int start, int finish, int n, int first, const int *in, int *out, int *from, int *to)
{
    size_t bytes = n * sizeof(int);
    cudaStream_t run = 0, forth, back;
    int wrong = 0;
    cudaStreamCreateWithFlags(&run, cudaStreamNonBlocking);
    forth = back = run;
    if (start)
        cudaStreamCreateWithFlags(&forth, cudaStreamNonBlocking);
    if (finish)
        cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking);
    memset(out, 0, bytes);
    if (start)
        twice<<<(n + 127) / 128, 128, 0, run>>>(from, to, n);
    if (finish)
        cudaMemcpyAsync(out, to, bytes, cudaMemcpyDeviceToHost, back, cudaMemcpyTriggerFilled,
                        cudaMemcpyActionEmpty);
    if (first) {
        cudaOverlapHostWork(100000);
        cudaOverlapDataReady();
    }
    cudaMemcpyAsync(from, in, bytes, cudaMemcpyHostToDevice, forth, cudaMemcpyTriggerNone,
                    cudaMemcpyActionFill);
    if (!start)
        twice<<<(n + 127) / 128, 128, 0, run>>>(from, to, n);
    if (!finish)
        cudaMemcpyAsync(out, to, bytes, cudaMemcpyDeviceToHost, back);
    cudaStreamSynchronize(back);
    for (int i = 0; i < n; i++)
        wrong += out[i] != 2 * in[i];
    return wrong;
}

int main(int argc, char **argv)
{
    int start = atoi(argv[1]), finish = atoi(argv[2]), n = atoi(argv[3]);
    int rounds = argc > 4 ? atoi(argv[4]) : 1;
    size_t bytes = n * sizeof(int);
    int *in, *out, *from, *to, wrong = 0;
    cudaMallocHost(&in, bytes);
    cudaMallocHost(&out, bytes);
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    if (rounds == -2) { // of what nobody fills
        cudaStream_t run, other;
        cudaStreamCreateWithFlags(&run, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaMemcpy(from, in, bytes, cudaMemcpyHostToDevice); // fills no word
        twice<<<(n + 127) / 128, 128, 0, run>>>(from, to, n);
        report("release", cudaOverlapRelease(from, bytes, other));
        return report("wait", cudaStreamSynchronize(run));
    }
    if (rounds < 0) { // what is refused
        report("trigger", cudaMemcpyAsync(out, from, bytes, cudaMemcpyDeviceToHost, 0,
                                          (cudaMemcpyTrigger)7, cudaMemcpyActionNone));
        report("overlap", cudaMemcpyAsync(from, from + 1, bytes / 2, cudaMemcpyDeviceToDevice, 0,
                                          cudaMemcpyTriggerNone, cudaMemcpyActionFill));
        report("host", cudaMemcpyAsync(in, out, bytes, cudaMemcpyHostToHost, 0,
                                       cudaMemcpyTriggerFilled, cudaMemcpyActionNone));
        report("state", cudaOverlapSetState(in, bytes, cudaMemcpyActionEmpty, 0));
        report("release", cudaOverlapRelease(in, bytes, 0));
        report("counts", cudaOverlapSetCounts(from, 1, 2));
        report("fills", cudaOverlapSetCounts(from, 0, 1));
        report("plain", cudaMemcpyAsync(from, in, bytes, cudaMemcpyHostToDevice, 0,
                                        cudaMemcpyTriggerNone, cudaMemcpyActionFill));
        return 0;
    }
    if (argc > 5) // a word is empty again when its thread has read it
        report("counts", cudaOverlapSetCounts(from, 1, 1));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            in[i] = i + round;
        wrong += round_of(start, finish, n, !round, in, out, from, to);
        if (round + 1 == rounds)
            break;
        // The next round waits for its own words.
        if (argc <= 5)
            cudaOverlapSetState(from, bytes, cudaMemcpyActionEmpty, 0);
        cudaDeviceSynchronize();
    }
    if (rounds == 1 && n == 1) // a word that nobody fills
        cudaMemcpyAsync(out, to, bytes, cudaMemcpyDeviceToHost, 0, cudaMemcpyTriggerFilled,
                        cudaMemcpyActionNone);
    cudaError_t error = n == 1 ? cudaDeviceSynchronize() : cudaGetLastError();
    printf("%d words of %d rounds are wrong, %s\n", wrong, rounds, cudaGetErrorName(error));
    return wrong != 0;
}
