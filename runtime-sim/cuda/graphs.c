// Graphs, built by capture or node by node. A launch of a graph issues its works to one stream, in
// an order that its edges allow.
#include "runtime-sim/cuda/graphs.h"
#include "runtime-sim/cuda/memory.h"
#include <string.h>

enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

struct cuda_graph *graph_new(struct cuda *cuda)
{
    struct cuda_graph *graph = ARENA_NEW(&cuda->arena, struct cuda_graph);
    graph->cuda = cuda;
    vec_push(&cuda->arena, &cuda->graphs.all, graph);
    return graph;
}

struct cuda_graph *graph_of(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.all.n; i++)
        if (cuda->graphs.all.v[i] == handle)
            return handle;
    return NULL;
}

struct cuda_graph_exec *graph_exec_of(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.execs.n; i++)
        if (cuda->graphs.execs.v[i] == handle)
            return handle;
    return NULL;
}

struct cuda_node *graph_add(struct cuda_graph *graph, const struct cuda_work *work, int type)
{
    struct arena *arena = &graph->cuda->arena;
    struct cuda_node *node = ARENA_NEW(arena, struct cuda_node);
    node->graph = graph;
    node->work = *work;
    node->type = type;
    vec_push(arena, &graph->nodes, node);
    return node;
}

// Capture

static int type_of(const struct cuda_work *work)
{
    static const int types[] = {
        [WORK_NOTHING] = GRAPH_NODE_EMPTY,       [WORK_LAUNCH] = GRAPH_NODE_KERNEL,
        [WORK_COPY] = GRAPH_NODE_COPY,           [WORK_SET] = GRAPH_NODE_SET,
        [WORK_CALL] = GRAPH_NODE_HOST,           [WORK_RECORD] = GRAPH_NODE_RECORD,
        [WORK_WAIT] = GRAPH_NODE_WAIT,           [WORK_GRAPH] = GRAPH_NODE_GRAPH,
        [WORK_CONDITION] = GRAPH_NODE_CONDITION, [WORK_WORD] = GRAPH_NODE_WORDS};
    return types[work->kind];
}

int graph_capture(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work)
{
    (void)cuda;
    struct cuda_graph *graph = stream->capturing;
    uint32_t before = graph->nodes.n;
    struct cuda_node *node = graph_add(graph, work, type_of(work));
    if (before)
        vec_push(&graph->cuda->arena, &node->after, graph->nodes.v[before - 1]);
    return cudaSuccess;
}

int graph_capture_memory(struct cuda *cuda, struct cuda_stream *stream, uint64_t address,
                         uint64_t bytes)
{
    struct cuda_memory *memory = cuda_memory_at(cuda, address);
    struct cuda_graph *graph = stream->capturing;
    graph_capture(cuda, stream, &(struct cuda_work){.kind = WORK_NOTHING});
    struct cuda_node *node = graph->nodes.v[graph->nodes.n - 1];
    node->type = bytes ? GRAPH_NODE_ALLOC : GRAPH_NODE_FREE;
    if (bytes)
        node->given.alloc = (struct cuda_alloc_node){.bytes = bytes, .at = (void *)address};
    else
        node->given.released = (void *)address;
    if (memory && bytes)
        memory->of_graph = true;
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
    stream->capturing = into ? into : graph_new(cuda);
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
    if (graph)
        *graph = failed ? NULL : made;
    return failed ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

CUDA_API(cudaStreamBeginCapture, void *stream, int mode)
{
    (void)mode;
    return CUDA_DO(begin_capture(cuda, stream, NULL));
}

static int begin_capture_into(struct cuda *cuda, void *stream, void *handle)
{
    struct cuda_graph *graph = graph_of(cuda, handle);
    return graph ? begin_capture(cuda, stream, graph) : cudaErrorInvalidValue;
}

// The captured works follow all nodes of the graph, also those without a dependence.
CUDA_API(cudaStreamBeginCaptureToGraph, void *stream, void *graph, void *const *after,
         const void *edges, size_t count, int mode)
{
    (void)after;
    (void)edges;
    (void)count;
    (void)mode;
    return CUDA_DO(begin_capture_into(cuda, stream, graph));
}

static int check_capturing(struct cuda *cuda, void *handle)
{
    int error;
    const struct cuda_stream *stream = stream_of(cuda, handle, &error);
    return !stream ? error : stream->capturing ? cudaSuccess : cudaErrorIllegalState;
}

// Works follow the last node, whatever dependences the program chooses.
CUDA_API(cudaStreamUpdateCaptureDependencies, void *stream, void **nodes, const void *edges,
         size_t count, unsigned flags)
{
    (void)nodes;
    (void)edges;
    (void)count;
    (void)flags;
    return CUDA_DO(check_capturing(cuda, stream));
}

CUDA_API(cudaStreamUpdateCaptureDependencies_v1, void *stream, void **nodes, size_t count,
         unsigned flags)
{
    (void)nodes;
    (void)count;
    (void)flags;
    return CUDA_DO(check_capturing(cuda, stream));
}

// A program that captures into its own graph passes NULL.
CUDA_API(cudaStreamEndCapture, void *stream, void **graph)
{
    return CUDA_DO(end_capture(cuda, stream, graph));
}

// The next work of a capture depends on the last node of the graph, which is in the list.
struct capture_list {
    const void ***nodes;
    size_t *count;
};

static int capture_state(struct cuda *cuda, void *handle, int *status, unsigned long long *id,
                         void **graph, struct capture_list list)
{
    int error;
    struct cuda_stream *stream = stream_of(cuda, handle, &error);
    if (!stream)
        return error;
    *status = !stream->capturing       ? CAPTURE_NONE
              : stream->capture_failed ? CAPTURE_INVALIDATED
                                       : CAPTURE_ACTIVE;
    if (id)
        *id = stream->capture_id;
    if (graph)
        *graph = stream->capturing;
    uint32_t count = stream->capturing ? stream->capturing->nodes.n : 0;
    stream->capture_last = count ? stream->capturing->nodes.v[count - 1] : NULL;
    if (list.nodes)
        *list.nodes = &stream->capture_last;
    if (list.count)
        *list.count = count > 0;
    return cudaSuccess;
}

CUDA_API(cudaStreamIsCapturing, void *stream, int *status)
{
    CUDA_NEEDS(status);
    return CUDA_DO(capture_state(cuda, stream, status, NULL, NULL, (struct capture_list){0}));
}

CUDA_API(cudaStreamGetCaptureInfo, void *stream, int *status, unsigned long long *id, void **graph,
         const void ***nodes, const void **edges, size_t *count)
{
    CUDA_NEEDS(status);
    if (edges)
        *edges = NULL;
    return CUDA_DO(
        capture_state(cuda, stream, status, id, graph, (struct capture_list){nodes, count}));
}

CUDA_API(cudaStreamGetCaptureInfo_v2, void *stream, int *status, unsigned long long *id,
         void **graph, const void ***nodes, size_t *count)
{
    CUDA_NEEDS(status);
    return CUDA_DO(
        capture_state(cuda, stream, status, id, graph, (struct capture_list){nodes, count}));
}

CUDA_API(cudaStreamGetCaptureInfo_v1, void *stream, int *status, unsigned long long *id)
{
    CUDA_NEEDS(status);
    return CUDA_DO(capture_state(cuda, stream, status, id, NULL, (struct capture_list){0}));
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

static struct cuda_graph *order_graph(struct cuda *cuda, const struct cuda_graph *graph);

bool graph_order_inner(struct cuda *cuda, struct cuda_work *work)
{
    if (work->kind == WORK_GRAPH) {
        work->graph = order_graph(cuda, work->graph);
        return work->graph;
    }
    if (work->kind != WORK_CONDITION)
        return true;
    struct cuda_graph **graphs =
        ARENA_ARRAY(&cuda->arena, struct cuda_graph *, work->condition.count);
    for (uint32_t i = 0; i < work->condition.count; i++) {
        graphs[i] = order_graph(cuda, work->condition.graphs[i]);
        if (!graphs[i])
            return false;
    }
    work->condition.graphs = graphs;
    return true;
}

// Returns a copy with the nodes in an order that the edges allow, or NULL for a cycle.
static struct cuda_graph *order_graph(struct cuda *cuda, const struct cuda_graph *graph)
{
    struct cuda_graph *ordered = ARENA_NEW(&cuda->arena, struct cuda_graph);
    ordered->cuda = cuda;
    for (uint32_t i = 0; i < graph->handles.n; i++)
        vec_push(&cuda->arena, &ordered->handles, graph->handles.v[i]);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        graph->nodes.v[i]->done = false;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (!order_node(ordered, graph->nodes.v[i], graph->nodes.n + 1))
            return NULL;
    for (uint32_t i = 0; i < ordered->nodes.n; i++) {
        struct cuda_node *copy = ARENA_NEW(&cuda->arena, struct cuda_node);
        *copy = (struct cuda_node){.graph = ordered,
                                   .work = ordered->nodes.v[i]->work,
                                   .type = ordered->nodes.v[i]->type,
                                   .origin = ordered->nodes.v[i]};
        ordered->nodes.v[i] = copy;
        if (!graph_order_inner(cuda, &copy->work))
            return NULL;
    }
    return ordered;
}

// Makes an executable graph. It copies the works, because the graph may change; `origin` keeps the
// connection for calls that change the copies.
static int instantiate(struct cuda *cuda, void **exec, void *handle, unsigned long long flags)
{
    const struct cuda_graph *graph = graph_of(cuda, handle);
    struct cuda_graph *ordered = graph ? order_graph(cuda, graph) : NULL;
    if (!ordered)
        return cudaErrorInvalidValue;
    struct cuda_graph_exec *made = ARENA_NEW(&cuda->arena, struct cuda_graph_exec);
    *made = (struct cuda_graph_exec){ordered, flags};
    graph_retain_objects(ordered, graph);
    vec_push(&cuda->arena, &cuda->graphs.execs, made);
    *exec = made;
    return cudaSuccess;
}

CUDA_API(cudaGraphInstantiate, void **exec, void *graph, unsigned long long flags)
{
    CUDA_NEEDS(exec);
    return CUDA_DO(instantiate(cuda, exec, graph, flags));
}

CUDA_API(cudaGraphInstantiateWithFlags, void **exec, void *graph, unsigned long long flags)
{
    CUDA_NEEDS(exec);
    return CUDA_DO(instantiate(cuda, exec, graph, flags));
}

CUDA_API(cudaGraphInstantiateWithParams, void **exec, void *graph,
         struct cuda_instantiate *parameters)
{
    CUDA_NEEDS(exec && parameters);
    parameters->result = 0;
    return CUDA_DO(instantiate(cuda, exec, graph, parameters->flags));
}

int graph_run(struct cuda *cuda, const struct cuda_graph *graph, struct cuda_stream *stream)
{
    int error = cudaSuccess;
    for (uint32_t i = 0; i < graph->handles.n && !error; i++)
        if (graph->handles.v[i].assigns)
            error = work_run(cuda, stream,
                             &(struct cuda_work){.kind = WORK_SET,
                                                 .set = {.to = graph->handles.v[i].address,
                                                         .pitch = 4,
                                                         .value = graph->handles.v[i].initial,
                                                         .element = 4,
                                                         .width = 4,
                                                         .height = 1,
                                                         .depth = 1}});
    for (uint32_t i = 0; i < graph->nodes.n && !error; i++)
        if (!graph->nodes.v[i]->disabled)
            error = work_run(cuda, stream, &graph->nodes.v[i]->work);
    return error;
}

int graph_run_condition(struct cuda *cuda, const struct cuda_condition *condition,
                        struct cuda_stream *stream)
{
    for (;;) {
        int error = cuda_synchronise(cuda); // kernels set the word
        const uint8_t *word =
            device_at(cuda_memory_gpu(cuda, condition->handle)->device, condition->handle, 4);
        uint32_t value = 0, number = 0;
        if (error || !word)
            return error ? error : cudaErrorInvalidValue;
        memcpy(&value, word, sizeof value);
        if (condition->type == CONDITION_WHILE && !value)
            return cudaSuccess;
        if (condition->type != CONDITION_WHILE)
            number = condition->type == CONDITION_IF ? !value : value;
        if (number < condition->count)
            error = graph_run(cuda, condition->graphs[number], stream);
        if (error || condition->type != CONDITION_WHILE)
            return error;
    }
}

static int exec_flags(struct cuda *cuda, void *handle, unsigned long long *flags)
{
    const struct cuda_graph_exec *exec = graph_exec_of(cuda, handle);
    if (!exec)
        return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
}

CUDA_API(cudaGraphExecGetFlags, void *exec, unsigned long long *flags)
{
    CUDA_NEEDS(flags);
    return CUDA_DO(exec_flags(cuda, exec, flags));
}

static int launch_graph(struct cuda *cuda, void *handle, void *on)
{
    int error;
    const struct cuda_graph_exec *exec = graph_exec_of(cuda, handle);
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
    return CUDA_DO(graph_exec_of(cuda, exec) ? cudaSuccess : cudaErrorInvalidValue);
}

static int destroy_exec(struct cuda *cuda, void *handle)
{
    for (uint32_t i = 0; i < cuda->graphs.execs.n; i++)
        if (cuda->graphs.execs.v[i] == handle) {
            cuda_synchronise(cuda);
            graph_release_objects(cuda->graphs.execs.v[i]->graph);
            cuda->graphs.execs.v[i] = cuda->graphs.execs.v[--cuda->graphs.execs.n];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

CUDA_API(cudaGraphExecDestroy, void *exec)
{
    return CUDA_DO(destroy_exec(cuda, exec));
}

// Replaces the works by those of a graph whose nodes have the same types.
static int update(struct cuda *cuda, void *handle, void *graph, struct cuda_graph_update *result)
{
    enum { UPDATE_DONE, UPDATE_ERROR, UPDATE_TOPOLOGY };
    void *made = NULL;
    struct cuda_graph_exec *exec = graph_exec_of(cuda, handle);
    int error = exec ? instantiate(cuda, &made, graph, 0) : cudaErrorInvalidValue;
    *result = (struct cuda_graph_update){.result = UPDATE_ERROR};
    if (error)
        return error;
    struct cuda_graph *from = ((struct cuda_graph_exec *)made)->graph;
    bool same = from->nodes.n == exec->graph->nodes.n;
    for (uint32_t i = 0; i < from->nodes.n && same; i++)
        same = from->nodes.v[i]->type == exec->graph->nodes.v[i]->type;
    result->result = same ? UPDATE_DONE : UPDATE_TOPOLOGY;
    for (uint32_t i = 0; i < from->nodes.n && same; i++)
        exec->graph->nodes.v[i]->work = from->nodes.v[i]->work;
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
