// The rows of struct table_outcome, for profiles and reports.
#pragma once
#include "backend/tables/fields.h"

extern const struct record_field rows_outcome[];
