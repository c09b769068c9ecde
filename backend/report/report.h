// The reports as text and as JSON, from the tables alone.
#pragma once
#include "backend/tables/tables.h"

struct report_style {
    bool colour;
    uint32_t width; // columns after which lines are broken; 0: never
};

// Writes the report as text. The arena is for demangled names.
void report_text(const struct tables *tables, struct arena *arena, FILE *to,
                 struct report_style style);
// Writes the metadata document with the key "summary" and the other members of reports.
void report_json(const struct tables *tables, FILE *to);

struct json;
// Writes the members that a profile adds, if the tables have them.
void report_json_profile(const struct tables *tables, struct json *json);
