// Cells of CSV files.
#pragma once
#include <stdio.h>

// Writes a text as a cell, in quotes where it needs them. A text that a spreadsheet would take for
// a formula, because it begins with = + - @ or a tab and is no number, gets an apostrophe in front.
void csv_text(FILE *to, const char *text);
