#include "support/svg.h"
#include <math.h>
#include <stdarg.h>

// Shades go from near the background to far from it, so that little is faint on both.
static const char style[] =
    "<style>\n"
    ".plot{--paper:#fff;--ink:#1c1e21;--faint:#5b616a;--grid:#dfe2e6;--box:#f3f4f6;--a:#1d5fbf;"
    "--b:#a8480f;--s0:#e9edf2;--s1:#fde8cf;--s2:#fdd3a3;--s3:#fdba77;--s4:#f99a51;--s5:#ef7a34;"
    "--s6:#da5a1e;--s7:#b94112;--s8:#922f0c;--s9:#651f07;--c0:#1d5fbf;--c1:#d2691e;--c2:#2e8b57;--"
    "c3:#8a56ac;--c4:#b8860b;--c5:#c2386b;font:13px system-ui,sans-serif}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){.plot{--paper:#15171b;--ink:#e8eaed;--faint:#a2a9b3;"
    "--grid:#363a41;--box:#22252b;--a:#79b4ff;--b:#f3a871;--s0:#2b2f36;--s1:#45281a;--s2:#65331b;"
    "--s3:#87401d;--s4:#a95021;--s5:#c9642b;--s6:#e37d42;--s7:#f39a65;--s8:#fbbb92;--s9:#ffdec8;--"
    "c0:#79b4ff;--c1:#f3a871;--c2:#6fd0a0;--c3:#c79be6;--c4:#e3c05a;--c5:#f08ab0}}\n"
    ".plot .paper{fill:var(--paper)}.plot text{fill:var(--ink)}.plot .faint{fill:var(--faint)}\n"
    ".plot .halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px}"
    ".plot .small{font-size:11px}.plot .title{font-size:15px;font-weight:600}\n"
    ".plot .grid{stroke:var(--grid)}.plot .axis{stroke:var(--faint)}\n"
    ".plot .mark{stroke:var(--faint);stroke-dasharray:4 4}\n"
    ".plot .a,.plot .b{fill:none;stroke:var(--a);stroke-width:2}.plot .b{stroke:var(--b)}\n"
    ".plot .thin{stroke-width:1.3;stroke-dasharray:5 3}\n"
    ".plot .da,.plot .db{fill:var(--a);stroke:var(--paper)}.plot .db{fill:var(--b)}\n"
    ".plot .hollow{fill:var(--paper);stroke:var(--a);stroke-width:1.6}\n"
    ".plot .outline{fill:none;stroke:var(--ink);stroke-width:1.4}.plot .strong{font-weight:600}\n"
    ".plot .box{fill:var(--box);stroke:var(--faint)}\n"
    ".plot .wire{fill:none;stroke-width:2.5}\n"
    ".plot .h0{fill:var(--s0)}.plot .h1{fill:var(--s1)}.plot .h2{fill:var(--s2)}"
    ".plot .h3{fill:var(--s3)}.plot .h4{fill:var(--s4)}.plot .h5{fill:var(--s5)}"
    ".plot .h6{fill:var(--s6)}.plot .h7{fill:var(--s7)}.plot .h8{fill:var(--s8)}"
    ".plot .h9{fill:var(--s9)}\n"
    ".plot .w0{stroke:var(--s0)}.plot .w1{stroke:var(--s1)}.plot .w2{stroke:var(--s2)}"
    ".plot .w3{stroke:var(--s3)}.plot .w4{stroke:var(--s4)}.plot .w5{stroke:var(--s5)}"
    ".plot .w6{stroke:var(--s6)}.plot .w7{stroke:var(--s7)}.plot .w8{stroke:var(--s8)}"
    ".plot .w9{stroke:var(--s9)}\n"
    ".plot .c0{fill:var(--c0)}.plot .c1{fill:var(--c1)}.plot .c2{fill:var(--c2)}"
    ".plot .c3{fill:var(--c3)}.plot .c4{fill:var(--c4)}.plot .c5{fill:var(--c5)}\n"
    ".plot .v0,.plot .v1,.plot .v2,.plot .v3,.plot .v4,.plot .v5{fill:none;stroke-width:2}"
    ".plot .v0{stroke:var(--c0)}.plot .v1{stroke:var(--c1)}.plot .v2{stroke:var(--c2)}"
    ".plot .v3{stroke:var(--c3)}.plot .v4{stroke:var(--c4)}.plot .v5{stroke:var(--c5)}\n"
    "</style>\n";

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
            "viewBox=\"0 0 %g %g\" role=\"img\">\n<title>",
            width, height, width, height);
    svg_escaped(to, title);
    fprintf(to, "</title>\n%s<rect class=\"paper\" width=\"%g\" height=\"%g\"/>\n", style, width,
            height);
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
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor,
            class);
    svg_escaped(to, text);
    fputs("</text>\n", to);
}

void svg_line(FILE *to, double x1, double y1, double x2, double y2, const char *class)
{
    fprintf(to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1,
            x2, y2, class);
}

// Nothing at all has a shade of its own.
unsigned svg_shade(double value, double most)
{
    if (value <= 0 || most <= 0)
        return 0;
    unsigned shade = 1 + (unsigned)(value / most * (SVG_SHADES - 1));
    return shade < SVG_SHADES ? shade : SVG_SHADES - 1;
}

void svg_scale(FILE *to, double x, double y, double most, const char *what)
{
    enum { WIDE = 26, HIGH = 12, APART = 14 }; // nothing at all stands apart
    svg_text(to, x, y - 6, "start", "small", "%s", what);
    for (int shade = 0; shade < SVG_SHADES; shade++)
        fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" class=\"h%d\"/>\n",
                x + shade * WIDE + (shade ? APART : 0), y, WIDE, HIGH, shade);
    svg_text(to, x + WIDE / 2, y + HIGH + 13, "middle", "small", "none");
    for (int shade = 1; shade <= SVG_SHADES; shade += 3)
        svg_text(to, x + shade * WIDE + APART, y + HIGH + 13, "middle", "small", "%.3g",
                 most * (shade - 1) / (SVG_SHADES - 1));
}

double svg_round_up(double value)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= value * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}
