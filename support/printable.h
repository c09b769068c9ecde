// Texts for terminals.
#pragma once

// Replaces each control character, also those of two bytes (U+0080 to U+009F), by question marks,
// so that a terminal does not interpret it.
void make_printable(char *text);
