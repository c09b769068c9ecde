// Reads small tags. The tables get the kernels of the text, and the other functions that have a
// tag.
#include "backend/tables/build.h"
#include "backend/tags/tag_reader.h"
#include "backend/tags/tags_small.h"
#include "support/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The current kernel, and the tags of its chains and blocks.
struct small_kernel {
    struct table_kernel *to;
    VEC(const struct record *) chains, blocks; // by id; NULL: no tag yet
    VEC(bool) ended;                           // by id of blocks
};

// Returns a limit that ids are below: any two blocks are disjoint or nested, so their number is
// bounded.
static uint32_t max_ids(const struct tag_reader *r)
{
    return 8 * r->body->insts.n + 64;
}

// Reads the pairs into a record that already has the values of absent keys.
static bool read_pairs(struct tag_reader *r, const struct record_field_use *slots, void *record,
                       struct pairs *pairs)
{
    bool good = fields_read_tag(&r->fields, slots, record, pairs);
    return fields_all_used(&r->fields, pairs) && good;
}

// The first tag

static bool split_digests(const struct record *first, const char **digests, uint32_t *rest)
{
    *rest = first->length < TAG_DIGESTS_LENGTH ? 0 : first->length - TAG_DIGESTS_LENGTH;
    const char *key = first->rest + *rest;
    *digests = key + strlen(TAG_DIGEST_KEY);
    return first->length >= TAG_DIGESTS_LENGTH && first->kind == TAG_TAGS &&
           !memcmp(key, TAG_DIGEST_KEY, strlen(TAG_DIGEST_KEY));
}

static bool check_text(struct tag_reader *r, const char *digests)
{
    return !memcmp(r->digests.text, digests, TAG_DIGITS) ||
           tag_fault(r, "the program is not the one that was tagged");
}

static bool check_tags(struct tag_reader *r, const char *digests)
{
    return !memcmp(r->digests.tags, digests + TAG_DIGITS, TAG_DIGITS) ||
           tag_fault_at(r, r->records.v, "the tags were changed");
}

static bool read_module(struct tag_reader *r, const char **digests)
{
    struct pairs pairs = {0};
    const struct record *first = r->records.v;
    uint32_t rest;
    struct table_file output = r->tables->output;
    tag_reader_location(r, first);
    if (!split_digests(first, digests, &rest))
        return tag_fault(r, "its digests are missing");
    *r->tables = small_usual_module();
    r->tables->output = output;
    r->tables->source.file = output.file;
    return check_text(r, *digests) && fields_split_text(&r->fields, first->rest, rest, &pairs) &&
           read_pairs(r, r->small.module, r->tables, &pairs);
}

// Chains

static const struct record **record_of(struct tag_reader *r, struct small_kernel *k, uint32_t id)
{
    static const struct table_chain none;
    while (k->chains.n <= id) {
        vec_push(r->arena, &k->chains, NULL);
        vec_push(r->arena, &k->to->chains, none);
    }
    return &k->chains.v[id];
}

// Returns the pattern with this number. Returns any one for another text, which is a fault of the
// field.
static uint32_t pattern_of(const char *text, size_t length)
{
    char number[NUMBER_TEXT];
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        if (number_uint(number, i) == length && !memcmp(number, text, length))
            return i;
    return 1;
}

static bool read_chain_facts(struct tag_reader *r, struct table_chain *chain, uint32_t at)
{
    struct pairs pairs = {0};
    struct table_chain facts = {0};
    if (!fields_split_text(&r->fields, r->record->rest + at, r->record->length - at, &pairs))
        return false;
    struct field_pair *pattern = fields_use(&pairs, "pattern");
    if (!pattern)
        return tag_fault(r, "pattern: it is missing");
    pattern->taken = false;
    facts = small_usual_chain(pattern_of(pattern->value, pattern->value_length));
    if (!read_pairs(r, r->small.chain, &facts, &pairs))
        return false;
    facts.id = chain->id;
    facts.instructions = (typeof(facts.instructions)){chain->instructions.v, chain->instructions.n,
                                                      chain->instructions.capacity};
    *chain = facts;
    return true;
}

// Reads " 01 10 11": the tags of this instruction and those that follow it.
static bool read_words(struct tag_reader *r, struct table_chain *chain, uint32_t *at)
{
    static const struct record_field tag = {.words = table_tag_names};
    const struct record *record = r->record;
    uint32_t index, words = 0;
    if (!tag_find_instruction(r, &index))
        return false;
    for (; *at + 3 <= record->length && record->rest[*at] == ' ' &&
           fields_find_word(&tag, record->rest + *at + 1, 2, &(unsigned){0});
         *at += 3, index++, words++) {
        struct table_instruction inst = {.index = index};
        fields_find_word(&tag, record->rest + *at + 1, 2, &inst.tag);
        if (index >= r->body->insts.n)
            return tag_fault(r, "the function has fewer instructions");
        inst.opcode = body_opcode(r->body, r->arena, index);
        vec_push(r->arena, &chain->instructions, inst);
    }
    return words || tag_fault(r, "expected an id and 01, 10 or 11");
}

static bool read_chain(struct tag_reader *r, struct small_kernel *k)
{
    uint32_t id, at;
    if (!tag_read_id(r->record, max_ids(r), &id, &at))
        return tag_fault(r, "the kernel has no chain with this id");
    const struct record **record = record_of(r, k, id);
    struct table_chain *chain = &k->to->chains.v[id];
    bool first = !*record;
    *record = r->record;
    chain->id = id;
    if (!read_words(r, chain, &at))
        return false;
    return first ? read_chain_facts(r, chain, at)
                 : at == r->record->length || tag_fault(r, "only a chain's first tag has more");
}

// Blocks

static bool *ended_of(struct tag_reader *r, struct small_kernel *k, uint32_t id)
{
    while (k->blocks.n <= id) {
        struct table_block none = {.id = k->blocks.n, .estimate.cost = r->tables->options.cost};
        vec_push(r->arena, &k->blocks, NULL);
        vec_push(r->arena, &k->ended, false);
        vec_push(r->arena, &k->to->blocks, none);
    }
    return &k->ended.v[id];
}

// As strtod, but fast for up to 15 digits without an exponent, which are a quotient of two exact
// numbers.
static double read_number(const char *text, char **end)
{
    enum { MAX_DIGITS = 15 };
    static const double powers[MAX_DIGITS + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t digits = 0;
    uint32_t count = 0, point = 0;
    const char *at = text;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = count + 1;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*at - '0');
        if (++count > MAX_DIGITS)
            return strtod(text, end);
    }
    if (!count || *at == 'e' || *at == '.')
        return strtod(text, end);
    *end = (char *)(uintptr_t)at;
    return (double)digits / powers[point ? count + 1 - point : 0];
}

// Reads `count` numbers: "64,0,34,32.25".
static bool read_numbers(const char *text, uint32_t length, double *numbers, uint32_t count)
{
    enum { LIMIT = 200 };
    char copy[LIMIT], *at = copy;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (strspn(copy, "+-.,0123456789e") != length)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        char *end;
        numbers[i] = read_number(at, &end);
        if (end == at || !isfinite(numbers[i]) || *end != (i + 1 < count ? ',' : 0))
            return false;
        at = end + 1;
    }
    return true;
}

static void set_estimate(struct tag_reader *r, struct table_block *block,
                         const struct table_estimate *estimate)
{
    if (estimate->cost == block->estimate.cost) {
        block->estimate = *estimate;
        return;
    }
    block->alternatives.n = 0; // there are two models
    vec_push(r->arena, &block->alternatives, *estimate);
}

// Reads the estimates of all cost models. Requires the block's kind and number of iterations.
static bool read_estimates(struct tag_reader *r, struct table_block *block, struct pairs *pairs)
{
    for (enum cost_model cost = 0; cost < COST_MODELS; cost++) {
        double words[4];
        const struct field_pair *pair = fields_use(pairs, table_cost_names[cost]);
        if (!pair)
            continue;
        if (!read_numbers(pair->value, pair->value_length, words, 4))
            return tag_fault(r, "expected four numbers of a cost model");
        struct table_estimate estimate = small_estimate(block, cost, words);
        set_estimate(r, block, &estimate);
    }
    return small_has_block(block) || tag_fault(r, "it has no numbers of a cost model");
}

static bool read_block_facts(struct tag_reader *r, struct table_block *block, uint32_t at)
{
    struct pairs pairs = {0};
    if (!fields_split_text(&r->fields, r->record->rest + at, r->record->length - at, &pairs))
        return false;
    // The estimates depend on the kind and number of iterations, and the threshold on the
    // estimates.
    block->kind = BLOCK_BASIC;
    block->condition = "";
    if (!fields_read_tag(&r->fields, r->small.block, block, &pairs) ||
        !read_estimates(r, block, &pairs) || !fields_all_used(&r->fields, &pairs))
        return false;
    block->has_condition = *block->condition;
    if (!block->has_condition)
        block->condition = NULL;
    if (!block->threshold)
        block->threshold = small_usual_block(block).threshold;
    return true;
}

static bool read_block(struct tag_reader *r, struct small_kernel *k)
{
    uint32_t id, at;
    if (!tag_read_id(r->record, max_ids(r), &id, &at))
        return tag_fault(r, "the kernel has no block with this id");
    ended_of(r, k, id);
    struct table_block *block = &k->to->blocks.v[id];
    if (k->blocks.v[id])
        return tag_fault(r, "a block with this id began before");
    k->blocks.v[id] = r->record;
    if (!tag_find_instruction(r, &block->begin_index) || !read_block_facts(r, block, at))
        return false;
    if (r->record->kind == TAG_OTHER)
        k->ended.v[id] = block->passed_over = block->estimate.candidate;
    k->ended.v[id] |= r->record->kind == TAG_OTHER;
    return r->record->kind == TAG_OTHER || block->estimate.candidate ||
           tag_fault(r, "it saves nothing by the cost model of the options");
}

static bool read_end(struct tag_reader *r, struct small_kernel *k)
{
    uint32_t id, at;
    if (!tag_read_id(r->record, k->blocks.n, &id, &at) || at != r->record->length ||
        !k->blocks.v[id])
        return tag_fault(r, "the kernel has no block with this id");
    if (k->ended.v[id])
        return tag_fault(r, "the block does not end here");
    k->ended.v[id] = true;
    return tag_find_instruction(r, &k->to->blocks.v[id].end_index);
}

// Reads an estimate of the block whose tag precedes this one.
static bool read_estimate(struct tag_reader *r, struct small_kernel *k)
{
    struct table_estimate estimate = {0};
    uint32_t id, at;
    struct pairs pairs = {0};
    const struct record *before = r->record - 1;
    while (before > r->records.v && before->kind == TAG_ESTIMATE)
        before--;
    bool follows = (before->kind == TAG_BEGIN || before->kind == TAG_OTHER) &&
                   tag_read_id(before, k->blocks.n, &id, &at) && k->blocks.v[id] == before;
    if (!follows)
        return tag_fault(r, "it has no preceding block");
    bool good = fields_split_text(&r->fields, r->record->rest, r->record->length, &pairs) &&
                fields_read_text(&r->fields, rows_alternative, &estimate, &pairs);
    if (good)
        set_estimate(r, &k->to->blocks.v[id], &estimate);
    return good;
}

// Kernels

static bool read_kernel(struct tag_reader *r, struct small_kernel *k)
{
    struct pairs pairs = {0};
    if (r->record->at != r->body->open)
        return tag_fault(r, "this tag must follow the opening brace of a function");
    if (!fields_split_text(&r->fields, r->record->rest, r->record->length, &pairs) ||
        !read_pairs(r, r->small.kernel, k->to, &pairs))
        return false;
    return k->to->loads <= r->body->loads || tag_fault(r, "the kernel has fewer loads");
}

static bool read_record(struct tag_reader *r, struct small_kernel *k)
{
    switch (r->record->kind) {
    case TAG_TAGS:
        return r->record == r->records.v || tag_fault(r, "this tag must be the first one");
    case TAG_KERNEL: return read_kernel(r, k);
    case TAG_CHAIN: return read_chain(r, k);
    case TAG_BEGIN:
    case TAG_OTHER: return read_block(r, k);
    case TAG_END: return read_end(r, k);
    case TAG_ESTIMATE: return read_estimate(r, k);
    default: return tag_fault(r, "small tags have no such tag");
    }
}

static bool end_kernel(struct tag_reader *r, const struct small_kernel *k)
{
    bool good = true;
    for (uint32_t i = 0; i < k->chains.n; i++) {
        const struct table_chain *chain = &k->to->chains.v[i];
        uint32_t n = chain->instructions.n;
        if (!k->chains.v[i])
            good = tag_fault(r, "a chain with a lower id is not tagged");
        else if (n && chain->instructions.v[n - 1].tag != TAG_LAST)
            good = tag_fault_at(r, k->chains.v[i], "not all instructions of this chain are tagged");
    }
    for (uint32_t i = 0; i < k->blocks.n; i++)
        if (k->blocks.v[i] && !k->ended.v[i])
            good = tag_fault_at(r, k->blocks.v[i], "the end of this block is not tagged");
    return good;
}

// Adds the kernel to the tables, or checks it and passes it to `take`.
static bool put_kernel(struct tag_reader *r, struct table_kernel *kernel)
{
    if (!r->take) {
        vec_push(r->arena, &r->tables->kernels, *kernel);
        return true;
    }
    struct tables alone = {.kernels = {kernel, 1, 1}};
    const char *wrong = tables_check(r->arena, &alone);
    return wrong ? tag_fault(r, wrong) : r->take(r->context, kernel);
}

// Reads the records of the body from `*next` on, and advances `*next` past them.
static bool read_records(struct tag_reader *r, const struct body *body, uint32_t *next)
{
    struct table_kernel entry = small_usual_kernel(body->loads);
    uint32_t first = *next;
    bool good = true, own = false;
    r->body = body;
    entry.name = body_name(body, r->arena);
    entry.instructions = body->insts.n;
    struct small_kernel k = {.to = &entry};
    for (; *next < r->records.n && r->records.v[*next].at < body->end; ++*next) {
        tag_reader_location(r, &r->records.v[*next]);
        if (r->record->at < body->open)
            return tag_fault(r, "this tag is not in a function");
        own |= r->record->kind != TAG_TAGS;
        good &= read_record(r, &k);
    }
    if (*next > first)
        good = good && end_kernel(r, &k);
    if (good && (own || body_is_entry(body)))
        good = put_kernel(r, &entry);
    return good;
}

static bool read_body(struct tag_reader *r, const struct body *body, uint32_t *next,
                      struct arena *scratch)
{
    struct arena *kept = r->arena;
    if (r->take)
        r->arena = r->fields.arena = scratch;
    bool good = read_records(r, body, next);
    r->arena = r->fields.arena = kept;
    arena_reset(scratch);
    return good;
}

bool tags_read_small(struct tag_reader *r)
{
    uint32_t next = 0;
    const char *digests;
    r->small = small_rows(r->arena);
    if (!read_module(r, &digests))
        return false;
    bool good = true;
    struct arena scratch;
    arena_init(&scratch, r->arena->memory);
    for (uint32_t i = 0; i < r->bodies.list.n && good; i++)
        good = read_body(r, &r->bodies.list.v[i], &next, &scratch);
    arena_free(&scratch);
    if (!good)
        return false;
    if (next < r->records.n)
        return tag_fault_at(r, &r->records.v[next], "this tag is not in a function");
    const char *wrong = tables_check(r->arena, r->tables);
    if (wrong)
        return tag_fault_at(r, r->records.v, wrong);
    return check_tags(r, digests);
}
