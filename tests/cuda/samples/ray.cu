#include "samples/ray/ray.cu"
#include "sample.h"

// A sphere of three numbers and a radius, in double.
struct ball {
    double centre[3], radius, brightness, mirror;
};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double meets(const ball &ball, const double *origin, const double *direction)
{
    double to[3];
    for (int k = 0; k < 3; k++)
        to[k] = ball.centre[k] - origin[k];
    double b = dot(to, direction), d = b * b - dot(to, to) + ball.radius * ball.radius;
    double t = d > 0 ? b - std::sqrt(d) : 0;
    return t > NEAR ? t : FAR;
}

static double traced(const std::vector<ball> &balls, double *origin, double *direction, int depth)
{
    static const double light[] = {0.48, 0.8, -0.36};
    double nearest = direction[1] < 0 ? -(origin[1] + 1) / direction[1] : FAR;
    const ball *hit = NULL;
    for (const ball &one : balls)
        if (meets(one, origin, direction) < nearest) {
            nearest = meets(one, origin, direction);
            hit = &one;
        }
    if (nearest >= FAR)
        return 0.5 + 0.5 * direction[1];
    double normal[] = {0, 1, 0}, away[3], shine, colour, mirror = hit ? hit->mirror : 0.3;
    for (int k = 0; k < 3; k++) {
        origin[k] += nearest * direction[k];
        if (hit)
            normal[k] = (origin[k] - hit->centre[k]) / hit->radius;
    }
    colour = hit                                                             ? hit->brightness
             : (long)std::floor(origin[0]) + (long)std::floor(origin[2]) & 1 ? 0.9
                                                                             : 0.1;
    shine = std::max(dot(normal, light), 0.0);
    for (const ball &one : balls)
        if (meets(one, origin, light) < FAR)
            shine = 0;
    for (int k = 0; k < 3; k++)
        away[k] = direction[k] - 2 * dot(direction, normal) * normal[k];
    return (1 - mirror) * colour * (0.2 + 0.8 * shine) +
           (depth > 1 ? mirror * traced(balls, origin, away, depth - 1) : 0);
}

int main()
{
    int spheres = 4, width = 32, height = 24;
    buffer<float> x(spheres), y(spheres), z(spheres), radius(spheres), brightness(spheres),
        mirror(spheres), image(width * height);
    x.fill(-3, 3, 11);
    y.fill(-0.6, 2, 12);
    z.fill(-1, 5, 13);
    radius.fill(0.4, 1.2, 14);
    brightness.fill(0.3, 1, 15);
    mirror.fill(0.1, 0.8, 16);
    std::vector<ball> balls;
    for (int s = 0; s < spheres; s++)
        balls.push_back({{x[s], y[s], z[s]}, radius[s], brightness[s], mirror[s]});
    ray<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(
        x.device, y.device, z.device, radius.device, brightness.device, mirror.device, spheres,
        image.device, width, height);
    image.to_host();
    long far = 0;
    for (int i = 0; i < width * height; i++) {
        double origin[] = {0, 1, -6};
        double direction[] = {(i % width + 0.5 - 0.5 * width) / height,
                              (0.5 * height - i / width - 0.5) / height, 1};
        double length = std::sqrt(dot(direction, direction));
        for (double &one : direction)
            one /= length;
        far += std::fabs(image[i] - traced(balls, origin, direction, DEPTH)) > 1e-3;
    }
    // At an edge, a ray may hit another thing in float than in double: one pixel in fifty may
    // differ.
    expect(0, far > width * height / 50, 0);
    return result();
}
