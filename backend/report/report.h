// The reports as text and as JSON, from the tables alone.
#pragma once
#include "backend/tables/tables.h"

// The arena is for demangled names.
struct report_style {
    bool colour;
    uint32_t width; // columns after which lines are broken; 0: never
};

void report_text(const struct tables *tables, struct arena *arena, FILE *to,
                 struct report_style style);
// Writes the metadata document with one more key, "summary".
void report_json(const struct tables *tables, FILE *to);

struct json;
// Writes the members that a profile adds, if the tables have them.
void report_json_profile(const struct tables *tables, struct json *json);
