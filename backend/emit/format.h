// The canonical form of a PTX text: one statement per line, indented by its scope, with uniform
// spaces. Comments and literals are kept; debug sections are copied.
#pragma once
#include "frontend/tree.h"
#include <stdio.h>

// Writes the tree's text in canonical form. Parsing the result gives the same tree except for
// ranges, and formatting it again the same text. Requires a tree without syntax errors.
void format_write(const struct tree *tree, FILE *to);
