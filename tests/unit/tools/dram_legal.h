// The rules of the standards, stated a second time in the simplest way: every command is compared
// with every earlier one. Shares no code with runtime-sim/memory except its configuration.
#pragma once
#include "runtime-sim/dram/dram.h"

struct sent_command {
    uint64_t at;
    enum dram_command command;
    uint32_t bank, row;
    uint64_t id;
};

enum scope { SAME_BANK, SAME_GROUP, CHANNEL };

struct rule {
    enum dram_command from, to;
    enum scope scope;
    uint64_t clocks;
};

enum { RULES = 40 };

struct history {
    const struct dram_config *config;
    struct arena *arena;
    struct rule rules[RULES];
    uint32_t rule_count;
    uint64_t longest; // of the rules
    VEC(struct sent_command) list;
    bool open[DRAM_BANKS];
    uint32_t row[DRAM_BANKS];
};

void history_init(struct history *history, struct arena *arena, const struct dram_config *config);
// Returns why the command may not be issued at this clock; NULL: it may.
const char *history_fault(const struct history *history, uint64_t now, enum dram_command command,
                          uint32_t bank, uint32_t row);
void history_add(struct history *history, const struct sent_command *told);
