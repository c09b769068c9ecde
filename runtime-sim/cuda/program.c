// The program: the PTX of all binaries, in the order of their registration.
#include "runtime-sim/cuda/cuda.h"
#include "runtime-sim/cuda/memory.h"
#include <string.h>

// Returns true if the program has grown.
static bool add_binary(struct cuda *cuda, struct cuda_binary *binary)
{
    if (binary->linked || binary->failed)
        return false;
    if (!binary->text) // else read when it was loaded
        binary->failure = binary_read(cuda, binary);
    binary->failed = binary->failure || !binary->length; // then only its kernels fail
    if (binary->failed)
        return false;
    const char *wrong = link_add(&cuda->link, binary->text, binary->length, &binary->names);
    if (wrong) {
        cuda_complain(cuda, DIAG_ERROR, "the PTX of '%s' cannot be run: %s", cuda->program_name,
                      wrong);
        binary->failed = true;
        return false;
    }
    binary->linked = true;
    if (binary->arch > cuda->capability)
        cuda->capability = binary->arch;
    return true;
}

// A program without device code can still use memory.
static void add_nothing(struct cuda *cuda)
{
    static const char nothing[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    struct link_names names = {0};
    link_add(&cuda->link, nothing, sizeof nothing - 1, &names);
    cuda->capability = 75;
}

// The pointers of the host to managed variables.
static int set_managed(struct cuda *cuda)
{
    int error = cudaSuccess;
    for (uint32_t i = 0; i < cuda->symbols.n && !error; i++) {
        const struct cuda_symbol *symbol = cuda->symbols.v[i];
        if (!symbol->managed || *symbol->managed)
            continue;
        const struct allocation *variable = binary_variable(cuda, symbol->binary, symbol->name);
        if (variable)
            error = cuda_memory_share_variables(cuda);
        if (variable && !error)
            *symbol->managed = (void *)variable->address;
    }
    return error;
}

int program_link(struct cuda *cuda)
{
    bool grown = false;
    if (cuda->programs && cuda->seen_binaries == cuda->binaries.n)
        return cudaSuccess;
    cuda->link.arena = &cuda->arena;
    for (; cuda->seen_binaries < cuda->binaries.n; cuda->seen_binaries++)
        grown |= add_binary(cuda, cuda->binaries.v[cuda->seen_binaries]);
    if (!grown && cuda->programs)
        return cudaSuccess;
    if (cuda->programs && cuda_synchronise(cuda))
        return cuda->sticky;
    if (!cuda->link.modules)
        add_nothing(cuda);
    uint32_t length;
    const char *text = link_text(&cuda->link, &length);
    const char *name = arena_printf(&cuda->arena, "%s.ptx", cuda->program_name);
    source_init(&cuda->source, &cuda->arena, name, text, length);
    cuda->programs++;
    if (!cuda->front->load(cuda->front->context, cuda, &cuda->source))
        return cudaErrorInvalidPtx;
    return set_managed(cuda);
}
