// Graphs as the program sees them: parameters of nodes, memory, copies, destruction, a text.
#include "runtime-sim/cuda/graphs.h"
#include "runtime-sim/cuda/memory.h"
#include <stdio.h>
#include <string.h>

CUDA_API(cudaGraphCreate, void **graph, unsigned flags)
{
    CUDA_NEEDS(graph);
    (void)flags;
    return CUDA_DO((*graph = graph_new(cuda), cudaSuccess));
}

// Parameters. Nodes that were captured have those of their works.

CUDA_API(cudaGraphNodeGetType, void *node, int *type)
{
    CUDA_NEEDS(node && type);
    *type = ((const struct cuda_node *)node)->type;
    return CUDA_DO(cudaSuccess);
}

static int get_kernel(struct cuda *cuda, const struct cuda_node *node, struct cuda_kernel_node *to)
{
    int error;
    if (node->type != GRAPH_NODE_KERNEL)
        return cudaErrorInvalidValue;
    const struct cuda_launch *launch = &node->work.launch;
    const struct program_function *entry = function_entry(cuda, launch->function, &error);
    if (!entry)
        return error;
    void **parameters = ARENA_ARRAY(&cuda->arena, void *, entry->param_count + 1);
    for (uint32_t i = 0; i < entry->param_count; i++)
        parameters[i] =
            (void *)(launch->parameters +
                     cuda->gpu->device->program->parameters.v[entry->params + i].offset);
    const void *host = launch->function->host;
    *to = (struct cuda_kernel_node){
        .function = host ? (void *)host : launch->function,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .shared = (unsigned)launch->shared,
        .parameters = parameters,
    };
    return cudaSuccess;
}

CUDA_API(cudaGraphKernelNodeGetParams, const void *node, struct cuda_kernel_node *to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO(get_kernel(cuda, node, to));
}

static struct cuda_pitched pitched_of(const struct cuda_side *side, const struct cuda_copy *copy)
{
    void *at = side->on_device ? (void *)side->address : side->host;
    size_t pitch = side->pitch ? side->pitch : copy->width;
    return (struct cuda_pitched){at, pitch, copy->width,
                                 side->slice ? side->slice / pitch : copy->height};
}

static int get_copy(const struct cuda_node *node, struct cuda_copy3d *to)
{
    const struct cuda_copy *copy = &node->work.copy;
    if (node->type != GRAPH_NODE_COPY)
        return cudaErrorInvalidValue;
    *to = node->given.copy.of;
    if (!to->extent.width)
        *to = (struct cuda_copy3d){.source = pitched_of(&copy->from, copy),
                                   .to = pitched_of(&copy->to, copy),
                                   .extent = {copy->width, copy->height, copy->depth},
                                   .kind = COPY_DEFAULT};
    return cudaSuccess;
}

CUDA_API(cudaGraphMemcpyNodeGetParams, const void *node, struct cuda_copy3d *to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO(((void)cuda, get_copy(node, to)));
}

static int get_set(const struct cuda_node *node, struct cuda_set_node *to)
{
    const struct cuda_set *set = &node->work.set;
    if (node->type != GRAPH_NODE_SET)
        return cudaErrorInvalidValue;
    *to = (struct cuda_set_node){(void *)set->to,           set->pitch, set->value, set->element,
                                 set->width / set->element, set->height};
    return cudaSuccess;
}

CUDA_API(cudaGraphMemsetNodeGetParams, const void *node, struct cuda_set_node *to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO(((void)cuda, get_set(node, to)));
}

static int get_host(const struct cuda_node *node, struct cuda_host_node *to)
{
    if (node->type != GRAPH_NODE_HOST)
        return cudaErrorInvalidValue;
    *to = (struct cuda_host_node){node->work.call.function, node->work.call.context};
    return cudaSuccess;
}

CUDA_API(cudaGraphHostNodeGetParams, const void *node, struct cuda_host_node *to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO(((void)cuda, get_host(node, to)));
}

static int get_event(const struct cuda_node *node, int type, void **event)
{
    *event = node->type == type ? node->work.event : NULL;
    return *event ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphEventRecordNodeGetEvent, const void *node, void **event)
{
    CUDA_NEEDS(node && event);
    return CUDA_DO(((void)cuda, get_event(node, GRAPH_NODE_RECORD, event)));
}

CUDA_API(cudaGraphEventWaitNodeGetEvent, const void *node, void **event)
{
    CUDA_NEEDS(node && event);
    return CUDA_DO(((void)cuda, get_event(node, GRAPH_NODE_WAIT, event)));
}

static int get_graph(const struct cuda_node *node, void **graph)
{
    *graph = node->type == GRAPH_NODE_GRAPH ? node->work.graph : NULL;
    return *graph ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphChildGraphNodeGetGraph, const void *node, void **graph)
{
    CUDA_NEEDS(node && graph);
    return CUDA_DO(((void)cuda, get_graph(node, graph)));
}

static int get_memory(const struct cuda_node *node, int type, struct cuda_alloc_node *alloc,
                      void **released)
{
    if (node->type != type)
        return cudaErrorInvalidValue;
    if (alloc)
        *alloc = node->given.alloc;
    if (released)
        *released = node->given.released;
    return cudaSuccess;
}

CUDA_API(cudaGraphMemAllocNodeGetParams, const void *node, struct cuda_alloc_node *to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO(((void)cuda, get_memory(node, GRAPH_NODE_ALLOC, to, NULL)));
}

CUDA_API(cudaGraphMemFreeNodeGetParams, const void *node, void **to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO(((void)cuda, get_memory(node, GRAPH_NODE_FREE, NULL, to)));
}

// Memory of graphs: used and reserved bytes, now and at most. They are equal, as memory is not
// released.
static int graph_memory(struct cuda *cuda, int device, int attribute, uint64_t *value)
{
    int error = context_select(cuda, device);
    if (error)
        return error;
    *value = 0;
    for (uint32_t i = 0; i < cuda->heap.memories.n; i++)
        *value +=
            cuda->heap.memories.v[i].of_graph && cuda->heap.memories.v[i].gpu == cuda->gpu->number
                ? cuda->heap.memories.v[i].bytes
                : 0;
    return attribute >= 0 && attribute <= 3 ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaDeviceGetGraphMemAttribute, int device, int attribute, void *value)
{
    CUDA_NEEDS(value);
    return CUDA_DO(graph_memory(cuda, device, attribute, value));
}

CUDA_API(cudaDeviceSetGraphMemAttribute, int device, int attribute, const void *value)
{
    CUDA_NEEDS(value);
    (void)attribute;
    return CUDA_DO(context_select(cuda, device));
}

CUDA_API(cudaDeviceGraphMemTrim, int device)
{
    return CUDA_DO(context_select(cuda, device));
}

// Copies

static struct cuda_node *copy_of(const struct cuda_graph *graph, const struct cuda_node *origin)
{
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (graph->nodes.v[i]->origin == origin)
            return graph->nodes.v[i];
    return NULL;
}

static void copy_inner(struct cuda *cuda, struct cuda_work *work)
{
    if (work->kind == WORK_GRAPH)
        work->graph = graph_copy(cuda, work->graph);
    if (work->kind != WORK_CONDITION)
        return;
    struct cuda_graph **from = work->condition.graphs;
    work->condition.graphs = ARENA_ARRAY(&cuda->arena, struct cuda_graph *, work->condition.count);
    for (uint32_t i = 0; i < work->condition.count; i++)
        work->condition.graphs[i] = graph_copy(cuda, from[i]);
}

struct cuda_graph *graph_copy(struct cuda *cuda, const struct cuda_graph *graph)
{
    struct cuda_graph *made = graph_new(cuda);
    for (uint32_t i = 0; i < graph->handles.n; i++)
        vec_push(&cuda->arena, &made->handles, graph->handles.v[i]);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        struct cuda_node *from = graph->nodes.v[i];
        struct cuda_node *node = graph_add(made, &from->work, from->type);
        copy_inner(cuda, &node->work);
        node->given = from->given;
        node->origin = from;
        attributes_copy(cuda, &node->attributes, &from->attributes);
    }
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        for (uint32_t k = 0; k < graph->nodes.v[i]->after.n; k++)
            vec_push(&cuda->arena, &made->nodes.v[i]->after,
                     copy_of(made, graph->nodes.v[i]->after.v[k]));
    graph_retain_objects(made, graph);
    return made;
}

static int clone_graph(struct cuda *cuda, void **to, void *handle)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    if (!graph)
        return cudaErrorInvalidValue;
    *to = graph_copy(cuda, graph);
    return cudaSuccess;
}

CUDA_API(cudaGraphClone, void **to, void *graph)
{
    CUDA_NEEDS(to);
    return CUDA_DO(clone_graph(cuda, to, graph));
}

static int find_in_clone(struct cuda *cuda, void **to, const void *node, void *handle)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    *to = graph ? copy_of(graph, node) : NULL;
    return *to ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphNodeFindInClone, void **to, const void *node, void *graph)
{
    CUDA_NEEDS(to);
    return CUDA_DO(find_in_clone(cuda, to, node, graph));
}

// Destruction

static int destroy_graph(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.all.n; i++)
        if (cuda->graphs.all.v[i] == handle) {
            graph_release_objects(handle);
            cuda->graphs.all.v[i] = cuda->graphs.all.v[--cuda->graphs.all.n];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

CUDA_API(cudaGraphDestroy, void *graph)
{
    return CUDA_DO(destroy_graph(cuda, graph));
}

static int destroy_node(struct cuda_node *node)
{
    struct cuda_graph *graph = node->graph;
    uint32_t kept = 0;
    if (node->type >= GRAPH_NODE_ALLOC && node->type <= GRAPH_NODE_FREE)
        return cudaErrorNotSupported; // as on a GPU
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        graph_remove_edge(graph->nodes.v[i], node);
        if (graph->nodes.v[i] != node)
            graph->nodes.v[kept++] = graph->nodes.v[i];
    }
    graph->nodes.n = kept;
    return cudaSuccess;
}

CUDA_API(cudaGraphDestroyNode, void *node)
{
    CUDA_NEEDS(node);
    return CUDA_DO(((void)cuda, destroy_node(node)));
}

// A text for Graphviz

static uint32_t number_of(const struct cuda_graph *graph, const struct cuda_node *node)
{
    uint32_t i = 0;
    while (i < graph->nodes.n && graph->nodes.v[i] != node)
        i++;
    return i;
}

static int print_graph(struct cuda *cuda, void *handle, const char *path)
{
    static const char *const types[] = {
        [GRAPH_NODE_KERNEL] = "kernel",   [GRAPH_NODE_COPY] = "memcpy",
        [GRAPH_NODE_SET] = "memset",      [GRAPH_NODE_HOST] = "host",
        [GRAPH_NODE_GRAPH] = "graph",     [GRAPH_NODE_EMPTY] = "empty",
        [GRAPH_NODE_WAIT] = "event wait", [GRAPH_NODE_RECORD] = "event record",
        [GRAPH_NODE_ALLOC] = "mem alloc", [GRAPH_NODE_FREE] = "mem free",
        [GRAPH_NODE_WORDS] = "words",     [GRAPH_NODE_CONDITION] = "conditional"};
    const struct cuda_graph *graph = graph_of(cuda, handle);
    FILE *to = graph ? fopen(path, "w") : NULL;
    if (!to)
        return graph ? cudaErrorOperatingSystem : cudaErrorInvalidValue;
    fputs("digraph dot {\n", to);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const struct cuda_node *node = graph->nodes.v[i];
        fprintf(to, "    n%u [label=\"%u: %s%s%s\"];\n", i, i, types[node->type],
                node->type == GRAPH_NODE_KERNEL ? " " : "",
                node->type == GRAPH_NODE_KERNEL ? node->work.launch.function->name : "");
        for (uint32_t k = 0; k < node->after.n; k++)
            fprintf(to, "    n%u -> n%u;\n", number_of(graph, node->after.v[k]), i);
    }
    fputs("}\n", to);
    return fclose(to) ? cudaErrorOperatingSystem : cudaSuccess;
}

CUDA_API(cudaGraphDebugDotPrint, void *graph, const char *path, unsigned flags)
{
    CUDA_NEEDS(path);
    (void)flags;
    return CUDA_DO(print_graph(cuda, graph, path));
}
