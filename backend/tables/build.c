#include "backend/tables/build.h"
#include "passes/analysis/memory/spaces.h"
#include "passes/chains/shared.h"
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>

struct record_builder {
    struct tables *tables;
    struct arena *arena;
    const struct ir_module *module;
    const struct plan *plan;
    const struct written *written;
    const struct bodies *bodies;
    const struct rejection **rejections; // by function, then place
    struct shared_search *shared;
    struct spaces *spaces;
    uint32_t chain, block, map, rejection; // next entries of the plan's lists
    const char **names;                    // per name of the tree; NULL: not requested yet
    struct arena own;                      // for the build only
    // The current function.
    const struct ir_function *fn;
    const struct body *body;
    struct table_kernel *kernel;
    struct record_range *ranges; // per instruction, filled on demand
    struct arena scratch;        // for the current function
};

// Output instructions [first, end) that an input instruction has become.
struct record_range {
    bool known;
    uint32_t first, end;
};

void tables_digest(char digest[SHA256_HEX + 1], const char *text, size_t length)
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, length, (const uint8_t *)text);
    tables_digest_end(digest, &context);
}

void tables_digest_end(char digest[SHA256_HEX + 1], struct sha256_ctx *pieces)
{
    uint8_t bytes[SHA256_DIGEST_SIZE];
    sha256_digest(pieces, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
}

static const char *name_text(const struct record_builder *b, uint32_t name)
{
    const struct name *n = tree_name(b->module->tree, name);
    if (!b->names[name])
        b->names[name] = arena_strndup(b->arena, n->text, n->length);
    return b->names[name];
}

static struct record_range output_range(const struct record_builder *b, uint32_t inst)
{
    struct record_range *range = &b->ranges[inst];
    if (range->known)
        return *range;
    const struct node *node = &b->module->tree->nodes.v[b->fn->insts.v[inst].node];
    uint32_t to, to_end;
    writer_range(b->written, node->begin, node->end, &to, &to_end);
    // Most instructions have not moved.
    bool same = inst < b->body->insts.n && body_inst(b->body, inst)->begin == to;
    uint32_t first = same ? inst : body_find(b->body, to);
    bool one = first < b->body->insts.n && body_inst(b->body, first)->end == to_end;
    *range = (struct record_range){true, first, one ? first + 1 : body_find(b->body, to_end)};
    return *range;
}

static uint32_t line_of(const struct record_builder *b, uint32_t inst)
{
    return ir_position(b->module, b->fn, inst).line;
}

static const char *fault(const struct record_builder *b, const char *what, uint32_t inst)
{
    return arena_printf(b->arena, "plan for '%s': %s (line %u)", b->kernel->name, what,
                        inst < b->fn->insts.n ? line_of(b, inst) : 0);
}

static const char *add_instruction(struct record_builder *b, struct table_chain *to, uint32_t inst)
{
    if (inst >= b->fn->insts.n)
        return fault(b, "a chain has an instruction that the function does not have", inst);
    struct record_range range = output_range(b, inst);
    if (range.first >= range.end)
        return fault(b, "a chain's instruction is not in the output", inst);
    struct source_position place = ir_position(b->module, b->fn, inst);
    struct table_instruction entry = {place.line, place.column, range.first, TAG_MIDDLE,
                                      body_opcode(b->body, b->arena, range.first)};
    vec_push(b->arena, &to->instructions, entry);
    return NULL;
}

static const char *add_chain(struct record_builder *b, const struct chain *chain)
{
    struct table_chain to = {
        .id = b->kernel->chains.n,
        .pattern = chain->pattern,
        .response = chain->response,
        .response_flits = chain->response_flits,
        .saving = chain->saving,
        .expected_saving = chain->expected_saving,
    };
    vec_fix(b->arena, &to.instructions, chain->count);
    for (uint32_t i = 0; i < chain->count; i++) {
        const char *wrong = add_instruction(b, &to, chain->inst[i]);
        if (wrong)
            return wrong;
    }
    if (to.instructions.n) {
        to.instructions.v[0].tag = TAG_FIRST;
        to.instructions.v[to.instructions.n - 1].tag = TAG_LAST;
    }
    vec_push(b->arena, &b->kernel->chains, to);
    return NULL;
}

static const char *live_name(const struct record_builder *b, const struct live_value *live)
{
    const struct ir_register *reg = live->reg == IR_NONE ? NULL : &b->fn->registers.v[live->reg];
    if (reg && reg->name == IR_NONE)
        return "CC.CF"; // the carry flag has no name in PTX's text
    if (reg)
        return reg->repeated ? ir_register_name(b->module, b->fn, live->reg, b->arena)
                             : name_text(b, reg->name);
    const char *member = live->member < WORD_COUNT ? isa_words[live->member].text : "";
    return arena_printf(b->arena, "%s%s", isa_specials[live->special].text, member);
}

// Limits a count to the range of signed numbers, which readers of JSON have.
static uint64_t limited(uint64_t count, uint64_t max)
{
    return count < max ? count : max;
}

// Extends the block by a basic block's instructions in the output. Returns false if it has none.
static bool place_part(const struct record_builder *b, const struct block_plan *plan,
                       uint32_t number, struct table_block *block)
{
    const struct ir_block *part = &b->fn->blocks.v[number];
    bool any = false;
    for (uint32_t inst = part->first; inst < part->end; inst++) {
        bool branch = number == plan->tail && inst + 1 == part->end &&
                      b->fn->insts.v[inst].flags & INST_TERMINATOR;
        if (inst < plan->first || inst > plan->last || branch)
            continue;
        struct record_range range = output_range(b, inst);
        if (range.first == range.end)
            continue;
        any = true;
        if (range.first < block->begin_index)
            block->begin_index = range.first;
        if (range.end - 1 > block->end_index)
            block->end_index = range.end - 1;
    }
    return any;
}

// Sets the block's range in the output. Instructions keep their basic block, but not their order in
// it: the first and last output instructions are in the first and last basic blocks that have any.
static void place_block(const struct record_builder *b, const struct block_plan *plan,
                        struct table_block *block)
{
    uint32_t first = 0, last = plan->block_count;
    block->begin_index = UINT32_MAX;
    while (first < plan->block_count && !place_part(b, plan, plan->blocks[first], block))
        first++;
    while (last > first + 1 && !place_part(b, plan, plan->blocks[last - 1], block))
        last--;
}

struct table_estimate tables_estimate(const struct block_estimate *from)
{
    return (struct table_estimate){
        .cost = from->cost,
        .in = from->in,
        .out = from->out,
        .saved_tx = from->saved_tx,
        .saved_rx = from->saved_rx,
        .bw_tx = from->bw_tx,
        .bw_rx = from->bw_rx,
        .at_tx = from->at_tx,
        .at_rx = from->at_rx,
        .threshold_tx = limited(from->threshold_tx, INT64_MAX),
        .threshold_rx = limited(from->threshold_rx, INT64_MAX),
        .saves = from->saves,
        .candidate = from->candidate,
    };
}

static const char *add_block(struct record_builder *b, const struct block_plan *plan)
{
    if (plan->first >= b->fn->insts.n || plan->last >= b->fn->insts.n)
        return fault(b, "a block has an instruction that the function does not have", plan->first);
    struct table_block block = {
        .id = b->kernel->blocks.n,
        .kind = plan->kind,
        .begin_line = line_of(b, plan->first),
        .end_line = line_of(b, plan->last),
        .loads = (uint32_t)limited(plan->loads, INT32_MAX),
        .stores = (uint32_t)limited(plan->stores, INT32_MAX),
        .estimate = tables_estimate(&plan->estimate),
        .has_condition = plan->estimate.conditional && plan->trip_text,
        .condition = plan->trip_text,
        .threshold = limited(plan->estimate.threshold, INT64_MAX),
        .trips = plan->trip == TRIP_CONSTANT ? limited(plan->trips, INT64_MAX) : 0,
        .passed_over = plan->estimate.candidate && !plan->chosen,
        .measured = plan->measured,
    };
    vec_fix(b->arena, &block.alternatives, 1);
    vec_push(b->arena, &block.alternatives, tables_estimate(&plan->other));
    place_block(b, plan, &block);
    if (block.begin_index == UINT32_MAX)
        return fault(b, "a block has no instructions in the output", plan->first);
    vec_fix(b->arena, &block.live_in, plan->live_in.n);
    for (uint32_t i = 0; i < plan->live_in.n; i++)
        vec_push(b->arena, &block.live_in, live_name(b, &plan->live_in.v[i]));
    vec_fix(b->arena, &block.live_out, plan->live_out.n);
    for (uint32_t i = 0; i < plan->live_out.n; i++)
        vec_push(b->arena, &block.live_out, live_name(b, &plan->live_out.v[i]));
    vec_push(b->arena, &b->kernel->blocks, block);
    return NULL;
}

static const char *add_rejection(struct record_builder *b, const struct rejection *rejection)
{
    if (rejection->inst >= b->fn->insts.n)
        return fault(b, "a rejection has no place", rejection->inst);
    struct source_position place = ir_position(b->module, b->fn, rejection->inst);
    struct table_rejection to = {
        .line = place.line,
        .column = place.column,
        .kind = rejection->kind,
        .rule = rejection->rule,
        .because_line = rejection->because < b->fn->insts.n ? line_of(b, rejection->because) : 0,
        .text = rejection->text ? rejection->text : plan_rules[rejection->rule].text,
    };
    vec_push(b->arena, &b->kernel->rejected, to);
    return NULL;
}

static void add_map(struct record_builder *b, const struct map_plan *plan)
{
    struct table_map map = {.form = plan->form,
                            .tokens = plan->tokens,
                            .cycles = plan->cycles,
                            .limit = plan->limit,
                            .copies = plan->copies,
                            .cores = plan->cores,
                            .lsus = plan->lsus,
                            .lanes = plan->lanes,
                            .conditions = plan->conditions,
                            .text = plan->text};
    vec_push(b->arena, &b->kernel->maps, map);
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_rejections(const void *a, const void *b)
{
    const struct rejection *x = *(const struct rejection *const *)a;
    const struct rejection *y = *(const struct rejection *const *)b;
    int by = compare_u32(x->function, y->function);
    by = by ? by : compare_u32(x->inst, y->inst);
    return by ? by : (x > y) - (x < y);
}

static void sort_rejections(struct record_builder *b)
{
    uint32_t count = b->plan->rejections.n;
    b->rejections = ARENA_ARRAY(&b->own, const struct rejection *, count);
    for (uint32_t i = 0; i < count; i++)
        b->rejections[i] = &b->plan->rejections.v[i];
    if (count)
        qsort(b->rejections, count, sizeof *b->rejections, compare_rejections);
}

static void place_shared(const struct record_builder *b, uint32_t function)
{
    struct shared_memory shared = shared_memory_of(b->shared, function);
    const struct capability *capability = capability_of(&b->tables->options);
    b->kernel->shared_bytes = (uint32_t)limited(shared.bytes, INT32_MAX);
    b->kernel->service_queue_at_core = shared_leaves_queue(capability, &shared);
}

// Makes room for exactly the function's entries in the plan, because a module can have many
// kernels.
static void make_room(const struct record_builder *b, uint32_t function,
                      struct table_kernel *kernel)
{
    const struct plan *plan = b->plan;
    uint32_t chain = b->chain, block = b->block, rejection = b->rejection;
    while (chain < plan->chains.n && plan->chains.v[chain].function == function)
        chain++;
    while (block < plan->blocks.n && plan->blocks.v[block].function == function)
        block++;
    while (rejection < plan->rejections.n && b->rejections[rejection]->function == function)
        rejection++;
    vec_fix(b->arena, &kernel->chains, chain - b->chain);
    vec_fix(b->arena, &kernel->blocks, block - b->block);
    vec_fix(b->arena, &kernel->rejected, rejection - b->rejection);
}

// Returns the number of loads that may access global memory: without those whose address is known
// to be in another space.
static uint32_t count_loads(const struct record_builder *b)
{
    uint32_t count = b->body->loads;
    for (uint32_t i = 0; i < b->fn->insts.n && count; i++) {
        const struct ir_inst *at = &b->fn->insts.v[i];
        count -= at->class == CLASS_LOAD && at->space == W_UNKNOWN &&
                 !(spaces_of(b->spaces, b->fn, i) & SPACE_GLOBAL);
    }
    return count;
}

static const char *add_kernel(struct record_builder *b, uint32_t function)
{
    struct table_kernel kernel = {.name = name_text(b, b->fn->name),
                                  .instructions = b->body->insts.n,
                                  .loads = count_loads(b)};
    const struct plan *plan = b->plan;
    const char *wrong = NULL;
    b->kernel = &kernel;
    b->ranges = ARENA_ARRAY(&b->scratch, struct record_range, b->fn->insts.n);
    make_room(b, function, &kernel);
    place_shared(b, function);
    for (; b->chain < plan->chains.n && plan->chains.v[b->chain].function == function && !wrong;
         b->chain++)
        wrong = add_chain(b, &plan->chains.v[b->chain]);
    for (; b->block < plan->blocks.n && plan->blocks.v[b->block].function == function && !wrong;
         b->block++)
        wrong = add_block(b, &plan->blocks.v[b->block]);
    for (; b->map < plan->maps.n && plan->maps.v[b->map].function == function; b->map++)
        add_map(b, &plan->maps.v[b->map]);
    for (; b->rejection < plan->rejections.n && b->rejections[b->rejection]->function == function &&
           !wrong;
         b->rejection++)
        wrong = add_rejection(b, b->rejections[b->rejection]);
    if (b->fn->is_entry || kernel.chains.n || kernel.blocks.n || kernel.rejected.n)
        vec_push(b->arena, &b->tables->kernels, kernel);
    arena_reset(&b->scratch);
    return wrong;
}

// Returns the function's body in the output, or NULL if it has none.
static const struct body *output_body(const struct record_builder *b, const struct ir_function *fn)
{
    const struct tree *tree = b->module->tree;
    NODE_EACH (scope, tree, fn->node)
        if (tree->nodes.v[scope].kind == NODE_SCOPE)
            return bodies_at(b->bodies, writer_offset(b->written, tree->nodes.v[scope].begin) + 1);
    return NULL;
}

const char *tables_build(struct tables *tables, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct written *written,
                         const struct bodies *bodies)
{
    struct record_builder b = {
        .tables = tables,
        .arena = arena,
        .module = module,
        .plan = plan,
        .written = written,
        .bodies = bodies,
    };
    const char *wrong = NULL;
    arena_init(&b.own, arena->memory);
    arena_init(&b.scratch, arena->memory);
    b.shared = shared_search_new(&b.own, module);
    b.spaces = spaces_new(&b.own, module);
    b.names = ARENA_ARRAY(&b.own, const char *, module->tree->names.names.n);
    sort_rejections(&b);
    for (uint32_t function = 0; function < module->functions.n && !wrong; function++) {
        b.fn = &module->functions.v[function];
        b.body = output_body(&b, b.fn);
        if (b.body)
            wrong = add_kernel(&b, function);
    }
    bool done =
        b.chain == plan->chains.n && b.block == plan->blocks.n && b.rejection == plan->rejections.n;
    arena_free(&b.scratch);
    arena_free(&b.own);
    if (!wrong && !done)
        wrong = "the plan is not in order, or names functions without a body";
    return wrong ? wrong : tables_check(arena, tables);
}
