#include "tools/dram/dram_drive.h"
#include "support/random.h"
#include "tools/dram/dram_memory.h"
#include <time.h>

// The source of a channel's requests. It makes each request before the channel can accept it.
struct feed {
    const struct dram_drive *drive;
    struct dram_map map;
    uint32_t channel;
    uint64_t requests;     // number of requests that the channel's memory holds
    uint64_t random;       // state of the generator of addresses and kinds
    uint64_t random_clock; // state of the generator of arrival times
    bool saturated;
    uint64_t whole, part; // requests per clock, and probability of one more · 2^64
    uint64_t end;         // clock at which arrivals end
    uint64_t number;      // number of the request, from 0
    uint64_t comes;       // clock of the request's arrival; `end`: no more requests
    uint64_t with_it;     // further requests that arrive in the same clock
    struct dram_request request;
};

// Returns a number from 0 to `limit` - 1.
static uint64_t below(uint64_t *state, uint64_t limit)
{
    __extension__ unsigned __int128 product = splitmix64(state);
    return (uint64_t)(product * limit >> 64);
}

static bool chance(uint64_t *state, double probability)
{
    return (double)(splitmix64(state) >> 11) < probability * 0x1p53;
}

static struct dram_coordinates place(struct feed *s)
{
    const struct dram_config *c = s->drive->config;
    switch (s->drive->pattern) {
    case DRAM_SEQ: break;
    case DRAM_RANDOM: return dram_map_local(&s->map, below(&s->random, s->requests));
    case DRAM_ONE_BANK: return (struct dram_coordinates){.row = (uint32_t)(s->number % c->rows)};
    case DRAM_BANK_RR:
        return (struct dram_coordinates){.bank = (uint32_t)(s->number % c->banks),
                                         .row = (uint32_t)(s->number / c->banks % c->rows)};
    }
    return dram_map_local(&s->map, s->number % s->requests);
}

static void make(struct feed *s)
{
    struct dram_coordinates at = place(s);
    double writes = s->drive->writes;
    s->request = (struct dram_request){.id = s->number, .bank = at.bank, .row = at.row};
    s->request.write = writes >= 1 || (writes > 0 && chance(&s->random, writes));
}

// Advances to the clock of the next request. In each clock the integer part of the load arrives,
// and one more request with the probability of its fraction.
static void wait_for_next(struct feed *s)
{
    if (s->saturated)
        return;
    if (s->with_it) {
        s->with_it--;
        return;
    }
    uint64_t come = 0;
    while (!come && ++s->comes < s->end)
        come = s->whole + (splitmix64(&s->random_clock) < s->part);
    s->with_it = come ? come - 1 : 0;
}

// Advances to the next request of the channel in the trace, from `number` on.
static void next_of_trace(struct feed *s)
{
    const struct dram_replay *replay = s->drive->replay;
    for (; s->number < replay->count; s->number++) {
        struct dram_coordinates at = dram_map_find(&s->map, replay->address[s->number]);
        if (at.channel != s->channel)
            continue;
        const struct trace_request *from = &replay->trace->requests.v[replay->line[s->number]];
        s->request = (struct dram_request){s->number, at.bank, at.row, from->write};
        s->comes = from->cycle;
        return;
    }
    s->comes = s->end;
}

static void feed_trace(struct feed *s, const struct dram_drive *drive, uint32_t channel)
{
    *s = (struct feed){.drive = drive, .channel = channel, .end = UINT64_MAX};
    s->saturated = !drive->replay->timed;
    dram_map_init(&s->map, drive->config);
    next_of_trace(s);
}

static void feed_init(struct feed *s, const struct dram_drive *drive, uint32_t channel)
{
    double load = drive->load / (double)drive->config->channels;
    uint64_t seed = drive->seed + channel;
    *s = (struct feed){.drive = drive, .saturated = drive->load <= 0};
    dram_map_init(&s->map, drive->config);
    s->requests = dram_map_requests(&s->map);
    s->random = splitmix64(&seed);
    s->random_clock = splitmix64(&seed);
    s->whole = (uint64_t)load;
    s->part = (uint64_t)((load - (double)s->whole) * 0x1p64);
    s->end = drive->warmup + drive->cycles;
    s->comes = s->saturated ? 0 : UINT64_MAX; // so that wait_for_next starts at clock 0
    make(s);
    wait_for_next(s);
}

static void next_request(struct feed *s)
{
    s->number++;
    if (s->drive->replay) {
        next_of_trace(s);
        return;
    }
    make(s);
    wait_for_next(s);
}

struct driven {
    const struct dram_drive *drive;
    struct dram_channel *channel;
    struct feed feed;
    uint64_t offered;                    // requests that arrived after the warm-up
    uint64_t accepted_sum, answered_sum; // sums of request ids
    uint64_t answered;
    uint64_t last; // clock after the last reply
};

static void count_reply(void *context, const struct dram_reply *reply)
{
    struct driven *run = context;
    run->answered++;
    run->answered_sum += reply->id;
    run->last = reply->ready;
    if (run->drive->replay)
        run->drive->replay->replied[reply->id] = reply->ready;
}

static void give_requests(struct driven *run, uint64_t now)
{
    struct feed *s = &run->feed;
    while (s->comes <= now && now < s->end && dram_can_accept(run->channel, s->request.write)) {
        uint64_t since = s->saturated ? now : s->comes;
        dram_accept(run->channel, now, since, &s->request);
        run->accepted_sum += s->request.id;
        run->offered += since >= run->drive->warmup;
        if (run->drive->replay)
            run->drive->replay->arrived[s->number] = since;
        next_request(s);
    }
}

// Simulates one clock in which an event is possible. Returns the next such clock.
static uint64_t go(struct driven *run, uint64_t now)
{
    dram_pop_all(run->channel, now, count_reply, run);
    give_requests(run, now);
    uint64_t next = dram_evaluate(run->channel, now);
    return run->feed.comes > now && run->feed.comes < next ? run->feed.comes : next;
}

// As go; if nothing but replies is left, returns the clock of the first one.
static uint64_t go_on(struct driven *run, uint64_t now)
{
    uint64_t next = go(run, now);
    return next < UINT64_MAX ? next : run->channel->answers[run->channel->reply_head].ready;
}

// Serves the requests in flight at the end, without counting them.
static void finish(struct driven *run, uint64_t now)
{
    while (dram_inside(run->channel))
        now = go_on(run, now);
}

// Subtracts the counters at the mark; values that are not counters are kept.
static void subtract_window(struct dram_stats *window, const struct dram_stats *since)
{
    for (uint32_t i = 0; i < dram_stat_key_count; i++)
        if (dram_stat_keys[i].kind == STAT_COUNT)
            *(uint64_t *)((char *)window + dram_stat_keys[i].offset) -=
                *(const uint64_t *)((const char *)since + dram_stat_keys[i].offset);
}

static void add_window(struct dram_stats *all, const struct dram_stats *window)
{
    for (uint32_t i = 0; i < dram_stat_key_count; i++) {
        uint64_t *sum = (uint64_t *)((char *)all + dram_stat_keys[i].offset);
        uint64_t value = *(const uint64_t *)((const char *)window + dram_stat_keys[i].offset);
        if (dram_stat_keys[i].kind == STAT_COUNT)
            *sum += value;
        else if (dram_stat_keys[i].kind == STAT_MAX && *sum < value)
            *sum = value;
    }
}

static void add_whole(struct dram_result *r, const struct driven *run)
{
    const struct dram_channel *ch = run->channel;
    r->offered += run->offered;
    r->taken += ch->stats.taken;
    r->answered += run->answered;
    r->conserved &= run->answered == ch->stats.taken && run->answered_sum == run->accepted_sum;
    if (ch->min_latency < r->latency_min)
        r->latency_min = ch->min_latency;
    if (ch->min_write_latency < r->write_latency_min)
        r->write_latency_min = ch->min_write_latency;
}

// Counts requests that have arrived but were not accepted yet as offered.
static void count_waiting(struct driven *run)
{
    for (; !run->feed.saturated && run->feed.comes < run->feed.end; next_request(&run->feed))
        run->offered += run->feed.comes >= run->drive->warmup;
}

static bool stopped(const struct dram_drive *drive)
{
    return drive->stop && *drive->stop;
}

// Simulates up to `end` or until stopped. Returns the next clock.
static uint64_t go_until(struct driven *run, uint64_t now, uint64_t end)
{
    while (now < end && !stopped(run->drive))
        now = go(run, now);
    return now;
}

static void drive_channel(struct driven *run, struct dram_stats *window, uint64_t *clocks)
{
    uint64_t warmup = run->drive->warmup, end = run->feed.end;
    uint64_t now = go_until(run, 0, warmup);
    struct dram_stats mark = run->channel->stats;
    now = go_until(run, now, end);
    *window = run->channel->stats;
    subtract_window(window, &mark);
    *clocks = now >= end ? end - warmup : now > warmup ? now - warmup : 0;
    run->feed.end = now < end ? now : end;
    count_waiting(run);
    finish(run, now);
}

// Serves a trace up to its last reply.
static void replay_channel(struct driven *run, struct dram_stats *window)
{
    uint64_t now = 0;
    while ((run->feed.comes < run->feed.end || dram_inside(run->channel)) && !stopped(run->drive))
        now = go_on(run, now);
    run->feed.end = 0;
    finish(run, now);
    *window = run->channel->stats;
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void dram_drive(const struct dram_drive *drive, struct arena *arena, struct dram_result *result)
{
    double begin = cpu_seconds();
    uint64_t last = 0;
    *result = (struct dram_result){.drive = drive,
                                   .latency_min = UINT64_MAX,
                                   .write_latency_min = UINT64_MAX,
                                   .conserved = true};
    result->channels = ARENA_ARRAY(arena, struct dram_stats, drive->config->channels);
    result->clocks = ARENA_ARRAY(arena, uint64_t, drive->config->channels);
    for (uint32_t i = 0; i < drive->config->channels && !stopped(drive); i++) {
        struct driven run = {.drive = drive, .channel = ARENA_NEW(arena, struct dram_channel)};
        dram_init(run.channel, arena, drive->config);
        run.channel->trace = drive->trace;
        run.channel->trace_context = drive->trace_context;
        if (drive->channel)
            *drive->channel = i;
        if (drive->replay) {
            feed_trace(&run.feed, drive, i);
            replay_channel(&run, &result->channels[i]);
            last = run.last > last ? run.last : last;
        } else {
            feed_init(&run.feed, drive, i);
            drive_channel(&run, &result->channels[i], &result->clocks[i]);
        }
        add_window(&result->all, &result->channels[i]);
        add_whole(result, &run);
    }
    for (uint32_t i = 0; drive->replay && i < drive->config->channels; i++)
        result->clocks[i] = last;
    result->stopped = stopped(drive);
    result->cpu_seconds = cpu_seconds() - begin;
}

// Results

double dram_result_rate(const struct dram_result *r)
{
    double rate = 0;
    for (uint32_t i = 0; i < r->drive->config->channels; i++)
        if (r->clocks[i])
            rate += (double)(r->channels[i].reads + r->channels[i].writes) / (double)r->clocks[i];
    return rate;
}

double dram_result_latency(const struct dram_result *r)
{
    uint64_t sum = r->all.reads ? r->all.read_latency_sum : r->all.write_latency_sum;
    uint64_t count = r->all.reads ? r->all.reads : r->all.writes;
    return count ? (double)sum / (double)count : 0;
}

uint64_t dram_result_least(const struct dram_result *r)
{
    uint64_t min = r->latency_min < UINT64_MAX ? r->latency_min : r->write_latency_min;
    return min < UINT64_MAX ? min : 0;
}

double dram_result_use(const struct dram_result *r)
{
    uint64_t clocks = 0;
    for (uint32_t i = 0; i < r->drive->config->channels; i++)
        clocks += r->clocks[i];
    return clocks ? (double)r->all.data_clocks / (double)clocks : 0;
}

// Several loads

static void sweep_point(struct dram_sweep *sweep, struct arena *arena,
                        const struct dram_drive *drive, double load)
{
    struct dram_drive *one = ARENA_NEW(arena, struct dram_drive);
    struct dram_result result;
    *one = *drive;
    one->load = load;
    dram_drive(one, arena, &result);
    vec_push(arena, &sweep->points, result);
}

void dram_sweep(struct dram_sweep *sweep, struct arena *arena, const struct dram_drive *drive,
                const double *loads, uint32_t count)
{
    static const double parts[] = {0.01, 0.1, 0.2, 0.3,  0.4, 0.5,  0.6,
                                   0.7,  0.8, 0.9, 0.95, 1,   1.05, 1.1};
    struct dram_drive full = *drive;
    struct dram_result result;
    *sweep = (struct dram_sweep){0};
    full.load = 0;
    dram_drive(&full, arena, &result);
    sweep->saturation = dram_result_rate(&result);
    for (uint32_t i = 0; i < count && !stopped(drive); i++)
        sweep_point(sweep, arena, drive, loads[i]);
    for (uint32_t i = 0; !count && i < ARRAY_LENGTH(parts) && !stopped(drive); i++)
        sweep_point(sweep, arena, drive, parts[i] * sweep->saturation);
}
