// BLACKSCHOLES: prices of European call and put options, one option per thread.
//
// Shows no chain: each of the three inputs has several uses. Special functions (lg2, ex2) make up
// much of the arithmetic.  [001 Table 3]
//
// price[i], strike[i] and years[i] describe option i; rate and volatility are the same for all. The
// distribution function is the polynomial of Abramowitz and Stegun, 26.2.17.

static __device__ float distribution(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum = 1.330274429f;

    sum = -1.821255978f + k * sum;
    sum = 1.781477937f + k * sum;
    sum = -0.356563782f + k * sum;
    sum = 0.319381530f + k * sum;

    float tail = 0.39894228f * __expf(-0.5f * d * d) * k * sum;

    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(const float *price, const float *strike, const float *years,
                                        float *call, float *put, float rate, float volatility,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float p1 = distribution(d1), p2 = distribution(d1 - spread);
    float present = x * __expf(-rate * t);

    call[i] = s * p1 - present * p2;
    put[i] = present * (1.0f - p2) - s * (1.0f - p1);
}
