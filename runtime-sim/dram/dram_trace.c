#include "runtime-sim/dram/dram_trace.h"
#include <inttypes.h>

enum { DATA_ROW = DRAM_BANKS, REFRESH_ROW };

static const char *const names[] = {
    [DRAM_ACT] = "ACT", [DRAM_PRE] = "PRE", [DRAM_PREA] = "PREA",   [DRAM_REF] = "REF",
    [DRAM_RD] = "RD",   [DRAM_WR] = "WR",   [DRAM_REF_BANK] = "REF"};

static struct trace_row row_of(const struct dram_trace_channel *t, uint32_t row)
{
    return (struct trace_row){t->process, row};
}

void dram_trace_name(const struct dram_config *config, struct trace *to, uint32_t process,
                     const char *name, uint32_t number)
{
    trace_process(to, process, name, number);
    for (uint32_t b = 0; b < config->banks; b++)
        trace_row(to, (struct trace_row){process, b}, "bank", b);
    trace_row(to, (struct trace_row){process, DATA_ROW}, "data of channel", number);
    trace_row(to, (struct trace_row){process, REFRESH_ROW}, "refresh of channel", number);
}

void dram_trace_begin(struct dram_trace_channel *t, const struct dram_config *config,
                      struct trace *to, struct trace_clock clock, uint32_t process)
{
    *t =
        (struct dram_trace_channel){.config = config, .to = to, .clock = clock, .process = process};
    dram_timing_init(&t->time, config);
}

static void span(struct dram_trace_channel *t, uint32_t row, uint64_t from, uint64_t until,
                 const char *name, uint64_t number)
{
    char text[64];
    snprintf(text, sizeof text, "%s %" PRIu64, name, number);
    trace_span(t->to, row_of(t, row), trace_time(t->clock, from), trace_time(t->clock, until), NULL,
               text, NULL);
}

static void end_row(struct dram_trace_channel *t, uint64_t now, uint32_t bank)
{
    span(t, bank, t->row_since[bank], now, "row", t->row[bank]);
    t->open &= ~(UINT64_C(1) << bank);
}

void dram_trace_end(struct dram_trace_channel *t, uint64_t now)
{
    while (t->open)
        end_row(t, now, (uint32_t)__builtin_ctzll(t->open));
}

static void data(struct dram_trace_channel *t, uint64_t now, bool write, uint32_t bank)
{
    uint64_t end = now - t->config->delay + (write ? t->time.write_end : t->time.read_end);
    trace_span(t->to, row_of(t, bank), trace_time(t->clock, now), trace_time(t->clock, now + 1),
               NULL, names[write ? DRAM_WR : DRAM_RD], NULL);
    span(t, DATA_ROW, end - t->config->burst, end, write ? "write of bank" : "read of bank", bank);
}

void dram_trace_command(void *channel, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id)
{
    struct dram_trace_channel *t = channel;
    (void)id;
    switch (command) {
    case DRAM_ACT:
        t->open |= UINT64_C(1) << bank;
        t->row_since[bank] = now;
        t->row[bank] = row;
        break;
    case DRAM_PRE: end_row(t, now, bank); break;
    case DRAM_PREA: dram_trace_end(t, now); break;
    case DRAM_REF: span(t, REFRESH_ROW, now, now + t->time.refresh, "REF", 0); break;
    case DRAM_REF_BANK: span(t, bank, now, now + t->time.refresh, "REF of bank", bank); break;
    case DRAM_RD:
    case DRAM_WR: data(t, now, command == DRAM_WR, bank); break;
    }
}

// Files

void dram_trace_file_begin(struct dram_trace_file *file, struct arena *arena,
                           const struct dram_config *config, FILE *to)
{
    const struct trace_clock clock = {TRACE_MICROSECOND, 1};
    *file = (struct dram_trace_file){.config = config};
    trace_begin(&file->trace, NULL, to, "a clock of the DRAM", 0, UINT64_MAX);
    file->channels = ARENA_ARRAY(arena, struct dram_trace_channel, config->channels);
    for (uint32_t i = 0; i < config->channels; i++) {
        dram_trace_name(config, &file->trace, i, "channel", i);
        dram_trace_begin(&file->channels[i], config, &file->trace, clock, i);
    }
}

void dram_trace_file_command(void *context, uint64_t now, enum dram_command command, uint32_t bank,
                             uint32_t row, uint64_t id)
{
    struct dram_trace_file *file = context;
    // The spans of a channel's rows end at the end of the channel's run.
    if (file->channel != file->channel_before)
        dram_trace_end(&file->channels[file->channel_before], file->last);
    file->channel_before = file->channel;
    file->last = now;
    dram_trace_command(&file->channels[file->channel], now, command, bank, row, id);
}

void dram_trace_file_end(struct dram_trace_file *file)
{
    dram_trace_end(&file->channels[file->channel_before], file->last);
    trace_end(&file->trace);
}
