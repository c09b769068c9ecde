// CFD: Euler equations of a compressible gas on an unstructured grid, finite volumes.
//
// cfd_save     the state before the step
// cfd_factor   the local time step of every cell from its size and the speed of sound
// cfd_flux     adds the fluxes through the four faces of every cell: the neighbours' states are
//              gathered
// cfd_update   one stage of the Runge-Kutta method: state = old + factor / stages_left * flux
// Shows pattern 3 (cfd_save). The loop of cfd_flux has a branch and many live values: its four
// iterations do not pay as a block.  [002 Table 2]
//
// The state of cell i: density, momentum in x, y, z, and energy, n numbers of each, one array
// behind the other; flux and old likewise. neighbour[face * n + i] is the cell behind a face, -1
// for a wall; normal[(face * 3 + axis) * n + i] is its outward normal, as long as the face is
// large. A face has the opposite normal in the neighbour. A flux is the mean of both sides, less
// the jump times the largest wave speed. One step: cfd_save, cfd_factor, then cfd_flux and
// cfd_update with stages_left 3, 2, 1.

#define GAMMA 1.4f
#define FACES 4

struct state {
    float density, momentum[3], energy;
};

static __device__ void read_state(struct state *s, const float *from, int i, int n)
{
    s->density = from[i];
    s->momentum[0] = from[n + i];
    s->momentum[1] = from[2 * n + i];
    s->momentum[2] = from[3 * n + i];
    s->energy = from[4 * n + i];
}

static __device__ float pressure(const struct state *s)
{
    float square = s->momentum[0] * s->momentum[0] + s->momentum[1] * s->momentum[1] +
                   s->momentum[2] * s->momentum[2];

    return (GAMMA - 1.0f) * (s->energy - 0.5f * square / s->density);
}

extern "C" __global__ void cfd_save(const float *state, float *old, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        old[i] = state[i];
}

extern "C" __global__ void cfd_factor(const float *state, const float *area, float *factor,
                                      float courant, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct state s;

    if (i >= n)
        return;
    read_state(&s, state, i, n);

    float square = s.momentum[0] * s.momentum[0] + s.momentum[1] * s.momentum[1] +
                   s.momentum[2] * s.momentum[2];
    float speed = sqrtf(square) / s.density + sqrtf(GAMMA * pressure(&s) / s.density);

    factor[i] = courant / (sqrtf(area[i]) * speed);
}

extern "C" __global__ void cfd_flux(const float *state, const int *neighbour, const float *normal,
                                    float *flux, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct state here, there;
    float sum[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};

    if (i >= n)
        return;
    read_state(&here, state, i, n);

    float p = pressure(&here), sound = sqrtf(GAMMA * p / here.density);

#pragma unroll 1
    for (int face = 0; face < FACES; face++) {
        const float *axis = normal + face * 3 * n + i;
        float x = axis[0], y = axis[n], z = axis[2 * n];
        int other = neighbour[face * n + i];

        if (other < 0) {
            sum[1] -= x * p;
            sum[2] -= y * p;
            sum[3] -= z * p;
            continue;
        }
        read_state(&there, state, other, n);

        float q = pressure(&there), size = sqrtf(x * x + y * y + z * z);
        float out = (here.momentum[0] * x + here.momentum[1] * y + here.momentum[2] * z) /
                    here.density;
        float in = (there.momentum[0] * x + there.momentum[1] * y + there.momentum[2] * z) /
                   there.density;
        float wave = fmaxf(fabsf(out) + sound * size,
                           fabsf(in) + sqrtf(GAMMA * q / there.density) * size);

        sum[0] -= 0.5f * (here.density * out + there.density * in -
                          wave * (there.density - here.density));
        sum[1] -= 0.5f * (here.momentum[0] * out + there.momentum[0] * in + (p + q) * x -
                          wave * (there.momentum[0] - here.momentum[0]));
        sum[2] -= 0.5f * (here.momentum[1] * out + there.momentum[1] * in + (p + q) * y -
                          wave * (there.momentum[1] - here.momentum[1]));
        sum[3] -= 0.5f * (here.momentum[2] * out + there.momentum[2] * in + (p + q) * z -
                          wave * (there.momentum[2] - here.momentum[2]));
        sum[4] -= 0.5f * ((here.energy + p) * out + (there.energy + q) * in -
                          wave * (there.energy - here.energy));
    }
#pragma unroll
    for (int k = 0; k < 5; k++)
        flux[k * n + i] = sum[k];
}

extern "C" __global__ void cfd_update(const float *old, const float *factor, const float *flux,
                                      float *state, int stages_left, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    float step = factor[i] / stages_left;

#pragma unroll
    for (int k = 0; k < 5; k++)
        state[k * n + i] = old[k * n + i] + step * flux[k * n + i];
}
