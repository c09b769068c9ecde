// The HTML report: one self-contained page. It shows each kernel's PTX with its chains and blocks,
// the reasons of rejected candidates, the costs with their numbers, and the flow graph.
// docs/reference/report.md describes it; backend/report/html has the fixed parts of the page.
#pragma once
#include "backend/tables/tables.h"
#include "support/file.h"

struct page_input {
    const struct tables *tables; // of this plan
    const struct ir_module *module;
    const struct plan *plan;
    const struct prefix_map *prefixes; // for names of CUDA files; NULL: none
};

// Writes the page, with each kernel as JSON that the page parses when it shows the kernel.
void report_html(const struct page_input *input, FILE *to);
