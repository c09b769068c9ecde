// Builds the table of blocks. The metadata name instructions by their number in the function's
// text, which is that of the IR. A block is accepted if the program agrees with it: its only entry
// is its first instruction; all exits lead to the instruction after its last one [002 §3.1.4]; it
// accesses global memory at addresses that are registers or known, and no shared memory.
#include "passes/analysis/memory/spaces.h"
#include "passes/blocks/select.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/schemes/kernels.h"
#include "runtime-sim/schemes/tom/block_table.h"
#include "runtime-sim/schemes/tom/rehearse.h"
#include "runtime-sim/schemes/tom/static_map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 16, PC_AND_MASK_BYTES = 12, TOM_KERNEL_NUMBERS = 1000 };

struct block_builder {
    struct tom_table *to;
    struct arena *arena;
    const struct program *program;
    const struct tom_config *config;
    const struct ir_function *fn;
    struct spaces *spaces;
    struct reg_slots slots;
    const char *name;      // name of the function
    uint32_t first_number; // number of its first block
    VEC(struct tom_block) found;
    bool *refused;           // by id: chosen by the tagger, but not accepted
    struct tom_block *block; // block that is being read
};

// Registers

// Adds a register to the block's list if it is not in it. Returns its index.
static uint32_t add_register(struct block_builder *b, uint32_t reg)
{
    struct warp_register it = {b->slots.offset[reg],
                               lanes_bytes(reg_slots_width(&b->fn->registers.v[reg]))};
    for (uint32_t i = 0; i < b->block->registers.n; i++)
        if (b->block->registers.v[i].offset == it.offset)
            return i;
    vec_push(b->arena, &b->block->registers, it);
    return b->block->registers.n - 1;
}

static void add_registers(struct block_builder *b)
{
    for (uint32_t i = b->block->begin; i <= b->block->end; i++) {
        const struct ir_inst *at = &b->fn->insts.v[i];
        for (uint32_t k = 0; k < at->operand_count; k++) {
            const struct ir_operand *operand = &b->fn->operands.v[at->operands + k];
            if (operand->kind == OPERAND_REGISTER)
                add_register(b, operand->index);
        }
    }
}

// Returns the register with this name in the metadata, or IR_NONE if no or several registers have
// it.
static uint32_t find_register(const struct block_builder *b, const char *text, size_t length)
{
    return ir_find_register(b->program->module, b->fn, text, length);
}

// Returns the bytes of a warp's live value. A predicate has one bit per lane. Names of no register
// are those of special registers.
static uint32_t bytes_of(const struct block_builder *b, const char *name)
{
    uint32_t reg = find_register(b, name, strlen(name));
    uint32_t bits = reg == IR_NONE ? 32 : b->fn->registers.v[reg].bits;
    return bits == 1 ? 4 : LANES * (bits > 32 ? bits / 8 : 4);
}

static bool add_outs(struct block_builder *b, const struct table_block *from)
{
    for (uint32_t i = 0; i < from->live_out.n; i++) {
        const char *name = from->live_out.v[i];
        uint32_t reg = find_register(b, name, strlen(name));
        if (reg == IR_NONE || b->slots.offset[reg] == IR_NONE)
            return false;
        uint32_t place = add_register(b, reg);
        vec_push(b->arena, &b->block->out, b->block->registers.v[place]);
        b->block->out_values += b->block->registers.v[place].bytes;
        b->block->bytes_out += bytes_of(b, name);
    }
    return true;
}

// Live-ins

// Returns true for special registers that differ between the lanes of a warp.
static bool varies(const char *special)
{
    static const char *const names[] = {"%tid", "%laneid", "%lanemask"};
    for (uint32_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (!strncmp(special, names[i], strlen(names[i])))
            return true;
    return false;
}

static bool is_special(const char *name)
{
    size_t length = strcspn(name, ".");
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        if (strlen(isa_specials[i].text) == length && !memcmp(isa_specials[i].text, name, length))
            return true;
    return !strcmp(name, "CC.CF");
}

// Returns false if a name is that of no register, or of several registers.
static bool add_ins(struct block_builder *b, const struct table_block *from)
{
    for (uint32_t i = 0; i < from->live_in.n; i++) {
        const char *name = from->live_in.v[i];
        uint32_t reg = find_register(b, name, strlen(name));
        if (reg == IR_NONE && !is_special(name))
            return false;
        bool special = reg == IR_NONE || b->slots.offset[reg] == IR_NONE;
        struct tom_live_in in = {.place = special ? UINT32_MAX : add_register(b, reg),
                                 .varies = special && varies(name),
                                 .bytes = bytes_of(b, name)};
        vec_push(b->arena, &b->block->in, in);
        b->block->bytes_in += in.bytes;
    }
    return true;
}

// Returns the offset of a kernel parameter in the parameter space, or UINT32_MAX.
static uint32_t parameter_offset(const struct block_builder *b, uint32_t symbol)
{
    const struct program_function *at = &b->program->functions.v[b->block->function];
    for (uint32_t i = 0; i < at->param_count; i++)
        if (b->program->parameters.v[at->params + i].symbol == symbol)
            return b->program->parameters.v[at->params + i].offset;
    return UINT32_MAX;
}

// Counts the bytes of the parameter words that the block reads, each word once.
static void add_parameters(struct block_builder *b)
{
    struct tom_block *block = b->block;
    enum { WORDS = 64 * 64 };
    uint64_t seen[WORDS / 64] = {0}; // words of 4 bytes
    for (uint32_t i = block->begin; i <= block->end; i++) {
        const struct ir_inst *at = &b->fn->insts.v[i];
        uint32_t number = at->class == CLASS_LOAD && at->space == W_param
                              ? ir_find_operand(b->fn, i, ROLE_ADDRESS, 0)
                              : IR_NONE;
        if (number == IR_NONE || b->fn->operands.v[number].kind != OPERAND_SYMBOL)
            continue;
        const struct ir_operand *operand = &b->fn->operands.v[number];
        uint32_t from = parameter_offset(b, operand->index);
        uint32_t bytes = ir_type_bits(at->type) / 8U * (at->vector ? at->vector : 1U);
        if (from == UINT32_MAX || !bytes)
            continue;
        from += (uint32_t)operand->value;
        for (uint32_t word = from / 4; word <= (from + bytes - 1) / 4 && word < WORDS; word++) {
            block->parameter_bytes += seen[word / 64] >> word % 64 & 1 ? 0 : 4;
            seen[word / 64] |= UINT64_C(1) << word % 64;
        }
    }
    if (b->config->parameters == TOM_SENT)
        block->bytes_in += block->parameter_bytes;
}

// Conditions

// Finds the parameter of a text [name+offset].
static bool find_parameter(const struct block_builder *b, const char *text, size_t length,
                           struct condition_op *to)
{
    const struct program_function *at = &b->program->functions.v[b->block->function];
    size_t name_end = strcspn(text, "+]");
    uint32_t from = text[name_end] == '+' ? (uint32_t)strtoul(text + name_end + 1, NULL, 10) : 0;
    (void)length;
    for (uint32_t i = 0; i < at->param_count; i++) {
        const struct program_parameter *p = &b->program->parameters.v[at->params + i];
        const struct name *name = p->symbol == IR_NONE
                                      ? NULL
                                      : tree_name(b->program->module->tree,
                                                  b->program->module->symbols.v[p->symbol].name);
        if (!name || name->length != name_end - 1 || memcmp(name->text, text + 1, name->length))
            continue;
        uint32_t bytes = p->bytes - from > 4 && p->bytes - from < 8 ? 4 : p->bytes - from;
        *to = (struct condition_op){.kind = CONDITION_PARAMETER,
                                    .place = p->offset + from,
                                    .bits = 8 * (bytes > 8 ? 8 : bytes)};
        return from < p->bytes;
    }
    return false;
}

static bool find_name(void *context, const char *text, size_t length, struct condition_op *to)
{
    struct block_builder *b = context;
    if (*text == '[')
        return find_parameter(b, text, length, to);
    uint32_t reg = find_register(b, text, length);
    if (reg == IR_NONE || b->slots.offset[reg] == IR_NONE)
        return false;
    *to = (struct condition_op){.kind = CONDITION_REGISTER,
                                .place = add_register(b, reg),
                                .bits = b->fn->registers.v[reg].bits};
    return true;
}

// Returns the estimate of the cost model that decides, or NULL if the metadata lack it.
static const struct table_estimate *estimate_of(const struct block_builder *b,
                                                const struct table_block *from)
{
    if (from->estimate.cost == b->to->cost)
        return &from->estimate;
    for (uint32_t i = 0; i < from->alternatives.n; i++)
        if (from->alternatives.v[i].cost == b->to->cost)
            return &from->alternatives.v[i];
    return NULL;
}

static const char *add_condition(struct block_builder *b, const struct table_block *from,
                                 const struct table_estimate *estimate)
{
    struct tom_block *block = b->block;
    double in = estimate->in + estimate->out, saved = estimate->saved_tx + estimate->saved_rx;
    block->saves = estimate->saves;
    block->saving = -(estimate->at_tx + estimate->at_rx);
    block->words = fmax(estimate->saved_tx, estimate->saved_rx);
    block->has_condition = from->has_condition;
    block->threshold_tx = estimate->threshold_tx;
    block->threshold_rx = estimate->threshold_rx;
    if (!from->has_condition)
        return estimate->bw_tx + estimate->bw_rx < 0
                   ? NULL
                   : "its cost depends on the number of iterations, for which there is no "
                     "condition";
    block->threshold = from->estimate.cost == estimate->cost ? from->threshold
                       : saved > 0                           ? (uint64_t)floor(in / saved) + 1
                                                             : 1;
    return condition_compile(&block->condition, b->arena, from->condition, find_name, b)
               ? NULL
               : "its condition needs values that the controller does not have";
}

// Shape

static bool is_inside(const struct tom_block *block, uint32_t inst)
{
    return inst >= block->begin && inst <= block->end;
}

static bool leaves_well(const struct block_builder *b, const struct ir_block *at)
{
    const struct tom_block *block = b->block;
    if (at->end - 1 > block->end) // continues after the last instruction
        return true;
    if (!at->succ_count) // ends the kernel
        return false;
    for (uint32_t i = 0; i < at->succ_count; i++) {
        uint32_t to = b->fn->blocks.v[b->fn->edges.v[at->succ + i]].first;
        if (!is_inside(block, to) && to != block->end + 1)
            return false;
    }
    return true;
}

static bool enters_well(const struct block_builder *b, const struct ir_block *at)
{
    for (uint32_t i = 0; at->first > b->block->begin && i < at->pred_count; i++) {
        const struct ir_block *from = &b->fn->blocks.v[b->fn->edges.v[at->pred + i]];
        if (from->first == from->end || !is_inside(b->block, from->end - 1))
            return false;
    }
    return true;
}

static const char *check_shape(const struct block_builder *b)
{
    const struct tom_block *block = b->block;
    if (block->end + 1 >= b->fn->insts.n)
        return "no instruction follows it";
    for (uint32_t i = 0; i < b->fn->blocks.n; i++) {
        const struct ir_block *at = &b->fn->blocks.v[i];
        if (at->first == at->end || at->end - 1 < block->begin || at->first > block->end)
            continue;
        if (!leaves_well(b, at))
            return "an exit does not lead to the instruction after its last one";
        if (!enters_well(b, at))
            return "an entry does not lead to its first instruction";
    }
    return NULL;
}

// The first access

static bool is_access(const struct ir_inst *at)
{
    return (at->class == CLASS_LOAD || at->class == CLASS_STORE) &&
           (at->space == W_global || at->space == W_UNKNOWN);
}

static bool add_access(struct block_builder *b, uint32_t inst)
{
    uint32_t number = ir_find_operand(b->fn, inst, ROLE_ADDRESS, 0);
    const struct ir_operand *operand = number == IR_NONE ? NULL : &b->fn->operands.v[number];
    struct tom_access access = {.inst = inst, .base = UINT32_MAX};
    if (!operand || (operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_SYMBOL))
        return false;
    access.offset = operand->value;
    if (operand->kind == OPERAND_REGISTER)
        access.base = add_register(b, operand->index);
    else
        access.offset += (int64_t)b->program->address_of.v[operand->index];
    vec_push(b->arena, &b->block->at, access);
    return true;
}

static const char *find_accesses(struct block_builder *b)
{
    struct tom_block *block = b->block;
    for (uint32_t i = block->begin; i <= block->end; i++) {
        const struct ir_inst *at = &b->fn->insts.v[i];
        bool access = at->class == CLASS_LOAD || at->class == CLASS_STORE;
        if (access && spaces_of(b->spaces, b->fn, i) & SPACE_SHARED)
            return "an access may go to shared memory";
        if (is_access(at) && !add_access(b, i))
            return "the address of an access is not known";
    }
    return block->at.n ? NULL : "it has no access to global memory";
}

// Blocks

static void count_instructions(const struct block_builder *b)
{
    struct tom_block *block = b->block;
    for (uint32_t i = block->begin; i <= block->end; i++)
        block->accesses += is_access(&b->fn->insts.v[i]);
    block->instructions = block->end - block->begin + 1;
}

static bool is_listed(const struct config_list *list, uint32_t number)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == number)
            return true;
    return false;
}

static void place_block(const struct block_builder *b)
{
    struct tom_block *block = b->block;
    block->placed = is_listed(&b->config->at_core, block->number)    ? TOM_AT_CORE
                    : is_listed(&b->config->at_stack, block->number) ? TOM_AT_STACK
                                                                     : TOM_ANYWHERE;
}

static void sum_registers(struct tom_block *block)
{
    for (uint32_t i = 0; i < block->registers.n; i++)
        block->values += block->registers.v[i].bytes;
}

// Reads a block. Returns the reason for which the hardware does not get it, or NULL.
static const char *make_block(struct block_builder *b, const struct table_block *from,
                              const struct table_estimate *estimate)
{
    struct tom_block *block = b->block;
    block->begin = from->begin_index;
    block->loops = from->kind == BLOCK_LOOP;
    block->end = from->end_index;
    add_registers(b);
    count_instructions(b);
    place_block(b);
    const char *why = check_shape(b);
    if (!why)
        why = find_accesses(b);
    if (!why)
        why = add_condition(b, from, estimate);
    if (!why && !add_outs(b, from))
        why = "it has a live-out that is not a register";
    if (!add_ins(b, from) && !why)
        why = "it has a live-in that is neither a register nor a special register";
    add_parameters(b);
    block->bytes_in += HEADER_BYTES + PC_AND_MASK_BYTES;
    block->bytes_out += HEADER_BYTES;
    sum_registers(block);
    block->lane_registers = block_registers(b->arena, b->fn, block);
    return why;
}

static void leave_out(struct block_builder *b, const struct tom_block *block, const char *why)
{
    b->to->left_out++;
    vec_push(b->arena, &b->to->reasons,
             arena_printf(b->arena, "block %u of '%s': %s", block->id, b->name, why));
}

// The selection. The tagger has decided; a refused block is replaced by the best set of candidates
// within it. With another cost model than the tagger's, the best set of all candidates is chosen.

static int by_saving(const void *a, const void *b)
{
    const struct tom_block *x = a, *y = b;
    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return x->id < y->id ? -1 : 1;
}

static bool contains(const struct table_block *outer, const struct table_block *inner)
{
    return outer->begin_index <= inner->begin_index && outer->end_index >= inner->end_index;
}

// Returns true if the tagger has decided about the block: it has chosen the block, or another one
// that overlaps it and that the hardware accepts.
static bool is_decided(const struct block_builder *b, const struct table_kernel *kernel,
                       const struct table_block *block)
{
    if (!b->to->tagged || table_block_chosen(block))
        return b->to->tagged;
    bool replaces = false;
    for (uint32_t i = 0; i < kernel->blocks.n; i++) {
        const struct table_block *other = &kernel->blocks.v[i];
        if (!table_block_chosen(other) || (!contains(other, block) && !contains(block, other)))
            continue;
        if (!b->refused[i] || contains(block, other))
            return true;
        replaces = true;
    }
    return !replaces;
}

// Removes the blocks that are not chosen.
static void select_blocks(struct block_builder *b, const struct table_kernel *kernel)
{
    struct block_span *spans = ARENA_ARRAY(b->arena, struct block_span, b->found.n + 1);
    uint32_t *of = ARENA_ARRAY(b->arena, uint32_t, b->found.n + 1), open = 0, kept = 0;
    bool *keeps = ARENA_ARRAY(b->arena, bool, b->found.n + 1);
    for (uint32_t i = 0; i < b->found.n; i++) {
        const struct tom_block *block = &b->found.v[i];
        const struct table_block *from = &kernel->blocks.v[block->id];
        keeps[i] = b->to->tagged && table_block_chosen(from);
        if (is_decided(b, kernel, from))
            continue;
        of[open] = i;
        spans[open++] = (struct block_span){.begin = block->begin,
                                            .end = block->end + 1,
                                            .weight = block->saving,
                                            .conditional = block->has_condition};
    }
    select_best(b->arena, spans, open);
    for (uint32_t i = 0; i < open; i++)
        keeps[of[i]] = spans[i].chosen;
    for (uint32_t i = 0; i < b->found.n; i++)
        if (keeps[i])
            b->found.v[kept++] = b->found.v[i];
    b->found.n = kept;
}

// Moves the blocks to the table, as long as it has entries: those that save most.
static void fill_table(struct block_builder *b)
{
    uint32_t entries = b->config->metadata_entries;
    if (b->found.n)
        qsort(b->found.v, b->found.n, sizeof *b->found.v, by_saving);
    for (uint32_t i = 0; i < b->found.n && i < entries; i++)
        vec_push(b->arena, &b->to->blocks, b->found.v[i]);
    for (uint32_t i = b->found.n; i-- > entries;) // in ascending order of savings
        leave_out(b, &b->found.v[i], "the metadata table is full");
}

static bool is_within(const struct tom_block *inner, const struct tom_block *outer)
{
    return inner->function == outer->function && inner->begin >= outer->begin &&
           inner->end <= outer->end &&
           (inner->begin != outer->begin || inner->end != outer->end || inner->id > outer->id);
}

// Connects the blocks of a function with those within them.
static void nest_blocks(struct tom_table *table, uint32_t first)
{
    for (uint32_t i = first; i < table->blocks.n; i++) {
        struct tom_block *block = &table->blocks.v[i];
        block->around = block->same = TOM_NONE;
        for (uint32_t k = first; k < table->blocks.n; k++) {
            const struct tom_block *other = &table->blocks.v[k];
            if (k != i && is_within(block, other) &&
                (block->around == TOM_NONE || is_within(other, &table->blocks.v[block->around])))
                block->around = k;
            if (k != i && is_within(other, block))
                block->alternates = true;
            if (k != i && is_within(other, block) && other->begin == block->begin &&
                (block->same == TOM_NONE || is_within(&table->blocks.v[block->same], other)))
                block->same = k;
        }
    }
}

uint32_t tom_block_to_ask(const struct tom_table *table, uint32_t number, uint32_t declined)
{
    for (; number != TOM_NONE; number = table->blocks.v[number].same) {
        uint32_t at = declined;
        while (at != TOM_NONE && at != number)
            at = table->blocks.v[at].around;
        if (at == TOM_NONE)
            return number;
    }
    return TOM_NONE;
}

uint32_t tom_block_declined(const struct tom_table *table, uint32_t declined, uint32_t function,
                            uint32_t inst)
{
    while (declined != TOM_NONE && (table->blocks.v[declined].function != function ||
                                    !is_inside(&table->blocks.v[declined], inst)))
        declined = table->blocks.v[declined].around;
    return declined;
}

// Reads a candidate of the metadata.
static void add_candidate(struct block_builder *b, const struct table_block *from,
                          uint32_t function)
{
    const struct table_estimate *estimate = estimate_of(b, from);
    if (!estimate || !estimate->candidate)
        return;
    struct tom_block block = {.function = function,
                              .id = from->id,
                              .number = b->first_number + from->id,
                              .kernel = b->name};
    b->block = &block;
    bool allowed = from->kind != BLOCK_REGION || b->config->candidates == TOM_REGIONS;
    const char *why = allowed ? make_block(b, from, estimate) : "tom.candidates allows no regions";
    b->refused[from->id] = why && table_block_chosen(from);
    if (!why)
        vec_push(b->arena, &b->found, block);
    else if (allowed)
        leave_out(b, &block, why);
}

static void add_function(struct block_builder *b, const struct table_kernel *kernel,
                         uint32_t function)
{
    uint32_t first = b->to->blocks.n;
    b->found.n = 0;
    b->refused = ARENA_ARRAY(b->arena, bool, kernel->blocks.n);
    reg_slots_assign(&b->slots, b->arena, b->fn);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        add_candidate(b, &kernel->blocks.v[i], function);
    select_blocks(b, kernel);
    fill_table(b);
    nest_blocks(b->to, first);
}

// Returns true if a cost model makes the block a candidate. Small tags contain only such blocks.
static bool is_candidate(const struct table_block *block)
{
    bool is = block->estimate.candidate;
    for (uint32_t i = 0; i < block->alternatives.n; i++)
        is |= block->alternatives.v[i].candidate;
    return is;
}

// Returns false, with faults in `diags`, if tom.at_core or tom.at_stack lists unknown blocks.
static bool check_numbers(const struct config_list *list, const char *key,
                          const struct tables *tables, struct diags *diags)
{
    bool good = true;
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t kernel = list->v[i] / TOM_KERNEL_NUMBERS, id = list->v[i] % TOM_KERNEL_NUMBERS;
        if (kernel < tables->kernels.n && id < tables->kernels.v[kernel].blocks.n &&
            is_candidate(&tables->kernels.v[kernel].blocks.v[id]))
            continue;
        diag_add(diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET,
                 "tom.%s has %u, but the metadata have no such candidate block", key, list->v[i]);
        good = false;
    }
    return good;
}

bool tom_table_build(struct tom_table *table, struct arena *arena, const struct tables *tables,
                     const struct program *program, const struct tom_config *config,
                     struct diags *diags)
{
    struct block_builder b = {.to = table,
                              .arena = arena,
                              .program = program,
                              .config = config,
                              .spaces = spaces_new(arena, program->module)};
    *table = (struct tom_table){.rehearsal = ARENA_NEW(arena, struct tom_rehearsal),
                                .cost = config->cost == TOM_COST_TOM       ? COST_TOM
                                        : config->cost == TOM_COST_REFINED ? COST_REFINED
                                                                           : tables->options.cost};
    table->tagged = table->cost == tables->options.cost;
    table->lane = config->condition;
    bool good = check_numbers(&config->at_core, "at_core", tables, diags);
    if (!check_numbers(&config->at_stack, "at_stack", tables, diags) || !good)
        return false;
    const struct scheme_kernels *kernels = scheme_kernels(arena, tables, program);
    for (uint32_t i = 0; i < kernels->list.n; i++) {
        const struct table_kernel *kernel = kernels->list.v[i].plan;
        if (!kernel->blocks.n)
            continue;
        b.name = kernel->name;
        b.first_number = i * TOM_KERNEL_NUMBERS;
        b.fn = kernels->list.v[i].fn;
        if (!b.fn || b.fn->incomplete || kernel->instructions != b.fn->insts.n) {
            diag_add(diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET,
                     "the blocks of '%s' are not those of this program", kernel->name);
            return false;
        }
        add_function(&b, kernel, kernels->list.v[i].function);
    }
    if (config->map == TOM_STATIC) {
        table->differences = ARENA_NEW(arena, struct static_map);
        static_map_build(table->differences, arena, program, table->blocks.v, table->blocks.n);
    }
    return true;
}
