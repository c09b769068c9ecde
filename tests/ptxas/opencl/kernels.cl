// No header: what it would declare is of no interest here.
int lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }
int group(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }

constant float scales[4] = {1, 2, 3, 4};

kernel void add(global float *c, global const float *a, global const float *b, int n)
{
    int i = group() * 256 + lane();
    if (i < n)
        c[i] = a[i] + b[i] * scales[i & 3];
}

kernel void reverse(global int *a, local int *tile, int n)
{
    tile[lane()] = a[lane()];
    __nvvm_bar_sync(0);
    for (int i = 0; i < n; i++)
        a[i * n] += tile[n - i];
}

typedef float float4 __attribute__((ext_vector_type(4)));

__attribute__((noinline)) float4 mix4(float4 a, float4 b, float by)
{
    return a * by + b * (1 - by);
}

kernel void vectors(global float4 *a, global const float4 *b, float by)
{
    float4 mine[8];
    for (int i = 0; i < 8; i++)
        mine[i] = mix4(a[i], b[i], by);
    switch (lane()) {
    case 0: a[0] = mine[1]; break;
    case 1: a[1] = mine[2].wzyx; break;
    case 2: a[2] = -mine[3]; break;
    case 3: a[3] = mine[lane() & 7]; break;
    case 4: a[4].x = mine[0].y / by; break;
    }
}
