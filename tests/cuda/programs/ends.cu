// Ends in the way that the argument says, after work that was waited for.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void set(int *to)
{
    to[0] = 1;
}

__global__ void wild(int *to)
{
    to[1 << 20] = 1;
}

int main(int, char **argv)
{
    int *at, got = 0, *nothing = NULL;
    const char *end = argv[1];
    cudaMalloc(&at, 64);
    set<<<1, 1>>>(at);
    cudaDeviceSynchronize();
    printf("done\n");
    fflush(stdout);
    if (!strcmp(end, "reset")) {
        wild<<<1, 1>>>(at);
        printf("%d", cudaDeviceSynchronize());
        printf(" %d", cudaDeviceReset()); // which frees the memory
        cudaMalloc(&at, 64);
        set<<<1, 1>>>(at + 1);
        printf(" %d", cudaMemcpy(&got, at + 1, 4, cudaMemcpyDeviceToHost));
        printf(" %d\n", got);
    } else if (!strcmp(end, "_exit")) {
        _exit(3);
    } else if (!strcmp(end, "_Exit")) {
        _Exit(3);
    } else if (!strcmp(end, "quick_exit")) {
        quick_exit(3);
    } else if (!strcmp(end, "abort")) {
        abort();
    } else if (!strcmp(end, "assert")) {
        assert(!at);
    } else if (!strcmp(end, "segv")) {
        *(volatile int *)nothing = 1;
    } else if (!strcmp(end, "throw")) {
        throw 1;
    } else if (!strcmp(end, "raise")) {
        raise(SIGTERM);
    } else if (!strcmp(end, "loop")) {
        for (volatile unsigned long i = 0;; i = i + 1)
            ;
    } else if (!strcmp(end, "fork")) {
        pid_t child = fork(); // which ends without results
        if (!child)
            _exit(0);
        waitpid(child, NULL, 0);
        set<<<1, 1>>>(at);
        cudaDeviceSynchronize();
    } else if (!strcmp(end, "before")) {
        set<<<1, 1>>>(at); // nobody waits for it
        _exit(3);
    }
    return 0;
}
