#include "passes/chains/saving.h"
#include "passes/analysis/memory/measured.h"

enum { MASK = 1 };                                 // flit; an ack or bitmap has no other data
enum { LINE_LANE = COALESCING_LINE / WARP_LANES }; // bytes of a lane if a warp fills a line

// Sums over the accesses of a chain. A line counts with the share of a whole line's flits that its
// sectors need.
struct sums {
    double stores;       // lines
    double missed, left; // lines of loads: expected to miss; not certain to hit
    double max;          // maximum lines of one access
    uint32_t plain;      // flits of all accesses if their lanes were adjacent
    uint32_t packets;    // packets of the longest access if its lanes were adjacent
};

static double value_of(struct ratio ratio)
{
    return ratio.of ? (double)ratio.count / (double)ratio.of : 1;
}

// Returns the flits of a line and of its request or acknowledgement.
static uint32_t line_flits(const struct capability *capability)
{
    return (uint32_t)capability_access_flits(capability, 1, LINE_BYTES / SECTOR_BYTES);
}

// Returns the lines of an access with `bytes` per lane; sets their share.
static double lines_of(struct facts *facts, const struct capability *capability, uint32_t inst,
                       uint32_t bytes, double *share)
{
    struct coalescing c = coalescing_of(facts_coalescings(facts), inst);
    double lines = bytes > LINE_LANE ? bytes / LINE_LANE : 1, sectors = bytes;
    unsigned ignored = 0;
    if (c.access && c.lines.of) {
        measured_lines(facts, inst, &c, &ignored);
        lines = value_of(c.lines);
        sectors = value_of(c.sectors);
    }
    *share = !capability->sectors || !(lines > 0 && sectors > 0)
                 ? 1
                 : capability_access_flits(capability, lines, sectors) /
                       (lines * line_flits(capability));
    return lines;
}

static double miss_of(struct facts *facts, uint32_t inst)
{
    struct ratio miss;
    if (!measured_miss(facts, inst, &miss))
        miss = reuse_of(facts_reuses(facts), inst).miss;
    return value_of(miss);
}

// Returns the share of lines that misses: the measured one, or all lines that the load did not
// fetch itself in an earlier iteration.
static double certain_miss_of(struct facts *facts, uint32_t inst)
{
    struct ratio miss;
    if (measured_miss(facts, inst, &miss))
        return value_of(miss);
    struct reuse reuse = reuse_of(facts_reuses(facts), inst);
    if (!saving_is_served(facts, inst))
        return 1;
    return 1 - (double)reuse.served[CAUSE_LOOP] / (double)reuse.lines;
}

bool saving_is_served(struct facts *facts, uint32_t load)
{
    struct ratio miss;
    if (measured_miss(facts, load, &miss))
        return value_of(miss) < 1;
    struct reuse reuse = reuse_of(facts_reuses(facts), load);
    struct coalescing c = coalescing_of(facts_coalescings(facts), load);
    bool soon = reuse.kind == REUSE_SAME || reuse.kind == REUSE_LOOP;
    return soon && c.known && c.max <= 1;
}

const char *saving_served_text(struct facts *facts, struct arena *arena, uint32_t load)
{
    struct ratio miss;
    return measured_miss(facts, load, &miss) ? measured_text(facts, arena, load)
                                             : reuse_text(facts_reuses(facts), arena, load);
}

static void add_access(struct facts *facts, const struct capability *capability, uint32_t inst,
                       struct sums *sums)
{
    const struct ir_inst *at = &facts->fn->insts.v[inst];
    uint32_t bytes = ir_type_bits(at->type) / 8u * at->vector;
    uint32_t plain = bytes > LINE_LANE ? bytes / LINE_LANE : 1;
    uint32_t packets = capability_packets(capability, bytes);
    double share, lines = lines_of(facts, capability, inst, bytes, &share);
    sums->plain += (uint32_t)capability_access_flits(capability, plain, bytes);
    sums->packets = packets > sums->packets ? packets : sums->packets;
    sums->max = lines > sums->max ? lines : sums->max;
    if (at->class == CLASS_LOAD) {
        sums->missed += lines * miss_of(facts, inst) * share;
        sums->left += lines * certain_miss_of(facts, inst) * share;
    } else {
        sums->stores += lines * share;
    }
}

// Returns the bytes of the result that a lane receives, for all elements.
static uint32_t result_bytes(const struct ir_function *fn, const uint32_t *members, uint32_t count)
{
    uint32_t result = ir_find_operand(fn, members[count - 1], ROLE_DEF, 0);
    uint32_t elements = fn->insts.v[members[0]].vector;
    const struct ir_operand *operand = result == IR_NONE ? NULL : &fn->operands.v[result];
    bool known = operand && operand->kind == OPERAND_REGISTER;
    return (known ? fn->registers.v[operand->index].bits / 8u : LINE_LANE) * elements;
}

struct saving saving_of(struct facts *facts, const struct capability *capability, uint32_t pattern,
                        const uint32_t *members, uint32_t count)
{
    const struct chain_pattern *row = &chain_patterns[pattern];
    uint32_t line = line_flits(capability), answer = capability_head_flits(capability);
    struct sums sums = {0};
    for (uint32_t i = 0; i < row->loads; i++)
        add_access(facts, capability, members[i], &sums);
    if (row->stores)
        add_access(facts, capability, members[count - 1], &sums);
    uint32_t packet = capability_packet_flits(capability);
    struct saving saving = {.response_flits = sums.packets * answer};
    if (row->response == RESPONSE_DATA)
        saving.response_flits =
            capability_data_flits(capability, result_bytes(facts->fn, members, count));
    uint32_t alone = sums.plain, away = sums.packets * packet + saving.response_flits;
    saving.saved = alone > away ? alone - away : 0;
    bool scattered = sums.max > sums.packets;
    double packets = scattered ? sums.max : sums.packets;
    double response = row->response == RESPONSE_DATA && scattered
                          ? packets + saving.response_flits - sums.packets
                          : packets * saving.response_flits / sums.packets;
    double sent = packets * (packet + (scattered ? MASK : 0)) + response;
    saving.expected = (sums.missed + sums.stores) * line - sent;
    saving.certain = (sums.left + sums.stores) * line - sent;
    return saving;
}
