#include "support/printable.h"
#include <stdbool.h>

void make_printable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        bool two = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        if (two)
            *at++ = '?';
        if (two || *at < ' ' || *at == 0x7f)
            *at = '?';
    }
}
