// HTML pages: one frame with a heading and a switch between light and dark, which all pages share.
// A page is self-contained.
#pragma once
#include "support/embed.h"
#include <stddef.h>
#include <stdio.h>

// Writes the head and the start of the body, with the title as heading.
void page_begin(FILE *to, const char *title);
// Writes the end of the page.
void page_end(FILE *to);

// A replacement of @NAME@ in a template: a text or, if that is NULL, the output of `write`.
struct page_slot {
    const char *name, *text;
    void (*write)(const void *context, FILE *to);
    const void *context;
};
// Writes a template. `slots` ends with a row without name.
void page_fill(FILE *to, const char *text, size_t length, const struct page_slot *slots);

// Files that all pages share, see support/page: "style" and "script" are those of the frame.
extern const struct embedded page_files[];
// Returns the text of a file of such a table, which must have it.
const char *page_file(const struct embedded *files, const char *name);
