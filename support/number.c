#include "support/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void number_shortest(char text[NUMBER_TEXT], double value)
{
    if (fabs(value) < 1e15 && value == trunc(value)) {
        snprintf(text, NUMBER_TEXT, "%.0f", value + 0.0); // + 0.0: no sign on zero
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}
