// Writes SVG drawings for light and dark screens. They are self-contained, and a page
// (support/page.h) can contain several. cairo's drawings have no classes for a style sheet.
#pragma once
#include <stdint.h>
#include <stdio.h>

enum { SVG_SHADES = 10 }; // classes h0 … h9 of elements, from low to high values
enum { SVG_SERIES = 6 }; // classes c0 … c5 of areas and v0 … v5 of lines, distinguished by colour

// Start and end a drawing. Its size is in pixels, its title for screen readers.
void svg_begin(FILE *to, double width, double height, const char *title);
void svg_end(FILE *to);
// Writes "<ELEMENT" with its classes, and their colours as attributes for programs without support
// of style sheets. The caller writes the other attributes and the end.
void svg_open(FILE *to, const char *element, const char *classes);
// Like svg_open, with one numbered class, such as c3.
void svg_open_numbered(FILE *to, const char *element, char letter, unsigned number);
// Writes an escaped text. Anchor: "start", "middle" or "end".
void svg_text(FILE *to, double x, double y, const char *anchor, const char *class,
              const char *format, ...) __attribute__((format(printf, 6, 7)));
// Draws a line.
void svg_line(FILE *to, double x1, double y1, double x2, double y2, const char *class);
// Writes text with the special characters of SVG and HTML escaped.
void svg_escaped(FILE *to, const char *text);

// Returns the shade of a value between 0 and `most`.
unsigned svg_shade(double value, double max);
// Draws a legend of the shades from 0 to `most`.
void svg_scale(FILE *to, double x, double y, double max, const char *what);

// Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `value`. Requires a
// positive value.
double svg_round_up(double value);
