// Cooperative groups, and the barriers, pipelines, atomics and copies of libcu++.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

namespace cg = cooperative_groups;

template <int SIZE>
__device__ int tile(int x)
{
    auto part = cg::tiled_partition<SIZE>(cg::this_thread_block());
    x += part.shfl_xor(x, 1) + part.any(x) + part.ballot(x);
    x += cg::reduce(part, x, cg::plus<int>()) + cg::exclusive_scan(part, x);
    part.sync();
    return x;
}

__global__ void tiles(int *data)
{
    int x = data[threadIdx.x];
    x = tile<4>(x) + tile<32>(x);
    auto active = cg::coalesced_threads();
    x += active.shfl(x, 0) + active.thread_rank() + cg::reduce(active, x, cg::bit_xor<int>());
    auto labeled = cg::labeled_partition(active, x & 3);
    data[threadIdx.x] = x + labeled.size();
}

__global__ void whole_grid(int *data)
{
    cg::grid_group grid = cg::this_grid();
    data[grid.thread_rank()]++;
    grid.sync();
    data[grid.thread_rank()] += data[0];
}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clusters(int *data)
{
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    own = data[threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
    auto token = cluster.barrier_arrive();
    data[threadIdx.x] = *other + cluster.num_blocks();
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
}
#endif

__global__ void group_copy(int *to, const int *from)
{
    __shared__ int shared[1024];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, shared, from, sizeof shared);
    cg::wait(block);
    to[threadIdx.x] = shared[threadIdx.x];
}

__global__ void pipelined(int *to, const int *from, int count)
{
    __shared__ int shared[2][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = 0; i < count; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, shared[i % 2], from + 256 * i, sizeof shared[0], pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        to[256 * i + threadIdx.x] = shared[i % 2][threadIdx.x];
        pipeline.consumer_release();
    }
}

__global__ void barriers(int *to, const int *from)
{
    __shared__ alignas(16) int shared[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (!threadIdx.x)
        init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(shared + threadIdx.x, from + threadIdx.x, cuda::aligned_size_t<4>(4), barrier);
    barrier.arrive_and_wait();
    to[threadIdx.x] = shared[threadIdx.x];
}

template <typename T, cuda::thread_scope SCOPE>
__device__ T all_orders(T *at, T x)
{
    cuda::atomic_ref<T, SCOPE> ref(*at);
    x += ref.fetch_add(x, cuda::memory_order_relaxed) + ref.load(cuda::memory_order_acquire);
    x += ref.exchange(x, cuda::memory_order_acq_rel) + ref.fetch_max(x);
    ref.store(x, cuda::memory_order_release);
    ref.compare_exchange_strong(x, x + 1);
    ref.compare_exchange_weak(x, x + 2, cuda::memory_order_acquire);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, SCOPE);
    return x;
}

template <typename T>
__global__ void atomics(T *data)
{
    T x = data[threadIdx.x];
    x += all_orders<T, cuda::thread_scope_system>(data, x);
    x += all_orders<T, cuda::thread_scope_device>(data, x);
    x += all_orders<T, cuda::thread_scope_block>(data, x);
    data[threadIdx.x] = x;
}

template __global__ void atomics(int *);
template __global__ void atomics(unsigned long long *);
template __global__ void atomics(signed char *);

__global__ void semaphores(int *data, cuda::counting_semaphore<cuda::thread_scope_device, 3> *semaphore,
                           cuda::latch<cuda::thread_scope_device> *latch)
{
    semaphore->acquire();
    data[0]++;
    semaphore->release();
    latch->arrive_and_wait();
}
