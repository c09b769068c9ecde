// LIBOR: the adjoint of a swaption portfolio in a LIBOR market model, one Monte Carlo path per
// thread.
//
// Shows the two loops of [002 §3.1, Fig. 4]: one load and one store per iteration, a trip count
// that is known at entry, hence conditional candidates for a block offload. Table 3 of [000] does
// not list it.
//
// The forward rates L and their adjoints L_b are rate-major, L[r * paths + path], so that the
// threads of a warp meet consecutive words. portfolio_b takes the value v and the adjoint factor b
// of the path; libor_portfolio makes them from the rates up to maturity nmat.

__device__ __forceinline__ float portfolio_b(const float *L, float *L_b, int paths, int nmat,
                                             int nrates, float delta, float b, float v)
{
#pragma unroll 1
    for (int r = 0; r < nmat; r++)
        L_b[r * paths] = -v * delta / (1.0f + delta * L[r * paths]);
#pragma unroll 1
    for (int r = nmat; r < nrates; r++)
        L_b[r * paths] = b * L_b[r * paths];
    return v;
}

// Before: L holds the path's rates, L_b the adjoints of the rates from nmat on.
// After:  L_b holds all adjoints, value[path] the discounted value of the portfolio.
extern "C" __global__ void libor_portfolio(const float *L, float *L_b, float *value, int paths,
                                           int nmat, int nrates, float delta, float strike)
{
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    float b = 1.0f, swap = 0.0f;

    if (path >= paths)
        return;
    L += path;
    L_b += path;
#pragma unroll 1
    for (int r = 0; r < nmat; r++)
        b /= 1.0f + delta * L[r * paths];
#pragma unroll 1
    for (int r = nmat; r < nrates; r++)
        swap += delta * (L[r * paths] - strike);

    float v = b * fmaxf(swap, 0.0f);

    value[path] = portfolio_b(L, L_b, paths, nmat, nrates, delta, b, v);
}
