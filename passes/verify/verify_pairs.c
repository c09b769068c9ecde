// Pairing: finds the instruction of the input that is at each place of the output.
#include "passes/verify/verify_window.h"
#include <stdlib.h>
#include <string.h>

// An item's words (passes/verify/verify_window.h), and its index.
struct listed {
    const char *text;
    uint32_t length, index;
};

static int compare_texts(const struct listed *a, const struct listed *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

static int by_text(const void *left, const void *right)
{
    const struct listed *a = left, *b = right;
    int by = compare_texts(a, b);
    return by ? by : (a->index > b->index) - (a->index < b->index);
}

static struct listed list_item(struct checker *c, const char *text, const struct item *item,
                               uint32_t index)
{
    struct text_words words = {.text = text, .at = item->begin, .end = item->end};
    char *to = arena_alloc(&c->scratch, item->end - item->begin + 1);
    struct listed listed = {to, 0, index};
    for (int next; (next = words_next(&words)) >= 0;)
        to[listed.length++] = (char)next;
    return listed;
}

// Pairs equal texts. Returns the members sorted by their texts, then by their places.
static const struct listed *pair_same(struct checker *c)
{
    uint32_t n = c->members.n, m = c->events.n;
    struct listed *in = ARENA_ARRAY(&c->scratch, struct listed, n + 1);
    struct listed *out = ARENA_ARRAY(&c->scratch, struct listed, m + 1);
    for (uint32_t i = 0; i < n; i++)
        in[i] = list_item(c, c->input.text, &c->members.v[i].item, i);
    for (uint32_t i = 0; i < m; i++)
        out[i] = list_item(c, c->output.text, &c->events.v[i].item, i);
    qsort(in, n, sizeof *in, by_text);
    qsort(out, m, sizeof *out, by_text);
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        int by = compare_texts(&in[i], &out[k]);
        if (!by) {
            c->members.v[in[i].index].out = out[k].index;
            c->events.v[out[k].index].member = in[i].index;
        }
        i += by <= 0;
        k += by >= 0;
    }
    return in;
}

// Divided fused multiply-adds

struct spelling {
    const char *text;
    struct text_part part;
};

static bool says(struct spelling s, const char *word)
{
    size_t length = strlen(word);
    return s.part.end - s.part.begin == length && !memcmp(s.text + s.part.begin, word, length);
}

// Computes the opcodes that the two halves must have: explicit rounding, saturation only in the
// sum, and .lo or .hi only in the product.
static void expected_opcodes(struct checker *c, const char *text, struct text_part opcode,
                             const char **product, const char **sum)
{
    const char *rounding[] = {".rn", ".rz", ".rm", ".rp"};
    bool is_float = opcode.end - opcode.begin > 4 && !memcmp(text + opcode.end - 4, ".f32", 4);
    bool rounds = false;
    *product = "mul";
    *sum = "add";
    const char *mods[2] = {"", ""};
    for (uint32_t at = opcode.begin + 3, end; at < opcode.end; at = end) {
        for (end = at + 1; end < opcode.end && text[end] != '.'; end++)
            continue;
        struct spelling mod = {text, {at, end}};
        const char *word = arena_strndup(&c->scratch, text + at, end - at);
        for (int i = 0; i < 4; i++)
            rounds |= says(mod, rounding[i]);
        if (!says(mod, ".sat"))
            mods[0] = arena_printf(&c->scratch, "%s%s", mods[0], word);
        if (!says(mod, ".lo") && !says(mod, ".hi"))
            mods[1] = arena_printf(&c->scratch, "%s%s", mods[1], word);
    }
    const char *extra = is_float && !rounds ? ".rn" : "";
    *product = arena_printf(&c->scratch, "mul%s%s", extra, mods[0]);
    *sum = arena_printf(&c->scratch, "add%s%s", extra, mods[1]);
}

// Returns true if the input has the name, alone or as the stem of a range: %f<9> declares %f0 to
// %f8.
static bool is_known(const struct checker *c, const char *name, uint32_t length)
{
    const struct tree *tree = c->module->tree;
    uint32_t stem = length;
    while (stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    return intern_find(&tree->names, name, length) != UINT32_MAX ||
           intern_find(&tree->names, name, stem) != UINT32_MAX;
}

static bool is_new_register(const struct checker *c, struct spelling name)
{
    const char *text = name.text + name.part.begin;
    uint32_t length = name.part.end - name.part.begin;
    return length > 1 && *text == '%' && !is_known(c, text, length);
}

static bool same_part(struct spelling a, struct spelling b)
{
    uint32_t length = a.part.end - a.part.begin;
    return length == b.part.end - b.part.begin &&
           !memcmp(a.text + a.part.begin, b.text + b.part.begin, length);
}

static struct parts parts_of(const struct listed *item)
{
    struct item whole = {.end = item->length};
    struct parts parts;
    parts_read(&parts, item->text, &whole);
    return parts;
}

// The parts that a fused multiply-add and its two halves have in common: guard, both opcodes,
// result, factors and addend. They form one text.
struct division {
    const char *product, *sum; // opcodes
    struct spelling guard, result, factor[2], addend;
};

static struct listed key_of(struct checker *c, const struct division *d, uint32_t index)
{
#define PART(spelling)                                                                             \
    (int)((spelling).part.end - (spelling).part.begin), (spelling).text + (spelling).part.begin
    const char *text = arena_printf(&c->scratch, "%.*s\n%s\n%s\n%.*s\n%.*s\n%.*s\n%.*s",
                                    PART(d->guard), d->product, d->sum, PART(d->result),
                                    PART(d->factor[0]), PART(d->factor[1]), PART(d->addend));
#undef PART
    return (struct listed){text, (uint32_t)strlen(text), index};
}

// Makes the key of a fused multiply-add without a counterpart. Returns false for other members.
static bool fused_key(struct checker *c, uint32_t member, struct listed *key)
{
    uint16_t op = c->fn->insts.v[c->members.v[member].inst].op;
    if (c->members.v[member].out != IR_NONE || (op != OP_fma && op != OP_mad))
        return false;
    struct listed item = list_item(c, c->input.text, &c->members.v[member].item, member);
    struct parts whole = parts_of(&item);
    if (whole.operands != 4)
        return false;
#define IN(part) ((struct spelling){item.text, (part)})
    struct division d = {NULL,
                         NULL,
                         IN(whole.guard),
                         IN(whole.operand[0]),
                         {IN(whole.operand[1]), IN(whole.operand[2])},
                         IN(whole.operand[3])};
#undef IN
    expected_opcodes(c, item.text, whole.opcode, &d.product, &d.sum);
    *key = key_of(c, &d, member);
    return true;
}

// Makes the key of a multiplication and the addition after it, with a new register between them.
// Returns false for other instructions.
static bool halves_key(struct checker *c, uint32_t event, struct listed *key)
{
    if (event + 1 == c->events.n || c->events.v[event].member != IR_NONE ||
        c->events.v[event + 1].member != IR_NONE)
        return false;
    struct listed first = list_item(c, c->output.text, &c->events.v[event].item, event);
    struct listed second = list_item(c, c->output.text, &c->events.v[event + 1].item, event);
    struct parts mul = parts_of(&first), add = parts_of(&second);
#define MUL(part) ((struct spelling){first.text, (part)})
#define ADD(part) ((struct spelling){second.text, (part)})
    if (mul.operands != 3 || add.operands != 3 || !same_part(MUL(mul.guard), ADD(add.guard)) ||
        !same_part(MUL(mul.operand[0]), ADD(add.operand[1])) ||
        !is_new_register(c, MUL(mul.operand[0])))
        return false;
    uint32_t product = mul.opcode.end - mul.opcode.begin, sum = add.opcode.end - add.opcode.begin;
    struct division d = {
        arena_strndup(&c->scratch, first.text + mul.opcode.begin, product),
        arena_strndup(&c->scratch, second.text + add.opcode.begin, sum),
        MUL(mul.guard),
        ADD(add.operand[0]),
        {MUL(mul.operand[1]), MUL(mul.operand[2])},
        ADD(add.operand[2]),
    };
#undef MUL
#undef ADD
    *key = key_of(c, &d, event);
    return true;
}

// Pairs fused multiply-adds without a counterpart with two adjacent events without one.
static void pair_divided(struct checker *c)
{
    struct listed *whole = ARENA_ARRAY(&c->scratch, struct listed, c->members.n + 1);
    struct listed *halves = ARENA_ARRAY(&c->scratch, struct listed, c->events.n + 1);
    uint32_t n = 0, m = 0;
    for (uint32_t i = 0; i < c->members.n; i++)
        n += fused_key(c, i, &whole[n]);
    for (uint32_t i = 0; i < c->events.n && n; i++)
        m += halves_key(c, i, &halves[m]);
    qsort(whole, n, sizeof *whole, by_text);
    qsort(halves, m, sizeof *halves, by_text);
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        int by = compare_texts(&whole[i], &halves[k]);
        if (!by) {
            struct event *one = &c->events.v[halves[k].index];
            one[0].member = one[1].member = whole[i].index;
            one[1].pairs = true;
            c->members.v[whole[i].index].out = halves[k].index;
        }
        i += by <= 0;
        k += by >= 0;
    }
}

static int by_number(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// Among members with equal texts, the first one in the input becomes the first one in the output,
// divided or not.
static void put_in_order(struct checker *c, const struct listed *in)
{
    uint32_t *out = ARENA_ARRAY(&c->scratch, uint32_t, c->members.n + 1);
    for (uint32_t i = 0, end; i < c->members.n; i = end) {
        for (end = i; end < c->members.n && !compare_texts(&in[i], &in[end]); end++)
            out[end - i] = c->members.v[in[end].index].out; // IR_NONE comes last
        if (end - i < 2)
            continue;
        qsort(out, end - i, sizeof *out, by_number);
        for (uint32_t k = i; k < end && out[k - i] != IR_NONE; k++) {
            struct event *event = &c->events.v[out[k - i]];
            event->member = in[k].index;
            if (event + 1 < c->events.v + c->events.n && event[1].pairs)
                event[1].member = in[k].index;
        }
        for (uint32_t k = i; k < end; k++)
            c->members.v[in[k].index].out = out[k - i];
    }
}

void window_pair(struct checker *c)
{
    const struct listed *in = pair_same(c);
    if (c->options->fma == FMA_FUSED)
        return;
    pair_divided(c);
    put_in_order(c, in);
}
