// Checks the module's header, and each directive against the table.
#include "frontend/directives_internal.h"
#include <string.h>

static const struct {
    uint16_t word;
    uint8_t places, min, max;
    uint16_t version, last;
    const char *targets;
} rows[] = {
#define DIRECTIVE(word, places, min, max, version, last, targets)                                  \
    {W_##word, places, min, max, version, last, targets},
#include "frontend/directives.def"
#undef DIRECTIVE
};
enum { ROWS = ARRAY_LENGTH(rows) };

static int find_row(uint16_t word)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].word == word)
            return i;
    return -1;
}

static const struct node *node_at(const struct directives *d, uint32_t node)
{
    return &d->tree->nodes.v[node];
}

void directive_fault(struct directives *d, const char *id, uint32_t node, const char *text)
{
    diag_add(d->diags, DIAG_ERROR, id, node_at(d, node)->begin, node_at(d, node)->end, "%s", text);
}

uint32_t directive_word_end(const struct directives *d, uint32_t node)
{
    const char *text = d->tree->source->text;
    uint32_t at = node_at(d, node)->begin + 1;
    while (at < node_at(d, node)->end && (text[at] == '_' || (text[at] >= '0' && text[at] <= '9') ||
                                          ((text[at] | 0x20) >= 'a' && (text[at] | 0x20) <= 'z')))
        at++;
    return at;
}

void directive_fault_word(struct directives *d, const char *id, uint32_t node, const char *text)
{
    diag_add(d->diags, DIAG_ERROR, id, node_at(d, node)->begin, directive_word_end(d, node), "%s",
             text);
}

static const char *text_of(const struct directives *d, uint16_t word)
{
    (void)d;
    return isa_words[word].text;
}

// Version and target

bool directive_target_allows(const struct directives *d, const char *targets)
{
    for (uint32_t i = 0; i < d->targets.n; i++)
        if (form_target_allows(targets, d->targets.v[i].text, d->targets.v[i].length))
            return true;
    return !d->targets.n;
}

void directive_check_word(struct directives *d, uint32_t node, const char *text, uint16_t needs,
                          uint16_t last, const char *targets)
{
    uint16_t is = d->version;
    if (is && is < needs)
        directive_fault_word(d, "version", node,
                             arena_printf(&d->scratch, "'%s' needs PTX %u.%u, this module is %u.%u",
                                          text, needs / 10, needs % 10, is / 10, is % 10));
    else if (is && last && is > last)
        directive_fault_word(
            d, "version", node,
            arena_printf(&d->scratch, "'%s' is valid only up to PTX %u.%u, this module is %u.%u",
                         text, last / 10, last % 10, is / 10, is % 10));
    else if (!directive_target_allows(d, targets))
        directive_fault_word(d, "target", node,
                             arena_printf(&d->scratch, "'%s' needs %s, this module is for %.*s",
                                          text, form_targets_text(&d->scratch, targets),
                                          (int)d->targets.v[0].length, d->targets.v[0].text));
}

// Returns true for a tag of this program, which no other program reads.
static bool is_own_pragma(const struct directives *d, uint32_t node)
{
    static const char own[] = "\"ptxoffload.";
    const struct node *string = node_at(d, node) + 1;
    return node_at(d, node)->aux == W_pragma && node_at(d, node)->size > 1 &&
           string->end - string->begin > sizeof own &&
           !memcmp(d->tree->source->text + string->begin, own, sizeof own - 1);
}

static void check_row_needs(struct directives *d, int row, uint32_t node)
{
    if (!is_own_pragma(d, node))
        directive_check_word(d, node, text_of(d, rows[row].word), rows[row].version, rows[row].last,
                             rows[row].targets);
}

void directive_check_needs(struct directives *d, uint16_t word, uint32_t node)
{
    int row = find_row(word);
    if (row >= 0)
        check_row_needs(d, row, node);
}

// The header

// Last minor version of each major version.
static const uint8_t last_minor[] = {[1] = 5, [2] = 3, [3] = 2,
                                     [4] = 3, [5] = 1, [6] = 5,
                                     [7] = 8, [8] = 8, [9] = FORM_TABLE_VERSION % 10};

static void check_version(struct directives *d, uint32_t directive)
{
    const struct node *value = node_at(d, directive + 1);
    double version;
    if (value->kind != NODE_FLOAT64) {
        directive_fault(d, "version", directive + 1, "a version must have two parts, such as 7.5");
        return;
    }
    memcpy(&version, &value->value, sizeof version);
    uint32_t whole = version > 0 && version < 1000 ? (uint32_t)(version * 10 + 0.5) : 0;
    d->version = (uint16_t)whole;
    if (whole > FORM_TABLE_VERSION)
        diag_add(d->diags, DIAG_WARNING, "version", value->begin, value->end,
                 "PTX %u.%u is newer than the supported versions, up to PTX %u.%u", whole / 10,
                 whole % 10, FORM_TABLE_VERSION / 10, FORM_TABLE_VERSION % 10);
    else if (whole < 10 || whole % 10 > last_minor[whole / 10])
        directive_fault(d, "version", directive + 1, "unknown version of PTX");
}

static bool is_name(const struct name *name, const char *text)
{
    return name->length == strlen(text) && !memcmp(name->text, text, name->length);
}

static bool begins_with(const struct name *name, const char *text)
{
    return name->length > strlen(text) && !memcmp(name->text, text, strlen(text));
}

// Checks the words of .target. The architectures are checked with the instructions.
static void check_target(struct directives *d, uint32_t directive)
{
    uint32_t mode = 0, index = 0;
    NODE_EACH (child, d->tree, directive) {
        const struct name *name = tree_name(d->tree, node_at(d, child)->value);
        bool arch = begins_with(name, "sm_") || begins_with(name, "compute_");
        bool unified = is_name(name, "texmode_unified");
        if (arch) {
            d->targets.n = 0; // if there are several, the last one is used
            vec_push(&d->scratch, &d->targets, *name);
        } else if (!index++ && !d->targets.n)
            directive_fault(d, "target", child, "an architecture must come first, such as sm_80");
        else if (unified || is_name(name, "texmode_independent")) {
            if (mode && unified != (mode == 1))
                directive_fault(d, "target", child, "a module can have only one texmode");
            mode = unified ? 1 : 2;
            d->independent = !unified;
            directive_check_word(d, child, unified ? "texmode_unified" : "texmode_independent",
                                 unified ? 10 : 15, 0, "");
        } else if (is_name(name, "debug")) {
            d->debug = child;
            directive_check_word(d, child, "debug", 30, 0, "");
        } else if (is_name(name, "map_f64_to_f32")) {
            directive_check_word(d, child, "map_f64_to_f32", 10, 0, "<13");
        } else {
            directive_fault(d, "target", child, "unknown target or option");
        }
    }
}

static void check_address_size(struct directives *d, uint32_t directive)
{
    const struct node *value = node_at(d, directive + 1);
    if (value->kind != NODE_INT || (value->value != 32 && value->value != 64))
        directive_fault(d, "directive", directive + 1, "addresses must have 32 or 64 bits");
}

static const struct {
    uint16_t word;
    const char *id, *missing, *late;
    void (*check)(struct directives *d, uint32_t directive);
} header[] = {
    {W_version, "version", "a module must begin with .version",
     "'.version' must be first in a module", check_version},
    {W_target, "target", ".version must be followed by .target", "'.target' must follow .version",
     check_target},
    {W_address_size, "directive", NULL, "'.address_size' must follow .target", check_address_size},
};
enum { HEADER = ARRAY_LENGTH(header) };

static int header_part(const struct node *node)
{
    for (int i = 0; node->kind == NODE_DIRECTIVE && i < HEADER; i++)
        if (node->aux == header[i].word)
            return i;
    return -1;
}

// Returns true if a line of the header may be hidden in an error node.
static bool may_stand_in_error(const struct directives *d, uint16_t word)
{
    const char *text = d->tree->source->text;
    for (uint32_t i = 0; i < d->tree->nodes.n; i++) {
        const struct node *node = node_at(d, i);
        if (node->kind == NODE_ERROR && memmem(text + node->begin, node->end - node->begin,
                                               isa_words[word].text, strlen(isa_words[word].text)))
            return true;
    }
    return false;
}

static void check_header(struct directives *d)
{
    uint32_t found[HEADER] = {0}, place = 0;
    uint32_t first = d->tree->nodes.n > 1 ? 1 : 0;
    bool late = false;
    NODE_EACH (child, d->tree, 0) {
        int part = header_part(node_at(d, child));
        if (part < 0) {
            late = late ||
                   (node_at(d, child)->kind != NODE_EMPTY && node_at(d, child)->kind != NODE_ERROR);
            continue;
        }
        if (found[part]) {
            directive_fault(
                d, "directive", child,
                arena_printf(&d->scratch, "'%s' is given twice", text_of(d, header[part].word)));
            diag_add(d->diags, DIAG_NOTE, "directive", node_at(d, found[part])->begin,
                     node_at(d, found[part])->end, "first given here");
            continue;
        }
        found[part] = child;
        if (late || (uint32_t)part < place)
            directive_fault(d, header[part].id, child, header[part].late);
        place = (uint32_t)part;
        if (node_at(d, child)->size > 1 && node_at(d, child + 1)->kind != NODE_ERROR)
            header[part].check(d, child);
    }
    for (int i = 0; i < HEADER; i++)
        if (!found[i] && header[i].missing && !d->tree->source->fragment &&
            !may_stand_in_error(d, header[i].word))
            diag_add(d->diags, DIAG_ERROR, header[i].id,
                     first ? node_at(d, first)->begin : NO_OFFSET,
                     first ? directive_word_end(d, first) : NO_OFFSET, "%s", header[i].missing);
}

// Directives with operands

static void check_names(struct directives *d, uint32_t directive)
{
    uint32_t count = 0;
    NODE_EACH (child, d->tree, directive) {
        count++;
        if (node_at(d, child)->kind != NODE_NAME)
            directive_fault(d, "directive", child, "must be a name");
    }
    if (node_at(d, directive)->aux == W_alias && count != 2)
        directive_fault(d, "directive", directive, "'.alias' takes two names: the new one first");
}

static void check_parameters(struct directives *d, uint32_t list, enum directive_context place)
{
    uint32_t count = 0, variables = 0;
    NODE_EACH (child, d->tree, list) {
        if (node_at(d, child)->kind == NODE_WORD)
            directive_fault(d, "declaration", child,
                            "expected a list of parameters; the last one may be an array of open "
                            "length");
        if (node_at(d, child)->kind != NODE_DECL)
            continue;
        count++;
        variables += declaration_check(d, child, place) == W_param;
    }
    if (node_at(d, list)->kind == NODE_RETURNS && count > 1 && variables)
        directive_fault(d, "declaration", list, "multiple returned values must be registers");
}

static void check_prototype(struct directives *d, uint32_t directive)
{
    NODE_EACH (child, d->tree, directive) {
        const struct node *node = node_at(d, child);
        if (node->kind == NODE_NAME && !is_name(tree_name(d->tree, node->value), "_"))
            directive_fault(d, "directive", child, "a prototype for calls must have the name '_'");
        if (node->kind == NODE_PARAMS || node->kind == NODE_RETURNS)
            check_parameters(d, child, CALL);
    }
}

static const struct {
    uint16_t word;
    bool labelled; // must follow a label
    void (*check)(struct directives *d, uint32_t directive);
} operands[] = {
    {W_alias, false, check_names},      {W_branchtargets, true, check_names},
    {W_calltargets, true, check_names}, {W_callprototype, true, check_prototype},
    {W_file, false, debug_check_file},  {W_loc, false, debug_check_loc},
};

// Directives after a function's parameters

static uint32_t find_tuning(const struct directives *d, uint32_t parent, uint16_t word)
{
    NODE_EACH (child, d->tree, parent)
        if (node_at(d, child)->kind == NODE_TUNING && node_at(d, child)->aux == word)
            return child;
    return 0;
}

static const struct {
    uint16_t word, other;
    bool needs; // requires `other`; otherwise the two exclude each other
} relations[] = {
    {W_reqntid, W_maxntid, false},
    {W_maxclusterrank, W_reqnctapercluster, false},
    {W_blocksareclusters, W_reqntid, true},
    {W_blocksareclusters, W_reqnctapercluster, true},
};

static void check_relations(struct directives *d, uint32_t parent, uint32_t tuning)
{
    for (size_t i = 0; i < ARRAY_LENGTH(relations); i++) {
        if (relations[i].word != node_at(d, tuning)->aux)
            continue;
        if ((find_tuning(d, parent, relations[i].other) != 0) == relations[i].needs)
            continue;
        directive_fault_word(d, "directive", tuning,
                             arena_printf(&d->scratch, "'%s' %s '%s'",
                                          text_of(d, relations[i].word),
                                          relations[i].needs ? "needs"
                                                             : "is not allowed together "
                                                               "with",
                                          text_of(d, relations[i].other)));
        return;
    }
}

static void check_arguments(struct directives *d, int row, uint32_t tuning)
{
    uint32_t count = 0;
    NODE_EACH (child, d->tree, tuning) {
        const struct node *node = node_at(d, child);
        count++;
        if (node->kind != NODE_ERROR &&
            (node->kind != NODE_INT || !node->value || node->value >> 32))
            directive_fault(d, "directive", child, "must be a positive whole number");
    }
    if (count >= rows[row].min && count <= rows[row].max)
        return;
    const char *takes = !rows[row].max       ? "no number"
                        : rows[row].max == 1 ? "one number"
                                             : arena_printf(&d->scratch, "%u to %u numbers",
                                                            rows[row].min, rows[row].max);
    directive_fault(d, "directive", tuning,
                    arena_printf(&d->scratch, "'%s' takes %s, here %s %u",
                                 text_of(d, rows[row].word), takes, count == 1 ? "is" : "are",
                                 count));
}

static const char *const context_names[] = {
    [MODULE] = "outside of functions", [BODY] = "in a body",       [ENTRY] = "for a kernel",
    [FUNC] = "for a function",         [CALL] = "for a prototype",
};

// Returns true if the directive is allowed at this place.
static bool check_context(struct directives *d, uint32_t node, enum directive_context place)
{
    uint16_t word = node_at(d, node)->aux;
    int row = word < WORD_COUNT ? find_row(word) : -1;
    if (word >= WORD_COUNT) // kept; the parser has warned of it
        return false;
    if (row < 0 || !(rows[row].places & place)) {
        directive_fault_word(d, "directive", node,
                             arena_printf(&d->scratch, "'%s' is not allowed %s", text_of(d, word),
                                          context_names[place]));
        return false;
    }
    check_row_needs(d, row, node);
    return true;
}

static void check_directive(struct directives *d, uint32_t node, enum directive_context place,
                            bool labelled);

static void check_tunings(struct directives *d, uint32_t parent, enum directive_context place)
{
    NODE_EACH (child, d->tree, parent) {
        if (node_at(d, child)->kind == NODE_DIRECTIVE)
            check_directive(d, child, place, false);
        if (node_at(d, child)->kind != NODE_TUNING || !check_context(d, child, place))
            continue;
        check_arguments(d, find_row(node_at(d, child)->aux), child);
        check_relations(d, parent, child);
        bool returns = false;
        NODE_EACH (other, d->tree, parent)
            returns |= node_at(d, other)->kind == NODE_RETURNS && node_at(d, other)->size > 1;
        if (returns && node_at(d, child)->aux == W_noreturn)
            directive_fault_word(d, "directive", child,
                                 "'.noreturn' is not allowed for a function that returns a value");
    }
}

static void check_directive(struct directives *d, uint32_t node, enum directive_context place,
                            bool labelled)
{
    if (header_part(node_at(d, node)) >= 0 && place == MODULE) {
        check_context(d, node, place);
        return;
    }
    if (!check_context(d, node, place))
        return;
    if (node_at(d, node)->aux == W_pragma)
        pragma_check(d, node, place);
    for (size_t i = 0; i < ARRAY_LENGTH(operands); i++) {
        if (operands[i].word != node_at(d, node)->aux)
            continue;
        if (operands[i].labelled && !labelled)
            directive_fault_word(d, "directive", node, "a label must precede it");
        operands[i].check(d, node);
    }
    if (node_at(d, node)->aux == W_callprototype)
        check_tunings(d, node, CALL);
}

// The tree

// Reports a semicolon without a statement. The parser has already reported a semicolon after
// skipped text.
static void refuse_empty(struct directives *d, uint32_t node)
{
    if (node_at(d, node)->begin < d->broken)
        directive_fault(d, "syntax", node, "';' does not end a statement");
}

static void check_scope(struct directives *d, uint32_t scope)
{
    bool labelled = false;
    NODE_EACH (child, d->tree, scope) {
        switch (node_at(d, child)->kind) {
        case NODE_DIRECTIVE: check_directive(d, child, BODY, labelled); break;
        case NODE_DECL: declaration_check(d, child, BODY); break;
        case NODE_SCOPE: check_scope(d, child); break;
        case NODE_EMPTY: refuse_empty(d, child); break;
        case NODE_SECTION:
        case NODE_DWARF:
            directive_fault_word(d, "directive", child, "a section is not allowed in a body");
            break;
        default: break;
        }
        labelled = node_at(d, child)->kind == NODE_LABEL;
    }
}

void directives_check_function(struct directives *d, uint32_t function)
{
    enum directive_context place = node_at(d, function)->aux == W_entry ? ENTRY : FUNC;
    d->function = node_at(d, function)->aux;
    d->defined = false;
    NODE_EACH (child, d->tree, function)
        d->defined |= node_at(d, child)->kind == NODE_SCOPE;
    declaration_check_function(d, function);
    check_tunings(d, function, place);
    NODE_EACH (child, d->tree, function) {
        uint8_t kind = node_at(d, child)->kind;
        if (kind == NODE_PARAMS || kind == NODE_RETURNS)
            check_parameters(d, child, place);
        else if (kind == NODE_SCOPE)
            check_scope(d, child);
    }
}

// Returns the offset of the parser's first error.
static uint32_t first_fault(const struct diags *diags)
{
    uint32_t first = NO_OFFSET;
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        bool syntax = !strcmp(diag->id, "syntax") || !strcmp(diag->id, "literal");
        if (syntax && diag->severity == DIAG_ERROR && diag->begin < first)
            first = diag->begin;
    }
    return first;
}

struct directives *directives_begin(const struct tree *tree, struct arena *arena,
                                    struct diags *diags)
{
    struct directives *d = ARENA_NEW(arena, struct directives);
    *d = (struct directives){.tree = tree, .diags = diags, .broken = first_fault(diags)};
    arena_init(&d->scratch, arena->memory);
    intern_init(&d->places, &d->scratch);
    intern_init(&d->placed, &d->scratch);
    intern_init(&d->labels, &d->scratch);
    check_header(d);
    return d;
}

void directives_end(struct directives *d)
{
    debug_check_labels(d);
    arena_free(&d->scratch);
}

void directives_check(const struct tree *tree, struct arena *arena, struct diags *diags)
{
    struct directives *d = directives_begin(tree, arena, diags);
    NODE_EACH (child, tree, 0) {
        switch (node_at(d, child)->kind) {
        case NODE_DIRECTIVE: check_directive(d, child, MODULE, false); break;
        case NODE_DECL: declaration_check(d, child, MODULE); break;
        case NODE_FUNCTION: directives_check_function(d, child); break;
        case NODE_SECTION: debug_check_section(d, child); break;
        case NODE_DWARF: debug_check_dwarf(d, child); break;
        case NODE_EMPTY: refuse_empty(d, child); break;
        default: break;
        }
    }
    debug_check_target(d);
    directives_end(d);
}
