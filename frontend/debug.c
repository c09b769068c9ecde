// Debugging information: sections, source files and positions, and the requirements of .target
// debug.
#include "frontend/directives_internal.h"
#include <stdlib.h>
#include <string.h>

static const struct node *node_at(const struct directives *d, uint32_t node)
{
    return &d->tree->nodes.v[node];
}

static bool is_name(const struct directives *d, uint32_t node, const char *text)
{
    const struct name *name = tree_name(d->tree, node_at(d, node)->value);
    return node_at(d, node)->kind == NODE_NAME && name->length == strlen(text) &&
           !memcmp(name->text, text, name->length);
}

// Sections

enum piece_kind { TOKEN_END, TOKEN_NAME, TOKEN_WORD, TOKEN_NUMBER, TOKEN_OTHER };

// Reads the contents of a section: labels, lists of numbers, and single addresses.
struct section {
    struct directives *d;
    const char *at, *end; // remaining text
    enum piece_kind kind; // the current token
    const char *begin;
    uint16_t type; // type of the current list
    bool labels;   // collect labels; else report faults
};

static bool is_letter(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static void skip_trivia(struct section *s)
{
    for (const char *stop; s->at < s->end; s->at = stop) {
        size_t left = (size_t)(s->end - s->at);
        if (strchr(" \t\r\n\f", *s->at))
            stop = s->at + 1;
        else if (left > 1 && !memcmp(s->at, "//", 2))
            stop = memchr(s->at, '\n', left);
        else if (left > 1 && !memcmp(s->at, "/*", 2))
            stop = memmem(s->at + 2, left - 2, "*/", 2);
        else
            return;
        if (stop && *s->at == '/')
            stop += *stop == '*' ? 2 : 1;
        if (!stop)
            stop = s->end;
    }
}

static void next(struct section *s)
{
    skip_trivia(s);
    s->begin = s->at;
    if (s->at == s->end) {
        s->kind = TOKEN_END;
        return;
    }
    char first = *s->at++;
    bool word = first == '.' || is_letter(first) || first == '%';
    while (word && s->at < s->end && is_letter(*s->at))
        s->at++;
    s->kind = !word                          ? TOKEN_OTHER
              : first == '.'                 ? TOKEN_WORD
              : first >= '0' && first <= '9' ? TOKEN_NUMBER
                                             : TOKEN_NAME;
}

static bool is(const struct section *s, char c)
{
    return s->kind == TOKEN_OTHER && *s->begin == c;
}

// Reports a fault. Returns false, so that the rest of the section is skipped.
static bool refuse(struct section *s, const char *why)
{
    const char *text = s->d->tree->source->text;
    uint32_t begin = (uint32_t)(s->begin - text), end = (uint32_t)(s->at - text);
    if (!s->labels)
        diag_add(s->d->diags, DIAG_ERROR, "directive", begin, end > begin ? end : begin + 1,
                 "'%.*s' %s", (int)(s->at - s->begin), s->begin, why);
    return false;
}

// Returns the value of a token. Sets `*fits` to false if the token is not an integer or is too
// large.
static uint64_t number_of(const struct section *s, bool *fits)
{
    const char *text = s->begin;
    uint64_t value = 0;
    uint32_t length = (uint32_t)(s->at - text), at = 0, base = 10;
    if (length && (text[length - 1] == 'U'))
        length--;
    if (length > 1 && *text == '0') {
        base = (text[1] | 0x20) == 'x' ? 16 : (text[1] | 0x20) == 'b' ? 2 : 8;
        at = base == 8 ? 1 : 2;
    }
    *fits = length > at;
    for (; at < length; at++) {
        uint32_t digit =
            text[at] <= '9' ? (uint32_t)(text[at] - '0') : (uint32_t)(text[at] | 0x20) - 'a' + 10;
        *fits &= digit < base && !__builtin_mul_overflow(value, (uint64_t)base, &value) &&
                 !__builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    return value;
}

static bool read_number(struct section *s, bool negative)
{
    static const struct {
        uint16_t type;
        uint64_t min, max; // magnitude of negative numbers; of other numbers, the lower 32 bits
                           // are compared
    } ranges[] = {{W_b8, 128, 255},
                  {W_b16, 32768, 65535},
                  {W_b32, UINT64_C(1) << 31, UINT64_MAX},
                  {W_b64, INT64_MAX, UINT64_MAX}};
    bool fits;
    uint64_t value = number_of(s, &fits);
    if (!fits)
        return refuse(s, "is not an integer of 64 bits");
    if (negative && value > INT64_MAX)
        return refuse(s, "is out of the range of negative numbers");
    for (size_t i = 0; i < ARRAY_LENGTH(ranges); i++)
        if (ranges[i].type == s->type &&
            (negative ? value > ranges[i].min : (uint32_t)value > ranges[i].max))
            return refuse(s, arena_printf(&s->d->scratch, "is out of the range of '%s'",
                                          isa_words[s->type].text));
    next(s);
    return true;
}

static bool needs(struct section *s, uint16_t version)
{
    uint16_t is = s->d->version;
    return !is || is >= version ||
           refuse(s,
                  arena_printf(&s->d->scratch, "needs PTX %u.%u in a section, this module is %u.%u",
                               version / 10, version % 10, is / 10, is % 10));
}

static uint32_t word_id(const struct section *s)
{
    return intern_find(&s->d->tree->names, s->begin, (size_t)(s->at - s->begin)) -
           (uint32_t)OP_COUNT;
}

// Returns true for a word of PTX that cannot name a section.
static bool is_reserved(const struct section *s)
{
    static const uint16_t free_words[] = {W_x, W_y, W_z, W_w, W_r, W_a, W_wide, W_to, W_v8, W_sreg};
    uint32_t word = word_id(s);
    for (size_t i = 0; i < ARRAY_LENGTH(free_words); i++)
        if (free_words[i] == word)
            return false;
    return word < WORD_COUNT;
}

// Names that PTX gives a meaning are labels, but for two.
static bool is_no_label(const struct section *s)
{
    size_t length = (size_t)(s->at - s->begin);
    return (length == 1 && *s->begin == '_') || (length == 7 && !memcmp(s->begin, "WARP_SZ", 7));
}

// Reads label, label + number or label - label. A section's name is also a label.
static bool parse_location(struct section *s)
{
    if (is_no_label(s))
        return refuse(s, "is reserved and cannot be a label");
    if (s->type != W_b32 && s->type != W_b64)
        return refuse(s, "is an address, for .b32 and .b64");
    if (s->kind == TOKEN_WORD && is_reserved(s))
        return refuse(s, "is reserved and cannot be a section");
    next(s);
    if (is(s, '+')) {
        if (!needs(s, 32))
            return false;
        next(s);
        return s->kind == TOKEN_NUMBER ? read_number(s, false) : refuse(s, "must be a number");
    }
    if (!is(s, '-'))
        return true;
    if (!needs(s, 75))
        return false;
    next(s);
    if ((s->kind != TOKEN_NAME && s->kind != TOKEN_WORD) || is_no_label(s))
        return refuse(s, "must be a label");
    next(s);
    return true;
}

static bool read_value(struct section *s)
{
    bool negative = is(s, '-');
    if (negative && !needs(s, 75))
        return false;
    if (negative)
        next(s);
    return s->kind == TOKEN_NUMBER ? read_number(s, negative) : refuse(s, "must be a number");
}

static bool read_list(struct section *s)
{
    uint32_t word = word_id(s);
    if (word != W_b8 && word != W_b16 && word != W_b32 && word != W_b64)
        return refuse(s, "is not a type for a section: use .b8, .b16, .b32 or .b64");
    s->type = (uint16_t)word;
    next(s);
    if (s->kind == TOKEN_NAME || s->kind == TOKEN_WORD)
        return parse_location(s);
    while (read_value(s)) {
        if (!is(s, ','))
            return true;
        next(s);
    }
    return false;
}

static bool read_label(struct section *s)
{
    if (!needs(s, 70))
        return false;
    if (is_no_label(s))
        return refuse(s, "is reserved and cannot be a label");
    struct section label = *s;
    size_t length = (size_t)(s->at - s->begin);
    next(s);
    if (!is(s, ':'))
        return refuse(s, "must be a ':' after a label");
    struct intern *names = s->labels ? &s->d->labels : &s->d->placed;
    uint32_t known = intern_find(names, label.begin, length);
    if (known != UINT32_MAX && !s->labels)
        refuse(&label, "is already a label");
    intern_add(names, label.begin, length);
    next(s);
    return true;
}

// Reads the section's name: one word that is not reserved.
static bool read_head(struct section *s)
{
    next(s); // .section
    next(s);
    if (s->kind != TOKEN_WORD)
        return refuse(s, "must be the name of a section, which begins with a dot");
    if (is_reserved(s))
        return refuse(s, "is reserved and cannot name a section");
    next(s);
    return is(s, '{') || refuse(s, "must be the '{' of a section");
}

static void read_section(struct directives *d, uint32_t node, bool labels)
{
    const char *text = d->tree->source->text;
    struct section s = {
        .d = d, .at = text + node_at(d, node)->begin, .end = text + node_at(d, node)->end - 1};
    s.labels = labels;
    if (!read_head(&s))
        return;
    next(&s);
    while (s.kind != TOKEN_END)
        if (!(s.kind == TOKEN_WORD   ? read_list(&s)
              : s.kind == TOKEN_NAME ? read_label(&s)
                                     : refuse(&s, "is not allowed in a section")))
            return;
}

void debug_check_section(struct directives *d, uint32_t node)
{
    d->sections++;
    directive_check_needs(d, W_section, node);
    read_section(d, node, false);
}

void debug_check_dwarf(struct directives *d, uint32_t node)
{
    if (d->version >= 20)
        directive_fault(d, "version", node, "'@@DWARF' is valid only up to PTX 1.5");
}

// Files and positions

void debug_check_file(struct directives *d, uint32_t directive)
{
    const struct node *index = node_at(d, directive + 1);
    if (index->kind != NODE_INT || index->value >> 32) {
        directive_fault(d, "directive", directive + 1, "the index of a file must have 32 bits");
        return;
    }
    NODE_EACH (child, d->tree, directive) {
        if (child == directive + 1 || node_at(d, child)->kind == NODE_STRING)
            continue;
        if (node_at(d, child)->kind == NODE_FLOAT64)
            directive_fault(d, "directive", child, "time and size of a file must be integers");
        else if (d->version && d->version < 32)
            directive_fault(d, "version", child, "time and size of a file need PTX 3.2");
        else
            continue;
        return;
    }
    for (uint32_t i = 0; i < d->files.n; i++) {
        const struct node *before = node_at(d, d->files.v[i]);
        if (before[1].value != index->value)
            continue;
        directive_fault(d, "directive", directive + 1, "another file has this index");
        diag_add(d->diags, DIAG_NOTE, "directive", before->begin, before->end,
                 "the other file is "
                 "here");
        return;
    }
    vec_push(&d->scratch, &d->files, directive);
}

// Reads file, line and column from a node on. Returns the node after them, or 0 after reporting an
// error.
static uint32_t read_position(struct directives *d, uint32_t directive, uint32_t node,
                              uint32_t numbers[3])
{
    uint32_t end = node_next(d->tree, directive);
    for (int i = 0; i < 3; i++, node++) {
        const struct node *number = node_at(d, node);
        if (node >= end || number->kind != NODE_INT) {
            if (node >= end || number->kind != NODE_ERROR)
                directive_fault(d, "directive", directive,
                                "'.loc' takes three numbers: file, line and column");
            return 0;
        }
        if (number->value >> 32) {
            directive_fault(d, "directive", node, "must be a number of 32 bits");
            return 0;
        }
        numbers[i] = (uint32_t)number->value;
    }
    return node;
}

// Reads function_name label[+number], inlined_at file line column.
static bool read_inlined(struct directives *d, uint32_t directive, uint32_t node,
                         uint32_t caller[3])
{
    uint32_t end = node_next(d->tree, directive);
    const char *form = "must be 'function_name label, inlined_at file line column'";
    if (!is_name(d, node, "function_name") || node + 1 >= end) {
        directive_fault(d, "directive", node, form);
        return false;
    }
    uint32_t label = node + 1, at = label + 1;
    if (at < end && node_at(d, at)->kind == NODE_INT)
        at++;
    bool named = node_at(d, label)->kind == NODE_NAME || node_at(d, label)->kind == NODE_WORD;
    if (!named || at >= end || !is_name(d, at, "inlined_at")) {
        directive_fault(d, "directive", at < end && named ? at : label, form);
        return false;
    }
    uint32_t after = read_position(d, directive, at + 1, caller);
    if (after && after < end)
        directive_fault(d, "directive", after, "is an extra part of '.loc'");
    if (after && node_at(d, label)->kind == NODE_NAME)
        vec_push(&d->scratch, &d->label_uses,
                 ((struct label_use){(uint32_t)node_at(d, label)->value, node_at(d, label)->begin,
                                     node_at(d, label)->end}));
    return after;
}

void debug_check_loc(struct directives *d, uint32_t directive)
{
    uint32_t place[3], caller[3];
    uint32_t after = read_position(d, directive, directive + 1, place);
    if (!after)
        return;
    if (after < node_next(d->tree, directive) && read_inlined(d, directive, after, caller) &&
        intern_find(&d->places, (const char *)caller, sizeof caller) == UINT32_MAX)
        directive_fault(d, "directive", directive,
                        "no '.loc' before it has the location of its inlined_at");
    uint32_t *kept = ARENA_ARRAY(&d->scratch, uint32_t, 3);
    memcpy(kept, place, sizeof place);
    intern_add(&d->places, (const char *)kept, sizeof place);
}

// The end of the module

static bool is_section(const struct directives *d, uint32_t node, const char *name)
{
    const char *text = d->tree->source->text + node_at(d, node)->begin;
    size_t length = node_at(d, node)->end - node_at(d, node)->begin;
    const char *brace = memchr(text, '{', length);
    const char *found = brace ? memmem(text, (size_t)(brace - text), name, strlen(name)) : NULL;
    return found && !is_letter(found[strlen(name)]);
}

void debug_check_labels(struct directives *d)
{
    if (!d->label_uses.n || d->tree->source->fragment)
        return;
    NODE_EACH (child, d->tree, 0)
        if (node_at(d, child)->kind == NODE_SECTION && is_section(d, child, ".debug_str"))
            read_section(d, child, true);
    for (uint32_t i = 0; i < d->label_uses.n; i++) {
        const struct label_use *use = &d->label_uses.v[i];
        const struct name *name = tree_name(d->tree, use->name);
        if (intern_find(&d->labels, name->text, name->length) == UINT32_MAX)
            diag_add(d->diags, DIAG_ERROR, "directive", use->begin, use->end,
                     "'%.*s' is not a label of a section .debug_str", (int)name->length,
                     name->text);
    }
}

void debug_check_target(struct directives *d)
{
    if (d->debug && !d->sections && !d->tree->source->fragment)
        directive_fault(d, "target", d->debug, "the module has no section with debug information");
}
