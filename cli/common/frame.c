#include "cli/common/frame.h"
#include "cli/common/interrupt.h"
#include "cli/common/response.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

// The command line

const struct topic *frame_topic(const struct cli_program *program, const void *options)
{
    for (const struct topic *topic = program->topics; topic && topic->print; topic++) {
        int value = *(const int *)((const char *)options + topic->flag);
        if (topic->value ? value == topic->value : value)
            return topic;
    }
    return NULL;
}

static bool read_line(const struct cli_program *program, struct arena *arena,
                      struct response_line *all, void *options, struct command_line *line)
{
    const struct common_options *common = options;
    if (all->error)
        return options_fault(line, "%s", all->error);
    *line = options_read(line->command, arena, (int)all->arguments.n, all->arguments.v, options,
                         line->errors);
    if (line->failed || common->help.topic == 1 || common->version || frame_topic(program, options))
        return !line->failed;
    return program->check(options, line);
}

bool frame_read(const struct cli_program *program, const struct command *command,
                struct arena *arena, int argc, char *const *argv, void *options, FILE *errors)
{
    struct command_line line = {.command = command, .arena = arena, .errors = errors};
    struct response_line all = {.error = NULL};
    common_options_default(options);
    if (program->set_defaults)
        program->set_defaults(options, arena);
    if (!command->starts)
        all = response_expand(arena, argc, argv);
    for (int i = 0; command->starts && i < argc; i++)
        vec_push(arena, &all.arguments, argv[i]);
    bool good = read_line(program, arena, &all, options, &line);
    if (!good)
        fprintf(errors, "'%s --help' explains the options\n", command->name);
    return good;
}

// Outputs

FILE *frame_open(struct frame *frame, const char *path)
{
    const char *error;
    FILE *to = output_open(&frame->outputs, path, &error);
    if (!to)
        message_error(&frame->messages, "%s", error);
    return to;
}

int frame_commit(struct frame *frame, int status)
{
    const char *error = outputs_commit(&frame->outputs);
    if (error)
        message_error(&frame->messages, "%s", error);
    return error ? BAD_INPUT : status;
}

// The run

static int print(struct frame *frame, const struct topic *topic)
{
    FILE *to = frame_open(frame, "-");
    bool good = to;
    if (to && frame->options->help.topic == 1)
        options_help(frame->command, to);
    else if (to && topic)
        good = topic->print(frame, to);
    else if (to)
        options_version(frame->command, to);
    return to ? frame_commit(frame, good ? DONE : BAD_INPUT) : BAD_INPUT;
}

static int run(struct frame *frame)
{
    const struct cli_program *program = frame->program;
    void *options = frame->options;
    if (program->begin)
        program->begin(frame);
    if (program->complete)
        frame->command = program->complete(&frame->arena);
    if (!frame_read(program, frame->command, &frame->arena, frame->argc, frame->argv, options,
                    stderr))
        return BAD_USAGE;
    messages_init(&frame->messages, frame->command->name, frame->options, &frame->log);
    const struct topic *topic = frame_topic(program, options);
    if (frame->options->help.topic == 1 || frame->options->version || (topic && !topic->is_late))
        return print(frame, topic && topic->is_late ? NULL : topic);
    frame->memory.limit = frame->options->max_memory;
    // A program that becomes another one opens no files, except for a topic.
    if (topic || !program->starts)
        if (!messages_begin(&frame->messages, &frame->arena) ||
            (program->prepare && !program->prepare(frame)))
            return BAD_INPUT;
    return topic ? print(frame, topic) : program->run(frame);
}

// Reports exhausted memory. Returns false if memory ran out again during the report.
static bool report_memory(struct frame *frame)
{
    outputs_abandon(&frame->outputs);
    if (frame->out_of_memory)
        return false;
    frame->out_of_memory = true;
    if (frame->program->abandon)
        frame->program->abandon(frame);
    message_memory(&frame->messages, &frame->memory);
    return true;
}

static int work(struct frame *frame)
{
    if (setjmp(frame->memory.on_failure))
        return report_memory(frame)
                   ? messages_end(&frame->messages, frame->argc, frame->argv, BAD_INPUT)
                   : BAD_INPUT;
    int status = run(frame);
    outputs_abandon(&frame->outputs);
    return messages_end(&frame->messages, frame->argc, frame->argv, status);
}

// Opens closed standard descriptors, so that no other file gets their numbers. They are opened in
// the wrong direction, so that their use is an error.
static void open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_FAILURE);
}

int frame_main(const struct cli_program *program, int argc, char **argv)
{
    if (!program->starts)
        open_standard();
    // Line by line: excerpts are written character by character.
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    // Not freed: a signal handler may still read its outputs.
    struct frame *frame = calloc(1, program->size);
    if (!frame) {
        fprintf(stderr, "%s: error: out of memory\n", program->command->name);
        return BAD_INPUT;
    }
    frame->program = program;
    frame->command = program->command;
    frame->argc = argc;
    frame->argv = argv;
    frame->options = (void *)((char *)frame + program->options);
    frame->memory.sparse = program->sparse;
    arena_init(&frame->arena, &frame->memory);
    outputs_init(&frame->outputs, &frame->arena);
    outputs_init(&frame->log.outputs, &frame->arena);
    messages_init(&frame->messages, frame->command->name, frame->options, &frame->log);
    if (!program->starts)
        interrupt_remove(&frame->outputs, &frame->log.outputs);
    int status = work(frame);
    memory_free(&frame->memory);
    if (frame->stop)
        interrupt_end(frame->stop);
    return status;
}
