#include "backend/report/report.h"
#include "backend/tables/rows.h"
#include "backend/tables/summary.h"
#include "support/json.h"

static void write_summary(struct json *json, const struct record_field *rows,
                          const struct summary *summary)
{
    json_object_flat(json);
    fields_write_json(json, rows, summary);
    json_end_object(json);
}

void report_json_profile(const struct tables *tables, struct json *json)
{
    if (tables->compared)
        fields_write_json(json, rows_comparison, tables);
    if (!tables->outcomes.policy)
        return;
    json_key(json, "outcomes");
    json_object(json);
    fields_write_json(json, rows_outcomes, &tables->outcomes);
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
        write_summary(&json, rows_kernel_counts, &one);
    }
    json_end_array(&json);
    json_key(&json, "total");
    write_summary(&json, rows_counts, &total);
    json_end_object(&json);
    report_json_profile(tables, &json);
    fields_write_json(&json, rows_report, tables);
    json_end_object(&json);
    json_done(&json);
}
