// Signature help: the forms that match the instruction at the cursor, and its operands.
#include "lsp/answers.h"
#include "lsp/instruction.h"
#include "lsp/scan.h"

// Returns the number of the operand at the place among those of a form, in which the operands
// inside brackets count like the others.
static uint32_t active(const struct instruction_text *text, const struct scan_statement *at)
{
    uint32_t place = 0, operand = 0;
    while (place < text->operands.n && operand < at->operand) {
        place++;
        operand += place < text->operands.n && !text->operands.v[place].operand->inside;
    }
    for (uint32_t i = 0; at->address && i < at->inside; i++)
        if (place + 1 < text->operands.n && text->operands.v[place + 1].operand->inside)
            place++;
    return place;
}

static json_t *parameters(const struct instruction_text *text)
{
    json_t *list = json_pack("[]");
    for (uint32_t i = 0; i < text->operands.n; i++) {
        const struct instruction_operand *at = &text->operands.v[i];
        json_array_append_new(list, json_pack("{s:[i, i], s:s}", "label", (int)at->begin,
                                              (int)at->end, "documentation", at->sentence));
    }
    return list;
}

static json_t *signatures(struct lsp_query *query, const struct form_match *match, const char *name,
                          const struct scan_statement *at)
{
    json_t *list = json_pack("[]");
    int number = 0, best = -1;
    uint32_t place = 0;
    for (; match; match = match->next, number++) {
        struct instruction_text text = instruction_write(query->arena, match, name);
        struct form_need need = match->form->need;
        need.version = match->version;
        uint32_t here = active(&text, at);
        if (best < 0 && here < text.operands.n) {
            best = number;
            place = here;
        }
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:i}", "label", text.text, "documentation",
                                        instruction_need(query->arena, &need), "parameters",
                                        parameters(&text), "activeParameter", (int)here));
    }
    return json_pack("{s:o, s:i, s:i}", "signatures", list, "activeSignature", best < 0 ? 0 : best,
                     "activeParameter", (int)place);
}

json_t *answer_signature(struct lsp_query *query)
{
    struct scan_statement at = scan_statement_at(query->document, query->offset);
    struct instruction instruction;
    const char *text = query->document->text + at.head.begin;
    uint32_t length = at.head.end - at.head.begin;
    if (!length || *text == '.' || at.head.end >= query->offset ||
        !instruction_read(&instruction, query->arena, text, length) || !instruction.match->form)
        return NULL;
    return signatures(query, instruction.match, arena_strndup(query->arena, text, length), &at);
}
