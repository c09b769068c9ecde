#include "support/diag.h"
#include "support/json.h"

enum {
    WIDEST = 160, // maximum columns of a printed line
    TAB = 8,
    DIGITS = 6, // width of the line number
};

// How one or more bytes of the line are displayed.
struct glyph {
    uint32_t bytes, columns;
    char text[12]; // printed instead of the bytes, if not empty
};

struct excerpt {
    const char *text; // text of the source
    uint32_t begin, end;
    uint32_t margin; // columns to the left of the line
    bool cut_before, cut_after;
};

struct range {
    uint32_t first, last;
};

static const struct range combining[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
    {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200c, 0x200d},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};
// Control characters, and characters that change the order in which others are displayed.
static const struct range hidden[] = {
    {0x80, 0x9f},     {0x200b, 0x200b}, {0x200e, 0x200f},
    {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
};

#define IN_TABLE(code, table) in_table(code, table, ARRAY_LENGTH(table))

static bool in_table(uint32_t code, const struct range *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= table[i].first && code <= table[i].last)
            return true;
    return false;
}

static uint32_t decode(const char *text, size_t length)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)*text & lead[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

// Returns the glyph at `at`, displayed in this column.
static struct glyph glyph_at(const struct excerpt *x, uint32_t at, uint32_t column)
{
    unsigned char byte = (unsigned char)x->text[at];
    if (byte == '\t')
        return (struct glyph){.bytes = 1, .columns = TAB - column % TAB};
    size_t length = json_utf8_length(x->text + at, x->end - at);
    struct glyph glyph = {.bytes = length ? (uint32_t)length : 1, .columns = 1};
    uint32_t code = length ? decode(x->text + at, length) : byte;
    if (!length || byte < ' ' || byte == 127)
        glyph.columns = (uint32_t)snprintf(glyph.text, sizeof glyph.text, "<%02x>", byte);
    else if (IN_TABLE(code, hidden))
        glyph.columns =
            (uint32_t)snprintf(glyph.text, sizeof glyph.text, "<U+%04X>", code & 0xffff);
    else if (IN_TABLE(code, combining))
        glyph.columns = 0;
    else if (IN_TABLE(code, wide))
        glyph.columns = 2;
    return glyph;
}

// Returns the column of `to`, if `from` is in `column`.
static uint32_t column_of(const struct excerpt *x, uint32_t from, uint32_t to, uint32_t column)
{
    while (from < to) {
        struct glyph glyph = glyph_at(x, from, column);
        from += glyph.bytes;
        column += glyph.columns;
    }
    return column;
}

// Returns the last offset up to `column`, at least one glyph after `from`.
static uint32_t position_of(const struct excerpt *x, uint32_t from, uint32_t column)
{
    uint32_t at = x->margin;
    while (from < x->end && at < column) {
        struct glyph glyph = glyph_at(x, from, at);
        at += glyph.columns;
        from += glyph.bytes;
    }
    return from;
}

static uint32_t whole_letter(const struct excerpt *x, uint32_t at)
{
    for (int i = 0; i < 3 && at > x->begin && ((unsigned char)x->text[at] & 0xc0) == 0x80; i++)
        at--;
    return at;
}

// Cuts a line that is too wide. It is first cut by bytes, because a line can have millions.
static void cut(struct excerpt *x, uint32_t caret)
{
    enum { FAR = 4 * WIDEST };
    uint32_t begin = x->begin, end = x->end;
    if (end - caret > FAR)
        x->end = whole_letter(x, caret + FAR);
    if (caret - begin > FAR)
        x->begin = whole_letter(x, caret - FAR);
    uint32_t before = column_of(x, x->begin, caret, x->margin) - x->margin;
    uint32_t all = column_of(x, x->begin, x->end, x->margin) - x->margin;
    if (all > WIDEST && before > WIDEST * 3 / 4) {
        uint32_t behind = all - before > WIDEST / 2 ? WIDEST / 2 : all - before;
        x->begin = position_of(x, x->begin, x->margin + before + behind - WIDEST);
    }
    x->cut_before = x->begin > begin;
    uint32_t stop = position_of(x, x->begin, x->margin + WIDEST);
    x->cut_after = stop < end;
    x->end = stop;
}

static void print_line(const struct excerpt *x, FILE *to)
{
    fputs(x->cut_before ? "..." : "", to);
    for (uint32_t at = x->begin; at < x->end;) {
        struct glyph glyph = glyph_at(x, at, 0);
        if (*glyph.text)
            fputs(glyph.text, to);
        else
            fwrite(x->text + at, 1, glyph.bytes, to);
        at += glyph.bytes;
    }
    fputs(x->cut_after ? "...\n" : "\n", to);
}

static void print_mark(const struct excerpt *x, uint32_t begin, uint32_t end, FILE *to, bool colour)
{
    uint32_t column = x->margin + (x->cut_before ? 3 : 0), at = x->begin;
    fputs(x->cut_before ? "   " : "", to);
    while (at < begin) {
        struct glyph glyph = glyph_at(x, at, column);
        // A tab has the same width here as in the line above.
        fprintf(to, "%*s", x->text[at] == '\t' ? 1 : (int)glyph.columns,
                x->text[at] == '\t' ? "\t" : "");
        at += glyph.bytes;
        column += glyph.columns;
    }
    fputs(colour ? "\033[1;32m^" : "^", to);
    uint32_t width = column_of(x, begin, end < x->end ? end : x->end, column) - column;
    for (uint32_t i = 1; i < width; i++)
        putc('~', to);
    fputs(colour ? "\033[0m\n" : "\n", to);
}

void excerpt_print(const struct source *source, uint32_t begin, uint32_t end, FILE *to, bool colour)
{
    struct excerpt x = {.text = source->text};
    uint32_t line = source_position_at(source, begin).line;
    source_line(source, line, &x.begin, &x.end);
    // A range may start at the line end itself.
    uint32_t caret = begin < x.end ? begin : x.end;
    int digits = fprintf(to, "%*u", DIGITS, line);
    x.margin = (uint32_t)digits + 3;
    cut(&x, caret);
    fputs(" | ", to);
    print_line(&x, to);
    fprintf(to, "%*s | ", digits, "");
    print_mark(&x, caret, end, to, colour);
}
