// The tables' records as rows (backend/fields.h), for JSON, objects and tags: rows_RECORD for each
// RECORD of metadata.def.
#pragma once
#include "backend/fields.h"
#include "backend/tables.h"

#define RECORD(NAME, ...) extern const struct record_field rows_##NAME[];
#define END_RECORD
#include "backend/metadata.def"
