// Graphs, built by capture or node by node. A launch of a graph issues its works to one stream, in
// an order that its edges allow.
#include "runtime-sim/cuda/graphs.h"
#include "runtime-sim/cuda/copies.h"
#include <string.h>

enum node_type {
    GRAPH_NODE_KERNEL,
    GRAPH_NODE_COPY,
    GRAPH_NODE_SET,
    GRAPH_NODE_HOST,
    GRAPH_NODE_GRAPH,
    GRAPH_NODE_EMPTY,
    GRAPH_NODE_WAIT,
    GRAPH_NODE_RECORD,
};

enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

static struct cuda_graph *new_graph(struct cuda *cuda)
{
    struct cuda_graph *graph = ARENA_NEW(&cuda->arena, struct cuda_graph);
    graph->cuda = cuda;
    vec_push(&cuda->arena, &cuda->graphs.all, graph);
    return graph;
}

static struct cuda_graph *graph_of(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.all.n; i++)
        if (cuda->graphs.all.v[i] == handle)
            return handle;
    return NULL;
}

static struct cuda_graph_exec *exec_of(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.execs.n; i++)
        if (cuda->graphs.execs.v[i] == handle)
            return handle;
    return NULL;
}

static struct cuda_node *add_node(struct cuda_graph *graph, const struct cuda_work *work, int type)
{
    struct arena *arena = &graph->cuda->arena;
    struct cuda_node *node = ARENA_NEW(arena, struct cuda_node);
    node->work = *work;
    node->type = type;
    vec_push(arena, &graph->nodes, node);
    return node;
}

// Capture

static int type_of(const struct cuda_work *work)
{
    static const int types[] = {
        [WORK_NOTHING] = GRAPH_NODE_EMPTY, [WORK_LAUNCH] = GRAPH_NODE_KERNEL,
        [WORK_COPY] = GRAPH_NODE_COPY,     [WORK_SET] = GRAPH_NODE_SET,
        [WORK_CALL] = GRAPH_NODE_HOST,     [WORK_RECORD] = GRAPH_NODE_RECORD,
        [WORK_WAIT] = GRAPH_NODE_WAIT,     [WORK_GRAPH] = GRAPH_NODE_GRAPH};
    return types[work->kind];
}

int graph_capture(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work)
{
    (void)cuda;
    struct cuda_graph *graph = stream->capturing;
    uint32_t before = graph->nodes.n;
    struct cuda_node *node = add_node(graph, work, type_of(work));
    if (before)
        vec_push(&graph->cuda->arena, &node->after, graph->nodes.v[before - 1]);
    return cudaSuccess;
}

int graph_forbid(struct cuda *cuda, struct cuda_stream *stream)
{
    for (uint32_t i = 0; i < cuda->streams.all.n; i++)
        if (cuda->streams.all.v[i]->capture_id == stream->capture_id)
            cuda->streams.all.v[i]->capture_failed = true;
    stream->capture_failed = true;
    return cudaErrorStreamCaptureUnsupported;
}

static int begin_capture(struct cuda *cuda, void *handle, struct cuda_graph *into)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    if (stream->is_legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capturing)
        return cudaErrorIllegalState;
    error = cuda_begin(cuda);
    if (error)
        return error;
    stream->capturing = into ? into : new_graph(cuda);
    stream->owns_capture = true;
    stream->capture_failed = false;
    stream->capture_id = ++cuda->graphs.captures;
    return cudaSuccess;
}

static int end_capture(struct cuda *cuda, void *handle, void **graph)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    if (!stream->capturing)
        return cudaErrorIllegalState;
    if (!stream->owns_capture)
        return cudaErrorStreamCaptureUnmatched;
    struct cuda_graph *made = stream->capturing;
    bool failed = stream->capture_failed;
    stream->capturing = NULL;
    stream->owns_capture = stream->capture_failed = false;
    for (uint32_t i = 0; i < cuda->streams.all.n; i++)
        if (cuda->streams.all.v[i]->capturing == made) {
            cuda->streams.all.v[i]->capturing = NULL;
            cuda->streams.all.v[i]->capture_failed = false;
        }
    *graph = failed ? NULL : made;
    return failed ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

CUDA_API(cudaStreamBeginCapture, void *stream, int mode)
{
    (void)mode;
    return CUDA_DO(begin_capture(cuda, stream, NULL));
}

CUDA_API(cudaStreamEndCapture, void *stream, void **graph)
{
    CUDA_NEEDS(graph);
    return CUDA_DO(end_capture(cuda, stream, graph));
}

static int capture_state(struct cuda *cuda, void *handle, int *status, unsigned long long *id,
                         void **graph)
{
    int error;
    const struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    *status = !stream->capturing       ? CAPTURE_NONE
              : stream->capture_failed ? CAPTURE_INVALIDATED
                                       : CAPTURE_ACTIVE;
    if (id)
        *id = stream->capture_id;
    if (graph)
        *graph = stream->capturing;
    return cudaSuccess;
}

CUDA_API(cudaStreamIsCapturing, void *stream, int *status)
{
    CUDA_NEEDS(status);
    return CUDA_DO(capture_state(cuda, stream, status, NULL, NULL));
}

CUDA_API(cudaStreamGetCaptureInfo, void *stream, int *status, unsigned long long *id, void **graph,
         const void ***nodes, const void **edges, size_t *count)
{
    CUDA_NEEDS(status);
    if (nodes)
        *nodes = NULL;
    if (edges)
        *edges = NULL;
    if (count)
        *count = 0;
    return CUDA_DO(capture_state(cuda, stream, status, id, graph));
}

CUDA_API(cudaStreamGetCaptureInfo_v2, void *stream, int *status, unsigned long long *id,
         void **graph, const void ***nodes, size_t *count)
{
    CUDA_NEEDS(status);
    if (nodes)
        *nodes = NULL;
    if (count)
        *count = 0;
    return CUDA_DO(capture_state(cuda, stream, status, id, graph));
}

CUDA_API(cudaStreamGetCaptureInfo_v1, void *stream, int *status, unsigned long long *id)
{
    CUDA_NEEDS(status);
    return CUDA_DO(capture_state(cuda, stream, status, id, NULL));
}

CUDA_API(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    CUDA_NEEDS(mode);
    static __thread int current;
    int before = current;
    current = *mode;
    *mode = before;
    return cudaSuccess;
}

// Graphs built node by node

CUDA_API(cudaGraphCreate, void **graph, unsigned flags)
{
    CUDA_NEEDS(graph);
    (void)flags;
    return CUDA_DO((*graph = new_graph(cuda), cudaSuccess));
}

static int destroy_graph(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.all.n; i++)
        if (cuda->graphs.all.v[i] == handle) {
            cuda->graphs.all.v[i] = cuda->graphs.all.v[--cuda->graphs.all.n];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

CUDA_API(cudaGraphDestroy, void *graph)
{
    return CUDA_DO(destroy_graph(cuda, graph));
}

struct node_edges {
    void **node; // set to the new node
    void *graph;
    void *const *after;
    size_t count;
};

static bool are_nodes(void *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list || !list[i])
            return false;
    return true;
}

static int add_work(struct cuda *cuda, struct node_edges edges, const struct cuda_work *work)
{
    struct cuda_graph *graph = graph_of(cuda, edges.graph);
    if (!graph || !are_nodes(edges.after, edges.count))
        return cudaErrorInvalidValue;
    struct cuda_node *node = add_node(graph, work, type_of(work));
    for (size_t i = 0; i < edges.count; i++)
        vec_push(&cuda->arena, &node->after, edges.after[i]);
    *edges.node = node;
    return cudaSuccess;
}

static int kernel_work(struct cuda *cuda, const struct cuda_kernel_node *from,
                       struct cuda_work *work)
{
    struct launch_source source = {.function = function_of(cuda, from->function),
                                   .grid = from->grid,
                                   .block = from->block,
                                   .shared = from->shared,
                                   .parameters = from->parameters};
    int error = cuda_begin(cuda);
    return error ? error : launch_make(cuda, &cuda->arena, &source, work);
}

static int add_kernel(struct cuda *cuda, struct node_edges edges,
                      const struct cuda_kernel_node *from)
{
    struct cuda_work work;
    int error = kernel_work(cuda, from, &work);
    return error ? error : add_work(cuda, edges, &work);
}

CUDA_API(cudaGraphAddKernelNode, void **node, void *graph, void *const *after, size_t count,
         const struct cuda_kernel_node *from)
{
    CUDA_NEEDS(node && from);
    struct node_edges edges = {node, graph, after, count};
    return CUDA_DO(add_kernel(cuda, edges, from));
}

static int add_copy(struct cuda *cuda, struct node_edges edges, const struct cuda_copy3d *from)
{
    struct cuda_work work = {.kind = WORK_COPY};
    int error = copy_3d(cuda, from, &work.copy);
    return error ? error : add_work(cuda, edges, &work);
}

CUDA_API(cudaGraphAddMemcpyNode, void **node, void *graph, void *const *after, size_t count,
         const struct cuda_copy3d *from)
{
    CUDA_NEEDS(node && from);
    struct node_edges edges = {node, graph, after, count};
    return CUDA_DO(add_copy(cuda, edges, from));
}

static int add_plain_copy(struct cuda *cuda, struct node_edges edges, void *to, const void *from,
                          size_t bytes, int kind)
{
    struct cuda_work work = {.kind = WORK_COPY, .copy = {.width = bytes, .height = 1, .depth = 1}};
    int error = cuda_begin(cuda);
    if (!error)
        error = copy_sides(cuda, &work.copy, to, bytes, from, bytes, kind);
    return error ? error : add_work(cuda, edges, &work);
}

CUDA_API(cudaGraphAddMemcpyNode1D, void **node, void *graph, void *const *after, size_t count,
         void *to, const void *from, size_t bytes, int kind)
{
    CUDA_NEEDS(node);
    struct node_edges edges = {node, graph, after, count};
    return CUDA_DO(add_plain_copy(cuda, edges, to, from, bytes, kind));
}

static int add_set(struct cuda *cuda, struct node_edges edges, const struct cuda_set_node *from)
{
    struct cuda_work work = {.kind = WORK_SET,
                             .set = {.to = (uintptr_t)from->to,
                                     .pitch = from->pitch,
                                     .value = from->value,
                                     .element = from->element,
                                     .width = from->width * from->element,
                                     .height = from->height,
                                     .depth = 1}};
    return add_work(cuda, edges, &work);
}

CUDA_API(cudaGraphAddMemsetNode, void **node, void *graph, void *const *after, size_t count,
         const struct cuda_set_node *from)
{
    CUDA_NEEDS(node && from);
    struct node_edges edges = {node, graph, after, count};
    return CUDA_DO(add_set(cuda, edges, from));
}

CUDA_API(cudaGraphAddHostNode, void **node, void *graph, void *const *after, size_t count,
         const struct cuda_host_node *from)
{
    CUDA_NEEDS(node && from);
    struct node_edges edges = {node, graph, after, count};
    struct cuda_work work = {.kind = WORK_CALL,
                             .call = {.function = from->function, .context = from->context}};
    return CUDA_DO(add_work(cuda, edges, &work));
}

CUDA_API(cudaGraphAddEmptyNode, void **node, void *graph, void *const *after, size_t count)
{
    CUDA_NEEDS(node);
    struct node_edges edges = {node, graph, after, count};
    struct cuda_work work = {.kind = WORK_NOTHING};
    return CUDA_DO(add_work(cuda, edges, &work));
}

static int add_graph(struct cuda *cuda, struct node_edges edges, void *handle)
{
    struct cuda_work work = {.kind = WORK_GRAPH, .graph = graph_of(cuda, handle)};
    return work.graph ? add_work(cuda, edges, &work) : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphAddChildGraphNode, void **node, void *graph, void *const *after, size_t count,
         void *child)
{
    CUDA_NEEDS(node);
    struct node_edges edges = {node, graph, after, count};
    return CUDA_DO(add_graph(cuda, edges, child));
}

static int add_edges(struct cuda *cuda, void *handle, void *const *from, void *const *to,
                     size_t count)
{
    if (!graph_of(cuda, handle) || !are_nodes(from, count) || !are_nodes(to, count))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        struct cuda_node *node = to[i];
        vec_push(&cuda->arena, &node->after, from[i]);
    }
    return cudaSuccess;
}

CUDA_API(cudaGraphAddDependencies, void *graph, void *const *from, void *const *to,
         const void *edges, size_t count)
{
    (void)edges;
    return CUDA_DO(add_edges(cuda, graph, from, to, count));
}

CUDA_API(cudaGraphAddDependencies_v1, void *graph, void *const *from, void *const *to, size_t count)
{
    return CUDA_DO(add_edges(cuda, graph, from, to, count));
}

static int get_nodes(struct cuda *cuda, void *handle, void **nodes, size_t *count, bool roots)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    size_t found = 0;
    if (!graph)
        return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        if (roots && graph->nodes.v[i]->after.n)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes.v[i];
        found++;
    }
    *count = found;
    return cudaSuccess;
}

CUDA_API(cudaGraphGetNodes, void *graph, void **nodes, size_t *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(get_nodes(cuda, graph, nodes, count, false));
}

CUDA_API(cudaGraphGetRootNodes, void *graph, void **nodes, size_t *count)
{
    CUDA_NEEDS(count);
    return CUDA_DO(get_nodes(cuda, graph, nodes, count, true));
}

CUDA_API(cudaGraphNodeGetType, void *node, int *type)
{
    CUDA_NEEDS(node && type);
    *type = ((const struct cuda_node *)node)->type;
    return CUDA_DO(cudaSuccess);
}

static int set_kernel(struct cuda *cuda, void *handle, const struct cuda_kernel_node *from)
{
    struct cuda_node *node = handle;
    return node && node->type == GRAPH_NODE_KERNEL ? kernel_work(cuda, from, &node->work)
                                                   : cudaErrorInvalidValue;
}

CUDA_API(cudaGraphKernelNodeSetParams, void *node, const struct cuda_kernel_node *from)
{
    CUDA_NEEDS(from);
    return CUDA_DO(set_kernel(cuda, node, from));
}

// Executable graphs

// Appends a node after its predecessors. Returns false for a cycle.
static bool order_node(struct cuda_graph *to, struct cuda_node *node, uint32_t depth)
{
    if (node->done)
        return true;
    if (!depth)
        return false;
    for (uint32_t i = 0; i < node->after.n; i++)
        if (!order_node(to, node->after.v[i], depth - 1))
            return false;
    node->done = true;
    vec_push(&to->cuda->arena, &to->nodes, node);
    return true;
}

// Makes an executable graph. It copies the works, because the graph may change; `origin` keeps the
// connection for calls that change the copies.
static int instantiate(struct cuda *cuda, void **exec, void *handle)
{
    struct cuda_graph *graph = graph_of(cuda, handle);
    if (!graph)
        return cudaErrorInvalidValue;
    struct cuda_graph *ordered = ARENA_NEW(&cuda->arena, struct cuda_graph);
    ordered->cuda = cuda;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        graph->nodes.v[i]->done = false;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (!order_node(ordered, graph->nodes.v[i], graph->nodes.n + 1))
            return cudaErrorInvalidValue;
    for (uint32_t i = 0; i < ordered->nodes.n; i++) {
        struct cuda_node *copy = ARENA_NEW(&cuda->arena, struct cuda_node);
        *copy = (struct cuda_node){.work = ordered->nodes.v[i]->work,
                                   .type = ordered->nodes.v[i]->type,
                                   .origin = ordered->nodes.v[i]};
        ordered->nodes.v[i] = copy;
    }
    struct cuda_graph_exec *made = ARENA_NEW(&cuda->arena, struct cuda_graph_exec);
    made->graph = ordered;
    vec_push(&cuda->arena, &cuda->graphs.execs, made);
    *exec = made;
    return cudaSuccess;
}

CUDA_API(cudaGraphInstantiate, void **exec, void *graph, unsigned long long flags)
{
    CUDA_NEEDS(exec);
    (void)flags;
    return CUDA_DO(instantiate(cuda, exec, graph));
}

CUDA_API(cudaGraphInstantiateWithFlags, void **exec, void *graph, unsigned long long flags)
{
    CUDA_NEEDS(exec);
    (void)flags;
    return CUDA_DO(instantiate(cuda, exec, graph));
}

CUDA_API(cudaGraphInstantiateWithParams, void **exec, void *graph,
         struct cuda_instantiate *parameters)
{
    CUDA_NEEDS(exec && parameters);
    parameters->result = 0;
    return CUDA_DO(instantiate(cuda, exec, graph));
}

int graph_run(struct cuda *cuda, const struct cuda_graph *graph, struct cuda_stream *stream)
{
    int error = cudaSuccess;
    for (uint32_t i = 0; i < graph->nodes.n && !error; i++)
        error = work_run(cuda, stream, &graph->nodes.v[i]->work);
    return error;
}

static int launch_graph(struct cuda *cuda, void *handle, void *on)
{
    int error;
    const struct cuda_graph_exec *exec = exec_of(cuda, handle);
    struct cuda_stream *stream = stream_of(cuda, on, &error);
    if (!exec || !stream)
        return exec ? error : cudaErrorInvalidValue;
    struct cuda_work work = {.kind = WORK_GRAPH, .graph = exec->graph};
    return work_issue(cuda, stream, &work);
}

CUDA_API(cudaGraphLaunch, void *exec, void *stream)
{
    return CUDA_DO(launch_graph(cuda, exec, stream));
}

CUDA_API(cudaGraphUpload, void *exec, void *stream)
{
    (void)stream;
    return CUDA_DO(exec_of(cuda, exec) ? cudaSuccess : cudaErrorInvalidValue);
}

static int destroy_exec(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.execs.n; i++)
        if (cuda->graphs.execs.v[i] == handle) {
            int error = cuda_synchronise(cuda);
            cuda->graphs.execs.v[i] = cuda->graphs.execs.v[--cuda->graphs.execs.n];
            return error ? cudaSuccess : error;
        }
    return cudaErrorInvalidValue;
}

CUDA_API(cudaGraphExecDestroy, void *exec)
{
    return CUDA_DO(destroy_exec(cuda, exec));
}

static int set_exec_kernel(struct cuda *cuda, void *handle, void *node,
                           const struct cuda_kernel_node *from)
{
    struct cuda_graph_exec *exec = exec_of(cuda, handle);
    for (uint32_t i = 0; exec && i < exec->graph->nodes.n; i++)
        if (exec->graph->nodes.v[i]->origin == node)
            return set_kernel(cuda, exec->graph->nodes.v[i], from);
    return cudaErrorInvalidValue;
}

CUDA_API(cudaGraphExecKernelNodeSetParams, void *exec, void *node,
         const struct cuda_kernel_node *from)
{
    CUDA_NEEDS(from);
    return CUDA_DO(set_exec_kernel(cuda, exec, node, from));
}

// Replaces the works by those of a graph whose nodes have the same types.
static int update(struct cuda *cuda, void *handle, void *graph, struct cuda_graph_update *result)
{
    enum { UPDATE_DONE, UPDATE_ERROR, UPDATE_TOPOLOGY };
    void *made = NULL;
    struct cuda_graph_exec *exec = exec_of(cuda, handle);
    int error = exec ? instantiate(cuda, &made, graph) : cudaErrorInvalidValue;
    *result = (struct cuda_graph_update){.result = UPDATE_ERROR};
    if (error)
        return error;
    struct cuda_graph *from = ((struct cuda_graph_exec *)made)->graph;
    bool same = from->nodes.n == exec->graph->nodes.n;
    for (uint32_t i = 0; i < from->nodes.n && same; i++)
        same = from->nodes.v[i]->type == exec->graph->nodes.v[i]->type;
    result->result = same ? UPDATE_DONE : UPDATE_TOPOLOGY;
    if (same)
        exec->graph = from;
    destroy_exec(cuda, made);
    return same ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
}

CUDA_API(cudaGraphExecUpdate, void *exec, void *graph, struct cuda_graph_update *result)
{
    CUDA_NEEDS(exec && result);
    return CUDA_DO(update(cuda, exec, graph, result));
}

static int update11(struct cuda *cuda, void *exec, void *graph, void **node, int *result)
{
    struct cuda_graph_update all = {0};
    int error = update(cuda, exec, graph, &all);
    *result = all.result;
    if (node)
        *node = all.node;
    return error;
}

CUDA_API(cudaGraphExecUpdate_v1, void *exec, void *graph, void **node, int *result)
{
    CUDA_NEEDS(exec && result);
    return CUDA_DO(update11(cuda, exec, graph, node, result));
}
