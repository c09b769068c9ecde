// Sentences on why a load is in no chain.
#include "passes/chains/match.h"
#include "passes/analysis/reuse/reuse.h"
#include "support/number.h"
#include <stdarg.h>
#include <stdio.h>

void verdict_set(struct matcher *m, struct load *load, enum plan_rule rule, uint32_t because,
                 const char *format, ...)
{
    if (load->verdict.rule != RULE_COUNT)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    size_t length = format_text(text, sizeof text, format, args);
    va_end(args);
    if (length >= sizeof text)
        length = sizeof text - 1;
    load->verdict = (struct verdict){rule, because, arena_strndup(m->arena, text, length)};
}

// Maximum length of a quoted name.
enum { MAX_QUOTED = 64 };

static const char *quote(struct matcher *m, uint32_t begin, uint32_t end)
{
    int length = end - begin > MAX_QUOTED ? MAX_QUOTED : (int)(end - begin);
    return arena_printf(&m->scratch, "%.*s", length, m->module->tree->source->text + begin);
}

const char *verdict_inst(struct matcher *m, uint32_t inst)
{
    uint32_t begin, end;
    node_opcode_range(m->module->tree, m->fn->insts.v[inst].node, &begin, &end);
    return arena_printf(&m->scratch, "%s in line %u", quote(m, begin, end),
                        ir_position(m->module, m->fn, inst).line);
}

static const char *register_text(struct matcher *m, uint32_t reg)
{
    if (m->fn->registers.v[reg].name == IR_NONE)
        return "the carry";
    return arena_printf(&m->scratch, "%.*s", MAX_QUOTED,
                        ir_register_name(m->module, m->fn, reg, &m->scratch));
}

const char *verdict_value(struct matcher *m, uint32_t version)
{
    return register_text(m, m->fn->versions.v[version].reg);
}

const char *verdict_operand(struct matcher *m, uint32_t operand)
{
    const struct ir_operand *at = &m->fn->operands.v[operand];
    if (at->node == IR_NONE)
        return register_text(m, at->index);
    const struct node *node = &m->module->tree->nodes.v[at->node];
    return quote(m, node->begin, node->end);
}

static void check_class(struct matcher *m, struct load *load, uint32_t reader)
{
    const char *value = verdict_value(m, load->version), *what = verdict_inst(m, reader);
    switch (m->fn->insts.v[reader].class) {
    case CLASS_ATOMIC:
        verdict_set(m, load, RULE_ATOMIC, reader, "%s goes into the %s, which is atomic", value,
                    what);
        break;
    case CLASS_CALL:
        verdict_set(m, load, RULE_CALL, reader, "%s goes into the %s", value, what);
        break;
    case CLASS_OPAQUE:
        verdict_set(m, load, RULE_OPAQUE, reader, "%s is read by the %s, which is unknown", value,
                    what);
        break;
    case CLASS_MOVE:
        verdict_set(m, load, RULE_PATTERN, reader, "%s is copied by the %s", value, what);
        break;
    default:
        verdict_set(m, load, RULE_OPERATION, reader,
                    "%s is read by the %s, which the ALU near the data does not support", value,
                    what);
        break;
    }
}

void verdict_reader(struct matcher *m, struct load *load, uint32_t reader)
{
    const struct ir_function *fn = m->fn;
    uint32_t address = ir_find_operand(fn, reader, ROLE_ADDRESS, 0);
    if (address != IR_NONE && fn->operand_version.v[address] == load->version) {
        verdict_set(m, load, RULE_PATTERN, reader, "%s is the address of the %s",
                    verdict_value(m, load->version), verdict_inst(m, reader));
        return;
    }
    struct alu alu = alu_of(m->capability, m->module, fn, reader);
    if (alu.kind == ALU_NONE && alu.rule == RULE_TYPE)
        verdict_set(
            m, load, RULE_TYPE, reader,
            "the %s computes with %s, but with a type that the ALU near the data does not support",
            verdict_inst(m, reader), verdict_value(m, load->version));
    else
        check_class(m, load, reader);
}

void verdict_addend(struct matcher *m, struct load *load, uint32_t fused)
{
    verdict_set(m, load, RULE_REGISTER_OPERAND, fused,
                "the sum of the %s stays at the core, and %s with it", verdict_inst(m, fused),
                verdict_value(m, load->version));
}

void verdict_aside(struct matcher *m, struct load *load, const struct candidate *candidate)
{
    uint32_t last = candidate->inst[candidate->count - 1];
    bool read = false;
    for (uint32_t i = 0; i < candidate->count; i++)
        read |= candidate->inst[i] == load->reader;
    if (candidate->split)
        verdict_addend(m, load, last);
    else if (read)
        verdict_set(m, load, RULE_SCALAR, load->reader,
                    "%s is the same in all lanes of a warp, and the scalar of the chain of the %s",
                    verdict_value(m, load->version), verdict_inst(m, load->reader));
    else
        verdict_set(m, load, RULE_OVERLAP, last, "the chain of the %s saves more",
                    verdict_inst(m, last));
}

// Returns the rule's predicate on a load or store, or NULL.
static const char *access_predicate(struct matcher *m, uint32_t inst, enum plan_rule rule)
{
    const struct ir_inst *at = &m->fn->insts.v[inst];
    bool stores = at->class == CLASS_STORE;
#define BITS ir_type_bits(at->type) * at->vector
#define LOAD(...)                                                                                  \
    if (!stores)                                                                                   \
        return arena_printf(&m->scratch, __VA_ARGS__);
#define STORE(...)                                                                                 \
    if (stores)                                                                                    \
        return arena_printf(&m->scratch, __VA_ARGS__);
#define PLAN_RULE(name, id, text, sentences)                                                       \
    case RULE_##name: sentences break;
    switch (rule) {
#include "passes/base/rules.def"
    case RULE_COUNT: break;
    }
#undef BITS
    return NULL;
}

static const char *access_text(struct matcher *m, const char *subject, uint32_t inst,
                               enum plan_rule rule)
{
    const char *predicate = access_predicate(m, inst, rule);
    return predicate ? arena_printf(&m->scratch, "%s %s", subject, predicate)
                     : plan_rules[rule].text;
}

const char *verdict_access(struct matcher *m, uint32_t inst, enum plan_rule rule)
{
    return access_text(m, arena_printf(&m->scratch, "the %s", verdict_inst(m, inst)), inst, rule);
}

const char *verdict_it(struct matcher *m, uint32_t inst, enum plan_rule rule)
{
    return access_text(m, "it", inst, rule);
}

void verdict_store(struct matcher *m, struct load *load, uint32_t store, enum plan_rule rule)
{
    verdict_set(m, load, rule, store, "the %s should end the chain, but %s", verdict_inst(m, store),
                verdict_it(m, store, rule));
}

static void check_apart(struct matcher *m, struct load *load, const struct candidate *candidate)
{
    uint32_t first = candidate->inst[0], last = candidate->inst[candidate->count - 1];
    verdict_set(m, load, RULE_ORDER, IR_NONE,
                "the %s and the %s are too far apart, or a directive or brace is between them",
                verdict_inst(m, first), verdict_inst(m, last));
}

// A chain with a divided instruction costs extra even if it is not offloaded, so it must not lose.
const double *verdict_min_saving(const struct matcher *m, const struct candidate *candidate)
{
    static const double nothing = 0;
    const double *min = m->options->min_saving;
    bool asks = m->options->fma == FMA_SAVING && candidate->split;
    return asks && (!min || *min < 0) ? &nothing : min;
}

// Returns a clause with both numbers in full: rounded, they might look the same.
static const char *gain_text(struct matcher *m, const struct candidate *candidate)
{
    char saved[NUMBER_TEXT], asked[NUMBER_TEXT];
    struct saving saving =
        saving_of(m->facts, m->capability, candidate->pattern, candidate->inst, candidate->count);
    number_shortest(saved, saving.expected);
    const double *min = verdict_min_saving(m, candidate);
    number_shortest(asked, *min);
    return arena_printf(
        &m->scratch, "has an expected saving of %s flits per warp and hop, less than %s%s", saved,
        min == m->options->min_saving ? "--min-saving=" : "--fma=saving requires ", asked);
}

void verdict_obstacle(struct matcher *m, struct load *load, const struct obstacle *why,
                      const struct candidate *candidate)
{
    uint32_t because = why->inst == load->inst ? why->member : why->inst;
    if (why->inst == IR_NONE) {
        check_apart(m, load, candidate);
        return;
    }
#define INST verdict_inst(m, why->inst)
#define MEMBER (why->member == IR_NONE ? "" : verdict_inst(m, why->member))
#define LAST verdict_inst(m, candidate->inst[candidate->count - 1])
#define VALUE verdict_value(m, load->version)
#define GAIN gain_text(m, candidate)
#define BETWEEN(...) verdict_set(m, load, why->rule, because, __VA_ARGS__);
#define PLAN_RULE(name, id, text, sentences)                                                       \
    case RULE_##name: sentences break;
    switch (why->rule) {
#include "passes/base/rules.def"
    case RULE_COUNT: break;
    }
#undef INST
#undef MEMBER
#undef LAST
#undef VALUE
#undef GAIN
    verdict_set(m, load, why->rule, because, "%s", plan_rules[why->rule].text);
}

void verdict_capacity(struct matcher *m, struct load *load, const struct candidate *candidate,
                      const char *what)
{
    verdict_set(m, load, RULE_CAPACITY, candidate->inst[candidate->count - 1],
                "the chain of the %s %s", verdict_inst(m, candidate->inst[candidate->count - 1]),
                what);
}

// Returns the first of the chain's loads that is certain to hit, or IR_NONE.
static uint32_t served_load(struct matcher *m, const struct candidate *candidate)
{
    for (uint32_t i = 0; i < chain_patterns[candidate->pattern].loads; i++)
        if (saving_is_served(m->facts, candidate->inst[i]))
            return candidate->inst[i];
    return IR_NONE;
}

static const char *balance_text(struct matcher *m, double saving)
{
    return saving ? arena_printf(&m->scratch, "%.4g flits more per warp and hop than it saves",
                                 -saving)
                  : "as many flits per warp and hop as it saves";
}

void verdict_saving(struct matcher *m, struct load *load, const struct candidate *candidate,
                    const struct saving *saving)
{
    uint32_t last = candidate->inst[candidate->count - 1], served = served_load(m, candidate);
    const char *what = verdict_inst(m, last), *balance = balance_text(m, saving->certain);
    if (served != IR_NONE)
        verdict_set(m, load, RULE_REUSE, served,
                    "L1 serves the %s, %s; the chain of the %s would send %s",
                    verdict_inst(m, served), saving_served_text(m->facts, &m->scratch, served),
                    what, balance);
    else
        verdict_set(m, load, RULE_NO_SAVING, last, "the chain of the %s would send %s", what,
                    balance);
}

void verdict_gain(struct matcher *m, struct load *load, const struct candidate *candidate)
{
    uint32_t last = candidate->inst[candidate->count - 1];
    verdict_set(m, load, RULE_NO_GAIN, last, "the chain of the %s %s", verdict_inst(m, last),
                gain_text(m, candidate));
}
