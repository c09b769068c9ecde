// The four patterns of [001 Fig. 7] around the kernels of a program: copies to the device, kernels,
// copies to the host. Machines without full/empty bits run the baseline.
#pragma once
#include "include/ptxoffload/cuda_overlap.h"
#include "sample.h"

struct overlap {
    struct copy {
        void *device, *host;
        size_t bytes;
        cudaStream_t stream;
    };
    bool starts, finishes; // kernels in advance; copies to the host in advance
    cudaStream_t run, forth;

    // usage of a program: [START [FINISH]], each 0 or 1
    overlap(int argc, char **argv)
        : starts(argc > 1 && atoi(argv[1])), finishes(argc > 2 && atoi(argv[2])), run(stream()),
          forth(starts ? stream() : run)
    {
    }
    // Memory that the device has before the data are ready.
    template <class T> void resident(buffer<T> &memory)
    {
        copy one = {memory.device, memory.host.data(), memory.host.size() * sizeof(T), run};
        to_device(one);
        CALL(cudaStreamSynchronize(run));
    }
    template <class T> void input(buffer<T> &memory)
    {
        add(inputs, memory, forth);
    }
    template <class T> void output(buffer<T> &memory)
    {
        add(outputs, memory, finishes ? stream() : run);
    }
    // Executes `kernels` of this stream, and waits for the outputs.
    template <class F> void execute(F kernels)
    {
        if (starts)
            kernels(run);
        if (finishes)
            check_outputs(cudaMemcpyTriggerFilled);
        CALL(cudaOverlapHostWork(50000));
        CALL(cudaOverlapDataReady());
        for (const copy &one : inputs)
            to_device(one);
        if (!starts)
            kernels(run);
        if (!finishes)
            check_outputs(cudaMemcpyTriggerNone);
        for (const copy &one : outputs)
            CALL(cudaStreamSynchronize(one.stream));
    }

  private:
    std::vector<copy> inputs, outputs;

    static cudaStream_t stream()
    {
        cudaStream_t made;
        CALL(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }
    // A copy that waits needs memory of the host that is pinned.
    template <class T>
    static void add(std::vector<copy> &to, buffer<T> &memory, cudaStream_t stream)
    {
        size_t bytes = memory.host.size() * sizeof(T);
        CALL(cudaHostRegister(memory.host.data(), bytes, cudaHostRegisterDefault));
        copy one = {memory.device, memory.host.data(), bytes, stream};
        to.push_back(one);
    }
    static void to_device(const copy &one)
    {
        CALL(cudaMemcpyAsync(one.device, one.host, one.bytes, cudaMemcpyHostToDevice, one.stream,
                             cudaMemcpyTriggerNone, cudaMemcpyActionFill));
    }
    void check_outputs(cudaMemcpyTrigger trigger)
    {
        for (const copy &one : outputs)
            CALL(cudaMemcpyAsync(one.host, one.device, one.bytes, cudaMemcpyDeviceToHost,
                                 one.stream, trigger, cudaMemcpyActionNone));
    }
};
