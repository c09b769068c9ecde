// Waiting requests as sets of entries. Entries are allocated in order of arrival, so the lowest bit
// of a set is the oldest. When the last entry is allocated, the waiting requests are compacted,
// which happens at most once per 64 − capacity requests.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { DRAM_BANKS = 64, DRAM_GROUPS = 16, DRAM_PLACES = 64 };

struct dram_request {
    uint64_t id; // assigned by the sender
    uint32_t bank, row;
    bool write;
};

struct dram_queue {
    uint32_t count, capacity;
    uint32_t end;    // first entry that was not allocated yet
    uint64_t places; // entries in use
    uint64_t writes; // entries with writes
    uint64_t hits;   // requests that may be served from their open row
    uint64_t misses; // requests of banks without a member of `hits`
    uint64_t of_bank[DRAM_BANKS];
    uint64_t hit[DRAM_BANKS]; // requests for the bank's open row
    uint8_t bank[DRAM_PLACES];
    uint32_t row[DRAM_PLACES];
    uint64_t id[DRAM_PLACES], since[DRAM_PLACES];
};

// Adds a request. Requires count < capacity. Returns its entry.
uint32_t dram_queue_add(struct dram_queue *queue, const struct dram_request *request,
                        uint64_t since);

// Removes the request in an entry.
static inline void dram_queue_remove(struct dram_queue *queue, uint32_t place)
{
    uint64_t others = ~(UINT64_C(1) << place);
    queue->places &= others;
    queue->writes &= others;
    queue->of_bank[queue->bank[place]] &= others;
    queue->hit[queue->bank[place]] &= others;
    queue->hits &= others;
    queue->misses &= others;
    queue->count--;
}

// Returns the requests for this bank and row.
static inline uint64_t dram_queue_find(const struct dram_queue *queue, uint32_t bank, uint32_t row)
{
    uint64_t found = 0;
    for (uint64_t rest = queue->of_bank[bank]; rest; rest &= rest - 1)
        if (queue->row[__builtin_ctzll(rest)] == row)
            found |= rest & -rest;
    return found;
}
