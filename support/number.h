// Numbers as text.
#pragma once

enum { NUMBER_TEXT = 40 };

// The shortest decimal that reads back as the same value; whole numbers below 10^15 without an
// exponent. Not for infinities and NaN.
void number_shortest(char text[NUMBER_TEXT], double value);
