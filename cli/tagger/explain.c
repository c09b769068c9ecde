// Remarks, and the decisions that pages explain.
#include "cli/tagger/run.h"
#include <regex.h>

static bool wants_page(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->requests.n && !arguments->beside; i++)
        if (arguments->requests.v[i].product == PRODUCT_HTML)
            return true;
    return false;
}

bool tag_explains(const struct tagger_invocation *run)
{
    return run->arguments.remarks || wants_page(&run->arguments);
}

// Returns for each function whether the valid extended regular expression matches a part of its
// name, as -Rpass of compilers does.
static const bool *filter_functions(struct arena *arena, const struct ir_module *module,
                                    const char *expression)
{
    uint32_t count = module->functions.n;
    bool *chosen = ARENA_ARRAY(arena, bool, count + 1);
    const char **names = ARENA_ARRAY(arena, const char *, count + 1);
    regex_t compiled;
    for (uint32_t i = 0; i < count; i++) {
        const struct name *name = tree_name(module->tree, module->functions.v[i].name);
        names[i] = arena_strndup(arena, name->text, name->length);
    }
    // No allocation from the arena until regfree: exhausted memory would leak what regcomp
    // allocates.
    if (regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB))
        return chosen;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = !regexec(&compiled, names[i], 0, NULL, 0);
    regfree(&compiled);
    return chosen;
}

void tag_report_remarks(struct tagger_invocation *run)
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
    remarks_map_files(&remarks, &run->arena, &arguments->common.prefixes);
    messages_remarks(&run->frame.messages, &remarks, &t->opened.source);
    timing_end(&run->timing, "remarks");
}

bool tag_explain(struct tagger_invocation *run)
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
    output->tables.by_source = run->arguments.common.locations == LOCATIONS_SOURCE;
    return good;
}
