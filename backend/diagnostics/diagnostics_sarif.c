// SARIF 2.1.0. Diagnostics about a text are results; those about the run, such as a missing file or
// exhausted memory, are notifications of the tool. The document has no time, folder or process, so
// that equal runs write equal documents.
#include "backend/diagnostics/diagnostics.h"
#include "support/diag.h"
#include "support/json.h"
#include <string.h>

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

struct sarif_writer {
    struct json json;
    const struct findings *findings;
    const struct tool_invocation *run;
};

// Small parts

static void text_member(struct json *json, const char *key, const char *text)
{
    json_member_string(json, key, text);
}

static void uint_member(struct json *json, const char *key, uint64_t value)
{
    json_member_uint(json, key, value);
}

// Writes a message: `key`: {"text": …}
static void message_member(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_object_flat(json);
    text_member(json, "text", text);
    json_end_object(json);
}

// Rules

// Returns true if the rule describes notifications (group "command"), not results.
static bool is_notification(int rule)
{
    return !strcmp(diag_rules[rule].group, "command");
}

// Returns the rule's index among the notifications or among the other rules.
static uint32_t rule_index(int rule)
{
    bool notification = rule < DIAG_RULES && is_notification(rule);
    uint32_t index = 0;
    for (int i = 0; i < rule; i++)
        index += is_notification(i) == notification;
    return index;
}

static void write_rule(struct json *json, const struct diag_rule *rule)
{
    char help[400];
    bool warning = rule->min == DIAG_WARNING;
    snprintf(help, sizeof help,
             warning ? "%s. -Wno-%s turns the warning off, -Werror=%s makes it "
                       "an error."
                     : "%s.",
             rule->text, rule->id, rule->id);
    json_object(json);
    text_member(json, "id", rule->id);
    message_member(json, "shortDescription", rule->text);
    message_member(json, "help", help);
    json_key(json, "defaultConfiguration");
    json_object_flat(json);
    text_member(json, "level", severity_word(rule->severity));
    json_end_object(json);
    json_key(json, "properties");
    json_object_flat(json);
    json_key(json, "tags");
    json_array(json);
    json_string(json, rule->group);
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
}

// Returns the index of a remark's rule; these follow the other rules.
static uint32_t remark_rule_index(const char *id)
{
    return rule_index(DIAG_RULES) + remark_rule_find(id);
}

static void write_remark_rules(struct json *json)
{
    for (uint32_t i = 0; i < remark_rule_count(); i++) {
        struct plan_rule_info info = remark_rule(i);
        struct diag_rule rule = {.id = info.id,
                                 .severity = DIAG_NOTE,
                                 .min = DIAG_NOTE,
                                 .group = "remark",
                                 .text = info.text};
        write_rule(json, &rule);
    }
}

static void write_rules(struct sarif_writer *w, const char *key, bool notifications)
{
    struct json *json = &w->json;
    json_key(json, key);
    json_array(json);
    for (int i = 0; i < DIAG_RULES; i++)
        if (is_notification(i) == notifications)
            write_rule(json, &diag_rules[i]);
    if (!notifications && w->findings->remarks)
        write_remark_rules(json);
    json_end_array(json);
}

static void write_tool(struct sarif_writer *w)
{
    struct json *json = &w->json;
    json_key(json, "tool");
    json_object(json);
    json_key(json, "driver");
    json_object(json);
    text_member(json, "name", w->run->tool);
    text_member(json, "version", w->run->version);
    text_member(json, "semanticVersion", w->run->version);
    write_rules(w, "rules", false);
    write_rules(w, "notifications", true);
    json_end_object(json);
    json_end_object(json);
}

// Places

static void write_artifact_location(struct sarif_writer *w, int32_t at)
{
    const struct artifact *artifact = &w->findings->artifacts.v[at];
    json_object_flat(&w->json);
    if (artifact->uri)
        text_member(&w->json, "uri", artifact->uri);
    uint_member(&w->json, "index", (uint64_t)at);
    if (!artifact->uri)
        message_member(&w->json, "description", "standard input");
    json_end_object(&w->json);
}

static void write_region(struct json *json, const char *key, const struct finding *finding)
{
    json_key(json, key);
    json_object_flat(json);
    uint_member(json, "startLine", finding->begin.line);
    if (finding->begin.utf16)
        uint_member(json, "startColumn", finding->begin.utf16);
    if (finding->end.line) {
        uint_member(json, "endLine", finding->end.line);
        uint_member(json, "endColumn", finding->end.utf16);
    }
    json_end_object(json);
}

// Writes the members of a location; none for a message about the run.
static void write_location(struct sarif_writer *w, const struct finding *finding)
{
    if (finding->artifact < 0)
        return;
    json_key(&w->json, "physicalLocation");
    json_object(&w->json);
    json_key(&w->json, "artifactLocation");
    write_artifact_location(w, finding->artifact);
    if (finding->placed)
        write_region(&w->json, "region", finding);
    json_end_object(&w->json);
}

// Results

static void write_notes(struct sarif_writer *w, uint32_t at)
{
    const struct findings *findings = w->findings;
    if (at == findings->list.n || findings->list.v[at].severity != DIAG_NOTE)
        return;
    json_key(&w->json, "relatedLocations");
    json_array(&w->json);
    for (; at < findings->list.n && findings->list.v[at].severity == DIAG_NOTE; at++) {
        json_object(&w->json);
        message_member(&w->json, "message", findings->list.v[at].message);
        write_location(w, &findings->list.v[at]);
        json_end_object(&w->json);
    }
    json_end_array(&w->json);
}

static void write_fix(struct sarif_writer *w, const struct finding *finding)
{
    struct json *json = &w->json;
    if (!finding->replacement)
        return;
    json_key(json, "fixes");
    json_array(json);
    json_object(json);
    json_key(json, "artifactChanges");
    json_array(json);
    json_object(json);
    json_key(json, "artifactLocation");
    write_artifact_location(w, finding->artifact);
    json_key(json, "replacements");
    json_array(json);
    json_object(json);
    write_region(json, "deletedRegion", finding);
    message_member(json, "insertedContent", finding->replacement);
    json_end_object(json);
    json_end_array(json);
    json_end_object(json);
    json_end_array(json);
    json_end_object(json);
    json_end_array(json);
}

static void write_function(struct sarif_writer *w, const struct finding *finding)
{
    if (!finding->function)
        return;
    json_key(&w->json, "logicalLocations");
    json_array(&w->json);
    json_object_flat(&w->json);
    text_member(&w->json, "name", finding->function);
    text_member(&w->json, "kind", "function");
    json_end_object(&w->json);
    json_end_array(&w->json);
}

// An offloaded candidate has the kind "pass", the result of an analysis "informational". SARIF
// requires the level "none" for both.
static void write_level(struct json *json, const struct finding *finding)
{
    bool remark = finding->severity == DIAG_REMARK;
    const char *kind = !remark             ? NULL
                       : finding->passed   ? "pass"
                       : finding->analysis ? "informational"
                                           : NULL;
    if (kind)
        text_member(json, "kind", kind);
    text_member(json, "level", !remark ? severity_word(finding->severity) : kind ? "none" : "note");
}

static void write_result(struct sarif_writer *w, uint32_t at)
{
    const struct finding *finding = &w->findings->list.v[at];
    int rule =
        finding->severity == DIAG_REMARK ? -1 : diag_rule_find(finding->id, strlen(finding->id));
    json_object(&w->json);
    text_member(&w->json, "ruleId", finding->id);
    if (finding->severity == DIAG_REMARK)
        uint_member(&w->json, "ruleIndex", remark_rule_index(finding->id));
    else if (rule >= 0)
        uint_member(&w->json, "ruleIndex", rule_index(rule));
    write_level(&w->json, finding);
    message_member(&w->json, "message", finding->message);
    json_key(&w->json, "locations");
    json_array(&w->json);
    json_object(&w->json);
    write_location(w, finding);
    write_function(w, finding);
    json_end_object(&w->json);
    json_end_array(&w->json);
    write_notes(w, at + 1);
    write_fix(w, finding);
    json_end_object(&w->json);
}

// Returns true if the finding is a result of its own. A note is not, unless it starts the list.
static bool is_head(const struct findings *findings, uint32_t at)
{
    return !at || findings->list.v[at].severity != DIAG_NOTE;
}

static void write_results(struct sarif_writer *w)
{
    json_key(&w->json, "results");
    json_array(&w->json);
    for (uint32_t i = 0; i < w->findings->list.n; i++)
        if (w->findings->list.v[i].artifact >= 0 && is_head(w->findings, i))
            write_result(w, i);
    json_end_array(&w->json);
}

// The run

static void write_notification(struct sarif_writer *w, const struct finding *finding)
{
    int rule = diag_rule_find(finding->id, strlen(finding->id));
    json_object(&w->json);
    if (rule >= 0) {
        json_key(&w->json, "descriptor");
        json_object_flat(&w->json);
        text_member(&w->json, "id", finding->id);
        uint_member(&w->json, "index", rule_index(rule));
        json_end_object(&w->json);
    }
    text_member(&w->json, "level", severity_word(finding->severity));
    message_member(&w->json, "message", finding->message);
    json_end_object(&w->json);
}

// Errors in the inputs do not make the run unsuccessful; errors about the run do.
static bool was_successful(const struct findings *findings)
{
    for (uint32_t i = 0; i < findings->list.n; i++)
        if (findings->list.v[i].artifact < 0 && findings->list.v[i].severity == DIAG_ERROR)
            return false;
    return true;
}

static void write_invocation(struct sarif_writer *w)
{
    struct json *json = &w->json;
    json_key(json, "invocations");
    json_array(json);
    json_object(json);
    json_key(json, "arguments");
    json_array_flat(json);
    for (int i = 0; i < w->run->argc; i++)
        json_string(json, w->run->argv[i]);
    json_end_array(json);
    json_member_int(json, "exitCode", w->run->exit_code);
    json_member_bool(json, "executionSuccessful", was_successful(w->findings));
    json_key(json, "toolExecutionNotifications");
    json_array(json);
    for (uint32_t i = 0; i < w->findings->list.n; i++)
        if (w->findings->list.v[i].artifact < 0)
            write_notification(w, &w->findings->list.v[i]);
    json_end_array(json);
    json_end_object(json);
    json_end_array(json);
}

static void write_artifacts(struct sarif_writer *w)
{
    struct json *json = &w->json;
    json_key(json, "artifacts");
    json_array(json);
    for (uint32_t i = 0; i < w->findings->artifacts.n; i++) {
        const struct artifact *artifact = &w->findings->artifacts.v[i];
        json_object(json);
        json_key(json, "location");
        write_artifact_location(w, (int32_t)i);
        if (artifact->parent >= 0)
            uint_member(json, "parentIndex", (uint64_t)artifact->parent);
        if (*artifact->sha256) {
            uint_member(json, "length", artifact->length);
            json_key(json, "hashes");
            json_object_flat(json);
            text_member(json, "sha-256", artifact->sha256);
            json_end_object(json);
        }
        json_end_object(json);
    }
    json_end_array(json);
}

void diagnostics_sarif(const struct findings *findings, const struct tool_invocation *run, FILE *to)
{
    struct sarif_writer w = {.findings = findings, .run = run};
    json_init(&w.json, to);
    json_object(&w.json);
    text_member(&w.json, "$schema", schema);
    text_member(&w.json, "version", "2.1.0");
    json_key(&w.json, "runs");
    json_array(&w.json);
    json_object(&w.json);
    write_tool(&w);
    write_invocation(&w);
    write_artifacts(&w);
    text_member(&w.json, "columnKind", "utf16CodeUnits");
    write_results(&w);
    json_end_object(&w.json);
    json_end_array(&w.json);
    json_end_object(&w.json);
    json_done(&w.json);
}
