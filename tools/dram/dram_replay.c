#include "tools/dram/dram_replay.h"
#include <inttypes.h>

static uint32_t parts_of(const struct trace_request *request, uint32_t bytes)
{
    uint64_t last = request->address + (request->bytes ? request->bytes - 1 : 0);
    return (uint32_t)(last / bytes - request->address / bytes + 1);
}

void dram_replay_init(struct dram_replay *replay, struct arena *arena,
                      const struct trace_text *trace, const struct dram_config *config)
{
    uint32_t bytes = (uint32_t)config->request_bytes;
    *replay = (struct dram_replay){.trace = trace, .timed = trace->timed};
    for (uint32_t i = 0; i < trace->requests.n; i++)
        replay->count += parts_of(&trace->requests.v[i], bytes);
    replay->line = ARENA_ARRAY(arena, uint32_t, replay->count);
    replay->address = ARENA_ARRAY(arena, uint64_t, replay->count);
    replay->arrived = ARENA_ARRAY(arena, uint64_t, replay->count);
    replay->replied = ARENA_ARRAY(arena, uint64_t, replay->count);
    uint64_t at = 0;
    for (uint32_t i = 0; i < trace->requests.n; i++)
        for (uint32_t part = 0; part < parts_of(&trace->requests.v[i], bytes); part++, at++) {
            replay->line[at] = i;
            replay->address[at] = trace->requests.v[i].address / bytes * bytes + part * bytes;
        }
}

void dram_replay_write(const struct dram_replay *replay, FILE *to)
{
    fputs("number,address,kind,arrival,reply,latency\n", to);
    for (uint64_t i = 0, next; i < replay->count; i = next) {
        uint32_t line = replay->line[i];
        uint64_t arrival = UINT64_MAX, reply = 0;
        bool all = true;
        for (next = i; next < replay->count && replay->line[next] == line; next++) {
            all &= replay->replied[next] > 0;
            arrival = arrival < replay->arrived[next] ? arrival : replay->arrived[next];
            reply = reply > replay->replied[next] ? reply : replay->replied[next];
        }
        const struct trace_request *request = &replay->trace->requests.v[line];
        if (all)
            fprintf(to, "%" PRIu32 ",0x%" PRIx64 ",%c,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", line,
                    request->address, request->write ? 'W' : 'R', arrival, reply, reply - arrival);
    }
}
