#include "support/page.h"
#include "support/svg.h"
#include <string.h>

const char *page_file(const struct embedded *files, const char *name)
{
    while (strcmp(files->name, name) != 0)
        files++;
    return files->text;
}

static const struct page_slot *slot_at(const struct page_slot *slots, const char *at)
{
    for (; slots->name; slots++) {
        size_t length = strlen(slots->name);
        if (!strncmp(at + 1, slots->name, length) && at[length + 1] == '@')
            return slots;
    }
    return NULL;
}

void page_fill(FILE *to, const char *text, size_t length, const struct page_slot *slots)
{
    for (const char *at = text, *end = text + length; at < end;) {
        const struct page_slot *slot = *at == '@' ? slot_at(slots, at) : NULL;
        if (slot && slot->text)
            fputs(slot->text, to);
        else if (slot)
            slot->write(slot->context, to);
        else
            putc(*at, to);
        at += slot ? strlen(slot->name) + 2 : 1;
    }
}

static void write_title(const void *context, FILE *to)
{
    svg_escaped(to, context);
}

static const char content[] = "@CONTENT@";

void page_begin(FILE *to, const char *title)
{
    const char *page = page_file(page_files, "page");
    const struct page_slot slots[] = {
        {"TITLE", .write = write_title, .context = title},
        {"STYLE", .text = page_file(page_files, "style")},
        {"DOCUMENT", .text = page_file(page_files, "document")},
        {0},
    };
    page_fill(to, page, (size_t)(strstr(page, content) - page), slots);
}

void page_end(FILE *to)
{
    const char *rest = strstr(page_file(page_files, "page"), content) + sizeof content - 1;
    const struct page_slot slots[] = {
        {"SCRIPT", .text = page_file(page_files, "script")},
        {"TABLES", .text = page_file(page_files, "tables")},
        {0},
    };
    page_fill(to, rest, strlen(rest), slots);
}
