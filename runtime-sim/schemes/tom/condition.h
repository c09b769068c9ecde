// Conditions of blocks: the number of iterations as an expression of registers and parameters
// (passes/analysis/trip/trip.h has the grammar), compiled to operations of a stack machine.
#pragma once
#include "support/vec.h"

enum { CONDITION_DEPTH = 32 };

enum condition_kind {
    CONDITION_NUMBER,    // value
    CONDITION_REGISTER,  // place, bits: set by condition_name
    CONDITION_PARAMETER, // place, bits: set by condition_name
    CONDITION_SUM,
    CONDITION_DIFFERENCE,
    CONDITION_PRODUCT,
    CONDITION_QUOTIENT,
    CONDITION_NEGATIVE,
    CONDITION_FUNCTION, // place: index in the table of functions
};

struct condition_op {
    enum condition_kind kind;
    uint32_t place, bits;
    int64_t value;
};

struct condition {
    VEC(struct condition_op) ops;
};

// Sets kind, place and bits for a name. Returns false if the name is unknown.
typedef bool condition_name(void *context, const char *name, size_t length,
                            struct condition_op *to);
// Returns the value of a register or parameter.
typedef int64_t condition_read(void *context, const struct condition_op *op);

// Compiles an expression. Returns false if the text is not one, or contains an unknown name.
bool condition_compile(struct condition *to, struct arena *arena, const char *text,
                       condition_name *name, void *context);
// Returns the value of a compiled condition.
int64_t condition_value(const struct condition *condition, condition_read *read, void *context);
