// Objects of the program that live as long as a graph refers to them.
#include "runtime-sim/cuda/graphs.h"

struct cuda_user_object {
    void (*destroy)(void *context);
    void *context;
    uint64_t references;
};

static int release_object(struct cuda_user_object *object, unsigned count)
{
    if (!count || count > object->references)
        return cudaErrorInvalidValue;
    object->references -= count;
    if (!object->references)
        object->destroy(object->context);
    return cudaSuccess;
}

void graph_release_objects(struct cuda_graph *graph)
{
    for (uint32_t i = 0; i < graph->objects.n; i++)
        release_object(graph->objects.v[i], 1);
    graph->objects.n = 0;
}

void graph_retain_objects(struct cuda_graph *to, const struct cuda_graph *from)
{
    for (uint32_t i = 0; i < from->objects.n; i++) {
        from->objects.v[i]->references++;
        vec_push(&to->cuda->arena, &to->objects, from->objects.v[i]);
    }
}

static int create_object(struct cuda *cuda, void **to, void *context,
                         void (*destroy)(void *context), unsigned references)
{
    if (!destroy || !references)
        return cudaErrorInvalidValue;
    struct cuda_user_object *object = ARENA_NEW(&cuda->arena, struct cuda_user_object);
    *object = (struct cuda_user_object){destroy, context, references};
    *to = object;
    return cudaSuccess;
}

CUDA_API(cudaUserObjectCreate, void **to, void *context, void (*destroy)(void *context),
         unsigned references, unsigned flags)
{
    CUDA_NEEDS(to);
    (void)flags;
    return CUDA_DO(create_object(cuda, to, context, destroy, references));
}

static int retain_object(struct cuda_user_object *object, unsigned count)
{
    object->references += count;
    return count ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaUserObjectRetain, void *object, unsigned count)
{
    CUDA_NEEDS(object);
    return CUDA_DO(((void)cuda, retain_object(object, count)));
}

CUDA_API(cudaUserObjectRelease, void *object, unsigned count)
{
    CUDA_NEEDS(object);
    return CUDA_DO(((void)cuda, release_object(object, count)));
}

static int graph_keep(struct cuda *cuda, void *handle, struct cuda_user_object *object,
                      unsigned count, unsigned flags)
{
    enum { MOVES = 1 };
    struct cuda_graph *graph = graph_of(cuda, handle);
    if (!graph || !count || ((flags & MOVES) && count > object->references))
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        vec_push(&cuda->arena, &graph->objects, object);
    object->references += flags & MOVES ? 0 : count;
    return cudaSuccess;
}

CUDA_API(cudaGraphRetainUserObject, void *graph, void *object, unsigned count, unsigned flags)
{
    CUDA_NEEDS(object);
    return CUDA_DO(graph_keep(cuda, graph, object, count, flags));
}

static int graph_drop(struct cuda *cuda, void *handle, struct cuda_user_object *object,
                      unsigned count)
{
    struct cuda_graph *graph = graph_of(cuda, handle);
    uint32_t kept = 0, dropped = 0;
    if (!graph)
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < graph->objects.n; i++)
        if (graph->objects.v[i] == object && dropped < count)
            dropped++;
        else
            graph->objects.v[kept++] = graph->objects.v[i];
    graph->objects.n = kept;
    return dropped == count ? release_object(object, count) : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphReleaseUserObject, void *graph, void *object, unsigned count)
{
    CUDA_NEEDS(object);
    return CUDA_DO(graph_drop(cuda, graph, object, count));
}
