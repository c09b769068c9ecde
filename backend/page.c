#include "backend/page.h"
#include "backend/page_kernel.h"
#include "backend/page_parts.h"
#include "backend/report.h"
#include "backend/rows.h"
#include "backend/summary.h"
#include "passes/analysis/bandwidth.h"
#include <string.h>

static void member_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

static void member_uint(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_uint(json, value);
}

static void write_entry(struct json *json, const struct table_kernel *kernel)
{
    struct summary summary = summary_of(kernel);
    json_object_flat(json);
    member_text(json, "name", kernel->name);
    member_uint(json, "flits", summary.flits);
    json_key(json, "expected");
    json_double(json, summary.expected);
    json_key(json, "queue");
    json_bool(json, kernel->service_queue_at_core);
    json_key(json, "words");
    json_double(json, summary.words);
    member_uint(json, "instructions", summary.instructions);
    member_uint(json, "loads", summary.loads);
    member_uint(json, "loadsTagged", summary.loads_tagged);
    member_uint(json, "chains", summary.chains);
    member_uint(json, "blocks", summary.blocks);
    member_uint(json, "chosen", summary.chosen);
    member_uint(json, "missed", summary.rejected);
    json_end_object(json);
}

static void write_texts(struct json *json, const char *key, const char *const *texts)
{
    json_key(json, key);
    json_array_flat(json);
    for (; *texts; texts++)
        json_string(json, *texts);
    json_end_array(json);
}

static void write_rules(struct json *json)
{
    json_key(json, "rules");
    json_object_flat(json);
    for (uint32_t i = 0; i < remark_rule_count(); i++) {
        struct plan_rule_info rule = remark_rule(i);
        member_text(json, rule.id, rule.text);
    }
    json_end_object(json);
}

// [rule, count] of each kind of candidate.
static void write_reasons(const struct tables *tables, struct json *json)
{
    static const char *const names[] = {
        [SUMMARY_CHAINS] = "chains", [SUMMARY_BLOCKS] = "blocks", [SUMMARY_MAPS] = "maps"};
    json_key(json, "reasons");
    json_object_flat(json);
    for (int kind = 0; kind < SUMMARY_KINDS; kind++) {
        struct summary_reasons reasons = summary_reasons(tables, (enum summary_kind)kind);
        json_key(json, names[kind]);
        json_array(json);
        for (uint32_t i = 0; i < reasons.n; i++) {
            json_array(json);
            json_string(json, plan_rules[reasons.v[i].rule].id);
            json_uint(json, reasons.v[i].count);
            json_end_array(json);
        }
        json_end_array(json);
    }
    json_end_object(json);
}

static void write_module(const struct tables *tables, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json.shunned = '<';
    json_object_flat(&json);
    member_text(&json, "source", tables->source.file);
    member_text(&json, "output", tables->output.file);
    member_text(&json, "cost", table_cost_names[tables->options.cost]);
    member_text(&json, "fma", table_fma_names[tables->options.fma]);
    json_key(&json, "reorder");
    json_bool(&json, tables->options.reorder);
    json_key(&json, "by_source");
    json_bool(&json, tables->by_source);
    member_text(&json, "profile", tables->profile);
    report_json_profile(tables, &json);
    member_text(&json, "version", PTXOFFLOAD_VERSION);
    member_uint(&json, "S_W", BW_WARP);
    member_uint(&json, "S_C", BW_LINE);
    write_texts(&json, "formulas", table_formulas);
    write_rules(&json);
    write_reasons(tables, &json);
    json_key(&json, "kernels");
    json_array(&json);
    for (uint32_t i = 0; i < tables->kernels.n; i++)
        write_entry(&json, &tables->kernels.v[i]);
    json_end_array(&json);
    json_end_object(&json);
    json_done(&json);
}

static void write_part(uint32_t part, FILE *to)
{
    fwrite(page_parts[part].bytes, 1, page_parts[part].length, to);
}

void report_html(const struct page_input *input, FILE *to)
{
    struct arena arena;
    struct page_kernels kernels;
    arena_init(&arena, input->module->arena->memory);
    page_kernels_init(&kernels, &arena, input);
    write_part(0, to);
    write_module(input->tables, to);
    write_part(1, to);
    for (uint32_t i = 0; i < input->tables->kernels.n; i++) {
        fprintf(to, "<script type=\"application/json\" id=\"k%u\">", i);
        page_kernel_write(&kernels, i, to);
        fputs("</script>\n", to);
    }
    write_part(2, to);
    arena_free(&arena);
}
