#include "cli/sim/digests.h"
#include "backend/tables/build.h"
#include "cli/common/response.h"
#include "cli/sim/machine.h"
#include "support/file.h"
#include "support/json.h"
#include <stdlib.h>
#include <string.h>

// Prints the configuration of a line to `to`. Returns false after errors, which are written to
// `errors`.
static bool print_machine(struct arena *arena, const struct response_line *line,
                          struct sim_machine *machine, bool *lists_stats, FILE *to, FILE *errors)
{
    struct sim_arguments arguments = {0};
    struct message_log log = {.errors = 0};
    struct messages messages;
    if (!frame_read(&sim_program, sim_command_with_policies(arena), arena, (int)line->arguments.n,
                    line->arguments.v, &arguments, errors))
        return false;
    if (arguments.common.version) // --version: only the options are checked
        return true;
    messages_init(&messages, sim_command.name, &arguments.common, &log);
    outputs_init(&log.outputs, arena);
    messages.to = log.to = errors;
    messages.colour = log.colour = false;
    *lists_stats = arguments.list_stats;
    bool good = sim_machine_read(machine, arena, &arguments, &messages);
    if (good)
        config_print(&machine->resolved, to);
    return good;
}

// Writes the names of the statistics that --list-stats prints, if the line has this option.
static void write_statistics(struct arena *arena, struct json *json, struct sim_machine *machine)
{
    char *text = NULL;
    size_t length;
    FILE *listed = open_memstream(&text, &length);
    if (listed)
        sim_machine_list_stats(machine, arena, listed);
    if (!listed || fclose(listed))
        return;
    json_key(json, "statistics");
    json_array_flat(json);
    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        end = strchrnul(line, '\n');
        json_string(json, arena_strndup(arena, line, strcspn(line, " ,\n")));
    }
    json_end_array(json);
    free(text);
}

// Writes the names of the files, without texts that are built in or come from options.
static void write_files(struct json *json, const struct config *config)
{
    json_key(json, "files");
    json_array_flat(json);
    for (uint32_t i = 0; i < config->texts.n; i++)
        if (file_is_there(config->texts.v[i]->source.name))
            json_string(json, config->texts.v[i]->source.name);
    json_end_array(json);
}

static bool write_digest(struct arena *arena, const struct response_line *line, FILE *to)
{
    char *text = NULL, *errors = NULL, digest[SHA256_HEX + 1];
    size_t length, error_length;
    FILE *printed = open_memstream(&text, &length);
    FILE *failed = open_memstream(&errors, &error_length);
    struct json json;
    struct sim_machine machine = {.series = NULL};
    bool lists_stats = false;
    bool good =
        printed && failed && print_machine(arena, line, &machine, &lists_stats, printed, failed);
    good &= !printed || !fclose(printed);
    good &= !failed || !fclose(failed);
    json_init(&json, to);
    json_object_flat(&json);
    if (good)
        tables_digest(digest, text, length);
    json_member_string(&json, good ? "sha256" : "errors", good ? digest : errors);
    if (good)
        write_files(&json, &machine.resolved);
    if (good && lists_stats)
        write_statistics(arena, &json, &machine);
    json_end_object(&json);
    json_done(&json);
    free(text);
    free(errors);
    return good;
}

const char *sim_digests_print(struct arena *arena, FILE *to, bool *good)
{
    struct file_text file;
    const char *error = file_read(arena, "-", &file);
    if (!error && strlen(file.text) != file.length)
        error = "it is not text";
    if (error)
        return arena_printf(arena, "cannot read standard input: %s", error);
    char *text = arena_strndup(arena, file.text, file.length);
    struct arena own;
    arena_init(&own, arena->memory);
    *good = true;
    while (*text) {
        struct response_line line = {.error = NULL};
        vec_push(&own, &line.arguments, (char *)sim_command.name);
        vec_push(&own, &line.arguments, (char *)"--print-config");
        response_next_line(&own, &text, &line);
        *good &= write_digest(&own, &line, to);
        arena_reset(&own);
    }
    arena_free(&own);
    return NULL;
}
