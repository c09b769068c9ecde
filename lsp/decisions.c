// Decisions in the text: hints after the first instruction of what is offloaded, and a line over
// each function.
#include "lsp/answers.h"

json_t *answer_hints(struct lsp_query *query)
{
    const struct lsp_result *result = query->result;
    const struct lsp_document *document = query->document;
    struct lsp_span at = protocol_read_range(document, json_object_get(query->params, "range"));
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; result && i < result->decision_count; i++) {
        const struct lsp_decision *decision = &result->decisions[i];
        if (!decision->hint || decision->end < at.begin || decision->end > at.end)
            continue;
        json_array_append_new(list, json_pack("{s:o, s:o, s:b, s:{s:s, s:o}}", "position",
                                              protocol_position(document, decision->end), "label",
                                              protocol_text(decision->hint), "paddingLeft", 1,
                                              "tooltip", "kind", "markdown", "value",
                                              protocol_text(decision->text)));
    }
    return list;
}

json_t *answer_lenses(struct lsp_query *query)
{
    const struct lsp_result *result = query->result;
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; result && i < result->summary_count; i++) {
        const struct lsp_summary *summary = &result->summaries[i];
        struct lsp_span at = {summary->begin, summary->begin};
        json_array_append_new(
            list, json_pack("{s:o, s:{s:o, s:s}}", "range", protocol_range(query->document, at),
                            "command", "title", protocol_text(summary->text), "command", ""));
    }
    return list;
}
