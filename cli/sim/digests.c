#include "cli/sim/digests.h"
#include "backend/tables/build.h"
#include "cli/common/response.h"
#include "cli/sim/machine.h"
#include "support/file.h"
#include "support/json.h"
#include <stdlib.h>
#include <string.h>

// The texts that a line's digests cover, and its errors.
struct printed_machine {
    char *whole, *effective, *errors;
    size_t whole_length, effective_length, error_length;
    FILE *whole_to, *effective_to, *errors_to;
};

// Prints the configuration of a line. Returns false after errors, which are printed, too.
static bool print_machine(struct arena *arena, const struct response_line *line,
                          struct sim_machine *machine, bool *lists_stats,
                          const struct printed_machine *to)
{
    struct sim_arguments arguments = {0};
    struct message_log log = {.errors = 0};
    struct messages messages;
    if (!frame_read(&sim_program, sim_command_with_policies(arena), arena, (int)line->arguments.n,
                    line->arguments.v, &arguments, to->errors_to))
        return false;
    if (arguments.common.version) // --version: only the options are checked
        return true;
    messages_init(&messages, sim_command.name, &arguments.common, &log);
    outputs_init(&log.outputs, arena);
    messages.to = log.to = to->errors_to;
    messages.colour = log.colour = false;
    *lists_stats = arguments.list_stats;
    bool good = sim_machine_read(machine, arena, &arguments, &messages);
    if (good) {
        config_print(&machine->resolved, to->whole_to);
        config_print_effective(&machine->resolved, to->effective_to);
    }
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

static void write_text_digest(struct json *json, const char *name, const char *text, size_t length)
{
    char digest[SHA256_HEX + 1];
    tables_digest(digest, text, length);
    json_member_string(json, name, digest);
}

static bool write_digest(struct arena *arena, const struct response_line *line, FILE *to)
{
    struct printed_machine p = {.whole = NULL};
    struct json json;
    struct sim_machine machine = {.series = NULL};
    bool lists_stats = false;
    p.whole_to = open_memstream(&p.whole, &p.whole_length);
    p.effective_to = open_memstream(&p.effective, &p.effective_length);
    p.errors_to = open_memstream(&p.errors, &p.error_length);
    bool good = p.whole_to && p.effective_to && p.errors_to &&
                print_machine(arena, line, &machine, &lists_stats, &p);
    good &= !p.whole_to || !fclose(p.whole_to);
    good &= !p.effective_to || !fclose(p.effective_to);
    good &= !p.errors_to || !fclose(p.errors_to);
    json_init(&json, to);
    json_object_flat(&json);
    if (good) {
        write_text_digest(&json, "sha256", p.whole, p.whole_length);
        write_text_digest(&json, "effective", p.effective, p.effective_length);
        write_files(&json, &machine.resolved);
    } else {
        json_member_string(&json, "errors", p.errors);
    }
    if (good && lists_stats)
        write_statistics(arena, &json, &machine);
    json_end_object(&json);
    json_done(&json);
    free(p.whole);
    free(p.effective);
    free(p.errors);
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
