// Checks every instruction against the forms of its opcode.
//
// The form of an instruction is the first one that accepts its modifiers, whose operands match and
// that the module's version and target allow. If no form matches, the error reported is that of the
// form that matched furthest.
#include "ir/check_internal.h"
#include "support/nearest.h"
#include "support/parallel.h"
#include <stdatomic.h>
#include <string.h>

// Checks the numbers of an instruction that matches its form, if one depends on another or if the
// constraint is more than a range.

// Returns the instruction's n-th operand node, or NULL.
static const struct node *operand_node(const struct ir_check *c, uint32_t n)
{
    NODE_EACH (child, c->tree, c->inst->node) {
        const struct node *node = &c->tree->nodes.v[child];
        if (node->kind != NODE_GUARD && !n--)
            return node;
    }
    return NULL;
}

static void refuse(struct ir_check *c, const struct node *at, const char *why)
{
    diag_add(c->diags, DIAG_ERROR, "operand-type", at->begin, at->end, "'%.*s' %s",
             (int)(at->end - at->begin), c->tree->source->text + at->begin, why);
}

// Checks cp.async [to], [from], size, read;
static void check_copy(struct ir_check *c)
{
    const struct node *size = operand_node(c, 2), *read = operand_node(c, 3);
    if (size && read && size->kind == NODE_INT && read->kind == NODE_INT &&
        read->value > size->value)
        refuse(c, read,
               arena_printf(&c->scratch, "is not between 0 and %u", (uint32_t)size->value));
}

// Checks alloca.u64 to, size, alignment;
static void check_allocation(struct ir_check *c)
{
    const struct node *alignment = operand_node(c, 2);
    if (alignment && alignment->kind == NODE_INT &&
        (!alignment->value || alignment->value & (alignment->value - 1) || alignment->value >> 31))
        refuse(c, alignment, "is not a power of two below 2^31");
}

void check_numbers(struct ir_check *c)
{
    if (c->inst->op == OP_cp)
        check_copy(c);
    else if (c->inst->op == OP_alloca)
        check_allocation(c);
}

// Compares the elements of a vector operand: they need one width, and neighbours need one kind of
// type.

// Bit registers, special registers and operands other than registers are compatible with
// everything.
struct element {
    uint32_t bits; // 0: any width
    enum type_kind kind;
    bool sink;
};

static struct element register_element(const struct ir_check *c, const struct ir_operand *operand)
{
    uint16_t type = c->fn->registers.v[operand->index].type;
    if (type >= WORD_COUNT)
        return (struct element){0, TYPE_BITS, false};
    return (struct element){isa_words[type].value, check_type_kind(type), false};
}

static struct element element_at(struct ir_check *c, uint32_t node)
{
    switch (c->tree->nodes.v[node].kind) {
    case NODE_NEGATE: return element_at(c, node + 1);
    case NODE_INT: return (struct element){0, TYPE_INTEGER, false};
    case NODE_FLOAT32:
    case NODE_FLOAT64: return (struct element){0, TYPE_FLOAT, false};
    case NODE_NAME:
    case NODE_MEMBER: break;
    default: return (struct element){0, TYPE_BITS, false};
    }
    uint32_t name = node + (c->tree->nodes.v[node].kind == NODE_MEMBER);
    const struct ir_operand *operand = check_operand_at(c, name);
    if (operand && operand->kind == OPERAND_REGISTER)
        return register_element(c, operand);
    return (struct element){0, TYPE_BITS, operand && operand->kind == OPERAND_SINK};
}

enum fault_kind check_elements(struct ir_check *c, uint32_t vector, uint32_t *at)
{
    uint32_t bits = 0;
    enum type_kind kind = TYPE_BITS;
    NODE_EACH (child, c->tree, vector) {
        struct element element = element_at(c, child);
        *at = child;
        if (element.sink)
            continue;
        if (bits && element.bits && element.bits != bits)
            return FAULT_ELEMENT_WIDTH;
        if (kind != TYPE_BITS && element.kind != TYPE_BITS && element.kind != kind)
            return FAULT_ELEMENT_KIND;
        bits = element.bits ? element.bits : bits;
        kind = element.kind;
    }
    return FAULT_NONE;
}

enum allowance { ALLOWED, TOO_OLD, TOO_NEW, OTHER_TARGET };

static const struct node *node_of(const struct ir_check *c)
{
    return &c->tree->nodes.v[c->inst->node];
}

// The module's header

static bool is_architecture(const struct name *name)
{
    return (name->length > 3 && !memcmp(name->text, "sm_", 3)) ||
           (name->length > 8 && !memcmp(name->text, "compute_", 8));
}

static void read_target(struct ir_check *c, uint32_t node)
{
    const struct node *at = &c->tree->nodes.v[node];
    const struct name *name = tree_name(c->tree, at->value);
    if (name->length == 14 && !memcmp(name->text, "map_f64_to_f32", 14))
        c->f64_as_f32 = true;
    if (name->length == 19 && !memcmp(name->text, "texmode_independent", 19))
        c->independent = true;
    if (!is_architecture(name))
        return;
    c->targets.n = 0; // if there are several, the last one is used
    vec_push(&c->scratch, &c->targets, *name);
    uint16_t version = form_target_version(name->text, name->length);
    if (version > c->module->version && c->module->version)
        diag_add(c->diags, DIAG_ERROR, "version", at->begin, at->end,
                 "'%.*s' needs PTX %u.%u, this module is %u.%u", (int)name->length, name->text,
                 version / 10, version % 10, c->module->version / 10, c->module->version % 10);
    else if (!version)
        diag_add(c->diags, c->module->version > FORM_TABLE_VERSION ? DIAG_WARNING : DIAG_ERROR,
                 "target", at->begin, at->end, "unknown target '%.*s'", (int)name->length,
                 name->text);
}

static void read_targets(struct ir_check *c)
{
    NODE_EACH (child, c->tree, 0) {
        const struct node *at = &c->tree->nodes.v[child];
        if (at->kind != NODE_DIRECTIVE || at->aux != W_target)
            continue;
        NODE_EACH (name, c->tree, child)
            if (c->tree->nodes.v[name].kind == NODE_NAME)
                read_target(c, name);
    }
}

// Version and target

static bool target_allows(const struct ir_check *c, const char *targets)
{
    if (!strcmp(targets, "texmode_independent"))
        return c->independent;
    if (!c->targets.n || (c->f64_as_f32 && !strcmp(targets, "13")))
        return true;
    for (uint32_t i = 0; i < c->targets.n; i++)
        if (form_target_allows(targets, c->targets.v[i].text, c->targets.v[i].length))
            return true;
    return false;
}

static const char *refused_targets(const struct ir_check *c, const struct form_match *match)
{
    for (uint32_t i = 0; i < FORM_NEEDS && match->targets[i]; i++)
        if (!target_allows(c, match->targets[i]))
            return match->targets[i];
    return NULL;
}

static enum allowance find_allowance(const struct ir_check *c, const struct form_match *match)
{
    uint16_t version = c->module->version;
    if (version && version < match->version)
        return TOO_OLD;
    if (version && match->last && version > match->last)
        return TOO_NEW;
    return refused_targets(c, match) ? OTHER_TARGET : ALLOWED;
}

static enum allowance allowance(struct ir_check *c, const struct form_match *match)
{
    while (match->id >= c->allowed.n)
        vec_push(&c->scratch, &c->allowed, 0);
    uint8_t *known = &c->allowed.v[match->id];
    if (!*known)
        *known = (uint8_t)(find_allowance(c, match) + 1);
    return (enum allowance)(*known - 1);
}

// Returns the range of modifier `index`; for an index after the last one, the range of the opcode
// with all modifiers.
static void modifier_range(const struct ir_check *c, uint32_t index, uint32_t *begin, uint32_t *end)
{
    const char *text = c->tree->source->text;
    node_opcode_range(c->tree, c->inst->node, begin, end);
    uint32_t count, at = *end;
    node_mods(c->tree, c->inst->node, &count);
    for (uint32_t i = 0; i < count && at < node_of(c)->end; i++) {
        while (at < node_of(c)->end && text[at] != '.') // skip comments between words
            at++;
        uint32_t from = at++;
        while (at < node_of(c)->end &&
               (text[at] == '_' || text[at] == ':' || (text[at] >= '0' && text[at] <= '9') ||
                ((text[at] | 0x20) >= 'a' && (text[at] | 0x20) <= 'z')))
            at++;
        *end = at;
        if (i == index) {
            *begin = from;
            return;
        }
    }
}

static void report_need(struct ir_check *c, const struct form_match *match)
{
    uint32_t begin, end;
    modifier_range(c, UINT32_MAX, &begin, &end);
    int length = (int)(end - begin);
    const char *name = c->tree->source->text + begin;
    uint16_t version = c->module->version;
    switch (allowance(c, match)) {
    case ALLOWED: break;
    case TOO_OLD:
        diag_add(c->diags, DIAG_ERROR, "version", begin, end,
                 "'%.*s' needs PTX %u.%u, this module is %u.%u", length, name, match->version / 10,
                 match->version % 10, version / 10, version % 10);
        break;
    case TOO_NEW:
        diag_add(c->diags, DIAG_ERROR, "version", begin, end,
                 "'%.*s' is valid only up to PTX %u.%u, this module is %u.%u", length, name,
                 match->last / 10, match->last % 10, version / 10, version % 10);
        break;
    case OTHER_TARGET:
        diag_add(c->diags, DIAG_ERROR, "target", begin, end,
                 "'%.*s' needs %s, this module is for %.*s", length, name,
                 form_targets_text(&c->scratch, refused_targets(c, match)),
                 (int)c->targets.v[0].length, c->targets.v[0].text);
        break;
    }
}

// Reports a special register that the module may not read.
static void check_special(struct ir_check *c)
{
    const struct isa_special_info *special = &isa_specials[c->special];
    const struct node *at = &c->tree->nodes.v[c->special_node];
    uint16_t version = c->module->version;
    if (version && version < special->version)
        diag_add(c->diags, DIAG_ERROR, "version", at->begin, at->end,
                 "'%s' needs PTX %u.%u, this module is %u.%u", special->text, special->version / 10,
                 special->version % 10, version / 10, version % 10);
    else if (!target_allows(c, special->target))
        diag_add(c->diags, DIAG_ERROR, "target", at->begin, at->end,
                 "'%s' needs %s, this module is for %.*s", special->text,
                 form_targets_text(&c->scratch, special->target), (int)c->targets.v[0].length,
                 c->targets.v[0].text);
}

// Checks textures and surfaces that are given by a register.
static void check_indirect(struct ir_check *c)
{
    bool query = c->inst->op == OP_txq || c->inst->op == OP_suq;
    if (c->inst->class != CLASS_TEXTURE && c->inst->class != CLASS_SURFACE && !query)
        return;
    uint16_t version = c->module->version;
    for (uint32_t i = 0; i < c->inst->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[c->inst->operands + i];
        if (operand->kind != OPERAND_REGISTER || operand->role != ROLE_ADDRESS)
            continue;
        const struct node *at = &c->tree->nodes.v[operand->node];
        diag_add(c->diags, DIAG_ERROR, "version", at->begin, at->end,
                 "a register in place of a name needs PTX 3.1, this module is %u.%u", version / 10,
                 version % 10);
    }
}

// Modifiers

// Returns the modifier that was probably intended, or NULL.
static const char *guess_modifier(const char *text, uint32_t length)
{
    struct nearest nearest;
    nearest_init(&nearest, text, length);
    for (uint32_t i = 0; i < WORD_COUNT; i++)
        if (isa_words[i].kind != KIND_DIRECTIVE)
            nearest_offer(&nearest, isa_words[i].text, strlen(isa_words[i].text));
    return nearest.best;
}

static void report_modifier(struct ir_check *c, struct ir_inst *inst,
                            const struct form_match *match)
{
    uint32_t begin, end, count;
    const uint16_t *mods = node_mods(c->tree, c->inst->node, &count);
    bool newer = c->module->version > FORM_TABLE_VERSION;
    bool unknown = match->bad_modifier < count && mods[match->bad_modifier] >= WORD_COUNT;
    enum severity severity = newer ? DIAG_WARNING : DIAG_ERROR;
    const char *form = form_text(&c->scratch, match->closest);
    modifier_range(c, match->bad_modifier, &begin, &end);
    const char *text = c->tree->source->text + begin;
    const char *guess = unknown ? guess_modifier(text, end - begin) : NULL;
    if (match->bad_modifier == UINT32_MAX)
        diag_add(c->diags, severity, "modifier", begin, end, "'%.*s' lacks a modifier: %s",
                 (int)(end - begin), text, form);
    else
        diag_add(c->diags, severity, "modifier", begin, end, "modifier '%.*s' is %s%s: %s",
                 (int)(end - begin), text, unknown ? "unknown" : "not allowed here",
                 guess ? arena_printf(&c->scratch, ", did you mean '%s'", guess) : "", form);
    if (guess)
        diag_suggest(c->diags, guess, strlen(guess));
    if (newer)
        inst->flags |= INST_OPAQUE;
}

// Instructions

static void check_guard(struct ir_check *c)
{
    if (!(c->inst->flags & INST_GUARDED) || !c->inst->operand_count)
        return;
    const struct ir_operand *guard = c->fn->operands.v + c->inst->operands;
    if (guard->role != ROLE_GUARD || guard->kind == OPERAND_UNKNOWN)
        return;
    if (guard->kind == OPERAND_REGISTER && (c->fn->registers.v[guard->index].type == W_pred ||
                                            c->fn->registers.v[guard->index].type >= WORD_COUNT))
        return;
    const struct node *at = &c->tree->nodes.v[guard->node];
    diag_add(c->diags, DIAG_ERROR, "operand-type", at->begin, at->end,
             "a guard must be a predicate");
}

// Returns true if the parser has already reported an error in the instruction.
static bool holds_error(const struct ir_check *c)
{
    for (uint32_t i = c->inst->node; i < node_next(c->tree, c->inst->node); i++)
        if (c->tree->nodes.v[i].kind == NODE_ERROR)
            return true;
    return false;
}

// Returns the matching forms. Instructions with the same spelling share their modifiers, and so the
// matches.
static const struct form_match *find_match(struct ir_check *c)
{
    uint32_t count, place = (uint32_t)node_of(c)->value;
    const uint16_t *mods = node_mods(c->tree, c->inst->node, &count);
    vec_reserve(&c->scratch, &c->spelled, place + 1);
    while (c->spelled.n <= place)
        c->spelled.v[c->spelled.n++] = (struct spelled_match){NULL, 0, 0};
    struct spelled_match *known = &c->spelled.v[place];
    if (!known->match || known->op != c->inst->op || known->count != count)
        *known = (struct spelled_match){forms_match(c->forms, c->inst->op, mods, count),
                                        c->inst->op, (uint16_t)count};
    return known->match;
}

static void check_instruction(struct ir_check *c, struct ir_inst *inst)
{
    c->inst = inst;
    check_guard(c);
    const struct form_match *match = find_match(c);
    if (!match->closest)
        return;
    if (!match->form) {
        if (!holds_error(c))
            report_modifier(c, inst, match);
        return;
    }
    const struct form_match *fitting = NULL;
    struct ir_fault best = {0}, fault;
    for (; match; match = match->next) {
        if (!check_operands_fit(c, match, &fault)) {
            if (!best.match || fault.depth > best.depth)
                best = fault;
        } else if (allowance(c, match) == ALLOWED) {
            if (c->special < SPECIAL_COUNT)
                check_special(c);
            if (c->module->version && c->module->version < 31)
                check_indirect(c);
            check_uses(c);
            check_numbers(c);
            return;
        } else if (!fitting) {
            fitting = match;
        }
    }
    if (fitting)
        report_need(c, fitting);
    else if (!holds_error(c))
        check_report_fault(c, &best);
}

static struct ir_check *begin_in(struct arena *arena, struct ir_module *module, struct forms *forms)
{
    struct ir_check *c = ARENA_NEW(arena, struct ir_check);
    *c = (struct ir_check){.module = module, .tree = module->tree, .forms = forms};
    diags_init(&c->found, arena);
    c->diags = &c->found;
    arena_init(&c->scratch, arena->memory);
    check_init_types(c);
    read_targets(c);
    return c;
}

struct ir_check *ir_check_begin(struct ir_module *module, struct forms *forms)
{
    return begin_in(module->arena, module, forms);
}

void ir_check_function(struct ir_check *c, struct ir_function *fn)
{
    c->fn = fn;
    c->prototypes_of = NULL;
    for (uint32_t i = 0; i < fn->insts.n; i++)
        if (fn->insts.v[i].op != OP_OPAQUE)
            check_instruction(c, &fn->insts.v[i]);
}

bool ir_check_found(const struct ir_check *c)
{
    return c->found.list.n > 0;
}

void ir_check_end(struct ir_check *c, struct diags *diags)
{
    check_data(c);
    check_functions(c, diags);
    diags_append(diags, &c->found);
    arena_free(&c->scratch);
}

void ir_check(struct ir_module *module, struct forms *forms, struct diags *diags)
{
    struct ir_check *c = ir_check_begin(module, forms);
    for (uint32_t i = 0; i < module->functions.n; i++)
        ir_check_function(c, &module->functions.v[i]);
    ir_check_end(c, diags);
}

struct check_threads {
    struct ir_module *module;
    atomic_bool found;
};

static void check_on_thread(struct parallel_thread *thread, void *context)
{
    struct check_threads *threads = context;
    struct arena own;
    arena_init(&own, thread->results.memory);
    struct ir_check *c = begin_in(&own, threads->module, forms_new(&own));
    for (uint32_t i; (i = parallel_next(thread)) != UINT32_MAX && !ir_check_found(c);)
        ir_check_function(c, &threads->module->functions.v[i]);
    if (ir_check_found(c))
        threads->found = true;
    arena_free(&c->scratch);
    arena_free(&own);
}

void ir_check_parallel(struct ir_module *module, struct arena *arena, struct diags *diags,
                       uint32_t threads)
{
    struct check_threads all = {.module = module, .found = threads == 1};
    if (threads > 1)
        parallel_run(arena, threads, module->functions.n, check_on_thread, &all);
    if (all.found) {
        ir_check(module, forms_new(arena), diags);
        return;
    }
    ir_check_end(ir_check_begin(module, forms_new(arena)), diags);
}
