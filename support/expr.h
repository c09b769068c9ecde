// Expressions of run files and maps, with 64-bit integers and real numbers, C's operators, names
// and elements of buffers: `(n + 255) / 256`, `flag[0] != 0`, `squares[0] / n - mean * mean`.
// Libraries such as TinyExpr compute in doubles, which do not hold all 64-bit integers.
#pragma once
#include "support/scalar.h"
#include "support/vec.h"

enum expr_ref_kind { REF_NUMBER, REF_BUFFER };

struct expr_ref {
    enum expr_ref_kind kind;
    uint32_t index; // meaning defined by expr_names
};

// Resolves names in expressions. Errors are sentences without a full stop.
struct expr_names {
    void *context;
    // Returns false for an unknown name.
    bool (*find)(void *context, const char *name, size_t length, struct expr_ref *ref);
    // Loads the number, or the buffer's element. Returns NULL, or an error.
    const char *(*load)(void *context, struct expr_ref ref, int64_t element,
                        struct host_number *number);
    // Computes the address of a buffer's element, or of its end. Returns NULL, or an error.
    const char *(*address)(void *context, uint32_t buffer, int64_t element,
                           struct host_number *number);
    bool dotted; // a name may continue after a dot: "machine.cycles"
};

struct expr_node {
    uint8_t op;
    uint32_t a, b, c;    // operands, as indices of nodes
    uint32_t begin, end; // byte range in the text
    struct expr_ref ref;
    struct host_number number;
};

struct expr {
    VEC(struct expr_node) nodes;
    uint32_t root;
};

struct expr_fault {
    const char *text;
    uint32_t begin, end; // byte range in the expression
};

// Parses an expression. Returns NULL after setting *fault.
struct expr *expr_parse(struct arena *arena, const char *text, size_t length,
                        const struct expr_names *names, struct expr_fault *fault);
// Calls `visit` for each number by name in an expression, evaluated or not.
void expr_visit_numbers(const struct expr *expr, void *context,
                        void (*visit)(void *context, struct expr_ref ref));
// Evaluates an expression. Returns false after setting *fault.
bool expr_evaluate(const struct expr *expr, const struct expr_names *names,
                   struct host_number *number, struct expr_fault *fault);
