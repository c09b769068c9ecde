#include "backend/tables/rows.h"
#include "support/json.h"
#include "report/sim_report.h"
#include <string.h>

static const struct table_kernel *kernel_of(const struct tables *tables, const char *name)
{
    for (uint32_t i = 0; i < tables->kernels.n; i++)
        if (!strcmp(tables->kernels.v[i].name, name))
            return &tables->kernels.v[i];
    return NULL;
}

// Finds the item in the metadata. Returns false if it does not exist there.
static bool place_outcome(const struct table_kernel *kernel, const struct sim_item *item,
                          struct table_outcome *to)
{
    bool is_chain = !strcmp(item->kind, table_candidate_names[CANDIDATE_CHAIN]);
    if (!kernel || item->id >= (is_chain ? kernel->chains.n : kernel->blocks.n))
        return false;
    to->kind = is_chain ? CANDIDATE_CHAIN : CANDIDATE_BLOCK;
    if (is_chain) {
        const struct table_chain *chain = &kernel->chains.v[item->id];
        to->line = to->end_line = chain->instructions.v[0].line;
    } else {
        to->line = kernel->blocks.v[item->id].begin_line;
        to->end_line = kernel->blocks.v[item->id].end_line;
    }
    return true;
}

static void add_value(const struct sim_report *report, struct table_outcome *to, const char *name,
                      const char *unit, double value)
{
    struct table_value added = {name, unit, value};
    if (!isnan(value))
        vec_push(report->arena, &to->measured, added);
}

static void write_outcome(const struct sim_report *report, const struct tables *tables,
                          const struct sim_item *item, struct json *json)
{
    struct table_outcome outcome = {
        .kernel = item->name, .expected = item->expected, .expected_in = item->expected_in};
    if (!place_outcome(kernel_of(tables, item->name), item, &outcome))
        return;
    for (uint32_t i = 0; i < item->rows.n; i++)
        add_value(report, &outcome, item->rows.v[i].name, item->rows.v[i].unit,
                  item->rows.v[i].value);
    add_value(report, &outcome, "latency of loads", "cycles",
              sim_number(&report->total, "latency of loads"));
    add_value(report, &outcome, "hops of a packet", "hops",
              sim_number(&report->total, "hops of a packet"));
    json_object(json);
    fields_write_json(json, rows_outcome, &outcome);
    json_end_object(json);
}

void sim_outcomes_write(const struct sim_report *report, const struct tables *tables,
                        struct json *json)
{
    json_key(json, "tagged_from");
    json_object_flat(json);
    json_member_string(json, "file", tables->source.file);
    json_member_string(json, "sha256", tables->source.sha256);
    json_end_object(json);
    json_member_string(json, "policy", report->policy);
    json_member_string(json, "machine", report->machine);
    json_key(json, "offloaded");
    json_array(json);
    for (uint32_t i = 0; i < report->total.items.n; i++)
        write_outcome(report, tables, &report->total.items.v[i], json);
    json_end_array(json);
}
