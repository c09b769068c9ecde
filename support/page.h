// HTML pages for light and dark screens, without anything from elsewhere.
#pragma once
#include <stdio.h>

// Head and beginning of the body, up to the heading, which is the title.
void page_begin(FILE *to, const char *title);
void page_end(FILE *to);
