// Nodes of graphs as the driver describes them: only the parameters of copies differ from those of
// the runtime library.
#include "runtime-sim/cuda/copies.h"
#include "runtime-sim/cuda/graphs.h"

// The driver's copies

static int driver_copy(struct cuda *cuda, const struct driver_copy3d *from, struct cuda_node *node)
{
    struct cuda_work work = {.kind = WORK_COPY};
    int error = cuda_begin(cuda);
    if (!error)
        error = copy_of_driver(cuda, from, &work.copy);
    if (!error)
        node->work = work;
    return error;
}

static int add_driver_copy(struct cuda *cuda, struct graph_edges edges,
                           const struct driver_copy3d *from)
{
    union cuda_node_values values = {0};
    struct cuda_node made = {0};
    int error = driver_copy(cuda, from, &made);
    if (!error)
        error = graph_add_node(cuda, edges, GRAPH_NODE_EMPTY, &values);
    if (error)
        return error;
    struct cuda_node *node = *edges.node;
    node->type = GRAPH_NODE_COPY;
    node->work = made.work;
    return cudaSuccess;
}

CUDA_API(cuGraphAddMemcpyNode, void **node, void *graph, void *const *after, size_t count,
         const struct driver_copy3d *from, void *context)
{
    CUDA_NEEDS(node && from);
    struct graph_edges edges = {node, graph, after, count};
    (void)context;
    return CUDA_DO(add_driver_copy(cuda, edges, from));
}

static int change_driver_copy(struct cuda *cuda, struct graph_place place,
                              const struct driver_copy3d *from)
{
    struct cuda_node *node = graph_find_node(cuda, place);
    return node && node->type == GRAPH_NODE_COPY ? driver_copy(cuda, from, node)
                                                 : cudaErrorInvalidValue;
}

CUDA_API(cuGraphMemcpyNodeSetParams, void *node, const struct driver_copy3d *from)
{
    CUDA_NEEDS(node && from);
    return CUDA_DO(change_driver_copy(cuda, (struct graph_place){NULL, node}, from));
}

CUDA_API(cuGraphExecMemcpyNodeSetParams, void *exec, void *node, const struct driver_copy3d *from,
         void *context)
{
    CUDA_NEEDS(exec && node && from);
    (void)context;
    return CUDA_DO(change_driver_copy(cuda, (struct graph_place){exec, node}, from));
}

// Nodes of any type: only the parameters of copies differ from the runtime library's.

static int add_of_driver(struct cuda *cuda, struct graph_edges edges, struct cuda_node_params *from)
{
    return from->type == GRAPH_NODE_COPY
               ? add_driver_copy(cuda, edges, &from->values.driver_copy.of)
               : graph_add_node(cuda, edges, from->type, &from->values);
}

CUDA_API(cuGraphAddNode, void **node, void *graph, void *const *after, const void *data,
         size_t count, struct cuda_node_params *from)
{
    CUDA_NEEDS(node && from);
    struct graph_edges edges = {node, graph, after, count};
    (void)data;
    return CUDA_DO(add_of_driver(cuda, edges, from));
}

CUDA_API(cuGraphAddNode_v1, void **node, void *graph, void *const *after, size_t count,
         struct cuda_node_params *from)
{
    CUDA_NEEDS(node && from);
    struct graph_edges edges = {node, graph, after, count};
    return CUDA_DO(add_of_driver(cuda, edges, from));
}

static int change_of_driver(struct cuda *cuda, struct graph_place place,
                            struct cuda_node_params *from)
{
    return from->type == GRAPH_NODE_COPY
               ? change_driver_copy(cuda, place, &from->values.driver_copy.of)
               : graph_change_node(cuda, place, from->type, &from->values);
}

CUDA_API(cuGraphNodeSetParams, void *node, struct cuda_node_params *from)
{
    CUDA_NEEDS(node && from);
    return CUDA_DO(change_of_driver(cuda, (struct graph_place){NULL, node}, from));
}

CUDA_API(cuGraphExecNodeSetParams, void *exec, void *node, struct cuda_node_params *from)
{
    CUDA_NEEDS(exec && node && from);
    return CUDA_DO(change_of_driver(cuda, (struct graph_place){exec, node}, from));
}
