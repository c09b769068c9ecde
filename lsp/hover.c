#include "lsp/hover.h"
#include "frontend/isa.h"
#include "lsp/instruction.h"
#include "lsp/naming.h"
#include "lsp/scan.h"
#include <string.h>

static bool is_text(const char *name, const char *text, uint32_t length)
{
    return strlen(name) == length && !memcmp(name, text, length);
}

// Writes the decisions about the statement at the offset. Returns false without any.
static bool write_decisions(const struct lsp_result *result, uint32_t offset, FILE *to)
{
    uint32_t first = result ? analysis_find(result, offset) : 0, i = first;
    while (result && i < result->decision_count &&
           result->decisions[i].begin == result->decisions[first].begin)
        fprintf(to, "%s\n\n", result->decisions[i++].text);
    return i > first;
}

// Writes the form of the first match, and what its operands are.
static void write_match(struct arena *arena, const struct form_match *match, const char *name,
                        FILE *to)
{
    struct instruction_text text = instruction_write(arena, match, name);
    fprintf(to, "```ptx\n%s\n```\n", text.text);
    for (uint32_t i = 0; i < text.operands.n; i++) {
        const struct instruction_operand *at = &text.operands.v[i];
        fprintf(to, "- `%.*s` %s\n", (int)at->operand->name_length, at->operand->name,
                at->sentence);
    }
    struct form_need need = match->form->need;
    need.version = match->version;
    fprintf(to, "\n%s\n", instruction_need(arena, &need));
}

static bool write_all(struct arena *arena, struct instruction *instruction, FILE *to)
{
    enum { MAX_FORMS = 12 };
    uint32_t count = 0;
    const struct form *forms =
        instruction->op < OP_COUNT ? forms_of(instruction->forms, instruction->op, &count) : NULL;
    if (!count)
        return false;
    fputs("No form has these modifiers. The forms:\n```ptx\n", to);
    for (uint32_t i = 0; i < count && i < MAX_FORMS; i++)
        fprintf(to, "%s  // %s\n", instruction_form(arena, &forms[i]),
                instruction_need(arena, &forms[i].need));
    if (count > MAX_FORMS)
        fprintf(to, "// … and %u more\n", count - MAX_FORMS);
    fputs("```\n", to);
    return true;
}

static bool write_opcode(struct arena *arena, const struct lsp_document *document,
                         const struct lsp_result *result, struct lsp_span opcode, FILE *to)
{
    const char *text = document->text + opcode.begin;
    uint32_t length = opcode.end - opcode.begin;
    struct instruction instruction;
    bool decided = write_decisions(result, opcode.begin, to);
    bool known = instruction_read(&instruction, arena, text, length);
    if (known && instruction.match->form)
        write_match(arena, instruction.match, arena_strndup(arena, text, length), to);
    else
        known = write_all(arena, &instruction, to);
    return known || decided;
}

static void write_line_of(const struct lsp_document *document, uint32_t offset, FILE *to)
{
    uint32_t line = document_position(document, offset).line;
    uint32_t begin = document->lines[line];
    uint32_t end = line + 1 < document->line_count ? document->lines[line + 1] : document->length;
    while (begin < end && (document->text[begin] == ' ' || document->text[begin] == '\t'))
        begin++;
    fprintf(to, "```ptx\n%.*s%s```\nline %u\n", (int)(end - begin), document->text + begin,
            end > begin && document->text[end - 1] == '\n' ? "" : "\n", line + 1);
}

static bool write_special(const char *text, uint32_t length, FILE *to)
{
    static const char *const varies[] = {
        [VARIES_LANE] = "differs between the lanes of a warp",
        [VARIES_WARP] = "differs between warps",
        [VARIES_CTA] = "differs between CTAs",
        [VARIES_NEVER] = "is the same in the whole grid",
        [VARIES_TIME] = "differs at each read",
    };
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        if (is_text(isa_specials[i].text, text, length)) {
            fprintf(to, "`%s` %s\n", isa_specials[i].text, varies[isa_specials[i].varies]);
            return true;
        }
    return false;
}

struct lsp_span hover_write(struct arena *arena, const struct lsp_document *document,
                            const struct lsp_result *result, uint32_t offset, FILE *to)
{
    struct lsp_span word = scan_word(document, offset), none = {offset, offset};
    struct lsp_span opcode = scan_opcode(document, offset);
    bool on_opcode = !lsp_is_empty(opcode) && (lsp_is_empty(word) || word.begin == opcode.begin);
    if (on_opcode)
        return write_opcode(arena, document, result, opcode, to) ? opcode : none;
    if (lsp_is_empty(word))
        return none;
    struct naming_symbol symbol;
    struct lsp_span name = scan_stem(document->text, word);
    if (naming_find(&symbol, arena, document, word.begin))
        write_line_of(document, symbol.declaration.name.begin, to);
    else if (!write_special(document->text + name.begin, name.end - name.begin, to))
        return none;
    return word;
}
