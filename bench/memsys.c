// How fast a memory system is simulated: requests for lines per second of CPU time, one thread, the
// best of three runs.
#include "runtime-sim/gpu/machine/machine.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct row {
    const char *name, *config;
    uint32_t window;    // requests that a core has on the way
    uint32_t pause;     // cycles between them, 0: as many as it can send
    uint32_t footprint; // lines; 0: each is read once
    uint32_t writes;    // one of so many is a write; 0: none
    uint64_t requests;
    double aim; // requests per second; 0: none
};

static const struct row rows[] = {
    {"stream", "isca19", 32, 0, 0, 0, 200000, 250e3},
    {"stream that hits", "isca19", 32, 0, 16384, 0, 200000, 250e3},
    {"stream, one of three written", "isca19", 32, 0, 0, 3, 200000, 250e3},
    {"light", "isca19", 1, 2000, 0, 0, 100000, 0},
    {"one core, one at a time", "isca19", 1, 0, 0, 0, 20000, 0},
    {"stream", "gtx480", 32, 0, 0, 0, 200000, 0},
};

struct driver {
    struct memsys *m;
    const struct row *row;
    uint32_t cores;
    uint32_t inside[64];
    uint64_t now;
    uint64_t next_at[64]; // cycle of a core's next request
    uint64_t sent, answered;
};

static void pop_replies(struct driver *d)
{
    for (uint64_t rest = memsys_reply_endpoints(d->m, 0); rest; rest &= rest - 1) {
        uint32_t core = (uint32_t)__builtin_ctzll(rest);
        memsys_pop(d->m, core);
        d->inside[core]--;
        d->answered++;
    }
}

static void send(struct driver *d, uint32_t core, uint64_t now)
{
    uint64_t number = d->sent;
    struct memsys_request request = {.line =
                                         d->row->footprint ? number % d->row->footprint : number,
                                     .bytes = mask_range(0, 128),
                                     .core = core};
    if (d->row->writes && number % d->row->writes == 0)
        request.kind = MEMSYS_WRITE;
    if (!memsys_can_send(d->m, &request))
        return;
    memsys_send(d->m, &request);
    d->inside[core]++;
    d->next_at[core] = now + d->row->pause;
    d->sent++;
}

// Returns the next cycle in which a core wants to send.
static uint64_t send_all(struct driver *d)
{
    uint64_t now = d->now, next = UINT64_MAX;
    for (uint32_t core = 0; core < d->cores; core++) {
        if (d->sent == d->row->requests || d->inside[core] == d->row->window)
            continue;
        if (d->next_at[core] <= now)
            send(d, core, now);
        uint64_t at = d->next_at[core] > now ? d->next_at[core] : now + 1;
        next = at < next ? at : next;
    }
    return next;
}

struct result {
    double rate;
    uint64_t cycles;
};

static bool run(const struct row *row, struct memory *memory, struct result *result)
{
    struct arena arena;
    struct machine_config all;
    struct config config;
    arena_init(&arena, memory);
    static const struct memsys_requester requester = {"bench", false, NULL};
    const struct memsys_tables tables = {.requesters = &requester, .requester_count = 1};
    uint32_t count;
    struct config_section *sections = machine_sections(&all, &arena, NULL, &count);
    config_init(&config, &arena, sections, count);
    if (!config_load(&config, row->config) || memsys_check(&arena, &all.memsys))
        return false;
    struct driver d = {.row = row, .m = memsys_new(&arena, &all.memsys, &tables, NULL, NULL)};
    d.cores = row->window == 1 && !row->pause ? 1 : (uint32_t)all.memsys.memory.cores;
    for (uint32_t i = 0; row->pause && i < d.cores; i++)
        d.next_at[i] = i * row->pause / d.cores;
    clock_t begin = clock();
    while (d.answered < row->requests) {
        pop_replies(&d);
        d.now = memsys_advance(d.m, send_all(&d));
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    double rate = (double)row->requests / seconds;
    if (rate > result->rate)
        *result = (struct result){rate, d.now};
    arena_free(&arena);
    return true;
}

static void print_row(const struct row *row, const struct result *result)
{
    printf("| %-28s | %-6s | %5.3f | %9.0f | ", row->name, row->config,
           (double)row->requests / (double)result->cycles, result->rate);
    if (row->aim > 0)
        printf("%6.0f | %5.2f |\n", row->aim, result->rate / row->aim);
    else
        puts("       |       |");
}

// With an argument only the rows whose name begins with it.
int main(int argc, char **argv)
{
    struct memory memory = {0};
    if (setjmp(memory.on_failure))
        abort();
    puts("| load | machine | requests/cycle | requests/s | aim | ratio |");
    puts("|---|---|---:|---:|---:|---:|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result best = {0};
        if (argc > 1 && strncmp(rows[i].name, argv[1], strlen(argv[1])))
            continue;
        for (int k = 0; k < 3; k++)
            if (!run(&rows[i], &memory, &best)) {
                fprintf(stderr, "%s cannot be run\n", rows[i].config);
                return 1;
            }
        print_row(&rows[i], &best);
    }
    return 0;
}
