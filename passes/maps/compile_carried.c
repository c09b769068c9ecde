// Values that pass from one iteration to the next, and those of the last iteration.
#include "passes/maps/compile_internal.h"
#include <string.h>

// Returns the argument of a phi of the loop's header: the one from the end of the loop, or from
// before it.
static uint32_t header_arg(const struct map_compiler *c, uint32_t phi, bool from_loop)
{
    const struct ir_phi *at = &c->fn->phis.v[phi];
    const uint32_t *preds = ir_preds(c->fn, at->block);
    for (uint32_t i = 0; i < c->fn->blocks.v[at->block].pred_count; i++)
        if (map_in_loop(c, preds[i]) == from_loop)
            return c->fn->phi_args.v[at->args + i];
    return IR_NONE;
}

static uint32_t find(struct map_compiler *c, uint32_t phi)
{
    for (uint32_t i = 0; i < c->carried.n; i++)
        if (c->carried.v[i].phi == phi && c->carried.v[i].row == c->row)
            return i;
    struct map_carried made = {.phi = phi, .row = c->row, .next = header_arg(c, phi, true)};
    vec_push(c->arena, &c->carried, made);
    return c->carried.n - 1;
}

// First tokens

static bool first_sum(struct map_compiler *c, uint32_t version, bool is_float, const char *plus,
                      struct graph_operand *to)
{
    struct map_sum sum;
    struct affine a = affine_of_version(c->affines, version);
    if (is_float || !map_sum_of(c, &a, &sum) || sum.factor[DIM_K])
        return false;
    to->first = graph_text(c, "\"%s%s\"", map_sum_first(c, &sum), plus);
    to->step = graph_quoted(c, sum.factor[DIM_X] ? sum.factor[DIM_X] : "0");
    return true;
}

// Sets the initial tokens of a value, with `add` added to each unless it is NULL. Returns false
// after a refusal.
static bool first_tokens(struct map_compiler *c, uint32_t version, bool is_float, uint32_t reader,
                         const char *add, struct graph_operand *to)
{
    const char *plus = add ? arena_printf(c->arena, " + %s", add) : "";
    uint32_t origin = map_origin(c, version), immediate = map_immediate_of(c, version);
    uint32_t param = map_float_param(c, origin);
    const struct ir_version *at = &c->fn->versions.v[origin];
    to->count = c->tile;
    if (immediate != IR_NONE) {
        const char *number = map_immediate(c, immediate, reader, is_float);
        to->first = graph_text(c, "\"%s%s\"", number ? number : "0", plus);
        return number;
    }
    if (is_float && param != IR_NONE) {
        to->first = graph_text(c, "p%u", param);
        return true;
    }
    uint32_t access = at->kind == VERSION_INST ? map_access_to(c, origin) : c->accesses.n;
    if (access < c->accesses.n && map_load_first(c, access, to)) {
        to->add = add ? graph_quoted(c, add) : 0;
        return true;
    }
    bool is_word = c->fn->registers.v[c->fn->versions.v[origin].reg].bits == 32;
    return (is_word && first_sum(c, origin, is_float, plus, to)) ||
           map_refuse(
               c, RULE_MAP_INPUTS, at->kind == VERSION_INST ? at->index : reader,
               "the value before the first iteration is computed, but a FIFO starts with words of "
               "memory or of the launch");
}

uint32_t map_carried_phi(const struct map_compiler *c, uint32_t version)
{
    const struct ir_version *at = &c->fn->versions.v[version];
    bool is_header = c->loop != IR_NONE && at->kind == VERSION_PHI &&
                     c->fn->phis.v[at->index].block == c->fn->loops.v[c->loop].header;
    return is_header ? at->index : IR_NONE;
}

uint32_t map_carried_value(struct map_compiler *c, uint32_t phi, uint32_t reader, bool as_float)
{
    uint32_t first = header_arg(c, phi, false), carried = find(c, phi);
    struct graph_operand to = {.from = GRAPH_CARRIED + carried};
    if (!first_tokens(c, first, as_float, reader, NULL, &to) ||
        c->carried.v[carried].next == IR_NONE)
        return 0;
    return graph_operand_add(c, &to);
}

bool map_carried_initial(struct map_compiler *c, uint32_t phi, uint32_t reader, const char *add,
                         struct graph_operand *to)
{
    return first_tokens(c, header_arg(c, phi, false), false, reader, add, to);
}

uint32_t map_carried_next(const struct map_compiler *c, uint32_t phi)
{
    return header_arg(c, phi, true);
}

// Returns true if the next iteration's value does not depend on this iteration's.
static bool is_delay(const struct map_compiler *c, uint32_t next)
{
    const struct ir_version *at = &c->fn->versions.v[map_origin(c, next)];
    return at->kind == VERSION_INST && c->fn->insts.v[at->index].class == CLASS_LOAD;
}

bool map_carried_nodes(struct map_compiler *c)
{
    uint32_t reader = c->fn->blocks.v[c->fn->loops.v[c->loop].header].first;
    c->domain = MAP_BODY;
    for (uint32_t i = 0; i < c->carried.n; i++) { // the list grows
        const struct map_carried carried = c->carried.v[i];
        if (carried.node)
            continue;
        uint32_t value = map_value(c, carried.next, reader, false);
        if (value && graph_is_constant(c, value))
            return map_refuse(c, RULE_MAP_INPUTS, IR_NONE,
                              "a value of the next iteration is the same in all of them");
        bool passes = c->passes && is_delay(c, carried.next);
        c->has_passed |= passes;
        if (value && (graph_operand_at(c, value)->count || passes))
            value = graph_core(c, "mov.b32", value, 0, 0);
        c->carried.v[i].node = value;
        if (!value)
            return false;
    }
    return true;
}

// The last iteration

// Returns true if a value is computed from the result of an instruction, or from the value of a phi
// of the loop's header, in the same iteration.
static bool reads(const struct map_compiler *c, uint32_t version, uint32_t inst, uint32_t phi,
                  bool *seen)
{
    if (version == IR_NONE || seen[version])
        return false;
    const struct ir_version *at = &c->fn->versions.v[version];
    seen[version] = true;
    if (phi != IR_NONE && !map_in_loop(c, ir_version_block(c->fn, version)))
        return false;
    if (at->kind == VERSION_INST)
        return map_inst_reads(c, at->index, inst, phi, seen);
    if (at->kind != VERSION_PHI || map_carried_phi(c, version) != IR_NONE)
        return at->kind == VERSION_PHI && at->index == phi;
    const struct ir_phi *choice = &c->fn->phis.v[at->index];
    for (uint32_t i = 0; i < c->fn->blocks.v[choice->block].pred_count; i++)
        if (reads(c, c->fn->phi_args.v[choice->args + i], inst, phi, seen))
            return true;
    return false;
}

bool map_inst_reads(const struct map_compiler *c, uint32_t reader, uint32_t inst, uint32_t phi,
                    bool *seen)
{
    const struct ir_inst *at = &c->fn->insts.v[reader];
    bool found = reader == inst;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count && !found; i++)
        found = c->fn->operands.v[i].role != ROLE_DEF &&
                reads(c, c->fn->operand_version.v[i], inst, phi, seen);
    return found;
}

static bool reads_phi(const struct map_compiler *c, uint32_t version, uint32_t phi)
{
    return reads(c, version, IR_NONE, phi, ARENA_ARRAY(c->arena, bool, c->fn->versions.n + 1));
}

bool map_carried_recurs(struct map_compiler *c, uint32_t phi)
{
    return reads_phi(c, header_arg(c, phi, true), phi);
}

uint32_t map_carried_last(struct map_compiler *c, uint32_t version)
{
    uint32_t origin = map_origin(c, version);
    for (uint32_t i = 0; i < c->fn->phis.n; i++) {
        const struct ir_phi *phi = &c->fn->phis.v[i];
        if (map_carried_phi(c, phi->version) != IR_NONE && !map_is_stream(c, phi->version) &&
            map_origin(c, header_arg(c, i, true)) == origin && reads_phi(c, origin, i))
            return find(c, i);
    }
    return IR_NONE;
}

uint32_t map_final_value(struct map_compiler *c, uint32_t version, uint32_t reader)
{
    c->domain = MAP_BODY;
    uint32_t value = map_value(c, version, reader, false), last = 0;
    if (value && !graph_is_constant(c, value)) {
        struct graph_node number = {.op = graph_text(c, "increment"), .count = c->count};
        struct graph_node is_last = {.op = graph_text(c, "setp.ge.u32"),
                                     .in = {graph_node_add(c, &number)},
                                     .imm = graph_text(c, "count - %u", c->tile)};
        last = graph_node_add(c, &is_last);
    }
    c->domain = MAP_OUTER;
    if (!last)
        return value;
    struct graph_node node = {.op = graph_text(c, "mov.b32"), .in = {value}, .predicate = last};
    return graph_node_add(c, &node);
}
