// Streams, the caller's time, statistics.
#include "runtime-sim/host/host_state.h"
#include <inttypes.h>

static const struct config_key keys[] = {
#define CONFIG_DEF "runtime-sim/host/host.def"
#define CONFIG_OF struct host_config
#include "runtime-sim/base/config_keys.inc"
};

static const struct config_key peer_keys[] = {
#define CONFIG_DEF "runtime-sim/host/peer.def"
#define CONFIG_OF struct host_peer
#include "runtime-sim/base/config_keys.inc"
};

struct config_section host_section(struct host_config *config)
{
    return (struct config_section){"host", keys, ARRAY_LENGTH(keys), config};
}

struct config_section host_peer_section(struct host_peer *peer)
{
    return (struct config_section){"peer", peer_keys, ARRAY_LENGTH(peer_keys), peer};
}

static void add_stats(void *context, struct stats *stats)
{
    host_stats_add(context, stats);
}

void host_options(const struct host_config *config, const struct host_peer *peer,
                  struct host_gpu *gpu, struct timed_options *options)
{
    options->copies = true;
    options->peer_rate = peer ? host_peer_rate(peer) : 0;
    options->peer_latency = peer ? host_us(peer->latency_us) : 0;
    options->link_rate = host_link_rate(config);
    options->copy_outstanding = config->outstanding;
    options->one_copy_engine = config->engines == 1;
    options->add_stats = add_stats;
    options->stats_context = gpu;
}

void host_begin(struct host *host, struct device *device, struct timed *timed,
                const struct host_config *config, const struct host_peer *peer)
{
    *host = (struct host){0};
    host_add_gpu(host, device, timed, config, peer);
}

void host_add_gpu(struct host *host, struct device *device, struct timed *timed,
                  const struct host_config *config, const struct host_peer *peer)
{
    struct host_gpu *gpu = &host->gpus[host->gpu_count++];
    *gpu = (struct host_gpu){
        .host = host, .device = device, .timed = timed, .config = config, .peer = peer};
    if (timed)
        gpu->clock = timed->config.memsys.memory.core_clock;
}

void host_stream_add(struct host_gpu *gpu, struct host_stream *stream, enum host_order order)
{
    struct host *host = gpu->host;
    struct host_stream **at = &host->streams;
    *stream = (struct host_stream){
        .host = host, .gpu = gpu, .order = order, .number = host->stream_count++};
    while (*at)
        at = &(*at)->next;
    *at = stream;
}

void host_stream_remove(struct host_stream *stream)
{
    struct host_stream **at = &stream->host->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
}

// The caller's time

void host_pass(struct host *host, uint64_t time)
{
    host_trace_call(host, "cpu", host->now, host->now + time);
    host->now += time;
    host->gpus->counts.cpu += time / HOST_NS;
    host->gpus->counts.runtime = host_runtime(host) / HOST_NS;
}

void host_drop(struct host *host)
{
    while (host->computing && host->owner->await(host->owner->context))
        continue;
    host_forget(host);
    host->why = NULL;
    host->end = DEVICE_DONE;
    host->lost = false;
    if (host->now < host->time)
        host->now = host->time;
}

void host_work(struct host *host, uint64_t elements)
{
    host_pass(host, host_time((double)elements * host->gpus->config->cpu_ns * HOST_NS));
}

void host_mark(struct host *host)
{
    host->mark = host->now;
    for (uint32_t i = 0; i < host->gpu_count; i++)
        host->gpus[i].counts.runtime = 0;
}

// Statistics

void host_stats_add(const struct host_gpu *gpu, struct stats *stats)
{
    static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/host/host_stats.def"
#define STATS_OF struct host_stats
#include "runtime-sim/base/stats_keys.inc"
    };
    stats_add(stats, "host", stat_keys, ARRAY_LENGTH(stat_keys), &gpu->stats);
}

// Sets the statistics, which were 0 up to now, so that the difference is added to the total.
static void end_gpu(struct host_gpu *gpu)
{
    struct timed *timed = gpu->timed;
    struct arena own;
    if (!timed)
        return;
    arena_init(&own, gpu->device->arena->memory);
    struct stats_mark before = stats_snapshot(&timed->stats, &own);
    gpu->stats = gpu->counts;
    stats_sum(&timed->stats, &before, &timed->total.sum);
    arena_free(&own);
}

void host_end(struct host *host)
{
    for (uint32_t i = 0; i < host->gpu_count; i++) {
        host->gpus[i].counts.runtime = host->gpus->counts.runtime;
        end_gpu(&host->gpus[i]);
    }
}

// Report

static const char *name_of(const struct host_command *command)
{
    static const char *const copies[] = {"copy to the device", "copy to the host",
                                         "copy within the device"};
    if (command->command.peer)
        return "copy between devices";
    switch (command->command.kind) {
    case COMMAND_LAUNCH: return command->command.launch->kernel->name;
    case COMMAND_COPY: return copies[host_direction(&command->command)];
    case COMMAND_SET: return "memory set";
    case COMMAND_CALL: break;
    }
    return command->after          ? "wait for an event"
           : command->holds        ? "wait for a word"
           : command->record       ? "event"
           : command->command.mark ? "change of full/empty bits"
                                   : "call";
}

static void print_command(const struct host_command *command, FILE *to)
{
    static const char *const stages[] = {"is queued", "is in the driver", "is executing",
                                         "has ended"};
    fprintf(to, "command %" PRIu64 " in stream %u (%s", command->number, command->stream->number,
            name_of(command));
    if (command->command.bytes)
        fprintf(to, ", %" PRIu64 " bytes", command->command.bytes);
    fprintf(to, ") %s",
            command->stage == HOST_ENQUEUED && command->ready ? "waits for the driver"
                                                              : stages[command->stage]);
    if (command->stage == HOST_ENQUEUED && command->ready && command->gpu->driver)
        fprintf(to, ", which command %" PRIu64 " occupies", command->gpu->driver->number);
    else if (command->stage == HOST_ENQUEUED && command->stream->first != command)
        fprintf(to, " after command %" PRIu64, command->stream->first->number);
}

// Returns true if the command may change the state of the word.
static bool may_change(const struct host_command *command, uint64_t word)
{
    const struct device_command *one = &command->command;
    uint64_t at = one->to ? one->to : one->from;
    return one->kind == COMMAND_LAUNCH ||
           (plane_action_of(one->mark) &&
            word - at / PLANE_WORD * PLANE_WORD < one->bytes + at % PLANE_WORD);
}

// Returns the address of a word for which an executed command waits, or 0. Kernels come before
// copies, which may wait for the kernel.
static uint64_t waited_word(const struct host *host)
{
    uint64_t word = host->gpus->timed ? timed_waited(host->gpus->timed) : 0;
    for (uint32_t i = 0; i < host->executed.n; i++) {
        const struct host_command *command = host->executed.v[i];
        if (command->missing && (!word || command->command.kind == COMMAND_LAUNCH))
            word = command->missing;
    }
    return word;
}

void host_report(const struct host *host, FILE *to)
{
    uint64_t word = waited_word(host);
    for (const struct host_stream *stream = host->streams; stream; stream = stream->next) {
        if (!stream->first)
            continue;
        print_command(stream->first, to);
        fputc('\n', to);
    }
    if (!word)
        return;
    char place[160];
    bool found = false;
    image_describe(host->gpus->device->image, word, place, sizeof place);
    fprintf(to, "the word at 0x%" PRIx64 " %s does not have the state that is waited for\n", word,
            place);
    for (const struct host_stream *stream = host->streams; stream; stream = stream->next)
        for (const struct host_command *one = stream->first; one; one = one->next) {
            if (!may_change(one, word))
                continue;
            found = true;
            fputs("its state could change: ", to);
            print_command(one, to);
            fputc('\n', to);
        }
    if (!found)
        fputs("no issued command changes its state\n", to);
}
