// Writes a kernel for the HTML report. Private to the report.
#pragma once
#include "backend/diagnostics/diagnostics.h"
#include "backend/report/page.h"
#include "backend/report/remarks.h"
#include "support/json.h"

struct page_kernels {
    const struct page_input *input;
    struct place_cursor cursor;
    struct remarks remarks;  // all remarks of the module
    uint32_t *function;      // of each kernel of the tables: its index in the module
    uint32_t *chain, *block; // of each function: its first one in the plan
    uint32_t *remark;        // of each function: its first one
};

// Collects the remarks, and finds each function's part of the plan.
void page_kernels_init(struct page_kernels *kernels, struct arena *arena,
                       const struct page_input *input);
// Writes the kernel of the tables as a JSON document that is valid within HTML.
void page_kernel_write(struct page_kernels *kernels, uint32_t kernel, FILE *to);
