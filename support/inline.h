// Functions that a compiler would not inline by itself.
#pragma once

#define ALWAYS_INLINE inline __attribute__((always_inline))
