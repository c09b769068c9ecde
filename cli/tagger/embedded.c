#include "cli/tagger/embedded.h"
#include "cli/common/response.h"
#include "cli/tagger/run.h"
#include <string.h>

static void set_defaults(void *into, struct arena *arena)
{
    struct arguments *arguments = into;
    arguments_default(arguments, arena);
    arguments->embedded = true;
}

static const struct cli_program program = {
    .command = &ptxoffload_command,
    .set_defaults = set_defaults,
    .check = arguments_check,
};

// Returns an option that excludes a tagged program, or NULL.
static const char *excluded_option(const struct arguments *arguments)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"--help", arguments->common.help.topic},
        {"--version", arguments->common.version},
        {"--print-passes", arguments->print_passes},
        {"--check", arguments->check},
        {"--list", arguments->list},
        {"--compare", arguments->compare},
        {"--overlap", arguments->overlap},
        {"--placement", arguments->placement != NULL},
        {"--strip", arguments->strip},
        {"--format", arguments->format},
        {"--fragment", arguments->fragment},
        {"--stop-after", arguments->stop_after},
        {"--tags=none", arguments->tags == TAGS_NONE},
        {"--tags=paper", arguments->tags == TAGS_PAPER},
        {"a folder as output", arguments->in_folders},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

struct tagger_invocation *embedded_read(struct arena *arena, const char *options, FILE *errors)
{
    enum { NAME_AND_INPUT = 2 };
    struct tagger_invocation *run = ARENA_NEW(arena, struct tagger_invocation);
    struct response_line line = {.error = NULL};
    char *text = arena_strndup(arena, options, strlen(options));
    vec_push(arena, &line.arguments, arena_strndup(arena, "ptxoffload", 10));
    vec_push(arena, &line.arguments, arena_strndup(arena, "<program>", 9)); // not a file
    while (*text && !line.error)
        response_next_line(arena, &text, &line);
    if (line.error) {
        fprintf(errors, "ptxoffload: error: %s\n", line.error);
        return NULL;
    }
    if (!frame_read(&program, &ptxoffload_command, arena, (int)line.arguments.n, line.arguments.v,
                    &run->arguments, errors))
        return NULL;
    const char *excluded = excluded_option(&run->arguments);
    if (excluded) {
        fprintf(errors, "ptxoffload: error: %s makes no tagged program that can run\n", excluded);
        return NULL;
    }
    return run;
}

void embedded_place(struct tagger_invocation *run,
                    const char *(*place)(const void *context, const char *path),
                    const void *context)
{
    struct arguments *arguments = &run->arguments;
    for (uint32_t i = 0; i < arguments->requests.n; i++)
        arguments->requests.v[i].path = place(context, arguments->requests.v[i].path);
    if (arguments->machine && strpbrk(arguments->machine, "/.")) // a file, no name
        arguments->machine = place(context, arguments->machine);
    arguments->capability_path = place(context, arguments->capability_path);
    arguments->profile_path = place(context, arguments->profile_path);
    arguments->beside = place(context, arguments->beside);
}

bool embedded_tag(struct tagger_invocation *run, struct arena *arena,
                  const struct messages *messages, struct source *source)
{
    struct frame *frame = &run->frame;
    frame->messages = *messages;
    arena_init(&frame->arena, arena->memory);
    arena_init(&run->arena, arena->memory);
    outputs_init(&frame->outputs, &run->arena);
    timing_init(&run->timing, &frame->arena);
    run->input = *source;
    bool good = tag_read_files(run) && tag_analyse(run) == DONE;
    outputs_abandon(&frame->outputs);
    if (run->arguments.time_passes)
        timing_print(&run->timing, frame->messages.to);
    if (good)
        source_init(source, arena, source->name, run->text, run->length);
    return good;
}
