#include "backend/rows.h"

const char *const table_cost_names[] = {
    [COST_TOM] = "tom",
    [COST_REFINED] = "refined",
    NULL,
};
const char *const table_fma_names[] = {
    [FMA_FUSED] = "fused",
    [FMA_SPLIT] = "split",
    [FMA_SAVING] = "saving",
    NULL,
};
const char *const table_response_names[] = {
    [RESPONSE_ACK] = "ack",
    [RESPONSE_DATA] = "data",
    [RESPONSE_BITMAP] = "bitmap",
    NULL,
};
const char *const table_block_names[] = {
    [BLOCK_LOOP] = "loop",
    [BLOCK_BASIC] = "block",
    [BLOCK_REGION] = "region",
    NULL,
};
const char *const table_candidate_names[] = {
    [CANDIDATE_LOAD] = "load",
    [CANDIDATE_CHAIN] = "chain",
    [CANDIDATE_BLOCK] = "block",
    [CANDIDATE_STORE] = "store",
    [CANDIDATE_KERNEL] = "kernel",
    [CANDIDATE_MAP] = "map",
    NULL,
};
const char *const table_measured_names[] = {"lines", "misses", "trips", NULL};
const char *const table_measurement_names[] = {
    [MEASURED_LOAD] = "load",
    [MEASURED_STORE] = "store",
    [MEASURED_ATOMIC] = "atomic",
    [MEASURED_LOOP] = "loop",
    NULL,
};
const char *const table_tag_names[] = {"", "01", "10", "11", NULL};

static const char *const save_names[] = {"tx", "rx", NULL};
static const char *const rule_names[] = {
#define PLAN_RULE(name, id, text, sentences) [RULE_##name] = id,
#include "passes/base/rules.def"
    NULL,
};
static const char *const format_name[] = {"ptxoffload-metadata", NULL};
static const char *const at_least[] = {">=", NULL};

#define ENTRY(KEY, KIND, MEMBER, ...)                                                              \
    {                                                                                              \
        .key = KEY, .kind = FIELD_##KIND, .offset = offsetof(RECORD, MEMBER), __VA_ARGS__          \
    }
#define WORDS(NAMES) .words = NAMES
#define OBJECT(KEY, ROWS)                                                                          \
    {                                                                                              \
        .key = KEY, .kind = FIELD_OBJECT, .rows = ROWS                                             \
    }
#define LIST(KEY, MEMBER, ROWS, TYPE, FLAT)                                                        \
    {                                                                                              \
        .key = KEY, .kind = FIELD_LIST, .offset = offsetof(RECORD, MEMBER), .rows = ROWS,          \
        .size = sizeof(struct TYPE), .flat = FLAT                                                  \
    }
#define END                                                                                        \
    {                                                                                              \
        .key = NULL                                                                                \
    }

#define RECORD struct table_instruction
const struct record_field rows_instruction[] = {
    ENTRY("line", UINT, line, .least = 1), ENTRY("column", UINT, column, .least = 1),
    ENTRY("index", UINT, index),           ENTRY("tag", WORD, tag, WORDS(table_tag_names)),
    ENTRY("opcode", TEXT, opcode),         END,
};
#undef RECORD

#define RECORD struct table_chain
static const struct record_field rows_response[] = {
    ENTRY("kind", WORD, response, WORDS(table_response_names)),
    ENTRY("flits", UINT, response_flits),
    END,
};
const struct record_field rows_chain[] = {
    ENTRY("id", UINT, id),
    ENTRY("pattern", UINT, pattern, .least = 1, .most = CHAIN_PATTERNS),
    LIST("instructions", instructions, rows_instruction, table_instruction, true),
    OBJECT("response", rows_response),
    ENTRY("saving", UINT, saving),
    ENTRY("expected_saving", DOUBLE, expected_saving),
    END,
};
#undef RECORD

#define RECORD struct table_block
static const struct record_field rows_block_threshold[] = {
    ENTRY("bw_tx", DOUBLE, estimate.at_tx),
    ENTRY("bw_rx", DOUBLE, estimate.at_rx),
    END,
};
static const struct record_field rows_condition[] = {
    ENTRY("value", TEXT, condition),
    ENTRY("op", FIXED, condition, WORDS(at_least)),
    ENTRY("threshold", COUNT, threshold),
    END,
};
const struct record_field rows_block[] = {
    ENTRY("id", UINT, id),
    ENTRY("kind", WORD, kind, WORDS(table_block_names)),
    ENTRY("begin_line", UINT, begin_line, .least = 1),
    ENTRY("end_line", UINT, end_line, .least = 1),
    ENTRY("begin_index", UINT, begin_index),
    ENTRY("end_index", UINT, end_index),
    ENTRY("live_in", TEXTS, live_in),
    ENTRY("live_out", TEXTS, live_out),
    ENTRY("loads", UINT, loads),
    ENTRY("stores", UINT, stores),
    ENTRY("words_in", DOUBLE, estimate.in),
    ENTRY("words_out", DOUBLE, estimate.out),
    ENTRY("saved_tx", DOUBLE, estimate.saved_tx),
    ENTRY("saved_rx", DOUBLE, estimate.saved_rx),
    ENTRY("bw_tx", DOUBLE, estimate.bw_tx),
    ENTRY("bw_rx", DOUBLE, estimate.bw_rx),
    OBJECT("at_threshold", rows_block_threshold),
    ENTRY("threshold_tx", COUNT, estimate.threshold_tx),
    ENTRY("threshold_rx", COUNT, estimate.threshold_rx),
    ENTRY("saves", WORDS, estimate.saves, WORDS(save_names)),
    {.key = "condition",
     .kind = FIELD_OPTION,
     .offset = offsetof(RECORD, has_condition),
     .rows = rows_condition},
    ENTRY("candidate", BOOL, estimate.candidate),
    ENTRY("passed_over", BOOL, passed_over),
    ENTRY("measured", WORDS, measured, WORDS(table_measured_names)),
    ENTRY("cost", WORD, estimate.cost, WORDS(table_cost_names)),
    LIST("alternatives", alternatives, rows_alternative, table_estimate, true),
    END,
};
#undef RECORD

#define RECORD struct table_estimate
static const struct record_field rows_threshold[] = {
    ENTRY("bw_tx", DOUBLE, at_tx),
    ENTRY("bw_rx", DOUBLE, at_rx),
    END,
};
const struct record_field rows_alternative[] = {
    ENTRY("cost", WORD, cost, WORDS(table_cost_names)),
    ENTRY("words_in", DOUBLE, in),
    ENTRY("words_out", DOUBLE, out),
    ENTRY("saved_tx", DOUBLE, saved_tx),
    ENTRY("saved_rx", DOUBLE, saved_rx),
    ENTRY("bw_tx", DOUBLE, bw_tx),
    ENTRY("bw_rx", DOUBLE, bw_rx),
    OBJECT("at_threshold", rows_threshold),
    ENTRY("threshold_tx", COUNT, threshold_tx),
    ENTRY("threshold_rx", COUNT, threshold_rx),
    ENTRY("saves", WORDS, saves, WORDS(save_names)),
    ENTRY("candidate", BOOL, candidate),
    END,
};
#undef RECORD

#define RECORD struct table_rejection
const struct record_field rows_rejection[] = {
    ENTRY("line", UINT, line, .least = 1),
    ENTRY("column", UINT, column, .least = 1),
    ENTRY("kind", WORD, kind, WORDS(table_candidate_names)),
    ENTRY("rule", WORD, rule, WORDS(rule_names)),
    ENTRY("because_line", OPTIONAL, because_line),
    ENTRY("text", TEXT, text),
    END,
};
#undef RECORD

#define RECORD struct table_change
const struct record_field rows_change[] = {
    ENTRY("kernel", TEXT, kernel),
    ENTRY("kind", WORD, kind, WORDS(table_candidate_names)),
    ENTRY("line", UINT, line),
    ENTRY("column", UINT, column),
    ENTRY("end_line", UINT, end_line),
    ENTRY("before", TEXT, before),
    ENTRY("after", TEXT, after),
    ENTRY("reason", TEXT, reason),
    END,
};
#undef RECORD

#define RECORD struct table_measurement
const struct record_field rows_measurement[] = {
    ENTRY("kernel", TEXT, kernel),
    ENTRY("kind", WORD, kind, WORDS(table_measurement_names)),
    ENTRY("line", UINT, line),
    ENTRY("column", UINT, column),
    ENTRY("end_line", UINT, end_line),
    ENTRY("times", NUMBER, times),
    ENTRY("mean", DOUBLE, mean),
    ENTRY("least", NUMBER, least),
    ENTRY("most", NUMBER, most),
    ENTRY("analysis", TEXT, analysis),
    ENTRY("decides", BOOL, decides),
    ENTRY("l1_accesses", NUMBER, l1_accesses),
    ENTRY("l1_served", NUMBER, l1_served),
    ENTRY("llc_accesses", NUMBER, llc_accesses),
    ENTRY("llc_served", NUMBER, llc_served),
    END,
};
#undef RECORD

#define RECORD struct table_value
static const struct record_field rows_value[] = {
    ENTRY("name", TEXT, name),
    ENTRY("unit", TEXT, unit),
    ENTRY("value", DOUBLE, value),
    END,
};
#undef RECORD

#define RECORD struct table_outcome
const struct record_field rows_outcome[] = {
    ENTRY("kernel", TEXT, kernel),
    ENTRY("kind", WORD, kind, WORDS(table_candidate_names)),
    ENTRY("line", UINT, line, .least = 1),
    ENTRY("end_line", UINT, end_line, .least = 1),
    ENTRY("expected", DOUBLE, expected),
    ENTRY("expected_in", TEXT, expected_in),
    LIST("measured", measured, rows_value, table_value, true),
    END,
};
#undef RECORD

#define RECORD struct table_map
static const struct record_field rows_rate[] = {
    ENTRY("tokens", UINT, tokens, .least = 1),
    ENTRY("cycles", UINT, cycles, .least = 1),
    ENTRY("limit", TEXT, limit),
    END,
};
const struct record_field rows_map[] = {
    ENTRY("form", TEXT, form),
    OBJECT("rate", rows_rate),
    ENTRY("copies", UINT, copies),
    ENTRY("cores", UINT, cores),
    ENTRY("units", UINT, lsus),
    ENTRY("lanes", UINT, lanes),
    ENTRY("conditions", UINT, conditions),
    ENTRY("text", TEXT, text),
    END,
};
#undef RECORD

#define RECORD struct table_place
const struct record_field rows_place[] = {
    ENTRY("line", UINT, line, .least = 1),
    ENTRY("column", UINT, column, .least = 1),
    ENTRY("text", TEXT, text),
    ENTRY("source_file", TEXT, source_file),
    ENTRY("source_line", OPTIONAL, source_line),
    END,
};
#undef RECORD

#define RECORD struct table_kernel
const struct record_field rows_kernel[] = {
    ENTRY("name", TEXT, name),
    ENTRY("instructions", UINT, instructions),
    ENTRY("loads", UINT, loads),
    ENTRY("shared_bytes", UINT, shared_bytes),
    ENTRY("service_queue_at_core", BOOL, service_queue_at_core),
    LIST("chains", chains, rows_chain, table_chain, false),
    LIST("blocks", blocks, rows_block, table_block, false),
    {.key = "maps",
     .kind = FIELD_LIST,
     .offset = offsetof(RECORD, maps),
     .rows = rows_map,
     .size = sizeof(struct table_map),
     .may_lack = true},
    LIST("rejected", rejected, rows_rejection, table_rejection, true),
    END,
};
#undef RECORD

#define RECORD struct tables
static const struct record_field rows_source[] = {
    ENTRY("file", TEXT, source.file),
    ENTRY("sha256", SHA256, source.sha256),
    END,
};
static const struct record_field rows_output[] = {
    ENTRY("file", TEXT, output.file),
    ENTRY("sha256", SHA256, output.sha256),
    END,
};
static const struct record_field rows_options_block[] = {
    ENTRY("x", OPTIONAL, options.block.x),
    ENTRY("y", OPTIONAL, options.block.y),
    ENTRY("z", OPTIONAL, options.block.z),
    END,
};
static const struct record_field rows_options[] = {
    ENTRY("cost", WORD, options.cost, WORDS(table_cost_names)),
    ENTRY("fma", WORD, options.fma, WORDS(table_fma_names)),
    ENTRY("reorder", BOOL, options.reorder),
    OBJECT("block", rows_options_block),
    ENTRY("restrict", BOOL, options.restrict_parameters),
    ENTRY("capability", TEXT, capability),
    ENTRY("profile", TEXT, profile),
    ENTRY("min_saving", MAYBE, options.min_saving),
    ENTRY("candidates", WORDS, options.kinds, WORDS(table_block_names), .may_lack = true),
    END,
};
#define VERSION ENTRY("version", UINT, version, .least = TABLES_VERSION, .most = TABLES_VERSION)
const struct record_field rows_module[] = {
    VERSION,
    OBJECT("source", rows_source),
    OBJECT("options", rows_options),
    END,
};
const struct record_field rows_small_module[] = {
    VERSION,
    OBJECT("options", rows_options),
    END,
};
const struct record_field rows_document[] = {
    {.key = "format", .kind = FIELD_FIXED, .words = format_name},
    VERSION,
    OBJECT("source", rows_source),
    OBJECT("output", rows_output),
    OBJECT("options", rows_options),
    LIST("kernels", kernels, rows_kernel, table_kernel, false),
    END,
};
const struct record_field rows_report[] = {
    {.key = "places",
     .kind = FIELD_LIST,
     .offset = offsetof(struct tables, places),
     .rows = rows_place,
     .size = sizeof(struct table_place),
     .may_lack = true},
    END,
};
