// Reads full tags. Also has the functions that both readers share.
#include "backend/tables/build.h"
#include "backend/tables/rows.h"
#include "backend/tags/tag_reader.h"
#include <string.h>

bool tag_fault_at(struct tag_reader *r, const struct record *record, const char *what)
{
    diag_add(r->fields.diags, DIAG_ERROR, r->fields.id, record->begin, record->end, "%s", what);
    return false;
}

bool tag_fault(struct tag_reader *r, const char *what)
{
    return tag_fault_at(r, r->record, what);
}

static struct table_kernel *kernel(struct tag_reader *r)
{
    return &r->tables->kernels.v[r->tables->kernels.n - 1];
}

// Records

static void append(struct tag_reader *r, struct record *to, const struct tag *tag, uint32_t from)
{
    to->rest = arena_printf(r->arena, "%.*s%.*s", (int)to->length, to->rest,
                            (int)(tag->length - from), tag->content + from);
    to->length += tag->length - from;
    to->end = tag->end;
}

static bool collect(struct tag_reader *r)
{
    for (uint32_t i = 0; i < r->tags.list.n; i++) {
        const struct tag *tag = &r->tags.list.v[i];
        uint32_t rest = tag->rest;
        struct record record = {.at = tag->at, .begin = tag->begin, .end = tag->end};
        record.kind = tag->kind;
        record.rest = tag->content + rest;
        record.length = tag->length - rest;
        struct record *last = r->records.n ? &r->records.v[r->records.n - 1] : NULL;
        if (record.kind == TAG_KIND_COUNT)
            return tag_fault_at(r, &record, "unknown kind of tag");
        if (record.kind != TAG_MORE && record.kind != TAG_ALSO)
            vec_push(r->arena, &r->records, record);
        else if (last && last->at == tag->at && tag->length > rest)
            append(r, last, tag, rest + 1);
        else
            return tag_fault_at(r, &record, "this tag does not continue another one");
    }
    return true;
}

// Digests

static const struct record_field rows_digest[] = {
    {.key = "text", .kind = FIELD_SHA256, .offset = 0},
    {.key = "tags", .kind = FIELD_SHA256, .offset = offsetof(struct tag_digests, tags)},
    {.key = NULL},
};

void tag_reader_location(struct tag_reader *r, const struct record *record)
{
    r->record = record;
    r->fields.begin = record->begin;
    r->fields.end = record->end;
}

static bool read_fields(struct tag_reader *r, const struct record_field *rows, void *into)
{
    struct pairs pairs = {0};
    return fields_split_text(&r->fields, r->record->rest, r->record->length, &pairs) &&
           fields_read_text(&r->fields, rows, into, &pairs);
}

// Finds the digest tag, and checks that the program is the one that was tagged.
static bool read_digests(struct tag_reader *r, const struct record **found,
                         struct tag_digests *digests)
{
    *found = NULL;
    for (uint32_t i = 0; i < r->records.n; i++) {
        if (r->records.v[i].kind != TAG_DIGEST)
            continue;
        if (*found)
            return tag_fault_at(r, &r->records.v[i], "a second digest");
        *found = &r->records.v[i];
    }
    if (!*found)
        return tag_fault_at(r, &r->records.v[0], "the digest is missing: tags are missing");
    tag_reader_location(r, *found);
    if (!read_fields(r, rows_digest, digests))
        return false;
    return !strcmp(r->digests.text, digests->text) ||
           tag_fault(r, "the program is not the one that was tagged");
}

// Tags after the opening brace

static bool end_kernel(struct tag_reader *r)
{
    bool good = true;
    for (uint32_t i = 0; i < r->chains.n; i++) {
        const struct seen_chain *seen = &r->chains.v[i];
        if (seen->count != kernel(r)->chains.v[i].instructions.n)
            good = tag_fault_at(r, seen->facts, "not all instructions of this chain are tagged");
        else if (seen->wrong)
            good =
                tag_fault_at(r, seen->wrong, "the tags of a chain are 01, 10 …, 11 in this order");
    }
    for (uint32_t i = 0; i < r->blocks.n; i++)
        if (table_block_chosen(&kernel(r)->blocks.v[i]) &&
            !(r->blocks.v[i].begin && r->blocks.v[i].end))
            good = tag_fault_at(r, r->blocks.v[i].facts,
                                "the beginning or end of this block is not "
                                "tagged");
    r->chains.n = r->blocks.n = 0;
    return good;
}

static bool read_module(struct tag_reader *r)
{
    if (r->record != r->records.v)
        return tag_fault(r, "this tag must be the first one");
    return read_fields(r, rows_module, r->tables);
}

static bool read_kernel(struct tag_reader *r)
{
    struct table_kernel entry = {0};
    if (r->kernel_body == r->body)
        return tag_fault(r, "this kernel already has such a tag");
    bool good = end_kernel(r) && read_fields(r, rows_kernel, &entry);
    if (!good)
        return false;
    if (strcmp(entry.name, body_name(r->body, r->arena)))
        return tag_fault(r, "it belongs to another kernel");
    if (entry.instructions != r->body->insts.n || entry.loads > r->body->loads)
        return tag_fault(r, "the kernel has fewer instructions or loads");
    vec_push(r->arena, &r->tables->kernels, entry);
    r->kernel_body = r->body;
    return true;
}

// Reads the places of the instructions in the input: "12:3,13:3".
static bool read_locations(struct tag_reader *r, const struct field_pair *pair,
                           struct table_chain *chain)
{
    const char *at = pair->value, *end = at + pair->value_length;
    while (at < end) {
        struct table_instruction inst = {0};
        uint32_t *numbers[] = {&inst.line, &inst.column};
        for (int i = 0; i < 2; i++, at++) {
            uint64_t number = 0;
            for (; at < end && *at >= '0' && *at <= '9' && number <= INT32_MAX; at++)
                number = number * 10 + (uint64_t)(*at - '0');
            if (!number || number > INT32_MAX ||
                (i ? at < end && *at != ',' : at == end || *at != ':'))
                return tag_fault(r, "places: expected line:column,line:column …");
            *numbers[i] = (uint32_t)number;
        }
        vec_push(r->arena, &chain->instructions, inst);
    }
    return true;
}

static bool read_chain_facts(struct tag_reader *r)
{
    struct table_chain chain = {0};
    struct pairs pairs = {0};
    struct seen_chain seen = {.facts = r->record};
    if (!fields_split_text(&r->fields, r->record->rest, r->record->length, &pairs))
        return false;
    const struct field_pair *places = fields_use(&pairs, "places");
    if (!places)
        return tag_fault(r, "places: it is missing");
    if (!read_locations(r, places, &chain) ||
        !fields_read_text(&r->fields, rows_chain, &chain, &pairs))
        return false;
    vec_push(r->arena, &kernel(r)->chains, chain);
    vec_push(r->arena, &r->chains, seen);
    return chain.id + 1 == r->chains.n ||
           tag_fault(r, "its id differs from its place among the chains");
}

static bool read_block_facts(struct tag_reader *r)
{
    struct table_block block = {0};
    struct seen_chain seen = {.facts = r->record};
    if (!read_fields(r, rows_block, &block))
        return false;
    vec_push(r->arena, &kernel(r)->blocks, block);
    vec_push(r->arena, &r->blocks, seen);
    return block.id + 1 == r->blocks.n ||
           tag_fault(r, "its id differs from its place among the blocks");
}

static bool read_alternative(struct tag_reader *r)
{
    struct table_estimate estimate = {0};
    if (!r->blocks.n)
        return tag_fault(r, "it has no preceding block");
    if (!read_fields(r, rows_alternative, &estimate))
        return false;
    struct table_block *block = &kernel(r)->blocks.v[r->blocks.n - 1];
    vec_push(r->arena, &block->alternatives, estimate);
    return true;
}

static bool read_rejected(struct tag_reader *r)
{
    struct table_rejection rejection = {0};
    if (!read_fields(r, rows_rejection, &rejection))
        return false;
    vec_push(r->arena, &kernel(r)->rejected, rejection);
    return true;
}

// Tags at instructions

bool tag_read_id(const struct record *record, uint32_t count, uint32_t *id, uint32_t *rest)
{
    uint64_t number = 0;
    uint32_t at = 1;
    for (; at < record->length && record->rest[at] >= '0' && record->rest[at] <= '9' &&
           number < count;
         at++)
        number = number * 10 + (uint64_t)(record->rest[at] - '0');
    *id = (uint32_t)number;
    *rest = at;
    return at > 1 && number < count;
}

bool tag_find_instruction(struct tag_reader *r, uint32_t *index)
{
    *index = body_find(r->body, r->record->at);
    return (*index < r->body->insts.n && body_inst(r->body, *index)->begin == r->record->at) ||
           tag_fault(r, "no instruction follows this tag");
}

static bool read_chain(struct tag_reader *r)
{
    static const struct record_field tag = {.words = table_tag_names};
    uint32_t id, rest, index;
    const struct record *record = r->record;
    if (!tag_read_id(record, r->chains.n, &id, &rest))
        return tag_fault(r, "the kernel has no chain with this id");
    struct table_chain *chain = &kernel(r)->chains.v[id];
    if (r->chains.v[id].count == chain->instructions.n)
        return tag_fault(r, "the chain has fewer instructions");
    uint32_t place = r->chains.v[id].count++;
    struct table_instruction *inst = &chain->instructions.v[place];
    bool good =
        rest < record->length && record->rest[rest] == ' ' &&
        fields_find_word(&tag, record->rest + rest + 1, record->length - rest - 1, &inst->tag);
    if (!good || !inst->tag)
        return tag_fault(r, "expected an id and 01, 10 or 11");
    bool ordered = inst->tag == (!place                              ? TAG_FIRST
                                 : place + 1 < chain->instructions.n ? TAG_MIDDLE
                                                                     : TAG_LAST);
    if (!ordered && !r->chains.v[id].wrong)
        r->chains.v[id].wrong = record;
    if (!tag_find_instruction(r, &index))
        return false;
    inst->index = index;
    inst->opcode = body_opcode(r->body, r->arena, index);
    return true;
}

static bool read_edge(struct tag_reader *r)
{
    uint32_t id, rest, index;
    bool end = r->record->kind == TAG_END;
    if (!tag_read_id(r->record, r->blocks.n, &id, &rest) || rest != r->record->length)
        return tag_fault(r, "the kernel has no block with this id");
    const struct table_block *block = &kernel(r)->blocks.v[id];
    bool *seen = end ? &r->blocks.v[id].end : &r->blocks.v[id].begin;
    if (!tag_find_instruction(r, &index))
        return false;
    if (*seen || !table_block_chosen(block) ||
        index != (end ? block->end_index : block->begin_index))
        return tag_fault(r, "the block does not begin or end here");
    *seen = true;
    return true;
}

static bool (*const read_kind[TAG_KIND_COUNT])(struct tag_reader *r) = {
    [TAG_MODULE] = read_module,
    [TAG_KERNEL] = read_kernel,
    [TAG_CHAIN_FACTS] = read_chain_facts,
    [TAG_BLOCK_FACTS] = read_block_facts,
    [TAG_ALTERNATIVE] = read_alternative,
    [TAG_REJECTED] = read_rejected,
    [TAG_CHAIN] = read_chain,
    [TAG_BEGIN] = read_edge,
    [TAG_END] = read_edge,
};

static bool read_record(struct tag_reader *r, const struct record *record)
{
    tag_reader_location(r, record);
    r->body = bodies_at(&r->bodies, record->at);
    if (!r->body)
        return tag_fault(r, "this tag is not in a function");
    if (!tag_kinds[record->kind].at_instruction && record->at != r->body->open)
        return tag_fault(r, "this tag must follow the opening brace of a function");
    if (!read_kind[record->kind] && record->kind != TAG_DIGEST)
        return tag_fault(r, "full tags have no such tag");
    if (record == r->records.v && record->kind != TAG_MODULE)
        return tag_fault(r, "the first tag must be 'module'");
    if (record->kind == TAG_DIGEST)
        return true;
    if (record->kind != TAG_MODULE && record->kind != TAG_KERNEL && r->kernel_body != r->body)
        return tag_fault(r, "no tag 'kernel' precedes it");
    return read_kind[record->kind](r);
}

static bool read_records(struct tag_reader *r)
{
    bool good = true;
    for (uint32_t i = 0; i < r->records.n; i++)
        good &= read_record(r, &r->records.v[i]);
    return good && end_kernel(r);
}

static void strip(struct tag_reader *r, const struct source *source)
{
    uint32_t length;
    struct diags ignored;
    struct tree *tree = ARENA_NEW(r->arena, struct tree);
    char *text = tags_strip(r->arena, source, &r->tags, &length);
    source_init(&r->plain, r->arena, source->name, text, length);
    diags_init(&ignored, r->arena);
    tags_digest(&r->digests, &r->tags, &r->plain);
    ptx_parse(tree, r->arena, &r->plain, &ignored);
    bodies_find(&r->bodies, r->arena, tree);
}

static struct tag_reader begin_reading(struct tables *tables, struct arena *arena,
                                       const struct source *source, struct diags *diags)
{
    struct tag_reader r = {.arena = arena, .tables = tables};
    *tables = (struct tables){.output.file = text_utf8(arena, source->name)};
    r.fields = (struct field_reader){arena, diags, "tags", NO_OFFSET, NO_OFFSET, NULL};
    tags_find(&r.tags, arena, source);
    return r;
}

// Reads all tags. Requires the text without tags and its bodies.
static bool read_all(struct tag_reader *r)
{
    const struct record *digest;
    struct tag_digests digests = {0};
    if (!collect(r))
        return false;
    if (tags_are_small(&r->tags))
        return tags_read_small(r);
    if (!read_digests(r, &digest, &digests) || !read_records(r))
        return false;
    const char *wrong = tables_check(r->arena, r->tables);
    if (wrong)
        return tag_fault_at(r, r->records.v, wrong);
    return !strcmp(r->digests.tags, digests.tags) ||
           tag_fault_at(r, digest, "the tags were changed");
}

bool tags_read(struct tables *tables, struct arena *arena, const struct source *source,
               struct diags *diags)
{
    struct tag_reader r = begin_reading(tables, arena, source, diags);
    tables_digest(tables->output.sha256, source->text, source->length);
    if (!r.tags.list.n) {
        diag_add(diags, DIAG_ERROR, "tags", NO_OFFSET, NO_OFFSET, "it has no tags");
        return false;
    }
    strip(&r, source);
    return read_all(&r);
}

// Returns true if the source without its tags is the text `plain`.
static bool leaves(const struct tags *tags, const struct source *source, const char *plain,
                   uint32_t length)
{
    uint32_t at = 0, from = 0; // in `plain` and in the source
    for (uint32_t i = 0; i <= tags->list.n; i++) {
        uint32_t end = i < tags->list.n ? tags->list.v[i].begin : source->length;
        if (end - from > length - at || memcmp(source->text + from, plain + at, end - from) != 0)
            return false;
        at += end - from;
        from = i < tags->list.n ? tags->list.v[i].end : end;
    }
    return at == length;
}

bool tags_read_written(struct tables *tables, struct arena *arena, const struct source *source,
                       const struct bodies *bodies, accept_kernel *take, void *context,
                       struct diags *diags)
{
    struct tag_reader r = begin_reading(tables, arena, source, diags);
    r.plain = (struct source){.text = bodies->text, .length = bodies->length};
    r.bodies = *bodies;
    r.take = take;
    r.context = context;
    if (!leaves(&r.tags, source, bodies->text, bodies->length)) {
        diag_add(diags, DIAG_ERROR, "tags", NO_OFFSET, NO_OFFSET,
                 "the text without its tags is not the one that was tagged");
        return false;
    }
    if (!r.tags.list.n)
        return true;
    tags_digest(&r.digests, &r.tags, &r.plain);
    bool good = read_all(&r);
    for (uint32_t i = 0; i < tables->kernels.n && good; i++)
        good = take(context, &tables->kernels.v[i]);
    return good;
}
