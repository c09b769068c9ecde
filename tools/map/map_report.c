#include "support/page.h"
#include "support/svg.h"
#include "tools/map/map_report.h"
#include <stdlib.h>

static const struct config_key keys_of_hardware[] = {
#define CONFIG_DEF "passes/maps/hardware.def"
#define CONFIG_OF struct map_hardware
#include "runtime-sim/base/config_keys.inc"
};

struct config_section map_report_section(struct map_hardware *keys)
{
    return (struct config_section){"spatial", keys_of_hardware, ARRAY_LENGTH(keys_of_hardware),
                                   keys};
}

void map_report_make(struct map_report *report, struct arena *arena, const struct map *map,
                     const struct map_hardware *keys, uint32_t copies)
{
    uint32_t node;
    *report = (struct map_report){.map = map, .hardware = map_hardware_of(keys, map, 1)};
    report->fault = map_misfit(arena, &report->hardware, map, &node);
    if (report->fault)
        return;
    report->fault = map_place(&report->placement, arena, keys, map, copies, MAP_STATES);
    report->hardware = map_hardware_of(keys, map, report->placement.copies);
    map_graph_make(&report->graph, arena, map, &report->hardware);
    map_rate_of(&report->rate, arena, &report->graph);
    report->limit = map_rate_text(arena, map, &report->hardware, &report->graph, &report->rate);
}

static bool has_predicates(const struct map *map)
{
    for (uint32_t i = 0; i < map->nodes.n; i++)
        if (map_is_fifo(&map->nodes.v[i].predicate))
            return true;
    return false;
}

static void print_placement(const struct map_report *report, FILE *to)
{
    const struct map_placement *p = &report->placement;
    uint32_t n = report->map->nodes.n;
    fprintf(to, "%u cop%s, %u lanes of %u (%s)\n", p->copies, p->copies == 1 ? "y" : "ies",
            p->lanes, report->hardware.lanes,
            p->lanes == p->min ? "the minimum" : "more than the proven bound");
    if (p->lanes != p->min)
        fprintf(to, "at least %u lanes are needed\n", p->min);
    for (uint32_t i = 0; i < p->copies * n; i++)
        fprintf(to, "position %3u  copy %u  %s\n", p->position[i], i / n,
                report->map->nodes.v[i % n].name.text);
    for (uint32_t i = 0; i < p->arcs.n; i++)
        fprintf(to, "lane %c  position %3u to %3u  copy %u  %s\n", 'A' + (int)p->arcs.v[i].lane,
                p->arcs.v[i].begin, p->arcs.v[i].end, p->arcs.v[i].copy,
                report->map->nodes.v[p->arcs.v[i].from].name.text);
}

void map_report_text(const struct map_report *report, FILE *to)
{
    struct map_counts counts = map_count(report->map);
    fprintf(to, "%u cores, %u load-store units, %u of the cores with special functions\n",
            counts.cores, counts.lsus, counts.sfus);
    if (report->hardware.fifo_words)
        fprintf(to, "data FIFOs of %u words\n", report->hardware.data_fifo);
    if (report->limit)
        fprintf(to, "rate %llu/%llu%s, limited by %s\n", (unsigned long long)report->rate.tokens,
                (unsigned long long)report->rate.cycles,
                has_predicates(report->map) ? " at most" : "", report->limit);
    if (report->fault)
        fprintf(to, "not placed: %s\n", report->fault);
    else
        print_placement(report, to);
}

static void print_nodes(const struct map_report *report, FILE *to)
{
    fputs("<table><tr><th>node<th>instruction<th>latency<th>FIFOs<th>initial tokens</tr>\n", to);
    for (uint32_t i = 0; i < report->map->nodes.n; i++) {
        const struct map_node *node = &report->map->nodes.v[i];
        uint32_t tokens = 0;
        EACH_FIFO (at, node)
            tokens += map_tokens(node, at);
        fputs("<tr><td>", to);
        svg_escaped(to, node->name.text);
        fputs("<td>", to);
        svg_escaped(to, node->op.text);
        fprintf(to, "<td>%u<td>%u<td>%u</tr>\n", map_latency(&report->hardware, node),
                map_fifos(node), tokens);
    }
    fputs("</table>\n", to);
}

void map_page(const struct map_report *report, struct arena *arena, FILE *to)
{
    const char *name = report->map->name.text;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    page_begin(to, name ? name : "map");
    fputs("<div class=\"wide\">\n", to);
    map_picture_graph(report, arena, to);
    fputs("</div>\n<div class=\"wide\">\n", to);
    if (!report->fault)
        map_picture_ring(report, to);
    fputs("</div>\n", to);
    if (memory) {
        map_report_text(report, memory);
        fclose(memory);
        fputs("<pre>", to);
        svg_escaped(to, text);
        fputs("</pre>\n", to);
        free(text);
    }
    print_nodes(report, to);
    page_end(to);
}
