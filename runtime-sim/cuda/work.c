#include "runtime-sim/cuda/work.h"
#include "runtime-sim/cuda/executor.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/record.h"
#include "runtime-sim/cuda/threads.h"
#include <string.h>

enum {
    MAX_QUEUED = 4096,        // number of queued works at which all are run
    MAX_STAGED = 256 << 20,   // bytes of host data at which all works are run
    USUAL_SHARED = 48 * 1024, // limit of a kernel without the attribute
};

// Launches

static int error_of_refusal(struct cuda *cuda, const struct cuda_launch *launch,
                            const struct launch_refusal *refusal)
{
    switch (refusal->rule) {
    case LAUNCH_EXECUTABLE:
        if (!launch->function->refused)
            cuda->front->refuse(cuda->front->context, launch->function->entry,
                                launch->function->name);
        launch->function->refused = true;
        return cudaErrorNotSupported;
    case LAUNCH_GRID_RESIDENT: return cudaErrorCooperativeLaunchTooLarge;
    case LAUNCH_BLOCK_MAX:
    case LAUNCH_BLOCK_REQUIRED: return cudaErrorLaunchOutOfResources;
    case LAUNCH_CLUSTER_REQUIRED:
    case LAUNCH_CLUSTER_SIZE:
    case LAUNCH_GRID_CLUSTERS: return cudaErrorInvalidClusterSize;
    case LAUNCH_SHARED_SIZE:
    case LAUNCH_SHARED_TOTAL:
    case LAUNCH_PARAMETER_BYTES: return cudaErrorInvalidValue;
    default: return cudaErrorInvalidConfiguration;
    }
}

static bool fits_machine(struct cuda *cuda, const struct device_launch *prepared,
                         const char *kernel)
{
    struct fault fault = {0};
    struct machine_launch launch = {.launch = prepared->launch};
    if (!cuda->gpu->timed || !device_is_timed(cuda->gpu->device, prepared) ||
        machine_fits(cuda->gpu->timed->machine, &launch, &fault))
        return true;
    cuda->front->unfit(cuda->front->context, kernel, &fault);
    return false;
}

static int run_launch(struct cuda *cuda, struct cuda_stream *stream,
                      const struct cuda_launch *launch)
{
    int error;
    cuda->gpu = launch->gpu;
    const struct program_function *entry = function_entry(cuda, launch->function, &error);
    if (!entry)
        return error;
    if (launch->shared && entry->shared_bytes + launch->shared > USUAL_SHARED &&
        launch->shared > (uint64_t)launch->function->max_shared)
        return cudaErrorInvalidValue;
    struct launch_request request = {.kernel = entry,
                                     .shared = launch->shared,
                                     .cooperative = launch->cooperative,
                                     .parameters = launch->parameters,
                                     .parameter_bytes = launch->parameter_bytes};
    memcpy(request.grid, launch->grid, sizeof request.grid);
    memcpy(request.block, launch->block, sizeof request.block);
    memcpy(request.cluster, launch->cluster, sizeof request.cluster);
    struct launch_refusal refusal;
    struct device_launch *prepared = device_prepare(cuda->gpu->device, &request, &refusal);
    if (!prepared)
        return error_of_refusal(cuda, launch, &refusal);
    if (!fits_machine(cuda, prepared, launch->function->name))
        return cudaErrorLaunchOutOfResources;
    if (cuda->recorded) { // this waits, which frees the prepared launch
        record_launch(cuda, launch, entry);
        prepared = device_prepare(cuda->gpu->device, &request, &refusal);
    }
    host_launch(&stream->on, prepared);
    if (cuda->recorded)
        record_launched(cuda);
    return cudaSuccess;
}

// Copies

static bool is_contiguous(const struct cuda_copy *copy)
{
    bool rows =
        copy->height == 1 || (copy->to.pitch == copy->width && copy->from.pitch == copy->width);
    uint64_t plane = copy->width * copy->height;
    return rows && (copy->depth == 1 || (copy->to.slice == plane && copy->from.slice == plane));
}

// Returns the source of a copy that the host executes later. Pageable memory is copied now.
static const uint8_t *keep_bytes(struct cuda *cuda, const uint8_t *from, uint64_t bytes)
{
    if (cuda_memory_at(cuda, (uintptr_t)from))
        return from;
    cuda->staging.bytes += bytes;
    return memcpy(arena_alloc(&cuda->staging.arena, bytes + 1), from, bytes);
}

static int copy_piece(struct cuda *cuda, struct cuda_stream *stream, struct host_copy copy,
                      bool waits)
{
    struct device_result result;
    bool enqueued;
    if (!waits && copy.data_from)
        copy.data_from = keep_bytes(cuda, copy.data_from, copy.bytes);
    if (!waits)
        return host_copy(&stream->on, &copy) ? cudaSuccess : cudaErrorInvalidValue;
    enum device_end end = host_copy_now(&stream->on, &copy, &enqueued, &result);
    int error = cuda_waited(cuda, end, &result);
    return enqueued ? error : cudaErrorInvalidValue;
}

// Rows that are not contiguous cross the link together as one piece: they are gathered on one side
// and scattered on the other.
struct staged_rows {
    struct cuda_copy copy;
    uint8_t *to, *from; // first row of each side
    uint8_t *piece;
    bool collects;
};

static void move_rows(void *context)
{
    const struct staged_rows *rows = context;
    const struct cuda_copy *copy = &rows->copy;
    uint8_t *piece = rows->piece;
    for (uint64_t z = 0; z < copy->depth; z++)
        for (uint64_t y = 0; y < copy->height; y++, piece += copy->width)
            if (rows->collects)
                memcpy(piece, rows->from + z * copy->from.slice + y * copy->from.pitch,
                       copy->width);
            else
                memcpy(rows->to + z * copy->to.slice + y * copy->to.pitch, piece, copy->width);
}

static uint64_t span_of(const struct cuda_copy *copy, const struct cuda_side *side)
{
    return (copy->depth - 1) * side->slice + (copy->height - 1) * side->pitch + copy->width;
}

static uint8_t *address_of(struct cuda *cuda, const struct cuda_copy *copy,
                           const struct cuda_side *side, bool writes)
{
    uint64_t span = span_of(copy, side);
    if (!side->on_device)
        return side->host;
    struct device *device = cuda_memory_gpu(cuda, side->address)->device;
    return writes ? device_at_written(device, side->address, span)
                  : device_at(device, side->address, span);
}

// Allocates memory for a piece on the device of this side. Returns an error.
static int allocate_piece(struct cuda *cuda, const struct cuda_side *side, uint64_t bytes,
                          uint64_t *address)
{
    struct cuda_gpu *gpu = cuda->gpu;
    if (side->on_device)
        cuda->gpu = cuda_memory_gpu(cuda, side->address);
    int error = cuda_memory_allocate(cuda, KIND_DEVICE, bytes, address);
    cuda->gpu = gpu;
    return error;
}

static bool is_between_devices(struct cuda *cuda, const struct cuda_copy *copy)
{
    return copy->to.on_device && copy->from.on_device &&
           cuda_memory_gpu(cuda, copy->to.address) != cuda_memory_gpu(cuda, copy->from.address);
}

static uint8_t *piece_at(struct cuda *cuda, uint64_t address, uint64_t bytes)
{
    return device_at(cuda_memory_gpu(cuda, address)->device, address, bytes);
}

static int copy_rows(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_copy *copy)
{
    uint64_t bytes = copy->width * copy->height * copy->depth, address, other;
    bool is_between = is_between_devices(cuda, copy);
    struct staged_rows *collect = ARENA_NEW(&cuda->staging.arena, struct staged_rows);
    struct staged_rows *distribute = ARENA_NEW(&cuda->staging.arena, struct staged_rows);
    *collect = (struct staged_rows){.copy = *copy, .collects = true};
    collect->to = address_of(cuda, copy, &copy->to, true);
    collect->from = address_of(cuda, copy, &copy->from, false);
    int error =
        collect->to && collect->from
            ? allocate_piece(cuda, copy->from.on_device ? &copy->from : &copy->to, bytes, &address)
            : cudaErrorInvalidValue;
    if (!error && is_between)
        error = allocate_piece(cuda, &copy->to, bytes, &other);
    if (error)
        return error;
    uint8_t *on_device = piece_at(cuda, address, bytes);
    uint8_t *on_host = arena_alloc(&cuda->staging.arena, bytes + 1);
    bool reads_host = !copy->from.on_device;
    cuda->staging.bytes += bytes;
    *distribute = *collect;
    distribute->collects = false;
    collect->piece = reads_host ? on_host : on_device;
    distribute->piece = is_between           ? piece_at(cuda, other, bytes)
                        : copy->to.on_device ? on_device
                                             : on_host;
    if (reads_host)
        move_rows(collect);
    else
        host_call(&stream->on, move_rows, collect);
    // A copy within the device crosses no link: the rows move within the piece.
    struct host_copy piece = {.to = is_between           ? other
                                    : copy->to.on_device ? address
                                                         : 0,
                              .from = reads_host ? 0 : address,
                              .bytes = bytes,
                              .data_to = copy->to.on_device ? NULL : on_host,
                              .data_from = reads_host ? on_host : NULL};
    host_copy(&stream->on, &piece);
    host_call(&stream->on, move_rows, distribute);
    cuda_memory_free_later(cuda, address);
    if (is_between)
        cuda_memory_free_later(cuda, other);
    return copy->waits ? cuda_synchronise(cuda) : cudaSuccess;
}

// Copies within the host are not simulated.
static int copy_on_host(struct cuda *cuda, const struct cuda_copy *copy)
{
    int error = cuda_synchronise(cuda); // earlier works may write the source
    for (uint64_t z = 0; z < copy->depth; z++)
        for (uint64_t y = 0; y < copy->height; y++)
            memmove(copy->to.host + z * copy->to.slice + y * copy->to.pitch,
                    copy->from.host + z * copy->from.slice + y * copy->from.pitch, copy->width);
    return error;
}

static void note_writes(struct cuda *cuda, const struct cuda_copy *copy)
{
    if (cuda->recorded && copy->to.on_device)
        record_write(cuda);
}

// Returns false if the side exceeds its allocation, even if padding for kernels follows it.
static bool is_inside(struct cuda *cuda, const struct cuda_copy *copy, const struct cuda_side *side)
{
    const struct cuda_memory *memory = side->on_device ? cuda_memory_at(cuda, side->address) : NULL;
    return !memory || span_of(copy, side) <= memory->address + memory->bytes - side->address;
}

static int run_copy(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_copy *copy)
{
    if (!copy->width || !copy->height || !copy->depth)
        return cudaSuccess;
    if (!is_inside(cuda, copy, &copy->to) || !is_inside(cuda, copy, &copy->from))
        return cudaErrorInvalidValue;
    note_writes(cuda, copy);
    if (!copy->to.on_device && !copy->from.on_device)
        return copy_on_host(cuda, copy);
    if (!is_contiguous(copy))
        return copy_rows(cuda, stream, copy);
    struct host_copy piece = {.to = copy->to.address,
                              .from = copy->from.address,
                              .bytes = copy->width * copy->height * copy->depth,
                              .data_to = copy->to.host,
                              .data_from = copy->from.host,
                              .mark = copy->mark};
    return copy_piece(cuda, stream, piece, copy->waits);
}

// Sets

// Returns true if all bytes of the value are equal.
static bool is_byte(const struct cuda_set *set)
{
    const uint8_t *bytes = (const uint8_t *)&set->value;
    for (uint32_t i = 1; i < set->element; i++)
        if (bytes[i] != bytes[0])
            return false;
    return true;
}

static bool set_row(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_set *set,
                    uint64_t to, uint64_t bytes)
{
    if (is_byte(set))
        return host_set(&stream->on, to, (uint8_t)set->value, bytes);
    uint8_t *values = arena_alloc(&cuda->staging.arena, bytes + 1);
    cuda->staging.bytes += bytes;
    for (uint64_t i = 0; i + set->element <= bytes; i += set->element)
        memcpy(values + i, &set->value, set->element);
    return host_copy(&stream->on,
                     &(struct host_copy){.to = to, .bytes = bytes, .data_from = values});
}

// Sets shared host memory in the same way as device memory.
static int run_set(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_set *from)
{
    struct cuda_set set = *from;
    if (!set.width || !set.height || !set.depth)
        return cudaSuccess;
    if (cuda->recorded)
        record_write(cuda);
    if (set.height == 1 || set.pitch == set.width) {
        set.width *= set.height;
        set.height = 1;
    }
    for (uint64_t z = 0; z < set.depth; z++)
        for (uint64_t y = 0; y < set.height; y++)
            if (!set_row(cuda, stream, &set, set.to + z * set.slice + y * set.pitch, set.width))
                return cudaErrorInvalidValue;
    return cudaSuccess;
}

// Functions of the host

struct staged_call {
    struct cuda *cuda;
    struct cuda_call call;
};

static void do_call(void *context)
{
    const struct staged_call *staged = context;
    struct cuda_call call = staged->call;
    if (call.callback)
        call.callback(call.stream, staged->cuda->status.sticky, call.context);
    else
        call.function(call.context);
}

static int run_call(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_call *call)
{
    struct staged_call *staged = ARENA_NEW(&cuda->staging.arena, struct staged_call);
    *staged = (struct staged_call){cuda, *call};
    host_call_program(&stream->on, do_call, staged);
    return cudaSuccess;
}

static int run_one(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work)
{
    switch (work->kind) {
    case WORK_LAUNCH: return run_launch(cuda, stream, &work->launch);
    case WORK_COPY: return run_copy(cuda, stream, &work->copy);
    case WORK_SET: return run_set(cuda, stream, &work->set);
    case WORK_CALL: return run_call(cuda, stream, &work->call);
    case WORK_RECORD:
        host_record(&stream->on, &work->event->at);
        work->event->recorded = true;
        return cudaSuccess;
    case WORK_WAIT: host_wait(&stream->on, &work->event->at); return cudaSuccess;
    case WORK_GRAPH: return graph_run(cuda, work->graph, stream);
    case WORK_WORD: return word_run(cuda, stream, &work->word);
    case WORK_CONDITION: return graph_run_condition(cuda, &work->condition, stream);
    default: return cudaSuccess;
    }
}

int work_run(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work)
{
    if (threads_is_calling())
        return cudaErrorNotPermitted;
    if (cuda->status.fault)
        return cudaSuccess; // as on a GPU, a later wait returns the error
    struct cuda_gpu *gpu = cuda->gpu;
    cuda->gpu = stream->gpu;
    int error = run_one(cuda, stream, work);
    cuda->gpu = gpu;
    if (work->kind != WORK_COPY || !work->copy.waits)
        executor_wake(cuda);
    if (cuda->host.calls - cuda->staging.first >= MAX_QUEUED || cuda->staging.bytes >= MAX_STAGED)
        cuda_synchronise(cuda);
    return error;
}

int work_issue(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work)
{
    int error = cuda_begin(cuda);
    if (error)
        return error;
    if (stream->capturing)
        return graph_capture(cuda, stream, work);
    return work_run(cuda, stream, work);
}
