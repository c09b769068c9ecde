// Cooperative groups, and the atomics, barriers and pipelines of libcu++.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>

namespace cg = cooperative_groups;

template <int SIZE> __global__ void tiles(const int *from, int *to)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int me = blockIdx.x * blockDim.x + threadIdx.x, x = from[me], *mine = to + 6 * me;
    mine[0] = cg::reduce(tile, x, cg::plus<int>());
    mine[1] = cg::exclusive_scan(tile, x);
    mine[2] = cg::inclusive_scan(tile, x, cg::greater<int>());
    mine[3] = tile.shfl(x, SIZE - 1 - tile.thread_rank());
    mine[4] = tile.ballot(x % 3 == 0);
    mine[5] = tile.any(x % 50 == 0) + 2 * tile.all(x < 900) + 4 * tile.meta_group_rank();
}

template __global__ void tiles<2>(const int *, int *);
template __global__ void tiles<8>(const int *, int *);
template __global__ void tiles<32>(const int *, int *);

// Only some lanes come here; each group of them takes one place for all in a common counter.
extern "C" __global__ void coalesced(const int *from, int *count, int *to, int *ranks)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (from[me] % 3 != 1)
        return;
    auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(count, active.size());
    to[active.shfl(first, 0) + active.thread_rank()] = from[me];
    auto alike = cg::labeled_partition(active, from[me] % 4);
    ranks[me] =
        alike.size() * 1000 + cg::reduce(alike, 1 << alike.thread_rank(), cg::bit_or<int>());
}

// A sum of four versions of libcu++'s atomics over all threads; the maximum by compare and swap.
extern "C" __global__ void atomics(const int *from, int *sum, double *real,
                                   unsigned long long *most)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device>(*sum).fetch_add(from[me]);
    cuda::atomic_ref<int, cuda::thread_scope_system>(sum[1]).fetch_xor(from[me] * 77,
                                                                       cuda::memory_order_relaxed);
    cuda::atomic_ref<double, cuda::thread_scope_device>(*real).fetch_add(
        from[me] * 0.5, cuda::memory_order_acq_rel);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> highest(*most);
    unsigned long long mine = from[me] * 1000000007ull, old = highest.load();
    while (old < mine && !highest.compare_exchange_weak(old, mine, cuda::memory_order_release))
        ;
}

// A lock that the lanes of a warp and CTAs take in turn.
extern "C" __global__ void locked(int *lock, int *numbers)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(*lock);
    while (mine.exchange(1, cuda::memory_order_acquire))
        ;
    numbers[1] = numbers[0] * 2 + 1;
    numbers[0] = numbers[1] / 2 + 1;
    numbers[2]++;
    mine.store(0, cuda::memory_order_release);
}

// Every round waits for all threads at a barrier of libcu++; the last to come adds up.
struct add_up {
    int *room;
    __device__ void operator()() const
    {
        int sum = 0;
        for (int i = 0; i < 96; i++)
            sum += room[i];
        room[96] = sum;
    }
};

extern "C" __global__ void barriers(int *to)
{
    __shared__ int room[97];
    __shared__ cuda::barrier<cuda::thread_scope_block> plain;
    __shared__ cuda::barrier<cuda::thread_scope_block, add_up> adding;
    if (!threadIdx.x) {
        init(&plain, 96);
        new (&adding) cuda::barrier<cuda::thread_scope_block, add_up>(96, add_up{room});
    }
    __syncthreads();
    int x = threadIdx.x + blockIdx.x;
    for (int round = 0; round < 5; round++) {
        room[threadIdx.x] = x;
        adding.arrive_and_wait();
        x = room[96] % 1009 + threadIdx.x * round;
        auto token = plain.arrive();
        x ^= round;
        plain.wait(static_cast<decltype(token) &&>(token));
    }
    to[blockIdx.x * 96 + threadIdx.x] = x;
}

// Three permits for 64 threads: what they hold together is never more.
extern "C" __global__ void permits(int *to)
{
    __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 3> permits;
    __shared__ int inside, most;
    if (!threadIdx.x) {
        new (&permits) cuda::counting_semaphore<cuda::thread_scope_block, 3>(3);
        inside = most = 0;
    }
    __syncthreads();
    permits.acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    permits.release();
    __syncthreads();
    if (!threadIdx.x) {
        to[0] = most;
        to[1] = inside;
    }
}

// Each CTA adds what its neighbour has left before a barrier of the whole grid, which is a counter.
extern "C" __global__ void whole_grid(int *data, unsigned *arrived)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*arrived);
    for (unsigned round = 1; round <= 4; round++) {
        int next = data[(me + blockDim.x) % all];
        __syncthreads();
        if (!threadIdx.x) {
            count.fetch_add(1, cuda::memory_order_acq_rel);
            while (count.load(cuda::memory_order_acquire) < (2 * round - 1) * gridDim.x)
                ;
        }
        __syncthreads();
        data[me] += next;
        __syncthreads();
        if (!threadIdx.x) {
            count.fetch_add(1, cuda::memory_order_acq_rel);
            while (count.load(cuda::memory_order_acquire) < 2 * round * gridDim.x)
                ;
        }
        __syncthreads();
    }
}

// A sum over the whole grid, halved in rounds, each behind a barrier of the grid; every thread takes
// it, and the grid goes on with numbers that depend on it.
extern "C" __global__ void grid_sums(unsigned *data, unsigned *sums, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    unsigned me = grid.thread_rank(), all = grid.num_threads();
    for (int round = 0; round < rounds; round++) {
        unsigned mine = data[me];
        for (unsigned left = all; left > 1; left = (left + 1) / 2) {
            unsigned other = me + (left + 1) / 2;
            unsigned sum = other < left ? data[me] + data[other] : data[me];
            grid.sync();
            data[me] = sum;
            grid.sync();
        }
        unsigned sum = data[0];
        auto token = grid.barrier_arrive();
        mine = mine * 5 + sum + grid.block_rank() * 3;
        grid.barrier_wait(static_cast<decltype(token) &&>(token));
        data[me] = mine;
        if (!me)
            sums[round] = sum;
        grid.sync();
    }
}

// The same by a cooperative launch, which gives the grid its counter; any other launch traps.
extern "C" __global__ void grid_group(int *data)
{
    cg::grid_group grid = cg::this_grid();
    int next = data[(grid.thread_rank() + blockDim.x) % grid.num_threads()];
    grid.sync();
    data[grid.thread_rank()] += next;
}
