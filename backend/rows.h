// The tables' records as rows (backend/fields.h), for JSON and tags.
#pragma once
#include "backend/outcome_rows.h"
#include "backend/tables.h"

extern const struct record_field rows_document[];     // struct tables, all of the JSON document
extern const struct record_field rows_module[];       // struct tables, the part in tags
extern const struct record_field rows_small_module[]; // struct tables, the part in small tags
extern const struct record_field rows_kernel[];
extern const struct record_field rows_chain[];
extern const struct record_field rows_instruction[];
extern const struct record_field rows_block[];
extern const struct record_field rows_alternative[];
extern const struct record_field rows_map[];
extern const struct record_field rows_rejection[];
extern const struct record_field rows_change[];      // of --report=json
extern const struct record_field rows_measurement[]; // the same
extern const struct record_field rows_place[];       // the same
extern const struct record_field rows_report[];      // struct tables, the part that reports add
