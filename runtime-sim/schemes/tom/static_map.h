// Chooses a mapping without learning, from the parameters of a launch and the differences between
// the addresses of a block's accesses, which static analysis expresses as sums
// (passes/analysis/affine/affine.h).
//
// An instance touches the addresses a + d, where a is the address of its first access, and d are
// the distances of all its accesses, lanes and iterations from it. If all values of a are equally
// likely, then under bits b and b+1 all addresses are in one stack with the probability max(0, 1 -
// w / 2^b), where w is the shortest arc modulo 2^(b+2) that contains all distances.
#pragma once
#include "support/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct ir_module;
struct launch;
struct program;
struct tom_block;

// A value that is known at a launch.
struct static_factor {
    uint8_t kind; // enum static_kind
    uint8_t bits; // size of a parameter
    bool is_unsigned;
    uint32_t place;   // offset of a parameter; dimension of the block or grid
    uint64_t address; // address of a symbol
};

struct static_term {
    int64_t coefficient;
    struct static_factor factors[3];
    uint32_t count;
};

struct static_sum {
    int64_t constant;
    VEC(struct static_term) terms;
};

// An access of a block.
struct static_access {
    bool known;              // the distance from the first access is known
    struct static_sum apart; // this distance, in the first iteration and the first lane
    struct static_sum step;  // its change per iteration
    struct static_sum lane;  // its change per lane
    struct static_factor at; // base of the address
    bool has_base;
};

struct static_block {
    const struct tom_block *block;
    VEC(struct static_access) accesses;
};

struct static_map {
    VEC(struct static_block) blocks;
};

// Analyses the blocks of a program.
void static_map_build(struct static_map *map, struct arena *arena, const struct program *program,
                      const struct tom_block *blocks, uint32_t count);
// Counts blocks by the accesses that are at known distances from their first access [002 Fig. 5]:
// *all counts blocks in which all are, *some blocks in which the only access or one other than the
// first is.
void static_map_count(const struct static_map *map, uint64_t *some, uint64_t *all);
// Returns the lowest bit of the pair with the highest sum of probabilities over the accesses of the
// launch's blocks, the lowest such pair on a tie, or 0 if no distance is known. Writes the known
// bases of the accesses' addresses to `used`, at most `most`, and their number to *count.
uint32_t static_map_choose(const struct static_map *map, struct arena *arena,
                           const struct launch *launch, uint64_t *used, uint32_t max,
                           uint32_t *count);
// Returns the probability for `count` distances, in thousandths. Requires at least one distance,
// and space for `count` numbers in `room`.
uint32_t static_map_probability(const uint64_t *distances, uint32_t count, uint32_t bit,
                                uint64_t *room);
