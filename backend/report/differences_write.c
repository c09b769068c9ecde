// Differences as text and as JSON.
#include "backend/report/differences.h"
#include "support/demangle.h"
#include "support/json.h"
#include "support/number.h"
#include <string.h>

const char *item_lines(char text[2 * 24], const struct report_item *item)
{
    if (item->end_line > item->line)
        snprintf(text, 2 * 24, "%u..%u", item->line, item->end_line);
    else
        snprintf(text, 2 * 24, "%u", item->line);
    return text;
}

// Text

static const char signs[] = {
    [CHANGE_APPEARED] = '+', [CHANGE_VANISHED] = '-', [CHANGE_CHANGED] = '~'};

static void print_item(const struct differences *d, const struct tables *tables,
                       const struct report_item *item, FILE *to)
{
    char lines[2 * 24];
    item_lines(lines, item);
    if (!item->source_line)
        fprintf(to, "%s:%s", tables->source.file, lines);
    else if (d->by_source)
        fprintf(to, "%s:%u (%s:%s)", item->source_file, item->source_line, tables->source.file,
                lines);
    else
        fprintf(to, "%s:%s (%s:%u)", tables->source.file, lines, item->source_file,
                item->source_line);
    if (*item->text)
        fprintf(to, " | %s", item->text);
}

static void print_number(const char *name, double before, double after, FILE *to)
{
    char one[NUMBER_TEXT], other[NUMBER_TEXT];
    number_shortest(one, before);
    number_shortest(other, after);
    fprintf(to, "\n      %s: %s, before %s", name, other, one);
}

static void print_change(const struct differences *d, const struct difference *one, FILE *to)
{
    const struct report_item *before = one->before, *after = one->after;
    print_item(d, d->after, after, to);
    fputs("\n      before: ", to);
    print_item(d, d->before, before, to);
    fprintf(to, "\n      %s", after->verdict);
    if (strcmp(before->verdict, after->verdict) != 0)
        fprintf(to, ", before: %s", before->verdict);
    for (uint32_t i = 0; difference_numbers[one->kind][i]; i++)
        if (numbers_differ(before->numbers[i], after->numbers[i]))
            print_number(difference_numbers[one->kind][i], before->numbers[i], after->numbers[i],
                         to);
}

static void print_one(const struct differences *d, const struct difference *one, FILE *to)
{
    const struct report_item *item = one->after ? one->after : one->before;
    fprintf(to, "  %c %s %s ", signs[one->change], item_names[one->kind],
            change_names[one->change]);
    if (one->change == CHANGE_CHANGED) {
        print_change(d, one, to);
    } else {
        print_item(d, one->after ? d->after : d->before, item, to);
        fprintf(to, "\n      %s%s%s", item->verdict, *item->reason ? ": " : "", item->reason);
    }
    if (one->instead)
        fprintf(to, "\n      %s: %s [%s]",
                one->change == CHANGE_VANISHED ? "now rejected" : "rejected before",
                one->instead->reason, one->instead->verdict);
    putc('\n', to);
}

static void print_counts(const struct differences *d, FILE *to)
{
    for (int kind = 0; kind < ITEM_KINDS; kind++) {
        const uint32_t *counts = d->counts[kind];
        fprintf(to, "%-10s  %u appeared, %u vanished, %u changed, %u as before\n", item_names[kind],
                counts[CHANGE_APPEARED], counts[CHANGE_VANISHED], counts[CHANGE_CHANGED],
                d->equal[kind]);
    }
}

static void print_kernel(struct arena *arena, const char *name, FILE *to)
{
    struct demangled cxx;
    bool known = demangle(&cxx, arena, name);
    fprintf(to, "\n%s%s%s\n", name, known ? " | " : "", known ? cxx.text : "");
}

void differences_text(const struct differences *d, struct arena *arena, FILE *to)
{
    const char *kernel = NULL;
    fprintf(to, "before: %s, of %s\nafter:  %s, of %s\n", d->before_name, d->before->source.file,
            d->after_name, d->after->source.file);
    for (uint32_t i = 0; i < d->kernels.n; i++)
        fprintf(to, "kernel %s %s\n", d->kernels.v[i].name, change_names[d->kernels.v[i].change]);
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct difference *one = &d->list.v[i];
        if (one->kernel != kernel)
            print_kernel(arena, kernel = one->kernel, to);
        print_one(d, one, to);
    }
    putc('\n', to);
    print_counts(d, to);
}

// JSON

static void write_item(struct json *json, const char *key, const struct report_item *item)
{
    json_key(json, key);
    if (!item) {
        json_null(json);
        return;
    }
    json_object_flat(json);
    json_member_uint(json, "line", item->line);
    json_member_uint(json, "end_line", item->end_line);
    json_member_string(json, "source_file", item->source_line ? item->source_file : NULL);
    json_key(json, "source_line");
    if (item->source_line)
        json_uint(json, item->source_line);
    else
        json_null(json);
    json_member_string(json, "text", item->text);
    json_member_string(json, "verdict", item->verdict);
    if (item->kind == ITEM_REJECTION) {
        json_member_string(json, "candidate", table_candidate_names[item->candidate]);
        json_member_string(json, "reason", item->reason);
    }
    for (uint32_t i = 0; difference_numbers[item->kind][i]; i++) {
        json_member_double(json, difference_numbers[item->kind][i], item->numbers[i]);
    }
    json_end_object(json);
}

static void write_one(struct json *json, const struct difference *one)
{
    json_object(json);
    json_member_string(json, "kernel", one->kernel);
    json_member_string(json, "kind", item_names[one->kind]);
    json_member_string(json, "change", change_names[one->change]);
    write_item(json, "before", one->before);
    write_item(json, "after", one->after);
    write_item(json, "rejection", one->instead);
    json_end_object(json);
}

static void write_side(struct json *json, const char *key, const char *report,
                       const struct tables *tables)
{
    json_key(json, key);
    json_object_flat(json);
    json_member_string(json, "report", report);
    json_member_string(json, "file", tables->source.file);
    json_member_string(json, "sha256", tables->source.sha256);
    json_end_object(json);
}

static void write_summary(struct json *json, const struct differences *d)
{
    json_key(json, "summary");
    json_object(json);
    for (int kind = 0; kind < ITEM_KINDS; kind++) {
        json_key(json, item_names[kind]);
        json_object_flat(json);
        for (int change = 0; change < CHANGE_KINDS; change++) {
            json_member_uint(json, change_names[change], d->counts[kind][change]);
        }
        json_member_uint(json, "equal", d->equal[kind]);
        json_end_object(json);
    }
    json_end_object(json);
}

void differences_json(const struct differences *d, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_member_string(&json, "format", "ptxoffload-differences");
    json_member_uint(&json, "version", 1);
    write_side(&json, "before", d->before_name, d->before);
    write_side(&json, "after", d->after_name, d->after);
    json_key(&json, "kernels");
    json_array(&json);
    for (uint32_t i = 0; i < d->kernels.n; i++) {
        json_object_flat(&json);
        json_member_string(&json, "name", d->kernels.v[i].name);
        json_member_string(&json, "change", change_names[d->kernels.v[i].change]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "differences");
    json_array(&json);
    for (uint32_t i = 0; i < d->list.n; i++)
        write_one(&json, &d->list.v[i]);
    json_end_array(&json);
    write_summary(&json, d);
    json_end_object(&json);
    json_done(&json);
}
