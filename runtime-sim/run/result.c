#include "runtime-sim/run/result.h"
#include "backend/tables/build.h"
#include "ir/loc.h"
#include "runtime-sim/host/host.h"
#include "support/json.h"
#include <string.h>
#include <sys/resource.h>

struct result_host result_host_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct result_host){device_cpu_seconds(), (uint64_t)usage.ru_maxrss * 1024};
}

static void write_input(struct json *json, const char *file, const char *sha256)
{
    json_object_flat(json);
    json_member_string(json, "file", file);
    json_member_string(json, "sha256", sha256);
    json_end_object(json);
}

static void write_source(struct json *json, const char *key, const struct source *source)
{
    char digest[SHA256_HEX + 1];
    tables_digest(digest, source->text, source->length);
    json_key(json, key);
    write_input(json, source->name, digest);
}

static void write_inputs(struct json *json, const struct result *result)
{
    const struct run *run = result->session->run;
    if (result->run_file)
        write_source(json, "run", run->source);
    write_source(json, "program", result->session->device.source);
    json_key(json, "inputs");
    json_array(json);
    for (uint32_t i = 0; i < run->inputs.n; i++)
        write_input(json, run->inputs.v[i].file, run->inputs.v[i].sha256);
    json_end_array(json);
}

// A member of the results. It is null in functional mode and if its statistic is unknown.
struct measured_launch {
    const char *key, *name; // NULL: not counted by this machine
};

static void write_measured(struct json *json, const struct timed *timed,
                           const struct timed_kernel *counts, const struct measured_launch *member)
{
    double value;
    json_key(json, member->key);
    if (counts && member->name && timed_value(timed, counts, member->name, &value))
        json_double(json, value);
    else
        json_null(json);
}

static void write_group(struct json *json, const char *key, const struct timed *timed,
                        const struct timed_kernel *counts, const struct measured_launch *members)
{
    json_key(json, key);
    json_object_flat(json);
    for (; members->key; members++)
        write_measured(json, timed, counts, members);
    json_end_object(json);
}

// Returns the member of a statistic that a scheme of the machine provides.
static struct measured_launch measured_of_scheme(const struct timed *timed, const char *key)
{
    const struct scheme_ops *const *schemes = timed ? timed->options->config->schemes : NULL;
    for (; schemes && *schemes; schemes++)
        for (const struct scheme_result *row = (*schemes)->report.results; row && row->member;
             row++)
            if (!strcmp(row->member, key))
                return (struct measured_launch){key, row->statistic};
    return (struct measured_launch){key, NULL};
}

static void write_range(struct json *json, const char *key, struct energy_range joules)
{
    json_member_double(json, key, joules.value);
    json_member_double(json, "least", joules.min);
    json_member_double(json, "most", joules.max);
}

static void write_components(struct json *json, const struct energy_result *energy)
{
    json_key(json, "components");
    json_object(json);
    for (uint32_t i = 0; i < energy->components.n; i++) {
        json_key(json, energy->components.v[i].name);
        json_object_flat(json);
        write_range(json, "joules", energy->components.v[i].joules);
        json_end_object(json);
    }
    json_end_object(json);
}

// Writes the energy of timed launches; null if it is not known.
static void write_energy(struct json *json, const struct timed *timed,
                         const struct timed_kernel *counts)
{
    struct energy_result energy;
    struct arena own;
    json_key(json, "energy");
    if (!timed || !counts) {
        json_null(json);
        return;
    }
    arena_init(&own, timed->arena->memory);
    if (timed_energy(timed, counts, &own, &energy) && energy.seconds > 0) {
        double joules = energy.joules.value;
        json_object(json);
        write_range(json, "joules", energy.joules);
        json_member_double(json, "seconds", energy.seconds);
        json_member_double(json, "watts", joules / energy.seconds);
        json_member_double(json, "instructions_per_joule",
                           joules > 0 ? energy.instructions / joules : 0);
        json_member_double(json, "delay_product", joules * energy.seconds);
        write_components(json, &energy);
        json_end_object(json);
    } else {
        json_null(json);
    }
    arena_free(&own);
}

static void write_counts(struct json *json, const struct timed *timed,
                         const struct device_kernel *kernel, const struct timed_kernel *counts)
{
    static const struct measured_launch ipc = {"ipc", "machine.ipc"};
    const struct measured_launch offload[] = {measured_of_scheme(timed, "chains_tagged"),
                                              measured_of_scheme(timed, "chains_offloaded"),
                                              measured_of_scheme(timed, "blocks_offloaded"),
                                              {0}};
    static const struct measured_launch noc[] = {
        {"hops", "memory.hops"}, {"weighted_hops", "memory.weighted_hops"}, {0}};
    static const struct measured_launch memory[] = {{"l1_hits", "machine.from_l1"},
                                                    {"llc_hits", "memory.from_llc"},
                                                    {"dram_reads", "dram.reads"},
                                                    {"dram_writes", "dram.writes"},
                                                    {"latency_mean", "memory.latency_mean"},
                                                    {0}};
    json_member_uint(json, "launches", kernel->launches);
    json_member_uint(json, "timed_launches", counts ? counts->launches : 0);
    json_key(json, "cycles");
    if (counts)
        json_uint(json, counts->cycles);
    else
        json_null(json);
    json_member_uint(json, "warp_instructions", kernel->warp_instructions);
    json_member_uint(json, "thread_instructions", kernel->thread_instructions);
    write_measured(json, timed, counts, &ipc);
    write_group(json, "offload", timed, counts, offload);
    write_group(json, "noc", timed, counts, noc);
    write_group(json, "memory", timed, counts, memory);
    write_energy(json, timed, counts);
}

static void write_kernels(struct json *json, const struct result *result)
{
    const struct session *session = result->session;
    const struct timed *timed = result->timed;
    struct device_kernel total = {0};
    json_key(json, "kernels");
    json_array(json);
    for (uint32_t i = 0; i < session->device.kernels.n; i++) {
        const struct device_kernel *kernel = session->device.kernels.v[i];
        json_object(json);
        json_member_string(json, "name", kernel->name);
        write_counts(json, timed, kernel, kernel->timed);
        if (result->listing)
            listing_write_kernel(result->listing, kernel, json);
        json_end_object(json);
        total.launches += kernel->launches;
        total.warp_instructions += kernel->warp_instructions;
        total.thread_instructions += kernel->thread_instructions;
    }
    json_end_array(json);
    json_key(json, "total");
    json_object(json);
    write_counts(json, timed, &total, timed ? &timed->total : NULL);
    if (result->listing)
        listing_write_rest(result->listing, json);
    json_end_object(json);
}

// Writes the machine, on which the results depend besides the program and its data.
static void write_machine(struct json *json, const struct timed *timed)
{
    json_key(json, "configuration");
    if (!timed) {
        json_null(json);
        return;
    }
    json_object(json);
    config_json_inputs(timed->options->resolved, json);
    json_key(json, "resolved");
    config_json(timed->options->resolved, json);
    json_member_string(json, "policy", machine_policy(timed->arena, timed->options->config));
    json_end_object(json);
}

static void write_triple(struct json *json, const char *key, const uint32_t of[3])
{
    json_key(json, key);
    json_array_flat(json);
    for (int i = 0; i < 3; i++)
        json_uint(json, of[i]);
    json_end_array(json);
}

static void write_location(struct json *json, const struct session *session)
{
    const struct session_fault *fault = &session->fault;
    struct source_position place = source_position_at(session->device.source, fault->begin);
    write_triple(json, "cta", fault->cta);
    write_triple(json, "thread", fault->thread);
    json_member_string(json, "file", session->device.source->name);
    json_member_uint(json, "line", place.line);
    json_member_uint(json, "column", place.column);
}

static void write_stall(struct json *json, const struct session *session,
                        const struct session_stall *stall)
{
    struct source_position place = source_position_at(session->device.source, stall->begin);
    json_object(json);
    json_member_string(json, "text", stall->text);
    json_member_uint(json, "warps", stall->warps);
    json_member_uint(json, "ctas", stall->ctas);
    write_triple(json, "cta", stall->cta);
    json_member_uint(json, "warp", stall->warp);
    json_member_uint(json, "line", place.line);
    json_member_uint(json, "column", place.column);
    listing_write_origin(json, stall->origin);
    json_end_object(json);
}

static void write_stalls(struct json *json, const struct session *session)
{
    json_key(json, "stalls");
    json_array(json);
    for (uint32_t i = 0; i < session->fault.stalls.n; i++)
        write_stall(json, session, &session->fault.stalls.v[i]);
    json_end_array(json);
}

static void write_fault(struct json *json, const struct session *session)
{
    const struct session_fault *fault = &session->fault;
    json_key(json, "fault");
    if (!fault->text) {
        json_null(json);
        return;
    }
    json_object(json);
    json_member_string(json, "text", fault->text);
    json_member_string(json, "kernel", fault->kernel);
    json_member_uint(json, "launch", fault->launch);
    if (fault->happened) {
        write_location(json, session);
        listing_write_origin(json, fault->origin);
    }
    if (fault->has_address) {
        json_member_uint(json, "address", fault->address);
        json_member_string(json, "nearest", fault->nearest);
    }
    if (fault->stalls.n)
        write_stalls(json, session);
    json_end_object(json);
}

// Writes the times (microseconds) and bytes of a run with streams.
static void write_host_clock(struct json *json, const struct session *session)
{
    const struct host_stats *counts = &session->host->gpus[session->gpu].counts;
    const struct {
        const char *name;
        uint64_t time; // ns
    } times[] = {{"runtime_us", counts->runtime},
                 {"calls_us", counts->calls},
                 {"waits_us", counts->waits},
                 {"cpu_us", counts->cpu},
                 {"driver_us", counts->driver_busy},
                 {"driver_waits_us", counts->driver_waits},
                 {"copies_to_device_us", counts->copies_to_device},
                 {"copies_to_host_us", counts->copies_to_host},
                 {"launches_us", counts->launches}};
    json_key(json, "host_clock");
    json_object(json);
    for (uint32_t i = 0; i < ARRAY_LENGTH(times); i++) {
        json_member_double(json, times[i].name, (double)times[i].time / 1000);
    }
    json_member_uint(json, "to_device_bytes", counts->to_device_bytes);
    json_member_uint(json, "to_host_bytes", counts->to_host_bytes);
    json_end_object(json);
}

static void write_ends(struct json *json, const struct result *result)
{
    const struct session *session = result->session;
    if (session->run->has_streams)
        write_host_clock(json, session);
    json_key(json, "host");
    json_object(json);
    json_member_double(json, "cpu_seconds", result->host.cpu_seconds);
    json_member_double(json, "kernel_cpu_seconds", session->device.cpu.seconds);
    json_member_uint(json, "peak_rss_bytes", result->host.peak_rss_bytes);
    json_end_object(json);
    json_key(json, "checks");
    json_object_flat(json);
    json_member_uint(json, "passed", session->passed);
    json_member_uint(json, "failed", session->failed);
    json_key(json, "reports");
    if (session->device.check)
        json_uint(json, device_reports(&session->device));
    else
        json_null(json);
    json_end_object(json);
}

const char *result_outcome(enum session_outcome outcome, bool timed)
{
    static const char *const outcomes[] = {
        [SESSION_DONE] = "done",
        [SESSION_BAD_INPUT] = "bad input",
        [SESSION_CHECK_FAILED] = "check failed",
        [SESSION_NO_PROGRESS] = "no progress",
        [SESSION_FAULT] = "fault",
        [SESSION_INTERRUPTED] = "interrupted",
        [SESSION_LIMITED] = "cycle limit",
        [SESSION_STOPPED] = "stopped",
    };
    return outcome == SESSION_LIMITED && !timed ? "instruction limit" : outcomes[outcome];
}

static void write_shortfall(struct json *json, const struct result *result)
{
    const char *text =
        result->timed ? timed_shortfall(result->timed, result->session->arena) : NULL;
    if (!text)
        return;
    json_member_string(json, "shortfall", text);
}

void result_write(const struct result *result, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_member_string(&json, "format", "ptxoffload-run");
    json_member_int(&json, "version", 1);
    json_member_string(&json, "mode", result->timed ? "timed" : "functional");
    if (result->session->host && result->session->host->gpu_count > 1)
        json_member_uint(&json, "device", result->session->gpu);
    write_inputs(&json, result);
    write_machine(&json, result->timed);
    json_member_string(&json, "outcome", result_outcome(result->outcome, result->timed));
    json_member_int(&json, "exit_code", result->exit_code);
    json_member_bool(&json, "partial",
                     result->outcome != SESSION_DONE && result->outcome != SESSION_CHECK_FAILED);
    write_fault(&json, result->session);
    write_shortfall(&json, result);
    write_kernels(&json, result);
    write_ends(&json, result);
    json_end_object(&json);
    json_done(&json);
}
