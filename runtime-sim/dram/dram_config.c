// The keys of dram.def, checks of combinations of values, and the timing computed from them.
#include "runtime-sim/dram/dram.h"

const struct config_key dram_keys[] = {
#define CONFIG_DEF "runtime-sim/dram/dram.def"
#define CONFIG_OF struct dram_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t dram_key_count = ARRAY_LENGTH(dram_keys);

struct timing_pair {
    const char *name;
    uint32_t value;
};

static const char *not_multiple(struct arena *arena, struct timing_pair of, struct timing_pair by)
{
    if (of.value % by.value == 0)
        return NULL;
    return arena_printf(arena, "dram.%s is %u, not a multiple of dram.%s: %u", of.name, of.value,
                        by.name, by.value);
}

static const char *not_below(struct arena *arena, struct timing_pair a, struct timing_pair b)
{
    if (a.value < b.value)
        return NULL;
    return arena_printf(arena, "dram.%s is %u, not below dram.%s: %u", a.name, a.value, b.name,
                        b.value);
}

static const char *above_queue(struct arena *arena, const struct dram_config *c)
{
    if (c->write_high <= c->write_queue)
        return NULL;
    return arena_printf(arena, "dram.write_high is %u, above dram.write_queue: %u", c->write_high,
                        c->write_queue);
}

// Returns a fault if tREFI is too short. Between two refreshes the oldest request must get its row
// and its data even if a refresh becomes due after its first ACT: its row is closed, the memory is
// refreshed, and the delays from ACT to ACT and from ACT to RD apply.
static const char *only_refreshes(struct arena *arena, const struct dram_config *c)
{
    uint32_t rows = larger(larger(c->tRC, c->tFAW), larger(c->tRRD, c->tRRD_L));
    uint32_t min = larger(rows, c->tRAS + c->tRP + c->tRFC) + larger(c->tRCD, c->tRCD_write);
    if (!c->tREFI || c->tREFI > min)
        return NULL;
    return arena_printf(arena,
                        "dram.tREFI is %u, too short to serve a request between two refreshes: "
                        "with these timings it must be more than %u",
                        c->tREFI, min);
}

static bool is_power(uint32_t value)
{
    return !(value & (value - 1));
}

// Each bank bit is above those of a request and below 2^40, and stands once in the list.
static const char *check_bank_bits(struct arena *arena, const struct dram_config *c)
{
    uint64_t used = 0;
    if (!c->bank_bits.n)
        return NULL;
    if (c->bank_split || c->order != DRAM_ROW_BANK_COLUMN)
        return "dram.bank_bits needs dram.order: row_bank_column and dram.bank_split: 0";
    if (!is_power(c->request_bytes) || !is_power(c->row_bytes) || !is_power(c->channel_bytes))
        return "dram.bank_bits needs powers of two for dram.request_bytes, .row_bytes and "
               ".channel_bytes";
    if (c->bank_bits.n > 6 || c->banks != 1u << c->bank_bits.n)
        return arena_printf(arena, "dram.bank_bits has %u bits, but there are %u banks",
                            c->bank_bits.n, c->banks);
    for (uint32_t i = 0; i < c->bank_bits.n; i++) {
        uint64_t bit = UINT64_C(1) << c->bank_bits.v[i];
        if (used & bit || bit < c->request_bytes)
            return arena_printf(arena, "dram.bank_bits contains %u, %s", c->bank_bits.v[i],
                                used & bit ? "twice" : "a bit within dram.request_bytes");
        used |= bit;
    }
    return NULL;
}

#define KEY(name) ((struct timing_pair){#name, c->name})

const char *dram_config_fault(const struct dram_config *c, struct arena *arena)
{
    const char *faults[] = {
        not_multiple(arena, KEY(row_bytes), KEY(request_bytes)),
        c->bank_split ? not_multiple(arena, KEY(bank_split), KEY(request_bytes)) : NULL,
        c->bank_split ? not_multiple(arena, KEY(row_bytes), KEY(bank_split)) : NULL,
        c->bank_split && (c->order != DRAM_ROW_BANK_COLUMN || c->banks % 2)
            ? "dram.bank_split needs dram.order: row_bank_column and an even number of dram.banks"
            : NULL,
        c->scheduler == DRAM_BANK_SLOTS &&
                (c->write_queue || c->page == DRAM_CLOSED || c->split_commands)
            ? "dram.scheduler: bank_slots needs dram.write_queue 0, .page: open and "
              ".split_commands: false"
            : NULL,
        not_multiple(arena, KEY(channel_bytes), KEY(request_bytes)),
        not_multiple(arena, KEY(banks), KEY(bank_groups)),
        c->write_queue ? not_below(arena, KEY(write_low), KEY(write_high)) : NULL,
        c->write_queue ? above_queue(arena, c) : NULL,
        c->tREFI ? not_below(arena, KEY(tRFC), KEY(tREFI)) : NULL,
        only_refreshes(arena, c),
        c->tREFI && c->refresh == DRAM_REFRESH_BANK && c->tREFI < c->banks
            ? "dram.refresh: bank needs a dram.tREFI of a clock for each bank"
            : NULL,
        check_bank_bits(arena, c),
        c->bank_xor && c->banks & (c->banks - 1)
            ? "dram.bank_xor needs a power of two for dram.banks"
            : NULL,
    };
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++)
        if (faults[i])
            return faults[i];
    return NULL;
}

uint64_t dram_refresh_interval(const struct dram_config *c)
{
    if (!c->tREFI)
        return UINT64_MAX;
    return c->refresh == DRAM_REFRESH_BANK ? c->tREFI / c->banks : c->tREFI;
}

void dram_timing_init(struct dram_timing *t, const struct dram_config *c)
{
    uint32_t column = larger(c->tCCD, c->burst), written = c->CWL + c->burst;
    // The data of a read end before those of a write begin, for all latencies.
    uint32_t read_end = c->tCL + c->burst + c->turnaround;
    *t = (struct dram_timing){
        .act_read = c->tRCD,
        .act_write = c->tRCD_write ? c->tRCD_write : c->tRCD,
        .act_pre = c->tRAS,
        .act_act = c->tRC,
        .pre_act = c->tRP,
        .read_pre = c->tRTP,
        .write_pre = written + c->tWR,
        .act_any = c->tRRD,
        .act_group = larger(c->tRRD, c->tRRD_L),
        .act_fourth = c->tFAW,
        .read_read = column,
        .read_read_group = larger(column, c->tCCD_L),
        .write_write = column,
        .write_write_group = larger(column, c->tCCD_L),
        .read_write = larger(1, read_end > c->CWL ? read_end - c->CWL : 0),
        .write_read = written + c->tWTR,
        .write_read_group = written + larger(c->tWTR, c->tWTR_L),
        .refresh = c->tRFC,
        .read_end = c->tCL + c->burst + c->delay,
        .write_end = written + c->delay,
    };
}
