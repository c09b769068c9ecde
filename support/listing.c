#include "support/listing.h"
#include <stdbool.h>
#include <string.h>

enum { INDENT = 2, WIDTH = 96 };

int listing_column(int longest)
{
    return INDENT + longest + 2;
}

// Counts characters of UTF-8, not bytes.
static int width_of(const char *text, int length)
{
    int width = 0;
    for (int i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static void put_word(FILE *to, const char *word, int length)
{
    for (int i = 0; i < length; i++)
        putc(word[i] == '`' ? '\'' : word[i], to);
}

void listing_row(FILE *to, int column, const char *name, const char *text)
{
    int at = fprintf(to, "%*s%s", INDENT, "", name), begin = column - 1;
    for (; at < begin; at++)
        putc(' ', to);
    for (int first = 1; *text; first = 0) {
        int length = (int)strcspn(text, " "), width = width_of(text, length);
        if (!first && at + 1 + width > WIDTH)
            at = fprintf(to, "\n%*s", begin, "") - 1;
        putc(' ', to);
        put_word(to, text, length);
        at += 1 + width;
        text += length + (text[length] == ' ');
    }
    putc('\n', to);
}

// Control characters

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
