// A JSON document in memory as a record: for files of whose JSON support/json.h is the writer.
#pragma once
#include "backend/tables/fields.h"

// Fills a zeroed record. Returns false if it is not JSON or does not match the rows.
bool json_line_read(void *record, const struct record_field *rows, struct arena *arena,
                    const char *text, size_t length);
