// Cells of CSV files.
#pragma once
#include <stdio.h>

// Writes a text as a cell, quoted if necessary. A text that a spreadsheet would interpret as a
// formula, because it starts with = + - @ or a tab and is not a number, is prefixed with an
// apostrophe.
void csv_text(FILE *to, const char *text);
