#include "api/device.h"
#include <inttypes.h>
#include <string.h>

// Launches

static const char *const rule_texts[] = {
    [LAUNCH_ALLOWED] = "",
#define LAUNCH_RULE(name, argument, text) [LAUNCH_##name] = text,
#include "runtime-sim/device/launch_rules.def"
#undef LAUNCH_RULE
};

static enum ptxoffload_status refuse(struct ptxoffload_device *device,
                                     const struct ptxoffload_launch *launch,
                                     const struct program_function *kernel,
                                     const struct launch_refusal *refusal)
{
    struct arena *arena = &device->object.arena;
    struct diags diags;
    if (refusal->rule == LAUNCH_EXECUTABLE) {
        const struct node *node = &device->module.tree.nodes.v[kernel->refused_node];
        diags_init(&diags, arena);
        diag_add(&diags, DIAG_ERROR, "not-executable", node->begin, node->end,
                 "'%s' cannot run: %s", launch->kernel, kernel->refusal);
        api_report(device->object.context, &diags, &device->module.source);
        return PTXOFFLOAD_BAD_INPUT;
    }
    return api_argument_fault(device, launch->kernel,
                              arena_printf(arena,
                                           "%s: limit %" PRIu64 ", %" PRIu64 ", %" PRIu64
                                           "; value %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                                           rule_texts[refusal->rule], refusal->limit[0],
                                           refusal->limit[1], refusal->limit[2], refusal->value[0],
                                           refusal->value[1], refusal->value[2]));
}

static enum ptxoffload_status report_fault(struct ptxoffload_device *device,
                                           const struct device_result *result)
{
    const struct program *program = &device->module.program;
    const struct fault *fault = &result->grid.fault;
    struct diags diags;
    diags_init(&diags, &device->object.arena);
    if (!fault->happened || fault->refused) {
        diag_add(&diags, DIAG_ERROR, fault->refused ? "config" : "no-progress", NO_OFFSET,
                 NO_OFFSET, "%s: kernel '%s', launch %" PRIu64,
                 fault->refused ? fault->text : "no thread of the launch can continue",
                 result->kernel ? result->kernel->name : "", result->launch);
    } else {
        const struct ir_function *function =
            &device->module.module.functions.v[program->functions.v[fault->function].function];
        const struct node *node = &device->module.tree.nodes.v[function->insts.v[fault->inst].node];
        diag_add(&diags, DIAG_ERROR, "fault", node->begin, node->end,
                 "%s: kernel '%s', launch %" PRIu64 ", CTA (%u, %u, %u), thread (%u, %u, %u)",
                 fault->text, result->kernel->name, result->launch, fault->cta[0], fault->cta[1],
                 fault->cta[2], fault->thread[0], fault->thread[1], fault->thread[2]);
        if (*fault->nearest)
            diag_add(&diags, DIAG_NOTE, "fault", node->begin, node->end, "the address is %s",
                     fault->nearest);
    }
    api_report(device->object.context, &diags, &device->module.source);
    return result->end == DEVICE_FAULT   ? PTXOFFLOAD_MEMORY_FAULT
           : result->end == DEVICE_STUCK ? PTXOFFLOAD_NO_PROGRESS
                                         : PTXOFFLOAD_BAD_ARGUMENT;
}

static void fill_parameters(const struct ptxoffload_device *device,
                            const struct program_function *kernel,
                            const struct ptxoffload_launch *from, uint8_t *to)
{
    const struct program_parameter *parameters = api_parameters_of(device, kernel);
    for (uint32_t i = 0; i < kernel->param_count; i++)
        memcpy(to + parameters[i].offset, from->arguments[i], parameters[i].bytes);
}

// Runs the launch that was issued. The memory of the object has been entered on another thread.
static enum ptxoffload_status synchronise(struct ptxoffload_device *device, const char *kernel)
{
    struct device_result result;
    if (!api_watch_launch(device, kernel, &result))
        return api_lose(&device->object);
    API_ENTER(&device->object);
    switch (result.end) {
    case DEVICE_DONE: return PTXOFFLOAD_OK;
    case DEVICE_STOPPED: atomic_store(&device->watch.cancelled, false); return PTXOFFLOAD_CANCELLED;
    case DEVICE_LIMITED: return PTXOFFLOAD_LIMIT;
    default: return report_fault(device, &result);
    }
}

static enum ptxoffload_status run(struct ptxoffload_device *device,
                                  const struct ptxoffload_launch *launch)
{
    struct launch_refusal refusal;
    API_ENTER_DEVICE(device);
    struct launch_request request = {.kernel = api_find_kernel(device, launch->kernel),
                                     .shared = launch->shared,
                                     .cooperative = launch->cooperative};
    if (!request.kernel)
        return PTXOFFLOAD_BAD_ARGUMENT;
    for (uint32_t i = 0; i < 3; i++) {
        request.grid[i] = launch->grid[i] ? launch->grid[i] : 1;
        request.block[i] = launch->block[i] ? launch->block[i] : 1;
    }
    if (launch->argument_count != request.kernel->param_count ||
        (launch->argument_count && !launch->arguments))
        return api_argument_fault(device, launch->kernel,
                                  arena_printf(&device->object.arena,
                                               "the kernel has %u parameters, but %u arguments are "
                                               "given",
                                               request.kernel->param_count,
                                               launch->argument_count));
    for (uint32_t i = 0; i < launch->argument_count; i++)
        if (!launch->arguments[i])
            return api_argument_fault(
                device, launch->kernel,
                arena_printf(&device->object.arena, "argument %u is NULL", i));
    struct device_launch *prepared = device_prepare(&device->device, &request, &refusal);
    if (!prepared)
        return refuse(device, launch, request.kernel, &refusal);
    fill_parameters(device, request.kernel, launch, prepared->parameters);
    if (atomic_exchange(&device->watch.cancelled, false)) {
        device_drop(&device->device);
        return PTXOFFLOAD_CANCELLED;
    }
    device_issue(&device->device, prepared, false);
    return synchronise(device, prepared->kernel->name);
}

enum ptxoffload_status ptxoffload_run(struct ptxoffload_device *device,
                                      const struct ptxoffload_launch *launch)
{
    struct ptxoffload_launch all = {.size = sizeof all};
    if (!device || !launch || !api_copy_in(&all, launch, sizeof all))
        return PTXOFFLOAD_BAD_ARGUMENT;
    return run(device, &all);
}
