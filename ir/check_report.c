// Describes faults of operands in words.
#include "ir/check_internal.h"

static const char *expectation(struct ir_check *c, const struct ir_fault *fault)
{
    uint16_t type = form_operand_type(fault->match, fault->spec);
    const char *width = fault->spec->wider   ? " or wider"
                        : fault->spec->twice ? " (twice as wide)"
                                             : "";
    if (type >= WORD_COUNT)
        return "a value";
    return arena_printf(&c->scratch, "%s%s", isa_words[type].text, width);
}

static const char *declared_type(struct ir_check *c, uint32_t node)
{
    const struct ir_operand *operands = c->fn->operands.v + c->inst->operands;
    for (uint32_t i = 0; i < c->inst->operand_count; i++)
        if (operands[i].node == node && operands[i].kind == OPERAND_REGISTER)
            return isa_words[c->fn->registers.v[operands[i].index].type].text;
    return "of another type";
}

static const char *values_text(struct ir_check *c, const struct form_operand *spec)
{
    const char *text = "is not one of";
    for (uint32_t i = 0; i < spec->value_count; i++)
        text = arena_printf(&c->scratch, "%s%s %u", text, i ? "," : "", spec->value[i]);
    return text;
}

static const char *range_text(struct ir_check *c, const struct form_operand *spec)
{
    if (spec->value_count)
        return values_text(c, spec);
    if (spec->step == 1)
        return arena_printf(&c->scratch, "is not between %u and %u", spec->min, spec->max);
    return arena_printf(&c->scratch, "is not a multiple of %u between %u and %u", spec->step,
                        spec->min, spec->max);
}

static const char *fault_text(struct ir_check *c, const struct ir_fault *fault)
{
    switch ((enum fault_kind)fault->kind) {
    case FAULT_REGISTER: return "must be a register";
    case FAULT_VALUE: return "must be a register or a number";
    case FAULT_IMMEDIATE: return "must be an integer";
    case FAULT_NUMBER:
        return arena_printf(&c->scratch, "is not a number for %s", expectation(c, fault));
    case FAULT_RANGE: return range_text(c, fault->spec);
    case FAULT_TYPE:
        return arena_printf(&c->scratch, "is %s where %s is expected",
                            declared_type(c, fault->node), expectation(c, fault));
    case FAULT_PREDICATE: return "must be a predicate";
    case FAULT_ADDRESS: return "must be an address in brackets";
    case FAULT_BASE:
        return arena_printf(&c->scratch, "is %s, which no address can be",
                            declared_type(c, fault->node));
    case FAULT_NUMBER_BASE: return "is an address, which only .local memory accepts as a number";
    case FAULT_INSIDE: return "is an address with the wrong number of parts";
    case FAULT_LIST: return "must be a list in parentheses";
    case FAULT_LABEL: return "must be a label";
    case FAULT_SUM: return "is not an address: a name, or a name + a number";
    case FAULT_UNIFIED: return "cannot be .unified here";
    case FAULT_FUNCTION: return "is not a function";
    case FAULT_NAME: return "must be a name";
    case FAULT_VECTOR: return arena_printf(&c->scratch, "must be a vector of %u", fault->number);
    case FAULT_LENGTH: return arena_printf(&c->scratch, "must have %u elements", fault->number);
    case FAULT_SCALAR: return "must not be a vector";
    case FAULT_PAIR:
        return fault->spec->pair == FORM_ALWAYS_PAIR ? "needs a second result behind |"
                                                     : "has no second result here";
    case FAULT_SELECTOR: return "has a selector that is not allowed here";
    case FAULT_NEGATION: return "cannot be negated here";
    case FAULT_SPECIAL: return "is a special register, which only mov and cvt read";
    case FAULT_SPECIAL_SIZE:
        return arena_printf(&c->scratch, "cannot be read as %s", expectation(c, fault));
    case FAULT_SINK: return "cannot be discarded";
    case FAULT_ADDEND: return "is not a sum: a constant can be added to integer registers only";
    case FAULT_CODE: return "is a function: its code cannot be accessed as memory";
    case FAULT_ELEMENT_WIDTH: return "does not have the width of the elements before it";
    case FAULT_ELEMENT_KIND: return "does not have the kind of type of the element before it";
    case FAULT_OLD_FUNCTION: return "is the address of a function, which needs a newer .version";
    default: return "does not fit";
    }
}

static void report_count(struct ir_check *c, const struct ir_fault *fault)
{
    uint32_t must = 0, may = 0, given = 0;
    const struct form *form = fault->match->form;
    for (uint32_t i = 0; i < form->operand_count; i++) {
        int presence =
            form->operand[i].inside ? -1 : form_operand_presence(fault->match, &form->operand[i]);
        must += presence > 0;
        may += presence >= 0;
    }
    const struct node *at = &c->tree->nodes.v[c->inst->node];
    NODE_EACH (child, c->tree, c->inst->node)
        given += c->tree->nodes.v[child].kind != NODE_GUARD;
    const char *takes = must == may ? arena_printf(&c->scratch, "%u", must)
                                    : arena_printf(&c->scratch, "%u to %u", must, may);
    diag_add(c->diags, DIAG_ERROR, "operands", at->begin, at->end,
             "'%s' takes %s operand%s, here %s %u", isa_op_names[form->op], takes,
             may == 1 ? "" : "s", given == 1 ? "is" : "are", given);
}

// Returns true if the faulty operand has a name that was reported at name resolution.
static bool is_reported(const struct ir_check *c, const struct ir_fault *fault)
{
    const struct ir_operand *operands = ir_operands(c->fn, (uint32_t)(c->inst - c->fn->insts.v));
    for (uint32_t i = 0; i < c->inst->operand_count; i++)
        if (operands[i].kind == OPERAND_UNKNOWN && operands[i].role != ROLE_LABEL &&
            operands[i].node >= fault->node && operands[i].node < node_next(c->tree, fault->node) &&
            c->tree->nodes.v[operands[i].node].kind == NODE_NAME)
            return true;
    return false;
}

void check_report_fault(struct ir_check *c, const struct ir_fault *fault)
{
    if (fault->kind == FAULT_COUNT) {
        report_count(c, fault);
        return;
    }
    if (is_reported(c, fault))
        return;
    const struct node *at = &c->tree->nodes.v[fault->node];
    diag_add(c->diags, DIAG_ERROR, "operand-type", at->begin, at->end, "'%.*s' %s",
             (int)(at->end - at->begin), c->tree->source->text + at->begin, fault_text(c, fault));
}
