// Drawing: pieces of SVG for light and dark screens. A drawing is self-contained; several of them
// can stand in one HTML page.
#pragma once
#include <stdint.h>
#include <stdio.h>

enum { SVG_SHADES = 10 }; // classes h0 … h9 of elements, from little to much
enum { SVG_SERIES = 6 };  // classes c0 … c5 of areas and v0 … v5 of lines, told apart by colour

// The drawing's size is in pixels; the title is for those who cannot see it.
void svg_begin(FILE *to, double width, double height, const char *title);
void svg_end(FILE *to);
// Anchor: "start", "middle" or "end". The text is escaped.
void svg_text(FILE *to, double x, double y, const char *anchor, const char *class,
              const char *format, ...) __attribute__((format(printf, 6, 7)));
void svg_line(FILE *to, double x1, double y1, double x2, double y2, const char *class);
// Text with what SVG and HTML take for their own replaced.
void svg_escaped(FILE *to, const char *text);

// Shade of a value between 0 and `most`.
unsigned svg_shade(double value, double most);
// A scale of the shades from 0 to `most`.
void svg_scale(FILE *to, double x, double y, double most, const char *what);

// The least of 1, 2, 2.5, 5 times a power of ten that is `value` or more; needs a positive one.
double svg_round_up(double value);
