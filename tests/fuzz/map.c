// Maps: any bytes are a map or errors; a map is written and reads back as the same text; its rate
// is a number.
#include "passes/maps/map_rate.h"
#include "passes/maps/map_read.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"

enum { MAX_NODES = 64 };

static const char *written(struct arena *arena, const struct map *map, size_t *size)
{
    static struct fuzz_sink sink;
    map_write(map, sink_begin(&sink));
    sink_end(&sink);
    *size = sink.length;
    return arena_strndup(arena, sink.text, sink.length);
}

static const struct map *read_again(struct arena *arena, const char *text, size_t size)
{
    struct source *source = ARENA_NEW(arena, struct source);
    struct diags diags;
    diags_init(&diags, arena);
    make_source(source, arena, text, size);
    const struct map *map = map_read(arena, source, &diags);
    must(map, "a written map is not read");
    return map;
}

static void check_rate(struct arena *arena, const struct map *map)
{
    struct map_hardware hardware = {.cores = 32,
                                    .lsus = 16,
                                    .sfus = 4,
                                    .lanes = 6,
                                    .data_fifo = 8,
                                    .address_fifo = 256,
                                    .latency_2 = 8,
                                    .latency_3 = 10,
                                    .latency_sfu = 40,
                                    .interval_sfu = 1,
                                    .lsu_latency = 1};
    struct map_graph graph;
    struct map_rate rate;
    uint32_t node;
    if (map->nodes.n > MAX_NODES || map_misfit(arena, &hardware, map, &node))
        return;
    map_graph_make(&graph, arena, map, &hardware);
    map_rate_of(&rate, arena, &graph);
    must(rate.cycles && rate.tokens <= rate.cycles, "more than one firing in a cycle");
    must(map_rate_text(arena, map, &hardware, &graph, &rate), "no text");
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    const char *bytes = guarded_input(&guarded, input->data, input->size);
    struct source source;
    struct diags diags;
    diags_init(&diags, arena);
    source_init(&source, arena, "fuzz.map.yaml", bytes, (uint32_t)input->size);
    const struct map *map = map_read(arena, &source, &diags);
    must(!map == (diags.errors != 0), "the answer is not what the diagnostics say");
    if (!map)
        return;
    size_t size, again;
    const char *text = written(arena, map, &size);
    const char *other = written(arena, read_again(arena, text, size), &again);
    must(size == again && !memcmp(text, other, size), "a map is written in two ways");
    check_rate(arena, map);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
