#include "runtime-sim/dram/dram.h"
#include "support/bits.h"
#include <assert.h>
#include <string.h>

static uint64_t bit(uint32_t index)
{
    return UINT64_C(1) << index;
}

// Renumbers the members of a set by their rank in `places`.
static uint64_t squeeze(uint64_t set, uint64_t places)
{
    uint64_t to = 0;
    for (; set; set &= set - 1)
        to |= bit(bits_count(places & ((set & -set) - 1)));
    return to;
}

// Removes a place from a set; the places above it move down.
static uint64_t without_place(uint64_t set, uint32_t place)
{
    uint64_t below = bit(place) - 1;
    return (set >> 1 & ~below) | (set & below);
}

// Removes one unused place.
static void close_place(struct dram_queue *q, uint32_t place)
{
    uint32_t above = --q->end - place;
    memmove(q->bank + place, q->bank + place + 1, above * sizeof *q->bank);
    memmove(q->row + place, q->row + place + 1, above * sizeof *q->row);
    memmove(q->id + place, q->id + place + 1, above * sizeof *q->id);
    memmove(q->since + place, q->since + place + 1, above * sizeof *q->since);
    for (uint64_t rest = q->banks; rest; rest &= rest - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        q->of_bank[bank] = without_place(q->of_bank[bank], place);
        q->hit[bank] = without_place(q->hit[bank], place);
    }
    q->writes = without_place(q->writes, place);
    q->hits = without_place(q->hits, place);
    q->misses = without_place(q->misses, place);
    q->places = without_place(q->places, place);
}

static void move_down(struct dram_queue *q)
{
    enum { FEW = 4 }; // unused places that are removed one by one
    uint64_t banks = 0;
    uint32_t to = 0;
    if (q->count + FEW >= DRAM_ENTRIES) {
        while (q->end > q->count)
            close_place(q, (uint32_t)__builtin_ctzll(~q->places));
        return;
    }
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
    if (q->end == DRAM_ENTRIES)
        move_down(q);
    uint32_t place = q->end++;
    uint64_t own = bit(place);
    q->places |= own;
    q->writes |= request->write ? own : 0;
    q->of_bank[request->bank] |= own;
    q->banks |= bit(request->bank);
    q->bank[place] = (uint8_t)request->bank;
    q->row[place] = request->row;
    q->id[place] = request->id;
    q->since[place] = since;
    q->count++;
    return place;
}

const struct stat_key dram_stat_keys[] = {
#define STATS_DEF "runtime-sim/dram/dram_stats.def"
#define STATS_OF struct dram_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t dram_stat_key_count = ARRAY_LENGTH(dram_stat_keys);

enum { READS, WRITES }; // indices of the queues

static void at_least(uint64_t *clock, uint64_t value)
{
    if (*clock < value)
        *clock = value;
}

static void at_most(uint64_t *clock, uint64_t value)
{
    if (*clock > value)
        *clock = value;
}

void dram_init(struct dram_channel *ch, struct arena *arena, const struct dram_config *config)
{
    memset(ch, 0, sizeof *ch);
    ch->config = config;
    dram_timing_init(&ch->time, config);
    ch->next = dram_refresh_interval(config);
    ch->refresh_due = ch->next;
    ch->queues[READS].capacity = config->queue;
    ch->queues[WRITES].capacity = config->write_queue;
    for (uint32_t b = 0; b < config->banks; b++)
        ch->banks.group[b] = (uint8_t)(config->group_rule == DRAM_GROUP_BLOCK
                                           ? b / (config->banks / config->bank_groups)
                                           : b % config->bank_groups);
    ch->answers = ARENA_ARRAY(arena, struct dram_reply, config->answers);
    ch->min_latency = ch->min_write_latency = UINT64_MAX;
}

// Row hits

// Divides the bank's requests into row hits and requests that need a row command first.
static void sort_bank(struct dram_queue *q, uint32_t bank)
{
    uint64_t all = q->of_bank[bank];
    uint64_t hit = q->hit[bank];
    q->hits = (q->hits & ~all) | hit;
    q->misses = hit ? q->misses & ~all : q->misses | all;
}

static void row_changed(struct dram_channel *ch, uint32_t bank)
{
    bool open = ch->banks.open & bit(bank);
    for (int i = 0; i < 2; i++) {
        struct dram_queue *q = &ch->queues[i];
        q->hit[bank] = open ? dram_queue_find(q, bank, ch->banks.row[bank]) : 0;
        sort_bank(q, bank);
    }
}

void dram_accept(struct dram_channel *ch, uint64_t now, uint64_t since,
                 const struct dram_request *request)
{
    struct dram_queue *q = &ch->queues[request->write && ch->config->write_queue];
    assert(q->count < q->capacity && request->bank < ch->config->banks);
    uint32_t bank = request->bank;
    uint32_t place = dram_queue_add(q, request, since);
    if (ch->banks.open & bit(bank) && ch->banks.row[bank] == request->row)
        q->hit[bank] |= bit(place);
    sort_bank(q, bank);
    at_most(&ch->next, larger(now, ch->free));
    ch->stats.taken++;
    ch->stats.full_clocks += now - since;
    if (ch->stats.queue_most < q->count)
        ch->stats.queue_most = q->count;
}

// Commands, and the clocks from which they allow others

static void trace_command(struct dram_channel *ch, uint64_t now, enum dram_command command,
                          uint32_t bank, uint64_t id)
{
    if (ch->trace)
        ch->trace(ch->trace_context, now, command, bank, ch->banks.row[bank], id);
}

static void activate(struct dram_channel *ch, uint64_t now, uint32_t bank, uint32_t row)
{
    const struct dram_timing *t = &ch->time;
    struct dram_banks *banks = &ch->banks;
    banks->open |= bit(bank);
    banks->row[bank] = row;
    banks->served[bank] = 0;
    banks->act[bank] = now + t->act_act;
    banks->pre[bank] = now + t->act_pre;
    banks->read[bank] = now + t->act_read;
    banks->write[bank] = now + t->act_write;
    at_least(&ch->all.act, now + t->act_any);
    at_least(&ch->groups[banks->group[bank]].act, now + t->act_group);
    // The fourth ACT after this one must wait for tFAW.
    ch->faw[ch->faw_at] = now + t->act_fourth;
    ch->faw_at = (ch->faw_at + 1) % 4;
    at_least(&ch->all.act, ch->faw[ch->faw_at]);
    row_changed(ch, bank);
    ch->stats.activates++;
    trace_command(ch, now, DRAM_ACT, bank, 0);
}

static void close_row(struct dram_channel *ch, uint64_t now, uint32_t bank)
{
    ch->banks.open &= ~bit(bank);
    at_least(&ch->banks.act[bank], now + ch->time.pre_act);
    at_least(&ch->refresh_ready, now + ch->time.pre_act);
    row_changed(ch, bank);
    ch->stats.precharges++;
}

static void precharge(struct dram_channel *ch, uint64_t now, uint32_t bank)
{
    trace_command(ch, now, DRAM_PRE, bank, 0);
    close_row(ch, now, bank);
}

static void add_reply(struct dram_channel *ch, uint64_t id, uint64_t ready, bool write)
{
    uint32_t at = ch->reply_head + ch->reply_count++;
    at -= at >= ch->config->answers ? ch->config->answers : 0;
    ch->answers[at] = (struct dram_reply){id, ready, write};
}

static void after_read(struct dram_channel *ch, uint64_t now, uint32_t bank)
{
    const struct dram_timing *t = &ch->time;
    struct dram_limits *group = &ch->groups[ch->banks.group[bank]];
    at_least(&ch->all.read, now + t->read_read);
    at_least(&group->read, now + t->read_read_group);
    at_least(&ch->all.write, now + t->read_write);
    at_least(&ch->banks.pre[bank], now + t->read_pre);
}

static void after_write(struct dram_channel *ch, uint64_t now, uint32_t bank)
{
    const struct dram_timing *t = &ch->time;
    struct dram_limits *group = &ch->groups[ch->banks.group[bank]];
    at_least(&ch->all.write, now + t->write_write);
    at_least(&group->write, now + t->write_write_group);
    at_least(&ch->all.read, now + t->write_read);
    at_least(&group->read, now + t->write_read_group);
    at_least(&ch->banks.pre[bank], now + t->write_pre);
}

static void count_served(struct dram_channel *ch, uint64_t latency, uint32_t bank, bool write)
{
    struct dram_stats *s = &ch->stats;
    s->row_hits += ch->banks.served[bank]++ != 0;
    s->data_clocks += ch->config->burst;
    s->turns += write != ch->wrote;
    ch->wrote = write;
    *(write ? &s->writes : &s->reads) += 1;
    *(write ? &s->write_latency_sum : &s->read_latency_sum) += latency;
    at_most(write ? &ch->min_write_latency : &ch->min_latency, latency);
}

static void move_data(struct dram_channel *ch, uint64_t now, const struct dram_request *request,
                      uint64_t since)
{
    uint64_t ready = now + (request->write ? ch->time.write_end : ch->time.read_end);
    trace_command(ch, now, request->write ? DRAM_WR : DRAM_RD, request->bank, request->id);
    (request->write ? after_write : after_read)(ch, now, request->bank);
    add_reply(ch, request->id, ready, request->write);
    count_served(ch, ready - since, request->bank, request->write);
}

static struct dram_request request_at(const struct dram_queue *q, uint32_t place)
{
    return (struct dram_request){.id = q->id[place],
                                 .bank = q->bank[place],
                                 .row = q->row[place],
                                 .write = q->writes >> place & 1};
}

static void serve(struct dram_channel *ch, struct dram_queue *q, uint64_t now, uint32_t place)
{
    const struct dram_request request = request_at(q, place);
    uint32_t bank = request.bank;
    move_data(ch, now, &request, q->since[place]);
    dram_queue_remove(q, place);
    if (q->hit[bank] == 0)
        sort_bank(q, bank);
}

// Selection. Each of these functions issues the next command, or lowers `next` to the clock in
// which it can.

// Returns the requests that wait for the refresh of their bank.
static uint64_t held_requests(const struct dram_channel *ch, const struct dram_queue *q)
{
    return ch->holds ? q->of_bank[ch->refresh_bank] : 0;
}

// Issues the oldest request that hits an open row and whose command may be issued.
static bool choose_column(struct dram_channel *ch, struct dram_queue *q, uint64_t now,
                          uint64_t *next)
{
    uint64_t rest = q->hits & ~held_requests(ch, q);
    if (ch->reply_count == ch->config->answers)
        return false; // dram_pop schedules the next attempt
    while (rest) {
        uint32_t place = (uint32_t)__builtin_ctzll(rest), bank = q->bank[place];
        bool write = q->writes >> place & 1;
        const struct dram_limits *group = &ch->groups[ch->banks.group[bank]];
        uint64_t all = write ? ch->all.write : ch->all.read;
        uint64_t ready = write ? larger(ch->banks.write[bank], group->write)
                               : larger(ch->banks.read[bank], group->read);
        uint64_t same = write ? q->writes : ~q->writes;
        if (larger(all, ready) <= now) {
            serve(ch, q, now, place);
            return true;
        }
        // If all reads, or all writes, must wait, a younger request of the other kind may be ready
        // first.
        at_most(next, all > now ? all : ready);
        rest &= ~(all > now ? same : same & q->of_bank[bank]);
    }
    return false;
}

// Issues the ACT or PRE of the oldest request that needs one. An ACT has priority over a PRE:
// because of tRRD and tFAW, a delayed ACT delays all banks.
static bool choose_row(struct dram_channel *ch, struct dram_queue *q, uint64_t now, uint64_t *next)
{
    uint32_t closing = DRAM_BANKS;
    for (uint64_t rest = q->misses & ~held_requests(ch, q); rest;) {
        uint32_t place = (uint32_t)__builtin_ctzll(rest), bank = q->bank[place];
        bool open = ch->banks.open & bit(bank);
        uint64_t limit = larger(ch->all.act, ch->groups[ch->banks.group[bank]].act);
        uint64_t ready = open ? ch->banks.pre[bank] : larger(ch->banks.act[bank], limit);
        if (ready <= now && !open) {
            activate(ch, now, bank, q->row[place]);
            return true;
        }
        if (ready <= now && closing == DRAM_BANKS)
            closing = bank;
        at_most(next, ready);
        rest &= ~q->of_bank[bank];
    }
    if (closing < DRAM_BANKS)
        precharge(ch, now, closing);
    return closing < DRAM_BANKS;
}

// With page: closed, closes rows without waiting requests.
static bool close_unused(struct dram_channel *ch, uint64_t now, uint64_t *next)
{
    for (uint64_t rest = ch->banks.open; rest; rest &= rest - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        if (ch->queues[READS].hit[bank] || ch->queues[WRITES].hit[bank])
            continue;
        if (ch->banks.pre[bank] <= now) {
            precharge(ch, now, bank);
            return true;
        }
        at_most(next, ch->banks.pre[bank]);
    }
    return false;
}

// Returns the queue to serve: the reads, unless write_high writes wait or no read waits; then the
// writes until write_low.
static struct dram_queue *choose_queue(struct dram_channel *ch)
{
    const struct dram_config *c = ch->config;
    uint32_t reads = ch->queues[READS].count, writes = ch->queues[WRITES].count;
    if (!c->write_queue)
        return &ch->queues[READS];
    bool drain = ch->draining ? writes > c->write_low || (!reads && writes)
                              : writes >= c->write_high || (!reads && writes);
    ch->stats.drains += drain && !ch->draining && reads;
    ch->draining = drain;
    return &ch->queues[drain ? WRITES : READS];
}

// The scheduler bank_slots

// Moves a request into the next free slot in round-robin order of banks: one for the bank's last
// row, else the oldest. Returns true if a slot was filled.
static bool fill_entry(struct dram_channel *ch)
{
    struct dram_queue *q = &ch->queues[READS];
    for (uint32_t i = 0; i < ch->config->banks; i++) {
        uint32_t bank = (ch->entry_turn + i) % ch->config->banks;
        if (ch->entries_used & bit(bank) || !q->of_bank[bank])
            continue;
        uint64_t same = dram_queue_find(q, bank, ch->banks.row[bank]);
        uint32_t place = (uint32_t)__builtin_ctzll(same ? same : q->of_bank[bank]);
        ch->bank_entries[bank] = (struct dram_bank_entry){request_at(q, place), q->since[place]};
        ch->entries_used |= bit(bank);
        dram_queue_remove(q, place);
        ch->entry_turn = (ch->entry_turn + 1) % ch->config->banks;
        return true;
    }
    return false;
}

// Returns the clock in which the bank's slot may issue its RD or WR, its ACT, or the PRE of another
// row.
static uint64_t entry_ready(const struct dram_channel *ch, uint32_t bank)
{
    const struct dram_request *request = &ch->bank_entries[bank].request;
    const struct dram_limits *group = &ch->groups[ch->banks.group[bank]];
    if (ch->holds && bank == ch->refresh_bank)
        return UINT64_MAX;
    if (!(ch->banks.open & bit(bank)))
        return larger(ch->banks.act[bank], larger(ch->all.act, group->act));
    if (ch->banks.row[bank] != request->row)
        return ch->banks.pre[bank];
    if (ch->reply_count == ch->config->answers)
        return UINT64_MAX;
    return request->write ? larger(ch->banks.write[bank], larger(ch->all.write, group->write))
                          : larger(ch->banks.read[bank], larger(ch->all.read, group->read));
}

static void serve_entry(struct dram_channel *ch, uint64_t now, uint32_t bank)
{
    const struct dram_bank_entry *slot = &ch->bank_entries[bank];
    if (ch->banks.open & bit(bank) && ch->banks.row[bank] == slot->request.row) {
        move_data(ch, now, &slot->request, slot->since);
        ch->entries_used &= ~bit(bank);
        return;
    }
    if (ch->banks.open & bit(bank))
        precharge(ch, now, bank);
    else
        activate(ch, now, bank, slot->request.row);
    ch->entry_turn = (bank + 1) % ch->config->banks;
}

static bool schedule_entries(struct dram_channel *ch, uint64_t now, uint64_t *next)
{
    bool filled = fill_entry(ch);
    for (uint32_t i = 0; i < ch->config->banks; i++) {
        uint32_t bank = (ch->entry_turn + i) % ch->config->banks;
        uint64_t ready = ch->entries_used & bit(bank) ? entry_ready(ch, bank) : UINT64_MAX;
        if (ready <= now) {
            serve_entry(ch, now, bank);
            return true;
        }
        at_most(next, ready);
    }
    return filled;
}

// `has_row_bus`: a row command can be issued.
static bool schedule(struct dram_channel *ch, uint64_t now, uint64_t *next, bool has_row_bus)
{
    if (ch->config->scheduler == DRAM_BANK_SLOTS)
        return schedule_entries(ch, now, next);
    struct dram_queue *q = choose_queue(ch);
    bool column = choose_column(ch, q, now, next);
    bool row = false;
    if (has_row_bus && (!column || ch->config->split_commands)) {
        row = choose_row(ch, q, now, next);
        if (!row && ch->config->page == DRAM_CLOSED)
            row = close_unused(ch, now, next);
    }
    return column || row;
}

// Refresh: no new command starts, all rows are closed together as soon as each may be closed, and
// then REF is issued.
static bool refresh(struct dram_channel *ch, uint64_t now, uint64_t *next)
{
    uint64_t ready = ch->banks.open ? 0 : ch->refresh_ready;
    for (uint64_t rest = ch->banks.open; rest; rest &= rest - 1)
        at_least(&ready, ch->banks.pre[__builtin_ctzll(rest)]);
    if (ready > now) {
        at_most(next, ready);
        return false;
    }
    if (ch->banks.open) {
        trace_command(ch, now, DRAM_PREA, 0, 0);
        for (uint64_t rest = ch->banks.open; rest; rest &= rest - 1)
            close_row(ch, now, (uint32_t)__builtin_ctzll(rest));
        return true;
    }
    trace_command(ch, now, DRAM_REF, 0, 0);
    for (uint32_t b = 0; b < ch->config->banks; b++)
        at_least(&ch->banks.act[b], now + ch->time.refresh);
    ch->refresh_ready = now + ch->time.refresh;
    ch->refresh_due += ch->config->tREFI;
    ch->stats.refreshes++;
    return true;
}

// Refresh of one bank: its row is closed as soon as it may be, and then the bank is refreshed.
static bool refresh_bank(struct dram_channel *ch, uint64_t now, uint64_t *next)
{
    uint32_t bank = ch->refresh_bank;
    bool is_open = ch->banks.open & bit(bank);
    uint64_t ready = is_open ? ch->banks.pre[bank] : ch->banks.act[bank];
    if (ready > now) {
        at_most(next, ready);
        return false;
    }
    if (is_open) {
        precharge(ch, now, bank);
        return true;
    }
    trace_command(ch, now, DRAM_REF_BANK, bank, 0);
    ch->banks.act[bank] = now + ch->time.refresh;
    ch->refresh_bank = (bank + 1) % ch->config->banks;
    ch->refresh_due += dram_refresh_interval(ch->config);
    ch->holds = false;
    ch->stats.refreshes++;
    return true;
}

static bool refresh_and_schedule(struct dram_channel *ch, uint64_t now, uint64_t *next)
{
    bool is_due = now >= ch->refresh_due;
    if (ch->config->refresh == DRAM_REFRESH_ALL)
        return is_due ? refresh(ch, now, next) : schedule(ch, now, next, true);
    ch->holds = is_due;
    bool busy = is_due && refresh_bank(ch, now, next);
    if (busy && !ch->config->split_commands)
        return true;
    return schedule(ch, now, next, !busy) || busy;
}

uint64_t dram_step(struct dram_channel *ch, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    bool busy = refresh_and_schedule(ch, now, &next);
    if (now < ch->refresh_due)
        at_most(&next, ch->refresh_due);
    if (busy) {
        ch->free = now + 1;
        next = now + 1;
    }
    ch->next = next;
    return next;
}

bool dram_pass_refreshes(struct dram_channel *ch, uint64_t clock)
{
    uint32_t banks = ch->config->banks,
             kept = 2 * banks; // times of banks follow from the last ones
    uint64_t interval = dram_refresh_interval(ch->config);
    bool is_idle = !ch->banks.open && !dram_inside(ch) && ch->next == ch->refresh_due;
    if (!is_idle || ch->trace || clock < ch->refresh_due ||
        (clock - ch->refresh_due) / interval <= kept)
        return false;
    uint64_t count = (clock - ch->refresh_due) / interval - kept;
    if (ch->config->refresh == DRAM_REFRESH_BANK)
        ch->refresh_bank = (uint32_t)((ch->refresh_bank + count) % banks);
    ch->stats.refreshes += count;
    ch->refresh_due += count * interval;
    ch->next = ch->refresh_due;
    return true;
}

void dram_pop(struct dram_channel *ch, uint64_t now)
{
    assert(ch->reply_count);
    if (ch->reply_count-- == ch->config->answers)
        at_most(&ch->next, larger(now, ch->free));
    if (++ch->reply_head == ch->config->answers)
        ch->reply_head = 0;
}

uint32_t dram_inside(const struct dram_channel *ch)
{
    return ch->queues[READS].count + ch->queues[WRITES].count + ch->reply_count +
           (uint32_t)__builtin_popcountll(ch->entries_used);
}
