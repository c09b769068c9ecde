// How fast networks are simulated: cycles per second of CPU time, one thread, the best of three
// runs, and the ratio to what is aimed at.
#include "tools/noc/measure.h"
#include <inttypes.h>
#include <stdlib.h>

struct row {
    const char *config, *traffic;
    const char *flits;
    double load;
    uint64_t cycles;
    double aim; // cycles per second; 0: none
};

static const struct row rows[] = {
    {"noc/mesh88_8vc_islip", "uniform", "1", 0.001, 1000000, 0},
    {"noc/mesh88_8vc_islip", "uniform", "1", 0.1, 60000, 150e3},
    {"noc/mesh88_8vc_islip", "uniform", "1", 0.3, 30000, 70e3},
    {"noc/mesh88_8vc_islip", "uniform", "1", 0.4, 20000, 0},
    {"noc/mesh88_8vc_islip", "uniform", "5", 0.3, 30000, 0},
    {"noc/mesh88_8vc_islip", "transpose", "1", 0.1, 60000, 0},
    {"noc/mesh66_4vc_sif", "uniform", "1", 0.3, 40000, 0},
    {"noc/fly43_8vc_islip", "uniform", "1", 0.3, 40000, 0},
    {"noc/crossbar64_8vc_islip", "uniform", "1", 0.3, 40000, 0},
};

struct result {
    double cycles_per_second, ns_per_hop;
};

static bool run(const struct row *row, struct memory *memory, struct result *result)
{
    struct arena arena;
    struct noc_config values;
    struct config config;
    struct config_section section = {"noc", noc_keys, noc_key_count, &values};
    struct noc_traffic traffic = {0};
    struct traffic_sizes flits;
    struct measured measured;
    arena_init(&arena, memory);
    config_init(&config, &arena, &section, 1);
    if (!config_load(&config, row->config) || noc_check(&arena, &values) ||
        traffic_read(&traffic, &arena, row->traffic) ||
        traffic_read_sizes(&flits, &arena, row->flits) ||
        measure_traffic(&traffic, &arena, &values))
        return false;
    struct measure_plan plan = {.config = &values,
                                .traffic = &traffic,
                                .flits = flits,
                                .load = row->load,
                                .seed = 1,
                                .warmup = 2000,
                                .cycles = row->cycles,
                                .patience = 100000};
    measure(&measured, &arena, &plan);
    double rate = (double)measured.cycles / measured.cpu_seconds;
    if (rate > result->cycles_per_second) {
        result->cycles_per_second = rate;
        result->ns_per_hop =
            measured.cpu_seconds * 1e9 / (double)noc_stats(measured.noc)->noc_crossbar;
    }
    arena_free(&arena);
    return true;
}

static void print_row(const struct row *row, const struct result *result)
{
    printf("| %-24s | %-9s | %s | %5.3f | %9.0f | %6.0f | ", row->config + 4, row->traffic,
           row->flits, row->load, result->cycles_per_second, result->ns_per_hop);
    if (row->aim > 0)
        printf("%6.0f | %5.2f |\n", row->aim, result->cycles_per_second / row->aim);
    else
        puts("       |       |");
}

int main(void)
{
    struct memory memory = {0};
    if (setjmp(memory.on_failure))
        abort();
    puts("| network | traffic | flits | load | cycles/s | ns/flit-hop | aim | ratio |");
    puts("|---|---|---:|---:|---:|---:|---:|---:|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result best = {0};
        for (int k = 0; k < 3; k++)
            if (!run(&rows[i], &memory, &best)) {
                fprintf(stderr, "%s cannot be run\n", rows[i].config);
                return 1;
            }
        print_row(&rows[i], &best);
    }
    return 0;
}
