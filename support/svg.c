#include "support/integer.h"
#include "support/svg.h"
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

// Colours on a light and on a dark background. Shades start near the background, so that low values
// are faint on both.
enum svg_colour {
    COLOUR_NOT_SET,
    COLOUR_NONE,
    COLOUR_PAPER,
    COLOUR_INK,
    COLOUR_FAINT,
    COLOUR_GRID,
    COLOUR_BOX,
    COLOUR_A,
    COLOUR_B,
    COLOUR_SHADE,                              // the first of SVG_SHADES
    COLOUR_SERIES = COLOUR_SHADE + SVG_SHADES, // the first of SVG_SERIES
    COLOURS = COLOUR_SERIES + SVG_SERIES,
};

static const struct {
    const char *light, *dark;
} colours[COLOURS] = {
    [COLOUR_NONE] = {"none", "none"},
    [COLOUR_PAPER] = {"#fff", "#15171b"},
    [COLOUR_INK] = {"#1c1e21", "#e8eaed"},
    [COLOUR_FAINT] = {"#5b616a", "#a2a9b3"},
    [COLOUR_GRID] = {"#dfe2e6", "#363a41"},
    [COLOUR_BOX] = {"#f3f4f6", "#22252b"},
    [COLOUR_A] = {"#1d5fbf", "#79b4ff"},
    [COLOUR_B] = {"#a8480f", "#f3a871"},
    [COLOUR_SHADE] = {"#e9edf2", "#2b2f36"},
    {"#fde8cf", "#45281a"},
    {"#fdd3a3", "#65331b"},
    {"#fdba77", "#87401d"},
    {"#f99a51", "#a95021"},
    {"#ef7a34", "#c9642b"},
    {"#da5a1e", "#e37d42"},
    {"#b94112", "#f39a65"},
    {"#922f0c", "#fbbb92"},
    {"#651f07", "#ffdec8"},
    [COLOUR_SERIES] = {"#1d5fbf", "#79b4ff"},
    {"#d2691e", "#f3a871"},
    {"#2e8b57", "#6fd0a0"},
    {"#8a56ac", "#c79be6"},
    {"#b8860b", "#e3c05a"},
    {"#c2386b", "#f08ab0"},
};

// The attributes of a class; NULL and COLOUR_NOT_SET: not set. If several classes apply, the later
// row has precedence.
struct svg_look {
    const char *class;
    enum svg_colour fill, stroke;
    const char *stroke_width, *dashes, *font_size, *font_weight, *paint_order;
};

static const struct svg_look looks[] = {
    {"text", .fill = COLOUR_INK}, // the element <text>
    {"paper", .fill = COLOUR_PAPER},
    {"faint", .fill = COLOUR_FAINT},
    {"halo", .stroke = COLOUR_PAPER, .stroke_width = "3", .paint_order = "stroke"},
    {"small", .font_size = "11"},
    {"title", .font_size = "15", .font_weight = "600"},
    {"strong", .font_weight = "600"},
    {"grid", .stroke = COLOUR_GRID},
    {"axis", .stroke = COLOUR_FAINT},
    {"mark", .stroke = COLOUR_FAINT, .dashes = "4 4"},
    {"a", .fill = COLOUR_NONE, .stroke = COLOUR_A, .stroke_width = "2"},
    {"b", .fill = COLOUR_NONE, .stroke = COLOUR_B, .stroke_width = "2"},
    {"thin", .stroke_width = "1.3", .dashes = "5 3"},
    {"da", .fill = COLOUR_A, .stroke = COLOUR_PAPER},
    {"db", .fill = COLOUR_B, .stroke = COLOUR_PAPER},
    {"hollow", .fill = COLOUR_PAPER, .stroke = COLOUR_A, .stroke_width = "1.6"},
    {"outline", .fill = COLOUR_NONE, .stroke = COLOUR_INK, .stroke_width = "1.4"},
    {"box", .fill = COLOUR_BOX, .stroke = COLOUR_FAINT},
    {"wire", .fill = COLOUR_NONE, .stroke_width = "2.5"},
};

// Numbered classes: a letter, and the colour of number 0.
static const struct {
    char letter;
    enum svg_colour first;
    int count;
    struct svg_look look; // without the numbered colour
} numbered[] = {
    {'h', COLOUR_SHADE, SVG_SHADES, {.fill = COLOUR_SHADE}},
    {'w', COLOUR_SHADE, SVG_SHADES, {.stroke = COLOUR_SHADE}},
    {'c', COLOUR_SERIES, SVG_SERIES, {.fill = COLOUR_SERIES}},
    {'v',
     COLOUR_SERIES,
     SVG_SERIES,
     {.fill = COLOUR_NONE, .stroke = COLOUR_SERIES, .stroke_width = "2"}},
};

enum { LOOKS = ARRAY_LENGTH(looks), NUMBERED = ARRAY_LENGTH(numbered) };

static struct svg_look numbered_look(int kind, int number)
{
    struct svg_look look = numbered[kind].look;
    enum svg_colour *of = look.stroke == numbered[kind].first ? &look.stroke : &look.fill;
    *of = (enum svg_colour)((int)numbered[kind].first + number);
    return look;
}

static void add_look(struct svg_look *to, const struct svg_look *more)
{
    to->fill = more->fill ? more->fill : to->fill;
    to->stroke = more->stroke ? more->stroke : to->stroke;
    to->stroke_width = more->stroke_width ? more->stroke_width : to->stroke_width;
    to->dashes = more->dashes ? more->dashes : to->dashes;
    to->font_size = more->font_size ? more->font_size : to->font_size;
    to->font_weight = more->font_weight ? more->font_weight : to->font_weight;
    to->paint_order = more->paint_order ? more->paint_order : to->paint_order;
}

static bool has_class(const char *classes, const char *class)
{
    size_t length = strlen(class);
    for (const char *at = classes; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (!strncmp(at, class, length) && (!at[length] || at[length] == ' '))
            return true;
    }
    return false;
}

static struct svg_look look_of(const char *element, const char *classes)
{
    struct svg_look look = {0};
    for (int i = 0; i < LOOKS; i++)
        if (has_class(classes, looks[i].class) || !strcmp(element, looks[i].class))
            add_look(&look, &looks[i]);
    for (int i = 0; i < NUMBERED; i++)
        for (int k = 0; k < numbered[i].count; k++) {
            const char name[] = {numbered[i].letter, (char)('0' + k), 0};
            const struct svg_look more = numbered_look(i, k);
            if (has_class(classes, name))
                add_look(&look, &more);
        }
    return look;
}

static void write_attribute(FILE *to, const char *name, const char *value)
{
    if (value)
        fprintf(to, " %s=\"%s\"", name, value);
}

void svg_open(FILE *to, const char *element, const char *classes)
{
    const struct svg_look look = look_of(element, classes);
    fprintf(to, "<%s", element);
    write_attribute(to, "class", *classes ? classes : NULL);
    write_attribute(to, "fill", colours[look.fill].light);
    write_attribute(to, "stroke", colours[look.stroke].light);
    write_attribute(to, "stroke-width", look.stroke_width);
    write_attribute(to, "stroke-dasharray", look.dashes);
    write_attribute(to, "font-size", look.font_size);
    write_attribute(to, "font-weight", look.font_weight);
    write_attribute(to, "paint-order", look.paint_order);
}

void svg_open_numbered(FILE *to, const char *element, char letter, unsigned number)
{
    const char class[] = {letter, (char)('0' + number % 10), 0};
    svg_open(to, element, class);
}

static void write_colour(FILE *to, const char *property, enum svg_colour colour)
{
    if (colour > COLOUR_NONE)
        fprintf(to, "%s:light-dark(%s,%s);", property, colours[colour].light, colours[colour].dark);
}

static void write_rule(FILE *to, const char *selector, const struct svg_look *look)
{
    if (look->fill <= COLOUR_NONE && look->stroke <= COLOUR_NONE)
        return;
    fprintf(to, ".plot %s{", selector);
    write_colour(to, "fill", look->fill);
    write_colour(to, "stroke", look->stroke);
    fputc('}', to);
}

// Writes the style sheet. Attributes have the colours for light backgrounds, which every program
// supports; browsers use the colours written here, which follow the screen or, within a page, the
// page's switch.
static void write_style(FILE *to)
{
    fputs("<style>:root:is(svg){color-scheme:light dark}", to);
    for (int i = 0; i < LOOKS; i++) {
        char selector[16];
        snprintf(selector, sizeof selector, "%s%s", i ? "." : "", looks[i].class);
        write_rule(to, selector, &looks[i]);
    }
    for (int i = 0; i < NUMBERED; i++)
        for (int k = 0; k < numbered[i].count; k++) {
            const char selector[] = {'.', numbered[i].letter, (char)('0' + k), 0};
            const struct svg_look look = numbered_look(i, k);
            write_rule(to, selector, &look);
        }
    fputs("</style>\n", to);
}

void svg_escaped(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        default: putc((unsigned char)*text < ' ' && *text != '\n' ? ' ' : *text, to);
        }
}

void svg_begin(FILE *to, double width, double height, const char *title)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" role=\"img\" font-family=\"system-ui,sans-serif\" "
            "font-size=\"13\">\n<title>",
            width, height, width, height);
    svg_escaped(to, title);
    fputs("</title>\n", to);
    write_style(to);
    svg_open(to, "rect", "paper");
    fprintf(to, " width=\"%g\" height=\"%g\"/>\n", width, height);
}

void svg_end(FILE *to)
{
    fputs("</svg>\n", to);
}

void svg_text(FILE *to, double x, double y, const char *anchor, const char *class,
              const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    svg_open(to, "text", class);
    fprintf(to, " x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    svg_escaped(to, text);
    fputs("</text>\n", to);
}

void svg_line(FILE *to, double x1, double y1, double x2, double y2, const char *class)
{
    svg_open(to, "line", class);
    fprintf(to, " x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1, y1, x2, y2);
}

// Shade 0 is only for the value 0.
unsigned svg_shade(double value, double max)
{
    if (value <= 0 || max <= 0)
        return 0;
    unsigned shade = 1 + (unsigned)(value / max * (SVG_SHADES - 1));
    return shade < SVG_SHADES ? shade : SVG_SHADES - 1;
}

void svg_scale(FILE *to, double x, double y, double max, const char *what)
{
    enum { WIDE = 26, HIGH = 12, APART = 14 }; // the shade of 0 is drawn apart
    svg_text(to, x, y - 6, "start", "small", "%s", what);
    for (int shade = 0; shade < SVG_SHADES; shade++) {
        svg_open_numbered(to, "rect", 'h', (unsigned)shade);
        fprintf(to, " x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
                x + shade * WIDE + (shade ? APART : 0), y, WIDE, HIGH);
    }
    svg_text(to, x + WIDE / 2, y + HIGH + 13, "middle", "small", "none");
    for (int shade = 1; shade <= SVG_SHADES; shade += 3)
        svg_text(to, x + shade * WIDE + APART, y + HIGH + 13, "middle", "small", "%.3g",
                 max * (shade - 1) / (SVG_SHADES - 1));
}

double svg_round_up(double value)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < ARRAY_LENGTH(steps); i++)
        if (steps[i] * power >= value * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}
