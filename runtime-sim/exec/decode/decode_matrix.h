// Decoding of matrix products: words, types and places of elements.
#pragma once
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/matrix_ops.h"

// The classified modifiers of an instruction.
struct matrix_words {
    uint32_t m, n, k;
    uint16_t types[4];
    uint32_t type_count;
    bool columns[2]; // the layout is .col
    uint32_t layout_count;
    uint32_t number; // .x1, .x2, .x4
    bool other;      // has an unknown modifier
};

enum matrix_part { PART_A, PART_B, PART_D };

struct matrix_words matrix_read_words(const struct decoder *d);
// Sets the type of a fragment's elements.
void matrix_set_type(struct fragment *f, uint16_t type);
// Places the elements of a fragment, whose type and registers are set.
void matrix_place_fragment(struct fragment *f, enum matrix_part part, uint32_t rows,
                           uint32_t columns);
// Sets the kind of a product of elements of this type. Returns false if it is not supported.
bool matrix_find_kind(const struct decoder *d, uint16_t type, struct product *product);
// Returns true if a is sparse.
bool matrix_is_sparse(const struct decoder *d);
// Sets which lanes' registers hold the selection bits of a sparse a with `words` words per row.
void matrix_place_halves(struct sparse *sparse, uint32_t bits, uint32_t words, uint32_t selector);
// Returns the first operand that is read at place n of the operand list, or NULL.
const struct ir_operand *matrix_operand_at(const struct decoder *d, uint32_t n);
// Marks the instruction as executed by all lanes of the warp together.
const char *matrix_name_all_lanes(struct decoder *d, struct code *code);
