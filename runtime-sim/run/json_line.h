// Reads a JSON document in memory into a record, for files that support/json.h wrote. Apart,
// because jansson and support/json.h have functions with equal names.
#pragma once
#include "backend/tables/fields.h"

// Fills a zeroed record. Returns false if the text is not JSON or does not match the rows.
bool json_line_read(void *record, const struct record_field *rows, struct arena *arena,
                    const char *text, size_t length);
