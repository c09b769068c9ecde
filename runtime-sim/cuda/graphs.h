// Graphs: works and the dependences between them.
#pragma once
#include "runtime-sim/cuda/work.h"

struct cuda_node {
    struct cuda_work work;
    int type;                       // cudaGraphNodeType
    VEC(struct cuda_node *) after;  // nodes that must precede this one
    bool done;                      // already ordered, while the nodes are sorted
    const struct cuda_node *origin; // in an executable graph: the graph's node
};

struct cuda_graph {
    struct cuda *cuda;
    VEC(struct cuda_node *) nodes; // in order of capture or addition
};

struct cuda_graph_exec {
    struct cuda_graph *graph; // copies of the nodes, in an order that the edges allow
};
