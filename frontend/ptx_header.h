// The header of a PTX text: version and target, in its first lines.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_header {
    uint16_t major, minor; // .version
    uint32_t arch;         // .target: 80 for sm_80; 0: no target, or not a number
    char suffix;           // 'a', 'f' or 0
};

// Reads the header. Returns true if the text begins, after white space and comments, with `.version
// M.N`.
bool ptx_header_read(struct ptx_header *header, const char *text, size_t size);

// Reads `sm_80`, `sm_90a`, `compute_100f`, `lto_80` or `80` at the beginning of a text. Returns the
// number of bytes read, or 0.
size_t arch_read(const char *text, size_t size, uint32_t *arch, char *suffix);
