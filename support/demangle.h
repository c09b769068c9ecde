// Demangles names of C++ functions as compilers for CUDA mangle them (Itanium C++ ABI).
#pragma once
#include "support/vec.h"

// "void ns::scale<float>(float*, int)". Offsets are bytes of `text`.
struct demangled {
    const char *text;
    uint32_t name;                // begin of the qualified name, after the return type
    uint32_t bare_end;            // end of the qualified name without template arguments
    uint32_t name_end;            // the same with template arguments
    VEC(const char *) parameters; // types
};

// Returns false if `mangled` is not such a name, or has an expression, an operator or another form
// that names of kernels do not have. Time and memory are bounded. Strings are in the arena.
bool demangle(struct demangled *to, struct arena *arena, const char *mangled);
