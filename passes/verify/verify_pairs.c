// Pairing: which instruction of the input stands at each place of the output.
#include "passes/verify/verify_window.h"
#include <stdlib.h>
#include <string.h>

static int by_text(const void *left, const void *right, void *context)
{
    const struct item *a = left, *b = right;
    const char *text = context;
    uint32_t length = a->end - a->begin;
    if (length != b->end - b->begin)
        return length < b->end - b->begin ? -1 : 1;
    int by = memcmp(text + a->begin, text + b->begin, length);
    return by ? by : (a->begin > b->begin) - (a->begin < b->begin);
}

// An item and where it is listed.
struct listed {
    struct item item;
    uint32_t index;
};

static int compare_texts(const struct checker *c, const struct item *a, const struct item *b)
{
    uint32_t length = a->end - a->begin;
    if (length != b->end - b->begin)
        return length < b->end - b->begin ? -1 : 1;
    return memcmp(c->input.text + a->begin, c->output.text + b->begin, length);
}

static void pair_same(struct checker *c)
{
    uint32_t n = c->members.n, m = c->events.n;
    struct listed *in = ARENA_ARRAY(&c->scratch, struct listed, n + 1);
    struct listed *out = ARENA_ARRAY(&c->scratch, struct listed, m + 1);
    for (uint32_t i = 0; i < n; i++)
        in[i] = (struct listed){c->members.v[i].item, i};
    for (uint32_t i = 0; i < m; i++)
        out[i] = (struct listed){c->events.v[i].item, i};
    qsort_r(in, n, sizeof *in, by_text, (void *)c->input.text);
    qsort_r(out, m, sizeof *out, by_text, (void *)c->output.text);
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        int by = compare_texts(c, &in[i].item, &out[k].item);
        if (!by) {
            c->members.v[in[i].index].out = out[k].index;
            c->events.v[out[k].index].member = in[i].index;
        }
        i += by <= 0;
        k += by >= 0;
    }
}

// A fused multiply-add that was divided

struct spelling {
    const char *text;
    struct part part;
};

static bool says(struct spelling s, const char *word)
{
    size_t length = strlen(word);
    return s.part.end - s.part.begin == length && !memcmp(s.text + s.part.begin, word, length);
}

static bool same_part(struct spelling a, struct spelling b)
{
    uint32_t length = a.part.end - a.part.begin;
    return length == b.part.end - b.part.begin &&
           !memcmp(a.text + a.part.begin, b.text + b.part.begin, length);
}

// What the opcodes of the two halves must be: rounding is written down, saturation is the sum's,
// and which half of an integer product is meant is the product's.
static void expected_opcodes(struct checker *c, struct part opcode, const char **product,
                             const char **sum)
{
    const char *text = c->input.text;
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

// Names that the input has, alone or as the beginning of a row: %f<9> declares %f0 to %f8.
static bool is_known(const struct checker *c, const char *name, uint32_t length)
{
    const struct tree *tree = c->module->tree;
    uint32_t stem = length;
    while (stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    for (uint32_t i = 0; i < tree->names.names.n; i++) {
        const struct name *known = &tree->names.names.v[i];
        if ((known->length == length || known->length == stem) &&
            !memcmp(known->text, name, known->length))
            return true;
    }
    return false;
}

static bool is_new_register(const struct checker *c, struct spelling name)
{
    const char *text = name.text + name.part.begin;
    uint32_t length = name.part.end - name.part.begin;
    return length > 1 && *text == '%' && !is_known(c, text, length);
}

static bool is_division(struct checker *c, const struct item *fused, const struct item *first,
                        const struct item *second)
{
    struct parts whole, mul, add;
    const char *in = c->input.text, *out = c->output.text, *product, *sum;
    parts_read(&whole, in, fused);
    parts_read(&mul, out, first);
    parts_read(&add, out, second);
    if (whole.operands != 4 || mul.operands != 3 || add.operands != 3)
        return false;
    expected_opcodes(c, whole.opcode, &product, &sum);
#define IN(part) ((struct spelling){in, (part)})
#define OUT(part) ((struct spelling){out, (part)})
    return says(OUT(mul.opcode), product) && says(OUT(add.opcode), sum) &&
           same_part(IN(whole.guard), OUT(mul.guard)) &&
           same_part(IN(whole.guard), OUT(add.guard)) &&
           same_part(OUT(mul.operand[0]), OUT(add.operand[1])) &&
           is_new_register(c, OUT(mul.operand[0])) &&
           same_part(IN(whole.operand[0]), OUT(add.operand[0])) &&
           same_part(IN(whole.operand[1]), OUT(mul.operand[1])) &&
           same_part(IN(whole.operand[2]), OUT(mul.operand[2])) &&
           same_part(IN(whole.operand[3]), OUT(add.operand[2]));
#undef IN
#undef OUT
}

// Fused multiply-adds that have no counterpart, in the order of the input, and pairs of events that
// have none: few, so all are tried.
static void pair_divided(struct checker *c)
{
    for (uint32_t i = 0; i < c->members.n; i++) {
        struct member *member = &c->members.v[i];
        uint16_t op = c->fn->insts.v[member->inst].op;
        if (member->out != IR_NONE || (op != OP_fma && op != OP_mad))
            continue;
        for (uint32_t k = 0; k + 1 < c->events.n; k++) {
            struct event *one = &c->events.v[k], *two = &c->events.v[k + 1];
            if (one->member != IR_NONE || two->member != IR_NONE ||
                !is_division(c, &member->item, &one->item, &two->item))
                continue;
            one->member = two->member = i;
            two->pairs = true;
            member->out = k;
            break;
        }
    }
}

void window_pair(struct checker *c)
{
    pair_same(c);
    if (c->options->fma == FMA_SPLIT)
        pair_divided(c);
}
