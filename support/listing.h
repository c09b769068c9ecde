// Prints lists of names with explanations on terminals.
#pragma once
#include <stdio.h>

// Returns the column at which explanations start, for names of up to `longest` characters.
int listing_column(int longest);
// Prints " NAME TEXT". The text starts at the column and is wrapped. Backticks of Markdown become
// quotes.
void listing_row(FILE *to, int column, const char *name, const char *text);
