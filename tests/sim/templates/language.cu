// What C++ asks of a machine: virtual functions, pointers to functions, recursion, objects on the
// heap and on a stack of its own, dynamic shared memory, printf, assert, assembly.
#include <cassert>
#include <cstdio>
#include <new>

struct shape {
    int side;
    __device__ shape(int side) : side(side)
    {
    }
    __device__ virtual long long area() const = 0;
    __device__ virtual int corners() const
    {
        return 0;
    }
    __device__ virtual ~shape()
    {
    }
};

struct square : shape {
    using shape::shape;
    __device__ long long area() const override
    {
        return 1ll * side * side;
    }
    __device__ int corners() const override
    {
        return 4;
    }
};

struct cube : square {
    using square::square;
    __device__ long long area() const override
    {
        return 6 * square::area();
    }
    __device__ int corners() const override
    {
        return 2 * square::corners();
    }
};

struct blot : shape {
    using shape::shape;
    __device__ long long area() const override
    {
        return -side;
    }
};

__device__ __noinline__ shape *create(int kind, int side)
{
    switch (kind) {
    case 0: return new square(side);
    case 1: return new cube(side);
    case 2: return new blot(side);
    }
    return nullptr;
}

// Four objects for each thread, of kinds that differ between its neighbours.
extern "C" __global__ void objects(long long *to)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    shape *made[4];
    for (int i = 0; i < 4; i++)
        made[i] = create((me + i * i) % 3, me + 1000 * i);
    long long sum = 0;
    for (int i = 0; i < 4; i++) {
        sum = sum * 3 + made[i]->area() + made[i]->corners();
        delete made[i];
    }
    to[me] = sum;
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    if (!m)
        return n + 1;
    return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__device__ __noinline__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n)
{
    return n == 0 || odd(n - 1);
}
__device__ __noinline__ bool odd(unsigned n)
{
    return n != 0 && even(n - 1);
}

// Neighbours go to different depths.
extern "C" __global__ void recursion(unsigned *to)
{
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    to[me] = ackermann(me % 3, me % 11) * 2 + even(me);
}

__device__ int add(int x, int y)
{
    return x + y;
}
__device__ int subtract(int x, int y)
{
    return x - y;
}
__device__ int multiply(int x, int y)
{
    return x * y;
}
__device__ int either(int x, int y)
{
    return x | y;
}
typedef int binary(int, int);
__device__ binary *const operations[] = {add, subtract, multiply, either};
__constant__ unsigned char programs[8][6] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 2, 2, 2},
                                             {1, 1, 1, 1}, {0, 3, 0, 3}, {2, 0, 2, 0},
                                             {1, 3, 3, 1}, {0, 0, 2, 1}};

extern "C" __global__ void pointers(int *to)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, x = me;
    for (int i = 0; i < 4; i++)
        x = operations[programs[me % 8][i]](x, me + i);
    to[me] = x;
}

// One generic lambda for each type, taken by a template.
template <typename F> __device__ __noinline__ int apply_twice(F f, int x)
{
    return f(f(x));
}

extern "C" __global__ void lambdas(int *to, int by)
{
    int me = threadIdx.x;
    to[me] = apply_twice([=](int x) { return x * by + me; }, me) +
             apply_twice([&](int x) { return x ^ to[me]; }, by);
}

extern __shared__ int room[];

// Rotates each CTA's numbers by as many places as there are threads in a quarter of it.
extern "C" __global__ void rotation(int *data, int *size)
{
    int *mine = data + blockIdx.x * blockDim.x;
    room[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = room[(threadIdx.x + blockDim.x / 4) % blockDim.x];
    if (!threadIdx.x) {
        unsigned bytes;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
        size[blockIdx.x] = bytes;
    }
}

extern "C" __global__ void talk(const double *numbers)
{
    int me = threadIdx.x;
    if (me % 8 == 3)
        printf("%d %5.2f|%-8s|%c %llx %% %+d %e %p\n", me, numbers[me], "text", 'a' + me,
               0x123456789abcull * me, -me, numbers[me], (void *)(0x1000ull + me));
}

extern "C" __global__ void claim(const int *numbers)
{
    assert(numbers[threadIdx.x] < 77);
}

// A room that grows with the thread, and a switch that nvcc turns into a jump table.
extern "C" __global__ void growing(int *to)
{
    int me = threadIdx.x;
    int *own = static_cast<int *>(alloca((me + 1) * sizeof(int)));
    for (int i = 0; i <= me; i++)
        own[i] = i * i;
    int sum = 0;
    for (int i = me; i >= 0; i--)
        switch (i % 9) {
        case 0: sum += own[i]; break;
        case 1: sum ^= own[i] << 1; break;
        case 2: sum -= own[i]; break;
        case 3: sum += 3 * own[i]; break;
        case 4: sum |= own[i]; break;
        case 5: sum &= ~own[i]; break;
        case 6: sum ^= 0x5555; break;
        case 7: sum = -sum; break;
        default: sum += 7;
        }
    to[me] = sum;
}

// x * y of 128 bits, the bytes of a word turned round, a word shifted across two, the highest bit,
// the parity of three, and whether a neighbour's number is the same.
extern "C" __global__ void assembly(const unsigned *from, unsigned *to)
{
    int me = threadIdx.x;
    unsigned x = from[2 * me], y = from[2 * me + 1], *mine = to + 8 * me;
    asm volatile("{\n\t"
                 ".reg .u32 %%low, %%high;\n\t"
                 "mul.lo.u32 %%low, %8, %9;\n\t"
                 "mul.hi.u32 %%high, %8, %9;\n\t"
                 "mad.lo.cc.u32 %0, %%low, %9, 1;\n\t"
                 "madc.hi.cc.u32 %1, %%low, %9, 0;\n\t"
                 "addc.u32 %2, %%high, 0;\n\t"
                 "}\n\t"
                 "prmt.b32 %3, %8, 0, 0x0123;\n\t"
                 "shf.l.wrap.b32 %4, %8, %9, 13;\n\t"
                 "bfind.u32 %5, %8;\n\t"
                 "lop3.b32 %6, %8, %9, 0x0ff0f00f, 0x96;\n\t"
                 "vadd.u32.u32.u32.sat %7, %8, %9;"
                 : "=r"(mine[0]), "=r"(mine[1]), "=r"(mine[2]), "=r"(mine[3]), "=r"(mine[4]),
                   "=r"(mine[5]), "=r"(mine[6]), "=r"(mine[7])
                 : "r"(x), "r"(y));
}
