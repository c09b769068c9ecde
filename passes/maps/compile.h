// The compiler from a kernel to a map [003]: the iteration space of the kernel becomes a stream of
// tokens.
//
// Without a loop a thread is a token; a kernel with rows (%tid.y, %ctaid.y) has an activation for
// each row. With a loop in the threads, a token is an iteration of a thread: eight threads take
// turns, so that eight sums are in flight. A kernel of one thread with a loop, or a loop
// in a loop, has a token for an iteration; rows of the nest are in several groups, which wait for
// each other's words. Rows that need nothing of each other take turns, as threads do.
//
// Conditions at the begin that compare a place with a bound limit the stream; other conditions
// become predicates of stores and choices between values. Loads at a constant distance share a
// unit: the one that is ahead loads, and the others read its tokens later.
#pragma once
#include "passes/analysis/facts.h"
#include "passes/maps/map_hardware.h"
#include <stdio.h>

struct map_compiled {
    const struct map *map;            // NULL: refused
    const struct map_compiler *graph; // that it was made of; NULL: it has buffers, too
    enum plan_rule rule;              // of the refusal
    uint32_t inst;                    // that caused it, or IR_NONE
    const char *why;                  // a sentence
    // Executed at most, and bytes of arrays that are read and written, each array once: by a thread
    // outside of the loop, and by an iteration. `trip` and `trips` of the map are their numbers.
    uint32_t instructions, loop_instructions;
    uint32_t bytes, loop_bytes;
    // Bytes of a thread's loads, and of its loads and stores, if each array is read again in each
    // row: arrays are read in several rows.
    uint32_t row_loads, row_bytes;
    // Lines of the L1 that an iteration of the `tile` threads of a tile touches alone: the next one
    // is elsewhere, by the value `stride` of the map.
    uint32_t loop_lines, tile;
    bool has_loop, has_tiles;
    bool has_nest; // with tiles: its rows take turns
    uint32_t rows; // of a nest in a group
    bool scatters; // turns store to more lines than a unit collects: each store is sent alone
    const struct map_compiled *next; // for launches that do not fulfil the conditions, or NULL
    double rate;                     // tokens of a row, or of a thread, in a cycle, of all copies
    // The rate of a copy, tokens / cycles, and the cycle in the graph that limits it.
    uint64_t tokens, cycles;
    const char *limit;
    uint32_t copies, cores, lsus, lanes; // cores and load-store units of a copy
    uint32_t conditions;                 // on the launch
};

// Writes a map that is not refused as *.map.yaml.
void map_compiled_write(const struct map_compiled *compiled, FILE *to);
// Compiles a kernel. `groups`: cores of the machine.
void map_compile(struct map_compiled *to, struct arena *arena, struct facts *facts, uint32_t groups,
                 const struct map_hardware *hardware);
