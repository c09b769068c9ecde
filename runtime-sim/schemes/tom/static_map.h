// A mapping without learning: from the differences between the addresses of a block's accesses,
// which the analysis knows as sums (passes/analysis/affine/affine.h), and the parameters of a
// launch.
//
// An instance touches the addresses a + d, for the distances d of all its accesses, lanes and
// iterations from its first access. If a is any address, all are in one stack with the probability
// max(0, 1 - w / 2^b) under the bits b and b+1; w is the shortest arc modulo 2^(b+2) that has all
// distances.
#pragma once
#include "support/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct ir_module;
struct launch;
struct program;
struct tom_block;

// A value that a launch gives.
struct static_factor {
    uint8_t kind; // enum static_kind
    uint8_t bits; // of a parameter
    bool is_unsigned;
    uint32_t place; // offset of a parameter; dimension of the block or grid
    uint64_t address;
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
    bool known;              // its distance from the first access
    struct static_sum apart; // that distance, in the first iteration and the first lane
    struct static_sum step;  // for each iteration
    struct static_sum lane;  // for each lane
    struct static_factor at; // the base of its address
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
// Counts blocks with accesses at known distances from their first access: some beside the first
// one, if there are others, and all [002 Fig. 5].
void static_map_count(const struct static_map *map, uint64_t *some, uint64_t *all);
// Returns the lowest bit of the pair with the highest sum of probabilities over the accesses of the
// launch's blocks, of equals the lowest; 0: nothing is known. `used` receives the bases of the
// addresses of known accesses.
uint32_t static_map_choose(const struct static_map *map, struct arena *arena,
                           const struct launch *launch, uint64_t *used, uint32_t most,
                           uint32_t *count);
// The probability for distances, in thousandths. Requires at least one, and `room` for as many.
uint32_t static_map_probability(const uint64_t *distances, uint32_t count, uint32_t bit,
                                uint64_t *room);
