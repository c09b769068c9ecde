#include "runtime-sim/device/spawn.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct device_launch *device_prepare_spawn(struct device *device, const struct spawn *spawn,
                                           struct launch_refusal *refusal)
{
    const struct program_function *kernel = &device->program->functions.v[spawn->function];
    struct launch_request request = {.kernel = kernel,
                                     .shared = spawn->shared,
                                     .parameters = spawn->parameters,
                                     .parameter_bytes = kernel->param_bytes};
    memcpy(request.grid, spawn->grid, sizeof request.grid);
    memcpy(request.block, spawn->block, sizeof request.block);
    struct device_launch *launch = device_prepare(device, &request, refusal);
    if (launch)
        launch->launch->depth = spawn->parent->depth + 1;
    else
        device->spawns->pending--;
    return launch;
}

void device_move_fault(const struct spawn *spawn, struct fault *fault)
{
    fault->happened = true;
    snprintf(fault->text, sizeof fault->text,
             "a %s by a kernel of %" PRIu64 " bytes leaves the device's memory",
             spawn->kind == SPAWN_COPY ? "copy" : "memory set", spawn->bytes);
}

// Executes a copy or set. Returns false and sets the fault if bytes are not in one allocation.
static bool move_bytes(struct device *device, const struct spawn *spawn, struct fault *fault)
{
    uint8_t *to = device_at(device, spawn->to, spawn->bytes);
    const uint8_t *from =
        spawn->kind == SPAWN_COPY ? device_at(device, spawn->from, spawn->bytes) : to;
    if (!to || !from) {
        device_move_fault(spawn, fault);
        return false;
    }
    if (spawn->kind == SPAWN_COPY)
        memmove(to, from, spawn->bytes);
    else
        memset(to, spawn->value, spawn->bytes);
    return true;
}

void device_refuse_spawn(struct device *device, const struct spawn *spawn, struct fault *fault)
{
    const struct program_function *kernel = &device->program->functions.v[spawn->function];
    fault->happened = true;
    snprintf(fault->text, sizeof fault->text, "a kernel cannot launch '%s': %s",
             device_kernel_of(device, kernel)->name,
             kernel->refusal ? kernel->refusal : "the device does not allow this shape");
}

// Executes a command of a thread. A launch that the device does not allow is a fault.
static bool execute(struct device *device, const struct spawn *spawn, struct grid_result *result)
{
    struct launch_refusal refusal;
    struct device_result own = {.end = DEVICE_DONE};
    if (spawn->kind == SPAWN_COPY || spawn->kind == SPAWN_SET)
        return !spawn->bytes || move_bytes(device, spawn, &result->fault);
    if (spawn->kind != SPAWN_LAUNCH)
        return true; // all commands before it have been executed
    struct device_launch *launch = device_prepare_spawn(device, spawn, &refusal);
    if (!launch) {
        device_refuse_spawn(device, spawn, &result->fault);
        return false;
    }
    if (device_run_launch(device, launch, &own) == DEVICE_DONE)
        return true;
    if (!device->spawns->failed)
        device->spawns->failed = launch;
    uint64_t warps = result->warp_instructions, threads = result->thread_instructions;
    *result = own.grid;
    result->warp_instructions = warps;
    result->thread_instructions = threads;
    return false;
}

static bool execute_fresh(void *context, const struct launch *parent, struct grid_result *result)
{
    struct device *device = context;
    struct spawns *spawns = device->spawns;
    __typeof__(spawns->fresh) taken = spawns->fresh;
    spawns->fresh = (__typeof__(spawns->fresh)){0}; // those of the launched kernels
    bool good = true;
    (void)parent;
    for (uint32_t i = 0; i < taken.n && good; i++) {
        if (taken.v[i].stream == SPAWN_STREAM_TAIL && taken.v[i].kind <= SPAWN_SET)
            vec_push(spawns->arena, &spawns->tails, taken.v[i]);
        else
            good = execute(device, &taken.v[i], result);
    }
    if (!spawns->fresh.n) {
        taken.n = 0;
        spawns->fresh = taken;
    }
    return good;
}

enum device_end device_run_tails(struct device *device, const struct launch *launch,
                                 struct device_result *result)
{
    struct spawns *spawns = device->spawns;
    bool good = true;
    for (uint32_t i = 0; i < spawns->tails.n && good;) {
        struct spawn tail = spawns->tails.v[i];
        if (tail.parent != launch) {
            i++;
            continue;
        }
        memmove(spawns->tails.v + i, spawns->tails.v + i + 1,
                (--spawns->tails.n - i) * sizeof tail);
        good = execute(device, &tail, &result->grid);
    }
    return device_end_of(&result->grid);
}

void device_spawns_drop(struct device *device)
{
    struct spawns *spawns = device->spawns;
    spawns->fresh.n = spawns->tails.n = spawns->errors.n = spawns->pending = 0;
    spawns->failed = NULL;
}

void device_spawns_begin(struct device *device)
{
    device->spawns = ARENA_NEW(device->arena, struct spawns);
    *device->spawns = (struct spawns){.arena = device->arena,
                                      .max_pending = SPAWN_PENDING,
                                      .execute = execute_fresh,
                                      .context = device};
}
