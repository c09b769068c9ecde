/* Graphs of random nodes beside a model, their queries and changes, and conditional nodes. Needs no
 * header of the toolkit and no nvcc.
 *
 *     nodes MODULE */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 6, NODES = 30, CASES = 150 };
enum { KERNEL, COPY, SET, HOST, GRAPH, EMPTY, ALLOC = 10, FREE, CONDITION = 13 };
enum { IF, WHILE, SWITCH };

struct kernel {
    void *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra, *kern, *context;
};

struct set {
    uint64_t to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

struct host {
    void (*function)(void *context);
    void *context;
};

struct alloc {
    struct {
        int type, handles, location[2];
        void *security;
        size_t max;
        unsigned short usage;
        unsigned char reserved[54];
    } pool;
    const void *access;
    size_t access_count, bytes;
    uint64_t at;
};

struct node_params {
    int type, reserved[3];
    union {
        long long room[29];
        struct kernel kernel;
        struct set set;
        struct {
            uint64_t handle;
            int type;
            unsigned count;
            void **graphs, *context;
        } condition;
    };
    long long reserved2;
};

struct side {
    size_t x, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};

struct copy {
    struct side from, to;
    size_t width, height, depth;
};

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoad(void **module, const char *path);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuGraphCreate(void **graph, unsigned flags);
int cuGraphDestroy(void *graph);
int cuGraphAddKernelNode_v2(void **node, void *graph, void **after, size_t count,
                            const struct kernel *from);
int cuGraphAddMemsetNode(void **node, void *graph, void **after, size_t count,
                         const struct set *from, void *context);
int cuGraphAddMemcpyNode(void **node, void *graph, void **after, size_t count,
                         const struct copy *from, void *context);
int cuGraphAddHostNode(void **node, void *graph, void **after, size_t count,
                       const struct host *from);
int cuGraphAddEmptyNode(void **node, void *graph, void **after, size_t count);
int cuGraphAddChildGraphNode(void **node, void *graph, void **after, size_t count, void *child);
int cuGraphAddMemAllocNode(void **node, void *graph, void **after, size_t count,
                           struct alloc *from);
int cuGraphAddMemFreeNode(void **node, void *graph, void **after, size_t count, uint64_t at);
int cuGraphAddNode_v2(void **node, void *graph, void **after, const void *data, size_t count,
                      struct node_params *from);
int cuGraphConditionalHandleCreate(uint64_t *handle, void *graph, void *context, unsigned initial,
                                   unsigned flags);
int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
int cuGraphGetEdges(void *graph, void **from, void **to, size_t *count);
int cuGraphNodeGetDependencies(void *node, void **nodes, size_t *count);
int cuGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count);
int cuGraphRemoveDependencies(void *graph, void **from, void **to, size_t count);
int cuGraphNodeGetType(void *node, int *type);
int cuGraphKernelNodeGetParams_v2(void *node, struct kernel *to);
int cuGraphKernelNodeSetParams_v2(void *node, const struct kernel *from);
int cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const struct kernel *from);
int cuGraphMemsetNodeGetParams(void *node, struct set *to);
int cuGraphExecMemsetNodeSetParams(void *exec, void *node, const struct set *from, void *context);
int cuGraphNodeSetEnabled(void *exec, void *node, unsigned enabled);
int cuGraphNodeGetEnabled(void *exec, void *node, unsigned *enabled);
int cuGraphClone(void **to, void *graph);
int cuGraphNodeFindInClone(void **to, void *node, void *graph);
int cuGraphDestroyNode(void *node);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphExecUpdate_v2(void *exec, void *graph, void *result);
int cuGraphExecDestroy(void *exec);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
int cuStreamSynchronize(void *stream);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamBeginCaptureToGraph(void *stream, void *graph, void **after, const void *data,
                                size_t count, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream);
int cuUserObjectCreate(void **object, void *context, void (*destroy)(void *), unsigned count,
                       unsigned flags);
int cuGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags);

#define CALL(expression) call(expression, #expression, __LINE__)
#define CHECK(condition) check(condition, #condition, __LINE__)

static int failures;
static uint64_t seed = 3;

static void call(int error, const char *text, int line)
{
    if (!error)
        return;
    printf("line %d: %s: %d\n", line, text, error);
    exit(1);
}

static void check(int good, const char *text, int line)
{
    if (!good && failures++ < 10)
        printf("line %d: %s is false\n", line, text);
}

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

/* A node changes one slot; nodes of a slot follow each other. */
struct step {
    void *node;
    int type, slot, disabled;
    unsigned factor, term;
};

struct test {
    void *module, *step_function, *graph;
    uint64_t slots;
    uint32_t start[SLOTS];
    struct step steps[NODES];
    int count;
    void *last[SLOTS];
    size_t edges;
    uint32_t *host; /* of host nodes: counts */
};

static void count_call(void *context)
{
    ++*(uint32_t *)context;
}

static struct kernel kernel_of(struct test *t, const struct step *step, void **list, uint64_t *at)
{
    *at = t->slots + 4 * (unsigned)step->slot;
    list[0] = at;
    list[1] = (void *)&step->factor;
    list[2] = (void *)&step->term;
    return (struct kernel){t->step_function, {1, 1, 1}, {1, 1, 1}, 0, list};
}

static struct set set_of(struct test *t, const struct step *step)
{
    return (struct set){t->slots + 4 * (unsigned)step->slot, 4, step->term, 4, 1, 1};
}

static void add_step(struct test *t, int type)
{
    struct step *step = &t->steps[t->count++];
    void *after[3], *list[3];
    uint64_t at;
    size_t edges = 0;
    *step = (struct step){
        .type = type, .slot = (int)draw(SLOTS), .factor = 1 + draw(9), .term = draw(1000)};
    if (t->last[step->slot])
        after[edges++] = t->last[step->slot];
    for (int i = 0; i < 2 && t->count > 1; i++) {
        void *other = t->steps[draw((unsigned)t->count - 1)].node;
        int known = 0;
        for (size_t k = 0; k < edges; k++)
            known |= after[k] == other;
        if (!known)
            after[edges++] = other;
    }
    struct kernel kernel = kernel_of(t, step, list, &at);
    struct set set = set_of(t, step);
    struct host host = {count_call, t->host + step->slot};
    uint64_t to = t->slots + 4 * (unsigned)step->slot;
    struct copy copy = {
        {.type = 2, .device = t->slots + 4 * (SLOTS + step->term % SLOTS), .pitch = 4, .height = 1},
        {.type = 2, .device = to, .pitch = 4, .height = 1},
        4,
        1,
        1};
    if (type == KERNEL)
        CALL(cuGraphAddKernelNode_v2(&step->node, t->graph, after, edges, &kernel));
    else if (type == SET)
        CALL(cuGraphAddMemsetNode(&step->node, t->graph, after, edges, &set, NULL));
    else if (type == COPY)
        CALL(cuGraphAddMemcpyNode(&step->node, t->graph, after, edges, &copy, NULL));
    else if (type == HOST)
        CALL(cuGraphAddHostNode(&step->node, t->graph, after, edges, &host));
    else
        CALL(cuGraphAddEmptyNode(&step->node, t->graph, after, edges));
    t->last[step->slot] = step->node;
    t->edges += edges;
}

static void run_model(struct test *t, uint32_t *slots, uint32_t *calls)
{
    for (int i = 0; i < t->count; i++) {
        const struct step *step = &t->steps[i];
        uint32_t *slot = &slots[step->slot];
        if (step->disabled)
            continue;
        if (step->type == KERNEL)
            *slot = *slot * step->factor + step->term;
        if (step->type == SET)
            *slot = step->term;
        if (step->type == COPY)
            *slot = 7 * (step->term % SLOTS); /* constants after the slots */
        if (step->type == HOST)
            calls[step->slot]++;
    }
}

static void launch_and_compare(struct test *t, void *exec, const char *what)
{
    uint32_t got[SLOTS], want[SLOTS], calls[SLOTS];
    CALL(cuMemcpyHtoD_v2(t->slots, t->start, sizeof t->start));
    memcpy(want, t->start, sizeof want);
    memcpy(calls, t->host, sizeof calls);
    for (unsigned i = draw(2) + 1; i; i--) {
        CALL(cuGraphLaunch(exec, NULL));
        run_model(t, want, calls);
    }
    CALL(cuStreamSynchronize(NULL));
    CALL(cuMemcpyDtoH_v2(got, t->slots, sizeof got));
    if (memcmp(got, want, sizeof got) || memcmp(calls, t->host, sizeof calls))
        if (failures++ < 10)
            printf("%s: other values than the model's\n", what);
}

static void check_queries(struct test *t)
{
    void *nodes[NODES], *from[4 * NODES], *to[4 * NODES];
    size_t count = NODES, edges = 4 * NODES, total = 0;
    CALL(cuGraphGetNodes(t->graph, nodes, &count));
    CHECK(count == (size_t)t->count);
    CALL(cuGraphGetEdges(t->graph, from, to, &edges));
    CHECK(edges == t->edges);
    for (int i = 0; i < t->count; i++) {
        size_t before = 0, after = 0;
        int type;
        CALL(cuGraphNodeGetDependencies(t->steps[i].node, NULL, &before));
        CALL(cuGraphNodeGetDependentNodes(t->steps[i].node, NULL, &after));
        CALL(cuGraphNodeGetType(t->steps[i].node, &type));
        CHECK(type == t->steps[i].type);
        total += before + after;
    }
    CHECK(total == 2 * edges);
}

/* Changes nodes of the graph, or of what was instantiated. */
static void change_steps(struct test *t, void *exec)
{
    for (int i = 0; i < t->count; i++) {
        struct step *step = &t->steps[i];
        void *list[3];
        uint64_t at;
        if (draw(3) || !(step->type == KERNEL || (step->type == SET && exec)))
            continue;
        step->term = draw(1000);
        struct kernel kernel = kernel_of(t, step, list, &at);
        struct set set = set_of(t, step), back;
        if (step->type == KERNEL && exec)
            CALL(cuGraphExecKernelNodeSetParams_v2(exec, step->node, &kernel));
        else if (step->type == KERNEL)
            CALL(cuGraphKernelNodeSetParams_v2(step->node, &kernel));
        else
            CALL(cuGraphExecMemsetNodeSetParams(exec, step->node, &set, NULL));
        if (step->type == KERNEL && !exec) {
            struct kernel got;
            CALL(cuGraphKernelNodeGetParams_v2(step->node, &got));
            CHECK(*(uint32_t *)got.parameters[2] == step->term && got.grid[0] == 1);
        }
        if (step->type == SET) {
            CALL(cuGraphMemsetNodeGetParams(step->node, &back));
            CHECK(back.to == set.to && back.element == 4 && back.width == 1);
        }
        if (exec && draw(2)) {
            unsigned enabled;
            step->disabled = !step->disabled;
            CALL(cuGraphNodeSetEnabled(exec, step->node, !step->disabled));
            CALL(cuGraphNodeGetEnabled(exec, step->node, &enabled));
            CHECK(enabled == !step->disabled);
        }
    }
}

static void random_case(struct test *t)
{
    static const int types[] = {KERNEL, KERNEL, KERNEL, SET, COPY, HOST, EMPTY};
    void *exec, *other, *clone, *found;
    long long result[4];
    CALL(cuGraphCreate(&t->graph, 0));
    t->count = 0;
    t->edges = 0;
    memset(t->last, 0, sizeof t->last);
    for (int i = 0; i < SLOTS; i++)
        t->start[i] = draw(100);
    for (unsigned i = 2 + draw(NODES - 2); i; i--)
        add_step(t, types[draw(7)]);
    check_queries(t);
    CALL(cuGraphInstantiateWithFlags(&exec, t->graph, 0));
    launch_and_compare(t, exec, "instantiated");
    /* A changed graph updates what was instantiated, or is instantiated again. */
    struct step before[NODES];
    memcpy(before, t->steps, sizeof before);
    change_steps(t, NULL);
    CALL(cuGraphClone(&clone, t->graph));
    CALL(cuGraphNodeFindInClone(&found, t->steps[0].node, clone));
    CHECK(found && found != t->steps[0].node);
    CALL(cuGraphExecUpdate_v2(exec, clone, result));
    launch_and_compare(t, exec, "updated");
    change_steps(t, exec);
    launch_and_compare(t, exec, "changed");
    for (int i = 0; i < t->count; i++)
        t->steps[i].disabled = 0;
    CALL(cuGraphExecDestroy(exec));
    /* A child graph is a copy. */
    void *parent, *node;
    CALL(cuGraphCreate(&parent, 0));
    CALL(cuGraphAddChildGraphNode(&node, parent, NULL, 0, clone));
    CALL(cuGraphDestroy(clone));
    CALL(cuGraphDestroyNode(t->steps[0].node));
    CALL(cuGraphInstantiateWithFlags(&other, parent, 0));
    CALL(cuGraphExecDestroy(other));
    CALL(cuGraphDestroy(parent));
    CALL(cuGraphDestroy(t->graph));
}

/* Conditional nodes: a loop in which a switch and an if run, and memory that the graph allocates.
 */
static void conditions(struct test *t)
{
    void *graph, *exec, *node, *first, *countdown, *choose, *stream, *same;
    uint64_t loop, which, flag;
    uint32_t got[SLOTS] = {0};
    CALL(cuModuleGetFunction(&countdown, t->module, "countdown"));
    CALL(cuModuleGetFunction(&choose, t->module, "choose"));
    CALL(cuStreamCreate(&stream, 1));
    CALL(cuGraphCreate(&graph, 0));
    struct alloc alloc = {.pool = {.type = 1, .location = {1, 0}}, .bytes = 64};
    CALL(cuGraphAddMemAllocNode(&first, graph, NULL, 0, &alloc));
    struct set five = {t->slots, 4, 5, 4, 1, 1}, zero = {t->slots + 4, 4, 0, 4, SLOTS - 1, 1};
    struct set own = {alloc.at, 4, 9, 4, 16, 1};
    CALL(cuGraphAddMemsetNode(&node, graph, &first, 1, &five, NULL));
    CALL(cuGraphAddMemsetNode(&first, graph, &node, 1, &zero, NULL));
    CALL(cuGraphAddMemsetNode(&node, graph, &first, 1, &own, NULL));
    CALL(cuGraphConditionalHandleCreate(&loop, graph, NULL, 1, 1));
    struct node_params params = {.type = CONDITION,
                                 .condition = {.handle = loop, .type = WHILE, .count = 1}};
    CALL(cuGraphAddNode_v2(&first, graph, &node, NULL, 1, &params));
    void *body = params.condition.graphs[0];
    /* The body counts slot 0 down from 5, and runs case 0 to 2 of a switch, by its value. */
    uint64_t slot0 = t->slots, slot1 = t->slots + 4;
    void *count_arguments[] = {&loop, &slot0};
    struct kernel count_kernel = {countdown, {1, 1, 1}, {1, 1, 1}, 0, count_arguments};
    CALL(cuGraphAddKernelNode_v2(&node, body, NULL, 0, &count_kernel));
    CALL(cuGraphConditionalHandleCreate(&which, body, NULL, 0, 0));
    void *choose_arguments[] = {&which, &slot0};
    struct kernel choose_kernel = {choose, {1, 1, 1}, {1, 1, 1}, 0, choose_arguments};
    void *chosen;
    CALL(cuGraphAddKernelNode_v2(&chosen, body, &node, 1, &choose_kernel));
    params = (struct node_params){.type = CONDITION,
                                  .condition = {.handle = which, .type = SWITCH, .count = 3}};
    CALL(cuGraphAddNode_v2(&node, body, &chosen, NULL, 1, &params));
    void **cases = params.condition.graphs;
    for (unsigned i = 0; i < 3; i++) { /* slot 1 + case counts its executions */
        uint64_t at = t->slots + 4 * (1 + i);
        unsigned one = 1;
        void *arguments[] = {&at, &one, &one};
        struct kernel add = {t->step_function, {1, 1, 1}, {1, 1, 1}, 0, arguments};
        CALL(cuGraphAddKernelNode_v2(&same, cases[i], NULL, 0, &add));
    }
    /* An if with else, captured: slot 1 was counted, so the first graph runs. */
    CALL(cuGraphConditionalHandleCreate(&flag, graph, NULL, 0, 1));
    void *flag_arguments[] = {&flag, &slot1};
    struct kernel flag_kernel = {choose, {1, 1, 1}, {1, 1, 1}, 0, flag_arguments};
    CALL(cuGraphAddKernelNode_v2(&chosen, graph, &first, 1, &flag_kernel));
    params = (struct node_params){.type = CONDITION,
                                  .condition = {.handle = flag, .type = IF, .count = 2}};
    CALL(cuGraphAddNode_v2(&node, graph, &chosen, NULL, 1, &params));
    for (unsigned i = 0; i < 2; i++) {
        CALL(cuStreamBeginCaptureToGraph(stream, params.condition.graphs[i], NULL, NULL, 0, 0));
        CALL(cuMemsetD32Async(t->slots + 16, 100 + i, 1, stream));
        CALL(cuStreamEndCapture(stream, i ? &same : NULL));
        CHECK(!i || same == params.condition.graphs[i]);
    }
    CALL(cuGraphAddMemFreeNode(&first, graph, &node, 1, alloc.at));
    CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        CALL(cuGraphLaunch(exec, stream));
        CALL(cuStreamSynchronize(stream));
        CALL(cuMemcpyDtoH_v2(got, t->slots, sizeof got));
        CHECK(got[0] == 0 && got[1] == 1 && got[2] == 1 && got[3] == 1 && got[4] == 100);
        CALL(cuMemcpyDtoH_v2(got, alloc.at, sizeof got));
        CHECK(got[0] == 9 && got[3] == 9);
    }
    CALL(cuGraphDebugDotPrint(graph, "graph.dot", 0));
    CALL(cuGraphExecDestroy(exec));
    CALL(cuGraphDestroy(graph));
}

static void objects(void)
{
    uint32_t destroyed = 0;
    void *graph, *object, *exec;
    CALL(cuGraphCreate(&graph, 0));
    CALL(cuUserObjectCreate(&object, &destroyed, count_call, 1, 1));
    CALL(cuGraphRetainUserObject(graph, object, 1, 1));
    CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CALL(cuGraphDestroy(graph));
    CHECK(destroyed == 0);
    CALL(cuGraphExecDestroy(exec));
    CHECK(destroyed == 1);
}

int main(int argc, char **argv)
{
    static struct test t;
    uint32_t constants[2 * SLOTS] = {0};
    void *context;
    (void)argc;
    for (int i = 0; i < SLOTS; i++)
        constants[SLOTS + i] = 7 * (uint32_t)i;
    CALL(cuInit(0));
    CALL(cuDevicePrimaryCtxRetain(&context, 0));
    CALL(cuCtxSetCurrent(context));
    CALL(cuModuleLoad(&t.module, argv[1]));
    CALL(cuModuleGetFunction(&t.step_function, t.module, "step"));
    CALL(cuMemAlloc_v2(&t.slots, sizeof constants));
    CALL(cuMemcpyHtoD_v2(t.slots, constants, sizeof constants));
    t.host = calloc(SLOTS, sizeof *t.host);
    for (int i = 0; i < CASES; i++)
        random_case(&t);
    conditions(&t);
    objects();
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
