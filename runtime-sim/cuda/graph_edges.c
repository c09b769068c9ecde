// The nodes of graphs and their edges, as lists.
#include "runtime-sim/cuda/graphs.h"

// Lists. `count` is the room on entry, and the number of elements at the end.

struct node_list {
    void **nodes; // NULL: only count
    size_t *count, found;
};

static void list_add(struct node_list *list, void *node)
{
    if (list->nodes && list->found < *list->count)
        list->nodes[list->found] = node;
    list->found++;
}

static int list_end(struct node_list *list)
{
    for (size_t i = list->found; list->nodes && i < *list->count; i++)
        list->nodes[i] = NULL;
    *list->count = list->found;
    return cudaSuccess;
}

static int get_nodes(struct cuda *cuda, void *handle, struct node_list list, bool roots)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    if (!graph)
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (!roots || !graph->nodes.v[i]->after.n)
            list_add(&list, graph->nodes.v[i]);
    return list_end(&list);
}

CUDA_API(cudaGraphGetNodes, void *graph, void **nodes, size_t *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(get_nodes(cuda, graph, (struct node_list){nodes, count, 0}, false));
}

CUDA_API(cudaGraphGetRootNodes, void *graph, void **nodes, size_t *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(get_nodes(cuda, graph, (struct node_list){nodes, count, 0}, true));
}

static int get_edges(struct cuda *cuda, void *handle, void **from, void **to, size_t *count)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    size_t room = *count;
    struct node_list sources = {from, &room, 0}, targets = {to, count, 0};
    if (!graph)
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        for (uint32_t k = 0; k < graph->nodes.v[i]->after.n; k++) {
            list_add(&sources, graph->nodes.v[i]->after.v[k]);
            list_add(&targets, graph->nodes.v[i]);
        }
    list_end(&sources);
    return list_end(&targets);
}

// All edges have the default type.
static int get_plain_edges(struct cuda *cuda, void *graph, void **from, void **to, void *data,
                           size_t *count)
{
    enum { EDGE_BYTES = 8 };
    if (data)
        memset(data, 0, *count * EDGE_BYTES);
    return get_edges(cuda, graph, from, to, count);
}

CUDA_API(cudaGraphGetEdges, void *graph, void **from, void **to, void *data, size_t *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(get_plain_edges(cuda, graph, from, to, data, count));
}

CUDA_API(cudaGraphGetEdges_v1, void *graph, void **from, void **to, size_t *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(get_edges(cuda, graph, from, to, count));
}

static int get_neighbours(const struct cuda_node *node, bool following, struct node_list list)
{
    for (uint32_t i = 0; i < node->after.n && !following; i++)
        list_add(&list, node->after.v[i]);
    for (uint32_t i = 0; i < node->graph->nodes.n && following; i++) {
        struct cuda_node *other = node->graph->nodes.v[i];
        for (uint32_t k = 0; k < other->after.n; k++)
            if (other->after.v[k] == node)
                list_add(&list, other);
    }
    return list_end(&list);
}

CUDA_API(cudaGraphNodeGetDependencies, void *node, void **nodes, void *data, size_t *count)
{
    CUDA_NEEDS(node && count);
    (void)data;
    return CUDA_DO(get_neighbours(node, false, (struct node_list){nodes, count, 0}));
}

CUDA_API(cudaGraphNodeGetDependencies_v1, void *node, void **nodes, size_t *count)
{
    CUDA_NEEDS(node && count);
    return CUDA_DO(get_neighbours(node, false, (struct node_list){nodes, count, 0}));
}

CUDA_API(cudaGraphNodeGetDependentNodes, void *node, void **nodes, void *data, size_t *count)
{
    CUDA_NEEDS(node && count);
    (void)data;
    return CUDA_DO(get_neighbours(node, true, (struct node_list){nodes, count, 0}));
}

CUDA_API(cudaGraphNodeGetDependentNodes_v1, void *node, void **nodes, size_t *count)
{
    CUDA_NEEDS(node && count);
    return CUDA_DO(get_neighbours(node, true, (struct node_list){nodes, count, 0}));
}

// Edges

void graph_remove_edge(struct cuda_node *to, const struct cuda_node *from)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < to->after.n; i++)
        if (to->after.v[i] != from)
            to->after.v[kept++] = to->after.v[i];
    to->after.n = kept;
}

static int change_edges(struct cuda *cuda, void *handle, void *const *from, void *const *to,
                        size_t count, bool adds)
{
    bool good = graph_of(cuda, handle) && (!count || (from && to));
    for (size_t i = 0; i < count && good; i++)
        good = from[i] && to[i];
    for (size_t i = 0; i < count && good; i++) {
        struct cuda_node *node = to[i];
        if (adds)
            vec_push(&cuda->arena, &node->after, from[i]);
        else
            graph_remove_edge(node, from[i]);
    }
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphAddDependencies, void *graph, void *const *from, void *const *to,
         const void *data, size_t count)
{
    (void)data;
    return CUDA_DO(change_edges(cuda, graph, from, to, count, true));
}

CUDA_API(cudaGraphAddDependencies_v1, void *graph, void *const *from, void *const *to, size_t count)
{
    return CUDA_DO(change_edges(cuda, graph, from, to, count, true));
}

CUDA_API(cudaGraphRemoveDependencies, void *graph, void *const *from, void *const *to,
         const void *data, size_t count)
{
    (void)data;
    return CUDA_DO(change_edges(cuda, graph, from, to, count, false));
}

CUDA_API(cudaGraphRemoveDependencies_v1, void *graph, void *const *from, void *const *to,
         size_t count)
{
    return CUDA_DO(change_edges(cuda, graph, from, to, count, false));
}
