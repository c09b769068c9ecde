#include "frontend/isa.h"
#include "lsp/scan.h"
#include <string.h>

// The forms of the instruction tables, spelled as in NVIDIA's manual.
struct form_text {
    uint16_t version;
    const char *targets, *op, *modifiers, *operands;
};

static const struct form_text form_texts[] = {
#define FORM(version, targets, op, modifiers, operands)                                            \
    {version, targets, #op, modifiers, operands},
#define FORM_UNTIL(version, last, targets, op, modifiers, operands)                                \
    {version, targets, #op, modifiers, operands},
#include "frontend/forms.def"
#undef FORM
#undef FORM_UNTIL
};

enum { FORM_TEXTS = ARRAY_LENGTH(form_texts), MAX_FORMS = 12 };

static bool is_op(const char *name, const char *text, uint32_t length)
{
    return strlen(name) == length && !memcmp(name, text, length);
}

static void write_form(const struct form_text *form, FILE *to)
{
    fprintf(to, "%s %s  %s", form->op, form->modifiers, form->operands);
    fprintf(to, "  // PTX %u.%u", form->version / 10u, form->version % 10u);
    fprintf(to, *form->targets ? ", sm_%s\n" : "\n", form->targets);
}

// Writes the forms of an opcode. Returns their number.
static uint32_t write_forms(const char *text, uint32_t length, FILE *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FORM_TEXTS; i++) {
        if (!is_op(form_texts[i].op, text, length))
            continue;
        if (!count)
            fputs("```\n", to);
        if (count++ < MAX_FORMS)
            write_form(&form_texts[i], to);
    }
    if (count > MAX_FORMS)
        fprintf(to, "… and %u more\n", count - MAX_FORMS);
    if (count)
        fputs("```\n", to);
    return count;
}

static bool write_decisions(const struct lsp_result *result, uint32_t offset, FILE *to)
{
    uint32_t first = result ? analysis_find(result, offset) : 0, i = first;
    while (result && i < result->decision_count &&
           result->decisions[i].begin == result->decisions[first].begin)
        fprintf(to, "\n%s\n", result->decisions[i++].text);
    return i > first;
}

static bool write_opcode(const struct lsp_document *document, const struct lsp_result *result,
                         struct lsp_span opcode, FILE *to)
{
    const char *text = document->text + opcode.begin;
    uint32_t length = opcode.end - opcode.begin;
    const char *dot = memchr(text, '.', length);
    bool known = write_forms(text, dot ? (uint32_t)(dot - text) : length, to);
    return write_decisions(result, opcode.begin, to) || known;
}

static void write_line_of(const struct lsp_document *document, uint32_t offset, FILE *to)
{
    uint32_t line = document_position(document, offset).line;
    uint32_t begin = document->lines[line];
    uint32_t end = line + 1 < document->line_count ? document->lines[line + 1] : document->length;
    while (begin < end && (document->text[begin] == ' ' || document->text[begin] == '\t'))
        begin++;
    fprintf(to, "```\n%.*s%s```\nline %u\n", (int)(end - begin), document->text + begin,
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
    const char *dot = memchr(text, '.', length);
    uint32_t stem = dot ? (uint32_t)(dot - text) : length;
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        if (is_op(isa_specials[i].text, text, stem)) {
            fprintf(to, "`%s` %s\n", isa_specials[i].text, varies[isa_specials[i].varies]);
            return true;
        }
    return false;
}

struct lsp_span hover_write(const struct lsp_document *document, const struct lsp_result *result,
                            uint32_t offset, FILE *to)
{
    struct lsp_span word = scan_word(document, offset), none = {offset, offset};
    struct lsp_span opcode = scan_opcode(document, offset);
    bool on_opcode = !lsp_is_empty(opcode) && (lsp_is_empty(word) || word.begin == opcode.begin);
    if (on_opcode)
        return write_opcode(document, result, opcode, to) ? opcode : none;
    if (lsp_is_empty(word))
        return none;
    struct lsp_span found = scan_definition(document, word);
    if (!lsp_is_empty(found))
        write_line_of(document, found.begin, to);
    else if (!write_special(document->text + word.begin, word.end - word.begin, to))
        return none;
    return word;
}
