// Conditions of blocks: numbers of iterations as expressions of registers and parameters
// (passes/analysis/trip/trip.h has the grammar), compiled to a list of operations on a stack.
#pragma once
#include "support/vec.h"

enum { CONDITION_DEPTH = 32 };

enum condition_kind {
    CONDITION_NUMBER,    // value
    CONDITION_REGISTER,  // place, bits: in the frame
    CONDITION_PARAMETER, // place, bits: of the kernel's parameters
    CONDITION_SUM,
    CONDITION_DIFFERENCE,
    CONDITION_PRODUCT,
    CONDITION_QUOTIENT,
    CONDITION_NEGATIVE,
    CONDITION_FUNCTION, // place: in the table of functions
};

struct condition_op {
    enum condition_kind kind;
    uint32_t place, bits;
    int64_t value;
};

struct condition {
    VEC(struct condition_op) ops;
};

// Sets kind, place and bits of a name; false: unknown.
typedef bool condition_name(void *context, const char *name, size_t length,
                            struct condition_op *to);
// Returns the value of a register or parameter.
typedef int64_t condition_read(void *context, const struct condition_op *op);

// Returns false if the text is no such expression, or has an unknown name.
bool condition_compile(struct condition *to, struct arena *arena, const char *text,
                       condition_name *name, void *context);
int64_t condition_value(const struct condition *condition, condition_read *read, void *context);
