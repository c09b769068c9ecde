// A JSON document in memory as a record: for files of whose JSON support/json.h is the writer.
#pragma once
#include "backend/fields.h"

// Fills a zeroed record. False: it is no JSON, or not as the rows want it.
bool json_line_read(void *record, const struct record_field *rows, struct arena *arena,
                    const char *text, size_t length);
