// Builds the program from the PTX of all binaries, in the order of their registration.
#include "frontend/object.h"
#include "runtime-sim/cuda/cuda.h"
#include "runtime-sim/cuda/memory.h"
#include "runtime-sim/cuda/record.h"
#include <string.h>

static void refuse(struct cuda_binary *binary, int failure)
{
    binary->failure = failure;
    binary->failed = true;
    binary->linked = false;
}

static void link_binary(struct cuda *cuda, struct cuda_binary *binary)
{
    binary->names = (struct link_names){0};
    const char *wrong = jit_link(cuda, binary, &cuda->program.link, &binary->names);
    if (!wrong) {
        binary->linked = true;
        return;
    }
    cuda_complain(cuda, DIAG_ERROR, "the PTX of '%s' cannot be run: %s", cuda->options.program_name,
                  wrong);
    refuse(binary, cudaErrorInvalidPtx);
}

// Links a binary. Returns true if the program has grown.
static bool add_binary(struct cuda *cuda, struct cuda_binary *binary)
{
    if (binary->linked || binary->failed)
        return false;
    if (!binary->was_read) // a loaded module was read when it was loaded
        binary->failure = binary_read(cuda, binary);
    binary->failed = binary->failure || !binary->parts.n; // only launches of its kernels fail
    if (binary->failed)
        return false;
    const char *wrong = program_read_tags(cuda, binary);
    if (wrong && cuda->options.reads_tags) {
        cuda_complain(cuda, DIAG_ERROR, "the tags of '%s' cannot be used: %s",
                      cuda->options.program_name, wrong);
        refuse(binary, cudaErrorInvalidPtx);
    } else {
        link_binary(cuda, binary);
    }
    if (binary->linked && binary->arch > cuda->program.capability)
        cuda->program.capability = binary->arch;
    return binary->linked;
}

// Makes an empty program: a program without device code can still use memory.
static void add_nothing(struct cuda *cuda)
{
    static const char nothing[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    static const struct link_input input = {"nothing", nothing, sizeof nothing - 1};
    struct link_names names = {0};
    link_add(&cuda->program.link, &input, 1, &names);
    cuda->program.capability = 75;
}

// Lets the other devices use the first one's bytes of a managed variable.
static void share_with_others(struct cuda *cuda, const struct cuda_symbol *symbol)
{
    for (uint32_t i = 1; i < cuda->gpu_count; i++) {
        cuda->gpu = &cuda->gpus[i];
        const struct allocation *own = binary_variable(cuda, symbol->binary, symbol->name);
        device_move(cuda->gpu->device, own->address, *symbol->managed);
    }
}

// Sets the host's pointers to managed variables.
static int set_managed(struct cuda *cuda)
{
    int error = cudaSuccess;
    struct cuda_gpu *gpu = cuda->gpu;
    for (uint32_t i = 0; i < cuda->registry.symbols.n && !error; i++) {
        const struct cuda_symbol *symbol = cuda->registry.symbols.v[i];
        if (!symbol->managed || *symbol->managed)
            continue;
        cuda->gpu = cuda->gpus;
        const struct allocation *variable = binary_variable(cuda, symbol->binary, symbol->name);
        if (variable)
            error = cuda_memory_share_variables(cuda);
        if (variable && !error) {
            *symbol->managed = (void *)variable->address;
            share_with_others(cuda, symbol);
        }
        cuda->gpu = gpu;
    }
    return error;
}

static enum cuda_loaded load(struct cuda *cuda)
{
    uint32_t length;
    if (!cuda->program.link.modules)
        add_nothing(cuda);
    const char *text = link_text(&cuda->program.link, &length);
    const char *name = arena_printf(&cuda->arena, "%s.ptx", cuda->options.program_name);
    source_init(&cuda->program.source, &cuda->arena, name, text, length);
    program_put_tags(cuda, &cuda->program.source);
    cuda->program.links++;
    return cuda->front->load(cuda->front->context, cuda, &cuda->program.source);
}

// Rejects the new modules that cannot run on their own, or else all new modules. Returns true if
// any was rejected.
static bool refuse_new(struct cuda *cuda, uint32_t first)
{
    bool any = false;
    for (int all = 0; all < 2 && !any; all++)
        for (uint32_t i = first; i < cuda->registry.binaries.n; i++) {
            struct cuda_binary *binary = cuda->registry.binaries.v[i];
            if (!binary->linked || (!all && !jit_check(cuda, binary, true)))
                continue;
            refuse(binary, cudaErrorInvalidPtx);
            any = true;
        }
    return any;
}

// Links the program again without the rejected modules.
static void link_again(struct cuda *cuda)
{
    cuda->program.link = (struct link){.arena = &cuda->arena};
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++)
        if (cuda->registry.binaries.v[i]->linked)
            link_binary(cuda, cuda->registry.binaries.v[i]);
}

// Loads the program; modules from `first` on are new. If the program cannot be run, the responsible
// modules are removed.
static enum cuda_loaded load_new(struct cuda *cuda, uint32_t first)
{
    enum cuda_loaded loaded = load(cuda);
    while (loaded == LOAD_REFUSED && refuse_new(cuda, first)) {
        link_again(cuda);
        loaded = load(cuda);
    }
    return loaded;
}

// Returns the error if all modules were rejected.
static int error_of_all(const struct cuda *cuda)
{
    int error = cudaSuccess;
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++) {
        const struct cuda_binary *binary = cuda->registry.binaries.v[i];
        if (binary->linked)
            return cudaSuccess;
        if (binary->failure == cudaErrorInvalidPtx)
            error = binary->failure;
    }
    return error;
}

int program_link(struct cuda *cuda)
{
    bool grown = false;
    uint32_t first = cuda->program.seen_binaries;
    if (cuda->program.links && first == cuda->registry.binaries.n)
        return cudaSuccess;
    cuda->program.link.arena = &cuda->arena;
    for (; cuda->program.seen_binaries < cuda->registry.binaries.n; cuda->program.seen_binaries++)
        grown |= add_binary(cuda, cuda->registry.binaries.v[cuda->program.seen_binaries]);
    if (!grown && cuda->program.links)
        return cudaSuccess;
    if (cuda->program.links && cuda_synchronise(cuda))
        return cuda->status.sticky;
    if (cuda->recorded)
        record_end(cuda);
    bool begins = !cuda->program.links;
    if (load_new(cuda, first) != LOAD_DONE)
        return cudaErrorInvalidPtx;
    if (begins)
        cuda->status.refused = error_of_all(cuda);
    int error = set_managed(cuda);
    peers_publish(cuda);
    return error;
}

bool program_put_registers(const struct cuda *cuda, struct program *program)
{
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++) {
        const struct cuda_binary *binary = cuda->registry.binaries.v[i];
        for (uint32_t k = 0; k < binary->parts.n && binary->linked; k++) {
            const struct cuda_part *part = &binary->parts.v[k];
            for (uint32_t n = 0; n < part->kernel_count; n++)
                program_set_registers(program,
                                      link_find_name(&binary->names, part->kernels[n].name),
                                      part->kernels[n].registers);
        }
    }
    bool all = true;
    for (uint32_t i = 0; i < program->functions.n; i++)
        all &= program->functions.v[i].assembled ||
               !program->module->functions.v[program->functions.v[i].function].is_entry;
    return all;
}
