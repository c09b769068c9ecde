// Text for terminals: lists of names with explanations, and text without control characters.
#pragma once
#include <stdio.h>

// Returns the column at which explanations start, for names of up to `longest` characters.
int listing_column(int longest);
// Prints " NAME TEXT". The text starts at the column and is wrapped. Backticks of Markdown become
// quotes.
void listing_row(FILE *to, int column, const char *name, const char *text);

// Replaces each control character, including the two-byte ones (U+0080 to U+009F), by question
// marks, so that a terminal does not interpret it.
void make_printable(char *text);
