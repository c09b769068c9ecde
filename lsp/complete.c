// Completion: the words that may stand at the cursor.
#include "lsp/answers.h"
#include "lsp/instruction.h"
#include "lsp/naming.h"
#include "lsp/scan.h"
#include <string.h>

enum { MAX_ITEMS = 1000 };
// Kinds of the protocol
enum {
    FUNCTION = 3,
    VARIABLE = 6,
    PROPERTY = 10,
    VALUE = 12,
    KEYWORD = 14,
    REFERENCE = 18,
    CONSTANT = 21,
    OPERATOR = 24,
    TYPE = 25
};

struct completion {
    struct lsp_query *query;
    struct scan_statement at;
    struct lsp_span replaced; // the word that an item replaces
    json_t *list;
    uint32_t count;
};

// Adds an item if it begins with what is written before the cursor. `rank` orders items.
static void add(struct completion *c, const char *label, int kind, const char *detail,
                uint32_t rank)
{
    uint32_t written = c->query->offset - c->replaced.begin;
    const char *text = c->query->document->text + c->replaced.begin;
    if (strncmp(label, text, written) || c->count++ >= MAX_ITEMS)
        return;
    char order[16];
    snprintf(order, sizeof order, "%03u", rank);
    json_array_append_new(
        c->list, json_pack("{s:o, s:i, s:o, s:s, s:{s:o, s:o}}", "label", protocol_text(label),
                           "kind", kind, "detail", protocol_text(detail), "sortText", order,
                           "textEdit", "range", protocol_range(c->query->document, c->replaced),
                           "newText", protocol_text(label)));
}

static void add_words(struct completion *c, enum isa_kind kind, int item)
{
    for (uint16_t i = 0; i < WORD_COUNT; i++)
        if (isa_words[i].kind == kind)
            add(c, isa_words[i].text, item, instruction_word_kind(i), 1);
}

// Directives

enum { MODULE = 1, ENTRY = 2, FUNC = 4, CALL = 8, BODY = 16, SPEC = 32 };
static const struct {
    uint16_t word;
    uint8_t places;
} directives[] = {
#define DIRECTIVE(word, places, least, most, version, last, targets) {W_##word, places},
#include "frontend/directives.def"
#undef DIRECTIVE
    {W_entry, MODULE}, {W_func, MODULE},          {W_reg, BODY},      {W_param, BODY},
    {W_local, BODY},   {W_shared, MODULE | BODY}, {W_global, MODULE}, {W_const, MODULE},
};

static void add_directives(struct completion *c, unsigned places)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(directives); i++)
        if (directives[i].places & places && isa_words[directives[i].word].text[0] == '.')
            add(c, isa_words[directives[i].word].text, KEYWORD, "directive", 1);
}

static void add_targets(struct completion *c)
{
#define TARGET(architecture, version) add(c, "sm_" architecture, CONSTANT, "target", 1);
#include "frontend/targets.def"
#undef TARGET
}

// Words after a directive, such as the type of registers.
static void after_directive(struct completion *c)
{
    const char *text = c->query->document->text;
    struct scan_tokens t = {text, 0, c->query->document->length};
    struct scan_token head = {c->at.head, '.'};
    if (scan_is(&t, head, ".target")) {
        add_targets(c);
    } else if (scan_is(&t, head, ".reg") || scan_is_space(&t, head)) {
        add_words(c, KIND_TYPE, TYPE);
        add_words(c, KIND_VECTOR, TYPE);
        add(c, ".pred", TYPE, "type", 1);
        add(c, ".align", KEYWORD, "alignment in bytes", 1);
    } else if (!c->at.in_body) {
        add_directives(c, MODULE | SPEC | ENTRY | FUNC);
        add_words(c, KIND_SPACE, KEYWORD);
    }
}

// Opcodes and modifiers

static void add_opcodes(struct completion *c)
{
    for (uint32_t i = 0; i < OP_COUNT; i++)
        add(c, isa_op_names[i], KEYWORD, "opcode", 1);
}

// Adds the modifiers that some form allows after the ones that are written.
static void add_modifiers(struct completion *c, struct instruction *instruction)
{
    uint32_t count, slot;
    bool seen[WORD_COUNT] = {0};
    const struct form *forms = forms_of(instruction->forms, instruction->op, &count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < forms[i].slot_count; j++)
            for (uint32_t k = 0; k < forms[i].slots[j].word_count; k++) {
                uint16_t word = forms[i].slots[j].words[k].word;
                if (word >= WORD_COUNT || seen[word])
                    continue;
                seen[word] = true;
                instruction->mods[instruction->count] = word;
                if (forms_accept(instruction->forms, instruction->op, instruction->mods,
                                 instruction->count + 1, &slot))
                    add(c, isa_words[word].text, PROPERTY, instruction_word_kind(word), slot);
            }
}

static void at_opcode(struct completion *c)
{
    const char *text = c->query->document->text;
    struct lsp_span word = c->at.word;
    struct instruction instruction;
    uint32_t dot = c->query->offset;
    while (dot > word.begin && text[dot - 1] != '.')
        dot--;
    if (dot <= word.begin + 1) { // no modifier yet
        add_opcodes(c);
        add_directives(c, BODY);
        return;
    }
    dot--;
    c->replaced = scan_stem(text, (struct lsp_span){dot, word.end});
    if (instruction_read(&instruction, c->query->arena, text + word.begin, dot - word.begin) &&
        instruction.count < FORM_MODIFIERS)
        add_modifiers(c, &instruction);
}

// Operands

struct operand_wanted {
    enum form_operand_kind kind;
    uint32_t bits; // of a register; 0: any
    bool wider, special, variable;
};

static struct operand_wanted wanted_here(struct completion *c)
{
    static const struct operand_wanted anything = {FORM_ANYTHING, 0, true, true, true};
    const struct lsp_document *document = c->query->document;
    struct instruction instruction;
    if (c->at.guard)
        return (struct operand_wanted){.kind = FORM_PREDICATE};
    if (c->at.address)
        return (struct operand_wanted){.kind = FORM_ADDRESS};
    if (!instruction_read(&instruction, c->query->arena, document->text + c->at.head.begin,
                          c->at.head.end - c->at.head.begin) ||
        !instruction.match->form)
        return anything;
    struct instruction_text text = instruction_write(c->query->arena, instruction.match, "");
    uint32_t place = 0, operand = 0;
    for (; place < text.operands.n; place++)
        if (!text.operands.v[place].operand->inside && operand++ == c->at.operand)
            break;
    if (place == text.operands.n)
        return anything;
    const struct form_operand *here = text.operands.v[place].operand;
    uint16_t type = form_operand_type(instruction.match, here);
    return (struct operand_wanted){here->kind, isa_is_type(type) ? isa_words[type].value : 0,
                                   here->wider, here->special, here->variable};
}

static uint32_t bits_of(const struct naming *names, const struct naming_declaration *declaration)
{
    struct scan_tokens t = {names->document->text, declaration->statement.begin,
                            declaration->first};
    for (struct scan_token token = scan_next(&t); token.first; token = scan_next(&t))
        for (uint32_t i = 0; token.first == '.' && i < WORD_COUNT; i++)
            if (isa_is_type((uint16_t)i) && scan_is(&t, token, isa_words[i].text))
                return isa_words[i].value;
    return 1; // .pred
}

static bool fits_register(const struct operand_wanted *wanted, uint32_t bits)
{
    switch (wanted->kind) {
    case FORM_SOURCE:
    case FORM_REGISTER:
        return bits > 1 &&
               (!wanted->bits || bits == wanted->bits || (wanted->wider && bits > wanted->bits));
    case FORM_PREDICATE: return bits == 1;
    case FORM_ADDRESS: return bits == 32 || bits == 64;
    case FORM_FUNCTION: return bits == 64 || bits == 32;
    case FORM_LIST:
    case FORM_ANYTHING: return true;
    default: return false;
    }
}

static bool fits(const struct operand_wanted *wanted, const struct naming *names,
                 const struct naming_declaration *declaration)
{
    bool anything = wanted->kind == FORM_ANYTHING || wanted->kind == FORM_LIST;
    switch (declaration->kind) {
    case NAMING_REGISTER: return fits_register(wanted, bits_of(names, declaration));
    case NAMING_LABEL: return anything || wanted->kind == FORM_LABEL;
    default:
        return anything || wanted->kind == FORM_ADDRESS || wanted->kind == FORM_NAME ||
               wanted->variable;
    }
}

static void add_declared(struct completion *c, const struct naming *names,
                         const struct naming_declaration *declaration)
{
    struct arena *arena = c->query->arena;
    const char *text = names->document->text;
    bool is_label = declaration->kind == NAMING_LABEL;
    const char *name = arena_strndup(arena, text + declaration->name.begin,
                                     declaration->name.end - declaration->name.begin);
    const char *detail = is_label
                             ? "label"
                             : arena_strndup(arena, text + declaration->statement.begin,
                                             declaration->first - declaration->statement.begin);
    int kind = is_label ? REFERENCE : VARIABLE;
    if (!declaration->count)
        add(c, name, kind, detail, 1);
    for (uint32_t i = 0; i < declaration->count && c->count < MAX_ITEMS; i++)
        add(c, arena_printf(arena, "%s%u", name, i), kind, detail, 2);
}

static void add_items(struct completion *c, const struct operand_wanted *wanted)
{
    const struct lsp_document *document = c->query->document;
    bool anything = wanted->kind == FORM_ANYTHING || wanted->kind == FORM_LIST;
    struct scan_tokens t = {document->text, 0, document->length};
    struct scan_item item;
    while (c->count < MAX_ITEMS && scan_next_item(&t, &item)) {
        bool is_variable = item.symbol.kind == LSP_VARIABLE;
        bool fits = is_variable ? wanted->kind == FORM_ADDRESS || wanted->kind == FORM_NAME ||
                                      wanted->variable
                                : wanted->kind == FORM_FUNCTION || wanted->variable;
        if (!anything && !fits)
            continue;
        const char *name = arena_strndup(c->query->arena, document->text + item.symbol.name.begin,
                                         item.symbol.name.end - item.symbol.name.begin);
        if (*name != '.')
            add(c, name, is_variable ? VARIABLE : FUNCTION, is_variable ? "variable" : "function",
                3);
    }
}

static void add_specials(struct completion *c)
{
    struct arena *arena = c->query->arena;
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        for (uint32_t part = 0; part < isa_specials[i].parts && part < 3; part++)
            add(c,
                isa_specials[i].parts > 1
                    ? arena_printf(arena, "%s.%c", isa_specials[i].text, "xyz"[part])
                    : isa_specials[i].text,
                VALUE, "special register", 4);
}

static void at_operand(struct completion *c)
{
    struct naming names;
    struct operand_wanted wanted = wanted_here(c);
    naming_read(&names, c->query->arena, c->query->document, &c->at.item);
    for (uint32_t i = 0; i < names.declarations.n; i++) {
        const struct naming_declaration *declaration = &names.declarations.v[i];
        bool known =
            declaration->kind == NAMING_LABEL || declaration->name.begin < c->replaced.begin;
        if (known && naming_is_visible(&names, declaration, c->query->offset) &&
            fits(&wanted, &names, declaration))
            add_declared(c, &names, declaration);
    }
    if (wanted.special)
        add_specials(c);
    add_items(c, &wanted);
}

json_t *answer_completion(struct lsp_query *query)
{
    struct completion c = {.query = query,
                           .at = scan_statement_at(query->document, query->offset),
                           .list = json_pack("[]")};
    c.replaced = c.at.word;
    if (c.replaced.begin > query->offset || lsp_is_empty(c.replaced))
        c.replaced = (struct lsp_span){query->offset, query->offset};
    bool has_head = !lsp_is_empty(c.at.head);
    if (has_head && query->document->text[c.at.head.begin] == '.')
        after_directive(&c);
    else if (!c.at.in_body)
        add_directives(&c, MODULE | SPEC);
    else if (has_head || c.at.guard)
        at_operand(&c);
    else
        at_opcode(&c);
    return json_pack("{s:b, s:o}", "isIncomplete", c.count > MAX_ITEMS, "items", c.list);
}
