#include "runtime-sim/dram/dram_queue.h"

// Renumbers the members of a set by their rank in `places`.
static uint64_t squeeze(uint64_t set, uint64_t places)
{
    uint64_t to = 0;
    for (; set; set &= set - 1)
        to |= UINT64_C(1) << __builtin_popcountll(places & ((set & -set) - 1));
    return to;
}

static void move_down(struct dram_queue *q)
{
    uint64_t banks = 0;
    uint32_t to = 0;
    for (uint64_t rest = q->places; rest; rest &= rest - 1, to++) {
        uint32_t from = (uint32_t)__builtin_ctzll(rest);
        banks |= UINT64_C(1) << q->bank[from];
        q->bank[to] = q->bank[from];
        q->row[to] = q->row[from];
        q->id[to] = q->id[from];
        q->since[to] = q->since[from];
    }
    for (; banks; banks &= banks - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(banks);
        q->of_bank[bank] = squeeze(q->of_bank[bank], q->places);
        q->hit[bank] = squeeze(q->hit[bank], q->places);
    }
    q->writes = squeeze(q->writes, q->places);
    q->hits = squeeze(q->hits, q->places);
    q->misses = squeeze(q->misses, q->places);
    q->places = squeeze(q->places, q->places);
    q->end = to;
}

uint32_t dram_queue_add(struct dram_queue *q, const struct dram_request *request, uint64_t since)
{
    if (q->end == DRAM_PLACES)
        move_down(q);
    uint32_t place = q->end++;
    uint64_t bit = UINT64_C(1) << place;
    q->places |= bit;
    q->writes |= request->write ? bit : 0;
    q->of_bank[request->bank] |= bit;
    q->bank[place] = (uint8_t)request->bank;
    q->row[place] = request->row;
    q->id[place] = request->id;
    q->since[place] = since;
    q->count++;
    return place;
}
