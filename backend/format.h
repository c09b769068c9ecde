// The canonical form of a PTX text: one statement a line, indented by its scope, one way to set
// spaces. Comments stay, literals stay as they are written, debug sections are copied.
#pragma once
#include "frontend/tree.h"
#include <stdio.h>

// Writes the tree's text in canonical form. Parsing that gives the same tree but for the ranges,
// and formatting it again the same text. The tree must be free of syntax errors.
void format_write(const struct tree *tree, FILE *to);
