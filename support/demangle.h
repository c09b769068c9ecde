// Demangles names of C++ functions and variables (Itanium C++ ABI).
#pragma once
#include "support/vec.h"

// A demangled name, such as "void ns::scale<float>(float*, int)". Offsets are bytes of `text`.
struct demangled {
    const char *text;
    uint32_t name;                // start of the qualified name, after the return type
    uint32_t bare_end;            // end of the qualified name without template arguments
    uint32_t name_end;            // end of the qualified name with template arguments
    VEC(const char *) parameters; // parameter types
};

// Returns false if `mangled` is not a mangled name, or exceeds the limits on time, stack and text.
// Strings are in the arena.
bool demangle(struct demangled *to, struct arena *arena, const char *mangled);
