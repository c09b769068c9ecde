// The items of a kernel that two reports are compared by.
#pragma once
#include "backend/report/differences.h"
#include "backend/emit/text.h"

struct report_item_list {
    bool by_text; // instructions have a text in both reports, and are compared by it
    VEC(struct report_item) list; // chains, blocks, rejections
};

void items_of(struct report_item_list *to, struct arena *arena, const struct tables *tables,
              const struct table_kernel *kernel);
