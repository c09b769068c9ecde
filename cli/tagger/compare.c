// --compare=OUT: proves that another text does what the input does, or says where it may not.
#include "cli/common/input.h"
#include "cli/tagger/run.h"
#include "passes/verify/verify.h"
#include "support/file.h"

static const char *shown(const char *path)
{
    return file_is_standard(path) ? "standard input" : path;
}

static bool read_other(struct tagger_run *run, struct source *other)
{
    const char *id, *error = input_read(other, &run->arena, run->arguments.compare, &id);
    if (error)
        message_fault(&run->messages, id, "%s", error);
    else
        messages_artifact(&run->messages, other->name, other->text, other->length, -1);
    return !error;
}

// Both places: the input's with the reason, and where the other text stands then.
static void report_refuted(struct tagger_run *run, const struct verify_fault *fault,
                           const struct source *other)
{
    struct diags diags;
    uint32_t in = fault->input, out = fault->output < other->length ? fault->output : other->length;
    diags_init(&diags, &run->arena);
    diag_add(&diags, DIAG_ERROR, "refuted", in, in, "'%s' is not proven equivalent: %s",
             other->name, fault->text);
    messages_diags(&run->messages, &diags, &run->input);
    diags_init(&diags, &run->arena);
    diag_add(&diags, DIAG_NOTE, "refuted", out, out, "the place in the other text");
    messages_diags(&run->messages, &diags, other);
}

static int report_proven(struct tagger_run *run, const struct verified *verified)
{
    const struct arguments *arguments = &run->arguments;
    const char *error;
    FILE *to = output_open(&run->outputs, "-", &error);
    if (!to) {
        message_error(&run->messages, "%s", error);
        return BAD_INPUT;
    }
    fprintf(to, "'%s' is equivalent to '%s': ", shown(arguments->compare), shown(arguments->input));
    if (verified->moved)
        fprintf(to, "%llu statements, %llu of them moved\n",
                (unsigned long long)verified->statements, (unsigned long long)verified->moved);
    else
        fprintf(to, "%llu statements in the same order\n",
                (unsigned long long)verified->statements);
    return run_commit(run) ? DONE : BAD_INPUT;
}

int run_compare(struct tagger_run *run)
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
    if (!read_other(run, &other))
        return BAD_INPUT;
    // The module stays that of the input.
    bool good = run_read(run, &other);
    good &= run_read(run, &run->input);
    if (!good)
        return BAD_INPUT;
    verify_output(&verified, &run->arena, &run->tagging.module, &options, other.text, other.length);
    timing_end(&run->timing, "verify");
    for (uint32_t i = 0; i < verified.faults.n; i++)
        report_refuted(run, &verified.faults.v[i], &other);
    return verified.faults.n ? BAD_INPUT : report_proven(run, &verified);
}
