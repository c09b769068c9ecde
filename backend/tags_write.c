// The tags in the order of the text, which the tables have too: what is after a body's brace, then
// what is at its instructions. So the output is written in one go, with the digest over the tags.
#include "backend/bodies.h"
#include "backend/build.h"
#include "backend/rows.h"
#include "backend/tag_text.h"
#include "backend/text.h"
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

// A tag at an instruction; at one instruction they stand by kind.
struct tag_mark {
    uint32_t index; // of the instruction
    enum tag_kind kind;
    uint32_t id;      // of the chain or block
    const char *word; // TAG_CHAIN: where in the chain
};

struct tagger {
    const struct tables *tables;
    const struct bodies *bodies;
    enum tag_style style;
    struct arena *arena;
    VEC(struct tag_mark) marks; // of the kernel at work
    struct text tag;            // content of the tag at work
    struct text text;           // the output
    uint32_t at;                // the source is in it up to here
    struct sha256_ctx digest;   // of the tags
    bool begun;
    uint32_t digests; // where in the output the digests go
};

static void put_source(struct tagger *t, uint32_t end)
{
    text_add(&t->text, t->bodies->text + t->at, end - t->at);
    t->at = end;
}

// Tags at an instruction have a blank after them, others in front.
static void put_piece(struct tagger *t, uint32_t at, bool at_instruction, const char *lead,
                      const char *content, uint32_t length)
{
    put_source(t, at);
    text_add(&t->text, " ", !at_instruction);
    text_string(&t->text, tag_spellings[t->style].open);
    text_string(&t->text, lead);
    text_add(&t->text, content, length);
    text_string(&t->text, tag_spellings[t->style].close);
    text_add(&t->text, " ", at_instruction);
}

static struct text *begin_tag(struct tagger *t, enum tag_kind kind)
{
    t->tag.bytes.n = 0;
    text_string(&t->tag, tag_kinds[kind].word);
    return &t->tag;
}

// Puts the tag before `at`, in pieces if it is long.
static void put_tag(struct tagger *t, uint32_t at, bool at_instruction)
{
    const char *content = t->tag.bytes.v, *lead = "";
    for (uint32_t left = t->tag.bytes.n; left;) {
        uint32_t part = left < TAG_LONGEST ? left : TAG_LONGEST;
        tags_digest_add(&t->digest, at, lead, content, part);
        put_piece(t, at, at_instruction, lead, content, part);
        content += part;
        left -= part;
        lead = TAG_MORE_LEAD;
    }
}

static void put_record(struct tagger *t, const struct body *body, enum tag_kind kind,
                       const struct record_field *rows, const void *record)
{
    fields_write_text(begin_tag(t, kind), rows, record);
    put_tag(t, body->open, false);
}

// Tags of the tables, after the brace of the body

static void put_chain(struct tagger *t, const struct body *body, const struct table_chain *chain)
{
    struct text *text = begin_tag(t, TAG_CHAIN_FACTS);
    fields_write_text(text, rows_chain, chain);
    for (uint32_t i = 0; i < chain->instructions.n; i++) {
        const struct table_instruction *inst = &chain->instructions.v[i];
        text_string(text, i ? "," : " places=");
        text_uint(text, inst->line);
        text_add(text, ":", 1);
        text_uint(text, inst->column);
    }
    put_tag(t, body->open, false);
}

static void put_block(struct tagger *t, const struct body *body, const struct table_block *block)
{
    put_record(t, body, TAG_BLOCK_FACTS, rows_block, block);
    for (uint32_t i = 0; i < block->alternatives.n; i++)
        put_record(t, body, TAG_ALTERNATIVE, rows_alternative, &block->alternatives.v[i]);
}

// The digests have room now, and come when all is written.
static void put_digest(struct tagger *t, const struct body *body)
{
    char room[SHA256_HEX];
    struct text *text = begin_tag(t, TAG_DIGEST);
    memset(room, '0', sizeof room);
    text_string(text, " text=");
    text_add(text, room, sizeof room);
    text_string(text, " tags=");
    text_add(text, room, sizeof room);
    put_piece(t, body->open, false, "", t->tag.bytes.v, t->tag.bytes.n);
    t->digests = t->text.bytes.n - (uint32_t)strlen(tag_spellings[t->style].close);
}

static void fill_digest(struct tagger *t)
{
    char digest[SHA256_HEX + 1];
    char *end = t->text.bytes.v + t->digests;
    tables_digest_end(digest, &t->digest);
    memcpy(end - SHA256_HEX, digest, SHA256_HEX);
    if (!t->bodies->sha256)
        tables_digest(digest, t->bodies->text, t->bodies->length);
    memcpy(end - SHA256_HEX - strlen(" tags=") - SHA256_HEX,
           t->bodies->sha256 ? t->bodies->sha256 : digest, SHA256_HEX);
}

static void put_facts(struct tagger *t, const struct body *body, const struct table_kernel *kernel)
{
    bool first = !t->begun;
    if (first)
        put_record(t, body, TAG_MODULE, rows_module, t->tables);
    put_record(t, body, TAG_KERNEL, rows_kernel, kernel);
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        put_chain(t, body, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        put_block(t, body, &kernel->blocks.v[i]);
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        put_record(t, body, TAG_REJECTED, rows_rejection, &kernel->rejected.v[i]);
    if (first)
        put_digest(t, body);
    t->begun = true;
}

// Tags at instructions

static void add_mark(struct tagger *t, uint32_t index, enum tag_kind kind, uint32_t id,
                     const char *word)
{
    struct tag_mark mark = {index, kind, id, word};
    vec_push(t->arena, &t->marks, mark);
}

static void add_marks(struct tagger *t, const struct table_kernel *kernel)
{
    t->marks.n = 0;
    for (uint32_t i = 0; i < kernel->chains.n; i++) {
        const struct table_chain *chain = &kernel->chains.v[i];
        for (uint32_t k = 0; k < chain->instructions.n; k++) {
            const struct table_instruction *inst = &chain->instructions.v[k];
            add_mark(t, inst->index, TAG_CHAIN, chain->id, table_tag_names[inst->tag]);
        }
    }
    for (uint32_t i = 0; i < kernel->blocks.n; i++) {
        const struct table_block *block = &kernel->blocks.v[i];
        if (!table_block_chosen(block))
            continue;
        add_mark(t, block->begin_index, TAG_BEGIN, block->id, NULL);
        add_mark(t, block->end_index, TAG_END, block->id, NULL);
    }
}

// Begins first, then the chain, then ends.
static int mark_rank(enum tag_kind kind)
{
    return kind == TAG_BEGIN ? 0 : kind == TAG_CHAIN ? 1 : 2;
}

static int compare_marks(const void *a, const void *b)
{
    const struct tag_mark *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    int by = mark_rank(x->kind) - mark_rank(y->kind);
    return by ? by : (x->id > y->id) - (x->id < y->id);
}

static void put_mark(struct tagger *t, const struct body *body, const struct tag_mark *mark)
{
    struct text *text = begin_tag(t, mark->kind);
    text_add(text, " ", 1);
    text_uint(text, mark->id);
    if (mark->word) {
        text_add(text, " ", 1);
        text_string(text, mark->word);
    }
    put_tag(t, body_inst(body, mark->index)->begin, true);
}

// As in [000 Fig. 6]: `ld.global.f32 %f1, [%rd1];[01]`.
static void put_as_in_paper(struct tagger *t, const struct body *body, const struct tag_mark *mark)
{
    if (mark->kind != TAG_CHAIN)
        return;
    put_source(t, body_inst(body, mark->index)->end);
    text_printf(&t->text, "[%s]", mark->word);
}

static void put_kernel(struct tagger *t, const struct body *body, const struct table_kernel *kernel)
{
    if (t->style == TAGS_NONE)
        return;
    if (t->style != TAGS_PAPER)
        put_facts(t, body, kernel);
    add_marks(t, kernel);
    if (t->marks.n)
        qsort(t->marks.v, t->marks.n, sizeof *t->marks.v, compare_marks);
    for (uint32_t i = 0; i < t->marks.n; i++)
        (t->style == TAGS_PAPER ? put_as_in_paper : put_mark)(t, body, &t->marks.v[i]);
}

static bool is_of(const struct body *body, const struct table_kernel *kernel)
{
    const struct name *name = tree_name(body->tree, body->tree->nodes.v[body->node].value);
    return strlen(kernel->name) == name->length &&
           !memcmp(kernel->name, name->text, name->length) && kernel->instructions == body->insts.n;
}

// Kernels are in the tables in the order of their bodies.
static bool put_kernels(struct tagger *t)
{
    uint32_t kernel = 0;
    for (uint32_t i = 0; i < t->bodies->list.n && kernel < t->tables->kernels.n; i++)
        if (is_of(&t->bodies->list.v[i], &t->tables->kernels.v[kernel]))
            put_kernel(t, &t->bodies->list.v[i], &t->tables->kernels.v[kernel++]);
    return kernel == t->tables->kernels.n;
}

char *tags_write(struct arena *arena, const struct bodies *bodies, const struct tables *tables,
                 enum tag_style style, uint32_t *length)
{
    struct tagger t = {.tables = tables, .bodies = bodies, .style = style, .arena = arena};
    text_init(&t.tag, arena);
    text_init(&t.text, arena);
    sha256_init(&t.digest);
    if (!put_kernels(&t))
        return NULL;
    put_source(&t, bodies->length);
    if (t.begun)
        fill_digest(&t);
    return text_end(&t.text, length);
}
