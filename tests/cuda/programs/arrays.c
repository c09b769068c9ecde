/* Random arrays of all shapes, with copies of boxes, fetches of all texels, writes through surfaces
 * and views, beside a model. Needs no header of the toolkit and no nvcc.
 *
 *     arrays MODULE SEED CASES [LOG]
 *
 * MODULE is arrays.ptx. LOG gets address, bytes and hash of the results after each launch. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST = 1, DEVICE, ARRAY };
enum { LAYERED = 1, SURFACE = 2, CUBEMAP = 4 };
enum { U8 = 1, U16 = 2, U32 = 3, S16 = 9, F32 = 0x20 };
enum { READ_INTEGER = 1 };
enum { SIDE = 12, MOST = SIDE * SIDE * SIDE * 16, LEVELS = 4 };

struct array_desc {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct side {
    size_t x, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};

struct copy {
    struct side from, to;
    size_t width, height, depth;
};

struct resource {
    int type;
    union {
        void *array;
        int reserved[32];
    };
    unsigned flags;
};

struct how {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float bias, min, max, border[4];
    int reserved[12];
};

struct view {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoad(void **module, const char *path);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **more);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemFree_v2(uint64_t at);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpy3D_v2(const struct copy *copy);
int cuArray3DCreate_v2(void **array, const struct array_desc *desc);
int cuArray3DGetDescriptor_v2(struct array_desc *desc, void *array);
int cuArrayDestroy(void *array);
int cuMipmappedArrayCreate(void **mipmap, const struct array_desc *desc, unsigned levels);
int cuMipmappedArrayGetLevel(void **array, void *mipmap, unsigned level);
int cuMipmappedArrayDestroy(void *mipmap);
int cuTexObjectCreate(uint64_t *object, const struct resource *resource, const struct how *how,
                      const struct view *view);
int cuTexObjectDestroy(uint64_t object);
int cuTexObjectGetResourceDesc(struct resource *resource, uint64_t object);
int cuTexObjectGetTextureDesc(struct how *how, uint64_t object);
int cuSurfObjectCreate(uint64_t *object, const struct resource *resource);
int cuSurfObjectDestroy(uint64_t object);
int cuMemcpyAtoH_v2(void *to, void *array, size_t at, size_t bytes);
int cuMemcpyHtoA_v2(void *array, size_t at, const void *from, size_t bytes);
int cuMemcpyAtoA_v2(void *to, size_t to_at, void *from, size_t at, size_t bytes);

#define CALL(expression) call(expression, #expression, __LINE__)

static void call(int error, const char *text, int line)
{
    if (!error)
        return;
    printf("line %d: %s: %d\n", line, text, error);
    exit(1);
}

static uint64_t seed;

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

struct test {
    void *module;
    struct array_desc desc, level; /* of the array, and of the level in use */
    int layered_depth;             /* slices or layers of the level, at least 1 */
    unsigned bytes, number;        /* of a texel; of the level */
    void *array, *mipmap;          /* the level's array */
    uint64_t texture, surface, out;
    uint8_t model[MOST];
    unsigned first_layer; /* of the view */
    FILE *log;
    int failures;
};

static uint8_t *model_at(struct test *t, size_t x, size_t y, size_t z)
{
    size_t height = t->level.height ? t->level.height : 1;
    return t->model + ((z * height + y) * t->level.width + x) * t->bytes;
}

static const char *shape_name(const struct array_desc *desc)
{
    if (desc->flags & (LAYERED | CUBEMAP))
        return desc->height ? "a2d" : "a1d";
    return desc->depth ? "3d" : desc->height ? "2d" : "1d";
}

static void draw_shape(struct array_desc *desc)
{
    static const int formats[] = {U8, U16, U32, S16, F32};
    int shape = draw(7);
    *desc = (struct array_desc){.width = 1 + draw(SIDE),
                                .format = formats[draw(5)],
                                .channels = 1u << draw(3),
                                .flags = SURFACE};
    if (shape == 1 || shape == 2 || shape == 4)
        desc->height = 1 + draw(SIDE);
    if (shape == 2)
        desc->depth = 1 + draw(SIDE);
    if (shape == 3 || shape == 4) {
        desc->flags |= LAYERED;
        desc->depth = 1 + draw(6);
    }
    if (shape >= 5) {
        desc->height = desc->width;
        desc->depth = shape == 6 ? 12 : 6;
        desc->flags |= CUBEMAP | (shape == 6 ? LAYERED : 0);
    }
}

static void make_array(struct test *t)
{
    static const unsigned sizes[] = {[U8] = 1, [U16] = 2, [U32] = 4, [S16] = 2, [F32] = 4};
    draw_shape(&t->desc);
    t->bytes = t->desc.channels * sizes[t->desc.format];
    t->mipmap = NULL;
    t->number = 0;
    if (draw(2)) {
        unsigned most = 1, side = t->desc.width | t->desc.height;
        int is_3d = !(t->desc.flags & (LAYERED | CUBEMAP));
        for (side |= is_3d ? t->desc.depth : 0; side > 1; side /= 2)
            most++;
        t->number = draw(most);
        CALL(cuMipmappedArrayCreate(&t->mipmap, &t->desc, LEVELS));
        t->number = t->number < LEVELS ? t->number : LEVELS - 1;
        CALL(cuMipmappedArrayGetLevel(&t->array, t->mipmap, t->number));
    } else {
        CALL(cuArray3DCreate_v2(&t->array, &t->desc));
    }
    CALL(cuArray3DGetDescriptor_v2(&t->level, t->array));
    if (t->level.format != t->desc.format || t->level.channels != t->desc.channels ||
        t->level.flags != t->desc.flags)
        t->failures++, printf("the descriptor differs\n");
    t->layered_depth = t->level.depth ? (int)t->level.depth : 1;
}

/* Copies a box between the model and the array, by way of host memory. */
static void copy_box(struct test *t, const size_t at[3], const size_t size[3], int to_array)
{
    static uint8_t staged[MOST];
    size_t row = size[0] * t->bytes, bytes = row * size[1] * size[2];
    struct side host = {.type = HOST, .host = staged, .pitch = row, .height = size[1]};
    struct side array = {at[0] * t->bytes, at[1], at[2], .type = ARRAY, .array = t->array};
    struct copy copy = {to_array ? host : array, to_array ? array : host, row, size[1], size[2]};
    for (size_t i = 0; i < bytes; i++)
        staged[i] = (uint8_t)draw(128); /* no NaN */
    CALL(cuMemcpy3D_v2(&copy));
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++) {
            uint8_t *own = model_at(t, at[0], at[1] + y, at[2] + z);
            uint8_t *other = staged + (z * size[1] + y) * row;
            if (to_array)
                memcpy(own, other, row);
            else if (memcmp(own, other, row))
                t->failures++, printf("a copied box differs\n");
        }
}

static void copy_random_box(struct test *t, int to_array)
{
    size_t limits[3] = {t->level.width, t->level.height ? t->level.height : 1,
                        (size_t)t->layered_depth};
    size_t at[3], size[3];
    for (int i = 0; i < 3; i++) {
        at[i] = draw((unsigned)limits[i]);
        size[i] = 1 + draw((unsigned)(limits[i] - at[i]));
    }
    copy_box(t, at, size, to_array);
}

static void copy_whole(struct test *t, int to_array)
{
    const size_t at[3] = {0}, size[3] = {t->level.width, t->level.height ? t->level.height : 1,
                                         (size_t)t->layered_depth};
    copy_box(t, at, size, to_array);
}

/* Copies bytes of the first rows, beyond the ends of rows. */
static void copy_bytes(struct test *t)
{
    size_t rows = t->level.height ? t->level.height : 1, all = rows * t->level.width * t->bytes;
    size_t at = draw((unsigned)all), bytes = 1 + draw((unsigned)(all - at));
    uint8_t *back = malloc(all);
    for (size_t i = 0; i < bytes; i++)
        t->model[at + i] = (uint8_t)draw(128);
    CALL(cuMemcpyHtoA_v2(t->array, at, t->model + at, bytes));
    CALL(cuMemcpyAtoH_v2(back, t->array, 0, all));
    if (memcmp(back, t->model, all))
        t->failures++, printf("copied bytes differ\n");
    size_t to = draw((unsigned)all), from = draw((unsigned)all);
    size_t most = all - (to > from ? to : from), count = 1 + draw((unsigned)most);
    if (to + count > from && from + count > to)
        count = to > from ? to - from : from - to;
    CALL(cuMemcpyAtoA_v2(t->array, to, t->array, from, count));
    memcpy(t->model + to, t->model + from, count);
    free(back);
}

static void make_objects(struct test *t)
{
    struct resource array = {.array = t->array}, mipmap = {.type = 1, .array = t->mipmap}, back;
    struct how how = {.flags = READ_INTEGER, .address = {1, 1, 1}, .max = LEVELS}, how_back;
    struct view view = {.width = t->desc.width,
                        .height = t->desc.height,
                        .depth = t->desc.depth,
                        .last_level = t->number};
    int has_layers = t->desc.flags & (LAYERED | CUBEMAP), is_cube = t->desc.flags & CUBEMAP;
    t->first_layer = has_layers && !is_cube ? draw((unsigned)t->layered_depth) : 0;
    view.first_layer = t->first_layer;
    view.last_layer = has_layers ? (unsigned)t->layered_depth - 1 : 0;
    CALL(cuTexObjectCreate(&t->texture, t->mipmap ? &mipmap : &array, &how, &view));
    CALL(cuTexObjectGetResourceDesc(&back, t->texture));
    CALL(cuTexObjectGetTextureDesc(&how_back, t->texture));
    if (back.array != (t->mipmap ? t->mipmap : t->array) || memcmp(&how, &how_back, sizeof how))
        t->failures++, printf("an object is described otherwise\n");
    CALL(cuSurfObjectCreate(&t->surface, &array));
}

static uint64_t hash_of(const uint8_t *data, size_t bytes)
{
    uint64_t value = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        value = (value ^ data[i]) * 1099511628211u;
    return value;
}

static void launch(struct test *t, const char *what, uint64_t object, unsigned extra, uint32_t *out)
{
    char name[32];
    void *function;
    unsigned height = t->level.height ? (unsigned)t->level.height : 1;
    unsigned width = (unsigned)t->level.width, layers = (unsigned)t->layered_depth;
    void *arguments[] = {&object, &t->out, &extra, &width, &height};
    size_t bytes = (size_t)width * height * layers * 16;
    snprintf(name, sizeof name, "%s_%s", what, shape_name(&t->level));
    CALL(cuModuleGetFunction(&function, t->module, name));
    CALL(cuLaunchKernel(function, height, layers, 1, width, 1, 1, 0, NULL, arguments, NULL));
    CALL(cuMemcpyDtoH_v2(out, t->out, bytes));
    if (t->log)
        fprintf(t->log, "%llu %zu %llu\n", (unsigned long long)t->out, bytes,
                (unsigned long long)hash_of((uint8_t *)out, bytes));
}

/* The channel of a texel of the model, as a fetch returns it. */
static uint32_t channel(struct test *t, size_t x, size_t y, size_t z, unsigned c)
{
    const uint8_t *at = model_at(t, x, y, z) + c * (t->bytes / t->desc.channels);
    uint32_t word = 0;
    if (c >= t->desc.channels)
        return c < 3 ? 0 : t->desc.format == F32 ? 0x3f800000 : 1;
    memcpy(&word, at, t->bytes / t->desc.channels);
    return t->desc.format == S16 ? (uint32_t)(int16_t)word : word;
}

static void check_all(struct test *t, const uint32_t *out, unsigned first_layer, const char *what)
{
    size_t height = t->level.height ? t->level.height : 1, layers = (size_t)t->layered_depth;
    for (size_t i = 0; i < t->level.width * height * layers; i++) {
        size_t x = i % t->level.width, y = i / t->level.width % height;
        size_t z = i / t->level.width / height + first_layer;
        z = z < layers ? z : layers - 1; /* layers are clamped */
        for (unsigned c = 0; c < 4; c++)
            if (out[4 * i + c] != channel(t, x, y, z, c)) {
                if (t->failures++ < 10)
                    printf("%s of .%s, format %d x %u, flags %u, level %u: texel (%zu, %zu, %zu) "
                           "channel %u is %u, not %u\n",
                           what, shape_name(&t->level), t->desc.format, t->desc.channels,
                           t->desc.flags, t->number, x, y, z, c, out[4 * i + c],
                           channel(t, x, y, z, c));
                return;
            }
    }
}

/* What the kernel store_… writes. */
static void store_model(struct test *t)
{
    size_t height = t->level.height ? t->level.height : 1;
    for (size_t z = 0; z < (size_t)t->layered_depth; z++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < t->level.width; x++)
                for (unsigned c = 0; c < t->desc.channels; c++) {
                    uint32_t value = (uint32_t)(x + 3 * y + 7 * z) & 63;
                    float real = (float)(value += c);
                    memcpy(model_at(t, x, y, z) + c * (t->bytes / t->desc.channels),
                           t->desc.format == F32 ? (void *)&real : (void *)&value,
                           t->bytes / t->desc.channels);
                }
}

static void run_case(struct test *t)
{
    static uint32_t out[MOST];
    CALL(cuMemAlloc_v2(&t->out, SIDE * SIDE * SIDE * 16));
    make_array(t);
    copy_whole(t, 1);
    for (unsigned i = draw(3); i; i--)
        copy_random_box(t, 1);
    if (draw(2))
        copy_bytes(t);
    make_objects(t);
    if (!(t->desc.flags & CUBEMAP)) {
        launch(t, "fetch", t->texture, t->number, out);
        check_all(t, out, t->first_layer, "fetch");
    }
    launch(t, "store", t->surface, t->desc.format == F32, out);
    store_model(t);
    if (t->bytes == 4 && t->desc.channels == 1) {
        launch(t, "load", t->surface, t->desc.format == F32, out);
        check_all(t, out, 0, "load");
    }
    if (!(t->desc.flags & CUBEMAP)) {
        launch(t, "fetch", t->texture, t->number, out);
        check_all(t, out, t->first_layer, "fetch after a store");
    }
    copy_random_box(t, 0);
    copy_whole(t, 0);
    CALL(cuTexObjectDestroy(t->texture));
    CALL(cuSurfObjectDestroy(t->surface));
    CALL(t->mipmap ? cuMipmappedArrayDestroy(t->mipmap) : cuArrayDestroy(t->array));
    CALL(cuMemFree_v2(t->out));
}

int main(int argc, char **argv)
{
    static struct test t;
    void *context;
    (void)argc;
    seed = strtoull(argv[2], NULL, 10);
    CALL(cuInit(0));
    CALL(cuDevicePrimaryCtxRetain(&context, 0));
    CALL(cuCtxSetCurrent(context));
    CALL(cuModuleLoad(&t.module, argv[1]));
    t.log = argv[4] ? fopen(argv[4], "w") : NULL;
    for (int i = atoi(argv[3]); i; i--)
        run_case(&t);
    if (t.log)
        fclose(t.log);
    puts(t.failures ? "FAILED" : "PASSED");
    return t.failures != 0;
}
