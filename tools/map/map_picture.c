// Draws maps as SVG.
#include "support/chart.h"
#include "tools/map/map_report.h"
#include <math.h>

enum { WIDE = 108, HIGH = 34, RIGHT = 150, DOWN = 58, EDGE = 24, CELL = 26, LANE = 14 };

static const char *const fills[MAP_UNITS] = {
    [MAP_INT] = "c2", [MAP_FLOAT] = "c0", [MAP_SFU] = "c3", [MAP_LSU] = "c4"};

static const char *const units[MAP_UNITS] = {[MAP_INT] = "integer",
                                             [MAP_FLOAT] = "floating point",
                                             [MAP_SFU] = "special function",
                                             [MAP_LSU] = "load and store"};
enum { LEGEND = 480 };

static void draw_legend(FILE *to)
{
    double x = EDGE;
    for (int unit = 0; unit < MAP_UNITS; unit++)
        chart_key(to, &x, 18, fills[unit], units[unit]);
}

// The graph. A node's column is its distance from the nodes without producers, along edges without
// initial tokens.

struct graph_picture {
    FILE *to;
    const struct map *map;
    uint32_t *column, *row;
};

static bool is_ahead(const struct graph_picture *g, uint32_t node, uint32_t at)
{
    uint32_t from = map_operand(&g->map->nodes.v[node], at)->from;
    return from != node && !map_tokens(&g->map->nodes.v[node], at);
}

// Terminates because each cycle of a checked map has an edge with tokens.
static void set_columns(struct graph_picture *g)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < g->map->nodes.n; i++)
            EACH_FIFO (at, &g->map->nodes.v[i]) {
                uint32_t from = map_operand(&g->map->nodes.v[i], at)->from;
                if (!is_ahead(g, i, at) || g->column[i] > g->column[from])
                    continue;
                g->column[i] = g->column[from] + 1;
                again = true;
            }
    }
}

static double x_of(const struct graph_picture *g, uint32_t node)
{
    return EDGE + g->column[node] * (double)RIGHT;
}

static double y_of(const struct graph_picture *g, uint32_t node)
{
    return EDGE + 20 + g->row[node] * (double)DOWN;
}

static void draw_edge(const struct graph_picture *g, uint32_t node, uint32_t at)
{
    uint32_t from = map_operand(&g->map->nodes.v[node], at)->from;
    uint32_t tokens = map_tokens(&g->map->nodes.v[node], at);
    double place = at == MAP_OPERANDS ? HIGH : (at + 1) * HIGH / 4.0;
    double x1 = x_of(g, from) + WIDE, y1 = y_of(g, from) + HIGH / 2.0;
    double x2 = x_of(g, node), y2 = y_of(g, node) + place;
    double bend = fmax(30, fabs(x2 - x1) / 2);
    svg_open(g->to, "path", at == MAP_OPERANDS ? "b thin" : "a");
    fprintf(g->to, " d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\"/>\n", x1, y1, x1 + bend,
            from == node ? y1 - HIGH : y1, x2 - bend, from == node ? y2 - HIGH : y2, x2, y2);
    if (tokens)
        svg_text(g->to, x2 - 4, y2 - 3, "end", "small strong", "%u", tokens);
}

static void draw_node(const struct graph_picture *g, uint32_t number)
{
    const struct map_node *node = &g->map->nodes.v[number];
    double x = x_of(g, number), y = y_of(g, number);
    svg_open(g->to, "rect", "box");
    fprintf(g->to, " x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", x, y, WIDE, HIGH);
    svg_open(g->to, "rect", fills[node->unit]);
    fprintf(g->to, " x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"%d\"/>\n", x, y, HIGH);
    svg_text(g->to, x + 10, y + 14, "start", "strong small", "%s", node->name.text);
    svg_text(g->to, x + 10, y + 28, "start", "small", "%s", node->op.text);
}

void map_picture_graph(const struct map_report *report, struct arena *arena, FILE *to)
{
    uint32_t n = report->map->nodes.n, columns = 0, rows = 0;
    struct graph_picture g = {to, report->map, ARENA_ARRAY(arena, uint32_t, n),
                              ARENA_ARRAY(arena, uint32_t, n)};
    uint32_t *used = ARENA_ARRAY(arena, uint32_t, n + 1);
    set_columns(&g);
    for (uint32_t i = 0; i < n; i++) {
        g.row[i] = used[g.column[i]]++;
        columns = g.column[i] >= columns ? g.column[i] + 1 : columns;
        rows = g.row[i] >= rows ? g.row[i] + 1 : rows;
    }
    svg_begin(to, fmax(LEGEND, columns * RIGHT + 2.0 * EDGE), rows * DOWN + 2.0 * EDGE + 20,
              "The map as a graph");
    draw_legend(to);
    for (uint32_t i = 0; i < n; i++)
        EACH_FIFO (at, &report->map->nodes.v[i])
            draw_edge(&g, i, at);
    for (uint32_t i = 0; i < n; i++)
        draw_node(&g, i);
    svg_end(to);
}

// The ring: a box for each position, with the lanes above

static double position_x(uint32_t position)
{
    return EDGE + position * (double)CELL;
}

static void draw_lane(FILE *to, double y, uint32_t lane, double from, double until)
{
    svg_open_numbered(to, "line", 'v', lane % SVG_SERIES);
    fprintf(to, " x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", from, y, until, y);
}

static void draw_arc(const struct map_report *report, const struct map_arc *arc, double base,
                     FILE *to)
{
    const struct map_placement *p = &report->placement;
    double y = base - (arc->lane + 1) * LANE;
    double from = position_x(arc->begin) + CELL / 2.0, until = position_x(arc->end) + CELL / 2.0;
    double right = position_x(p->positions);
    uint32_t n = report->map->nodes.n;
    if (arc->end >= arc->begin) {
        draw_lane(to, y, arc->lane, from, until);
    } else {
        draw_lane(to, y, arc->lane, from, right);
        draw_lane(to, y, arc->lane, EDGE, until);
    }
    svg_line(to, from, y, from, base, "axis");
    for (uint32_t i = 0; i < n; i++)
        EACH_FIFO (at, &report->map->nodes.v[i])
            if (map_operand(&report->map->nodes.v[i], at)->from == arc->from && i != arc->from) {
                double x = position_x(p->position[arc->copy * n + i]) + CELL / 2.0 + 4;
                svg_open_numbered(to, "circle", 'c', arc->lane % SVG_SERIES);
                fprintf(to, " cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x, y);
            }
}

static void draw_position(const struct map_report *report, uint32_t position, double base, FILE *to)
{
    svg_open(to, "rect", map_position_is_lsu(&report->hardware, position) ? "box" : "outline");
    fprintf(to, " x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", position_x(position) + 2,
            base, CELL - 4, CELL - 4);
}

void map_picture_ring(const struct map_report *report, FILE *to)
{
    const struct map_placement *p = &report->placement;
    uint32_t n = report->map->nodes.n;
    double base = EDGE + 16 + (p->lanes + 1) * (double)LANE;
    svg_begin(to, position_x(p->positions) + EDGE, base + 150, "The placement and the lanes");
    for (uint32_t i = 0; i < p->positions; i++)
        draw_position(report, i, base, to);
    for (uint32_t i = 0; i < p->copies * n; i++) {
        double x = position_x(p->position[i]);
        const struct map_node *node = &report->map->nodes.v[i % n];
        svg_open(to, "rect", fills[node->unit]);
        fprintf(to, " x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n", x + 2, base, CELL - 4,
                CELL - 4);
        fprintf(to, "<g transform=\"translate(%.1f %.1f) rotate(60)\">", x + 8, base + CELL + 6);
        svg_text(to, 0, 0, "start", "small", "%s", node->name.text);
        fputs("</g>\n", to);
    }
    for (uint32_t i = 0; i < p->arcs.n; i++)
        draw_arc(report, &p->arcs.v[i], base, to);
    for (uint32_t lane = 0; lane < p->lanes; lane++)
        svg_text(to, 6, base - (lane + 1) * (double)LANE + 4, "start", "small", "%c",
                 'A' + (int)lane);
    svg_end(to);
}
