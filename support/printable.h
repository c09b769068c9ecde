// Makes text safe for terminals.
#pragma once

// Replaces each control character, including the two-byte ones (U+0080 to U+009F), by question
// marks, so that a terminal does not interpret it.
void make_printable(char *text);
