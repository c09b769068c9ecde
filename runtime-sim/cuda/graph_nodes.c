// Nodes of graphs that the program adds one by one, and their parameters: in a graph, and in what
// was instantiated from it.
#include "runtime-sim/cuda/graphs.h"
#include "runtime-sim/cuda/arrays.h"
#include "runtime-sim/cuda/copies.h"
#include "runtime-sim/cuda/memory.h"
#include <string.h>

// Works from parameters

static int kernel_work(struct cuda *cuda, const struct cuda_kernel_node *from,
                       const struct cuda_attributes *attributes, struct cuda_work *work)
{
    struct launch_source source = {.function = function_of(cuda, from->function),
                                   .grid = from->grid,
                                   .block = from->block,
                                   .shared = from->shared,
                                   .parameters = from->parameters};
    launch_read_attributes(&source, attributes->list.v, attributes->list.n);
    int error = cuda_begin(cuda);
    return error ? error : launch_make(cuda, &cuda->arena, &source, work);
}

static struct cuda_work set_work(const struct cuda_set_node *from)
{
    return (struct cuda_work){.kind = WORK_SET,
                              .set = {.to = (uintptr_t)from->to,
                                      .pitch = from->pitch,
                                      .value = from->value,
                                      .element = from->element,
                                      .width = from->width * from->element,
                                      .height = from->height,
                                      .depth = 1}};
}

// A contiguous copy, as one in three dimensions.
static struct cuda_copy3d plain_copy(void *to, const void *from, size_t bytes, int kind)
{
    return (struct cuda_copy3d){.source = {(void *)from, bytes, bytes, 1},
                                .to = {to, bytes, bytes, 1},
                                .extent = {bytes, 1, 1},
                                .kind = kind};
}

// Sets `copy` to one between memory and a variable. Returns an error.
static int symbol_copy(struct cuda *cuda, const void *symbol, size_t offset, void *other,
                       size_t bytes, bool writes, int kind, struct cuda_copy3d *copy)
{
    int error;
    const struct allocation *variable = symbol_variable(cuda, symbol, &error);
    if (!variable)
        return error;
    if (offset > variable->bytes || bytes > variable->bytes - offset)
        return cudaErrorInvalidValue;
    void *at = (void *)(variable->address + offset);
    *copy = plain_copy(writes ? at : other, writes ? other : at, bytes, kind);
    return cudaSuccess;
}

// The memory of an allocation exists from the addition of its node on, and is not freed: a launch
// may follow another, and has the same address.
static int allocate(struct cuda *cuda, struct cuda_alloc_node *alloc, struct cuda_work *work)
{
    uint64_t address;
    int error = alloc->bytes ? cuda_memory_allocate(cuda, KIND_DEVICE, alloc->bytes, &address)
                             : cudaErrorInvalidValue;
    if (error)
        return error;
    cuda_memory_at(cuda, address)->of_graph = true;
    alloc->at = (void *)address;
    *work = (struct cuda_work){.kind = WORK_NOTHING};
    return cudaSuccess;
}

static int release(struct cuda *cuda, const void *at, struct cuda_work *work)
{
    const struct cuda_memory *memory = cuda_memory_at(cuda, (uintptr_t)at);
    *work = (struct cuda_work){.kind = WORK_NOTHING};
    return memory && memory->of_graph && memory->address == (uintptr_t)at ? cudaSuccess
                                                                          : cudaErrorInvalidValue;
}

static int condition_work(struct cuda *cuda, struct cuda_condition_node *from,
                          struct cuda_work *work)
{
    bool is_known = from->type >= CONDITION_IF && from->type <= CONDITION_SWITCH;
    unsigned most = from->type == CONDITION_IF ? 2 : from->type == CONDITION_WHILE ? 1 : 1 << 16;
    if (!is_known || !from->count || from->count > most)
        return cudaErrorInvalidValue;
    struct cuda_graph **graphs = ARENA_ARRAY(&cuda->arena, struct cuda_graph *, from->count);
    for (unsigned i = 0; i < from->count; i++)
        graphs[i] = graph_new(cuda);
    from->graphs = (void **)graphs;
    *work = (struct cuda_work){.kind = WORK_CONDITION,
                               .condition = {.handle = from->handle,
                                             .type = (enum cuda_condition_type)from->type,
                                             .count = from->count,
                                             .graphs = graphs}};
    return cudaSuccess;
}

static int event_work(struct cuda *cuda, void *handle, enum cuda_work_kind kind,
                      struct cuda_work *work)
{
    *work = (struct cuda_work){.kind = kind, .event = event_of(cuda, handle)};
    return work->event ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

// A child graph is copied when its node gets it.
static int graph_work(struct cuda *cuda, void *handle, struct cuda_work *work)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    *work = (struct cuda_work){.kind = WORK_GRAPH};
    if (graph)
        work->graph = graph_copy(cuda, graph);
    return graph ? cudaSuccess : cudaErrorInvalidValue;
}

static int copy_work(struct cuda *cuda, const struct cuda_copy3d *from, struct cuda_work *work)
{
    *work = (struct cuda_work){.kind = WORK_COPY};
    return copy_3d(cuda, from, &work->copy);
}

// Sets a node's work from its type and parameters. Returns an error; the node is then unchanged.
static int set_node(struct cuda *cuda, struct cuda_node *node, union cuda_node_values *values)
{
    struct cuda_work work = {.kind = WORK_NOTHING};
    int error = cudaSuccess;
    switch (node->type) {
    case GRAPH_NODE_KERNEL:
        error = kernel_work(cuda, &values->kernel, &node->attributes, &work);
        break;
    case GRAPH_NODE_COPY: error = copy_work(cuda, &values->copy.of, &work); break;
    case GRAPH_NODE_SET: work = set_work(&values->set); break;
    case GRAPH_NODE_HOST:
        work = (struct cuda_work){
            .kind = WORK_CALL,
            .call = {.function = values->host.function, .context = values->host.context}};
        error = values->host.function ? cudaSuccess : cudaErrorInvalidValue;
        break;
    case GRAPH_NODE_GRAPH: error = graph_work(cuda, values->graph.of, &work); break;
    case GRAPH_NODE_EMPTY: break;
    case GRAPH_NODE_WAIT: error = event_work(cuda, values->event, WORK_WAIT, &work); break;
    case GRAPH_NODE_RECORD: error = event_work(cuda, values->event, WORK_RECORD, &work); break;
    case GRAPH_NODE_ALLOC: error = allocate(cuda, &values->alloc, &work); break;
    case GRAPH_NODE_FREE: error = release(cuda, values->released, &work); break;
    case GRAPH_NODE_CONDITION: error = condition_work(cuda, &values->condition, &work); break;
    default: return cuda_not_supported(cuda, "graph nodes of external semaphores");
    }
    if (error)
        return error;
    node->work = work;
    node->given = *values;
    return cudaSuccess;
}

// Additions

static bool are_nodes(void *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list || !list[i])
            return false;
    return true;
}

int graph_add_node(struct cuda *cuda, struct graph_edges edges, int type,
                   union cuda_node_values *values)
{
    struct cuda_graph *graph = graph_of(cuda, edges.graph);
    struct cuda_node made = {.type = type};
    if (!graph || !are_nodes(edges.after, edges.count))
        return cudaErrorInvalidValue;
    int error = set_node(cuda, &made, values);
    if (error)
        return error;
    struct cuda_node *node = graph_add(graph, &made.work, type);
    node->given = made.given;
    for (size_t i = 0; i < edges.count; i++)
        vec_push(&cuda->arena, &node->after, edges.after[i]);
    *edges.node = node;
    return cudaSuccess;
}

CUDA_API(cudaGraphAddNode, void **node, void *graph, void *const *after, const void *data,
         size_t count, struct cuda_node_params *from)
{
    CUDA_NEEDS(node && from);
    struct graph_edges edges = {node, graph, after, count};
    (void)data;
    return CUDA_DO(graph_add_node(cuda, edges, from->type, &from->values));
}

CUDA_API(cudaGraphAddNode_v1, void **node, void *graph, void *const *after, size_t count,
         struct cuda_node_params *from)
{
    CUDA_NEEDS(node && from);
    struct graph_edges edges = {node, graph, after, count};
    return CUDA_DO(graph_add_node(cuda, edges, from->type, &from->values));
}

// Defines the functions that add a node of one type, whose parameters are one argument.
#define ADD_NODE(name, node_type, argument, member, value)                                         \
    CUDA_API(name, void **node, void *graph, void *const *after, size_t count, argument from)      \
    {                                                                                              \
        CUDA_NEEDS(node &&from);                                                                   \
        struct graph_edges edges = {node, graph, after, count};                                    \
        union cuda_node_values values = {.member = value};                                         \
        return CUDA_DO(graph_add_node(cuda, edges, node_type, &values));                           \
    }
ADD_NODE(cudaGraphAddKernelNode, GRAPH_NODE_KERNEL, const struct cuda_kernel_node *, kernel, *from)
ADD_NODE(cudaGraphAddMemcpyNode, GRAPH_NODE_COPY, const struct cuda_copy3d *, copy.of, *from)
ADD_NODE(cudaGraphAddMemsetNode, GRAPH_NODE_SET, const struct cuda_set_node *, set, *from)
ADD_NODE(cudaGraphAddHostNode, GRAPH_NODE_HOST, const struct cuda_host_node *, host, *from)
ADD_NODE(cudaGraphAddChildGraphNode, GRAPH_NODE_GRAPH, void *, graph.of, from)
ADD_NODE(cudaGraphAddEventRecordNode, GRAPH_NODE_RECORD, void *, event, from)
ADD_NODE(cudaGraphAddEventWaitNode, GRAPH_NODE_WAIT, void *, event, from)
ADD_NODE(cudaGraphAddMemFreeNode, GRAPH_NODE_FREE, void *, released, from)

CUDA_API(cudaGraphAddEmptyNode, void **node, void *graph, void *const *after, size_t count)
{
    CUDA_NEEDS(node);
    struct graph_edges edges = {node, graph, after, count};
    union cuda_node_values values = {0};
    return CUDA_DO(graph_add_node(cuda, edges, GRAPH_NODE_EMPTY, &values));
}

static int add_alloc(struct cuda *cuda, struct graph_edges edges, struct cuda_alloc_node *from)
{
    union cuda_node_values values = {.alloc = *from};
    int error = graph_add_node(cuda, edges, GRAPH_NODE_ALLOC, &values);
    from->at = values.alloc.at;
    return error;
}

CUDA_API(cudaGraphAddMemAllocNode, void **node, void *graph, void *const *after, size_t count,
         struct cuda_alloc_node *from)
{
    CUDA_NEEDS(node && from);
    struct graph_edges edges = {node, graph, after, count};
    return CUDA_DO(add_alloc(cuda, edges, from));
}

CUDA_API(cudaGraphAddMemcpyNode1D, void **node, void *graph, void *const *after, size_t count,
         void *to, const void *from, size_t bytes, int kind)
{
    CUDA_NEEDS(node);
    struct graph_edges edges = {node, graph, after, count};
    union cuda_node_values values = {.copy.of = plain_copy(to, from, bytes, kind)};
    return CUDA_DO(graph_add_node(cuda, edges, GRAPH_NODE_COPY, &values));
}

static int add_symbol(struct cuda *cuda, struct graph_edges edges, const void *symbol,
                      size_t offset, void *other, size_t bytes, bool writes, int kind)
{
    union cuda_node_values values = {0};
    int error = symbol_copy(cuda, symbol, offset, other, bytes, writes, kind, &values.copy.of);
    return error ? error : graph_add_node(cuda, edges, GRAPH_NODE_COPY, &values);
}

CUDA_API(cudaGraphAddMemcpyNodeToSymbol, void **node, void *graph, void *const *after, size_t count,
         const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    CUDA_NEEDS(node);
    struct graph_edges edges = {node, graph, after, count};
    return CUDA_DO(add_symbol(cuda, edges, symbol, offset, (void *)from, bytes, true, kind));
}

CUDA_API(cudaGraphAddMemcpyNodeFromSymbol, void **node, void *graph, void *const *after,
         size_t count, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    CUDA_NEEDS(node);
    struct graph_edges edges = {node, graph, after, count};
    return CUDA_DO(add_symbol(cuda, edges, symbol, offset, to, bytes, false, kind));
}

static int make_handle(struct cuda *cuda, unsigned long long *to, void *handle, unsigned initial,
                       unsigned flags)
{
    struct cuda_graph *graph = graph_of(cuda, handle);
    uint64_t address;
    int error = graph ? cuda_memory_allocate(cuda, KIND_DEVICE, sizeof(uint32_t), &address)
                      : cudaErrorInvalidValue;
    if (error)
        return error;
    struct cuda_graph_handle made = {address, initial, flags & 1};
    vec_push(&cuda->arena, &graph->handles, made);
    *to = address;
    return cudaSuccess;
}

CUDA_API(cudaGraphConditionalHandleCreate, unsigned long long *to, void *graph, unsigned initial,
         unsigned flags)
{
    CUDA_NEEDS(to);
    return CUDA_DO(make_handle(cuda, to, graph, initial, flags));
}

CUDA_API(cuGraphConditionalHandleCreate, unsigned long long *to, void *graph, void *context,
         unsigned initial, unsigned flags)
{
    CUDA_NEEDS(to);
    (void)context;
    return CUDA_DO(make_handle(cuda, to, graph, initial, flags));
}

// Parameters of nodes

struct cuda_node *graph_find_node(struct cuda *cuda, struct graph_place place)
{
    struct cuda_graph_exec *exec = place.exec ? graph_exec_of(cuda, place.exec) : NULL;
    if (!place.exec)
        return place.node;
    for (uint32_t i = 0; exec && i < exec->graph->nodes.n; i++)
        if (exec->graph->nodes.v[i]->origin == place.node)
            return exec->graph->nodes.v[i];
    return NULL;
}

// A node of what was instantiated is changed as its origin would be: with its attributes, and its
// child graphs in order.
int graph_change_node(struct cuda *cuda, struct graph_place place, int type,
                      union cuda_node_values *values)
{
    struct cuda_node *node = graph_find_node(cuda, place);
    if (!node || node->type != type || type >= GRAPH_NODE_ALLOC)
        return cudaErrorInvalidValue;
    if (place.exec && node->origin->attributes.list.n)
        attributes_copy(cuda, &node->attributes, &node->origin->attributes);
    int error = set_node(cuda, node, values);
    if (error || type != GRAPH_NODE_GRAPH || !place.exec)
        return error;
    return graph_order_inner(cuda, &node->work) ? cudaSuccess : cudaErrorInvalidValue;
}

#define SET_NODE(name, exec_name, node_type, argument, member, value)                              \
    CUDA_API(name, void *node, argument from)                                                      \
    {                                                                                              \
        CUDA_NEEDS(node &&from);                                                                   \
        union cuda_node_values values = {.member = value};                                         \
        return CUDA_DO(                                                                            \
            graph_change_node(cuda, (struct graph_place){NULL, node}, node_type, &values));        \
    }                                                                                              \
    SET_EXEC_NODE(exec_name, node_type, argument, member, value)
#define SET_EXEC_NODE(exec_name, node_type, argument, member, value)                               \
    CUDA_API(exec_name, void *exec, void *node, argument from)                                     \
    {                                                                                              \
        CUDA_NEEDS(exec &&node &&from);                                                            \
        union cuda_node_values values = {.member = value};                                         \
        return CUDA_DO(                                                                            \
            graph_change_node(cuda, (struct graph_place){exec, node}, node_type, &values));        \
    }
SET_NODE(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, GRAPH_NODE_KERNEL,
         const struct cuda_kernel_node *, kernel, *from)
SET_NODE(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, GRAPH_NODE_COPY,
         const struct cuda_copy3d *, copy.of, *from)
SET_NODE(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, GRAPH_NODE_SET,
         const struct cuda_set_node *, set, *from)
SET_NODE(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, GRAPH_NODE_HOST,
         const struct cuda_host_node *, host, *from)
SET_NODE(cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent, GRAPH_NODE_RECORD,
         void *, event, from)
SET_NODE(cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent, GRAPH_NODE_WAIT,
         void *, event, from)
SET_EXEC_NODE(cudaGraphExecChildGraphNodeSetParams, GRAPH_NODE_GRAPH, void *, graph.of, from)

CUDA_API(cudaGraphNodeSetParams, void *node, struct cuda_node_params *from)
{
    CUDA_NEEDS(node && from);
    return CUDA_DO(
        graph_change_node(cuda, (struct graph_place){NULL, node}, from->type, &from->values));
}

CUDA_API(cudaGraphExecNodeSetParams, void *exec, void *node, struct cuda_node_params *from)
{
    CUDA_NEEDS(exec && node && from);
    return CUDA_DO(
        graph_change_node(cuda, (struct graph_place){exec, node}, from->type, &from->values));
}

static int change_copy(struct cuda *cuda, struct graph_place place, struct cuda_copy3d copy)
{
    union cuda_node_values values = {.copy.of = copy};
    return graph_change_node(cuda, place, GRAPH_NODE_COPY, &values);
}

static int change_symbol(struct cuda *cuda, struct graph_place place, const void *symbol,
                         size_t offset, void *other, size_t bytes, bool writes, int kind)
{
    struct cuda_copy3d copy;
    int error = symbol_copy(cuda, symbol, offset, other, bytes, writes, kind, &copy);
    return error ? error : change_copy(cuda, place, copy);
}

CUDA_API(cudaGraphMemcpyNodeSetParams1D, void *node, void *to, const void *from, size_t bytes,
         int kind)
{
    CUDA_NEEDS(node);
    struct graph_place place = {NULL, node};
    return CUDA_DO(change_copy(cuda, place, plain_copy(to, from, bytes, kind)));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParams1D, void *exec, void *node, void *to, const void *from,
         size_t bytes, int kind)
{
    CUDA_NEEDS(exec && node);
    struct graph_place place = {exec, node};
    return CUDA_DO(change_copy(cuda, place, plain_copy(to, from, bytes, kind)));
}

CUDA_API(cudaGraphMemcpyNodeSetParamsToSymbol, void *node, const void *symbol, const void *from,
         size_t bytes, size_t offset, int kind)
{
    CUDA_NEEDS(node);
    struct graph_place place = {NULL, node};
    return CUDA_DO(change_symbol(cuda, place, symbol, offset, (void *)from, bytes, true, kind));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParamsToSymbol, void *exec, void *node, const void *symbol,
         const void *from, size_t bytes, size_t offset, int kind)
{
    CUDA_NEEDS(exec && node);
    struct graph_place place = {exec, node};
    return CUDA_DO(change_symbol(cuda, place, symbol, offset, (void *)from, bytes, true, kind));
}

CUDA_API(cudaGraphMemcpyNodeSetParamsFromSymbol, void *node, void *to, const void *symbol,
         size_t bytes, size_t offset, int kind)
{
    CUDA_NEEDS(node);
    struct graph_place place = {NULL, node};
    return CUDA_DO(change_symbol(cuda, place, symbol, offset, to, bytes, false, kind));
}

CUDA_API(cudaGraphExecMemcpyNodeSetParamsFromSymbol, void *exec, void *node, void *to,
         const void *symbol, size_t bytes, size_t offset, int kind)
{
    CUDA_NEEDS(exec && node);
    struct graph_place place = {exec, node};
    return CUDA_DO(change_symbol(cuda, place, symbol, offset, to, bytes, false, kind));
}

// Attributes and states

CUDA_API(cudaGraphKernelNodeGetAttribute, void *node, int id, void *to)
{
    CUDA_NEEDS(node && to);
    return CUDA_DO((attribute_get(&((struct cuda_node *)node)->attributes, id, to), cudaSuccess));
}

// Attributes that a launch knows take effect when the work is made.
static int set_attribute(struct cuda *cuda, struct cuda_node *node, int id, const void *value)
{
    struct launch_source source = {0};
    if (node->type != GRAPH_NODE_KERNEL)
        return cudaErrorInvalidValue;
    attribute_set(cuda, &node->attributes, id, value);
    launch_read_attributes(&source, node->attributes.list.v, node->attributes.list.n);
    node->work.launch.cooperative = source.cooperative;
    node->work.launch.cluster[0] = source.cluster.x;
    node->work.launch.cluster[1] = source.cluster.y;
    node->work.launch.cluster[2] = source.cluster.z;
    return cudaSuccess;
}

CUDA_API(cudaGraphKernelNodeSetAttribute, void *node, int id, const void *value)
{
    CUDA_NEEDS(node && value);
    return CUDA_DO(set_attribute(cuda, node, id, value));
}

static int copy_attributes(struct cuda *cuda, struct cuda_node *to, const struct cuda_node *from)
{
    int error = to->type == from->type ? cudaSuccess : cudaErrorInvalidValue;
    for (uint32_t i = 0; i < from->attributes.list.n && !error; i++)
        error = set_attribute(cuda, to, from->attributes.list.v[i].id,
                              from->attributes.list.v[i].bytes);
    return error;
}

CUDA_API(cudaGraphKernelNodeCopyAttributes, void *to, const void *from)
{
    CUDA_NEEDS(to && from);
    return CUDA_DO(copy_attributes(cuda, to, from));
}

// Before version 13 the source was the first argument.
CUDA_API(cudaGraphKernelNodeCopyAttributes_v1, const void *from, void *to)
{
    CUDA_NEEDS(to && from);
    return CUDA_DO(copy_attributes(cuda, to, from));
}

static int set_enabled(struct cuda *cuda, struct graph_place place, bool enabled)
{
    struct cuda_node *node = graph_find_node(cuda, place);
    if (!node || node->type > GRAPH_NODE_SET)
        return cudaErrorInvalidValue;
    node->disabled = !enabled;
    return cudaSuccess;
}

CUDA_API(cudaGraphNodeSetEnabled, void *exec, void *node, unsigned enabled)
{
    CUDA_NEEDS(exec && node);
    return CUDA_DO(set_enabled(cuda, (struct graph_place){exec, node}, enabled));
}

static int get_enabled(struct cuda *cuda, struct graph_place place, unsigned *enabled)
{
    const struct cuda_node *node = graph_find_node(cuda, place);
    if (!node)
        return cudaErrorInvalidValue;
    *enabled = !node->disabled;
    return cudaSuccess;
}

CUDA_API(cudaGraphNodeGetEnabled, void *exec, void *node, unsigned *enabled)
{
    CUDA_NEEDS(exec && node && enabled);
    return CUDA_DO(get_enabled(cuda, (struct graph_place){exec, node}, enabled));
}
