// Graphs: works in an order that their edges allow.
#pragma once
#include "runtime-sim/cuda/work.h"

struct cuda_node {
    struct cuda_work work;
    int type; // as cudaGraphNodeType
    VEC(struct cuda_node *) after;
    bool done;                      // while works are put into an order
    const struct cuda_node *origin; // of an executable graph: the node of the graph
};

struct cuda_graph {
    struct cuda *cuda;
    VEC(struct cuda_node *) nodes; // in the order of capture or addition
};

struct cuda_graph_exec {
    struct cuda_graph *graph; // its works in order
};
