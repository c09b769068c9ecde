// Address mapping: channel, row, bank, column.
//
// Chunks of `channel_bytes` are interleaved over the channels. The number of a request within its
// channel is divided into fields by the key `order`. From low to high these are column, bank and
// row; or bank, column and row; or bank group, column, bank and row, so that consecutive requests
// alternate between bank groups. With `bank_split` one bank bit lies within the column; with
// `bank_bits` any bits are the bank.
#pragma once
#include "runtime-sim/dram/dram.h"

struct dram_coordinates {
    uint32_t channel, bank, row, column; // column: in units of requests
};

// A divisor; if it is a power of two, it is applied as a shift.
struct dram_part {
    uint32_t size;
    uint32_t shift;
    bool is_shift;
};

struct dram_map {
    enum dram_order order;
    bool bank_xor;
    bool split;           // one bank bit is below the upper column bits
    uint32_t bank_bits;   // number of bits below; 0: by `order`
    uint8_t bank_bit[6];  // of a request's number, by significance
    uint8_t taken_bit[6]; // the same bits, highest first
    struct dram_part lower_columns, upper_columns, pair, other_banks;
    struct dram_part columns, banks, inner_banks, groups, rows, chunk, channels;
    uint32_t request_bytes;
};

// Initialises the mapping of a configuration.
void dram_map_init(struct dram_map *map, const struct dram_config *config);

// Returns the number of requests that a channel stores.
uint64_t dram_map_requests(const struct dram_map *map);
// Returns the location of request `number` within its channel, modulo dram_map_requests. `channel`
// is 0.
struct dram_coordinates dram_map_local(const struct dram_map *map, uint64_t number);

// Returns the channel of the byte with this address.
uint32_t dram_map_channel(const struct dram_map *map, uint64_t address);
// Returns the location of the byte with this address.
struct dram_coordinates dram_map_find(const struct dram_map *map, uint64_t address);
