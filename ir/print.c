// Prints PTX with the overlay in comments: `/*|b …|*/` and a line end before a block, ` /*|i …|*/`
// after an instruction. Omits comments of this form in the source, so that a dump that is read back
// prints the same.
#include "ir/ir.h"
#include <string.h>

struct printer {
    const struct ir_module *module;
    const struct ir_function *fn;
    FILE *to;
    uint32_t at; // offset up to which the source was copied
    struct ir_live_lists live;
};

// Copies source text up to `end`, without the comments of an earlier dump.
static void copy_until(struct printer *p, uint32_t end)
{
    const char *text = p->module->tree->source->text;
    while (p->at < end) {
        const char *open = memmem(text + p->at, end - p->at, "/*|", 3);
        uint32_t stop = open ? (uint32_t)(open - text) : end;
        const char *close = open ? memmem(open, end - stop, "|*/", 3) : NULL;
        if (!close)
            stop = end;
        bool inline_comment = close && open[3] == 'i' && stop > p->at && text[stop - 1] == ' ';
        fwrite(text + p->at, 1, stop - p->at - inline_comment, p->to);
        p->at = close ? (uint32_t)(close - text) + 3 : stop;
        if (close && open[3] == 'b' && p->at < end && text[p->at] == '\n')
            p->at++;
    }
}

static void print_name(struct printer *p, uint32_t name)
{
    const struct name *n = tree_name(p->module->tree, name);
    fwrite(n->text, 1, n->length, p->to);
}

static void print_register(struct printer *p, uint32_t reg)
{
    if (p->fn->registers.v[reg].name == IR_NONE)
        fputs("%cc", p->to);
    else
        print_name(p, p->fn->registers.v[reg].name);
    if (p->fn->registers.v[reg].repeated)
        fprintf(p->to, "@%u", ir_register_scope(p->fn, reg));
}

// Prints a version by its id within the function, which follows the order of the dump.
static void print_version(struct printer *p, uint32_t version)
{
    print_register(p, p->fn->versions.v[version].reg);
    fprintf(p->to, ".%u", version);
}

static void print_list(struct printer *p, const char *title, const uint32_t *list, uint32_t count)
{
    if (!count)
        return;
    fputs(title, p->to);
    for (uint32_t i = 0; i < count; i++)
        fprintf(p->to, "%s%u", i ? "," : " ", list[i]);
}

static void print_block(struct printer *p, uint32_t index)
{
    const struct ir_function *fn = p->fn;
    const struct ir_block *block = &fn->blocks.v[index];
    fprintf(p->to, "/*|b block %u", index);
    print_list(p, " preds", ir_preds(fn, index), block->pred_count);
    print_list(p, " succs", ir_succs(fn, index), block->succ_count);
    if (block->rpo == IR_NONE)
        fputs(" unreachable", p->to);
    if (block->idom != IR_NONE)
        fprintf(p->to, " idom %u", block->idom);
    if (block->ipdom == fn->blocks.n)
        fputs(" ipdom exit", p->to);
    else if (block->ipdom != IR_NONE)
        fprintf(p->to, " ipdom %u", block->ipdom);
    if (block->loop != IR_NONE)
        fprintf(p->to, " loop %u depth %u header %u", block->loop, fn->loops.v[block->loop].depth,
                fn->loops.v[block->loop].header);
    for (uint32_t i = 0; i < block->phi_count; i++) {
        const struct ir_phi *phi = &fn->phis.v[block->phi + i];
        fputs("; ", p->to);
        print_version(p, phi->version);
        fputs(" = phi", p->to);
        for (uint32_t k = 0; k < block->pred_count; k++)
            fprintf(p->to, "%c%u", k ? ',' : ' ', fn->phi_args.v[phi->args + k]);
    }
    fputs(p->live.at[index] < p->live.at[index + 1] ? "; live" : "", p->to);
    for (uint32_t i = p->live.at[index]; i < p->live.at[index + 1]; i++) {
        fputc(' ', p->to);
        print_register(p, p->live.reg[i]);
    }
    fputs("|*/\n", p->to);
}

static void print_inst(struct printer *p, uint32_t inst)
{
    const struct ir_inst *at = &p->fn->insts.v[inst];
    bool any = false;
    for (int writes = 1; writes >= 0; writes--) {
        for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
            uint32_t version = p->fn->operand_version.v[i];
            if (version == IR_NONE || (p->fn->operands.v[i].role == ROLE_DEF) != writes)
                continue;
            fputs(any ? " " : " /*|i ", p->to);
            any = true;
            print_version(p, version);
        }
        if (writes && any)
            fputs(" =", p->to);
    }
    if (any)
        fputs("|*/", p->to);
}

// Returns the position of a block's comment: before the line of its label or first instruction.
static uint32_t block_position(struct printer *p, uint32_t index)
{
    const struct ir_block *block = &p->fn->blocks.v[index];
    const struct tree *tree = p->module->tree;
    uint32_t begin = IR_NONE;
    if (block->label != IR_NONE)
        begin = tree->nodes.v[block->label].begin;
    else if (block->first < block->end)
        begin = tree->nodes.v[p->fn->insts.v[block->first].node].begin;
    if (begin == IR_NONE)
        return IR_NONE;
    uint32_t line = begin;
    while (line > p->at && strchr(" \t", tree->source->text[line - 1]))
        line--;
    bool first = !line || tree->source->text[line - 1] == '\n';
    return first ? line : begin;
}

static void print_function(struct printer *p)
{
    const struct ir_function *fn = p->fn;
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        uint32_t place = block_position(p, block);
        if (place != IR_NONE) {
            copy_until(p, place);
            print_block(p, block);
        }
        for (uint32_t inst = fn->blocks.v[block].first; inst < fn->blocks.v[block].end; inst++) {
            copy_until(p, p->module->tree->nodes.v[fn->insts.v[inst].node].end);
            print_inst(p, inst);
        }
    }
}

void ir_print(const struct ir_module *module, FILE *to)
{
    struct printer p = {.module = module, .to = to};
    struct arena scratch;
    arena_init(&scratch, module->arena->memory);
    for (uint32_t i = 0; i < module->functions.n; i++) {
        p.fn = &module->functions.v[i];
        if (!p.fn->has_body)
            continue;
        p.live = ir_live_lists(p.fn, &scratch);
        print_function(&p);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
    copy_until(&p, module->tree->source->length);
}

static void dot_text(FILE *to, const char *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fputc('\\', to);
        fputc(c < ' ' ? ' ' : c, to);
    }
}

static void dot_block(const struct ir_module *module, const struct ir_function *fn, uint32_t index,
                      FILE *to)
{
    const struct ir_block *block = &fn->blocks.v[index];
    const struct tree *tree = module->tree;
    fprintf(to, "    b%u [label=\"block %u", index, index);
    if (block->loop != IR_NONE)
        fprintf(to, " (loop %u, depth %u)", block->loop, fn->loops.v[block->loop].depth);
    fputs("\\l", to);
    for (uint32_t inst = block->first; inst < block->end; inst++) {
        const struct node *node = &tree->nodes.v[fn->insts.v[inst].node];
        dot_text(to, tree->source->text + node->begin, node->end - node->begin);
        fputs("\\l", to);
    }
    fputs("\"];\n", to);
    for (uint32_t i = 0; i < block->succ_count; i++) {
        uint32_t succ = ir_succs(fn, index)[i];
        fprintf(to, "    b%u -> b%u%s;\n", index, succ,
                block->rpo != IR_NONE && ir_dominates(fn, succ, index) ? " [style=dashed]" : "");
    }
}

void ir_print_dot(const struct ir_module *module, FILE *to)
{
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct ir_function *fn = &module->functions.v[i];
        if (!fn->has_body)
            continue;
        const struct name *name = tree_name(module->tree, fn->name);
        fputs("digraph \"", to);
        dot_text(to, name->text, name->length);
        fputs("\" {\n    node [shape=box, fontname=monospace];\n", to);
        for (uint32_t block = 0; block < fn->blocks.n; block++)
            dot_block(module, fn, block, to);
        fputs("}\n", to);
    }
}
