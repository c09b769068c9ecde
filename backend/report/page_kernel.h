// A kernel in the form of the HTML report. Private to the report.
#pragma once
#include "backend/diagnostics/diagnostics.h"
#include "backend/report/page.h"
#include "backend/report/remarks.h"
#include "support/json.h"

struct page_kernels {
    const struct page_input *input;
    struct place_cursor cursor;
    struct remarks remarks;  // all of the module
    uint32_t *function;      // of each kernel of the tables
    uint32_t *chain, *block; // of each function: the first one in the plan
    uint32_t *remark;        // of each function: the first one
};

void page_kernels_init(struct page_kernels *kernels, struct arena *arena,
                       const struct page_input *input);
// Writes the kernel of the tables as a JSON document that is valid within HTML.
void page_kernel_write(struct page_kernels *kernels, uint32_t kernel, FILE *to);
