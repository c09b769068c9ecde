// Works of the driver that wait for a word in memory, or write one. The word is in device memory,
// or in host memory that kernels can access.
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/work.h"
#include <string.h>

enum cuda_word_condition { WORD_AT_LEAST, WORD_EQUAL, WORD_AND, WORD_NOR, WORD_CONDITIONS };
enum { WORD_FLUSH = 1 << 30 }; // flag about writes of other devices on the bus: no effect

struct staged_word {
    struct cuda_word word;
    uint8_t *at;
};

static uint64_t read_word(const struct staged_word *staged)
{
    uint64_t value = 0;
    memcpy(&value, staged->at, staged->word.bytes);
    return value;
}

// "At least" is cyclic: the difference as a signed number is at least 0.
static bool holds(const void *context)
{
    const struct staged_word *staged = context;
    uint64_t is = read_word(staged), value = staged->word.value;
    uint64_t all = staged->word.bytes == 4 ? UINT32_MAX : UINT64_MAX;
    switch (staged->word.condition) {
    case WORD_AT_LEAST: return !((is - value) & (all / 2 + 1));
    case WORD_EQUAL: return is == value;
    case WORD_AND: return is & value;
    default: return ~(is | value) & all;
    }
}

static void write_word(void *context)
{
    const struct staged_word *staged = context;
    memcpy(staged->at, &staged->word.value, staged->word.bytes);
}

int word_run(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_word *word)
{
    struct device *device = cuda_memory_gpu(cuda, word->address)->device;
    struct staged_word *staged = ARENA_NEW(&cuda->staging.arena, struct staged_word);
    *staged = (struct staged_word){
        *word, word->waits ? device_at(device, word->address, word->bytes)
                           : device_at_written(device, word->address, word->bytes)};
    if (!staged->at || word->address % word->bytes)
        return cudaErrorInvalidValue;
    if (word->waits)
        host_wait_until(&stream->on, holds, staged);
    else
        host_call(&stream->on, write_word, staged);
    return cudaSuccess;
}

static int issue(struct cuda *cuda, void *handle, struct cuda_word word, unsigned flags)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    word.condition = flags & ~(unsigned)WORD_FLUSH;
    if (word.bytes == 4)
        word.value &= UINT32_MAX;
    if (word.waits && word.condition >= WORD_CONDITIONS)
        return cudaErrorInvalidValue;
    struct cuda_work work = {.kind = WORK_WORD, .word = word};
    return stream ? work_issue(cuda, stream, &work) : error;
}

CUDA_API(cuStreamWaitValue32, void *stream, uint64_t at, uint32_t value, unsigned flags)
{
    return CUDA_DO(issue(cuda, stream, (struct cuda_word){at, value, 4, true, 0}, flags));
}

CUDA_API(cuStreamWaitValue64, void *stream, uint64_t at, uint64_t value, unsigned flags)
{
    return CUDA_DO(issue(cuda, stream, (struct cuda_word){at, value, 8, true, 0}, flags));
}

CUDA_API(cuStreamWriteValue32, void *stream, uint64_t at, uint32_t value, unsigned flags)
{
    return CUDA_DO(issue(cuda, stream, (struct cuda_word){at, value, 4, false, 0}, flags));
}

CUDA_API(cuStreamWriteValue64, void *stream, uint64_t at, uint64_t value, unsigned flags)
{
    return CUDA_DO(issue(cuda, stream, (struct cuda_word){at, value, 8, false, 0}, flags));
}

static int issue_batch(struct cuda *cuda, void *stream, unsigned count,
                       const struct driver_word *list)
{
    enum { WAIT_32 = 1, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER };
    int error = cuda_begin(cuda);
    for (unsigned i = 0; i < count && !error; i++) {
        int kind = list[i].operation;
        bool is_long = kind == WAIT_64 || kind == WRITE_64;
        struct cuda_word word = {list[i].address, list[i].value, is_long ? 8 : 4,
                                 kind == WAIT_32 || kind == WAIT_64, 0};
        if (kind == FLUSH || kind == BARRIER)
            continue; // works of a stream are in order
        error = kind < WAIT_32 || kind > BARRIER ? cudaErrorInvalidValue
                                                 : issue(cuda, stream, word, list[i].flags);
    }
    return error;
}

CUDA_API(cuStreamBatchMemOp, void *stream, unsigned count, const struct driver_word *list,
         unsigned flags)
{
    CUDA_NEEDS(list || !count);
    (void)flags;
    return CUDA_DO(issue_batch(cuda, stream, count, list));
}
