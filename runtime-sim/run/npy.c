// The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include "runtime-sim/run/npy.h"
#include <inttypes.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, BEFORE_HEADER_1 = 10, BEFORE_HEADER_2 = 12, ALIGNMENT = 64 };

bool npy_is(const char *bytes, size_t size)
{
    return size >= MAGIC && !memcmp(bytes, magic, MAGIC);
}

struct header {
    struct npy *npy;
    struct arena *arena;
    const char *bytes, *at, *end;
    unsigned seen; // bits of the keys seen
    bool fortran;
    const char *error;
};

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static bool fail(struct header *h, const char *what)
{
    if (!h->error)
        h->error = arena_printf(h->arena, "byte %td: %s", h->at - h->bytes, what);
    return false;
}

static void skip_blanks(struct header *h)
{
    while (h->at < h->end && strchr(" \t\r\n", *h->at) && *h->at)
        h->at++;
}

static bool accept_token(struct header *h, const char *token)
{
    size_t length = strlen(token);
    skip_blanks(h);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, token, length))
        return false;
    h->at += length;
    return true;
}

static bool expect(struct header *h, const char *token)
{
    return accept_token(h, token) ||
           fail(h, arena_printf(h->arena, "'%s' is missing in the header", token));
}

// Reads a string. Returns its length, or 0 after an error.
static size_t parse_string(struct header *h, const char **text)
{
    skip_blanks(h);
    char quote = h->at < h->end ? *h->at : 0;
    const char *close = quote == '\'' || quote == '"'
                            ? memchr(h->at + 1, quote, (size_t)(h->end - h->at - 1))
                            : NULL;
    if (!close || close == h->at + 1) {
        fail(h, "a string is missing in the header");
        return 0;
    }
    *text = h->at + 1;
    h->at = close + 1;
    return (size_t)(close - *text);
}

static bool parse_number(struct header *h, uint64_t *value)
{
    const char *from = h->at;
    *value = 0;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*h->at - '0'), value))
            return fail(h, "a dimension has more than 64 bits");
    return h->at > from || fail(h, "a number is missing in the header");
}

// Reads a type such as '<f4', '|u1' or '=i8'; '>' is big endian.
static bool parse_descr(struct header *h)
{
    const char *text, *from;
    uint64_t bytes;
    skip_blanks(h);
    from = h->at;
    size_t length = parse_string(h, &text);
    if (!length)
        return from < h->end && *from == '['
                   ? (h->error = NULL, fail(h, "records are not supported"))
                   : false;
    const char *behind = h->at;
    h->at = text;
    bool ordered = memchr("<>|=", *text, 4);
    if (*text == '>')
        return fail(h, "big-endian values are not supported");
    if (length < (ordered ? 3u : 2u) || !memchr("iufbV", text[ordered], 5))
        return fail(h, arena_printf(h->arena, "values of type '%.*s' are not supported",
                                    (int)length, text));
    h->npy->letter = text[ordered] == 'b' ? 'u' : text[ordered];
    h->at = text + ordered + 1;
    if (!parse_number(h, &bytes) || h->at != text + length)
        return fail(h, "the type is unknown");
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return fail(h,
                    arena_printf(h->arena, "values of %" PRIu64 " bytes are not supported", bytes));
    h->npy->bytes = (uint32_t)bytes;
    h->at = behind;
    return true;
}

static bool parse_order(struct header *h)
{
    h->fortran = accept_token(h, "True");
    return h->fortran || accept_token(h, "False") ||
           fail(h, "True or False is missing in the header");
}

static bool parse_shape(struct header *h)
{
    struct npy *npy = h->npy;
    npy->count = 1;
    if (!expect(h, "("))
        return false;
    while (!accept_token(h, ")")) {
        uint64_t *length = &npy->shape[npy->dimensions];
        if (npy->dimensions == NPY_DIMENSIONS)
            return fail(h, "the array has more than 32 dimensions");
        skip_blanks(h);
        if (!parse_number(h, length))
            return false;
        npy->dimensions++;
        if (__builtin_mul_overflow(npy->count, *length, &npy->count))
            return fail(h, "the array has more than 2^64 elements");
        if (!accept_token(h, ",") && !(h->at < h->end && *h->at == ')'))
            return fail(h, "',' or ')' is missing in the header");
    }
    return true;
}

static const struct {
    const char *name;
    unsigned bit;
    bool (*parse)(struct header *h);
} keys[] = {
    {"descr", KEY_DESCR, parse_descr},
    {"fortran_order", KEY_ORDER, parse_order},
    {"shape", KEY_SHAPE, parse_shape},
};

static bool parse_entry(struct header *h)
{
    const char *key;
    size_t length = parse_string(h, &key);
    if (!length || !expect(h, ":"))
        return false;
    const char *value = h->at;
    h->at = key; // the place of errors about the key
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        if (strlen(keys[i].name) != length || memcmp(keys[i].name, key, length))
            continue;
        if (h->seen & keys[i].bit)
            return fail(h, arena_printf(h->arena, "a second '%s' in the header", keys[i].name));
        h->seen |= keys[i].bit;
        h->at = value;
        return keys[i].parse(h);
    }
    return fail(h, arena_printf(h->arena, "unknown key '%.*s' in the header", (int)length, key));
}

static bool parse_header(struct header *h)
{
    if (!expect(h, "{"))
        return false;
    while (!accept_token(h, "}")) {
        if (!parse_entry(h))
            return false;
        skip_blanks(h);
        if (!accept_token(h, ",") && !(h->at < h->end && *h->at == '}'))
            return fail(h, "',' or '}' is missing in the header");
    }
    skip_blanks(h);
    if (h->at < h->end)
        return fail(h, "the header exceeds its length");
    return h->seen == KEY_ALL || fail(h, "descr, fortran_order or shape is missing in the header");
}

// Finds the start and end of the header. Returns false if the file is too short.
static bool find_header(struct header *h, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)h->bytes;
    if (size < BEFORE_HEADER_2)
        return fail(h, "the file ends within its first 12 bytes");
    h->at = h->bytes + MAGIC;
    if ((bytes[6] != 1 && bytes[6] != 2) || bytes[7])
        return fail(h, arena_printf(h->arena, "format %u.%u is not supported: expected 1.0 or 2.0",
                                    bytes[6], bytes[7]));
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    size_t begin = BEFORE_HEADER_1;
    h->at = h->bytes + 8;
    if (bytes[6] == 2) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        begin = BEFORE_HEADER_2;
    }
    if (length > size - begin)
        return fail(h, "the file ends within the header");
    h->at = h->bytes + begin;
    h->end = h->at + length;
    return true;
}

static bool check_size(struct header *h, size_t size)
{
    struct npy *npy = h->npy;
    size_t left = size - (size_t)(h->end - h->bytes);
    uint64_t needed;
    npy->data = h->end;
    h->at = h->end;
    // The storage order only matters if several dimensions have more than one element.
    uint32_t wide = 0;
    for (uint32_t i = 0; i < npy->dimensions; i++)
        wide += npy->shape[i] > 1;
    if (h->fortran && wide > 1)
        return fail(h, "the array is in Fortran order; numpy.ascontiguousarray converts it to C "
                       "order");
    if (__builtin_mul_overflow(npy->count, npy->bytes, &needed) || needed != left)
        return fail(h, arena_printf(h->arena,
                                    "the header declares %" PRIu64 " values of %u bytes, and %zu "
                                    "bytes follow",
                                    npy->count, npy->bytes, left));
    return true;
}

// Endings of headers. Readers skip blanks, and no other writer emits two.
static const char plain_end[] = ", }", marked_end[] = ",  }";

bool npy_is_marked(const char *bytes, size_t size)
{
    if (!npy_is(bytes, size) || size < BEFORE_HEADER_1)
        return false;
    size_t length = (unsigned char)bytes[8] | (size_t)(unsigned char)bytes[9] << 8;
    if (length > size - BEFORE_HEADER_1)
        length = size - BEFORE_HEADER_1;
    return memmem(bytes + BEFORE_HEADER_1, length, marked_end, strlen(marked_end));
}

const char *npy_read(struct npy *npy, struct arena *arena, const char *bytes, size_t size)
{
    struct header header = {.npy = npy, .arena = arena, .bytes = bytes, .at = bytes};
    *npy = (struct npy){0};
    if (!npy_is(bytes, size))
        fail(&header, "this is not a .npy file");
    else if (find_header(&header, size) && parse_header(&header))
        check_size(&header, size);
    return header.error;
}

bool npy_fits(const struct npy *npy, const struct scalar *type)
{
    if (npy->bytes != type->bytes)
        return false;
    bool any = type->name[0] == 'b'; // b8 … b64, and bf16, which .npy does not define
    return any || npy->letter == type->npy;
}

const char *npy_type(const struct npy *npy, struct arena *arena)
{
    const char *name = npy->letter == 'i'   ? "int"
                       : npy->letter == 'u' ? "uint"
                       : npy->letter == 'f' ? "float"
                                            : "void";
    return arena_printf(arena, "%s%u", name, 8 * npy->bytes);
}

void npy_write(FILE *to, const struct scalar *type, const uint64_t *shape, uint32_t dimensions,
               const void *data, uint64_t count, bool marked)
{
    char header[ALIGNMENT * 16];
    int length =
        snprintf(header, sizeof header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                 type->bytes == 1 ? '|' : '<', type->npy, type->bytes);
    for (uint32_t i = 0; i < dimensions; i++)
        length += snprintf(header + length, sizeof header - (size_t)length, "%s%" PRIu64,
                           i ? ", " : "", shape[i]);
    if (!dimensions)
        length += snprintf(header + length, sizeof header - (size_t)length, "%" PRIu64, count);
    length += snprintf(header + length, sizeof header - (size_t)length, "%s)%s",
                       dimensions > 1 ? "" : ",", marked ? marked_end : plain_end);
    while ((BEFORE_HEADER_1 + length + 1) % ALIGNMENT)
        header[length++] = ' ';
    header[length++] = '\n';
    unsigned char before[BEFORE_HEADER_1] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    fwrite(before, 1, sizeof before, to);
    fwrite(header, 1, (size_t)length, to);
    fwrite(data, type->bytes, count, to);
}
