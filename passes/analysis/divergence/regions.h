// The program structure tree of a function: single-entry single-exit regions, natural loops and
// straight-line code in one tree.
#pragma once
#include "ir/ir.h"
#include "support/arena.h"

// A block has three units: the head, where control flow merges and phis are; the body, all
// instructions except the final branch or return; and the tail, that branch or return. A region may
// end between a body and its tail.
enum unit_part { UNIT_HEAD, UNIT_BODY, UNIT_TAIL };
struct region_unit {
    uint32_t block;
    uint8_t part;
};

enum part_kind {
    PART_SEQUENCE, // children: bodies and regions in the order of control flow
    PART_REGION,   // the part between two neighbours of a sequence
    PART_LOOP,     // index: loop
    PART_UNIT,     // index: block
};

// A part of the function. A region, and adjacent children of a sequence, have one entry edge and
// one exit edge; the entry of a loop is its header.
struct region_part {
    uint8_t kind;
    uint8_t unit;    // PART_UNIT: unit_part
    bool open;       // PART_REGION: it has several exits
    bool at_block;   // PART_REGION: it starts at the head of a block, not at the tail of one
    uint32_t parent; // IR_NONE for the root
    uint32_t index;
    uint32_t entry;              // PART_REGION: its first block, or the block of its first tail
    uint32_t exit;               // PART_REGION: the block after it; IR_NONE: the end
    uint32_t begin, end;         // range of its units, which are consecutive
    uint32_t child, child_count; // into regions->children
};

struct regions {
    struct region_part *parts;
    uint32_t part_count, root;
    uint32_t *children;
    uint32_t *bottom_up; // all parts of the tree, children before parents
    uint32_t bottom_up_count;
    struct region_unit *units;
    uint32_t unit_count;
    uint32_t *place[3]; // by unit_part, per block: place of the unit; IR_NONE if unreachable
    uint32_t loops;     // part of loop 0; those of the others follow
};

// Builds the tree of a function with at least one block. Requires edges and loops of the IR.
// Unreachable blocks are left out. A cycle without an exit counts as reaching the end from one of
// its blocks. Results are in `arena`. Linear in blocks and edges.
void regions_build(struct regions *regions, struct arena *arena, const struct ir_function *fn);

// Returns true if the block itself ends the function: by a return, or because no block follows it.
bool regions_leaves(const struct ir_function *fn, uint32_t block);

// Cycle equivalence: classes of edges of a graph that are on the same cycles.

struct cycle_edge {
    uint32_t from, to;
};

// Partitions the edges of a connected multigraph into classes: two edges have the same number if
// every cycle with one of them has the other, too. Directions are ignored; in a strongly connected
// directed graph the classes are those of its directed cycles. An edge on no cycle has a class of
// its own. Requires room for `count` numbers in `classes`. Returns the number of classes. Linear in
// the graph.
uint32_t cycle_classes(struct arena *scratch, uint32_t nodes, const struct cycle_edge *edges,
                       uint32_t count, uint32_t *classes);
