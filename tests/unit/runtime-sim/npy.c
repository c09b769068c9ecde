// .npy files: a written file reads back, and damage is reported with its place.
#include "runtime-sim/run/npy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct memory memory;
static struct arena arena;

static int setup(void **state)
{
    (void)state;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    assert_int_equal(memory.bytes, 0);
    return 0;
}

static void round_trip(void **state)
{
    (void)state;
    static const uint64_t shapes[][3] = {{6}, {2, 3}, {1, 2, 3}};
    unsigned char values[48];
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (unsigned char)(7 * i + 1);
    for (const struct scalar *type = scalars; type->name; type++)
        for (uint32_t dimensions = 0; dimensions <= 3; dimensions++) {
            char *bytes;
            size_t size;
            struct npy npy;
            FILE *to = open_memstream(&bytes, &size);
            npy_write(to, type, shapes[dimensions ? dimensions - 1 : 0], dimensions, values, 6,
                      false);
            fclose(to);
            assert_null(npy_read(&npy, &arena, bytes, size));
            assert_int_equal(npy.count, 6);
            assert_int_equal(npy.dimensions, dimensions ? dimensions : 1);
            assert_int_equal(npy.shape[npy.dimensions - 1], dimensions < 2 ? 6 : 3);
            assert_int_equal((npy.data - bytes) % 64, 0);
            assert_memory_equal(npy.data, values, 6 * type->bytes);
            assert_true(npy_fits(&npy, type));
            free(bytes);
        }
}

// As numpy writes it, byte by byte.
static void same_as_numpy(void **state)
{
    (void)state;
    static const char expected[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
        "                                                            \n"
        "\x00\x00\x80\x3f\x00\x00\x00\x40";
    float values[2] = {1, 2};
    char *bytes;
    size_t size;
    FILE *to = open_memstream(&bytes, &size);
    npy_write(to, scalar_find("f32", 3), NULL, 0, values, 2, false);
    fclose(to);
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

// A marked file reads back unchanged, and its mark is recognised.
static void marks(void **state)
{
    (void)state;
    for (int marked = 0; marked < 2; marked++) {
        struct npy npy;
        char *bytes;
        size_t size;
        uint64_t shape[2] = {2, 1};
        FILE *to = open_memstream(&bytes, &size);
        npy_write(to, scalar_find("f32", 3), shape, 2, "12345678", 2, marked);
        fclose(to);
        assert_int_equal(npy_is_marked(bytes, size), marked);
        assert_false(npy_is_marked(bytes, 20));
        assert_null(npy_read(&npy, &arena, bytes, size));
        assert_int_equal(npy.count, 2);
        assert_memory_equal(npy.data, "12345678", 8);
        free(bytes);
    }
}

// Reads a file with this header and `left` bytes of data, in format 1.0 or 2.0.
static const char *read_header(struct npy *npy, const char *header, size_t left, int format)
{
    size_t length = strlen(header), before = format == 1 ? 10 : 12;
    char *bytes = arena_alloc(&arena, before + length + left);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)format;
    bytes[8] = (char)length;
    memcpy(bytes + before, header, length);
    return npy_read(npy, &arena, bytes, before + length + left);
}

static void spellings(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t left, count;
    } rows[] = {
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", 12, 3},
        {"{\"shape\":(3,),\"descr\":\"<i4\",\"fortran_order\":False}\n", 12, 3},
        {"{'descr': '=i4', 'fortran_order': False, 'shape': ( 2 , 2 ), }", 16, 4},
        {"{'descr': 'i4', 'fortran_order': False, 'shape': (2, 0, 5), }", 0, 0},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (), }", 4, 1},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (1, 3), }", 12, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int format = 1; format <= 2; format++) {
            struct npy npy;
            const char *error = read_header(&npy, rows[i].header, rows[i].left, format);
            if (error)
                fail_msg("%s: %s", rows[i].header, error);
            assert_int_equal(npy.count, rows[i].count);
            assert_int_equal(npy.letter, 'i');
        }
}

static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *header, *error;
        size_t left;
    } rows[] = {
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (3,), }",
         "byte 21: big-endian values are not supported", 12},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }",
         "byte 21: values of type '<c8' are not supported", 24},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }",
         "byte 25: values of 16 bytes are not supported", 48},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }",
         "byte 67: the header declares 3 values of 4 bytes, and 11 bytes follow", 11},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }",
         "byte 67: the header declares 3 values of 4 bytes, and 13 bytes follow", 13},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2), }",
         "byte 68: the array is in Fortran order; numpy.ascontiguousarray converts it to C order",
         24},
        {"{'descr': '<i4', 'fortran_order': Maybe, 'shape': (3,), }",
         "byte 44: True or False is missing in the header", 12},
        {"{'descr': '<i4', 'shape': (3,), }",
         "byte 43: descr, fortran_order or shape is missing in the header", 12},
        {"{'descr': '<i4', 'order': False, 'shape': (3,), }",
         "byte 28: unknown key 'order' in the header", 12},
        {"{'shape': (3,), 'shape': (3,)}", "byte 27: a second 'shape' in the header", 12},
        {"{'shape': (4294967296, 4294967296, 1)}", "byte 43: the array has more than 2^64 elements",
         12},
        {"{'shape': (99999999999999999999,)}", "byte 40: a dimension has more than 64 bits", 12},
        {"{'shape': (-1,)}", "byte 21: a number is missing in the header", 12},
        {"[1]", "byte 10: '{' is missing in the header", 12},
        {"{'descr': [('a', '<i4')]}", "byte 20: records are not supported", 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct npy npy;
        const char *error = read_header(&npy, rows[i].header, rows[i].left, 1);
        assert_non_null(error);
        assert_string_equal(error, rows[i].error);
    }
}

// A truncated file is rejected, and one with a changed byte is never read beyond its end.
static void damage(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    float values[3] = {1, 2, 3};
    FILE *to = open_memstream(&bytes, &size);
    npy_write(to, scalar_find("f32", 3), NULL, 0, values, 3, false);
    fclose(to);
    for (size_t length = 0; length < size; length++) {
        struct npy npy;
        char *cut = malloc(length ? length : 1); // so that sanitizers see its end
        memcpy(cut, bytes, length);
        assert_non_null(npy_read(&npy, &arena, cut, length));
        free(cut);
    }
    for (size_t at = 0; at < size - sizeof values; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct npy npy;
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            if (!npy_read(&npy, &arena, bytes, size))
                assert_true(npy.data + npy.count * npy.bytes == bytes + size);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
        }
    free(bytes);
}

static void types(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *fits, *name;
    } rows[] = {
        {"<i4", "s32 b32", "int32"},   {"<u4", "u32 b32", "uint32"},
        {"<f4", "f32 b32", "float32"}, {"|u1", "u8 b8", "uint8"},
        {"|b1", "u8 b8", "uint8"},     {"<f2", "f16 b16 bf16", "float16"},
        {"<V2", "b16 bf16", "void16"}, {"<i8", "s64 b64", "int64"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct npy npy;
        char header[100];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (0,)}",
                 rows[i].descr);
        assert_null(read_header(&npy, header, 0, 1));
        assert_string_equal(npy_type(&npy, &arena), rows[i].name);
        for (const struct scalar *type = scalars; type->name; type++) {
            char words[40], word[10];
            snprintf(words, sizeof words, " %s ", rows[i].fits);
            snprintf(word, sizeof word, " %s ", type->name);
            assert_int_equal(npy_fits(&npy, type), strstr(words, word) != NULL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(same_as_numpy, setup, teardown),
        cmocka_unit_test_setup_teardown(marks, setup, teardown),
        cmocka_unit_test_setup_teardown(spellings, setup, teardown),
        cmocka_unit_test_setup_teardown(faults, setup, teardown),
        cmocka_unit_test_setup_teardown(damage, setup, teardown),
        cmocka_unit_test_setup_teardown(types, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
