// Reads the map of a launch.
#include "passes/maps/map_read.h"
#include "runtime-sim/run/run.h"
#include "support/file.h"
#include <string.h>

// Errors in the map's file are reported at its name in the run file, with their line and column.
static void report(struct run *run, const struct run_text *at, const struct source *source,
                   const struct diags *diags)
{
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        struct place place = source_place(source, diag->begin == NO_OFFSET ? 0 : diag->begin);
        run_fault(run, at, "'%s', line %u, column %u: %s", at->text, place.line, place.column,
                  diag->message);
    }
}

bool run_map(struct run *run, const struct run_text *at, const struct map **map)
{
    struct source *source = ARENA_NEW(run->arena, struct source);
    struct file_text file;
    struct diags diags;
    *map = NULL;
    if (!at->text || !strcmp(at->text, "off"))
        return true;
    if (!strcmp(at->text, "auto")) {
        *map = &map_automatic;
        return true;
    }
    const char *name = run_path(run, at->text);
    const char *error = file_read(run->arena, name, &file);
    if (error) {
        run_fault(run, at, "cannot read '%s': %s", name, error);
        return false;
    }
    run_note_input(run, name, file.text, file.length);
    source_init(source, run->arena, name, file.text, file.length);
    diags_init(&diags, run->arena);
    *map = map_read(run->arena, source, &diags);
    report(run, at, source, &diags);
    return *map;
}
