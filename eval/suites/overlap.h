/* A program's copies and launches as one of the four patterns of [001, Figure 7]: for
 * eval/originals.py, whose edits replace the program's calls by these. Calls are noted and issued
 * by overlap_go, in the order that the environment variable OVERLAP names: two digits, for the
 * launch in advance (start) and the copy back in advance (finish). 00 is the baseline with
 * asynchronous copies. */
#pragma once
#include <functional>
#include <ptxoffload/cuda_overlap.h>
#include <stdlib.h>
#include <vector>

struct overlap_copies {
    void *to;
    const void *from;
    size_t bytes;
};

inline std::vector<overlap_copies> overlap_constants, overlap_in, overlap_out;
inline std::vector<std::function<void(cudaStream_t)>> overlap_launches;

static inline cudaError_t overlap_copy(void *to, const void *from, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t = 0)
{
    (kind == cudaMemcpyHostToDevice ? overlap_in : overlap_out).push_back({to, from, bytes});
    return cudaSuccess;
}

static inline void overlap_later(std::function<void(cudaStream_t)> launch)
{
    overlap_launches.push_back(launch);
}

/* A copy of constants to the device, of which the kernel writes words that it has not read. In all
 * patterns it is issued before the data are ready. */
static inline cudaError_t overlap_before(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    overlap_constants.push_back({to, from, bytes});
    return cudaSuccess;
}

static inline void overlap_copy_in(std::vector<overlap_copies> &copies, cudaStream_t stream)
{
    for (auto &one : copies)
        cudaOverlapMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyHostToDevice, stream,
                               cudaMemcpyTriggerNone, cudaMemcpyActionFill);
    copies.clear();
}

static inline void overlap_launch_all(cudaStream_t stream)
{
    for (auto &launch : overlap_launches)
        launch(stream);
}

static inline void overlap_copy_out(cudaStream_t stream, cudaMemcpyTrigger trigger)
{
    for (auto &one : overlap_out)
        cudaOverlapMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyDeviceToHost, stream, trigger,
                               cudaMemcpyActionNone);
}

/* Issues what was noted, and waits for it. The first call marks the time at which the data are
 * ready, 50 us after what is issued in advance. A program with may_finish 0 has results that are
 * not final when they are written. */
static inline void overlap_go(int may_finish)
{
    static cudaStream_t run, forth, back;
    const char *pattern = getenv("OVERLAP");
    bool first = !run, start = pattern[0] == '1' && first, finish = pattern[1] == '1' && may_finish;
    if (first) {
        cudaStreamCreateWithFlags(&run, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&forth, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking);
    }
    overlap_copy_in(overlap_constants, run);
    if (start)
        overlap_launch_all(run);
    if (finish)
        overlap_copy_out(back, cudaMemcpyTriggerFilled);
    if (first) {
        cudaOverlapHostWork(25000);
        cudaOverlapDataReady();
    }
    overlap_copy_in(overlap_in, start ? forth : run);
    if (!start)
        overlap_launch_all(run);
    if (!finish)
        overlap_copy_out(run, cudaMemcpyTriggerNone);
    cudaStreamSynchronize(finish ? back : run);
    overlap_out.clear();
    overlap_launches.clear();
}

/* The runtime ends with the last result, as in samples with streams.yaml. */
#define cudaFree(memory) cudaSuccess
#define cudaFreeHost(memory) cudaSuccess
#define cudaEventDestroy(event) cudaSuccess
