#include "runtime-sim/gpu/lsu/coalesce.h"
#include "support/gpu.h"

static uint32_t bytes_of(const struct lane_bytes *lanes, uint32_t lane)
{
    return lanes->each ? lanes->each[lane] : lanes->bytes;
}

// Returns the number of the `left` bytes from `at` on that are in the line of `at`. Unlike an end
// address, a count is also right for an access that wraps around the end of the address space.
static uint32_t bytes_in_line(uint64_t at, uint32_t left)
{
    uint32_t room = LINE_BYTES - (uint32_t)(at % LINE_BYTES);
    return left < room ? left : room;
}

// Adds bytes of one line.
static void add_bytes(struct mask *to, uint32_t from, uint32_t bytes)
{
    if (from % 64 + bytes > 64 || bytes >= 64)
        *to = mask_or(*to, mask_range(from, from + bytes));
    else
        to->w[from / 64] |= ((UINT64_C(1) << bytes) - 1) << from % 64;
}

// Returns the part for the line among those from `first` on, and adds one like `as` if it is
// missing. The part is usually the last one.
static struct part *part_of(struct core *core, struct entry *entry, uint32_t first, uint64_t line,
                            const struct part *as)
{
    for (uint32_t i = entry->parts.n; i > first; i--)
        if (entry->parts.v[i - 1].line == line)
            return &entry->parts.v[i - 1];
    struct part part = *as;
    part.line = line;
    vec_push(core->arena, &entry->parts, part);
    return &entry->parts.v[entry->parts.n - 1];
}

// Returns true if the lanes access adjacent, aligned elements, as in most accesses.
static bool is_row(const struct lane_bytes *lanes)
{
    return lanes->mask == FULL_MASK && !lanes->each && !(lanes->address[0] % lanes->bytes) &&
           !(LINE_BYTES % lanes->bytes) && lanes->ops->in_a_row(lanes->address, lanes->bytes);
}

static void add_row(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                    const struct part *as)
{
    uint64_t at = lanes->address[0];
    uint32_t left = lanes->bytes * LANES;
    for (uint32_t lane = 0, bytes; left; left -= bytes, at += bytes) {
        uint32_t count = (bytes = bytes_in_line(at, left)) / lanes->bytes;
        struct part part = *as;
        part.line = at / LINE_BYTES;
        part.bytes = mask_range((uint32_t)(at % LINE_BYTES), (uint32_t)(at % LINE_BYTES) + bytes);
        part.lanes = FULL_MASK >> (LANES - count) << lane;
        vec_push(core->arena, &entry->parts, part);
        lane += count;
    }
}

void coalesce_lines(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                    const struct part *as)
{
    uint32_t first = entry->parts.n;
    if (is_row(lanes)) {
        add_row(core, entry, lanes, as);
        return;
    }
    struct part *part = NULL;
    for (uint32_t mask = lanes->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint64_t at = lanes->address[lane];
        uint32_t left = bytes_of(lanes, lane);
        for (uint32_t bytes; left; left -= bytes, at += bytes) {
            bytes = bytes_in_line(at, left);
            if (!part || part->line != at / LINE_BYTES)
                part = part_of(core, entry, first, at / LINE_BYTES, as);
            add_bytes(&part->bytes, (uint32_t)(at % LINE_BYTES), bytes);
        }
        if (part)
            part->lanes |= 1u << lane;
    }
}

void coalesce_local(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                    const struct part *as)
{
    enum { WORD = 4 };
    uint32_t first = entry->parts.n;
    for (uint32_t mask = lanes->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint64_t address = lanes->address[lane];
        uint64_t words = (address % WORD + bytes_of(lanes, lane) + WORD - 1) / WORD;
        for (uint64_t i = 0; i < words; i++) {
            struct part *part = part_of(core, entry, first, as->line + address / WORD + i, as);
            add_bytes(&part->bytes, lane * WORD, WORD);
        }
    }
    // The values are private. They are moved all at once, in the order in which accesses are sent.
    if (entry->parts.n > first)
        entry->parts.v[entry->parts.n - 1].lanes = lanes->mask;
}

// Returns the largest number of words in one bank that the lanes in `mask` access.
static uint32_t worst_bank(const struct core_config *config, const struct lane_bytes *lanes,
                           uint32_t mask, bool atomic)
{
    uint64_t words[64][LANES], width = config->shared_bank_bytes;
    uint8_t count[64] = {0};
    uint32_t worst = 1, banks = config->shared_banks;
    struct span span = lanes->ops->span(lanes->address, mask);
    // If the words span at most as many as there are banks, each bank has one.
    if (!atomic && span.max / width - span.min / width < banks)
        return 1;
    for (; mask; mask &= mask - 1) {
        uint64_t word = lanes->address[__builtin_ctz(mask)] / width;
        uint32_t bank = (uint32_t)(word % banks), i = 0;
        while (i < count[bank] && (words[bank][i] != word || atomic))
            i++;
        if (i < count[bank])
            continue;
        words[bank][count[bank]++] = word;
        worst = count[bank] > worst ? count[bank] : worst;
    }
    return worst;
}

// If a lane accesses more bytes than a bank has, lanes are served in groups whose words fit in all
// banks together.
uint32_t bank_cycles(const struct core_config *config, const struct lane_bytes *lanes, bool atomic)
{
    uint32_t width = config->shared_bank_bytes, cycles = 0;
    uint32_t words = divide_up(lanes->bytes, width);
    uint32_t group = words < LANES ? LANES / (words ? words : 1) : 1;
    for (uint32_t from = 0; from < LANES; from += group) {
        uint32_t mask = group == LANES ? FULL_MASK : ((1u << group) - 1) << from;
        if (lanes->mask & mask)
            cycles += worst_bank(config, lanes, lanes->mask & mask, atomic);
    }
    return cycles;
}

uint32_t distinct_addresses(const struct lane_bytes *lanes)
{
    uint32_t count = 0;
    for (uint32_t mask = lanes->mask; mask; count++) {
        uint64_t first = lanes->address[__builtin_ctz(mask)];
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (lanes->address[lane] == first)
                mask &= ~(1u << lane);
        }
    }
    return count;
}
