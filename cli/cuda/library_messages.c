// Messages about launches that ended with a fault, or for which a device lacks something.
#include "cli/common/interrupt.h"
#include "cli/cuda/ends.h"
#include "cli/cuda/library.h"

// Reports the commands that can never proceed.
static void report_stuck(const struct library *library)
{
    for (uint32_t i = 0; i < library->gpu_count; i++)
        if (library->cuda->gpus[i].timed)
            timed_report(library->cuda->gpus[i].timed, stderr);
    if (library->cuda->host.why)
        fputs(library->cuda->host.why, stderr);
}

// Returns the size of --slack with which kernels may access `address`, or 0 if no size up to the
// limit allows it, or if the address is inside an allocation.
static uint64_t slack_for(const struct library_gpu *gpu, uint64_t address)
{
    const struct cuda *cuda = gpu->library->cuda;
    enum { LARGEST_ACCESS = 16, STEP = 4096, LIMIT = 2 << 20 }; // pages of a GPU have up to 2 MiB
    const struct image *image = gpu->session.device.image;
    uint32_t below = image_find(image, address);
    if (below != UINT32_MAX && address - image->list.v[below].address < image->list.v[below].bytes)
        return 0;
    uint64_t nearest = UINT64_MAX;
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++) {
        const struct cuda_memory *memory = &cuda->heap.memories.v[i];
        uint64_t needed = address < memory->address
                              ? memory->address - address
                              : address - memory->address - memory->bytes + LARGEST_ACCESS;
        if (memory->kind == KIND_DEVICE && memory->gpu == gpu->session.gpu && needed < nearest)
            nearest = needed;
    }
    return nearest > LIMIT ? 0 : align_up(nearest, STEP);
}

// Notes that the address belongs to a device to which the failed one has no access.
static void note_owner(const struct library_gpu *gpu, const struct session_fault *fault)
{
    struct library *library = gpu->library;
    for (uint32_t i = 0; i < library->gpu_count; i++)
        if (i != gpu->session.gpu &&
            device_owns(&library->gpus[i].session.device, fault->address, 1))
            diag_add(
                &library->diags, DIAG_NOTE, "fault", fault->begin, fault->end,
                "the address is in memory of device %u; cudaDeviceEnablePeerAccess(%u, 0) lets "
                "kernels of device %u access it",
                i, i, gpu->session.gpu);
}

static void report_fault(struct library_gpu *gpu, const struct device_result *result)
{
    struct library *library = gpu->library;
    struct session *session = &gpu->session;
    session_report_fault(session, result->kernel, result->launch, &result->grid);
    bool is_access = session->fault.happened && session->fault.has_address;
    uint64_t slack = is_access ? slack_for(gpu, session->fault.address) : 0;
    if (is_access && library->gpu_count > 1)
        note_owner(gpu, &session->fault);
    if (slack)
        diag_add(&library->diags, DIAG_NOTE, "fault", session->fault.begin, session->fault.end,
                 "a GPU may not report this access; --slack=%uK lets kernels make it",
                 (unsigned)(slack / 1024));
}

static void note_room(struct library *library, const struct launch_needs *needs)
{
    message_note(&library->messages, "%s", sim_machines_with_room(&library->cuda->arena, needs));
}

void library_report_end(void *context, const struct device_result *result)
{
    static const enum session_outcome outcomes[] = {
        [DEVICE_DONE] = SESSION_DONE,         [DEVICE_STOPPED] = SESSION_INTERRUPTED,
        [DEVICE_LIMITED] = SESSION_LIMITED,   [DEVICE_STUCK] = SESSION_NO_PROGRESS,
        [DEVICE_REFUSED] = SESSION_BAD_INPUT, [DEVICE_FAULT] = SESSION_FAULT,
    };
    struct library *library = context;
    const struct host_gpu *failed = library->cuda->host.failed;
    struct library_gpu *gpu = &library->gpus[failed ? failed - library->cuda->host.gpus : 0];
    library->outcome = outcomes[result->end];
    fflush(stdout);
    if (result->end == DEVICE_LIMITED || result->end == DEVICE_STOPPED) {
        // The program depends on its launches, so it cannot continue.
        cuda_end();
        if (library->stop)
            interrupt_end(library->stop);
        ends_now(0);
    }
    if (result->kernel)
        report_fault(gpu, result);
    else
        diag_add(&library->diags, DIAG_ERROR, "no-progress", NO_OFFSET, NO_OFFSET,
                 "deadlock: no command of any stream can proceed");
    library_report(library, &library->module->source);
    if (result->end == DEVICE_REFUSED)
        note_room(library, &gpu->session.fault.needs);
    if (result->end == DEVICE_STUCK)
        report_stuck(library);
}

void library_refuse(void *context, const struct program_function *entry, const char *name)
{
    struct library *library = context;
    const struct program *program = library->cuda->gpus->device->program;
    const struct node *node = &program->module->tree->nodes.v[entry->refused_node];
    diag_add(&library->diags, DIAG_ERROR, "not-executable", node->begin, node->end,
             "'%s' cannot run: %s", name, entry->refusal);
    library_report(library, &library->module->source);
}

void library_unfit(void *context, const char *name, const struct fault *fault)
{
    struct library *library = context;
    message_error(&library->messages, "%s: kernel '%s'", fault->text, name);
    note_room(library, &fault->needs);
}

void library_complain(void *context, enum severity severity, const char *text)
{
    struct library *library = context;
    if (!library->messages.log) // no call has read the options yet
        messages_init(&library->messages, "ptxoffload-run", &library->arguments.sim.common,
                      &library->log);
    (severity == DIAG_ERROR ? message_error : message_note)(&library->messages, "%s", text);
}

void library_out_of_memory(void *context)
{
    struct library *library = context;
    outputs_abandon(&library->outputs);
    message_memory(&library->messages, &library->cuda->memory);
    library_end_messages(library);
    ends_now(1);
}
