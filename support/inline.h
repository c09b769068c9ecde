// For functions that compilers would not inline on their own.
#pragma once

#define ALWAYS_INLINE inline __attribute__((always_inline))
