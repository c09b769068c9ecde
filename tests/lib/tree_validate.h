// Checks the structure that every syntax tree has, whatever the text.
#pragma once
#include "frontend/tree.h"

// Returns NULL if ranges are nested or disjoint and sizes add up, otherwise the first fault.
static inline const char *tree_validate(const struct tree *tree)
{
    const struct node *nodes = tree->nodes.v;
    if (!tree->nodes.n || nodes[0].size != tree->nodes.n)
        return "the root does not hold all nodes";
    if (nodes[0].begin != 0 || nodes[0].end != tree->source->length)
        return "the root does not cover the source";
    for (uint32_t i = 0; i < tree->nodes.n; i++) {
        uint32_t at = nodes[i].begin, child = i + 1;
        if (nodes[i].end < nodes[i].begin)
            return "a node ends before it begins";
        if (nodes[i].kind == NODE_INSTR &&
            (uint32_t)nodes[i].value + (nodes[i].value >> 32) > tree->mods.n)
            return "an instruction has unknown modifiers";
        for (; child < i + nodes[i].size; child += nodes[child].size) {
            if (!nodes[child].size)
                return "a node has no size";
            if (nodes[child].begin < at)
                return "a node overlaps the one before it or its parent";
            at = nodes[child].end;
        }
        if (child != i + nodes[i].size)
            return "sizes do not add up";
        if (at > nodes[i].end)
            return "a child reaches behind its parent";
    }
    return NULL;
}
