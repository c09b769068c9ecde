// --beside=BEFORE: compares two reports, or an earlier report with the decisions of this run.
#include "cli/tagger/run.h"
#include "support/file.h"
#include <string.h>

bool run_is_report(const struct tagger_run *run)
{
    const char *text = run->input.text + strspn(run->input.text, " \t\r\n");
    return run->arguments.beside && *text == '{';
}

static bool read_report(struct tagger_run *run, const struct source *source, struct tables *tables)
{
    struct diags diags;
    diags_init(&diags, &run->arena);
    bool good = tables_read_json(tables, &run->arena, source->text, source->length, &diags);
    return messages_diags(&run->messages, &diags, source) && good;
}

bool run_find_differences(struct tagger_run *run)
{
    const char *path = run->arguments.beside;
    struct file_text file;
    struct source before;
    struct tables *tables = ARENA_NEW(&run->arena, struct tables);
    const char *error = file_read(&run->arena, path, &file);
    if (error) {
        message_error(&run->messages, "cannot read '%s': %s", path, error);
        return false;
    }
    source_init(&before, &run->arena, path, file.text, file.length);
    messages_artifact(&run->messages, path, file.text, file.length, -1);
    if (!read_report(run, &before, tables))
        return false;
    run->differences = ARENA_NEW(&run->arena, struct differences);
    run->differences->before_name = path;
    run->differences->by_source = run->arguments.locations == LOCATIONS_SOURCE;
    run->differences->after_name = run->input.name;
    differences_find(run->differences, &run->arena, tables, run->tables);
    timing_end(&run->timing, "compare");
    return true;
}

int run_beside(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    for (uint32_t i = 0; i < arguments->requests.n; i++) {
        const struct output_request *request = &arguments->requests.v[i];
        if (request->product >= PRODUCT_EMITTED)
            continue;
        message_error(&run->messages, "'%s' is a report: %s needs a PTX", arguments->input,
                      request->option);
        return BAD_INPUT;
    }
    if (!read_report(run, &run->input, &run->known))
        return BAD_INPUT;
    run->tables = &run->known;
    return run_find_differences(run) ? run_write_all(run) : BAD_INPUT;
}
