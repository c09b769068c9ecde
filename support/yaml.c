#include "support/yaml.h"
// libyaml's names of node kinds do not conflict with ours.
#include <yaml.h>
#include <string.h>

struct reading {
    struct arena *arena;
    struct yaml_document *document;
    struct diags *diags;
    bool is_ascii; // all characters are single bytes, so marks need no counting
};

static bool all_ascii(const struct source *source)
{
    for (uint32_t i = 0; i < source->length; i++)
        if ((unsigned char)source->text[i] >= 0x80)
            return false;
    return true;
}

// Converts a mark of libyaml, which counts characters, to a byte offset.
static uint32_t offset_of(const struct reading *r, const yaml_mark_t *mark)
{
    const struct source *source = r->document->source;
    uint32_t begin, end, column = 0;
    if (mark->line >= source_lines(source)->at.n)
        return source->length;
    source_line(source, (uint32_t)mark->line + 1, &begin, &end);
    if (r->is_ascii)
        return mark->column < end - begin ? begin + (uint32_t)mark->column : end;
    // libyaml does not count a byte order mark.
    if (!mark->line && source->length >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3))
        begin += 3;
    for (; column < mark->column && begin < end; column++)
        do
            begin++;
        while (begin < end && ((unsigned char)source->text[begin] & 0xc0) == 0x80);
    return begin;
}

// Returns true if a text has control characters other than line feeds and tabs. Such values are
// rejected because they are printed.
static bool has_control(const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];
        if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f ||
            (c == 0xc2 && next >= 0x80 && next < 0xa0))
            return true;
    }
    return false;
}

static void copy_scalar(struct reading *r, const yaml_node_t *from, struct yaml_node *to)
{
    to->kind = YAML_SCALAR;
    to->length = (uint32_t)from->data.scalar.length;
    to->text = arena_strndup(r->arena, (const char *)from->data.scalar.value, to->length);
    if (memchr(to->text, 0, to->length)) {
        diag_add(r->diags, DIAG_ERROR, "run-file", to->begin, to->end,
                 "a value contains a NUL byte");
        to->length = (uint32_t)strlen(to->text);
    } else if (has_control(to->text)) {
        diag_add(r->diags, DIAG_ERROR, "run-file", to->begin, to->end,
                 "a value contains a control character");
    }
    to->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    uint32_t inner = to->begin + !to->plain;
    const struct source *source = r->document->source;
    bool as_it_is =
        to->length <= source->length - (inner < source->length ? inner : source->length) &&
        !memcmp(source->text + inner, to->text, to->length);
    to->inner = as_it_is ? inner : UINT32_MAX;
}

static void copy_items(struct reading *r, const yaml_node_t *from, struct yaml_node *to)
{
    bool mapping = from->type == YAML_MAPPING_NODE;
    const yaml_node_item_t *items = from->data.sequence.items.start;
    const yaml_node_pair_t *pairs = from->data.mapping.pairs.start;
    size_t count = mapping ? 2 * (size_t)(from->data.mapping.pairs.top - pairs)
                           : (size_t)(from->data.sequence.items.top - items);
    to->kind = mapping ? YAML_MAPPING : YAML_SEQUENCE;
    to->count = (uint32_t)count;
    to->items = ARENA_ARRAY(r->arena, uint32_t, count ? count : 1);
    for (size_t i = 0; i < count; i++) { // libyaml counts nodes from 1
        int id = !mapping ? items[i] : i % 2 ? pairs[i / 2].value : pairs[i / 2].key;
        to->items[i] = (uint32_t)id - 1;
    }
}

static void copy_nodes(struct reading *r, const yaml_document_t *from)
{
    const struct source *source = r->document->source;
    for (const yaml_node_t *node = from->nodes.start; node < from->nodes.top; node++) {
        struct yaml_node made = {.begin = offset_of(r, &node->start_mark),
                                 .end = offset_of(r, &node->end_mark)};
        if (made.end < made.begin)
            made.end = made.begin;
        // libyaml ends a block at the start of the next token, so the range is limited to the first
        // line.
        const char *line = memchr(source->text + made.begin, '\n', made.end - made.begin);
        if (line)
            made.end = (uint32_t)(line - source->text);
        if (node->type == YAML_SCALAR_NODE)
            copy_scalar(r, node, &made);
        else
            copy_items(r, node, &made);
        vec_push(r->arena, &r->document->nodes, made);
    }
    r->document->root = from->nodes.start < from->nodes.top ? 0 : YAML_NOTHING;
}

static void fail(struct reading *r, const yaml_parser_t *parser)
{
    uint32_t at = offset_of(r, &parser->problem_mark);
    const char *problem = parser->problem ? parser->problem : "it cannot be read";
    // Invalid bytes have no mark.
    if (parser->error == YAML_READER_ERROR && parser->problem_offset < r->document->source->length)
        at = (uint32_t)parser->problem_offset;
    diag_add(r->diags, DIAG_ERROR, "run-file", at, at + 1, "this is not YAML: %s%s%s", problem,
             parser->context ? " " : "", parser->context ? parser->context : "");
}

static void begin(yaml_parser_t *parser, const struct source *source)
{
    yaml_parser_set_input_string(parser, (const unsigned char *)source->text, source->length);
}

enum { DEEPEST = 100 };

// Rejects deep nesting, because libyaml's time grows with the square of the depth.
static bool check_depth(struct reading *r)
{
    yaml_parser_t parser;
    yaml_event_t event;
    uint32_t depth = 0;
    bool ends = !yaml_parser_initialize(&parser);
    begin(&parser, r->document->source);
    while (!ends && depth <= DEEPEST && yaml_parser_parse(&parser, &event)) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        ends = event.type == YAML_STREAM_END_EVENT;
        if (depth > DEEPEST) {
            uint32_t at = offset_of(r, &event.start_mark);
            diag_add(r->diags, DIAG_ERROR, "run-file", at, at + 1,
                     "lists and keys are nested more than %d deep", DEEPEST);
        }
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return depth <= DEEPEST;
}

// If the arena runs out of memory it jumps out of this function; libyaml's objects must be freed
// first.
static void copy_document(struct reading *r, yaml_parser_t *parser, yaml_document_t *document)
{
    struct memory *memory = r->arena->memory;
    jmp_buf outer;
    memcpy(outer, memory->on_failure, sizeof outer);
    if (setjmp(memory->on_failure)) {
        yaml_document_delete(document);
        yaml_parser_delete(parser);
        memcpy(memory->on_failure, outer, sizeof outer);
        longjmp(memory->on_failure, 1);
    }
    copy_nodes(r, document);
    memcpy(memory->on_failure, outer, sizeof outer);
    yaml_document_delete(document);
}

static bool load(struct reading *r, yaml_parser_t *parser)
{
    yaml_document_t document, second;
    if (!yaml_parser_load(parser, &document)) {
        fail(r, parser);
        return false;
    }
    copy_document(r, parser, &document);
    if (!yaml_parser_load(parser, &second)) {
        fail(r, parser);
        return false;
    }
    const yaml_node_t *more = yaml_document_get_root_node(&second);
    uint32_t at = more ? offset_of(r, &more->start_mark) : 0;
    if (more)
        diag_add(r->diags, DIAG_ERROR, "run-file", at, at + 1,
                 "a file must have only one document");
    yaml_document_delete(&second);
    return !more;
}

bool yaml_read(struct yaml_document *document, struct arena *arena, const struct source *source,
               struct diags *diags)
{
    struct reading reading = {arena, document, diags, all_ascii(source)};
    yaml_parser_t parser;
    uint32_t before = diags->errors;
    *document = (struct yaml_document){.source = source, .root = YAML_NOTHING};
    if (!check_depth(&reading))
        return false;
    if (!yaml_parser_initialize(&parser)) {
        diag_add(diags, DIAG_ERROR, "run-file", NO_OFFSET, NO_OFFSET, "memory is exhausted");
        return false;
    }
    begin(&parser, source);
    bool good = load(&reading, &parser);
    yaml_parser_delete(&parser);
    return good && diags->errors == before;
}
