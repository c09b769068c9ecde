// A host with a device, with a machine or without one, for tests.
#pragma once
#include "runtime-sim/host/host.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/schemes/schemes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kernels of a test: each has parameters `to` and `from`.
extern const char host_text[];

enum { SIZE = 128 * 1024, ELEMENTS = SIZE / 4, BLOCK = 256 };

struct bench {
    struct memory memory;
    struct arena arena;
    struct diags diags;
    struct device_module module;
    struct device device;
    struct machine_config config;
    struct host_config keys;
    struct config resolved;
    struct timed_options options;
    struct timed timed;
    bool with_time;
    uint32_t grid; // of launches; 0: a thread for each element
    struct host host;
    struct host_stream streams[3];
    uint64_t in_at, out_at;
    uint32_t in[ELEMENTS], out[ELEMENTS];
};

static inline void catch_failure(struct bench *b)
{
    if (setjmp(b->memory.on_failure))
        abort();
}

// Starts the host, with a machine of these settings (`with_time`) or without one.
static inline void start(struct bench *b, bool with_time, const char *const *settings)
{
    memset(b, 0, sizeof *b);
    catch_failure(b);
    arena_init(&b->arena, &b->memory);
    diags_init(&b->diags, &b->arena);
    uint32_t length = (uint32_t)strlen(host_text);
    char *text = arena_alloc(&b->arena, length + 2); // two NUL bytes follow a source
    memcpy(text, host_text, length);
    source_init(&b->module.source, &b->arena, "host.ptx", text, length);
    assert_true(device_module_read(&b->module, &b->arena, lanes_best(), &b->diags));
    b->device = (struct device){
        .arena = &b->arena, .program = &b->module.program, .source = &b->module.source};
    uint32_t count;
    struct config_section *sections = machine_sections(&b->config, &b->arena, schemes, &count);
    sections[count++] = host_section(&b->keys);
    config_init(&b->resolved, &b->arena, sections, count);
    assert_true(config_load(&b->resolved, "gtx580"));
    for (; settings && *settings; settings++)
        assert_true(config_set(&b->resolved, *settings));
    b->options.config = &b->config;
    host_options(&b->keys, NULL, b->host.gpus, &b->options);
    b->with_time = with_time;
    b->device.planes = machine_planes(&b->config);
    if (with_time)
        timed_begin(&b->timed, &b->device, &b->options);
    assert_null(device_load(&b->device));
    b->in_at = device_allocate(&b->device, SIZE, "in");
    b->out_at = device_allocate(&b->device, SIZE, "out");
    for (uint32_t i = 0; i < ELEMENTS; i++)
        b->in[i] = i * 5 + 1;
    host_begin(&b->host, &b->device, with_time ? &b->timed : NULL, &b->keys, NULL);
    for (int i = 0; i < 3; i++)
        host_stream_add(b->host.gpus, &b->streams[i], HOST_INDEPENDENT);
}

static inline void end(struct bench *b)
{
    device_drop(&b->device);
    if (b->with_time)
        arena_free(&b->timed.own);
    arena_free(&b->arena);
    assert_int_equal(b->memory.bytes, 0);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline struct device_launch *prepare(struct bench *b, const char *kernel)
{
    uint64_t parameters[2] = {b->out_at, b->in_at};
    struct launch_request request = {.kernel = program_find(&b->module.program, kernel),
                                     .grid = {b->grid ? b->grid : ELEMENTS / BLOCK, 1, 1},
                                     .block = {BLOCK, 1, 1},
                                     .parameters = parameters,
                                     .parameter_bytes = sizeof parameters};
    struct launch_refusal refusal;
    struct device_launch *one = device_prepare(&b->device, &request, &refusal);
    assert_non_null(one);
    return one;
}

static inline void to_device(struct bench *b, uint32_t stream, uint64_t from, uint64_t bytes)
{
    const struct host_copy copy = {
        .to = b->in_at + from, .bytes = bytes, .data_from = (uint8_t *)b->in + from};
    assert_true(host_copy(&b->streams[stream], &copy));
}

static inline void to_host(struct bench *b, uint32_t stream, uint64_t bytes)
{
    const struct host_copy copy = {.from = b->out_at, .bytes = bytes, .data_to = b->out};
    assert_true(host_copy(&b->streams[stream], &copy));
}

static inline uint64_t synchronise(struct bench *b)
{
    struct device_result result;
    if (host_synchronise(&b->host, &result) != DEVICE_DONE)
        fail_msg("%s", result.grid.fault.text);
    return host_runtime(&b->host);
}

// Returns the link's time for these bytes, in picoseconds.
static inline uint64_t link_time(uint64_t bytes)
{
    return (bytes * HOST_US + 6799) / 6800;
}

static inline uint64_t us(double microseconds)
{
    return (uint64_t)(microseconds * HOST_US + 0.5);
}

// Checks that a time is as expected, or up to `more` longer.
static inline void check_time(uint64_t time, uint64_t expected, uint64_t more)
{
    if (time < expected || time > expected + more)
        fail_msg("%.6f us instead of %.6f to %.6f", (double)time / HOST_US,
                 (double)expected / HOST_US, (double)(expected + more) / HOST_US);
}
