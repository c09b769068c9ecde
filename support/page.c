#include "support/page.h"
#include "support/svg.h"

static const char page_style[] =
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:80em;padding:0 1em;"
    "background:#fff;color:#1c1e21}\n"
    "h1{font-size:1.4em}h2{font-size:1.15em;margin-top:2em}\n"
    "h1,h2,h4,th,dd{overflow-wrap:anywhere}.wide th{overflow-wrap:normal}\n"
    "svg{max-width:100%;height:auto}\n"
    ".wide{overflow-x:auto}\n"
    "pre{overflow-x:auto}\n"
    "small{font-size:.85em}.quiet,small{color:var(--quiet)}.lead{font-size:1.05em}\n"
    "h3{font-size:1em;margin:1.6em 0 .4em}h4{font-size:.95em;margin:0 0 .3em}\n"
    ".words th,.words td{white-space:nowrap}.words th:first-child{text-align:left}\n"
    ".bars{width:100%}.bars th{text-align:left;font-weight:400;width:44%}"
    ".bars th small,.bars td small{display:block}.bars td{white-space:nowrap}\n"
    ".bars td.bar{width:36%;vertical-align:middle;padding-right:0}"
    ".track{display:block;position:relative;height:.8em;background:var(--track)}"
    ".track i{display:block;height:100%;background:var(--bar)}"
    ".track b{position:absolute;top:-.2em;bottom:-.2em;width:2px;background:var(--mark)}"
    ".track.other{height:.45em;margin-top:.15em}.track.other i{background:var(--quiet)}\n"
    "dl{margin:.6em 0}dl div{display:flex;gap:.8em;justify-content:space-between;"
    "border-bottom:1px solid var(--rule)}dt{color:var(--quiet)}dd{margin:0;text-align:right;"
    "font-variant-numeric:tabular-nums}.bad dd{color:var(--bad);font-weight:600}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(15em,1fr));gap:0 2em}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(20em,100%),1fr));gap:"
    "1em}"
    ".card{border:1px solid var(--rule);border-radius:6px;padding:.7em .9em}\n"
    ":root{--quiet:#565b63;--rule:#dfe2e6;--bar:#1d5fbf;--track:#eceef1;--mark:#a8480f;"
    "--bad:#a3261f}a{color:#1d5fbf}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #dfe2e6}\n"
    "@media screen and (prefers-color-scheme:dark){body{background:#15171b;color:#e8eaed}"
    "th,td{border-color:#363a41}:root{--quiet:#a9afb9;--rule:#363a41;--bar:#79b4ff;--track:#2b2f36;"
    "--mark:#f3a871;--bad:#ff9a90}a{color:#79b4ff}}\n"
    "@media(max-width:600px){body{margin:1em auto;padding:0 .75em}.wide svg{max-width:none}"
    "th,td{padding:.2em .4em}.bars,.bars tbody{display:block}.bars tr{display:grid;"
    "grid-template-columns:1fr auto;gap:0 1em;border-bottom:1px solid var(--rule);padding:.3em 0}"
    ".bars th,.bars td{border:0;padding:0}.bars th,.bars td.bar{width:auto}"
    ".bars td.bar{grid-column:1/-1}}\n"
    "@media print{body{max-width:none;font-size:10pt}.wide{overflow:visible}.card,tr,svg{"
    "break-inside:avoid}h2,h3{break-after:avoid}*{print-color-adjust:exact}}\n"
    "</style>\n";

void page_begin(FILE *to, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
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
