#include "passes/analysis/cost/transfer.h"
#include "passes/analysis/memory/measured.h"
#include "passes/base/capability.h"
#include "passes/blocks/candidates.h"

enum { WORD = 4 }; // bytes

void traffics_init(struct traffics *traffics, struct plan *plan, const struct ir_module *module,
                   const struct pass_options *options, uint32_t function)
{
    struct facts *facts = facts_of(plan, module, options, function);
    traffics->facts = facts;
    traffics->capability = capability_of(options);
    traffics->fn = &module->functions.v[function];
    traffics->divergence = facts_divergence(facts);
    traffics->coalescings = facts_coalescings(facts);
    traffics->reuses = facts_reuses(facts);
}

// Accesses

// Returns words × count / of, in parts of words. Both are below 2^32: they come from at most some
// thousands of places.
static uint64_t parts(uint64_t words, struct ratio ratio)
{
    uint64_t whole = ratio.count / ratio.of, rest = ratio.count % ratio.of;
    return words * (whole * BW_REFINED + rest * BW_REFINED / ratio.of);
}

// Packets of an access, with an address or an acknowledgement each, and the data of loads in units:
// lines or sectors.
struct sent_units {
    struct ratio packets, units;
    uint32_t unit_words;
};

static struct sent_units sent_units_of(const struct capability *capability,
                                       const struct coalescing *access)
{
    if (!capability->sectors)
        return (struct sent_units){access->lines, access->lines, BW_LINE};
    return (struct sent_units){capability->sector_packets ? access->sectors : access->lines,
                               access->sectors, SECTOR_BYTES / WORD};
}

static struct ratio times(struct ratio a, struct ratio b)
{
    return ratio_of(a.count * b.count, a.of * b.of);
}

static struct traffic load_traffic(const struct traffics *traffics, uint32_t inst,
                                   struct sent_units sent, unsigned measured)
{
    struct ratio miss;
    if (measured_miss_all(traffics->facts, inst, &miss))
        measured |= MEASURED_MISSES;
    else
        miss = reuse_of(traffics->reuses, inst).miss;
    return (struct traffic){parts(1, times(sent.packets, miss)),
                            parts(sent.unit_words, times(sent.units, miss)), measured};
}

static struct traffic store_traffic(uint32_t bytes, struct sent_units sent, unsigned measured)
{
    uint64_t data = (uint64_t)bytes * BW_WARP * BW_REFINED / WORD;
    uint64_t packets = parts(1, sent.packets);
    return (struct traffic){data + packets, packets / BW_QUARTERS, measured};
}

// Traffic of accesses that are not analysed: those of called functions, and bulk copies.
static struct traffic whole_lines(const struct memory_effect *effect)
{
    const struct ratio half = {1, 2}, whole = {1, 1};
    uint64_t loads = effect->loads, stores = effect->stores;
    return (struct traffic){
        loads * parts(1, half) + stores * parts(BW_WARP + 1, whole),
        loads * parts(BW_LINE, half) + stores * parts(1, whole) / BW_QUARTERS,
        0,
    };
}

struct traffic traffic_of(const struct traffics *traffics, uint32_t inst,
                          const struct memory_effect *effect)
{
    if (!effect->loads && !effect->stores)
        return (struct traffic){0, 0, 0};
    uint8_t class = traffics->fn->insts.v[inst].class;
    if (class != CLASS_LOAD && class != CLASS_STORE)
        return whole_lines(effect);
    struct coalescing access = coalescing_of(traffics->coalescings, inst);
    if (!access.access)
        return whole_lines(effect);
    unsigned measured = 0;
    measured_lines(traffics->facts, inst, &access, &measured);
    struct sent_units sent = sent_units_of(traffics->capability, &access);
    return effect->loads ? load_traffic(traffics, inst, sent, measured)
                         : store_traffic(access.bytes, sent, measured);
}

// Values

static bool is_uniform(const struct traffics *traffics, const struct live_value *value,
                       uint32_t block)
{
    if (value->reg == IR_NONE)
        return !divergence_special(traffics->divergence, value->special, value->member);
    if (value->version == IR_NONE)
        return false;
    return block == IR_NONE ? divergence_uniform(traffics->divergence, value->version)
                            : divergence_uniform_in(traffics->divergence, value->version, block);
}

uint64_t traffic_values(const struct traffics *traffics, const struct live_value *values,
                        uint32_t count, uint32_t block)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool whole = values[i].reg == IR_NONE;
        uint64_t bits = whole ? 32 : traffics->fn->registers.v[values[i].reg].bits;
        bits = bits == 1 || bits > 32 ? bits : 32; // a narrower register takes a whole word
        uint64_t lanes = is_uniform(traffics, &values[i], block) ? 1 : BW_WARP;
        sum += bits * lanes * BW_REFINED / 32;
    }
    return sum;
}
