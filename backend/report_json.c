#include "backend/report.h"
#include "backend/changes.h"
#include "backend/measured_list.h"
#include "backend/places.h"
#include "backend/rows.h"
#include "backend/summary.h"
#include "support/json.h"

#define COUNT(MEMBER)                                                                              \
    {                                                                                              \
        .key = #MEMBER, .kind = FIELD_UINT, .offset = offsetof(struct summary, MEMBER)             \
    }
#define COUNTS                                                                                     \
    COUNT(instructions), COUNT(instructions_tagged), COUNT(loads), COUNT(loads_tagged),            \
        COUNT(chains), COUNT(blocks), COUNT(candidates), COUNT(chosen), COUNT(conditional),        \
        COUNT(rejected)

static const struct record_field rows_total[] = {COUNTS, {.key = NULL}};
static const struct record_field rows_one[] = {
    {.key = "name", .kind = FIELD_TEXT, .offset = offsetof(struct summary, name)},
    COUNTS,
    {.key = NULL},
};

static void write_summary(struct json *json, const struct record_field *rows,
                          const struct summary *summary)
{
    json_object_flat(json);
    fields_write_json(json, rows, summary);
    json_end_object(json);
}

void report_json(const struct tables *tables, FILE *to)
{
    struct json json;
    struct summary total = summary_total(tables);
    json_init(&json, to);
    json_object(&json);
    fields_write_json(&json, rows_document, tables);
    json_key(&json, "summary");
    json_object(&json);
    json_key(&json, "kernels");
    json_array(&json);
    for (uint32_t i = 0; i < tables->kernels.n; i++) {
        struct summary one = summary_of(&tables->kernels.v[i]);
        write_summary(&json, rows_one, &one);
    }
    json_end_array(&json);
    json_key(&json, "total");
    write_summary(&json, rows_total, &total);
    json_end_object(&json);
    if (tables->compared) {
        changes_json(tables, &json);
        measured_json(tables, &json);
    }
    outcomes_json(tables, &json);
    places_json(tables, &json);
    json_end_object(&json);
    json_done(&json);
}
