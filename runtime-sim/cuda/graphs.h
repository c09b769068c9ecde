// Graphs: works and the dependences between them.
#pragma once
#include "runtime-sim/cuda/work.h"

enum graph_node_type {
    GRAPH_NODE_KERNEL,
    GRAPH_NODE_COPY,
    GRAPH_NODE_SET,
    GRAPH_NODE_HOST,
    GRAPH_NODE_GRAPH,
    GRAPH_NODE_EMPTY,
    GRAPH_NODE_WAIT,
    GRAPH_NODE_RECORD,
    GRAPH_NODE_ALLOC = 10,
    GRAPH_NODE_FREE,
    GRAPH_NODE_WORDS,
    GRAPH_NODE_CONDITION,
};

struct cuda_node {
    struct cuda_graph *graph;
    struct cuda_work work;
    int type;                      // graph_node_type
    VEC(struct cuda_node *) after; // nodes that must precede this one
    bool done;                     // already ordered, while the nodes are sorted
    bool disabled;                 // in an executable graph: it has no effect
    struct cuda_node *origin;      // in an executable graph or clone: the graph's node
    union cuda_node_values given;  // of copies, allocations and conditions: as the program gave it
    struct cuda_attributes attributes; // of a kernel
};

// A word that kernels set and conditions read.
struct cuda_graph_handle {
    uint64_t address;
    uint32_t initial;
    bool assigns; // each run of the graph begins with the initial value
};

struct cuda_user_object;
struct cuda_graph {
    struct cuda *cuda;
    VEC(struct cuda_node *) nodes; // in order of capture or addition
    VEC(struct cuda_graph_handle) handles;
    VEC(struct cuda_user_object *) objects; // one element for each reference
};

struct cuda_graph_exec {
    struct cuda_graph *graph; // copies of the nodes, in an order that the edges allow
    unsigned long long flags;
};

// Returns a new graph, which the program may refer to.
struct cuda_graph *graph_new(struct cuda *cuda);
// Return the graph or executable graph of a handle, or NULL.
struct cuda_graph *graph_of(struct cuda *cuda, void *handle);
struct cuda_graph_exec *graph_exec_of(struct cuda *cuda, void *handle);
// Adds a node with a work.
struct cuda_node *graph_add(struct cuda_graph *graph, const struct cuda_work *work, int type);

// graph_nodes.c
struct graph_edges {
    void **node; // set to the new node
    void *graph;
    void *const *after;
    size_t count;
};
// A node of a graph, or with `exec` its copy in what was instantiated.
struct graph_place {
    void *exec, *node;
};
// Adds a node with these parameters, from which what the library sets is returned. Returns an
// error.
int graph_add_node(struct cuda *cuda, struct graph_edges edges, int type,
                   union cuda_node_values *values);
// Changes the parameters of a node of this type. Returns an error.
int graph_change_node(struct cuda *cuda, struct graph_place place, int type,
                      union cuda_node_values *values);
// Returns the node at a place, or NULL.
struct cuda_node *graph_find_node(struct cuda *cuda, struct graph_place place);

// graph_edges.c
// Removes the edges from one node to another.
void graph_remove_edge(struct cuda_node *to, const struct cuda_node *from);

// graph_queries.c, graph_objects.c
// Returns a copy of a graph. The copies of its nodes have the originals as `origin`.
struct cuda_graph *graph_copy(struct cuda *cuda, const struct cuda_graph *graph);
// Drops the graph's references to the program's objects, and their callbacks run.
void graph_release_objects(struct cuda_graph *graph);
void graph_retain_objects(struct cuda_graph *to, const struct cuda_graph *from);
// Replaces the graphs within a work by copies whose nodes are ordered. Returns false for a cycle.
bool graph_order_inner(struct cuda *cuda, struct cuda_work *work);
