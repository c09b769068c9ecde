// Fills buffers, and reads the data files that they are filled from or compared with.
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/npy.h"
#include "support/file.h"
#include "support/random.h"
#include <inttypes.h>
#include <string.h>

// Files

struct data_file {
    struct file_map map;
    struct npy npy;
    bool is_npy;
};

const uint8_t *data_bytes(const struct data_file *file)
{
    return (const uint8_t *)(file->is_npy ? file->npy.data : file->map.bytes);
}

void data_close(struct data_file *file)
{
    file_unmap(&file->map);
}

static struct data_file *open_file(struct run *run, const struct run_text *at, const char *path)
{
    struct data_file *file = ARENA_NEW(run->arena, struct data_file);
    const char *name = run_path(run, path);
    const char *error = file_map(run->arena, name, &file->map);
    if (error) {
        run_fault(run, at, "cannot read '%s': %s", name, error);
        return NULL;
    }
    run_note_input(run, name, file->map.bytes, file->map.size);
    file->is_npy = npy_is(file->map.bytes, file->map.size);
    size_t length = strlen(path);
    if (!file->is_npy && (length < 4 || strcmp(path + length - 4, ".npy")))
        return file;
    error = npy_read(&file->npy, run->arena, file->map.bytes, file->map.size);
    if (!error)
        return file;
    run_fault(run, at, "'%s': %s", name, error);
    data_close(file);
    return NULL;
}

static bool check_file(struct run *run, const struct run_text *at, const char *path,
                       const struct data_file *file, const struct run_buffer *buffer)
{
    uint64_t bytes = buffer->elements * buffer->type->bytes;
    if (!file->is_npy && file->map.size != bytes)
        run_fault(run, at, "'%s' has %zu bytes, but %" PRIu64 " of %s are %" PRIu64, path,
                  file->map.size, buffer->elements, buffer->type->name, bytes);
    else if (file->is_npy && !npy_fits(&file->npy, buffer->type))
        run_fault(run, at, "'%s' has values of type %s, but those of the buffer have type %s", path,
                  npy_type(&file->npy, run->arena), buffer->type->name);
    else if (file->is_npy && file->npy.count != buffer->elements)
        run_fault(run, at, "'%s' has %" PRIu64 " values, but the buffer %" PRIu64, path,
                  file->npy.count, buffer->elements);
    else
        return true;
    return false;
}

struct data_file *data_open(struct run *run, const struct run_text *at, const char *path,
                            const struct run_buffer *buffer)
{
    struct data_file *file = open_file(run, at, path);
    if (!file || check_file(run, at, path, file, buffer))
        return file;
    data_close(file);
    return NULL;
}

// Sizes

static const struct scalar *type_of(const struct npy *npy)
{
    for (const struct scalar *type = scalars; type->name; type++)
        if (type->npy == npy->letter && type->bytes == npy->bytes && type->name[0] != 'b')
            return type;
    return NULL;
}

static bool load_buffer(struct run *run, struct run_buffer *buffer)
{
    struct data_file *file = open_file(run, &buffer->fill.at, buffer->fill.path);
    if (!file)
        return false;
    if (file->is_npy) {
        if (!buffer->type)
            buffer->type = type_of(&file->npy);
        if (!buffer->count.expr)
            buffer->elements = file->npy.count;
        if (file->npy.count == buffer->elements) {
            buffer->dimensions = file->npy.dimensions;
            memcpy(buffer->shape, file->npy.shape, sizeof buffer->shape);
        }
    } else if (buffer->type && !buffer->count.expr) {
        buffer->elements = file->map.size / buffer->type->bytes;
    }
    data_close(file);
    return true;
}

static bool has_type(struct run *run, const struct run_buffer *buffer)
{
    if (!buffer->type && buffer->fill.kind == FILL_NPY)
        run_fault(run, &buffer->fill.at, "'%s' has values of a type that PTX does not have",
                  buffer->fill.path);
    else if (!buffer->type)
        run_fault(run, &buffer->at, "the buffer '%s' needs a type", buffer->name);
    return buffer->type;
}

bool fill_type(struct run *run, struct run_buffer *buffer)
{
    return (buffer->fill.kind != FILL_NPY || load_buffer(run, buffer)) && has_type(run, buffer);
}

bool fill_measure(struct run *run, struct run_buffer *buffer)
{
    int64_t count;
    bool from_file = buffer->fill.path, npy = buffer->fill.kind == FILL_NPY;
    if (!buffer->type && !npy)
        run_fault(run, &buffer->at, "the buffer '%s' needs a type", buffer->name);
    else if (!buffer->count.expr && !from_file)
        run_fault(run, &buffer->at, "the buffer '%s' needs a count", buffer->name);
    if ((!buffer->type && !npy) || (!buffer->count.expr && !from_file))
        return false;
    if (buffer->count.expr) {
        if (!run_integer(run, &buffer->count, 0, INT64_C(1) << 40, "the count", &count))
            return false;
        buffer->elements = (uint64_t)count;
    }
    if (from_file && !load_buffer(run, buffer))
        return false;
    return has_type(run, buffer);
}

// Patterns

static void store(const struct run_buffer *buffer, uint8_t *data, uint64_t element,
                  const struct host_number *number)
{
    uint32_t bytes = buffer->type->bytes;
    uint64_t bits = (uint64_t)number->integer;
    if (buffer->type->class == SCALAR_FLOAT)
        scalar_store(buffer->type, number, data + element * bytes);
    else
        memcpy(data + element * bytes, &bits, bytes); // truncated to the element's size
}

static bool fill_iota(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
                      uint8_t *data)
{
    (void)run;
    (void)fill;
    struct host_number number = {.kind = NUMBER_INTEGER};
    for (uint64_t i = 0; i < buffer->elements; i++) {
        number.integer = (int64_t)i;
        store(buffer, data, i, &number);
    }
    return true;
}

// Real numbers are fractions of 53 bits for f64, 24 for f32, 11 for f16 and 8 for bf16, so that all
// are below 1. Integers take the upper bits of the drawn number.
static bool fill_uniform(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
                         uint8_t *data)
{
    (void)run;
    uint64_t state = fill->seed;
    const struct scalar *type = buffer->type;
    int bits = type->bytes == 8 ? 53 : type->bytes == 4 ? 24 : type->npy == 'f' ? 11 : 8;
    struct host_number number = {.kind =
                                     type->class == SCALAR_FLOAT ? NUMBER_REAL : NUMBER_INTEGER};
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t drawn = splitmix64(&state);
        number.real = (double)(drawn >> (64 - bits)) / (double)(UINT64_C(1) << bits);
        number.integer = (int64_t)(drawn >> (64 - 8 * type->bytes));
        store(buffer, data, i, &number);
    }
    return true;
}

// Returns why the type cannot hold `end` - 1, the maximum of a range, or NULL.
static const char *below(const struct scalar *type, int64_t end, uint64_t *bits)
{
    struct host_number last = {.kind = NUMBER_INTEGER, .integer = (int64_t)((uint64_t)end - 1)};
    return end == INT64_MIN ? NULL : scalar_store(type, &last, bits);
}

static bool check_range(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
                        const struct host_number *low, const struct host_number *high)
{
    int64_t from, to;
    uint64_t bits;
    bool integers = buffer->type->class != SCALAR_FLOAT;
    const char *error = scalar_store(buffer->type, low, &bits);
    if (error)
        run_fault(run, &fill->low.at, "this is not a value of type %s: %s", buffer->type->name,
                  error);
    else if (integers && !number_integer(high, &to))
        run_fault(run, &fill->high.at, "this is not a value of type %s: it is not an integer",
                  buffer->type->name);
    else if (integers && (error = below(buffer->type, to, &bits)))
        run_fault(run, &fill->high.at, "there is no value of type %s just below this: %s",
                  buffer->type->name, error);
    else if (integers ? number_integer(low, &from) && from >= to
                      : !(number_real(low) < number_real(high)))
        run_fault(run, &fill->at, "the range is empty: its upper end is exclusive");
    else
        return true;
    return false;
}

static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

static bool fill_range(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
                       uint8_t *data)
{
    uint64_t state = fill->seed;
    struct host_number low, high, number;
    if (!run_value(run, &fill->low, &low) || !run_value(run, &fill->high, &high) ||
        !check_range(run, fill, buffer, &low, &high))
        return false;
    bool real = buffer->type->class == SCALAR_FLOAT;
    double from = number_real(&low), width = number_real(&high) - from;
    int64_t first = 0, behind = 0;
    if (!real)
        number_integer(&low, &first), number_integer(&high, &behind);
    uint64_t count = (uint64_t)behind - (uint64_t)first;
    number.kind = real ? NUMBER_REAL : NUMBER_INTEGER;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t drawn = splitmix64(&state);
        number.real = from + width * ((double)(drawn >> 11) * 0x1p-53);
        number.integer = (int64_t)((uint64_t)first + multiply_high(drawn, count));
        store(buffer, data, i, &number);
    }
    return true;
}

static bool fill_formula(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
                         uint8_t *data)
{
    struct run_name *index = &run->names.v[fill->index];
    struct host_number number;
    index->number.kind = NUMBER_INTEGER;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        index->number.integer = (int64_t)i;
        if (!run_value(run, &fill->formula, &number))
            return false;
        bool handle = number.kind == NUMBER_HANDLE;
        const char *error =
            number.kind == NUMBER_ADDRESS ? "it is an address"
            : handle && !scalar_holds_handle(buffer->type)
                ? "it is a texture's handle, which needs 64 bits"
                : scalar_store(buffer->type, &number, data + i * buffer->type->bytes);
        // -1 sets all bits of any integer type.
        if (error && number.kind == NUMBER_INTEGER && number.integer == -1) {
            memset(data + i * buffer->type->bytes, 0xff, buffer->type->bytes);
        } else if (error) {
            run_fault(run, &fill->formula.at, "element %" PRIu64 " is not of type %s: %s", i,
                      buffer->type->name, error);
            return false;
        }
    }
    return true;
}

static bool fill_from_file(struct run *run, const struct fill *fill,
                           const struct run_buffer *buffer, uint8_t *data)
{
    struct data_file *file = data_open(run, &fill->at, fill->path, buffer);
    if (!file)
        return false;
    memcpy(data, data_bytes(file), buffer->elements * buffer->type->bytes);
    data_close(file);
    return true;
}

static bool fill_zero(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
                      uint8_t *data)
{
    (void)run;
    (void)fill;
    memset(data, 0, buffer->elements * buffer->type->bytes);
    return true;
}

bool fill_do(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
             uint8_t *data)
{
    static bool (*const fills[])(struct run * run, const struct fill *fill,
                                 const struct run_buffer *buffer, uint8_t *data) = {
        [FILL_ZERO] = fill_zero,     [FILL_IOTA] = fill_iota,       [FILL_UNIFORM] = fill_uniform,
        [FILL_RANGE] = fill_range,   [FILL_FORMULA] = fill_formula, [FILL_NPY] = fill_from_file,
        [FILL_RAW] = fill_from_file,
    };
    return fills[fill->kind](run, fill, buffer, data);
}
