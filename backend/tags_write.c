#include "backend/bodies.h"
#include "backend/build.h"
#include "backend/rows.h"
#include "backend/tag_text.h"
#include <stdlib.h>
#include <string.h>

// A tag at an instruction; at one instruction they stand by kind.
struct mark {
    uint32_t index; // of the instruction
    enum tag_kind kind;
    const char *content;
};

struct tagger {
    struct arena *arena;
    const struct tables *tables;
    const struct bodies *bodies;
    VEC(struct mark) marks; // of the kernel at work
    struct tags tags;       // in the order of the text
    uint32_t digest;        // the digest's place among the tags
    struct text text;       // the tag at work
};

static void add_piece(struct tagger *t, uint32_t at, const char *content, uint32_t length)
{
    struct tag tag = {.at = at, .content = content, .length = length};
    vec_push(t->arena, &t->tags.list, tag);
}

// Adds the tag in front of `at`, in pieces if it is long.
static void add_tag(struct tagger *t, uint32_t at)
{
    uint32_t length = t->text.bytes.n;
    const char *content = arena_strndup(t->arena, t->text.bytes.v, length);
    for (bool first = true; length || first; first = false) {
        uint32_t part = length < TAG_LONGEST ? length : TAG_LONGEST;
        const char *piece =
            first ? content
                  : arena_printf(t->arena, "%s %.*s", tag_kinds[TAG_MORE].word, (int)part, content);
        add_piece(t, at, piece, first ? part : (uint32_t)strlen(piece));
        content += part;
        length -= part;
    }
}

static struct text *begin_tag(struct tagger *t, enum tag_kind kind)
{
    t->text.bytes.n = 0;
    text_string(&t->text, tag_kinds[kind].word);
    return &t->text;
}

static void add_record(struct tagger *t, const struct body *body, enum tag_kind kind,
                       const struct field *rows, const void *record)
{
    fields_write_text(begin_tag(t, kind), rows, record);
    add_tag(t, body->open);
}

static void add_mark(struct tagger *t, uint32_t index, enum tag_kind kind, const char *content)
{
    struct mark mark = {index, kind, content};
    vec_push(t->arena, &t->marks, mark);
}

static void add_chain(struct tagger *t, const struct body *body, const struct table_chain *chain)
{
    struct text *text = begin_tag(t, TAG_CHAIN_FACTS);
    fields_write_text(text, rows_chain, chain);
    for (uint32_t i = 0; i < chain->instructions.n; i++) {
        const struct table_instruction *inst = &chain->instructions.v[i];
        text_string(text, i ? "," : " places=");
        text_uint(text, inst->line);
        text_add(text, ":", 1);
        text_uint(text, inst->column);
        add_mark(t, inst->index, TAG_CHAIN,
                 arena_printf(t->arena, "%s %u %s", tag_kinds[TAG_CHAIN].word, chain->id,
                              table_tag_names[inst->tag]));
    }
    add_tag(t, body->open);
}

static void add_block(struct tagger *t, const struct body *body, const struct table_block *block)
{
    add_record(t, body, TAG_BLOCK_FACTS, rows_block, block);
    for (uint32_t i = 0; i < block->alternatives.n; i++)
        add_record(t, body, TAG_ALTERNATIVE, rows_alternative, &block->alternatives.v[i]);
    if (!table_block_chosen(block))
        return;
    add_mark(t, block->begin_index, TAG_BEGIN,
             arena_printf(t->arena, "%s %u", tag_kinds[TAG_BEGIN].word, block->id));
    add_mark(t, block->end_index, TAG_END,
             arena_printf(t->arena, "%s %u", tag_kinds[TAG_END].word, block->id));
}

// Begins first, then the chain, then ends.
static int mark_rank(enum tag_kind kind)
{
    return kind == TAG_BEGIN ? 0 : kind == TAG_CHAIN ? 1 : 2;
}

static int compare_marks(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    int by = mark_rank(x->kind) - mark_rank(y->kind);
    return by ? by : strcmp(x->content, y->content);
}

static void add_marks(struct tagger *t, const struct body *body)
{
    if (t->marks.n)
        qsort(t->marks.v, t->marks.n, sizeof *t->marks.v, compare_marks);
    for (uint32_t i = 0; i < t->marks.n; i++)
        add_piece(t, body_inst(body, t->marks.v[i].index)->begin, t->marks.v[i].content,
                  (uint32_t)strlen(t->marks.v[i].content));
    t->marks.n = 0;
}

static void add_kernel(struct tagger *t, const struct body *body, const struct table_kernel *kernel)
{
    if (!t->tags.list.n)
        add_record(t, body, TAG_MODULE, rows_module, t->tables);
    add_record(t, body, TAG_KERNEL, rows_kernel, kernel);
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        add_chain(t, body, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        add_block(t, body, &kernel->blocks.v[i]);
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        add_record(t, body, TAG_REJECTED, rows_rejection, &kernel->rejected.v[i]);
    if (!t->digest) {
        t->digest = t->tags.list.n;
        add_piece(t, body->open, "", 0);
    }
    add_marks(t, body);
}

static bool is_of(const struct body *body, const struct table_kernel *kernel)
{
    const struct name *name = tree_name(body->tree, body->tree->nodes.v[body->node].value);
    return strlen(kernel->name) == name->length &&
           !memcmp(kernel->name, name->text, name->length) && kernel->instructions == body->insts.n;
}

// Kernels stand in the tables in the order of their bodies.
static bool add_kernels(struct tagger *t)
{
    uint32_t kernel = 0;
    for (uint32_t i = 0; i < t->bodies->list.n && kernel < t->tables->kernels.n; i++)
        if (is_of(&t->bodies->list.v[i], &t->tables->kernels.v[kernel]))
            add_kernel(t, &t->bodies->list.v[i], &t->tables->kernels.v[kernel++]);
    return kernel == t->tables->kernels.n;
}

static void fill_digest(struct tagger *t, const struct source *source)
{
    char text[SHA256_HEX + 1], tags[SHA256_HEX + 1];
    struct tag *tag = &t->tags.list.v[t->digest];
    tag->content = tag_kinds[TAG_DIGEST].word; // so that it is known for what it is
    tag->length = (uint32_t)strlen(tag->content);
    tables_digest(text, source->text, source->length);
    tags_digest(tags, t->arena, &t->tags);
    tag->content =
        arena_printf(t->arena, "%s text=%s tags=%s", tag_kinds[TAG_DIGEST].word, text, tags);
    tag->length = (uint32_t)strlen(tag->content);
}

static void spell(struct text *text, const struct tag *tag, enum tag_style style)
{
    uint32_t rest;
    bool at_instruction = tag_kinds[tag_kind(tag->content, tag->length, &rest)].at_instruction;
    text_add(text, " ", !at_instruction);
    text_string(text, tag_spellings[style].open);
    text_add(text, tag->content, tag->length);
    text_string(text, tag_spellings[style].close);
    text_add(text, " ", at_instruction);
}

static char *put_tags(struct tagger *t, const struct source *source, enum tag_style style,
                      uint32_t *length)
{
    struct text text;
    uint32_t at = 0;
    text_init(&text, t->arena);
    for (uint32_t i = 0; i < t->tags.list.n; i++) {
        const struct tag *tag = &t->tags.list.v[i];
        text_add(&text, source->text + at, tag->at - at);
        spell(&text, tag, style);
        at = tag->at;
    }
    text_add(&text, source->text + at, source->length - at);
    return text_end(&text, length);
}

// As in [000 Fig. 6]: `ld.global.f32 %f1, [%rd1];[01]`.
static char *put_paper(struct tagger *t, const struct source *source, uint32_t *length)
{
    struct text text;
    uint32_t at = 0;
    text_init(&text, t->arena);
    for (uint32_t i = 0; i < t->tags.list.n; i++) {
        const struct tag *tag = &t->tags.list.v[i];
        uint32_t rest;
        if (tag_kind(tag->content, tag->length, &rest) != TAG_CHAIN)
            continue;
        const struct body *body = bodies_at(t->bodies, tag->at);
        uint32_t end = body_inst(body, body_find(body, tag->at))->end;
        text_add(&text, source->text + at, end - at);
        text_printf(&text, "[%.2s]", tag->content + tag->length - 2);
        at = end;
    }
    text_add(&text, source->text + at, source->length - at);
    return text_end(&text, length);
}

char *tags_write(struct arena *arena, const struct tree *tree, const struct tables *tables,
                 enum tag_style style, uint32_t *length)
{
    struct bodies bodies;
    bodies_find(&bodies, arena, tree);
    struct tagger t = {.arena = arena, .tables = tables, .bodies = &bodies};
    text_init(&t.text, arena);
    if (!add_kernels(&t))
        return NULL;
    if (style == TAGS_PAPER)
        return put_paper(&t, tree->source, length);
    if (style != TAGS_NONE && t.tags.list.n)
        fill_digest(&t, tree->source);
    t.tags.list.n = style == TAGS_NONE ? 0 : t.tags.list.n;
    return put_tags(&t, tree->source, style, length);
}
