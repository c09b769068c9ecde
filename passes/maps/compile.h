// Compiles a kernel to a map [003]: its iteration space becomes a stream of tokens.
//
// Without a loop a token is a thread; a kernel with rows (%tid.y, %ctaid.y) has one activation per
// row. With a loop in the threads, a token is an iteration of a thread; eight threads take turns,
// so that eight sums are in flight. In a kernel of one thread with a loop, or with a loop in a
// loop, a token is an iteration. Rows of such a nest are divided among several groups, which wait
// for each other's words. Independent rows take turns, as threads do.
//
// Conditions at the beginning that compare a place with a bound limit the stream. Other conditions
// become predicates of stores and selections of values. Loads at a constant distance share a unit:
// the leading one loads, and the others read its tokens later.
#pragma once
#include "passes/analysis/facts.h"
#include "passes/maps/map_hardware.h"
#include <stdio.h>

struct map_compiled {
    const struct map *map;            // NULL: refused
    const struct map_compiler *graph; // graph that it was made from; NULL: it has buffers, too
    enum plan_rule rule;              // of the refusal
    uint32_t inst;                    // instruction that caused it, or IR_NONE
    const char *why;                  // a sentence
    // Maximum number of executed instructions, and bytes of arrays that are read and written, each
    // array once: per thread outside of the loop, and per iteration. The map's values `trip` and
    // `trips` are the numbers of iterations.
    uint32_t instructions, loop_instructions;
    uint32_t bytes, loop_bytes;
    // Bytes of a thread's loads, and of its loads and stores, if each row fetches its arrays again.
    // 0 if no array is read in several rows.
    uint32_t row_loads, row_bytes;
    // Lines of the L1 that only one iteration of the `tile` threads of a tile touches: the next
    // iteration is the map's value `stride` further on.
    uint32_t loop_lines, tile;
    bool has_loop, has_tiles;
    bool has_nest; // with tiles: its rows take turns
    uint32_t rows; // rows of a nest per group
    bool scatters; // interleaved stores touch more lines than a unit collects: each is sent alone
    const struct map_compiled *next; // for launches that do not meet the conditions, or NULL
    double rate;                     // tokens of a row, or of a thread, per cycle, over all copies
    // The rate of a copy, tokens / cycles, and the cycle in the graph that limits it.
    uint64_t tokens, cycles;
    const char *limit;
    uint32_t copies, cores, lsus, lanes; // cores and load-store units of a copy
    uint32_t conditions;                 // on the launch
};

// Writes a map as *.map.yaml. Requires that it is not refused.
void map_compiled_write(const struct map_compiled *compiled, FILE *to);
// Compiles a kernel. `groups`: number of cores of the machine.
void map_compile(struct map_compiled *to, struct arena *arena, struct facts *facts, uint32_t groups,
                 const struct map_hardware *hardware);
