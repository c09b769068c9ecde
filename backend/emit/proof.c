#include "backend/emit/proof.h"
#include "backend/tables/build.h"
#include "passes/base/passes.h"

struct proving {
    struct proof *to;
    struct arena *arena;
    struct ir_module *module;
    struct plan *plan;
    struct backend_options options;
};

static void step(const struct proving *p, const char *name)
{
    if (p->to->step)
        p->to->step(p->to->context, name);
}

static const struct node *node_of(const struct proving *p, uint32_t function, uint32_t inst)
{
    if (function >= p->module->functions.n)
        return &p->module->tree->nodes.v[0];
    const struct ir_function *fn = &p->module->functions.v[function];
    uint32_t node = inst < fn->insts.n ? fn->insts.v[inst].node : fn->node;
    return &p->module->tree->nodes.v[node];
}

static void leave_out(struct proving *p, uint32_t begin, const char *what, const char *text)
{
    struct left_out left = {begin, what, text};
    vec_push(p->arena, &p->to->list, left);
}

static void reject(struct proving *p, enum candidate_kind kind, uint32_t function, uint32_t inst,
                   const char *text)
{
    struct rejection rejection = {function, kind, RULE_LEFT_OUT,  inst,
                                  IR_NONE,  text, .last = IR_NONE};
    if (function < p->module->functions.n && inst < p->module->functions.v[function].insts.n)
        vec_push(p->plan->arena, &p->plan->rejections, rejection);
}

// Dropping chains and blocks

static void drop_chain(struct proving *p, uint32_t at, const char *text)
{
    struct chain *chains = p->plan->chains.v, chain = chains[at];
    leave_out(p, node_of(p, chain.function, chain.inst[0])->begin, "this chain", text);
    reject(p, CANDIDATE_CHAIN, chain.function, chain.inst[0], text);
    p->plan->chains.n--;
    for (uint32_t i = at; i < p->plan->chains.n; i++)
        chains[i] = chains[i + 1];
}

static void drop_block(struct proving *p, uint32_t at, const char *text)
{
    struct block_plan *blocks = p->plan->blocks.v, block = blocks[at];
    leave_out(p, node_of(p, block.function, block.first)->begin, "this block", text);
    reject(p, CANDIDATE_BLOCK, block.function, block.first, text);
    p->plan->blocks.n--;
    for (uint32_t i = at; i < p->plan->blocks.n; i++)
        blocks[i] = blocks[i + 1];
}

static void drop_all(struct proving *p, const char *text)
{
    while (p->plan->chains.n)
        drop_chain(p, p->plan->chains.n - 1, text);
    while (p->plan->blocks.n)
        drop_block(p, p->plan->blocks.n - 1, text);
}

// Repeats the reordering for the remaining plan.
static void move_again(struct proving *p)
{
    bool moves = p->plan->edits.list.n;
    p->plan->edits.list.n = 0;
    if (moves)
        pass_all(&pass_reorder, p->module, &p->options.passes, p->plan);
}

static void check_plan(struct proving *p)
{
    struct verified verified = {0};
    verify_plan(&verified, p->arena, p->module, &p->options.passes, p->plan);
    // From the end, so that lower indices stay valid.
    for (uint32_t i = verified.faults.n; i-- > 0;)
        if (verified.faults.v[i].block != IR_NONE)
            drop_block(p, verified.faults.v[i].block, verified.faults.v[i].text);
    for (uint32_t i = verified.faults.n; i-- > 0;)
        if (verified.faults.v[i].chain != IR_NONE)
            drop_chain(p, verified.faults.v[i].chain, verified.faults.v[i].text);
    if (verified.faults.n)
        move_again(p);
}

// The output

static bool spans(const struct proving *p, const struct chain *chain, uint32_t offset)
{
    uint32_t begin = UINT32_MAX, end = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct node *node = node_of(p, chain->function, chain->inst[i]);
        begin = node->begin < begin ? node->begin : begin;
        end = node->end > end ? node->end : end;
    }
    return offset >= begin && offset < end;
}

static bool is_in_function(const struct proving *p, const struct chain *chain, uint32_t offset)
{
    const struct ir_function *fn = &p->module->functions.v[chain->function];
    const struct node *node = &p->module->tree->nodes.v[fn->node];
    return offset >= node->begin && offset < node->end;
}

static bool drop_chains_at(struct proving *p, uint32_t offset, const char *text,
                           bool (*is_there)(const struct proving *, const struct chain *, uint32_t))
{
    uint32_t before = p->plan->chains.n;
    for (uint32_t i = before; i-- > 0;)
        if (is_there(p, &p->plan->chains.v[i], offset))
            drop_chain(p, i, text);
    return p->plan->chains.n < before;
}

// Drops the chains that span the offset, else those of its function, else everything.
static void drop_at(struct proving *p, uint32_t offset, const char *text)
{
    if (!drop_chains_at(p, offset, text, spans) && !drop_chains_at(p, offset, text, is_in_function))
        drop_all(p, text);
    move_again(p);
}

static void write_input(struct proving *p, struct output *output)
{
    const struct source *source = p->module->tree->source;
    output->text = source->text;
    output->length = source->length;
    tables_digest(output->tables.output.sha256, output->text, output->length);
}

// Writes the output and checks it. Returns the first fault; its text is NULL if the output is
// proven.
static struct verify_fault try_output(struct proving *p, struct output *output)
{
    struct verified verified = {0};
    const char *wrong = backend_emit(output, p->arena, p->module, p->plan, &p->options);
    step(p, "emit");
    if (wrong)
        return (struct verify_fault){UINT32_MAX, 0, wrong, IR_NONE, IR_NONE};
    verify_output(&verified, p->arena, p->module, &p->options.passes, output->text, output->length);
    step(p, "verify");
    p->to->statements = verified.statements;
    p->to->moved = verified.moved;
    if (verified.faults.n)
        return verified.faults.v[0];
    struct verify_fault fault = backend_read_back(output, p->arena, p->module, p->plan);
    step(p, "reread");
    return fault;
}

void backend_emit_proven(struct output *output, struct proof *proof, struct arena *arena,
                         struct ir_module *module, struct plan *plan,
                         const struct backend_options *options)
{
    struct proving p = {proof, arena, module, plan, *options};
    check_plan(&p);
    step(&p, "verify");
    for (;;) {
        struct verify_fault fault = try_output(&p, output);
        if (!fault.text)
            return;
        if (!plan->chains.n && !plan->blocks.n) {
            leave_out(&p, fault.input == UINT32_MAX ? 0 : fault.input, "this program", fault.text);
            write_input(&p, output);
            return;
        }
        if (fault.chain != IR_NONE) {
            drop_chain(&p, fault.chain, fault.text);
            move_again(&p);
        } else {
            drop_at(&p, fault.input, fault.text);
        }
    }
}

void proof_report(const struct proof *proof, struct diags *diags)
{
    for (uint32_t i = 0; i < proof->list.n; i++) {
        const struct left_out *left = &proof->list.v[i];
        diag_add(diags, DIAG_WARNING, "unproven", left->begin, left->begin,
                 "%s is left out, because the checker refutes it: %s; please report this bug of "
                 "ptxoffload",
                 left->what, left->text);
    }
}

void proof_give_up(const char *pass, struct diags *diags)
{
    diag_add(diags, DIAG_WARNING, "unproven", 0, 0,
             "nothing is offloaded, because the program is invalid after '%s'; please report this "
             "bug of ptxoffload",
             pass);
}
