// Output against input: items in lockstep, and where they differ, windows of instructions that must
// be each other's permutation.
#include "passes/verify.h"
#include "passes/address.h"
#include "passes/verify_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// An instruction of the input between two places where both texts agree.
struct member {
    struct item item;
    uint32_t inst;
    uint32_t out; // its place in the output's order
    bool hard;    // nothing changes places with it
};

// An instruction of the output there, or the two that a fused multiply-add became.
struct event {
    struct item item;
    struct item sum; // the addition, if `item` is the multiplication in front of it
    uint32_t member;
    bool pairs;
};

struct checker {
    struct verified *to;
    struct arena *arena;  // of the faults
    struct arena scratch; // of a window
    const struct ir_module *module;
    const struct pass_options *options;
    struct plan own; // nothing but the facts of the functions
    struct arena facts;
    struct item_reader input, output;
    const struct ir_function *fn; // that the input's item is in, or NULL
    uint32_t function, inst;      // how far the functions are read
    VEC(struct member) members;
    VEC(struct event) events;
    // Per register of `fn`: the definition in force, valid if its round is this one.
    const struct ir_function *defs_of;
    uint32_t *def, *def_round, round;
    struct arena registers;
};

static void add_fault(struct checker *c, uint32_t input, uint32_t output, const char *text)
{
    struct verify_fault fault = {input, output, text};
    vec_push(c->arena, &c->to->faults, fault);
}

// The input's instructions

static uint32_t inst_begin(const struct checker *c, const struct ir_function *fn, uint32_t inst)
{
    return c->module->tree->nodes.v[fn->insts.v[inst].node].begin;
}

// The instruction that begins there, or IR_NONE. Offsets grow from call to call.
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
    return end - begin == out_end - out_begin &&
           !memcmp(c->input.text + begin, c->output.text + out_begin, end - begin);
}

static bool same_text(const struct checker *c, const struct item *a, const struct item *b)
{
    return a->kind == b->kind && same_range(c, a->begin, a->end, b->begin, b->end);
}

static bool same_loc(const struct checker *c, const struct item *a, const struct item *b)
{
    return same_range(c, a->loc, a->loc_end, b->loc, b->loc_end);
}

// What an instruction does to memory

enum touch { TOUCH_NOTHING, TOUCH_READ, TOUCH_WRITE, TOUCH_ALL };

// What may read or write anywhere, wait, or make something seen by others.
static const bool touches_all[] = {
    [CLASS_ATOMIC] = true, [CLASS_SURFACE] = true, [CLASS_ASYNC] = true, [CLASS_MATRIX] = true,
    [CLASS_CALL] = true,   [CLASS_BARRIER] = true, [CLASS_FENCE] = true, [CLASS_STACK] = true,
    [CLASS_MISC] = true,   [CLASS_OPAQUE] = true,
};

static enum touch touch_of(const struct ir_inst *inst)
{
    if (inst->flags & INST_ORDERED)
        return TOUCH_ALL;
    if (inst->class < sizeof touches_all && touches_all[inst->class])
        return TOUCH_ALL;
    if (inst->class == CLASS_STORE)
        return TOUCH_WRITE;
    return inst->class == CLASS_LOAD || inst->class == CLASS_TEXTURE ? TOUCH_READ : TOUCH_NOTHING;
}

static bool conflict(struct checker *c, uint32_t a, uint32_t b)
{
    enum touch x = touch_of(&c->fn->insts.v[a]), y = touch_of(&c->fn->insts.v[b]);
    if (x == TOUCH_NOTHING || y == TOUCH_NOTHING || (x == TOUCH_READ && y == TOUCH_READ))
        return false;
    bool known = x != TOUCH_ALL && y != TOUCH_ALL && c->fn->insts.v[a].class != CLASS_TEXTURE &&
                 c->fn->insts.v[b].class != CLASS_TEXTURE;
    if (!known)
        return true;
    struct facts *facts = facts_of(&c->own, c->module, c->options, c->function);
    struct address one = address_in(facts, a), two = address_in(facts, b);
    return address_may_alias(facts, &one, &two);
}

// Branches end a block; a clock says when it is read.
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

// Pairing: which instruction of the input stands at each place of the output

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

// Registers: the same definition behind every use

static void begin_definitions(struct checker *c)
{
    if (c->defs_of != c->fn) {
        arena_reset(&c->registers);
        c->def = ARENA_ARRAY(&c->registers, uint32_t, c->fn->registers.n + 1);
        c->def_round = ARENA_ARRAY(&c->registers, uint32_t, c->fn->registers.n + 1);
        c->defs_of = c->fn;
        c->round = 0;
    }
    c->round++;
}

static uint32_t definition(const struct checker *c, uint32_t reg)
{
    return c->def_round[reg] == c->round ? c->def[reg] : IR_NONE;
}

// Reads, then writes, of one instruction. `seen` has a place for each of its operands: it is
// filled, or compared with. Returns whether all is the same.
static bool step(struct checker *c, uint32_t member, uint32_t *seen, bool compare)
{
    const struct ir_inst *at = &c->fn->insts.v[c->members.v[member].inst];
    bool same = true;
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[at->operands + i];
        if (operand->kind != OPERAND_REGISTER || operand->role == ROLE_DEF)
            continue;
        uint32_t found = definition(c, operand->index);
        same &= !compare || seen[i] == found;
        seen[i] = compare ? seen[i] : found;
    }
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[at->operands + i];
        if (operand->kind != OPERAND_REGISTER || operand->role != ROLE_DEF)
            continue;
        c->def[operand->index] = member;
        c->def_round[operand->index] = c->round;
    }
    return same;
}

static void check_last(struct checker *c, uint32_t *last)
{
    for (uint32_t m = 0; m < c->members.n; m++) {
        const struct ir_inst *at = &c->fn->insts.v[c->members.v[m].inst];
        for (uint32_t i = 0; i < at->operand_count; i++, last++) {
            const struct ir_operand *operand = &c->fn->operands.v[at->operands + i];
            if (operand->kind == OPERAND_REGISTER && operand->role == ROLE_DEF &&
                *last != definition(c, operand->index)) {
                add_fault(c, c->members.v[m].item.begin,
                          c->events.v[c->members.v[m].out].item.begin,
                          "another instruction has the last word on a register that this one "
                          "writes");
                return;
            }
        }
    }
}

static void check_registers(struct checker *c)
{
    uint32_t total = 0;
    uint32_t *at = ARENA_ARRAY(&c->scratch, uint32_t, c->members.n + 1);
    for (uint32_t m = 0; m < c->members.n; m++) {
        at[m] = total;
        total += c->fn->insts.v[c->members.v[m].inst].operand_count;
    }
    uint32_t *seen = ARENA_ARRAY(&c->scratch, uint32_t, total + 1);
    uint32_t *last = ARENA_ARRAY(&c->scratch, uint32_t, total + 1);
    begin_definitions(c);
    for (uint32_t m = 0; m < c->members.n; m++)
        step(c, m, seen + at[m], false);
    for (uint32_t m = 0; m < c->members.n; m++) {
        const struct ir_inst *inst = &c->fn->insts.v[c->members.v[m].inst];
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            const struct ir_operand *operand = &c->fn->operands.v[inst->operands + i];
            if (operand->kind == OPERAND_REGISTER && operand->role == ROLE_DEF)
                last[at[m] + i] = definition(c, operand->index);
        }
    }
    begin_definitions(c);
    for (uint32_t e = 0; e < c->events.n; e++) {
        uint32_t m = c->events.v[e].member;
        if (c->events.v[e].pairs || step(c, m, seen + at[m], true))
            continue;
        add_fault(c, c->members.v[m].item.begin, c->events.v[e].item.begin,
                  "a register that it reads has another value there");
        return;
    }
    check_last(c, last);
}

// Memory: pairs that have changed places, one of which writes. What is still to come and stands
// before what comes now has been overtaken by it; the list of what is still to come keeps the order
// of the input, so that only those are looked at.

struct waiting {
    uint32_t *next, *before; // by member + 1; 0 begins the list
};

static struct waiting list_members(struct checker *c)
{
    uint32_t n = c->members.n;
    struct waiting list = {ARENA_ARRAY(&c->scratch, uint32_t, n + 2),
                           ARENA_ARRAY(&c->scratch, uint32_t, n + 2)};
    for (uint32_t i = 0; i <= n; i++) {
        list.next[i] = i + 1;
        list.before[i + 1] = i;
    }
    return list;
}

static bool check_overtaken(struct checker *c, const struct waiting *list, uint32_t member)
{
    const struct member *late = &c->members.v[member];
    bool pure = !late->hard && touch_of(&c->fn->insts.v[late->inst]) == TOUCH_NOTHING;
    for (uint32_t at = list->next[0]; at != member + 1; at = list->next[at]) {
        const struct member *other = &c->members.v[at - 1];
        bool fixed = other->hard || late->hard;
        if (!fixed && (pure || !conflict(c, other->inst, late->inst)))
            continue;
        add_fault(c, late->item.begin, c->events.v[late->out].item.begin,
                  fixed ? "it has crossed an instruction that nothing may cross"
                        : "it has crossed an access to memory that may touch the same bytes");
        return false;
    }
    return true;
}

static void check_memory(struct checker *c)
{
    struct waiting list = list_members(c);
    for (uint32_t e = 0; e < c->events.n; e++) {
        uint32_t member = c->events.v[e].member, at = member + 1;
        if (c->events.v[e].pairs)
            continue;
        if (!check_overtaken(c, &list, member))
            return;
        c->to->moved += list.next[0] != at;
        list.next[list.before[at]] = list.next[at];
        list.before[list.next[at]] = list.before[at];
    }
}

// Windows

// What the output has instead of an instruction that it lacks, if anything.
static uint32_t instead(const struct checker *c)
{
    for (uint32_t i = 0; i < c->events.n; i++)
        if (c->events.v[i].member == IR_NONE)
            return c->events.v[i].item.begin;
    return c->output.at;
}

static bool check_pairs(struct checker *c)
{
    for (uint32_t i = 0; i < c->members.n; i++)
        if (c->members.v[i].out == IR_NONE) {
            add_fault(c, c->members.v[i].item.begin, instead(c), "it is not in the output");
            return false;
        }
    for (uint32_t i = 0; i < c->events.n; i++) {
        const struct event *event = &c->events.v[i];
        if (event->member == IR_NONE) {
            add_fault(c, c->input.at, event->item.begin, "the input does not have it");
            return false;
        }
        if (!same_loc(c, &c->members.v[event->member].item, &event->item)) {
            add_fault(c, c->members.v[event->member].item.begin, event->item.begin,
                      "another .loc is in force there");
            return false;
        }
    }
    return true;
}

static void check_window(struct checker *c)
{
    pair_same(c);
    if (c->options->fma == FMA_SPLIT)
        pair_divided(c);
    if (!check_pairs(c))
        return;
    check_registers(c);
    check_memory(c);
}

static struct item next_input(struct checker *c, uint32_t *inst)
{
    struct item item = item_next(&c->input);
    *inst = item.kind == ITEM_INSTRUCTION ? find_inst(c, item.begin) : IR_NONE;
    c->to->statements += item.kind != ITEM_END;
    return item;
}

// All instructions up to the next thing that is fixed, on both sides. An instruction that the IR
// does not have is fixed, too.
static void collect(struct checker *c, struct item *a, uint32_t inst, struct item *b)
{
    c->members.n = c->events.n = 0;
    while (a->kind == ITEM_INSTRUCTION && inst != IR_NONE) {
        struct member member = {*a, inst, IR_NONE, is_hard(c->fn, inst)};
        vec_push(&c->scratch, &c->members, member);
        *a = next_input(c, &inst);
    }
    while (b->kind == ITEM_INSTRUCTION) {
        struct event event = {.item = *b, .member = IR_NONE};
        vec_push(&c->scratch, &c->events, event);
        *b = item_next(&c->output);
    }
}

// `.reg .f32 %product_f<3>;` behind a body's brace: new names only.
static bool is_declaration(const struct checker *c, const struct item *item)
{
    const char *text = c->output.text + item->begin;
    static const char word[] = ".reg ";
    if (item->kind != ITEM_FIXED || item->end - item->begin < sizeof word ||
        memcmp(text, word, strlen(word)))
        return false;
    const char *name = memchr(text, '%', item->end - item->begin);
    const char *end = name ? memchr(name, '<', (size_t)(c->output.text + item->end - name)) : NULL;
    if (!end)
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
        *b = item_next(&c->output);
    return !same_text(c, a, b) ||
           (a->kind == ITEM_INSTRUCTION && inst != IR_NONE && !same_loc(c, a, b));
}

// Where two items begin to differ: at a word or a sign of each.
static void add_difference(struct checker *c, const struct item *a, const struct item *b)
{
    uint32_t same = 0;
    const char *in = c->input.text + a->begin, *out = c->output.text + b->begin;
    while (same < a->end - a->begin && same < b->end - b->begin && in[same] == out[same])
        same++;
    while (same && (isalnum((unsigned char)in[same - 1]) || strchr("_.$%", in[same - 1])))
        same--;
    add_fault(c, a->begin + same, b->begin + same, "the texts differ");
}

static void check_texts(struct checker *c)
{
    for (;;) {
        uint32_t inst;
        struct item a = next_input(c, &inst), b = item_next(&c->output);
        if (is_difference(c, &a, inst, &b)) {
            uint32_t faults = c->to->faults.n;
            collect(c, &a, inst, &b);
            check_window(c);
            memset(&c->members, 0, sizeof c->members);
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
