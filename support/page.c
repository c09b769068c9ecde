#include "support/page.h"
#include "support/svg.h"

static const char page_style[] =
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:64em;padding:0 1em;"
    "background:#fff;color:#1c1e21}\n"
    "h1{font-size:1.4em}h2{font-size:1.15em;margin-top:2em}\n"
    "svg{max-width:100%;height:auto}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #dfe2e6}\n"
    "@media(prefers-color-scheme:dark){body{background:#15171b;color:#e8eaed}"
    "th,td{border-color:#363a41}}\n"
    "</style>\n";

void page_begin(FILE *to, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          to);
    svg_escaped(to, title);
    fprintf(to, "</title>\n%s</head>\n<body>\n<h1>", page_style);
    svg_escaped(to, title);
    fputs("</h1>\n", to);
}

void page_end(FILE *to)
{
    fputs("</body>\n</html>\n", to);
}
