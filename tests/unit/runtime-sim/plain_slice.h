// The machine of directed tests: isca19 with slices in which requests pass each other, and without
// delays before slice and DRAM, so that latencies follow from a few keys; and with short queues.
#pragma once
#include "runtime-sim/base/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static inline void set_plain_slice(struct config *config)
{
    static const char *const settings[] = {
        "memory.request_delay=0",
        "memory.dram_delay=0",
        "memory.reply_queue=32",
        "request_network.injection_queue=16",
        "reply_network.injection_queue=256",
        "llc.latency=10",
        "llc.mshrs=128",
        "llc.merges=8",
        "llc.input=32",
        "llc.access_queue=16",
        "llc.out=32",
        "l1.mshrs=16",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_true(config_set(config, settings[i]));
}
