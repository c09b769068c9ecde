#include "backend/report/page.h"
#include "backend/report/report.h"
#include "backend/tables/rows.h"
#include "backend/tables/summary.h"
#include "passes/analysis/cost/transfer.h"
#include "support/page.h"
#include <string.h>

static void write_entry(struct json *json, const struct table_kernel *kernel)
{
    struct summary summary = summary_of(kernel);
    json_object_flat(json);
    json_member_string(json, "name", kernel->name);
    json_member_uint(json, "flits", summary.flits);
    json_member_double(json, "expected", summary.expected);
    json_member_bool(json, "queue", kernel->service_queue_at_core);
    json_member_double(json, "words", summary.words);
    json_member_uint(json, "instructions", summary.instructions);
    json_member_uint(json, "loads", summary.loads);
    json_member_uint(json, "loadsTagged", summary.loads_tagged);
    json_member_uint(json, "chains", summary.chains);
    json_member_uint(json, "blocks", summary.blocks);
    json_member_uint(json, "chosen", summary.chosen);
    json_member_uint(json, "missed", summary.rejected);
    json_end_object(json);
}

static void write_formulas(struct json *json)
{
    json_key(json, "formulas");
    json_array_flat(json);
    for (uint32_t i = 0; i <= CHAIN_PATTERNS; i++)
        json_string(json, chain_patterns[i].form);
    json_end_array(json);
}

static void write_rules(struct json *json)
{
    json_key(json, "rules");
    json_object_flat(json);
    for (uint32_t i = 0; i < remark_rule_count(); i++) {
        struct plan_rule_info rule = remark_rule(i);
        json_member_string(json, rule.id, rule.text);
    }
    json_end_object(json);
}

// Writes [rule, count] pairs for each kind of candidate.
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

// Writes the module, without its kernels' text.
static void write_module(const void *context, FILE *to)
{
    const struct tables *tables = context;
    struct json json;
    json_init(&json, to);
    json.shunned = '<';
    json_object_flat(&json);
    json_member_string(&json, "source", tables->source.file);
    json_member_string(&json, "output", tables->output.file);
    json_member_string(&json, "cost", table_cost_names[tables->options.cost]);
    json_member_string(&json, "fma", table_fma_names[tables->options.fma]);
    json_member_bool(&json, "reorder", tables->options.reorder);
    json_member_bool(&json, "by_source", tables->by_source);
    json_member_string(&json, "profile", tables->profile);
    report_json_profile(tables, &json);
    json_member_string(&json, "version", PTXOFFLOAD_VERSION);
    json_member_uint(&json, "S_W", BW_WARP);
    json_member_uint(&json, "S_C", BW_LINE);
    write_formulas(&json);
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

static void write_kernels(const void *context, FILE *to)
{
    struct arena arena;
    struct page_kernels kernels;
    const struct page_input *input = context;
    arena_init(&arena, input->module->arena->memory);
    page_kernels_init(&kernels, &arena, input);
    for (uint32_t i = 0; i < input->tables->kernels.n; i++) {
        fprintf(to, "<script type=\"application/json\" id=\"k%u\">", i);
        page_kernel_write(&kernels, i, to);
        fputs("</script>\n", to);
    }
    arena_free(&arena);
}

extern const struct embedded report_files[]; // backend/report/html

void report_html(const struct page_input *input, FILE *to)
{
    const char *page = page_file(report_files, "page");
    const struct page_slot slots[] = {
        {"STYLE", .text = page_file(page_files, "style")},
        {"REPORT_STYLE", .text = page_file(report_files, "style")},
        {"MODULE", .write = write_module, .context = input->tables},
        {"KERNELS", .write = write_kernels, .context = input},
        {"SCRIPT", .text = page_file(page_files, "script")},
        {"REPORT_SCRIPT", .text = page_file(report_files, "script")},
        {0},
    };
    page_fill(to, page, strlen(page), slots);
}
