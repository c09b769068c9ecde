// Where an address lies: channel, row, bank, column.
//
// Chunks of `channel_bytes` go to the channels in turn. What is left, as the number of a request
// within its channel, is taken apart as the key `order` says; column is then the lowest, bank the
// middle and row the highest part, or column and bank change places, or the bank's group comes
// lowest, so that requests that follow each other take turns between bank groups. With `bank_split`
// one bit of the bank lies within the column.
#pragma once
#include "runtime-sim/dram/dram_timing.h"

// In the order of the choices of the key `order`.
enum dram_order { DRAM_ROW_BANK_COLUMN, DRAM_ROW_COLUMN_BANK, DRAM_ROW_BANK_COLUMN_GROUP };

struct dram_place {
    uint32_t channel, bank, row, column; // column: in requests
};

// A divisor that is a shift where it can be.
struct dram_part {
    uint32_t size;
    uint32_t shift;
    bool is_shift;
};

struct dram_map {
    enum dram_order order;
    bool bank_xor;
    bool split; // a bit of the bank is below the upper columns
    struct dram_part lower_columns, upper_columns, pair, other_banks;
    struct dram_part columns, banks, inner_banks, groups, rows, chunk, channels;
    uint32_t request_bytes;
};

void dram_map_init(struct dram_map *map, const struct dram_config *config);

// Requests in a channel.
uint64_t dram_map_requests(const struct dram_map *map);
// Where the request with this number within its channel lies; numbers beyond the last begin anew.
// `channel` is 0.
struct dram_place dram_map_local(const struct dram_map *map, uint64_t number);

// Where the byte with this address lies.
struct dram_place dram_map_find(const struct dram_map *map, uint64_t address);
