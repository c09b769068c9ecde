// RAY: ray tracing of mirroring spheres above a chequered plane, one ray per thread.
//
// Shows no chain: loads meet registers of the ray. All lanes of a warp load the same sphere; the
// loop over the reflections ends differently from lane to lane.  [002 Table 2]
//
// There is at least one sphere; sphere s has the centre (x[s], y[s], z[s]), a radius, a brightness
// and a share that it mirrors. The camera is at (0, 1, -6); the plane is y = -1; the light comes
// from one direction, and spheres throw shadows. A ray is reflected up to four times. Multiply-adds
// are written as such, so that the result is the same to the last bit wherever it is computed.

#define DEPTH 5
#define NEAR 1e-3f
#define FAR 1e30f

struct scene {
    const float *x, *y, *z, *radius;
    int spheres;
};

struct ray {
    float ox, oy, oz, dx, dy, dz;
};

// Distance to the sphere along the ray, FAR without a hit.
static __device__ float reach(const struct scene *scene, int s, const struct ray *ray)
{
    float cx = scene->x[s] - ray->ox, cy = scene->y[s] - ray->oy, cz = scene->z[s] - ray->oz;
    float r = scene->radius[s];
    float b = fmaf(cx, ray->dx, fmaf(cy, ray->dy, cz * ray->dz));
    float c = fmaf(cx, cx, fmaf(cy, cy, fmaf(cz, cz, -(r * r))));
    float d = fmaf(b, b, -c);

    if (d <= 0.0f)
        return FAR;

    float t = b - sqrtf(d);

    return t > NEAR ? t : FAR;
}

static __device__ bool shadowed(const struct scene *scene, const struct ray *light)
{
    int s = 0;

#pragma unroll 1
    do {
        if (reach(scene, s, light) < FAR)
            return true;
    } while (++s < scene->spheres);
    return false;
}

extern "C" __global__ void ray(const float *x, const float *y, const float *z, const float *radius,
                               const float *brightness, const float *mirror, int spheres,
                               float *image, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (column >= width || row >= height)
        return;

    struct scene scene = {x, y, z, radius, spheres};
    float dx = (column + 0.5f - 0.5f * width) / height, dy = (0.5f * height - row - 0.5f) / height;
    float scale = 1.0f / sqrtf(fmaf(dx, dx, fmaf(dy, dy, 1.0f)));
    struct ray ray = {0.0f, 1.0f, -6.0f, dx * scale, dy * scale, scale};
    float sum = 0.0f, share = 1.0f;

#pragma unroll 1
    for (int depth = 0; depth < DEPTH; depth++) {
        float nearest = FAR;
        int hit = -1, s = 0;

#pragma unroll 1
        do {
            float t = reach(&scene, s, &ray);

            if (t < nearest) {
                nearest = t;
                hit = s;
            }
        } while (++s < spheres);

        float plane = ray.dy < 0.0f ? -(ray.oy + 1.0f) / ray.dy : FAR;

        if (plane > NEAR && plane < nearest) {
            nearest = plane;
            hit = spheres;
        }
        if (hit < 0) {
            sum = fmaf(share, fmaf(0.5f, ray.dy, 0.5f), sum);
            break;
        }
        ray.ox = fmaf(nearest, ray.dx, ray.ox);
        ray.oy = fmaf(nearest, ray.dy, ray.oy);
        ray.oz = fmaf(nearest, ray.dz, ray.oz);

        float nx = 0.0f, ny = 1.0f, nz = 0.0f, colour, reflected = 0.3f;

        if (hit < spheres) {
            float r = 1.0f / radius[hit];

            nx = (ray.ox - x[hit]) * r;
            ny = (ray.oy - y[hit]) * r;
            nz = (ray.oz - z[hit]) * r;
            colour = brightness[hit];
            reflected = mirror[hit];
        } else {
            colour = (int)floorf(ray.ox) + (int)floorf(ray.oz) & 1 ? 0.9f : 0.1f;
        }

        struct ray light = {ray.ox, ray.oy, ray.oz, 0.48f, 0.8f, -0.36f};
        float shine = fmaxf(fmaf(nx, 0.48f, fmaf(ny, 0.8f, nz * -0.36f)), 0.0f);

        if (shadowed(&scene, &light))
            shine = 0.0f;
        sum = fmaf(share * (1.0f - reflected), colour * fmaf(0.8f, shine, 0.2f), sum);
        share = share * reflected;

        float along = -2.0f * fmaf(ray.dx, nx, fmaf(ray.dy, ny, ray.dz * nz));

        ray.dx = fmaf(along, nx, ray.dx);
        ray.dy = fmaf(along, ny, ray.dy);
        ray.dz = fmaf(along, nz, ray.dz);
    }
    image[row * width + column] = sum;
}
