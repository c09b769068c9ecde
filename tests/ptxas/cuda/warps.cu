// What the lanes of a warp do together; asynchronous copies; matrices; textures; text in assembler.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

extern "C" __global__ void lanes(int *a, float *b)
{
    int v = a[threadIdx.x];
    v += __shfl_down_sync(~0u, v, 4) + __shfl_xor_sync(~0u, v, 1);
    v += __ballot_sync(~0u, v > 3) + __any_sync(~0u, v) + __activemask();
    v += __match_any_sync(~0u, v);
#if __CUDA_ARCH__ >= 800
    v += __reduce_add_sync(~0u, v);
#endif
    __syncwarp();
    v += __syncthreads_count(v > 7);
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    b[threadIdx.x] += tile.shfl(b[0], 3);
    block.sync();
    a[threadIdx.x] = v;
}

extern "C" __global__ void copies(float4 *out, const float4 *in)
{
    __shared__ float4 buffer[128];
    __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = buffer[threadIdx.x ^ 1];
}

extern "C" __global__ void matrices(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}

extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *out)
{
    out[threadIdx.x] = tex2D<float4>(t, threadIdx.x, 0.5f);
    out[threadIdx.x].x += tex3DLod<float>(t, 1, 2, 3, 0);
    float v;
    surf2Dread(&v, s, threadIdx.x * 4, 1);
    surf2Dwrite(v * 2, s, threadIdx.x * 4, 2);
}

extern "C" __global__ void assembler(unsigned *a)
{
    unsigned lane, clock;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("{ .reg .u32 t; // a comment\n\t mov.u32 t, %%clock; add.u32 %0, t, 1; }"
                 : "=r"(clock));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t@p red.global.add.u32 [%0], 1;\n}"
                 ::"l"(a), "r"(lane) : "memory");
    asm volatile("bar.arrive 1, 64;\n\tmembar.gl;");
    a[lane] = clock;
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int *a)
{
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x] = a[threadIdx.x];
    cluster.sync();
    int *other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    a[threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}
#endif
