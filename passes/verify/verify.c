// Compares the output with the input: items in lockstep, and, where they differ, windows of
// instructions that must be permutations of each other.
#include "passes/verify/verify.h"
#include "passes/verify/verify_window.h"
#include <ctype.h>
#include <string.h>

void window_fault(struct checker *c, uint32_t input, uint32_t output, const char *text)
{
    struct verify_fault fault = {input, output, text, IR_NONE, IR_NONE};
    vec_push(c->arena, &c->to->faults, fault);
}

// The input's instructions

static uint32_t inst_begin(const struct checker *c, const struct ir_function *fn, uint32_t inst)
{
    return c->module->tree->nodes.v[fn->insts.v[inst].node].begin;
}

// Returns the instruction that starts there, or IR_NONE. Offsets must increase from call to call.
static uint32_t find_inst(struct checker *c, uint32_t begin)
{
    for (; c->function < c->module->functions.n; c->function++, c->inst = 0) {
        const struct ir_function *fn = &c->module->functions.v[c->function];
        while (c->inst < fn->insts.n && inst_begin(c, fn, c->inst) < begin)
            c->inst++;
        if (c->inst == fn->insts.n)
            continue;
        c->fn = fn;
        return inst_begin(c, fn, c->inst) == begin ? c->inst : IR_NONE;
    }
    return IR_NONE;
}

static bool same_range(const struct checker *c, uint32_t begin, uint32_t end, uint32_t out_begin,
                       uint32_t out_end)
{
    struct text_words a = {.text = c->input.text, .at = begin, .end = end};
    struct text_words b = {.text = c->output.text, .at = out_begin, .end = out_end};
    bool equal = end - begin == out_end - out_begin &&
                 !memcmp(c->input.text + begin, c->output.text + out_begin, end - begin);
    return equal || words_same(&a, &b);
}

static bool same_text(const struct checker *c, const struct item *a, const struct item *b)
{
    return a->kind == b->kind && same_range(c, a->begin, a->end, b->begin, b->end);
}

static bool same_loc(const struct checker *c, const struct item *a, const struct item *b)
{
    return same_range(c, a->loc, a->loc_end, b->loc, b->loc_end);
}

// Returns true if no instruction may cross it: branches end a block, and the value of a clock
// depends on when it is read.
static bool is_hard(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->kind == OPERAND_SPECIAL && isa_specials[operand->index].varies == VARIES_TIME)
            return true;
    }
    return at->flags & (INST_TERMINATOR | INST_OPAQUE) || at->class == CLASS_BRANCH ||
           at->class == CLASS_RETURN;
}

// Windows

// Returns the output's offset for a missing instruction: that of the first one without a pair, or
// the end of the window.
static uint32_t instead(const struct checker *c)
{
    for (uint32_t i = 0; i < c->events.n; i++)
        if (c->events.v[i].member == IR_NONE)
            return c->events.v[i].item.begin;
    return c->output.at;
}

// Returns the input's offset for an instruction that only the output has: before the next
// instruction that both have.
static uint32_t position_of_event(const struct checker *c, uint32_t event)
{
    for (uint32_t i = event; i < c->events.n; i++)
        if (c->events.v[i].member != IR_NONE)
            return c->members.v[c->events.v[i].member].item.begin;
    return c->input.at;
}

static bool check_pairs(struct checker *c)
{
    for (uint32_t i = 0; i < c->members.n; i++)
        if (c->members.v[i].out == IR_NONE) {
            window_fault(c, c->members.v[i].item.begin, instead(c), "it is not in the output");
            return false;
        }
    for (uint32_t i = 0; i < c->events.n; i++) {
        const struct event *event = &c->events.v[i];
        if (event->member == IR_NONE) {
            window_fault(c, position_of_event(c, i), event->item.begin,
                         "the input does not have it");
            return false;
        }
        if (!same_loc(c, &c->members.v[event->member].item, &event->item)) {
            window_fault(c, c->members.v[event->member].item.begin, event->item.begin,
                         "another .loc is in force there");
            return false;
        }
    }
    return true;
}

static void check_window(struct checker *c)
{
    window_pair(c);
    if (check_pairs(c) && window_check_marks(c))
        window_check_order(c);
}

static struct item next_input(struct checker *c, uint32_t *inst)
{
    struct item item = item_next(&c->input, NULL, NULL);
    *inst = item.kind == ITEM_INSTRUCTION ? find_inst(c, item.begin) : IR_NONE;
    c->to->statements += item.kind != ITEM_END;
    return item;
}

static void collect_input(struct checker *c, struct item *a, uint32_t inst)
{
    for (;; *a = next_input(c, &inst)) {
        if (a->kind == ITEM_INSTRUCTION && inst != IR_NONE) {
            struct member member = {*a, inst, IR_NONE, is_hard(c->fn, inst)};
            vec_push(&c->scratch, &c->members, member);
        } else if (a->kind == ITEM_FIXED && window_is_mark(c->input.text, a)) {
            struct verify_mark mark = {.in = *a, .members = c->members.n};
            vec_push(&c->scratch, &c->marks, mark);
        } else {
            return;
        }
    }
}

// Collects the output's instructions, with as many marks as the input has.
static void collect_output(struct checker *c, struct item *b)
{
    uint32_t marks = 0;
    for (;; *b = item_next(&c->output, NULL, NULL)) {
        if (b->kind == ITEM_INSTRUCTION) {
            struct event event = {.item = *b, .member = IR_NONE};
            vec_push(&c->scratch, &c->events, event);
        } else if (b->kind == ITEM_FIXED && marks < c->marks.n &&
                   same_text(c, &c->marks.v[marks].in, b)) {
            c->marks.v[marks].out = *b;
            c->marks.v[marks++].events = c->events.n;
        } else {
            break;
        }
    }
    if (marks < c->marks.n)
        window_fault(c, c->marks.v[marks].in.begin, b->begin, "the texts differ");
}

// Collects all instructions up to the next item that must not be crossed, on both sides. An
// instruction that the IR does not have must not be crossed, either.
static void collect(struct checker *c, struct item *a, uint32_t inst, struct item *b)
{
    c->members.n = c->events.n = c->marks.n = 0;
    collect_input(c, a, inst);
    collect_output(c, b);
}

// Returns true for a declaration of new names, such as `.reg .f32 %product_f<3>;`.
static bool is_declaration(struct checker *c, const struct item *item)
{
    struct text_words words = {.text = c->output.text, .at = item->begin, .end = item->end};
    static const char word[] = ".reg.";
    if (item->kind != ITEM_FIXED || item->end - item->begin < sizeof word ||
        memcmp(words.text + item->begin, word, strlen(word) - 1) != 0)
        return false;
    char *text = arena_alloc(&c->scratch, item->end - item->begin + 1);
    size_t length = 0;
    for (int next; (next = words_next(&words)) >= 0;)
        text[length++] = (char)next;
    const char *name = memchr(text, '%', length);
    const char *end = name ? memchr(name, '<', (size_t)(text + length - name)) : NULL;
    if (!end || memcmp(text, word, strlen(word)) != 0)
        return false;
    const struct tree *tree = c->module->tree;
    for (uint32_t i = 0; i < tree->names.names.n; i++) {
        const struct name *known = &tree->names.names.v[i];
        if (known->length >= (size_t)(end - name) &&
            !memcmp(known->text, name, (size_t)(end - name)))
            return false;
    }
    return true;
}

static bool is_difference(struct checker *c, struct item *a, uint32_t inst, struct item *b)
{
    while (!same_text(c, a, b) && is_declaration(c, b))
        *b = item_next(&c->output, NULL, NULL);
    return !same_text(c, a, b) ||
           (a->kind == ITEM_INSTRUCTION && inst != IR_NONE && !same_loc(c, a, b));
}

// Returns the start of the word or sign in which two items first differ.
static uint32_t word_begin(const struct text_words *words, uint32_t begin)
{
    uint32_t at = words->at > begin && words->at < words->end ? words->at - 1 : words->at;
    while (at > begin &&
           (isalnum((unsigned char)words->text[at - 1]) || strchr("_.$%", words->text[at - 1])))
        at--;
    return at;
}

static void add_difference(struct checker *c, const struct item *a, const struct item *b)
{
    struct text_words in = {.text = c->input.text, .at = a->begin, .end = a->end};
    struct text_words out = {.text = c->output.text, .at = b->begin, .end = b->end};
    words_same(&in, &out);
    window_fault(c, word_begin(&in, a->begin), word_begin(&out, b->begin), "the texts differ");
}

static void check_texts(struct checker *c)
{
    for (;;) {
        uint32_t inst;
        struct item a = next_input(c, &inst), b = item_next(&c->output, &c->input, &a);
        if (is_difference(c, &a, inst, &b)) {
            uint32_t faults = c->to->faults.n;
            collect(c, &a, inst, &b);
            if (c->to->faults.n == faults)
                check_window(c);
            memset(&c->members, 0, sizeof c->members);
            memset(&c->marks, 0, sizeof c->marks);
            memset(&c->events, 0, sizeof c->events);
            arena_reset(&c->scratch);
            if (c->to->faults.n == faults && !same_text(c, &a, &b))
                add_difference(c, &a, &b);
            if (c->to->faults.n > faults)
                return;
        }
        if (a.kind == ITEM_END)
            return;
    }
}

void verify_output(struct verified *to, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, const char *output, uint32_t length)
{
    struct checker c = {.to = to, .arena = arena, .module = module, .options = options};
    const struct source *source = module->tree->source;
    c.input = (struct item_reader){.text = source->text, .length = source->length};
    c.output = (struct item_reader){.text = output, .length = length};
    arena_init(&c.scratch, arena->memory);
    arena_init(&c.registers, arena->memory);
    arena_init(&c.facts, arena->memory);
    c.own.arena = &c.facts;
    check_texts(&c);
    arena_free(&c.facts);
    arena_free(&c.scratch);
    arena_free(&c.registers);
}
