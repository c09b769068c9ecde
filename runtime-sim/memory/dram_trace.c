#include "runtime-sim/memory/dram_trace.h"
#include <inttypes.h>
#include <stdarg.h>

enum { DATA_TRACK = DRAM_BANKS, REFRESH_TRACK };

static const char *const names[] = {[DRAM_ACT] = "ACT", [DRAM_PRE] = "PRE", [DRAM_PREA] = "PREA",
                                    [DRAM_REF] = "REF", [DRAM_RD] = "RD",   [DRAM_WR] = "WR"};

static void __attribute__((format(printf, 2, 3)))
event(struct dram_trace_file *t, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sink_text(&t->to, t->first ? "\n{" : ",\n{");
    sink_bytes(&t->to, text, (size_t)length);
    sink_char(&t->to, '}');
    t->first = false;
}

static void name_track(struct dram_trace_file *t, uint32_t channel, uint32_t track,
                       const char *name, uint32_t number)
{
    event(t,
          "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
          "\"args\":{\"name\":\"%s %u\"}",
          channel, track, name, number);
}

void dram_trace_begin(struct dram_trace_file *t, const struct dram_config *config, FILE *to)
{
    *t = (struct dram_trace_file){.config = config, .first = true};
    dram_timing_init(&t->time, config);
    sink_init(&t->to, to);
    sink_text(&t->to, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (uint32_t c = 0; c < config->channels; c++) {
        event(
            t,
            "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"channel %u\"}",
            c, c);
        for (uint32_t b = 0; b < config->banks; b++)
            name_track(t, c, b, "bank", b);
        name_track(t, c, DATA_TRACK, "data of channel", c);
        name_track(t, c, REFRESH_TRACK, "refresh of channel", c);
    }
}

static void span(struct dram_trace_file *t, uint32_t channel, uint32_t track, uint64_t from,
                 uint64_t until, const char *name, uint64_t number)
{
    event(t,
          "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
          ",\"name\":\"%s %" PRIu64 "\"",
          channel, track, from, until - from, name, number);
}

static void end_row(struct dram_trace_file *t, uint64_t now, uint32_t bank)
{
    span(t, t->channel_before, bank, t->row_since[bank], now, "row", t->row[bank]);
    t->open &= ~(UINT64_C(1) << bank);
}

static void end_rows(struct dram_trace_file *t, uint64_t now)
{
    while (t->open)
        end_row(t, now, (uint32_t)__builtin_ctzll(t->open));
}

static void data(struct dram_trace_file *t, uint64_t now, bool write, uint32_t bank, uint64_t id)
{
    uint64_t end = now - t->config->delay + (write ? t->time.write_end : t->time.read_end);
    event(t, "\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":1,\"name\":\"%s\"",
          t->channel, bank, now, names[write ? DRAM_WR : DRAM_RD]);
    span(t, t->channel, DATA_TRACK, end - t->config->burst, end, write ? "write" : "read", id);
}

void dram_trace_command(void *file, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id)
{
    struct dram_trace_file *t = file;
    // Channels are driven one after the other; where the one before ended is where its rows end.
    if (t->channel != t->channel_before)
        end_rows(t, t->last);
    t->channel_before = t->channel;
    t->last = now;
    switch (command) {
    case DRAM_ACT:
        t->open |= UINT64_C(1) << bank;
        t->row_since[bank] = now;
        t->row[bank] = row;
        break;
    case DRAM_PRE: end_row(t, now, bank); break;
    case DRAM_PREA: end_rows(t, now); break;
    case DRAM_REF: span(t, t->channel, REFRESH_TRACK, now, now + t->time.refresh, "REF", 0); break;
    case DRAM_RD:
    case DRAM_WR: data(t, now, command == DRAM_WR, bank, id); break;
    }
}

void dram_trace_end(struct dram_trace_file *t)
{
    end_rows(t, t->last);
    sink_text(&t->to, "\n]}\n");
    sink_flush(&t->to);
}
