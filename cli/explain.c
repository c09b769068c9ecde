#include "cli/filter.h"
#include "cli/run.h"

static bool wants_page(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->requests.n && !arguments->beside; i++)
        if (arguments->requests.v[i].product == PRODUCT_HTML)
            return true;
    return false;
}

void run_read_untagged(struct tagger_run *run)
{
    uint32_t length;
    const char *text = backend_strip(&run->arena, &run->input, &length);
    source_init(&run->opened.source, &run->arena, run->input.name, text, length);
}

bool run_explains(const struct tagger_run *run)
{
    return run->arguments.remarks || wants_page(&run->arguments);
}

void run_report_remarks(struct tagger_run *run, const struct backend_options *options)
{
    const struct arguments *arguments = &run->arguments;
    struct remarks remarks;
    const bool *functions = NULL;
    if (!arguments->remarks)
        return;
    if (arguments->remarks_filter)
        functions = filter_functions(&run->arena, &run->module, arguments->remarks_filter);
    remarks_collect(&remarks, &run->arena, &run->module, &run->plan, arguments->remarks, functions);
    if (arguments->remarks & REMARKS_ANALYSIS)
        remarks_add_accesses(&remarks, &run->arena, &run->module, &run->plan, &options->passes,
                             functions);
    remarks_map_files(&remarks, &run->arena, &arguments->prefixes);
    messages_remarks(&run->messages, &remarks, &run->opened.source);
    timing_end(&run->timing, "remarks");
}

bool run_explain(struct tagger_run *run, const struct backend_options *options)
{
    run->explained = run->tables;
    if (!wants_page(&run->arguments) || !run->opened.current)
        return true;
    struct backend_options untagged = *options;
    struct output *output = ARENA_NEW(&run->arena, struct output);
    untagged.tags = TAGS_NONE;
    run->explained = &output->tables;
    bool good = run_prove(run, output, &untagged);
    output->tables.by_source = run->arguments.locations == LOCATIONS_SOURCE;
    return good;
}
