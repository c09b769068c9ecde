#include "runtime-sim/device/launch.h"
#include "runtime-sim/exec/decode/layout.h"
#include <string.h>

enum { MAX_THREADS = 1024, MAX_SHARED = 227 * 1024 };

uint64_t launch_max(enum launch_argument argument, uint32_t dimension)
{
    static const uint64_t grid[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX},
                          block[3] = {MAX_THREADS, MAX_THREADS, 64};
    switch (argument) {
    case ARGUMENT_GRID: return grid[dimension];
    case ARGUMENT_BLOCK: return block[dimension];
    case ARGUMENT_CLUSTER: return CLUSTER_CTAS;
    default: return MAX_SHARED;
    }
}

static uint64_t product(const uint32_t shape[3])
{
    return (uint64_t)shape[0] * shape[1] * shape[2];
}

static const enum launch_argument argument_of[] = {
#define LAUNCH_RULE(name, argument, text) [LAUNCH_##name] = ARGUMENT_##argument,
#include "runtime-sim/device/launch_rules.def"
#undef LAUNCH_RULE
};

// These functions set *refusal and return false.
static bool refuse(struct launch_refusal *refusal, enum launch_rule rule, uint64_t limit,
                   uint64_t value)
{
    *refusal = (struct launch_refusal){
        .rule = rule, .argument = argument_of[rule], .limit = {limit}, .value = {value}};
    return false;
}

static bool refuse_dimension(struct launch_refusal *refusal, enum launch_rule rule,
                             uint32_t dimension, uint64_t limit, uint64_t value)
{
    refuse(refusal, rule, limit, value);
    refusal->dimension = dimension;
    return false;
}

static bool refuse_shape(struct launch_refusal *refusal, enum launch_rule rule,
                         const uint32_t limit[3], const uint32_t value[3])
{
    refuse(refusal, rule, 0, 0);
    for (int i = 0; i < 3; i++) {
        refusal->limit[i] = limit[i];
        refusal->value[i] = value[i];
    }
    return false;
}

static bool check_sizes(const struct launch *launch, struct launch_refusal *refusal)
{
    const struct {
        enum launch_rule rule;
        const uint32_t *shape;
    } rows[] = {{LAUNCH_GRID_SIZE, launch->grid},
                {LAUNCH_BLOCK_SIZE, launch->block},
                {LAUNCH_CLUSTER_SIZE, launch->cluster}};
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t max = launch_max(argument_of[rows[k].rule], i);
            if (!rows[k].shape[i] || rows[k].shape[i] > max)
                return refuse_dimension(refusal, rows[k].rule, i, max, rows[k].shape[i]);
        }
    return true;
}

static bool check_shapes(const struct program_function *kernel, const struct launch *launch,
                         struct launch_refusal *refusal)
{
    const uint32_t *grid = launch->grid, *block = launch->block, *cluster = launch->cluster;
    if (kernel->cluster[0] && memcmp(cluster, kernel->cluster, sizeof kernel->cluster))
        return refuse_shape(refusal, LAUNCH_CLUSTER_REQUIRED, kernel->cluster, cluster);
    if (product(block) > MAX_THREADS)
        return refuse(refusal, LAUNCH_BLOCK_THREADS, MAX_THREADS, product(block));
    if (product(grid) > UINT32_MAX)
        return refuse(refusal, LAUNCH_GRID_CTAS, UINT32_MAX, product(grid));
    for (uint32_t i = 0; i < 3; i++)
        if (grid[i] % cluster[i])
            return refuse_dimension(refusal, LAUNCH_GRID_CLUSTERS, i, cluster[i], grid[i]);
    if (kernel->block[0] && memcmp(block, kernel->block, sizeof kernel->block))
        return refuse_shape(refusal, LAUNCH_BLOCK_REQUIRED, kernel->block, block);
    if (product(kernel->max) && product(block) > product(kernel->max))
        return refuse_shape(refusal, LAUNCH_BLOCK_MAX, kernel->max, block);
    return true;
}

static bool check_memory(const struct program_function *kernel, const struct launch *launch,
                         const struct launch_request *request, struct launch_refusal *refusal)
{
    uint64_t total = kernel->shared_bytes + request->shared, ctas = product(launch->grid);
    if (request->shared > MAX_SHARED)
        return refuse(refusal, LAUNCH_SHARED_SIZE, MAX_SHARED, request->shared);
    if (total > MAX_SHARED)
        return refuse(refusal, LAUNCH_SHARED_TOTAL, MAX_SHARED, total);
    if (launch->cooperative && ctas > grid_room(launch))
        return refuse(refusal, LAUNCH_GRID_RESIDENT, grid_room(launch), ctas);
    if (request->parameters && request->parameter_bytes != kernel->param_bytes)
        return refuse(refusal, LAUNCH_PARAMETER_BYTES, kernel->param_bytes,
                      request->parameter_bytes);
    return true;
}

static bool check(const struct program_function *kernel, const struct launch *launch,
                  const struct launch_request *request, struct launch_refusal *refusal)
{
    *refusal = (struct launch_refusal){.rule = LAUNCH_ALLOWED};
    if (kernel->refusal)
        return refuse(refusal, LAUNCH_EXECUTABLE, 0, 0);
    return check_sizes(launch, refusal) && check_shapes(kernel, launch, refusal) &&
           check_memory(kernel, launch, request, refusal);
}

struct device_launch *device_prepare(struct device *device, const struct launch_request *request,
                                     struct launch_refusal *refusal)
{
    static const uint32_t one[3] = {1, 1, 1};
    const struct program_function *kernel = request->kernel;
    struct device_launch *to = ARENA_NEW(&device->queue_arena, struct device_launch);
    struct launch *launch = ARENA_NEW(&device->queue_arena, struct launch);
    *to = (struct device_launch){
        .device = device,
        .kernel = device_kernel_of(device, kernel),
        .launch = launch,
        .parameters = arena_alloc(&device->queue_arena, kernel->param_bytes + 1),
    };
    *launch = (struct launch){
        .program = device->program,
        .function = (uint32_t)(kernel - device->program->functions.v),
        .dynamic_shared = (uint32_t)request->shared,
        .params = to->parameters,
        .image = device->image,
        .cooperative = request->cooperative,
        .map = request->map,
        .textures = device->textures,
        .check = device->check,
        .profile = to->kernel->profile,
        .sites = to->kernel->sites,
        .spawns = device->spawns,
        .print = device->print,
        .print_context = device->print_context,
        .stop = device->stop,
        .counts = device->counts,
        .pause = device->pause,
        .pause_context = device->pause_context,
    };
    const uint32_t *cluster = request->cluster[0]  ? request->cluster
                              : kernel->cluster[0] ? kernel->cluster
                                                   : one;
    memcpy(launch->grid, request->grid, sizeof launch->grid);
    memcpy(launch->block, request->block, sizeof launch->block);
    memcpy(launch->cluster, cluster, sizeof launch->cluster);
    if (!check(kernel, launch, request, refusal))
        return NULL;
    launch->shared_bytes = grid_shared_bytes(launch);
    if (request->parameters)
        memcpy(to->parameters, request->parameters, kernel->param_bytes);
    return to;
}
