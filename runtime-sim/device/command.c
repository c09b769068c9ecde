#include "runtime-sim/device/command.h"
#include "runtime-sim/device/spawn.h"
#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

void device_issue(struct device *device, struct device_launch *launch, bool together)
{
    struct device_command *command = ARENA_NEW(&device->queue_arena, struct device_command);
    *command = (struct device_command){.launch = launch, .together = together};
    vec_push(&device->queue_arena, &device->queue, command);
}

// Execution

static void begin_counts(const struct launch *launch)
{
    struct launch_counts *counts = launch->counts;
    atomic_store(&counts->ctas, (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]);
    atomic_store(&counts->ended, 0);
    atomic_store(&counts->instructions, 0);
}

void device_begin_launch(struct device *device, struct device_launch *one)
{
    if (one->launch->counts)
        begin_counts(one->launch);
    one->launch->id = (uint32_t)device->launches++;
    one->kernel->launches++;
    if (device->progress)
        device->progress(device->progress_context, one->kernel->name, device->launches);
}

static void count_launch(struct device_launch *one)
{
    one->kernel->warp_instructions += one->warp_instructions;
    one->kernel->thread_instructions += one->thread_instructions;
}

static void blame(struct device_result *result, const struct device_launch *one)
{
    result->kernel = one->kernel;
    result->launch = (uint64_t)one->launch->id + 1;
}

void device_end_launch(struct device_launch *one, struct device_result *result)
{
    count_launch(one);
    if (!result->kernel || one->launch->id == result->grid.fault.launch)
        blame(result, one);
}

enum device_end device_end_of(const struct grid_result *grid)
{
    return grid->stopped          ? DEVICE_STOPPED
           : grid->limited        ? DEVICE_LIMITED
           : grid->stuck          ? DEVICE_STUCK
           : grid->fault.refused  ? DEVICE_REFUSED
           : grid->fault.happened ? DEVICE_FAULT
                                  : DEVICE_DONE;
}

enum device_end device_run_launch(struct device *device, struct device_launch *one,
                                  struct device_result *result)
{
    struct grid_result *grid = &result->grid;
    uint64_t max = device->max_instructions, done = device->instructions;
    struct grid_options options = {.threads = device->image->watches_planes ? 1 : device->threads,
                                   .max_instructions = max > done ? max - done : 0};
    if (max && max <= done)
        return DEVICE_LIMITED;
    device_enter(device);
    device_begin_launch(device, one);
    struct device_spell spell = device_spell_begin(device);
    grid_run(one->launch, device->arena, &options, grid);
    device_spell_end(device, &spell);
    one->warp_instructions = grid->warp_instructions;
    one->thread_instructions = grid->thread_instructions;
    device->instructions += grid->warp_instructions;
    // Not counted after a fault: with several host threads, progress of other CTAs depends on them.
    if (!grid->stuck && !grid->fault.happened)
        count_launch(one);
    enum device_end end = device_end_of(grid);
    if (end == DEVICE_DONE)
        end = device_run_tails(device, one->launch, result);
    const struct device_launch *failed = device->spawns->failed;
    blame(result, failed ? failed : one);
    if (end != DEVICE_DONE && !one->launch->depth)
        device_spawns_drop(device);
    device_leave(device, end == DEVICE_DONE || grid->fault.needs_word);
    return end;
}

enum device_end device_run_now(struct device *device, struct device_command *command,
                               struct device_result *result)
{
    command->has_ended = true;
    switch (command->kind) {
    case COMMAND_LAUNCH: return device_run_launch(device, command->launch, result);
    case COMMAND_COPY:
        memmove(command->data_to, command->data_from, command->bytes);
        if (command->to)
            device_copied(device, command->to, command->bytes);
        if (command->from && plane_trigger_of(command->mark) == PLANE_WAIT_FULL)
            plane_count_reads(device->image, command->from, command->bytes);
        break;
    case COMMAND_SET: memset(command->data_to, command->value, command->bytes); break;
    case COMMAND_CALL:
        if (command->call)
            command->call(command->context);
        break;
    }
    plane_act_all(device->image, command->to ? command->to : command->from, command->bytes,
                  plane_action_of(command->mark));
    return DEVICE_DONE;
}

static enum device_end run_together(struct device *device, struct device_command *const *commands,
                                    uint32_t count, struct device_result *result)
{
    struct grid_result *grid = &result->grid;
    for (uint32_t i = 0; i < count; i++)
        device_begin_launch(device, commands[i]->launch);
    struct device_spell spell = device_spell_begin(device);
    device->execute(device->executor, commands, count, grid);
    device_spell_end(device, &spell);
    for (uint32_t i = 0; i < count; i++)
        device_end_launch(commands[i]->launch, result);
    return device_end_of(grid);
}

bool device_is_timed(const struct device *device, const struct device_launch *launch)
{
    return device->execute && device->accepts(device->executor, launch->kernel,
                                              launch->kernel->launches + 1, device->launches);
}

// Returns true if the executor accepts the last of these launches. None of them has begun.
static bool is_timed_command(const struct device *device, struct device_command *const *commands,
                             uint32_t last)
{
    const struct device_kernel *kernel = commands[last]->launch->kernel;
    uint64_t number = kernel->launches + 1;
    for (uint32_t i = 0; i < last; i++)
        number += commands[i]->launch->kernel == kernel;
    return device->execute &&
           device->accepts(device->executor, kernel, number, device->launches + last);
}

// Returns the number of timed launches that run at the same time; 0 if the first is untimed.
static uint32_t count_together(const struct device *device, struct device_command *const *commands,
                               uint32_t max)
{
    uint32_t count = 0;
    while (count < max && (!count || commands[count]->together) &&
           is_timed_command(device, commands, count))
        count++;
    return count;
}

void device_drop(struct device *device)
{
    device->queue = (__typeof__(device->queue)){0};
    arena_free(&device->queue_arena);
}

enum device_end device_synchronise(struct device *device, struct device_result *result)
{
    *result = (struct device_result){.end = DEVICE_DONE};
    for (uint32_t i = 0; i < device->queue.n && result->end == DEVICE_DONE;) {
        struct device_command *const *commands = device->queue.v + i;
        uint32_t count = count_together(device, commands, device->queue.n - i);
        result->kernel = NULL;
        result->end = count ? run_together(device, commands, count, result)
                            : device_run_now(device, commands[0], result);
        i += count ? count : 1;
    }
    device_drop(device);
    return result->end;
}
