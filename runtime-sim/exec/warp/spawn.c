#include "runtime-sim/exec/warp/spawn.h"
#include "runtime-sim/exec/memory/heap.h"
#include "runtime-sim/exec/warp/builtin.h"
#include <string.h>

// Errors of CUDA.
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    MEMORY_ALLOCATION = 2,
    INVALID_CONFIGURATION = 9,
    LAUNCH_MAX_DEPTH = 65,
    LAUNCH_PENDING_COUNT = 69,
    INVALID_DEVICE_FUNCTION = 98,
    INVALID_RESOURCE_HANDLE = 400,
};

enum {
    CORE_SHIFT = 36,
    BUFFER_STRIDE = 1 << 15, // above the maximum of a kernel's parameters
    BUFFERS = 1 << 20,       // of a core, in all launches
    MAX_BLOCK = 1024,
    HANDLE_FIRST = 16,
};
#define BUFFER_FIRST (UINT64_C(1) << 52) // above all other allocations

// A function of the device runtime, executed by one lane.
struct spawn_call {
    struct warp *warp;
    const struct path *path;
    const struct call *call;
    struct spawns *spawns;
    uint32_t lane;
};

static uint64_t argument(const struct spawn_call *c, uint32_t n)
{
    return builtin_argument(c->warp, c->path, c->call, n, c->lane);
}

static struct spawn_core *core_of(const struct spawn_call *c)
{
    struct spawns *spawns = c->spawns;
    while (spawns->cores.n <= c->warp->cta->core)
        vec_push(spawns->arena, &spawns->cores, (struct spawn_core){0});
    return &spawns->cores.v[c->warp->cta->core];
}

// Errors

static struct spawn_error *error_of(const struct spawn_call *c)
{
    struct spawns *spawns = c->spawns;
    for (uint32_t i = 0; i < spawns->errors.n; i++) {
        struct spawn_error *one = &spawns->errors.v[i];
        if (one->launch == c->warp->cta->launch->id && one->cta == c->warp->cta->linear &&
            one->thread == c->warp->first + c->lane)
            return one;
    }
    return NULL;
}

// Stores an error as the thread's last one, and returns it.
static int fail(const struct spawn_call *c, int error)
{
    struct spawn_error *last = error_of(c);
    const struct cta *cta = c->warp->cta;
    if (last)
        last->error = error;
    else
        vec_push(
            c->spawns->arena, &c->spawns->errors,
            (struct spawn_error){cta->launch->id, cta->linear, c->warp->first + c->lane, error});
    return error;
}

static uint64_t peek_at_last_error(const struct spawn_call *c)
{
    const struct spawn_error *last = error_of(c);
    return last ? (uint64_t)last->error : SUCCESS;
}

static uint64_t get_last_error(const struct spawn_call *c)
{
    struct spawn_error *last = error_of(c);
    uint64_t error = peek_at_last_error(c);
    if (last)
        *last = c->spawns->errors.v[--c->spawns->errors.n];
    return error;
}

// Commands

static void add(const struct spawn_call *c, struct spawn spawn)
{
    const struct cta *cta = c->warp->cta;
    spawn.parent = cta->launch;
    spawn.cta = cta->linear;
    spawn.warp = c->warp->index;
    spawn.number = c->spawns->number++;
    vec_push(c->spawns->arena, &c->spawns->fresh, spawn);
}

// Returns an error of the launch, or SUCCESS.
static int check_launch(const struct spawn_call *c, const struct spawn *launch)
{
    const struct program *program = c->warp->program;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (launch->function == IR_NONE ||
        !program->module->functions.v[program->functions.v[launch->function].function].is_entry)
        return INVALID_DEVICE_FUNCTION;
    if (!ctas || ctas > INT32_MAX || !threads || threads > MAX_BLOCK)
        return INVALID_CONFIGURATION;
    if (c->warp->cta->launch->depth >= SPAWN_DEPTH)
        return LAUNCH_MAX_DEPTH;
    return c->spawns->pending < c->spawns->max_pending ? SUCCESS : LAUNCH_PENDING_COUNT;
}

static uint32_t function_at(const struct program *program, uint64_t handle)
{
    uint64_t number = handle - FUNCTION_HANDLE;
    return number < program->function_of.n ? program->function_of.v[number] : IR_NONE;
}

// cudaGetParameterBufferV2(function, grid, block, shared): the address of a buffer, or 0.
static uint64_t get_buffer(const struct spawn_call *c)
{
    struct spawn_core *core = core_of(c);
    struct image *image = c->warp->cta->launch->image;
    struct spawn launch = {.kind = SPAWN_LAUNCH};
    launch.function = function_at(c->warp->program, argument(c, 0));
    builtin_bytes(c->warp, c->path, c->call, 1, c->lane, launch.grid, sizeof launch.grid);
    builtin_bytes(c->warp, c->path, c->call, 2, c->lane, launch.block, sizeof launch.block);
    launch.shared = (uint32_t)argument(c, 3);
    int error = core->buffers.n < BUFFERS ? check_launch(c, &launch) : LAUNCH_PENDING_COUNT;
    if (error) {
        fail(c, error);
        return 0;
    }
    uint64_t bytes = c->warp->program->functions.v[launch.function].param_bytes;
    uint64_t address = BUFFER_FIRST + ((uint64_t)c->warp->cta->core << CORE_SHIFT) +
                       (uint64_t)core->buffers.n * BUFFER_STRIDE;
    uint64_t next = image->next;
    image_allocate_at(image, address, bytes, IMAGE_PARAMETERS)->filled = true;
    image->next = next; // buffers do not move other allocations
    vec_push(c->spawns->arena, &core->buffers, (struct spawn_buffer){launch, address});
    return address;
}

// cudaLaunchDeviceV2(buffer, stream). Earlier stores of the warp are complete.
static uint64_t launch_buffer(const struct spawn_call *c)
{
    const struct spawn_core *core = core_of(c);
    struct image *image = c->warp->cta->launch->image;
    uint64_t address = argument(c, 0);
    uint64_t place = (address & ((UINT64_C(1) << CORE_SHIFT) - 1)) / BUFFER_STRIDE;
    if (address < BUFFER_FIRST || place >= core->buffers.n ||
        core->buffers.v[place].address != address)
        return (uint64_t)fail(c, INVALID_VALUE);
    struct spawn launch = core->buffers.v[place].launch;
    uint64_t bytes = c->warp->program->functions.v[launch.function].param_bytes;
    const uint8_t *data = image_at(image, address, bytes ? bytes : 1, &c->warp->hint);
    if (!data)
        return (uint64_t)fail(c, INVALID_VALUE); // it was launched already
    uint8_t *copy = arena_alloc(c->spawns->arena, bytes + 1);
    memcpy(copy, data, bytes);
    image_free(image, address);
    launch.parameters = copy;
    launch.stream = argument(c, 1);
    c->spawns->pending++;
    add(c, launch);
    return SUCCESS;
}

static uint64_t copy(const struct spawn_call *c)
{
    add(c, (struct spawn){.kind = SPAWN_COPY,
                          .to = argument(c, 0),
                          .from = argument(c, 1),
                          .bytes = argument(c, 2),
                          .stream = argument(c, 4)});
    return SUCCESS;
}

static uint64_t set(const struct spawn_call *c)
{
    add(c, (struct spawn){.kind = SPAWN_SET,
                          .to = argument(c, 0),
                          .value = (uint8_t)argument(c, 1),
                          .bytes = argument(c, 2),
                          .stream = argument(c, 3)});
    return SUCCESS;
}

// Streams and events

// Writes a value to an address that the thread gives.
static uint64_t store(const struct spawn_call *c, uint64_t address, const void *value,
                      uint64_t bytes)
{
    uint8_t *to = guest_at(c->warp, c->lane, address, bytes);
    if (!to)
        return (uint64_t)fail(c, INVALID_VALUE);
    memcpy(to, value, bytes);
    return SUCCESS;
}

static uint64_t create_handle(const struct spawn_call *c)
{
    uint64_t handle =
        HANDLE_FIRST + ((uint64_t)c->warp->cta->core << CORE_SHIFT) + core_of(c)->handles++;
    return store(c, argument(c, 0), &handle, sizeof handle);
}

static uint64_t create_stream(const struct spawn_call *c)
{
    enum { NON_BLOCKING = 1 };
    return argument(c, 1) == NON_BLOCKING ? create_handle(c) : (uint64_t)fail(c, INVALID_VALUE);
}

static uint64_t create_event(const struct spawn_call *c)
{
    enum { DISABLE_TIMING = 2 };
    return argument(c, 1) & DISABLE_TIMING ? create_handle(c) : (uint64_t)fail(c, INVALID_VALUE);
}

static uint64_t destroy(const struct spawn_call *c)
{
    bool good = argument(c, 0) >= HANDLE_FIRST; // its commands are executed nevertheless
    return good ? SUCCESS : (uint64_t)fail(c, INVALID_RESOURCE_HANDLE);
}

static uint64_t record_event(const struct spawn_call *c)
{
    add(c, (struct spawn){.kind = SPAWN_RECORD, .event = argument(c, 0), .stream = argument(c, 1)});
    return SUCCESS;
}

static uint64_t wait_event(const struct spawn_call *c)
{
    add(c, (struct spawn){.kind = SPAWN_WAIT, .stream = argument(c, 0), .event = argument(c, 1)});
    return SUCCESS;
}

// Memory and the device

static uint64_t allocate(const struct spawn_call *c)
{
    uint64_t address = heap_allocate(c->warp->cta->launch->image, argument(c, 1));
    uint64_t error = store(c, argument(c, 0), &address, sizeof address);
    return error || address ? error : (uint64_t)fail(c, MEMORY_ALLOCATION);
}

static uint64_t release(const struct spawn_call *c)
{
    uint64_t address = argument(c, 0);
    bool good = !address || heap_give(c->warp->cta->launch->image, address);
    return good ? SUCCESS : (uint64_t)fail(c, INVALID_VALUE);
}

static uint64_t get_device(const struct spawn_call *c)
{
    static const int none = 0;
    return store(c, argument(c, 0), &none, sizeof none);
}

static uint64_t get_device_count(const struct spawn_call *c)
{
    static const int one = 1;
    return store(c, argument(c, 0), &one, sizeof one);
}

static uint64_t get_limit(const struct spawn_call *c)
{
    enum { HEAP_SIZE = 2, PENDING_LAUNCHES = 4 };
    uint64_t limit = argument(c, 1), value;
    if (limit != HEAP_SIZE && limit != PENDING_LAUNCHES)
        return (uint64_t)fail(c, INVALID_VALUE);
    value = limit == HEAP_SIZE ? heap_size(c->warp->cta->launch->image) : c->spawns->max_pending;
    return store(c, argument(c, 0), &value, sizeof value);
}

// Calls

static const char *call_each(struct warp *warp, const struct path *path, const struct call *call,
                             uint32_t *mask, uint64_t (*function)(const struct spawn_call *c))
{
    struct spawns *spawns = warp->cta->launch->spawns;
    if (!spawns)
        return "kernels cannot launch others here";
    for (; *mask; *mask &= *mask - 1) {
        struct spawn_call c = {warp, path, call, spawns, (uint32_t)__builtin_ctz(*mask)};
        builtin_result(warp, path, call, c.lane, function(&c));
    }
    return NULL;
}

#define SPAWN_FUNCTION(name, function)                                                             \
    static builtin_fn call_##name;                                                                 \
    static const char *call_##name(struct warp *warp, const struct path *path,                     \
                                   const struct call *call, uint32_t *mask)                        \
    {                                                                                              \
        return call_each(warp, path, call, mask, function);                                        \
    }
#include "runtime-sim/exec/warp/spawn.def"
#undef SPAWN_FUNCTION

static const struct {
    const char *name;
    builtin_fn *fn;
} functions[] = {
#define SPAWN_FUNCTION(name, function) {#name, call_##name},
#include "runtime-sim/exec/warp/spawn.def"
#undef SPAWN_FUNCTION
};

builtin_fn *spawn_named(const char *name, size_t length)
{
    static const char *const prefixes[] = {"__cudaCDP2", "cuda"};
    for (size_t p = 0; p < ARRAY_LENGTH(prefixes); p++) {
        size_t skipped = strlen(prefixes[p]);
        if (length < skipped || memcmp(name, prefixes[p], skipped))
            continue;
        for (size_t i = 0; i < ARRAY_LENGTH(functions); i++)
            if (strlen(functions[i].name) == length - skipped &&
                !memcmp(functions[i].name, name + skipped, length - skipped))
                return functions[i].fn;
    }
    return NULL;
}
