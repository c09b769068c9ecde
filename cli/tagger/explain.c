#include "cli/tagger/filter.h"
#include "cli/tagger/run.h"

static bool wants_page(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->requests.n && !arguments->beside; i++)
        if (arguments->requests.v[i].product == PRODUCT_HTML)
            return true;
    return false;
}

bool run_explains(const struct tagger_run *run)
{
    return run->arguments.remarks || wants_page(&run->arguments);
}

void run_report_remarks(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    struct tagging *t = &run->tagging;
    struct remarks remarks;
    const bool *functions = NULL;
    if (!arguments->remarks)
        return;
    if (arguments->remarks_filter)
        functions = filter_functions(&run->arena, &t->module, arguments->remarks_filter);
    remarks_collect(&remarks, &run->arena, &t->module, &t->plan, arguments->remarks, functions);
    if (arguments->remarks & REMARKS_ANALYSIS)
        remarks_add_accesses(&remarks, &run->arena, &t->module, &t->plan, &t->options.output.passes,
                             functions);
    remarks_map_files(&remarks, &run->arena, &arguments->prefixes);
    messages_remarks(&run->messages, &remarks, &t->opened.source);
    timing_end(&run->timing, "remarks");
}

bool run_explain(struct tagger_run *run)
{
    struct tagging *t = &run->tagging;
    run->explained = run->tables;
    if (!wants_page(&run->arguments) || !t->opened.current)
        return true;
    struct backend_options untagged = t->options.output;
    struct output *output = ARENA_NEW(&run->arena, struct output);
    untagged.tags = TAGS_NONE;
    run->explained = &output->tables;
    bool good = tagger_emit(t, output, &untagged);
    output->tables.by_source = run->arguments.locations == LOCATIONS_SOURCE;
    return good;
}
