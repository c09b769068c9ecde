// Draws the channels of a network, shaded by their flits. A mesh is drawn as it is laid out,
// crossbars and butterflies from the inputs on the left to the outputs on the right.
#include "support/svg.h"
#include "tools/noc/plot.h"
#include <math.h>

enum { TOP = 104, SIDE = 40 };

struct heat_map {
    FILE *to;
    const struct noc_config *config;
    const struct heatmap *m;
    double max;          // flits per cycle of the last shade
    uint32_t per_column; // routers in a stage, or in a row of a mesh
    uint32_t places;     // nodes at the sides of a butterfly or crossbar; 0: mesh
    double cell;         // pixels between adjacent routers or nodes
    // Channels between each router and its nodes, except those at the sides: number and load.
    struct ports {
        uint32_t from_count, to_count;
        double from, to;
    } * ports;
};

static double load_of(const struct heat_map *map, uint32_t channel)
{
    uint64_t window = map->m->window;
    return window ? (double)map->m->flits[channel] / (double)window : 0;
}

static double largest_of(const struct heat_map *map)
{
    double max = 0;
    for (uint32_t i = 0; i < noc_channels(map->m->noc); i++)
        max = fmax(max, load_of(map, i));
    return max > 0 ? svg_round_up(max) : 1;
}

// Writes the tooltip of a channel.
static void title(const struct heat_map *map, const struct noc_channel *channel, double load)
{
    static const char *const from[] = {"node", "router", "router"}, *const to[] = {"router", "node",
                                                                                   "router"};
    fprintf(map->to, "<title>%s %u to %s %u: %.4f flits per cycle</title>", from[channel->kind],
            channel->from, to[channel->kind], channel->to, load);
}

// A mesh

static double router_x(const struct heat_map *map, uint32_t router)
{
    return SIDE + (router % map->per_column + 0.5) * map->cell;
}

static double router_y(const struct heat_map *map, uint32_t router)
{
    return TOP + (router / map->per_column + 0.5) * map->cell;
}

// Draws a channel as an arrow beside that of the opposite direction.
static void draw_arrow(const struct heat_map *map, const struct noc_channel *channel, double load)
{
    double x1 = router_x(map, channel->from), y1 = router_y(map, channel->from);
    double x2 = router_x(map, channel->to), y2 = router_y(map, channel->to);
    double length = hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    double begin = map->cell * 0.29, end = length - begin, near = map->cell * 0.03;
    double wide = map->cell * 0.12, head = map->cell * 0.12, beyond = map->cell * 0.06;
    const double points[][2] = {{begin, near},
                                {end - head, near},
                                {end, near + wide / 2 + beyond / 2},
                                {end - head, near + wide + beyond},
                                {end - head, near + wide},
                                {begin, near + wide}};
    svg_open_numbered(map->to, "polygon", 'h', svg_shade(load, map->max));
    fputs(" points=\"", map->to);
    for (size_t i = 0; i < ARRAY_LENGTH(points); i++)
        fprintf(map->to, "%.1f,%.1f ", x1 + points[i][0] * ux - points[i][1] * uy,
                y1 + points[i][0] * uy + points[i][1] * ux);
    fputs("\">", map->to);
    title(map, channel, load);
    fputs("</polygon>\n", map->to);
}

static void collect_ports(struct heat_map *map, struct arena *arena)
{
    map->ports = ARENA_ARRAY(arena, struct ports, noc_routers(map->m->noc));
    for (uint32_t i = 0; i < noc_channels(map->m->noc); i++) {
        struct noc_channel channel = noc_channel(map->m->noc, i);
        if (channel.kind == NOC_CHANNEL_INJECTION && channel.from >= map->places) {
            map->ports[channel.to].from += load_of(map, i);
            map->ports[channel.to].from_count++;
        } else if (channel.kind == NOC_CHANNEL_EJECTION && channel.to >= map->places) {
            map->ports[channel.from].to += load_of(map, i);
            map->ports[channel.from].to_count++;
        }
    }
}

// Draws a box shaded by the mean load of several channels. `size` is that of the router with its
// surroundings.
static void draw_port(const struct heat_map *map, double x, double y, double size, double sum,
                      uint32_t count, const char *what)
{
    if (!count)
        return;
    double load = sum / count;
    double wide = size * 0.2, high = size * 0.11;
    svg_open_numbered(map->to, "rect", 'h', svg_shade(load, map->max));
    fprintf(map->to,
            " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: "
            "%.4f flits per cycle</title></rect>\n",
            x, y, wide, high, what, load);
}

// Draws the channels from (left) and to (right) the router's nodes.
static void draw_ports(const struct heat_map *map, uint32_t router, double x, double y, double size)
{
    const struct ports *ports = &map->ports[router];
    draw_port(map, x - size * 0.22, y, size, ports->from, ports->from_count, "from its nodes");
    draw_port(map, x + size * 0.02, y, size, ports->to, ports->to_count, "to its nodes");
}

// Draws a router: a box with its number, and the channels of its nodes below the number.
static void draw_router(const struct heat_map *map, uint32_t router)
{
    enum { MIN_FOR_TEXT = 30 };
    double half = map->cell * 0.27, x = router_x(map, router), y = router_y(map, router);
    svg_open(map->to, "rect", "box");
    fprintf(map->to, " rx=\"3\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x - half,
            y - half, 2 * half, 2 * half);
    if (map->cell >= MIN_FOR_TEXT)
        svg_text(map->to, x, y + 2, "middle", "small", "%u", router);
    draw_ports(map, router, x, y + half - map->cell * 0.16, map->cell);
}

static void draw_mesh(struct heat_map *map, struct arena *arena)
{
    collect_ports(map, arena);
    for (uint32_t i = 0; i < noc_channels(map->m->noc); i++) {
        struct noc_channel channel = noc_channel(map->m->noc, i);
        if (channel.kind == NOC_CHANNEL_ROUTERS)
            draw_arrow(map, &channel, load_of(map, i));
    }
    for (uint32_t router = 0; router < noc_routers(map->m->noc); router++)
        draw_router(map, router);
}

// Stages

enum { COLUMN = 170, BOX = 34, PORTS = 60 };

static double column_x(uint32_t column)
{
    return SIDE + 44 + column * (double)COLUMN;
}

// Returns the column of a router. Column 0 has the sending nodes, followed by the stages in the
// order in which packets pass them, then the receiving nodes.
static uint32_t column_of(const struct heat_map *map, uint32_t router)
{
    uint32_t stage = router / map->per_column;
    return map->config->reversed ? map->config->stages - stage : 1 + stage;
}

static double node_y(const struct heat_map *map, uint32_t node)
{
    return TOP + (node + 0.5) * map->cell;
}

static double stage_y(const struct heat_map *map, uint32_t router)
{
    double nodes = (double)map->places / map->per_column;
    return TOP + (router % map->per_column + 0.5) * nodes * map->cell;
}

// Returns true for a channel of a node at a router instead of at the sides.
static bool is_inside(const struct heat_map *map, const struct noc_channel *channel)
{
    return (channel->kind == NOC_CHANNEL_INJECTION && channel->from >= map->places) ||
           (channel->kind == NOC_CHANNEL_EJECTION && channel->to >= map->places);
}

// Numbers of wires at a router's sides, in total and drawn so far.
struct sides {
    uint32_t in, out, in_drawn, out_drawn;
};

static struct sides *count_wires(const struct heat_map *map, struct arena *arena)
{
    struct sides *sides = ARENA_ARRAY(arena, struct sides, noc_routers(map->m->noc));
    for (uint32_t i = 0; i < noc_channels(map->m->noc); i++) {
        struct noc_channel c = noc_channel(map->m->noc, i);
        if (is_inside(map, &c))
            continue;
        if (c.kind != NOC_CHANNEL_EJECTION)
            sides[c.to].in++;
        if (c.kind != NOC_CHANNEL_INJECTION)
            sides[c.from].out++;
    }
    return sides;
}

// Returns the y position of the next wire on one side of a router.
static double beside(const struct heat_map *map, uint32_t router, uint32_t count, uint32_t *drawn)
{
    double room = (double)map->places / map->per_column * map->cell * 0.7;
    return stage_y(map, router) + ((0.5 + (*drawn)++) / count - 0.5) * room;
}

static void draw_wire(const struct heat_map *map, double x1, double y1, double x2, double y2,
                      const struct noc_channel *channel, double load)
{
    double bend = (x2 - x1) * 0.45;
    char shade = (char)('0' + svg_shade(load, map->max));
    const char classes[] = {'w', 'i', 'r', 'e', ' ', 'w', shade, 0};
    svg_open(map->to, "path", classes);
    fprintf(map->to, " d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\">", x1, y1, x1 + bend, y1,
            x2 - bend, y2, x2, y2);
    title(map, channel, load);
    fputs("</path>\n", map->to);
}

static void draw_channel(const struct heat_map *map, uint32_t index, struct sides *sides)
{
    struct noc_channel c = noc_channel(map->m->noc, index);
    uint32_t stages = noc_routers(map->m->noc) / map->per_column;
    double x1 = column_x(0), x2 = column_x(stages + 1), y1, y2;
    if (is_inside(map, &c))
        return;
    if (c.kind == NOC_CHANNEL_INJECTION) {
        y1 = node_y(map, c.from);
    } else {
        x1 = column_x(column_of(map, c.from)) + BOX / 2.0;
        y1 = beside(map, c.from, sides[c.from].out, &sides[c.from].out_drawn);
    }
    if (c.kind == NOC_CHANNEL_EJECTION) {
        y2 = node_y(map, c.to);
    } else {
        x2 = column_x(column_of(map, c.to)) - BOX / 2.0;
        y2 = beside(map, c.to, sides[c.to].in, &sides[c.to].in_drawn);
    }
    draw_wire(map, x1, y1, x2, y2, &c, load_of(map, index));
}

static void draw_stages(struct heat_map *map, struct arena *arena)
{
    struct sides *sides = count_wires(map, arena);
    uint32_t routers = noc_routers(map->m->noc);
    double high = (double)map->places / map->per_column * map->cell * 0.8;
    collect_ports(map, arena);
    for (uint32_t i = 0; i < noc_channels(map->m->noc); i++)
        draw_channel(map, i, sides);
    for (uint32_t router = 0; router < routers; router++) {
        double x = column_x(column_of(map, router)), y = stage_y(map, router);
        svg_open(map->to, "rect", "box");
        fprintf(map->to, " rx=\"3\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n",
                x - BOX / 2.0, y - high / 2, BOX, high);
        svg_text(map->to, x, y + 4, "middle", "small", "%u", router);
        draw_ports(map, router, x, y + high / 2 - PORTS * 0.13, PORTS);
    }
    uint32_t last = routers / map->per_column + 1;
    for (uint32_t node = 0; node < map->places; node++) {
        svg_text(map->to, column_x(0) - 6, node_y(map, node) + 4, "end", "small", "%u", node);
        svg_text(map->to, column_x(last) + 6, node_y(map, node) + 4, "start", "small", "%u", node);
    }
}

// The picture

static double cell_of(const struct noc_config *config)
{
    enum { LARGE = 72, SMALL = 30, MANY = 16, ROW = 15 };
    uint64_t longer = config->width > config->height ? config->width : config->height;
    return config->topology != NOC_MESH ? ROW : longer <= MANY ? LARGE : SMALL;
}

void heatmap_draw(const struct heatmap *of, struct arena *arena, FILE *to)
{
    enum { MIN_WIDTH = 760 };
    const struct noc_config *config = of->config;
    bool mesh = config->topology == NOC_MESH;
    uint32_t stages = config->topology == NOC_FLY ? config->stages : 1;
    struct heat_map map = {.to = to, .config = config, .m = of, .cell = cell_of(config)};
    map.max = largest_of(&map);
    map.per_column = mesh ? config->width : noc_routers(of->noc) / stages;
    uint32_t rows = mesh ? config->height : noc_nodes(of->noc);
    if (config->topology == NOC_FLY)
        rows = noc_fly_terminals(config);
    map.places = mesh ? 0 : rows;
    double width =
        mesh ? 2 * SIDE + (double)config->width * map.cell : column_x(stages + 1) + 44 + SIDE;
    svg_begin(to, fmax(width, MIN_WIDTH), TOP + rows * map.cell + 24, of->title);
    svg_text(to, SIDE, 26, "start", "title", "%s", of->title);
    svg_scale(to, SIDE, 56, map.max, "flits per cycle on each channel");
    svg_text(to, SIDE + 310, 66, "start", "faint", "%s", of->note);
    if (mesh)
        draw_mesh(&map, arena);
    else
        draw_stages(&map, arena);
    svg_end(to);
}

void plot_heatmap(const struct measure_head *head, const struct measured *measured,
                  struct arena *arena, FILE *to)
{
    char text[PLOT_TITLE];
    const struct heatmap map = {
        .config = head->plan->config,
        .noc = measured->noc,
        .flits = measured->channel_flits,
        .window = measured->window,
        .title = plot_title(text, head),
        .note = arena_printf(arena, "load %.4g, accepted %.4g", measured->load,
                             measured_accepted(measured)),
    };
    heatmap_draw(&map, arena, to);
}
