#include "runtime-sim/base/foreign.h"
#include "support/nearest.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char foreign_needed[] = "";

static const struct foreign_format *const formats[] = {&foreign_gpgpusim, &foreign_booksim};

// Skips blanks and lines of comments.
static const char *first_line(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && strncmp(text, "//", 2))
            return text;
        text += strcspn(text, "\n");
    }
}

const struct foreign_format *foreign_format_of(const char *text)
{
    const char *line = first_line(text);
    for (uint32_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (formats[i]->is(line))
            return formats[i];
    return NULL;
}

static const struct foreign_row *find_row(const struct foreign_format *format, const char *name)
{
    for (uint32_t i = 0; i < format->row_count; i++) {
        const struct foreign_row *row = &format->rows[i];
        if (row->kind != FOREIGN_ASSUMED &&
            !(row->kind == FOREIGN_IGNORED ? fnmatch(row->name, name, 0) : strcmp(row->name, name)))
            return row;
    }
    return NULL;
}

// Options

static void __attribute__((format(printf, 3, 4)))
fault(struct foreign *f, const struct foreign_option *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(f->arena, format, args);
    va_end(args);
    uint32_t begin = at ? at->begin : NO_OFFSET;
    for (uint32_t i = 0; i < f->diags->list.n; i++)
        if (f->diags->list.v[i].begin == begin && !strcmp(f->diags->list.v[i].message, text))
            return; // several rules read the option
    diag_add(f->diags, DIAG_ERROR, "config", begin, at ? at->end : NO_OFFSET, "%s", text);
}

static void report_unknown(struct foreign *f, const struct foreign_option *option)
{
    struct nearest nearest;
    nearest_init(&nearest, option->name, strlen(option->name));
    for (uint32_t i = 0; i < f->format->row_count; i++)
        if (f->format->rows[i].kind != FOREIGN_ASSUMED)
            nearest_offer(&nearest, f->format->rows[i].name, strlen(f->format->rows[i].name));
    fault(f, option,
          "unknown option '%s' of %s%s%s%s; without it, the machine has no such property",
          option->name, f->format->name, nearest.best ? "; did you mean '" : "",
          nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

void foreign_add(struct foreign *f, const char *name, const char *value, uint32_t begin,
                 uint32_t end)
{
    enum { MOST = 4096 }; // options are searched one by one
    if (f->options.n >= MOST) {
        fault(f, NULL, "the file has more than %d options", MOST);
        return;
    }
    const struct foreign_option option = {name, value, begin, end, find_row(f->format, name),
                                          false};
    for (uint32_t i = 0; i < f->options.n; i++)
        if (!strcmp(f->options.v[i].name, name))
            f->options.v[i].overridden = true;
    vec_push(f->arena, &f->options, option);
}

const struct foreign_option *foreign_find(const struct foreign *f, const char *name)
{
    for (uint32_t i = f->options.n; i-- > 0;)
        if (!strcmp(f->options.v[i].name, name))
            return &f->options.v[i];
    return NULL;
}

const char *foreign_word(struct foreign *f, const char *name)
{
    const struct foreign_option *option = foreign_find(f, name);
    const struct foreign_row *row = find_row(f->format, name);
    if (option)
        return option->value;
    if (row->value != FOREIGN_NEEDED)
        return row->value;
    fault(f, NULL, "the option '%s' is missing", name);
    return NULL;
}

uint32_t foreign_numbers(struct foreign *f, const char *name, const char *between, uint32_t least,
                         uint32_t most, uint32_t *to)
{
    enum { DIGITS = 9 };
    const char *text = foreign_word(f, name);
    uint32_t count = 0;
    for (const char *at = text; at && count < most; at++) {
        size_t digits = strspn(at, "0123456789");
        if (!digits || digits > DIGITS)
            break;
        to[count++] = (uint32_t)strtoul(at, NULL, 10);
        at += digits;
        if (!*at && count >= least)
            return count;
        if (!*at || !strchr(between, *at))
            break;
    }
    if (text && most > 1)
        foreign_refuse(f, name, "must be %u to %u whole numbers, separated by '%s'", least, most,
                       between);
    else if (text)
        foreign_refuse(f, name, "must be a whole number of at most %d digits", DIGITS);
    return 0;
}

uint32_t foreign_number(struct foreign *f, const char *name)
{
    uint32_t number = 0;
    foreign_numbers(f, name, "", 1, 1, &number);
    return number;
}

void foreign_refuse(struct foreign *f, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(f->arena, format, args);
    va_end(args);
    const struct foreign_option *option = foreign_find(f, name);
    fault(f, option, "'%s' %s", name, text);
}

static void put(struct foreign *f, const struct foreign_option *option, const char *key,
                const char *value, const char *text)
{
    const char *dot = strchr(key, '.');
    const struct foreign_setting setting = {arena_strndup(f->arena, key, (size_t)(dot - key)),
                                            dot + 1, value, option, text};
    vec_push(f->arena, &f->settings, setting);
}

void foreign_put(struct foreign *f, const char *name, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *value = arena_vprintf(f->arena, format, args);
    va_end(args);
    put(f, foreign_find(f, name), key, value, arena_printf(f->arena, "without %s", name));
}

static bool has_setting(const struct foreign *f, const char *key)
{
    for (uint32_t i = 0; i < f->settings.n; i++) {
        const struct foreign_setting *at = &f->settings.v[i];
        size_t length = strlen(at->section);
        if (!strncmp(key, at->section, length) && key[length] == '.' &&
            !strcmp(key + length + 1, at->key))
            return true;
    }
    return false;
}

void foreign_assume(struct foreign *f)
{
    for (uint32_t i = 0; i < f->format->row_count; i++) {
        const struct foreign_row *row = &f->format->rows[i];
        if (row->kind == FOREIGN_ASSUMED && !has_setting(f, row->name))
            put(f, NULL, row->name, row->value, row->text);
    }
}

// Rows without a function

static void apply_row(struct foreign *f, const struct foreign_option *option)
{
    const struct foreign_row *row = option->row;
    bool flag = !strcmp(option->value, "0") || !strcmp(option->value, "1");
    if (row->kind == FOREIGN_COPY)
        put(f, option, row->value, option->value, "");
    else if (row->kind == FOREIGN_FLAG && flag)
        put(f, option, row->value, *option->value == '1' ? "true" : "false", "");
    else if (row->kind == FOREIGN_FLAG)
        foreign_refuse(f, option->name, "must be 0 or 1");
    else if (row->kind == FOREIGN_ONLY && strcmp(option->value, row->value))
        foreign_refuse(f, option->name, "must be %s: %s", row->value, row->text);
}

const struct foreign *foreign_read(struct arena *arena, const struct foreign_format *format,
                                   const struct source *source, struct diags *diags, bool is_part)
{
    struct foreign *f = ARENA_NEW(arena, struct foreign);
    f->arena = arena;
    f->format = format;
    f->source = source;
    f->diags = diags;
    f->is_part = is_part;
    if (strlen(source->text) < source->length)
        diag_add(diags, DIAG_ERROR, "config", (uint32_t)strlen(source->text), source->length,
                 "a text has no byte 0");
    format->scan(f);
    for (uint32_t i = 0; i < f->options.n; i++)
        if (!f->options.v[i].row)
            report_unknown(f, &f->options.v[i]);
        else if (!f->options.v[i].overridden)
            apply_row(f, &f->options.v[i]);
    format->translate(f);
    diags_sort(diags);
    return diags->errors ? NULL : f;
}

// Report

static void print_option(const struct foreign *f, const struct foreign_option *option, FILE *to)
{
    uint32_t count = 0;
    const struct foreign_row *row = option->row;
    fprintf(to, "# %s:%u: %s %s", f->source->name,
            source_position_at(f->source, option->begin).line, option->name, option->value);
    if (option->overridden) {
        fputs(": overridden by a later line\n", to);
        return;
    }
    for (uint32_t i = 0; i < f->settings.n; i++) {
        const struct foreign_setting *at = &f->settings.v[i];
        if (at->option == option)
            fprintf(to, "%s%s.%s: %s", count++ ? ", " : " -> ", at->section, at->key, at->value);
    }
    fprintf(to, "%s%s%s\n", row->kind == FOREIGN_IGNORED ? ": ignored" : "",
            row->kind == FOREIGN_COPY || row->kind == FOREIGN_FLAG || !*row->text ? "" : ": ",
            row->kind == FOREIGN_COPY || row->kind == FOREIGN_FLAG ? "" : row->text);
}

void foreign_print(const struct foreign *f, FILE *to)
{
    for (uint32_t i = 0; i < f->options.n; i++)
        if (f->options.v[i].row)
            print_option(f, &f->options.v[i], to);
    for (uint32_t i = 0; i < f->settings.n; i++) {
        const struct foreign_setting *at = &f->settings.v[i];
        if (!at->option)
            fprintf(to, "# %s: assumed: %s.%s: %s%s%s\n", f->source->name, at->section, at->key,
                    at->value, *at->text ? ": " : "", at->text);
    }
}
