// Operands of chains: their bases and differences, and the proposal (placing.h).
#include "report/placing_internal.h"
#include "passes/analysis/affine/address.h"
#include <string.h>

enum { POINTER_ALIGNMENT = 256 };

// Returns true for values that do not change during a launch.
static bool is_constant(const struct affine_atom *atom)
{
    return atom->kind == AFFINE_PARAMETER || atom->kind == AFFINE_SYMBOL;
}

static bool all_constant(const struct affines *affines, const struct affine_term *term)
{
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++)
        if (!is_constant(affine_atom(affines, term->atom[i])))
            return false;
    return true;
}

static bool is_pointer(const struct affines *affines, const struct affine_term *term)
{
    const struct affine_atom *atom = affine_atom(affines, term->atom[0]);
    return (term->coefficient == 1 || term->coefficient == -1) && term->atom[1] == IR_NONE &&
           is_constant(atom) && atom->bits == 64;
}

// Returns a power of two that divides the term.
static uint64_t granule_of(const struct affines *affines, const struct affine_term *term)
{
    uint32_t zeros = (uint32_t)__builtin_ctzll((uint64_t)term->coefficient);
    if (is_pointer(affines, term))
        return POINTER_ALIGNMENT;
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++)
        zeros += affine_atom(affines, term->atom[i])->zeros;
    return UINT64_C(1) << (zeros < 62 ? zeros : 62);
}

static const char *term_text(const struct affines *affines, struct arena *arena, const char *text,
                             const struct affine_term *term)
{
    const char *factors = NULL;
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++) {
        const char *atom = affine_atom_text(affines, arena, term->atom[i]);
        factors = factors ? arena_printf(arena, "%s*%s", factors, atom) : atom;
    }
    if (term->coefficient != 1)
        factors = arena_printf(arena, "%lld*%s", (long long)term->coefficient, factors);
    return text ? arena_printf(arena, "%s+%s", text, factors) : factors;
}

// Returns the number of the base of an address in the kernel's list.
static uint32_t base_of(struct arena *arena, struct placing_kernel *kernel,
                        const struct affines *affines, const struct affine *address)
{
    struct placing_base base = {.parameter = IR_NONE, .granule = UINT64_C(1) << 62};
    uint32_t pointers = 0;
    for (uint32_t i = 0; i < address->count; i++) {
        const struct affine_term *term = &address->terms[i];
        if (!all_constant(affines, term))
            continue;
        uint64_t granule = granule_of(affines, term);
        base.granule = granule < base.granule ? granule : base.granule;
        base.text = term_text(affines, arena, base.text, term);
        const struct affine_atom *atom = affine_atom(affines, term->atom[0]);
        if (!is_pointer(affines, term) || atom->kind != AFFINE_PARAMETER)
            continue;
        base.parameter = pointers++ ? IR_NONE : atom->index;
    }
    if (!base.text)
        base.text = "0";
    for (uint32_t i = 0; i < kernel->bases.n; i++)
        if (!strcmp(kernel->bases.v[i].text, base.text))
            return i;
    vec_push(arena, &kernel->bases, base);
    return kernel->bases.n - 1;
}

// Sets how the operand's address differs from that of the first one.
static void relate(struct facts *facts, const struct affine *first, const struct affine *address,
                   struct placing_operand *operand)
{
    const struct affines *affines = facts_affines(facts);
    struct affine difference;
    operand->granule = operand->bytes;
    operand->follows = affine_difference(facts_affines(facts), address, first, &difference);
    if (!operand->follows)
        return;
    operand->offset = difference.constant;
    operand->granule = UINT64_C(1) << 62;
    for (uint32_t i = 0; i < difference.count; i++) {
        uint64_t granule = granule_of(affines, &difference.terms[i]);
        operand->granule = granule < operand->granule ? granule : operand->granule;
        operand->follows &= all_constant(affines, &difference.terms[i]);
    }
}

static bool find_operands(struct arena *arena, struct placing_kernel *kernel, struct facts *facts,
                          const struct chain *chain, struct placed_chain *to)
{
    struct affine first = {0};
    for (uint32_t i = 0; i < chain->count && to->count < PLACING_OPERANDS; i++) {
        const struct ir_inst *inst = &facts->fn->insts.v[chain->inst[i]];
        struct affine address;
        if (inst->class != CLASS_LOAD && inst->class != CLASS_STORE)
            continue;
        if (!affine_of_address(facts_affines(facts), chain->inst[i], &address))
            return false;
        struct placing_operand *operand = &to->operands[to->count];
        *operand = (struct placing_operand){
            .inst = chain->inst[i],
            .stores = inst->class == CLASS_STORE,
            .bytes = address_of(facts->module, facts->fn, chain->inst[i]).bytes,
            .base = base_of(arena, kernel, facts_affines(facts), &address)};
        if (!to->count)
            first = address;
        relate(facts, &first, &address, operand);
        to->count++;
    }
    return to->count > 0;
}

// The proposal: places of the bases with which LLC-Compute saves the most flits.

static double saved_by(struct placing_machine *machine, struct placing_kernel *kernel,
                       const struct plan *plan, bool proposed)
{
    double sum = 0;
    for (uint32_t i = 0; i < kernel->chains.n; i++) {
        const struct placed_chain *placed = &kernel->chains.v[i];
        sum += placing_share(machine, kernel, placed, proposed) *
               placing_saving(machine, placed, &plan->chains.v[placed->chain]);
    }
    return sum;
}

// Places the bases of a chain's operands so that all are in one partition, as far as chains before
// have not placed them. `known` has the bases that have a place.
static void follow(const struct placing_machine *machine, struct placing_kernel *kernel,
                   const struct placed_chain *placed, bool *known)
{
    const struct placing_operand *operands = placed->operands, *from = &operands[0];
    for (uint32_t k = 1; k < placed->count; k++)
        if (operands[k].follows && known[operands[k].base] && !known[from->base])
            from = &operands[k];
    known[from->base] = true;
    for (uint32_t k = 0; k < placed->count; k++) {
        const struct placing_operand *to = &operands[k];
        if (known[to->base] || (k && !to->follows))
            continue;
        int64_t period = (int64_t)machine->period;
        int64_t place =
            ((int64_t)kernel->bases.v[from->base].place + (from->offset - to->offset)) % period;
        place += place < 0 ? period : 0;
        kernel->bases.v[to->base].place = (uint64_t)place / machine->line * machine->line;
        known[to->base] = true;
    }
}

// Tries all lines of the period for each base in turn, until none is better.
static void propose(struct placing_machine *machine, struct placing_kernel *kernel,
                    const struct plan *plan)
{
    bool *known = ARENA_ARRAY(machine->arena, bool, kernel->bases.n);
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        follow(machine, kernel, &kernel->chains.v[i], known);
    double max = saved_by(machine, kernel, plan, true);
    for (bool better = true; better;) {
        better = false;
        for (uint32_t i = 1; i < kernel->bases.n; i++) {
            struct placing_base *base = &kernel->bases.v[i];
            uint64_t best = base->place;
            for (base->place = 0; base->place < machine->period; base->place += machine->line) {
                double saved = saved_by(machine, kernel, plan, true);
                if (saved < max + 1e-9)
                    continue;
                max = saved;
                best = base->place;
                better = true;
            }
            base->place = best;
        }
    }
    uint64_t first = kernel->bases.v[0].place;
    for (uint32_t i = 0; i < kernel->bases.n; i++) {
        uint64_t *place = &kernel->bases.v[i].place;
        *place = (*place + machine->period - first) % machine->period;
    }
    kernel->proposes = max > saved_by(machine, kernel, plan, false) + 1e-9;
    for (uint32_t i = 0; i < kernel->chains.n; i++) {
        struct placed_chain *placed = &kernel->chains.v[i];
        placing_evaluate(machine, kernel, placed, &plan->chains.v[placed->chain], true,
                         &placed->proposed);
    }
}

struct placings placing_find(struct arena *arena, struct plan *plan, const struct ir_module *module,
                             const struct pass_options *options,
                             const struct machine_config *config)
{
    struct placing_machine machine;
    struct placings placing = {.kernels = {0}};
    placing_machine_init(&machine, arena, config);
    placing.period = machine.period;
    for (uint32_t i = 0, end; i < plan->chains.n; i = end) {
        struct placing_kernel kernel = {.function = plan->chains.v[i].function};
        struct facts *facts = facts_of(plan, module, options, kernel.function);
        for (end = i; end < plan->chains.n && plan->chains.v[end].function == kernel.function;
             end++) {
            struct placed_chain placed = {.chain = end};
            if (!find_operands(arena, &kernel, facts, &plan->chains.v[end], &placed))
                continue;
            placing_evaluate(&machine, &kernel, &placed, &plan->chains.v[end], false, &placed.now);
            vec_push(arena, &kernel.chains, placed);
        }
        if (machine.period && kernel.bases.n > 1)
            propose(&machine, &kernel, plan);
        vec_push(arena, &placing.kernels, kernel);
    }
    return placing;
}
