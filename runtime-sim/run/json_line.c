#include "runtime-sim/run/json_line.h"
#include <jansson.h>
#include <string.h>

bool json_line_read(void *record, const struct record_field *rows, struct arena *arena,
                    const char *text, size_t length)
{
    struct diags diags; // not reported
    struct field_reader reader = {arena, &diags, "run-file", NO_OFFSET, NO_OFFSET, NULL};
    diags_init(&diags, arena);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    if (!root)
        return false;
    // If the arena runs out of memory it jumps out of this function; jansson's object must be freed
    // first.
    struct memory *memory = arena->memory;
    jmp_buf outer;
    memcpy(outer, memory->on_failure, sizeof outer);
    if (setjmp(memory->on_failure)) {
        json_decref(root);
        memcpy(memory->on_failure, outer, sizeof outer);
        longjmp(memory->on_failure, 1);
    }
    bool good = fields_read_json(&reader, rows, record, root, "");
    json_decref(root);
    memcpy(memory->on_failure, outer, sizeof outer);
    return good;
}
