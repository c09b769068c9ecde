// Values of the protocol: positions, ranges, texts and diagnostics.
#include "lsp/answers.h"

json_t *protocol_position(const struct lsp_document *document, uint32_t offset)
{
    struct lsp_position place = document_position(document, offset);
    return json_pack("{s:i, s:i}", "line", (int)place.line, "character", (int)place.character);
}

json_t *protocol_range(const struct lsp_document *document, struct lsp_span span)
{
    return json_pack("{s:o, s:o}", "start", protocol_position(document, span.begin), "end",
                     protocol_position(document, span.end));
}

json_t *protocol_text(const char *text)
{
    json_t *words = json_pack("s", text);
    return words ? words : json_pack("s", "(not UTF-8)");
}

json_t *protocol_span_text(const struct lsp_document *document, struct lsp_span span)
{
    json_t *words = json_pack("s#", document->text + span.begin, (int)(span.end - span.begin));
    return words ? words : json_pack("s", "(not UTF-8)");
}

json_t *protocol_finding(const struct lsp_document *document, const struct lsp_finding *finding)
{
    struct lsp_span span = {finding->begin, finding->end};
    return json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", protocol_range(document, span),
                     "severity", (int)finding->severity, "code", finding->rule, "source",
                     "ptxoffload", "message", protocol_text(finding->message));
}

struct lsp_position protocol_read_position(const json_t *place)
{
    return (struct lsp_position){(uint32_t)json_integer_value(json_object_get(place, "line")),
                                 (uint32_t)json_integer_value(json_object_get(place, "character"))};
}

struct lsp_span protocol_read_range(const struct lsp_document *document, const json_t *range)
{
    if (!range)
        return (struct lsp_span){0, document->length};
    struct lsp_span span = {
        document_offset(document, protocol_read_position(json_object_get(range, "start"))),
        document_offset(document, protocol_read_position(json_object_get(range, "end")))};
    if (span.end < span.begin)
        span.end = span.begin;
    return span;
}
