// What was found, for people and as JSON. Both are made from the tables alone.
#pragma once
#include "backend/tables.h"

void report_text(const struct tables *tables, FILE *to, bool colour);
// The metadata document with one more key, "summary".
void report_json(const struct tables *tables, FILE *to);
