#include "backend/diagnostics/diagnostics.h"
#include "support/json.h"

static void write_number(struct json *json, const char *key, const struct finding *finding,
                         uint32_t number)
{
    json_key(json, key);
    if (finding->placed && number)
        json_uint(json, number);
    else
        json_null(json);
}

static void write_message(struct json *json, const struct findings *findings,
                          const struct finding *finding)
{
    bool has_file = finding->artifact >= 0;
    json_member_string(json, "message", finding->message);
    json_member_string(json, "file",
                       has_file ? findings->artifacts.v[finding->artifact].name : NULL);
    write_number(json, "line", finding, finding->begin.line);
    write_number(json, "column", finding, finding->begin.column);
    write_number(json, "end_line", finding, finding->end.line);
    write_number(json, "end_column", finding, finding->end.column);
}

static void write_notes(struct json *json, const struct findings *findings, uint32_t at)
{
    json_key(json, "notes");
    json_array(json);
    for (; at < findings->list.n && findings->list.v[at].severity == DIAG_NOTE; at++) {
        json_object_flat(json);
        write_message(json, findings, &findings->list.v[at]);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_remark(struct json *json, const struct finding *finding)
{
    if (finding->severity != DIAG_REMARK)
        return;
    json_member_string(json, "function", finding->function);
    if (finding->analysis)
        return;
    json_member_bool(json, "passed", finding->passed);
}

void diagnostics_json(const struct findings *findings, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_array(&json);
    for (uint32_t i = 0; i < findings->list.n; i++) {
        const struct finding *finding = &findings->list.v[i];
        // Notes are written with the preceding message, except one that starts the list.
        if (finding->severity == DIAG_NOTE && i)
            continue;
        json_object(&json);
        json_member_string(&json, "severity", severity_word(finding->severity));
        json_member_bool(&json, "raised", finding->raised);
        json_member_string(&json, "id", finding->id);
        write_message(&json, findings, finding);
        if (finding->replacement) {
            json_member_string(&json, "replacement", finding->replacement);
        }
        write_remark(&json, finding);
        write_notes(&json, findings, i + 1);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_done(&json);
}
