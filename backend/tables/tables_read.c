#include "backend/tables/places.h"
#include "backend/tables/rows.h"
#include <jansson.h>
#include <string.h>

static uint32_t clamp(int position, size_t length)
{
    return position < 0 ? 0 : (size_t)position > length ? (uint32_t)length : (uint32_t)position;
}

static json_t *parse(const char *text, size_t length, struct diags *diags)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        uint32_t at = clamp(error.position, length);
        diag_add(diags, DIAG_ERROR, "metadata", at, at, "not a JSON document: %s", error.text);
    }
    return root;
}

static bool read_document(struct tables *tables, struct arena *arena, json_t *root,
                          struct diags *diags)
{
    struct field_reader reader = {arena, diags, "metadata", NO_OFFSET, NO_OFFSET, NULL};
    if (!fields_read_json(&reader, rows_document, tables, root, "") ||
        !fields_read_json(&reader, rows_report, tables, root, ""))
        return false;
    tables_sort_locations(tables);
    const char *wrong = tables_check(arena, tables);
    if (wrong)
        diag_add(diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET, "%s", wrong);
    return !wrong;
}

bool tables_read_json(struct tables *tables, struct arena *arena, const char *text, size_t length,
                      struct diags *diags)
{
    *tables = (struct tables){0};
    json_t *root = parse(text, length, diags);
    if (!root)
        return false;
    // If the arena's memory runs out, longjmp leaves this function; free jansson's memory first.
    struct memory *memory = arena->memory;
    jmp_buf outer;
    memcpy(outer, memory->on_failure, sizeof outer);
    if (setjmp(memory->on_failure)) {
        json_decref(root);
        memcpy(memory->on_failure, outer, sizeof outer);
        longjmp(memory->on_failure, 1);
    }
    bool good = read_document(tables, arena, root, diags);
    json_decref(root);
    memcpy(memory->on_failure, outer, sizeof outer);
    return good;
}
