// Images: counts, sums and positions are whole numbers, the others within a tolerance; the rays to
// the last bit, since their hits decide.
#include "tests/samples/references.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *blurred(const double *in, size_t width, size_t height)
{
    static const double weight[] = {0.25, 0.5, 0.25};
    double *out = calloc(width * height, sizeof *out);
    for (size_t i = 0; i < width * height; i++)
        for (size_t k = 0; k < 9; k++)
            out[i] += weight[k / 3] * weight[k % 3] *
                      in[(i / width + k / 3) * (width + 2) + i % width + k % 3];
    return out;
}

void ref_conv(struct job *job)
{
    size_t width = number(job, 0), height = number(job, 1), n = (width + 2) * (height + 2);
    double *in = widen(uniform(n, 1), n);
    // All terms are positive.
    near_floats(job, "direct", blurred(in, width, height), width * height, 3e-7, 0);
    near_floats(job, "tile", blurred(in, width, height), width * height, 3e-7, 0);
    near_floats(job, "separable", blurred(in, width, height), width * height, 3e-7, 0);
    free(in);
}

void ref_hist(struct job *job)
{
    size_t n = number(job, 0);
    int32_t *one = range_int(n, 0, 256, 1), *two = range_int(n, 0, 256, 2);
    int32_t *bins = calloc(256, sizeof *bins);
    for (size_t i = 0; i < n; i++)
        bins[one[i] < two[i] ? one[i] : two[i]]++;
    same_ints(job, "bins", bins, 256);
    free(one);
    free(two);
}

void ref_histogram64(struct job *job)
{
    int32_t *bins = calloc(64, sizeof *bins);
    for (size_t i = 0; i < number(job, 0) * 4; i++)
        bins[drawn(1, i / 4) >> 32 >> i % 4 * 8 >> 2 & 63]++;
    same_ints(job, "histogram", bins, 64);
}

void ref_integr(struct job *job)
{
    size_t width = number(job, 0), height = number(job, 1);
    int32_t *out = range_int(width * height, -128, 128, 1);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0, i = y * width; x < width; x++, i++) {
            out[i] += x ? out[i - 1] : 0;
            out[i] += y ? out[i - width] : 0;
            out[i] -= x && y ? out[i - width - 1] : 0;
        }
    same_ints(job, "out", out, width * height);
}

enum { REACH = 7, HALF = 6 };

struct hw {
    size_t width, height, frames;
    int32_t *raw, *up, *across, *noise;
    uint8_t *frame; // all of them
};

static void draw_frames(struct hw *h)
{
    size_t width = h->width + 9, count = h->frames * h->width * h->height;
    h->frame = calloc(count, 1);
    for (size_t i = 0; i < count; i++) {
        size_t f = i / (h->width * h->height);
        size_t y = i / h->width % h->height + (size_t)h->up[f];
        size_t x = i % h->width + (size_t)h->across[f];
        const int32_t *at = h->raw + y * width + x;
        int32_t value = (at[0] + at[1] + at[width]) / 3 + h->noise[i];
        h->frame[i] = (uint8_t)(value < 255 ? value : 255);
    }
}

static float likeness(const uint8_t *window, const uint8_t *pixel, size_t width)
{
    int32_t product = 0, square = 0;
    for (size_t y = 0; y < 2 * HALF + 1; y++)
        for (size_t x = 0; x < 2 * HALF + 1; x++) {
            product += window[y * width + x] * pixel[y * width + x];
            square += pixel[y * width + x] * pixel[y * width + x];
        }
    return square ? (float)product * (float)product / (float)square : 0;
}

static void track(const struct hw *h, const uint8_t *window, const uint8_t *frame, int32_t *row,
                  int32_t *column)
{
    float best = -1;
    int32_t best_row = 0, best_column = 0;
    for (int32_t y = *row - REACH; y <= *row + REACH; y++)
        for (int32_t x = *column - REACH; x <= *column + REACH; x++) {
            const uint8_t *at = frame + (size_t)(y - HALF) * h->width + x - HALF;
            float found = likeness(window, at, h->width);
            if (found > best) {
                best = found;
                best_row = y;
                best_column = x;
            }
        }
    *row = best_row;
    *column = best_column;
}

// The points move as the frames do, which is known; and so says the search.
void ref_hw(struct job *job)
{
    struct hw h = {.width = number(job, 0), .height = number(job, 1), .frames = number(job, 3)};
    size_t points = number(job, 2), size = h.width * h.height;
    int32_t *row = range_int(points, 20, (int64_t)h.height - 20, 5);
    int32_t *column = range_int(points, 20, (int64_t)h.width - 20, 6);
    h.raw = range_int((h.width + 9) * (h.height + 9), 0, 256, 1);
    h.up = range_int(h.frames, 0, 8, 2);
    h.across = range_int(h.frames, 0, 8, 3);
    h.noise = range_int(h.frames * size, 0, 6, 4);
    draw_frames(&h);
    for (size_t p = 0; p < points; p++) {
        const uint8_t *window =
            h.frame + (size_t)(row[p] - HALF) * h.width + (size_t)(column[p] - HALF);
        int32_t true_row = row[p] + h.up[0] - h.up[h.frames - 1];
        int32_t true_column = column[p] + h.across[0] - h.across[h.frames - 1];
        for (size_t f = 1; f < h.frames; f++)
            track(&h, window, h.frame + f * size, &row[p], &column[p]);
        if (row[p] != true_row || column[p] != true_column)
            job->wrong = "a point does not move as the frames do";
    }
    same_ints(job, "row", row, points);
    same_ints(job, "column", column, points);
    free(h.raw);
    free(h.up);
    free(h.across);
    free(h.noise);
    free(h.frame);
}

struct sphere {
    float centre[3], radius, brightness, mirror;
};

struct scene {
    size_t count;
    struct sphere *sphere;
};

static float dot(const float *a, const float *b)
{
    return fmaf(a[0], b[0], fmaf(a[1], b[1], a[2] * b[2]));
}

// Distance along the ray, 1e30 without a hit.
static float reach(const struct sphere *s, const float *from, const float *direction)
{
    float to[3];
    for (size_t k = 0; k < 3; k++)
        to[k] = s->centre[k] - from[k];
    float b = dot(to, direction);
    float c = fmaf(to[0], to[0], fmaf(to[1], to[1], fmaf(to[2], to[2], -(s->radius * s->radius))));
    float d = fmaf(b, b, -c);
    float t = d > 0 ? b - sqrtf(d) : 0;
    return t > 1e-3f ? t : 1e30f;
}

static const struct sphere *nearest(const struct scene *scene, const float *from,
                                    const float *direction, float *distance)
{
    const struct sphere *hit = NULL;
    *distance = 1e30f;
    for (size_t s = 0; s < scene->count; s++) {
        float t = reach(&scene->sphere[s], from, direction);
        if (t < *distance) {
            *distance = t;
            hit = &scene->sphere[s];
        }
    }
    return hit;
}

static float shine(const struct scene *scene, const float *at, const float *normal)
{
    static const float light[] = {0.48f, 0.8f, -0.36f};
    float t;
    return nearest(scene, at, light, &t) ? 0 : fmaxf(dot(normal, light), 0);
}

// The rest of a ray's brightness, of which `share` counts.
static float trace(const struct scene *scene, float *from, float *direction)
{
    float sum = 0, share = 1;
    for (int depth = 0; depth < 5; depth++) {
        float t, normal[3] = {0, 1, 0}, colour, mirror = 0.3f;
        const struct sphere *hit = nearest(scene, from, direction, &t);
        float plane = direction[1] < 0 ? -(from[1] + 1) / direction[1] : 1e30f;
        bool on_plane = plane > 1e-3f && plane < t;
        if (!hit && !on_plane)
            return fmaf(share, fmaf(0.5f, direction[1], 0.5f), sum);
        for (size_t k = 0; k < 3; k++)
            from[k] = fmaf(on_plane ? plane : t, direction[k], from[k]);
        if (on_plane) {
            colour = ((int)floorf(from[0]) + (int)floorf(from[2])) & 1 ? 0.9f : 0.1f;
        } else {
            float inverse = 1 / hit->radius;
            for (size_t k = 0; k < 3; k++)
                normal[k] = (from[k] - hit->centre[k]) * inverse;
            colour = hit->brightness;
            mirror = hit->mirror;
        }
        float lit = fmaf(0.8f, shine(scene, from, normal), 0.2f);
        sum = fmaf(share * (1 - mirror), colour * lit, sum);
        share *= mirror;
        float along = -2 * dot(direction, normal);
        for (size_t k = 0; k < 3; k++)
            direction[k] = fmaf(along, normal[k], direction[k]);
    }
    return sum;
}

static struct scene read_scene(size_t count)
{
    static const double range[][2] = {{-3, 3},    {-0.6, 2}, {-1, 5},
                                      {0.4, 1.2}, {0.3, 1},  {0.1, 0.8}};
    struct scene scene = {count, calloc(count, sizeof *scene.sphere)};
    for (uint64_t k = 0; k < 6; k++) {
        float *values = range_float(count, range[k][0], range[k][1], 11 + k);
        for (size_t s = 0; s < count; s++)
            memcpy((char *)&scene.sphere[s] + k * sizeof(float), &values[s], sizeof(float));
        free(values);
    }
    return scene;
}

void ref_ray(struct job *job)
{
    struct scene scene = read_scene(number(job, 0));
    size_t columns = number(job, 1), rows = number(job, 2);
    float *image = calloc(columns * rows, sizeof *image), width = (float)columns;
    float height = (float)rows;
    for (size_t i = 0; i < columns * rows; i++) {
        float x = ((float)(i % columns) + 0.5f - 0.5f * width) / height;
        float y = (0.5f * height - (float)(i / columns) - 0.5f) / height;
        float scale = 1 / sqrtf(fmaf(x, x, fmaf(y, y, 1)));
        float from[] = {0, 1, -6}, direction[] = {x * scale, y * scale, scale};
        image[i] = trace(&scene, from, direction);
    }
    same_floats(job, "image", image, columns * rows);
    free(scene.sphere);
}
