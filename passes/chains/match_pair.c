// Patterns 8 and 9 in two instructions: f(a, c) with c = g(b, i).
#include "passes/chains/match.h"
#include "support/bits.h"

struct pair {
    uint32_t inner, outer; // g and f
    struct load *b[2];     // loaded source of g if the other source, v[0] or v[1], is the scalar;
                           // else NULL
    struct load *a;
    uint32_t version;    // c
    bool uniform;        // c is equal in all lanes
    struct inputs under; // inputs of g
};

static bool is_computation(const struct matcher *m, uint32_t inst)
{
    return alu_of(m->capability, m->module, m->fn, inst).kind == ALU_COMPUTE;
}

// Fills the pair. Returns false if the instruction is not f.
static bool find_pair(struct matcher *m, uint32_t outer, struct pair *pair)
{
    struct inputs inputs = inputs_of(m, outer, true);
    const struct input *a = inputs_find(&inputs, INPUT_LOAD);
    if (inputs.count != 2 || inputs.number[INPUT_LOAD] != 1)
        return false;
    const struct input *c = &inputs.v[a == &inputs.v[0]];
    if (c->version == IR_NONE || m->fn->versions.v[c->version].kind != VERSION_INST)
        return false;
    uint32_t maker = m->fn->versions.v[c->version].index, inner = m->original[maker];
    if (m->fn->insts.v[inner].block != m->fn->insts.v[outer].block ||
        !uses_may_feed(&m->uses, maker, outer) || !is_computation(m, inner))
        return false;
    *pair = (struct pair){.inner = inner,
                          .outer = outer,
                          .a = a->load,
                          .version = c->version,
                          .uniform = c->kind == INPUT_SCALAR,
                          .under = inputs_of(m, inner, true)};
    for (uint32_t i = 0; i < 2 && pair->under.count == 2; i++)
        if (pair->under.v[i].uniform && pair->under.v[1 - i].kind == INPUT_LOAD)
            pair->b[i] = pair->under.v[1 - i].load;
    return pair->b[0] || pair->b[1];
}

static void add_pair(struct matcher *m, const struct pair *pair, const struct ending *ending)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct candidate candidate = {.pattern =
                                          pattern_find(2, 2, 1, ending->store != IR_NONE, false)};
        if (!pair->b[i])
            continue;
        match_add_scalar(&candidate, &pair->under.v[i]);
        match_add_load(&candidate, pair->a);
        match_add_load(&candidate, pair->b[i]);
        match_add(&candidate, pair->inner);
        match_finish(m, &candidate, pair->outer, ending->store);
        (count++ ? match_offer_instead : match_offer)(m, &candidate);
    }
    bits_set(m->paired, pair->inner);
    bits_set(m->paired, pair->outer);
}

// Adds g(a, b) alone, whose result stays at the core, and f(a, i) of a result that is a scalar.
static void add_halves(struct matcher *m, const struct pair *pair, const struct ending *ending)
{
    if (inputs_have(&pair->under, 2, 0, 0)) {
        struct candidate candidate = {.pattern = pattern_find(2, 1, 0, false, false)};
        match_add_load(&candidate, pair->under.v[0].load);
        match_add_load(&candidate, pair->under.v[1].load);
        match_finish(m, &candidate, pair->inner, IR_NONE);
        match_offer_instead(m, &candidate);
    }
    if (pair->uniform && ending->store != IR_NONE) {
        struct candidate candidate = {.pattern = pattern_find(1, 1, 1, true, false), .scalars = 1};
        match_add_load(&candidate, pair->a);
        match_finish(m, &candidate, pair->outer, ending->store);
        match_offer_instead(m, &candidate);
    }
}

void match_pair(struct matcher *m, uint32_t outer)
{
    struct pair pair;
    if (!is_computation(m, outer) || !find_pair(m, outer, &pair) || pair.uniform ||
        !inputs_have(&pair.under, 1, 1, 0))
        return;
    struct readers readers = uses_readers(&m->uses, pair.version);
    struct ending ending = match_ending(m, outer);
    if (readers.count == 1) {
        add_pair(m, &pair, &ending);
        return;
    }
    uint32_t other = readers.inst[readers.inst[0] == outer];
    const char *by = other == IR_NONE ? "in another block" : verdict_inst(m, other);
    const char *value = verdict_value(m, pair.version);
    struct load *b = inputs_find(&pair.under, INPUT_LOAD)->load;
    verdict_set(m, b, RULE_RESULT_USED, other, "%s is used again: %s", value, by);
    verdict_set(m, pair.a, RULE_RESULT_USED, other, "%s is used again: %s", value, by);
}

void match_uniform_pair(struct matcher *m, uint32_t outer)
{
    struct pair pair;
    if (!is_computation(m, outer) || !find_pair(m, outer, &pair) ||
        bits_test(m->paired, pair.inner) || bits_test(m->paired, outer) ||
        uses_readers(&m->uses, pair.version).count != 1)
        return;
    struct ending ending = match_ending(m, outer);
    add_pair(m, &pair, &ending);
    add_halves(m, &pair, &ending);
}
