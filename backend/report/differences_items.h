// Collects the items of a kernel for the comparison of two reports.
#pragma once
#include "backend/report/differences.h"
#include "backend/emit/text.h"

struct report_item_list {
    bool by_text;                 // both reports have the text of instructions: compare it
    VEC(struct report_item) list; // chains, blocks, rejections
};

// Adds the kernel's chains, blocks and rejections. Requires `by_text`.
void items_of(struct report_item_list *to, struct arena *arena, const struct tables *tables,
              const struct table_kernel *kernel);
