// Kernels for compute capability 9.0. hopper.ptx is the output of
//     nvcc -gencode arch=compute_90a,code=compute_90a -ptx hopper.cu
//
// gemm: D = A·B for f16 matrices with f32 sums. A producer warp loads tiles by tensor maps into a ring of
// buffers, whose mbarriers count the bytes; a warpgroup multiplies them with wgmma. A is M x K, B is
// N x K, both with K adjacent. gemm_pair: the same for two CTAs of a cluster, which load half of the tile of
// B each for both; D is stored by a tensor map.
#include <cuda_fp16.h>
#include <stdint.h>
struct alignas(64) TensorMap { char bytes[128]; };
enum { TILE_M = 64, TILE_N = 64, TILE_K = 64, STAGES = 3 };

__device__ static uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ static void wait(uint64_t *barrier, uint32_t parity)
{
    uint32_t done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    while (!done);
}
__device__ static void load_half(void *to, const TensorMap *map, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"((uint16_t)3) : "memory");
}
__device__ static uint32_t address_in(const void *p, unsigned rank)
{
    uint32_t to;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(shared_address(p)), "r"(rank));
    return to;
}
__device__ static void meet_cluster()
{
    asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}
__device__ static void load_tile(void *to, const TensorMap *map, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)) : "memory");
}
__device__ static uint64_t descriptor(const void *tile)
{
    uint64_t address = shared_address(tile);
    return (address & 0x3ffff) >> 4 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62 | (uint64_t)1 << 16;
}
__device__ static void multiply(float *d, uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
        " %32, %33, 1, 1, 1, 0, 0;"
        : "+f"(d[0]),"+f"(d[1]),"+f"(d[2]),"+f"(d[3]),"+f"(d[4]),"+f"(d[5]),"+f"(d[6]),"+f"(d[7]),
          "+f"(d[8]),"+f"(d[9]),"+f"(d[10]),"+f"(d[11]),"+f"(d[12]),"+f"(d[13]),"+f"(d[14]),"+f"(d[15]),
          "+f"(d[16]),"+f"(d[17]),"+f"(d[18]),"+f"(d[19]),"+f"(d[20]),"+f"(d[21]),"+f"(d[22]),"+f"(d[23]),
          "+f"(d[24]),"+f"(d[25]),"+f"(d[26]),"+f"(d[27]),"+f"(d[28]),"+f"(d[29]),"+f"(d[30]),"+f"(d[31])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(160) gemm(const __grid_constant__ TensorMap a_map,
                                                     const __grid_constant__ TensorMap b_map, float *d, int m, int n, int k)
{
    __shared__ alignas(1024) __half a[STAGES][TILE_M * TILE_K];
    __shared__ alignas(1024) __half b[STAGES][TILE_N * TILE_K];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = (k + TILE_K - 1) / TILE_K;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(&full[i])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(shared_address(&empty[i])));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 128) { // producer
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 128)
            for (int step = 0; step < steps; step++) {
                int stage = step % STAGES;
                wait(&empty[stage], (step / STAGES & 1) ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                             :: "r"(shared_address(&full[stage])), "r"((TILE_M + TILE_N) * TILE_K * 2) : "memory");
                load_tile(a[stage], &a_map, step * TILE_K, row, &full[stage]);
                load_tile(b[stage], &b_map, step * TILE_K, column, &full[stage]);
            }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sums[32] = {0};
    for (int step = 0; step < steps; step++) {
        int stage = step % STAGES;
        wait(&full[stage], step / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int i = 0; i < TILE_K / 16; i++)
            multiply(sums, descriptor(a[stage]) + 2 * i, descriptor(b[stage]) + 2 * i);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_address(&empty[stage])) : "memory");
    }
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++) {
        int r = row + warp * 16 + lane / 4 + (i / 2 % 2) * 8, c = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (r < m && c < n)
            d[(size_t)r * n + c] = sums[i];
    }
}

extern "C" __global__ void __cluster_dims__(1, 2, 1) __launch_bounds__(160)
    gemm_pair(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
              const __grid_constant__ TensorMap d_map, int k)
{
    __shared__ alignas(1024) __half a[STAGES][TILE_M * TILE_K];
    __shared__ alignas(1024) __half b[STAGES][TILE_N * TILE_K];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = (k + TILE_K - 1) / TILE_K;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(&full[i])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 8;" :: "r"(shared_address(&empty[i])));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    meet_cluster();
    if (threadIdx.x >= 128) { // producer
        if (threadIdx.x == 128)
            for (int step = 0; step < steps; step++) {
                int stage = step % STAGES;
                wait(&empty[stage], (step / STAGES & 1) ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                             :: "r"(shared_address(&full[stage])), "r"((TILE_M + TILE_N) * TILE_K * 2) : "memory");
                load_tile(a[stage], &a_map, step * TILE_K, row, &full[stage]);
                load_half(b[stage] + rank * TILE_N / 2 * TILE_K, &b_map, step * TILE_K,
                          column + rank * TILE_N / 2, &full[stage]);
            }
        __syncwarp();
    } else {
        float sums[32] = {0};
        int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        for (int step = 0; step < steps; step++) {
            int stage = step % STAGES;
            wait(&full[stage], step / STAGES & 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int i = 0; i < TILE_K / 16; i++)
                multiply(sums, descriptor(a[stage]) + 2 * i, descriptor(b[stage]) + 2 * i);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (lane < 2)
                asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                             :: "r"(address_in(&empty[stage], lane)) : "memory");
        }
        asm volatile("bar.sync 1, 128;" ::: "memory");
        float *tile = (float *)a;
        for (int i = 0; i < 32; i++)
            tile[(warp * 16 + lane / 4 + (i / 2 % 2) * 8) * TILE_N + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i];
        asm volatile("fence.proxy.async.shared::cta; bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                         :: "l"(&d_map), "r"(column), "r"(row), "r"(shared_address(tile)) : "memory");
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
    meet_cluster();
}

// A histogram over a cluster: each CTA owns a part of the bins in its shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) histogram(const unsigned *in, unsigned *bins, int count, int per_cta)
{
    extern __shared__ unsigned own[];
    unsigned rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    for (int i = threadIdx.x; i < per_cta; i += blockDim.x)
        own[i] = 0;
    meet_cluster();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i] % (per_cta * size);
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;"
                     :: "r"(address_in(own + bin % per_cta, bin / per_cta)) : "memory");
    }
    meet_cluster();
    for (int i = threadIdx.x; i < per_cta; i += blockDim.x)
        atomicAdd(bins + rank * per_cta + i, own[i]);
}
