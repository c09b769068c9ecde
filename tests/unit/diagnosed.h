// Reports about a text as "line:column id; line:column id". Notes have a plus sign first.
#pragma once
#include "tests/unit/program.h"

static inline const char *diagnosed(struct test_program *p)
{
    const char *all = "";
    diags_sort(&p->diags);
    for (uint32_t i = 0; i < p->diags.list.n; i++) {
        const struct diag *diag = &p->diags.list.v[i];
        struct source_position place = {0, 0};
        if (diag->begin != NO_OFFSET)
            place = source_position_at(&p->source, diag->begin);
        all = arena_printf(&p->arena, "%s%s%s%u:%u%s%s", all, *all ? "; " : "",
                           diag->severity == DIAG_NOTE ? "+" : "", place.line, place.column,
                           diag->severity == DIAG_NOTE      ? ""
                           : diag->severity == DIAG_WARNING ? " warning "
                                                            : " ",
                           diag->severity == DIAG_NOTE ? "" : diag->id);
    }
    return all;
}
