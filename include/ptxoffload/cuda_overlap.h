/* Full/empty bits for CUDA programs [001 §4.4]: copies with a trigger and an action on the words of
 * the device that they access. A kernel, or a copy to the host, that is issued in advance waits for
 * each word instead of for the whole previous copy. C99 or C++11.
 *
 *     #include <ptxoffload/cuda_overlap.h>
 *
 *     kernel<<<grid, block, 0, run>>>(in, out);                      // in advance: waits for `in`
 *     cudaMemcpyAsync(out_host, out, bytes, cudaMemcpyDeviceToHost, back,
 *                     cudaMemcpyTriggerFilled, cudaMemcpyActionNone);       // waits for `out`
 *     cudaOverlapDataReady();
 *     cudaMemcpyAsync(in, in_host, bytes, cudaMemcpyHostToDevice, forth,
 *                     cudaMemcpyTriggerNone, cudaMemcpyActionFill);
 *     cudaStreamSynchronize(back);
 *
 * Streams keep their meaning: commands that are to overlap must be in different streams. The
 * program is linked as any other; no further library is needed. `ptxoffload-run` executes it, on a
 * machine with fe.enabled. With another CUDA library, or without the bits, a copy with a trigger,
 * or with an action that empties words, returns cudaErrorNotSupported. A copy that only fills words
 * is then an ordinary copy. docs/reference/full-empty.md describes the mechanism.
 *
 * Memory of the device is empty after its allocation (fe.initial). A copy to the device without an
 * action leaves it empty, so that a kernel which reads it waits forever. This is reported, with the
 * word and its buffer. */
#pragma once
#include <cuda_runtime_api.h>
#include <dlfcn.h>

/* State of a word of the device in which a copy reads or writes it. */
enum cudaMemcpyTrigger {
    cudaMemcpyTriggerNone,    /* any */
    cudaMemcpyTriggerFilled,  /* full */
    cudaMemcpyTriggerEmptied, /* empty */
};

/* State of the word after the copy has read or written it. */
enum cudaMemcpyAction {
    cudaMemcpyActionNone, /* unchanged */
    cudaMemcpyActionFill,
    cudaMemcpyActionEmpty,
};

/* Returns a function of the library, or NULL. Functions are looked up at each call, so that the
 * program can be linked with any CUDA library. */
static inline void *cudaOverlapFind(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* As cudaMemcpyAsync, with a trigger and an action. Returns cudaErrorInvalidValue for a trigger or
 * an action that is not one of the above, for memory without bits, and for bytes that overlap. */
static inline cudaError_t cudaOverlapMemcpyAsync(void *to, const void *from, size_t bytes,
                                                 enum cudaMemcpyKind kind, cudaStream_t stream,
                                                 enum cudaMemcpyTrigger trigger,
                                                 enum cudaMemcpyAction action)
{
    union {
        void *found;
        int (*call)(void *, const void *, size_t, int, void *, int, int);
    } at;
    at.found = cudaOverlapFind("ptxo_cudaOverlapMemcpyAsync");
    if (at.found)
        return (cudaError_t)at.call(to, from, bytes, kind, stream, trigger, action);
    return trigger == cudaMemcpyTriggerNone && action != cudaMemcpyActionEmpty
               ? cudaMemcpyAsync(to, from, bytes, kind, stream)
               : cudaErrorNotSupported;
}

/* Fills or empties words of the device without data, as a command of the stream [001 §4.5]. */
static inline cudaError_t cudaOverlapSetState(void *at, size_t bytes, enum cudaMemcpyAction action,
                                              cudaStream_t stream)
{
    union {
        void *found;
        int (*call)(void *, size_t, int, void *);
    } set;
    set.found = cudaOverlapFind("ptxo_cudaOverlapSetState");
    return set.found ? (cudaError_t)set.call(at, bytes, action, stream) : cudaErrorNotSupported;
}

/* Releases accesses that wait, or will wait, for words of this range, as a command of the stream
 * [001 §4.5]. They get the current contents of memory. A release lasts until the word is filled or
 * emptied, or until the program waits for the whole device. Words keep their states. */
static inline cudaError_t cudaOverlapRelease(void *at, size_t bytes, cudaStream_t stream)
{
    union {
        void *found;
        int (*call)(void *, size_t, void *);
    } release;
    release.found = cudaOverlapFind("ptxo_cudaOverlapRelease");
    return release.found ? (cudaError_t)release.call(at, bytes, stream) : cudaErrorNotSupported;
}

/* Uses counts instead of bits [001 §4.5] for the whole allocation that contains this address. An
 * empty word is full after `fills` fills, and a full word is empty again after `reads` reads that
 * waited for it; if `reads` is 0, it stays full. A warp's access to a word counts once. Atomics
 * count as fills, and do not wait if `fills` is more than 1. Call it before the commands that use
 * the memory. Returns cudaErrorInvalidValue if the states do not fit into fe.counter_bits. */
static inline cudaError_t cudaOverlapSetCounts(void *at, unsigned fills, unsigned reads)
{
    union {
        void *found;
        int (*call)(void *, unsigned, unsigned);
    } set;
    set.found = cudaOverlapFind("ptxo_cudaOverlapSetCounts");
    return set.found ? (cudaError_t)set.call(at, fills, reads) : cudaErrorNotSupported;
}

/* Marks the time at which the data are ready. The statistic host.runtime counts from here
 * [001 §2.3], without the time of commands that were issued in advance. */
static inline cudaError_t cudaOverlapDataReady(void)
{
    union {
        void *found;
        int (*call)(void);
    } at;
    at.found = cudaOverlapFind("ptxo_cudaOverlapDataReady");
    return at.found ? (cudaError_t)at.call() : cudaSuccess;
}

/* Advances the time of the simulated host by host.cpu_ns for each of the elements on which the
 * program has worked. The program's own work takes no time of the simulated host. */
static inline cudaError_t cudaOverlapHostWork(unsigned long long elements)
{
    union {
        void *found;
        int (*call)(unsigned long long);
    } at;
    at.found = cudaOverlapFind("ptxo_cudaOverlapHostWork");
    return at.found ? (cudaError_t)at.call(elements) : cudaSuccess;
}

#ifdef __cplusplus
/* The form of [001 §4.4]. */
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream,
                                          cudaMemcpyTrigger trigger, cudaMemcpyAction action)
{
    return cudaOverlapMemcpyAsync(to, from, bytes, kind, stream, trigger, action);
}
#endif
