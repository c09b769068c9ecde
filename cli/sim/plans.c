#include "cli/sim/plans.h"
#include "backend/emit/backend.h"
#include "backend/tables/build.h"
#include "support/file.h"
#include <string.h>

const char *sim_plans_path(const struct sim_arguments *arguments, const struct run *run)
{
    if (arguments->metadata ||
        arguments->program) // the run file's metadata belong to its own program
        return arguments->metadata;
    return run->metadata.text ? run_path(run, run->metadata.text) : NULL;
}

// Checks that the metadata belong to this program: they have the digest of its text.
static void check_digest(struct diags *diags, const struct tables *tables,
                         const struct source *program)
{
    char digest[SHA256_HEX + 1];
    tables_digest(digest, program->text, program->length);
    if (!strcmp(digest, tables->output.sha256))
        return;
    bool is_source = !strcmp(digest, tables->source.sha256);
    diag_add(diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET,
             "these are not the metadata of '%s': output.sha256 begins with %.12s, but the digest "
             "of the text with %.12s%s",
             program->name, tables->output.sha256, digest,
             is_source ? ": this text is the input, and the metadata belong to the output" : "");
}

// Records a file on which the results depend, besides the program.
static void note_input(struct run *run, const char *path, const char *bytes, size_t size)
{
    char digest[SHA256_HEX + 1];
    tables_digest(digest, bytes, size);
    struct run_input input = {path, arena_strndup(run->arena, digest, SHA256_HEX)};
    vec_push(run->arena, &run->inputs, input);
}

static bool note_object(struct run *run, const char *path, const struct messages *messages)
{
    struct file_map map;
    const char *error = file_map(run->arena, path, &map);
    if (error) {
        message_error(messages, "cannot read '%s': %s", path, error);
        return false;
    }
    note_input(run, path, map.bytes, map.size);
    file_unmap(&map);
    return true;
}

static bool read_document(struct sim_plans *plans, struct arena *arena, const char *path,
                          const struct messages *messages, struct run *run,
                          const struct source *program)
{
    struct file_text file;
    struct source source;
    struct diags diags;
    const char *error = file_read(arena, path, &file);
    if (error) {
        message_error(messages, "cannot read '%s': %s", path, error);
        return false;
    }
    diags_init(&diags, arena);
    source_init(&source, arena, path, file.text, file.length);
    if (tables_read_json(&plans->tables, arena, file.text, file.length, &diags))
        check_digest(&diags, &plans->tables, program);
    note_input(run, path, file.text, file.length);
    plans->decided = true;
    return messages_diags(messages, &diags, &source);
}

static bool read_tags(struct sim_plans *plans, struct arena *arena, const struct messages *messages,
                      const struct source *program)
{
    struct tags tags = {0};
    struct diags diags;
    tags_find(&tags, arena, program);
    if (!tags.list.n)
        return true;
    diags_init(&diags, arena);
    plans->decided = tags_read(&plans->tables, arena, program, &diags);
    return messages_diags(messages, &diags, program);
}

bool sim_plans_read(struct sim_plans *plans, struct arena *arena,
                    const struct sim_arguments *arguments, const struct messages *messages,
                    struct run *run, const struct source *program,
                    const struct machine_config *config)
{
    const char *path = sim_plans_path(arguments, run);
    if (path && plans->of_object) {
        message_error(messages, "'%s' is an object, which has metadata of its own: '%s' is for PTX",
                      arguments->common.input, path);
        return false;
    }
    if (path)
        return read_document(plans, arena, path, messages, run, program);
    if (plans->of_object)
        return note_object(run, arguments->common.input, messages);
    if (!machine_reads_plans(config))
        return true;
    return read_tags(plans, arena, messages, program);
}

bool sim_plans_build(struct sim_plans *plans, const struct messages *messages,
                     const struct program *program, const struct source *source,
                     const struct machine_config *config)
{
    bool good = true;
    const struct tables *tables = plans->decided ? &plans->tables : NULL;
    plans->plans = (struct machine_plans){0}; // a program that is extended has new ones
    for (uint32_t i = 0; good && config->schemes[i]; i++) {
        const struct scheme_ops *ops = config->schemes[i];
        struct scheme_plan plan = {0};
        struct diags diags;
        if (!ops->configuration.read_plan || !machine_enables(config, i))
            continue;
        diags_init(&diags, program->arena);
        ops->configuration.read_plan(&plan, program->arena, tables, program, config->of_scheme[i],
                                     &diags);
        good = messages_diags(messages, &diags, source);
        machine_plan_add(&plans->plans, program->arena, ops, plan.table);
        if (good && plan.summary)
            message_verbose(messages, "%s", plan.summary);
        if (good && plan.lacks && program->functions.n && (plans->decided || plans->advice))
            message_note(messages, "'%s' has no %s: the policy %s offloads nothing%s%s",
                         source->name, plan.lacks, machine_policy(program->arena, config),
                         plans->decided ? "" : "; tag it: ", plans->decided ? "" : plans->advice);
    }
    return good;
}
