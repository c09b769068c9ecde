// The reports as text and as JSON, from the tables alone.
#pragma once
#include "backend/tables.h"

// The arena is for demangled names.
void report_text(const struct tables *tables, struct arena *arena, FILE *to, bool colour);
// Writes the metadata document with one more key, "summary".
void report_json(const struct tables *tables, FILE *to);
