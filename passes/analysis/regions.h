// The program structure tree of a function: single-entry single-exit regions, natural loops and
// straight-line code in one tree.
#pragma once
#include "ir/ir.h"

// A block is divided in three: its head is where control and phis join, its body is all its
// instructions but the branch or return at its end, which is its tail. A region may end between a
// body and its tail.
enum unit_part { UNIT_HEAD, UNIT_BODY, UNIT_TAIL };
struct region_unit {
    uint32_t block;
    uint8_t part;
};

enum part_kind {
    PART_SEQUENCE, // children: bodies and regions in the order in which control passes them
    PART_REGION,   // what lies between two neighbours of a sequence
    PART_LOOP,     // index: loop
    PART_UNIT,     // index: block
};

// A part of the function. Control enters a region or a run of a sequence's children at one edge and
// leaves it at one edge; a loop is entered at its header.
struct region_part {
    uint8_t kind;
    uint8_t unit;    // PART_UNIT: unit_part
    bool open;       // PART_REGION: control does not come out of it at one place
    bool at_block;   // PART_REGION: it begins at the head of a block, not at the tail of one
    uint32_t parent; // IR_NONE for the root
    uint32_t index;
    uint32_t entry;      // PART_REGION: block that it begins with, or whose tail it begins with
    uint32_t exit;       // PART_REGION: block that control goes to behind it; IR_NONE: the end
    uint32_t begin, end; // its units are consecutive
    uint32_t child, child_count; // into regions->children
};

struct regions {
    struct region_part *parts;
    uint32_t part_count, root;
    uint32_t *children;
    uint32_t *bottom_up; // all parts that are in the tree, children before parents
    uint32_t bottom_up_count;
    struct region_unit *units;
    uint32_t unit_count;
    uint32_t *place[3]; // by unit_part, per block: where the unit stands; IR_NONE if unreachable
    uint32_t loops;     // part of loop 0; the others follow
};

// Needs edges and loops of the IR; a function with at least one block. Blocks that cannot be
// reached are left out. A cycle that control cannot leave counts as going to the end from one of
// its blocks. All lies in `arena`. Linear in blocks and edges.
void regions_build(struct regions *regions, struct arena *arena, const struct ir_function *fn);

// True if the block has a way to the function's end by itself: a return, or nothing behind it.
bool regions_leaves(const struct ir_function *fn, uint32_t block);
