// Translates a launch of a run file to a request to the device, and a rule that the request breaks
// to its place in the file.
#include "passes/maps/map_read.h"
#include "runtime-sim/device/kernel_name.h"
#include "runtime-sim/run/run.h"
#include "runtime-sim/run/session.h"
#include "support/file.h"
#include <inttypes.h>
#include <string.h>

// Kernels

// A launch without a kernel name uses the program's only kernel.
static const struct program_function *find_kernel(struct session *session,
                                                  const struct run_launch *launch)
{
    struct run *run = session->run;
    const struct program *program = session->device.program;
    struct kernel_fault fault;
    uint32_t found = 0, entries = 0;
    const struct run_text *at = launch->kernel.text ? &launch->kernel : &launch->at;
    for (uint32_t i = 0; !launch->kernel.text && i < program->functions.n; i++) {
        if (!program->module->functions.v[program->functions.v[i].function].is_entry)
            continue;
        found = i;
        entries++;
    }
    if (entries == 1)
        return &program->functions.v[found];
    const struct program_function *function =
        launch->kernel.text ? kernel_find(program, run->arena, launch->kernel.text, &fault) : NULL;
    if (function)
        return function;
    if (!launch->kernel.text) {
        fault.text = arena_printf(run->arena,
                                  "the program has %u kernels: select one with --kernel", entries);
        fault.kernels = kernel_list(program, run->arena);
    }
    run_fault(run, at, "%s", fault.text);
    run_note(run, "%s", fault.kernels);
    return NULL;
}

// Requests

static bool evaluate_shape(struct session *session, const struct run_expr from[3],
                           enum launch_argument argument, const char *text, uint32_t shape[3])
{
    int64_t value;
    for (uint32_t i = 0; i < 3; i++) {
        shape[i] = 1;
        if (!from[i].expr)
            continue;
        if (!run_integer(session->run, &from[i], 1, (int64_t)launch_max(argument, i), text, &value))
            return false;
        shape[i] = (uint32_t)value;
    }
    return true;
}

static bool make_request(struct session *session, const struct run_launch *from,
                         struct launch_request *request)
{
    int64_t bytes = 0;
    if (!evaluate_shape(session, from->grid, ARGUMENT_GRID, "the grid", request->grid) ||
        !evaluate_shape(session, from->block, ARGUMENT_BLOCK, "the block", request->block) ||
        !evaluate_shape(session, from->cluster, ARGUMENT_CLUSTER, "the cluster", request->cluster))
        return false;
    if (!from->cluster[0].expr)
        request->cluster[0] = 0;
    if (from->shared.expr &&
        !run_integer(session->run, &from->shared, 0, (int64_t)launch_max(ARGUMENT_SHARED, 0),
                     "the shared memory", &bytes))
        return false;
    request->shared = (uint64_t)bytes;
    request->cooperative = from->cooperative;
    request->map = from->map;
    return true;
}

// Refusals

static const char *shape_text(struct arena *arena, const uint64_t shape[3])
{
    return arena_printf(arena, "%" PRIu64 ", %" PRIu64 ", %" PRIu64, shape[0], shape[1], shape[2]);
}

static const char *refusal_text(struct arena *arena, const struct program_function *kernel,
                                const struct launch_request *request,
                                const struct launch_refusal *refusal)
{
    const uint64_t *limit = refusal->limit, *value = refusal->value;
    switch (refusal->rule) {
    case LAUNCH_BLOCK_THREADS: return "a CTA has more than 1024 threads";
    case LAUNCH_GRID_CTAS: return "the grid has more than 2^32 CTAs";
    case LAUNCH_GRID_CLUSTERS: return "the grid is not a multiple of the cluster";
    case LAUNCH_BLOCK_REQUIRED:
    case LAUNCH_BLOCK_MAX:
        return arena_printf(arena, "the kernel has %s %s, but the block is %s",
                            refusal->rule == LAUNCH_BLOCK_MAX ? ".maxntid" : ".reqntid",
                            shape_text(arena, limit), shape_text(arena, value));
    case LAUNCH_CLUSTER_REQUIRED:
        return arena_printf(
            arena, "the kernel has clusters of %" PRIu64 " x %" PRIu64 " x %" PRIu64 " CTAs",
            limit[0], limit[1], limit[2]);
    case LAUNCH_SHARED_TOTAL:
        return arena_printf(arena,
                            "the kernel has %u bytes of shared memory and the launch adds %" PRIu64
                            ": together more than 227 KiB",
                            kernel->shared_bytes, request->shared);
    case LAUNCH_GRID_RESIDENT:
        return arena_printf(
            arena,
            "the %" PRIu64
            " CTAs of a cooperative launch must be resident at once, but a GPU with 160 "
            "multiprocessors has room for %" PRIu64 " of them",
            value[0], limit[0]);
    default: return "the launch is not allowed"; // run_integer has checked these sizes
    }
}

// A shape that the kernel requires is reported at the launch's shape, other rules at the launch.
static const struct run_text *refusal_location(const struct run_launch *from,
                                               const struct launch_refusal *refusal)
{
    bool block = refusal->rule == LAUNCH_BLOCK_REQUIRED || refusal->rule == LAUNCH_BLOCK_MAX;
    if (block && from->block[0].expr)
        return &from->block[0].at;
    return refusal->rule == LAUNCH_CLUSTER_REQUIRED ? &from->cluster[0].at : &from->at;
}

static void report_refusal(struct session *session, const struct run_launch *from,
                           const struct launch_request *request,
                           const struct launch_refusal *refusal)
{
    const struct program_function *kernel = request->kernel;
    const struct tree *tree = session->device.program->module->tree;
    if (refusal->rule != LAUNCH_EXECUTABLE) {
        run_fault(session->run, refusal_location(from, refusal), "%s",
                  refusal_text(session->run->arena, kernel, request, refusal));
        return;
    }
    const struct node *node = &tree->nodes.v[kernel->refused_node];
    diag_add(session->diags, DIAG_ERROR, "not-executable", node->begin, node->end,
             "'%s' cannot run: %s", device_kernel_of(&session->device, kernel)->name,
             kernel->refusal);
}

// Launches

static struct device_launch *prepare(struct session *session, const struct run_launch *from,
                                     const struct program_function *function)
{
    struct launch_request request = {.kernel = function};
    struct launch_refusal refusal;
    if (!make_request(session, from, &request))
        return NULL;
    struct device_launch *launch = device_prepare(&session->device, &request, &refusal);
    if (!launch)
        report_refusal(session, from, &request, &refusal);
    return launch && session_arguments(session, from, function, launch->parameters) ? launch : NULL;
}

// Returns false after an error if only some of these launches would be timed.
static bool agree_on_time(struct session *session, const struct run_text *at,
                          struct device_launch *const *launches, uint32_t number)
{
    const struct device *device = &session->device;
    uint32_t taken = 0;
    for (uint32_t i = 0; device->accepts && i < number; i++) {
        uint64_t before = launches[i]->kernel->launches;
        for (uint32_t k = 0; k < i; k++)
            before += launches[k]->kernel == launches[i]->kernel;
        taken += device->accepts(device->executor, launches[i]->kernel, before + 1,
                                 device->launches + i);
    }
    if (taken && taken < number)
        run_fault(session->run, at, "--timed or --sample selects only some of these launches");
    return !taken || taken == number;
}

enum session_outcome session_end(struct session *session, const struct device_result *result)
{
    static const enum session_outcome outcomes[] = {
        [DEVICE_DONE] = SESSION_DONE,         [DEVICE_STOPPED] = SESSION_INTERRUPTED,
        [DEVICE_LIMITED] = SESSION_LIMITED,   [DEVICE_STUCK] = SESSION_NO_PROGRESS,
        [DEVICE_REFUSED] = SESSION_BAD_INPUT, [DEVICE_FAULT] = SESSION_FAULT,
    };
    if (result->end >= DEVICE_STUCK && result->kernel)
        session_report_fault(session, result->kernel, result->launch, &result->grid);
    return outcomes[result->end];
}

static enum session_outcome run_launches(struct session *session)
{
    struct device_result result;
    device_synchronise(&session->device, &result);
    return session_end(session, &result);
}

struct device_launch *session_prepare_launch(struct session *session, const struct run_launch *from)
{
    const struct program_function *function = find_kernel(session, from);
    if (!function)
        return NULL;
    device_kernel_of(&session->device, function);
    return prepare(session, from, function);
}

enum session_outcome session_launch(struct session *session, const struct run_text *at,
                                    struct run_launch *const *from, uint32_t number)
{
    struct arena own;
    arena_init(&own, session->arena->memory);
    struct device_launch **launches = ARENA_ARRAY(&own, struct device_launch *, number);
    const struct program_function **functions =
        ARENA_ARRAY(&own, const struct program_function *, number);
    bool good = true;
    for (uint32_t i = 0; i < number && good; i++)
        if ((good = (functions[i] = find_kernel(session, from[i]))))
            device_kernel_of(&session->device, functions[i]);
    for (uint32_t i = 0; i < number && good; i++)
        good = (launches[i] = prepare(session, from[i], functions[i]));
    good = good && agree_on_time(session, at, launches, number);
    for (uint32_t i = 0; i < number && good; i++)
        device_issue(&session->device, launches[i], true);
    enum session_outcome outcome = good ? run_launches(session) : SESSION_BAD_INPUT;
    device_drop(&session->device);
    arena_free(&own);
    return outcome;
}

// Reads the map of a launch.

// Errors in the map's file are reported at its name in the run file, with their line and column.
static void report(struct run *run, const struct run_text *at, const struct source *source,
                   const struct diags *diags)
{
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        struct source_position place =
            source_position_at(source, diag->begin == NO_OFFSET ? 0 : diag->begin);
        run_fault(run, at, "'%s', line %u, column %u: %s", at->text, place.line, place.column,
                  diag->message);
    }
}

bool run_map(struct run *run, const struct run_text *at, const struct map **map)
{
    struct source *source = ARENA_NEW(run->arena, struct source);
    struct file_text file;
    struct diags diags;
    *map = NULL;
    if (!at->text || !strcmp(at->text, "off"))
        return true;
    if (!strcmp(at->text, "auto")) {
        *map = &map_automatic;
        return true;
    }
    const char *name = run_path(run, at->text);
    const char *error = file_read(run->arena, name, &file);
    if (error) {
        run_fault(run, at, "cannot read '%s': %s", name, error);
        return false;
    }
    run_note_input(run, name, file.text, file.length);
    source_init(source, run->arena, name, file.text, file.length);
    diags_init(&diags, run->arena);
    *map = map_read(run->arena, source, &diags);
    report(run, at, source, &diags);
    return *map;
}
