// --compare=OUT: proves that another text is equivalent to the input, or reports the differences.
// --beside=BEFORE: compares two reports, or an earlier report with the decisions of this run.
#include "cli/common/input.h"
#include "cli/tagger/run.h"
#include "passes/verify/verify.h"
#include "support/file.h"
#include <string.h>

// --compare

static const char *shown(const char *path)
{
    return file_is_standard(path) ? "standard input" : path;
}

// Reports a fault at its place in the input, and the place in the other text as a note.
static void report_refuted(struct tagger_invocation *run, const struct verify_fault *fault,
                           const struct source *other)
{
    struct diags diags;
    uint32_t in = fault->input, out = fault->output < other->length ? fault->output : other->length;
    diags_init(&diags, &run->arena);
    diag_add(&diags, DIAG_ERROR, "refuted", in, in, "'%s' is not proven equivalent: %s",
             other->name, fault->text);
    messages_diags(&run->frame.messages, &diags, &run->input);
    diags_init(&diags, &run->arena);
    diag_add(&diags, DIAG_NOTE, "refuted", out, out, "the corresponding place in the other text");
    messages_diags(&run->frame.messages, &diags, other);
}

static int report_proven(struct tagger_invocation *run, const struct verified *verified)
{
    const struct arguments *arguments = &run->arguments;
    FILE *to = frame_open(&run->frame, "-");
    if (!to)
        return BAD_INPUT;
    fprintf(to, "'%s' is equivalent to '%s': ", shown(arguments->compare),
            shown(arguments->common.input));
    if (verified->moved)
        fprintf(to, "%llu statements, %llu of them moved\n",
                (unsigned long long)verified->statements, (unsigned long long)verified->moved);
    else
        fprintf(to, "%llu statements in the same order\n",
                (unsigned long long)verified->statements);
    return frame_commit(&run->frame, DONE);
}

int tag_compare(struct tagger_invocation *run)
{
    const struct arguments *arguments = &run->arguments;
    const struct pass_options options = {
        .fma = arguments_fma(arguments),
        .block = arguments->block,
        .restrict_parameters = arguments->restrict_parameters,
        .maps = arguments->maps,
    };
    struct source other;
    struct verified verified = {0};
    if (!input_text(&run->frame.messages, &run->arena, run->arguments.compare, &other))
        return BAD_INPUT;
    // The input is read last, so that the module is the input's.
    bool good = tag_read(run, &other);
    good &= tag_read(run, &run->input);
    if (!good)
        return BAD_INPUT;
    verify_output(&verified, &run->arena, &run->tagging.module, &options, other.text, other.length);
    timing_end(&run->timing, "verify");
    for (uint32_t i = 0; i < verified.faults.n; i++)
        report_refuted(run, &verified.faults.v[i], &other);
    return verified.faults.n ? BAD_INPUT : report_proven(run, &verified);
}

// --beside

bool tag_is_report(const struct tagger_invocation *run)
{
    const char *text = run->input.text + strspn(run->input.text, " \t\r\n");
    return run->arguments.beside && *text == '{';
}

static bool read_report(struct tagger_invocation *run, const struct source *source,
                        struct tables *tables)
{
    struct diags diags;
    diags_init(&diags, &run->arena);
    bool good = tables_read_json(tables, &run->arena, source->text, source->length, &diags);
    return messages_diags(&run->frame.messages, &diags, source) && good;
}

bool tag_find_differences(struct tagger_invocation *run)
{
    const char *path = run->arguments.beside;
    struct source *before = tag_read_file(run, &run->arena, path);
    struct tables *tables = ARENA_NEW(&run->arena, struct tables);
    if (!before)
        return false;
    messages_artifact(&run->frame.messages, path, before->text, before->length, -1);
    if (!read_report(run, before, tables))
        return false;
    run->differences = ARENA_NEW(&run->arena, struct differences);
    run->differences->before_name = path;
    run->differences->by_source = run->arguments.common.locations == LOCATIONS_SOURCE;
    run->differences->after_name = run->input.name;
    differences_find(run->differences, &run->arena, tables, run->tables);
    timing_end(&run->timing, "compare");
    return true;
}

int tag_beside(struct tagger_invocation *run)
{
    const struct arguments *arguments = &run->arguments;
    for (uint32_t i = 0; i < arguments->requests.n; i++) {
        const struct output_request *request = &arguments->requests.v[i];
        if (request->product >= PRODUCT_EMITTED)
            continue;
        message_error(&run->frame.messages, "'%s' is a report: %s needs PTX",
                      arguments->common.input, request->option);
        return BAD_INPUT;
    }
    if (!read_report(run, &run->input, &run->known))
        return BAD_INPUT;
    run->tables = &run->known;
    return tag_find_differences(run) ? tag_write_all(run) : BAD_INPUT;
}
