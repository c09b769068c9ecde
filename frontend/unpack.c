#include "frontend/container.h"
#include <assert.h>
#include <lz4.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    LZ4_MAX = 255,     // extends a match by up to this many bytes per byte
    ZSTD_MAX = 1000,   // our own limit; PTX compresses by a factor of 10 to 50
    SLACK = 128 << 10, // for blocks shorter than one step
};

static const struct {
    const char *name;
    uint32_t max; // unpacked bytes per packed byte
} packings[PACKINGS] = {
    [PACKING_NONE] = {"none", 1},
    [PACKING_LZ4] = {"lz4", LZ4_MAX},
    [PACKING_ZSTD] = {"zstd", ZSTD_MAX},
    [PACKING_OLD] = {"old", 0},
};

const char *packing_name(enum packing packing)
{
    return packings[packing].name;
}

uint64_t unpack_max(enum packing packing, uint64_t packed)
{
    uint64_t max;
    if (__builtin_mul_overflow(packed, (uint64_t)packings[packing].max, &max) ||
        __builtin_add_overflow(max, (uint64_t)SLACK, &max))
        return UINT64_MAX;
    return max;
}

static const char *unpack_lz4(const char *from, size_t packed, char *to, size_t size)
{
    int got = LZ4_decompress_safe(from, to, (int)packed, (int)size);
    // LZ4 does not distinguish these two errors.
    if (got < 0)
        return "is damaged, or unpacks to more bytes than it claims";
    return (size_t)got == size ? NULL : "unpacks to fewer bytes than it claims";
}

static const char *zstd_fault(ZSTD_ErrorCode code)
{
    switch (code) {
    case ZSTD_error_dstSize_tooSmall: return "unpacks to more bytes than it claims";
    case ZSTD_error_memory_allocation: return "needs more memory than is available";
    default: return "is damaged";
    }
}

static const char *unpack_zstd(const char *from, size_t packed, char *to, size_t size)
{
    size_t got = ZSTD_decompress(to, size, from, packed);
    if (ZSTD_isError(got))
        return zstd_fault(ZSTD_getErrorCode(got));
    return got == size ? NULL : "unpacks to fewer bytes than it claims";
}

const char *unpack(enum packing packing, const char *from, size_t packed, char *to, size_t size)
{
    assert(packed <= INT32_MAX && size <= INT32_MAX);
    if (packing == PACKING_LZ4)
        return unpack_lz4(from, packed, to, size);
    if (packing == PACKING_ZSTD)
        return unpack_zstd(from, packed, to, size);
    return "is packed in an unsupported format";
}
