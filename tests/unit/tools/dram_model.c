// Compares the controller with one that checks every request in every clock against the standards:
// both must issue the same commands at the same clocks. This tests the tables of earliest clocks,
// the sets of requests, and that no clock is skipped in which something could be done.
#include "dram_legal.h"
#include "tools/dram/dram_drive.h"
#include "support/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    struct dram_config values;
    struct config_section section;
    struct config config;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->section = (struct config_section){"dram", dram_keys, dram_key_count, &f->values};
    config_init(&f->config, &f->arena, &f->section, 1);
}

// The naive controller

struct request {
    uint64_t comes;
    struct dram_request what;
};

struct naive {
    const struct dram_config *c;
    struct history history;
    VEC(struct request) queues[2]; // in the order of their coming
    uint64_t refreshes;
    uint32_t held; // bank whose requests wait for its refresh; DRAM_BANKS: none
    bool draining;
};

static bool hits(const struct naive *n, const struct dram_request *r)
{
    return n->history.open[r->bank] && n->history.row[r->bank] == r->row;
}

static bool anyone_hits(const struct naive *n, int queue, uint32_t bank)
{
    for (uint32_t i = 0; i < n->queues[queue].n; i++) {
        const struct dram_request *r = &n->queues[queue].v[i].what;
        if (r->bank == bank && hits(n, r))
            return true;
    }
    return false;
}

static bool issue(struct naive *n, uint64_t now, enum dram_command command, uint32_t bank,
                  uint32_t row, uint64_t id)
{
    if (history_fault(&n->history, now, command, bank, row))
        return false;
    struct sent_command told = {now, command, bank, row, id};
    history_add(&n->history, &told);
    return true;
}

static bool column(struct naive *n, int queue, uint64_t now)
{
    for (uint32_t i = 0; i < n->queues[queue].n; i++) {
        struct request *at = &n->queues[queue].v[i];
        struct dram_request r = at->what;
        if (r.bank == n->held || !hits(n, &r) ||
            !issue(n, now, r.write ? DRAM_WR : DRAM_RD, r.bank, r.row, r.id))
            continue;
        memmove(at, at + 1, (--n->queues[queue].n - i) * sizeof *at);
        return true;
    }
    return false;
}

// Issues a row command for the oldest request of each bank that has none to serve.
static bool row_command(struct naive *n, int queue, uint64_t now, enum dram_command command)
{
    bool seen[DRAM_BANKS] = {0};
    for (uint32_t i = 0; i < n->queues[queue].n; i++) {
        const struct dram_request *r = &n->queues[queue].v[i].what;
        if (r->bank == n->held || seen[r->bank] || anyone_hits(n, queue, r->bank))
            continue;
        seen[r->bank] = true;
        uint32_t row = command == DRAM_ACT ? r->row : n->history.row[r->bank];
        if (issue(n, now, command, r->bank, row, 0))
            return true;
    }
    return false;
}

static bool wanted(const struct naive *n, uint32_t bank)
{
    for (int queue = 0; queue < 2; queue++)
        for (uint32_t i = 0; i < n->queues[queue].n; i++)
            if (n->queues[queue].v[i].what.bank == bank && hits(n, &n->queues[queue].v[i].what))
                return true;
    return false;
}

static int choose_queue(struct naive *n)
{
    uint32_t reads = n->queues[0].n, writes = n->queues[1].n;
    if (!n->c->write_queue)
        return 0;
    if (n->draining && writes <= n->c->write_low)
        n->draining = false;
    if (writes >= n->c->write_high || (!reads && writes))
        n->draining = true;
    return n->draining;
}

// Returns true if the row command of this clock is used.
static bool refresh_bank(struct naive *n, uint64_t now)
{
    uint32_t bank = (uint32_t)(n->refreshes % n->c->banks);
    n->held = DRAM_BANKS;
    if (!n->c->tREFI || n->c->refresh != DRAM_REFRESH_BANK ||
        now < (n->refreshes + 1) * (n->c->tREFI / n->c->banks))
        return false;
    n->held = bank;
    if (n->history.open[bank])
        return issue(n, now, DRAM_PRE, bank, n->history.row[bank], 0);
    bool is_done = issue(n, now, DRAM_REF_BANK, bank, n->history.row[bank], 0);
    n->refreshes += is_done;
    return is_done;
}

static void naive_tick(struct naive *n, uint64_t now)
{
    bool used = refresh_bank(n, now);
    if (used && !n->c->split_commands)
        return;
    if (n->c->tREFI && n->c->refresh == DRAM_REFRESH_ALL &&
        now >= (n->refreshes + 1) * n->c->tREFI) {
        if (!issue(n, now, DRAM_PREA, 0, n->history.row[0], 0))
            n->refreshes += issue(n, now, DRAM_REF, 0, n->history.row[0], 0);
        return;
    }
    int queue = choose_queue(n);
    if ((column(n, queue, now) && !n->c->split_commands) || used)
        return;
    if (row_command(n, queue, now, DRAM_ACT) || row_command(n, queue, now, DRAM_PRE))
        return;
    for (uint32_t b = 0; n->c->page && b < n->c->banks; b++)
        if (!wanted(n, b) && issue(n, now, DRAM_PRE, b, n->history.row[b], 0))
            return;
}

// Comparing

static void record_command(void *context, uint64_t now, enum dram_command command, uint32_t bank,
                           uint32_t row, uint64_t id)
{
    struct sent_command told = {now, command, bank, row, id};
    struct history *to = context;
    vec_push(to->arena, &to->list, told);
}

static void compare(const struct history *expected, const struct history *got, uint64_t seed)
{
    for (uint32_t i = 0; i < expected->list.n || i < got->list.n; i++) {
        const struct sent_command *e = &expected->list.v[i], *g = &got->list.v[i];
        if (i < expected->list.n && i < got->list.n && e->at == g->at && e->command == g->command &&
            e->bank == g->bank && e->row == g->row && e->id == g->id)
            continue;
        if (i < expected->list.n)
            print_message("expected at %llu command %d bank %u row %u id %llu\n",
                          (unsigned long long)e->at, e->command, e->bank, e->row,
                          (unsigned long long)e->id);
        if (i < got->list.n)
            print_message("got at %llu command %d bank %u row %u id %llu\n",
                          (unsigned long long)g->at, g->command, g->bank, g->row,
                          (unsigned long long)g->id);
        fail_msg("seed %llu: command %u differs", (unsigned long long)seed, i);
    }
}

struct stream {
    uint64_t state, rows, banks, gap, writes, number;
    struct request next;
};

static void stream_next(struct stream *s)
{
    s->next.comes += splitmix64(&s->state) % s->gap;
    s->next.what = (struct dram_request){
        .id = s->number++,
        .bank = (uint32_t)(splitmix64(&s->state) % s->banks),
        .row = (uint32_t)(splitmix64(&s->state) % s->rows),
        .write = splitmix64(&s->state) % 10 < s->writes,
    };
}

static void both(struct fixture *f, const struct stream *from, uint64_t clocks, uint64_t seed)
{
    const struct dram_config *c = &f->values;
    struct naive naive = {.c = c};
    struct history got = {.arena = &f->arena};
    struct dram_channel *ch = ARENA_NEW(&f->arena, struct dram_channel);
    struct stream a = *from, b = *from;
    history_init(&naive.history, &f->arena, c);
    dram_init(ch, &f->arena, c);
    ch->trace = record_command;
    ch->trace_context = &got;
    uint64_t wake = 0;
    for (uint64_t now = 0; now < clocks; now++) {
        for (int q; a.next.comes <= now; stream_next(&a)) {
            q = a.next.what.write && c->write_queue;
            if (naive.queues[q].n == (q ? c->write_queue : c->queue))
                break;
            vec_push(&f->arena, &naive.queues[q], a.next);
        }
        naive_tick(&naive, now);
        while (dram_peek(ch, now))
            dram_pop(ch, now);
        for (; b.next.comes <= now && dram_can_accept(ch, b.next.what.write); stream_next(&b)) {
            dram_accept(ch, now, b.next.comes, &b.next.what);
            wake = now;
        }
        if (now >= wake)
            wake = dram_tick(ch, now);
    }
    assert_true(naive.history.list.n > 50);
    compare(&naive.history, &got, seed);
}

static uint64_t between(uint64_t *state, uint64_t min, uint64_t max)
{
    return min + splitmix64(state) % (max - min + 1);
}

static void random_config(struct dram_config *c, uint64_t *s)
{
    static const uint64_t groups[] = {1, 2, 4};
    c->bank_groups = groups[between(s, 0, 2)];
    c->banks = c->bank_groups * between(s, 1, 4);
    c->burst = between(s, 1, 6);
    c->tCL = between(s, 2, 14);
    c->CWL = between(s, 1, 14);
    c->tRCD = between(s, 2, 14);
    c->tRCD_write = between(s, 0, 10);
    c->tRP = between(s, 1, 14);
    c->tRAS = between(s, 5, 30);
    c->tRC = between(s, c->tRAS, c->tRAS + 20);
    c->tRRD = between(s, 1, 7);
    c->tRRD_L = between(s, 0, 9);
    c->tFAW = between(s, 0, 1) * between(s, 4, 40);
    c->tCCD = between(s, 1, 4);
    c->tCCD_L = between(s, 0, 7);
    c->tRTP = between(s, 1, 8);
    c->tWR = between(s, 1, 14);
    c->tWTR = between(s, 0, 9);
    c->tWTR_L = between(s, 0, 12);
    c->turnaround = between(s, 0, 3);
    c->tREFI = between(s, 0, 1) * between(s, 150, 400);
    c->tRFC = between(s, 1, 60);
    c->split_commands = between(s, 0, 1);
    c->queue = between(s, 1, 64);
    c->write_queue = between(s, 0, 1) * between(s, 2, 64);
    c->write_high = c->write_queue ? between(s, 1, c->write_queue) : 1;
    c->write_low = between(s, 0, c->write_high - 1);
    c->page = (int)between(s, 0, 1);
    c->refresh = (int)between(s, 0, 1);
}

static void same_commands(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct fixture f;
        uint64_t random = seed;
        begin(&f);
        random_config(&f.values, &random);
        assert_null(dram_config_fault(&f.values, &f.arena));
        struct stream stream = {.state = seed,
                                .rows = between(&random, 1, 6),
                                .banks = between(&random, 1, f.values.banks),
                                .gap = between(&random, 1, 30),
                                .writes = between(&random, 0, 10)};
        stream_next(&stream);
        both(&f, &stream, 1200, seed);
        arena_free(&f.arena);
    }
}

// The naive controller must reject illegal commands.
static void faults(void **state)
{
    (void)state;
    struct fixture f;
    struct history h;
    begin(&f);
    f.values.tFAW = 60;
    history_init(&h, &f.arena, &f.values);
    for (uint32_t b = 0; b < 4; b++) {
        assert_null(history_fault(&h, b * 5, DRAM_ACT, b, 1));
        history_add(&h, &(struct sent_command){b * 5, DRAM_ACT, b, 1, 0});
        assert_non_null(history_fault(&h, b * 5 + 4, DRAM_ACT, b + 1, 1));
    }
    assert_non_null(history_fault(&h, 59, DRAM_ACT, 4, 1));
    assert_null(history_fault(&h, 60, DRAM_ACT, 4, 1));
    assert_non_null(history_fault(&h, 10, DRAM_RD, 0, 1));
    assert_non_null(history_fault(&h, 16, DRAM_RD, 0, 2));
    assert_null(history_fault(&h, 16, DRAM_RD, 0, 1));
    assert_non_null(history_fault(&h, 27, DRAM_PRE, 0, 1));
    assert_null(history_fault(&h, 28, DRAM_PRE, 0, 1));
    assert_non_null(history_fault(&h, 100, DRAM_REF, 0, 0));
    arena_free(&f.arena);
}

static void check(void *context, uint64_t now, enum dram_command command, uint32_t bank,
                  uint32_t row, uint64_t id)
{
    struct history *h = context;
    const char *fault = history_fault(h, now, command, bank, row);
    if (fault)
        fail_msg("clock %llu, command %d, bank %u: %s", (unsigned long long)now, command, bank,
                 fault);
    history_add(h, &(struct sent_command){now, command, bank, row, id});
}

// Long runs of the built-in memories.
static void legal(void **state)
{
    (void)state;
    static const char *const names[] = {"dram/gddr5_isca19", "dram/gddr5_ari", "dram/tom_vault",
                                        "dram/hbm2"};
    for (int i = 0; i < 4 * 4 * 3; i++) {
        struct fixture f;
        struct history history;
        struct dram_result result;
        begin(&f);
        assert_true(config_load(&f.config, names[i % 4]));
        f.values.channels = 1;
        history_init(&history, &f.arena, &f.values);
        struct dram_drive drive = {.config = &f.values,
                                   .pattern = (enum dram_pattern)(i / 4 % 4),
                                   .writes = i / 16 * 0.35,
                                   .cycles = 10000,
                                   .trace = check,
                                   .trace_context = &history};
        dram_drive(&drive, &f.arena, &result);
        assert_true(result.conserved && history.list.n > 250);
        arena_free(&f.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults),
        cmocka_unit_test(same_commands),
        cmocka_unit_test(legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
