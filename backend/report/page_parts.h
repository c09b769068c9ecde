// Parts of the HTML report that do not depend on the program, from the files in
// backend/report/html.
#pragma once
#include <stddef.h>

enum { PAGE_PARTS = 3 }; // before the module, before the kernels, after them

struct page_part {
    const char *bytes; // not terminated
    size_t length;
};

extern const struct page_part page_parts[PAGE_PARTS];
