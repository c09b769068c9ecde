// Self-contained HTML pages for light and dark screens.
#pragma once
#include <stdio.h>

// Writes the head and the start of the body, with the title as heading.
void page_begin(FILE *to, const char *title);
// Writes the end of the page.
void page_end(FILE *to);
