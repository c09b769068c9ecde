// The tables' records as rows (backend/tables/fields.h), for JSON, objects and tags: rows_RECORD
// for each RECORD of metadata.def.
#pragma once
#include "backend/tables/fields.h"
#include "backend/tables/tables.h"

#define RECORD(NAME, ...) extern const struct record_field rows_##NAME[];
#define END_RECORD
#include "backend/tables/metadata.def"
