// Lists of names with explanations, for terminals.
#pragma once
#include <stdio.h>

// Returns the column of explanations beside names of up to `longest` characters.
int listing_column(int longest);
// "  NAME   TEXT": the text begins at the column and is broken into lines. Backticks of Markdown
// become quotes.
void listing_row(FILE *to, int column, const char *name, const char *text);
