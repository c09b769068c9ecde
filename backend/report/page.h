// The HTML report: one self-contained page. It shows each kernel's PTX with its chains and blocks,
// the reasons of rejected candidates, the costs with their numbers, and the flow graph.
// docs/reference/report.md describes it; backend/report/html has its fixed parts, support/page
// those of all pages.
#pragma once
#include "backend/diagnostics/diagnostics.h"
#include "backend/report/remarks.h"
#include "backend/tables/tables.h"
#include "ir/loc.h"
#include "ir/source_files.h"
#include "support/file.h"
#include "support/json.h"

struct page_input {
    const struct tables *tables; // of this plan
    const struct ir_module *module;
    const struct plan *plan;
    const struct prefix_map *prefixes; // for names of CUDA files; NULL: none
};

// Writes the page, with each kernel as JSON that the page parses when it shows the kernel.
void report_html(const struct page_input *input, FILE *to);

// A kernel of the HTML report

struct page_kernels {
    const struct page_input *input;
    struct position_cursor cursor;
    struct ir_locs *locs;      // places in the CUDA source
    struct source_files files; // its text
    struct remarks remarks;    // all remarks of the module
    uint32_t *function;        // of each kernel of the tables: its index in the module
    uint32_t *chain, *block;   // of each function: its first one in the plan
    uint32_t *remark;          // of each function: its first one
};

// Collects the remarks, and finds each function's part of the plan.
void page_kernels_init(struct page_kernels *kernels, struct arena *arena,
                       const struct page_input *input);
// Writes the kernel of the tables as a JSON document that is valid within HTML.
void page_kernel_write(struct page_kernels *kernels, uint32_t kernel, FILE *to);
