// Makes the instructions of each chain adjacent: address arithmetic and immediate loads move before
// its first load [000 §4.2, Figure 6]. Divides the fused multiply-adds of split chains.
//
// Requires the chains. Keeps the module; the order is an edit of the text. As few statements as
// possible move (those outside a longest sequence that keeps its order), each with its whole line,
// or alone if it shares its line. Labels, comments on lines of their own, directives and braces
// stay. Where another .loc would be in force than before, a copy of the right one is inserted.
//
// In the result, the passes find the same chains and move nothing.
#include "passes/chains/order.h"
#include "passes/base/passes.h"
#include "passes/plan/pipeline.h"
#include "support/bits.h"
#include <string.h>

struct mover {
    const struct ir_module *module;
    const struct ir_function *fn;
    struct facts *facts;
    struct plan *plan;
    struct arena scratch;
    struct order order;
    uint32_t begin, end; // places that change, [begin, end)
    uint64_t *kept;      // bit set over instructions
};

static const struct source *source_of(const struct mover *m)
{
    return m->module->tree->source;
}

static struct lines lines_of(const struct mover *m, uint32_t inst)
{
    const struct statement *statement = &m->order.statements[inst];
    return statement_lines(source_of(m), statement->begin, statement->end);
}

static bool is_alone(const struct lines *lines)
{
    return lines->head && lines->tail;
}

// Returns where to insert a statement before the instruction: before the .loc directives that
// belong to it, at the start of a line if possible.
static uint32_t front_of(const struct mover *m, uint32_t inst, bool *line_start)
{
    const struct statement *statement = &m->order.statements[inst];
    uint32_t at = statement->begin;
    if (statement->lead != IR_NONE)
        at = m->module->tree->nodes.v[statement->lead].begin;
    struct lines lines = statement_lines(source_of(m), at, at);
    *line_start = lines.head;
    return lines.head ? lines.begin : at;
}

static uint32_t text_after(const struct mover *m, uint32_t inst, bool *line_start)
{
    struct lines lines = lines_of(m, inst);
    *line_start = is_alone(&lines);
    return *line_start ? lines.end : m->order.statements[inst].end;
}

static const char *indentation(struct mover *m, uint32_t inst)
{
    struct lines lines = lines_of(m, inst);
    const char *text = source_of(m)->text;
    uint32_t end = lines.begin;
    while (text[end] == ' ' || text[end] == '\t')
        end++;
    return arena_strndup(m->plan->arena, text + lines.begin, end - lines.begin);
}

static void add_insert(struct mover *m, uint32_t at, const char *text)
{
    struct edit edit = {EDIT_INSERT, at, at, 0, text, EDIT_ORDER_LOC};
    vec_push(m->plan->arena, &m->plan->edits.list, edit);
}

// Line information

static bool same_loc(const struct mover *m, uint32_t a, uint32_t b)
{
    if (a == b || a == IR_NONE || b == IR_NONE)
        return a == b;
    const struct node *x = &m->module->tree->nodes.v[a], *y = &m->module->tree->nodes.v[b];
    const char *text = source_of(m)->text;
    return x->end - x->begin == y->end - y->begin &&
           !memcmp(text + x->begin, text + y->begin, x->end - x->begin);
}

static const char *loc_text(struct mover *m, uint32_t loc)
{
    const struct node *at = &m->module->tree->nodes.v[loc];
    return arena_strndup(m->plan->arena, source_of(m)->text + at->begin, at->end - at->begin);
}

// Returns true if the instruction needs a copy of its .loc; the copy is then in force.
static bool needs_loc(const struct mover *m, uint32_t inst, uint32_t *in_force)
{
    uint32_t loc = m->order.statements[inst].loc;
    if (loc == IR_NONE || same_loc(m, loc, *in_force))
        return false;
    *in_force = loc;
    return true;
}

// Start of a statement: on a line of its own, at the start of a new line, or inside a line.
enum beginning { OWN_LINE, NEW_LINE, IN_LINE };

static void put_loc(struct mover *m, uint32_t inst, const struct lines *lines,
                    enum beginning beginning)
{
    struct arena *arena = m->plan->arena;
    uint32_t begin = m->order.statements[inst].begin;
    const char *indent = indentation(m, inst);
    const char *loc = loc_text(m, m->order.statements[inst].loc);
    if (beginning == OWN_LINE)
        add_insert(m, lines->begin, arena_printf(arena, "%s%s\n", indent, loc));
    else if (beginning == NEW_LINE)
        add_insert(m, begin, arena_printf(arena, "%s%s\n%s", indent, loc, indent));
    else
        add_insert(m, begin, arena_printf(arena, "\n%s%s\n%s", indent, loc, indent));
}

// Restores the .loc of an instruction that stays.
static void restore_loc(struct mover *m, uint32_t inst, uint32_t *in_force)
{
    if (!needs_loc(m, inst, in_force))
        return;
    struct lines lines = lines_of(m, inst);
    put_loc(m, inst, &lines, lines.head ? OWN_LINE : IN_LINE);
}

// Instructions that stay

// Longest ascending sequences so far, by their last instruction: a tree of maxima over prefixes.
struct ascending_sequences {
    uint64_t *weight; // per place: of the best sequence that ends there
    uint32_t *before; // per place: previous place in that sequence + 1, or 0
    uint32_t *best;   // the tree: place + 1
    uint32_t count;
};

static uint32_t best_below(const struct ascending_sequences *runs, uint32_t rank)
{
    uint32_t best = 0;
    for (uint32_t i = rank; i; i &= i - 1)
        if (runs->best[i] && (!best || runs->weight[runs->best[i] - 1] > runs->weight[best - 1]))
            best = runs->best[i];
    return best;
}

static void record_sequence(struct ascending_sequences *runs, uint32_t rank, uint32_t place)
{
    for (uint32_t i = rank + 1; i <= runs->count; i += i & -i)
        if (!runs->best[i] || runs->weight[place] > runs->weight[runs->best[i] - 1])
            runs->best[i] = place + 1;
}

// Marks a longest sequence of the changed places whose instructions are in the order of the text;
// of several, one with the most members of chains. An instruction must stay after the declarations
// of its registers, so instructions move that precede such a declaration and come after the
// instruction in the new order.
static void find_staying(struct mover *m)
{
    uint32_t count = m->end - m->begin;
    struct ascending_sequences runs = {ARENA_ARRAY(&m->scratch, uint64_t, count),
                                       ARENA_ARRAY(&m->scratch, uint32_t, count),
                                       ARENA_ARRAY(&m->scratch, uint32_t, count + 1), count};
    for (uint32_t place = 0, named = 0; place < count; place++) {
        uint32_t inst = m->order.at[m->begin + place], rank = inst - m->begin;
        uint32_t after = m->order.after[inst];
        named = after > named ? after : named;
        if (inst < named)
            continue;
        uint32_t before = runs.before[place] = best_below(&runs, rank);
        runs.weight[place] = (before ? runs.weight[before - 1] : 0) + count + 1;
        runs.weight[place] += m->order.unit[inst] != 0;
        record_sequence(&runs, rank, place);
    }
    for (uint32_t i = best_below(&runs, count); i; i = runs.before[i - 1])
        bits_set(m->kept, m->order.at[m->begin + i - 1]);
}

// Moves

// Moves a statement that shares its line. The blanks after it move with it into another line; they
// are dropped if it gets a line of its own.
static void move_part(struct mover *m, uint32_t inst, struct edit edit, bool line_start,
                      bool with_loc)
{
    struct arena *arena = m->plan->arena;
    const char *text = source_of(m)->text;
    uint32_t behind = edit.end;
    while (text[behind] == ' ' || text[behind] == '\t')
        behind++;
    if (line_start) {
        edit.text = "\n";
        if (behind > edit.end) {
            struct edit blanks = {EDIT_REPLACE, edit.end, behind, 0, "", 0};
            vec_push(arena, &m->plan->edits.list, blanks);
        }
    } else {
        edit.end = behind;
    }
    if (with_loc)
        put_loc(m, inst, NULL, line_start ? NEW_LINE : IN_LINE);
    else if (line_start)
        add_insert(m, edit.begin, indentation(m, inst));
    vec_push(arena, &m->plan->edits.list, edit);
}

static void move(struct mover *m, uint32_t inst, uint32_t to, bool line_start, uint32_t *in_force)
{
    const struct statement *statement = &m->order.statements[inst];
    struct lines lines = lines_of(m, inst);
    bool with_loc = needs_loc(m, inst, in_force);
    struct edit edit = {EDIT_MOVE, statement->begin, statement->end, to, "", m->order.place[inst]};
    if (!is_alone(&lines)) {
        move_part(m, inst, edit, line_start, with_loc);
        return;
    }
    edit.begin = lines.begin;
    edit.end = lines.end;
    if (with_loc)
        put_loc(m, inst, &lines, OWN_LINE);
    vec_push(m->plan->arena, &m->plan->edits.list, edit);
}

// Moves the places [from, until) of the new order before `to`.
static void move_sequence(struct mover *m, uint32_t from, uint32_t until, uint32_t to,
                          bool line_start, uint32_t *in_force)
{
    for (uint32_t place = from; place < until; place++)
        move(m, m->order.at[place], to, line_start, in_force);
}

// Returns true if the .loc follows the instruction in the text.
static bool is_after(const struct mover *m, uint32_t loc, uint32_t inst)
{
    return loc != IR_NONE && m->module->tree->nodes.v[loc].begin >= m->order.statements[inst].end;
}

// Visits the changed places in the order of the text. Instructions between two staying ones move
// before the second; those after the last staying one move after it.
static void rearrange(struct mover *m, uint32_t *in_force)
{
    uint32_t done = m->begin, last = m->begin; // places; last staying instruction
    bool line_start;
    for (uint32_t inst = m->begin; inst < m->end; inst++)
        if (bits_test(m->kept, inst))
            last = inst;
    for (uint32_t inst = m->begin; inst < m->end; inst++) {
        bool kept = bits_test(m->kept, inst);
        if (kept) {
            uint32_t to = front_of(m, inst, &line_start);
            move_sequence(m, done, m->order.place[inst], to, line_start, in_force);
            done = m->order.place[inst] + 1;
        }
        if (m->order.statements[inst].lead != IR_NONE)
            *in_force = m->order.statements[inst].loc;
        if (kept)
            restore_loc(m, inst, in_force);
        if (inst == last) {
            uint32_t to = text_after(m, inst, &line_start);
            move_sequence(m, done, m->end, to, line_start, in_force);
        }
    }
}

// Finds the next places that change, from `from` on: in one segment, up to a place that does not
// change and that nothing crosses.
static bool find_changed(struct mover *m, uint32_t from)
{
    uint32_t count = m->fn->insts.n;
    for (m->begin = from; m->begin < count && m->order.at[m->begin] == m->begin;)
        m->begin++;
    uint32_t max = m->begin;
    for (m->end = m->begin; m->end < count; m->end++) {
        bool apart =
            m->order.at[m->end] == m->end || m->order.segment[m->end] != m->order.segment[m->begin];
        if (m->end > max && apart)
            break;
        if (m->order.at[m->end] > max)
            max = m->order.at[m->end];
    }
    return m->begin < count;
}

// Applies the order. A changed range that follows another one, with a label or brace between,
// starts with the .loc that the other one left in force.
static void carry_out(struct mover *m)
{
    uint32_t in_force = IR_NONE, before = IR_NONE; // end of the previous range
    for (uint32_t from = 0; find_changed(m, from); from = m->end) {
        uint32_t loc = m->order.statements[m->begin].before;
        if (m->begin != before || is_after(m, loc, m->begin - 1))
            in_force = loc;
        find_staying(m);
        rearrange(m, &in_force);
        before = m->end;
        if (m->end < m->fn->insts.n && m->order.at[m->end] == m->end &&
            !is_after(m, m->order.statements[m->end].loc, m->end - 1))
            restore_loc(m, m->end, &in_force);
    }
}

// A chain across blocks is not moved, but other chains may change the order of its loads.
static void sort_by_position(const struct mover *m, struct chain *chain)
{
    for (uint32_t i = 1; i < chain->count; i++)
        for (uint32_t k = i;
             k && m->order.place[chain->inst[k]] < m->order.place[chain->inst[k - 1]]; k--) {
            uint32_t earlier = chain->inst[k];
            chain->inst[k] = chain->inst[k - 1];
            chain->inst[k - 1] = earlier;
        }
}

// Makes the chains [first, end) of the function adjacent.
static void reorder_function(struct mover *m, uint32_t first, uint32_t end)
{
    struct obstacle why;
    arena_init(&m->scratch, m->plan->arena->memory);
    order_init(&m->order, &m->scratch, m->facts);
    m->kept = bits_new(&m->scratch, m->fn->insts.n + 1);
    for (uint32_t i = first; i < end; i++)
        if (m->plan->chains.v[i].across)
            order_hold(&m->order, m->plan->chains.v[i].inst, m->plan->chains.v[i].count);
    for (uint32_t i = first; i < end; i++) {
        const struct chain *chain = &m->plan->chains.v[i];
        if (!chain->across && order_allows(&m->order, chain->inst, chain->count, &why))
            order_join(&m->order, chain->inst, chain->count);
    }
    carry_out(m);
    for (uint32_t i = first; i < end; i++)
        if (m->plan->chains.v[i].across)
            sort_by_position(m, &m->plan->chains.v[i]);
    arena_free(&m->scratch);
}

static void run(const struct pass_work *work)
{
    struct plan *plan = work->plan;
    for (uint32_t first = work->chain, end; work->options->reorder && first < plan->chains.n;
         first = end) {
        uint32_t function = plan->chains.v[first].function;
        for (end = first; end < plan->chains.n && plan->chains.v[end].function == function;)
            end++;
        struct mover m = {.module = work->module,
                          .fn = &work->module->functions.v[function],
                          .facts = facts_of(plan, work->module, work->options, function),
                          .plan = plan};
        reorder_function(&m, first, end);
    }
}

const struct function_pass pass_reorder = {NULL, run, split_fused};
