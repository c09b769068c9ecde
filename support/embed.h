// Files embedded in the program; embed.py generates tables of them at build time.
#pragma once
#include <stdint.h>

struct embedded {
    const char *name; // NULL ends a table
    const char *text; // `length` bytes, then two NUL bytes
    uint32_t length;
};
