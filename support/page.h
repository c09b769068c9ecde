// HTML pages for light and dark screens, self-contained.
#pragma once
#include <stdio.h>

// Writes the head and the beginning of the body, with the title as heading.
void page_begin(FILE *to, const char *title);
void page_end(FILE *to);
