// Writes the tags in the order of the text, which is that of the tables: tags after a body's brace,
// then tags at its instructions. The output and the digest of the tags are therefore made in one
// pass.
#include "backend/tables/bodies.h"
#include "backend/tables/build.h"
#include "backend/tables/rows.h"
#include "backend/tags/tag_text.h"
#include "backend/tags/tags_small.h"
#include "backend/emit/text.h"
#include "backend/tags/token_digest.h"
#include "support/number.h"
#include <stdlib.h>
#include <string.h>

// A tag at an instruction. Tags at the same instruction are ordered by mark_rank.
struct tag_mark {
    uint32_t index; // of the instruction
    enum tag_kind kind;
    uint32_t id;                     // of the chain or block
    const struct table_chain *chain; // TAG_CHAIN
    uint32_t place;                  // TAG_CHAIN: of the instruction in the chain
    const struct table_block *block; // other kinds
};

struct tagger {
    const struct tables *tables;
    const struct bodies *bodies;
    enum tag_style style;
    struct small_rows small;
    struct arena *arena;
    VEC(struct tag_mark) marks; // of the current kernel
    struct text tag;            // content of the current tag
    struct text text;           // the output
    uint32_t at;                // the source is written up to here
    struct sha256_ctx digest;   // of the tags
    struct token_digest plain;  // of the text without tags, up to `at`
    bool begun;
    uint32_t digests; // end of their room in the output
};

static void put_source(struct tagger *t, uint32_t end)
{
    text_add(&t->text, t->bodies->text + t->at, end - t->at);
    token_digest_add(&t->plain, t->bodies->text + t->at, end - t->at);
    t->at = end;
}

// Tags at an instruction have a blank after them, others before them.
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
    put_source(t, at);
    for (uint32_t left = t->tag.bytes.n; left;) {
        uint32_t part = left < TAG_LONGEST ? left : TAG_LONGEST;
        tags_digest_add(&t->digest, t->plain.bytes, lead, content, part);
        put_piece(t, at, at_instruction, lead, content, part);
        content += part;
        left -= part;
        lead = at_instruction ? TAG_ALSO_LEAD : TAG_MORE_LEAD;
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

// Reserves room for the digests, which fill_digest sets when all is written.
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
    char tags[SHA256_HEX + 1], text[SHA256_HEX + 1];
    char *end = t->text.bytes.v + t->digests;
    bool full = tag_style_is_full(t->style);
    size_t digits = full ? SHA256_HEX : TAG_DIGITS, between = full ? strlen(" tags=") : 0;
    tables_digest_end(tags, &t->digest);
    token_digest_end(&t->plain, text);
    memcpy(end - digits, tags, digits);
    memcpy(end - digits - between - digits, text, digits);
}

// The first small tag, with room for the digests.
static void put_small_module(struct tagger *t, const struct body *body)
{
    struct tables usual = small_usual_module();
    struct text *text = begin_tag(t, TAG_TAGS);
    fields_write_tag(text, t->small.module, t->tables, &usual);
    put_source(t, body->open);
    tags_digest_add(&t->digest, t->plain.bytes, "", text->bytes.v, text->bytes.n);
    text_string(text, TAG_DIGEST_KEY);
    for (uint32_t i = 0; i < 2 * TAG_DIGITS; i++)
        text_add(text, "0", 1);
    put_piece(t, body->open, false, "", text->bytes.v, text->bytes.n);
    t->digests = t->text.bytes.n - (uint32_t)strlen(tag_spellings[t->style].close);
}

// Writes the kernel's tag. A usual entry function, or a usual function with tags at instructions,
// needs none.
static void put_small_facts(struct tagger *t, const struct body *body,
                            const struct table_kernel *kernel)
{
    struct table_kernel usual = small_usual_kernel(body->loads);
    if (!t->begun)
        put_small_module(t, body);
    t->begun = true;
    bool is_usual = kernel->service_queue_at_core && kernel->loads == body->loads;
    if (is_usual && (body_is_entry(body) || t->marks.n))
        return;
    fields_write_tag(begin_tag(t, TAG_KERNEL), t->small.kernel, kernel, &usual);
    put_tag(t, body->open, false);
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

static bool is_small(const struct tagger *t)
{
    return t->style == TAGS_PRAGMA || t->style == TAGS_COMMENT;
}

// Adds a mark for each instruction. In small tags one mark stands for a sequence of adjacent
// instructions.
static void add_chain_marks(struct tagger *t, const struct table_chain *chain)
{
    for (uint32_t i = 0; i < chain->instructions.n; i++) {
        const struct table_instruction *inst = &chain->instructions.v[i];
        struct tag_mark mark = {inst->index, TAG_CHAIN, chain->id, chain, i, NULL};
        if (!is_small(t) || !i || inst->index != inst[-1].index + 1)
            vec_push(t->arena, &t->marks, mark);
    }
}

static void add_block_marks(struct tagger *t, const struct table_block *block)
{
    struct tag_mark begin = {block->begin_index, TAG_BEGIN, block->id, .block = block};
    struct tag_mark end = {block->end_index, TAG_END, block->id, .block = block};
    if (table_block_chosen(block)) {
        vec_push(t->arena, &t->marks, begin);
        vec_push(t->arena, &t->marks, end);
    } else if (is_small(t) && small_has_block(block)) {
        begin.kind = TAG_OTHER;
        vec_push(t->arena, &t->marks, begin);
    }
}

// Starts of blocks come first, then the chain, then ends.
static int mark_rank(enum tag_kind kind)
{
    return kind == TAG_BEGIN || kind == TAG_OTHER ? 0 : kind == TAG_CHAIN ? 1 : 2;
}

static int compare_marks(const void *a, const void *b)
{
    const struct tag_mark *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    int by = mark_rank(x->kind) - mark_rank(y->kind);
    return by ? by : (x->id > y->id) - (x->id < y->id);
}

static void add_marks(struct tagger *t, const struct table_kernel *kernel)
{
    t->marks.n = 0;
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        add_chain_marks(t, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        add_block_marks(t, &kernel->blocks.v[i]);
    if (t->marks.n)
        qsort(t->marks.v, t->marks.n, sizeof *t->marks.v, compare_marks);
}

static const char *mark_word(const struct tag_mark *mark)
{
    return table_tag_names[mark->chain->instructions.v[mark->place].tag];
}

static void add_word(struct text *text, const struct tag_mark *mark)
{
    text_add(text, " ", 1);
    text_string(text, mark_word(mark));
}

// Writes " 01 10 11 pattern=3 saves=4": the words of adjacent instructions and, with the first, the
// chain's fields.
static void add_small_chain(struct text *text, const struct record_field_use *slots,
                            struct tag_mark mark)
{
    const struct table_chain *chain = mark.chain;
    const struct table_instruction *inst = chain->instructions.v;
    struct table_chain usual = small_usual_chain(chain->pattern);
    bool first = !mark.place;
    do {
        add_word(text, &mark);
        mark.place++;
    } while (mark.place < chain->instructions.n &&
             inst[mark.place].index == inst[mark.place - 1].index + 1);
    if (first)
        fields_write_tag(text, slots, chain, &usual);
}

// Writes an estimate: " tom=64,0,34,32.25".
static void add_small_estimate(struct text *text, const struct table_estimate *estimate)
{
    const double words[] = {estimate->in, estimate->out, estimate->saved_tx, estimate->saved_rx};
    if (!estimate->candidate)
        return;
    text_add(text, " ", 1);
    text_string(text, table_cost_names[estimate->cost]);
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        char number[NUMBER_TEXT];
        number_shortest(number, words[i]);
        text_add(text, i ? "," : "=", 1);
        text_string(text, number);
    }
}

static void add_small_block(struct text *text, const struct record_field_use *slots,
                            const struct tag_mark *mark)
{
    struct table_block block = *mark->block, usual = small_usual_block(mark->block);
    if (mark->kind == TAG_BEGIN) // `end` has it
        usual.end_index = block.end_index;
    if (!block.has_condition) {
        block.condition = usual.condition;
        block.threshold = usual.threshold;
    }
    fields_write_tag(text, slots, &block, &usual);
    add_small_estimate(text, &block.estimate);
    for (uint32_t i = 0; i < block.alternatives.n; i++)
        add_small_estimate(text, &block.alternatives.v[i]);
}

// Writes an estimate in full if its numbers cannot be derived from its four words.
static void put_estimate(struct tagger *t, const struct body *body, const struct tag_mark *mark,
                         const struct table_estimate *estimate)
{
    if (!estimate->candidate || small_can_derive(mark->block, estimate))
        return;
    fields_write_text(begin_tag(t, TAG_ESTIMATE), rows_alternative, estimate);
    put_tag(t, body_inst(body, mark->index)->begin, true);
}

static void put_small_mark(struct tagger *t, const struct body *body, const struct tag_mark *mark)
{
    struct text *text = begin_tag(t, mark->kind);
    text_add(text, " ", 1);
    text_uint(text, mark->id);
    if (mark->kind == TAG_CHAIN)
        add_small_chain(text, t->small.chain, *mark);
    else if (mark->kind != TAG_END)
        add_small_block(text, t->small.block, mark);
    put_tag(t, body_inst(body, mark->index)->begin, true);
    if (mark->kind != TAG_BEGIN && mark->kind != TAG_OTHER)
        return;
    put_estimate(t, body, mark, &mark->block->estimate);
    for (uint32_t i = 0; i < mark->block->alternatives.n; i++)
        put_estimate(t, body, mark, &mark->block->alternatives.v[i]);
}

static void put_mark(struct tagger *t, const struct body *body, const struct tag_mark *mark)
{
    struct text *text = begin_tag(t, mark->kind);
    text_add(text, " ", 1);
    text_uint(text, mark->id);
    if (mark->kind == TAG_CHAIN)
        add_word(text, mark);
    put_tag(t, body_inst(body, mark->index)->begin, true);
}

// Writes the tag as in [000 Fig. 6]: `ld.global.f32 %f1, [%rd1];[01]`.
static void put_as_in_paper(struct tagger *t, const struct body *body, const struct tag_mark *mark)
{
    if (mark->kind != TAG_CHAIN)
        return;
    put_source(t, body_inst(body, mark->index)->end);
    text_printf(&t->text, "[%s]", mark_word(mark));
}

static void put_kernel(struct tagger *t, const struct body *body, const struct table_kernel *kernel)
{
    if (t->style == TAGS_NONE)
        return;
    add_marks(t, kernel);
    if (is_small(t))
        put_small_facts(t, body, kernel);
    else if (t->style != TAGS_PAPER)
        put_facts(t, body, kernel);
    for (uint32_t i = 0; i < t->marks.n; i++)
        (is_small(t)              ? put_small_mark
         : t->style == TAGS_PAPER ? put_as_in_paper
                                  : put_mark)(t, body, &t->marks.v[i]);
}

static bool is_of(const struct body *body, const struct table_kernel *kernel)
{
    const struct name *name = tree_name(body->tree, body->tree->nodes.v[body->node].value);
    return strlen(kernel->name) == name->length &&
           !memcmp(kernel->name, name->text, name->length) && kernel->instructions == body->insts.n;
}

// Writes all kernels, which the tables have in the order of their bodies. Returns false if one has
// no body.
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
    struct tagger t = {.tables = tables,
                       .bodies = bodies,
                       .style = style,
                       .small = small_rows(arena),
                       .arena = arena};
    text_init(&t.tag, arena);
    text_init(&t.text, arena);
    vec_fix(arena, &t.text.bytes, bodies->length + bodies->length / 4 + 512);
    sha256_init(&t.digest);
    token_digest_init(&t.plain);
    if (!put_kernels(&t))
        return NULL;
    put_source(&t, bodies->length);
    if (t.begun)
        fill_digest(&t);
    return text_end(&t.text, length);
}
