// The HTML report: one page that needs nothing else. It shows each kernel's PTX with its chains and
// blocks, why every other candidate was turned down, the costs with their numbers, and the flow
// graph. docs/report.md describes it; the page's own parts are in backend/html.
#pragma once
#include "backend/tables.h"

struct page_input {
    const struct tables *tables; // of this plan
    const struct ir_module *module;
    const struct plan *plan;
};

// Kernels are written one after the other, as JSON that the page reads when it shows one.
void report_html(const struct page_input *input, FILE *to);
