// Texts for terminals.
#pragma once

// Replaces each control character, also those of two bytes (U+0080 to U+009F), by question marks: a
// terminal would obey it.
void make_printable(char *text);
