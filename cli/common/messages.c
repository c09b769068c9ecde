#include "cli/common/messages.h"
#include "support/file.h"
#include "support/listing.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Garbage can have an error in every line, but people read no more than this many errors, and as
// many warnings.
enum { MAX_SHOWN = 100 };

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool messages_can_erase(int descriptor)
{
    const char *terminal = getenv("TERM");
    return isatty(descriptor) && !(terminal && !strcmp(terminal, "dumb"));
}

// Returns true if a document is written to standard error, which then has no other output.
static bool has_document(const struct common_options *options)
{
    return options->diagnostics.format != DIAGNOSTICS_TEXT && !options->diagnostics.path;
}

uint32_t messages_width(int descriptor)
{
    enum { MINIMUM = 40, USUAL = 80, LIMIT = 120 };
    struct winsize size;
    if (!isatty(descriptor))
        return 0;
    const char *given = getenv("COLUMNS");
    long width = given ? strtol(given, NULL, 10) : 0;
    if (width <= 0)
        width = ioctl(descriptor, TIOCGWINSZ, &size) || !size.ws_col ? USUAL : size.ws_col;
    return width < MINIMUM ? MINIMUM : width > LIMIT ? LIMIT : (uint32_t)width;
}

bool messages_progress(const struct common_options *options)
{
    return !options->quiet && !has_document(options) && messages_can_erase(STDERR_FILENO);
}

bool messages_colour(const struct common_options *options, int descriptor)
{
    if (options->colour != COLOUR_AUTO)
        return options->colour == COLOUR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0"))
        return true;
    return messages_can_erase(descriptor);
}

void messages_init(struct messages *messages, const char *command,
                   const struct common_options *options, struct message_log *log)
{
    *messages = (struct messages){
        .options = options,
        .command = command,
        .to = stderr,
        .colour = messages_colour(options, STDERR_FILENO),
        .log = log,
    };
    log->to = stderr;
    log->colour = messages->colour;
}

// One message

static const char *const colours[] = {
    [DIAG_NOTE] = "\033[1;36m",
    [DIAG_WARNING] = "\033[1;35m",
    [DIAG_ERROR] = "\033[1;31m",
    [DIAG_REMARK] = "\033[1;34m",
};

static void print(const struct messages *messages, FILE *to, const char *colour, const char *class,
                  const char *text)
{
    fprintf(to, "%s: %s%s%s%s", messages->command, colour, class, *colour ? "\033[0m" : "", text);
}

static bool hide(const struct messages *messages, enum severity severity)
{
    const struct common_options *o = messages->options;
    struct message_log *log = messages->log;
    bool error = severity == DIAG_ERROR;
    uint32_t count = error ? ++log->errors : ++log->warnings;
    uint64_t usual = o->verbose ? 0 : MAX_SHOWN;
    uint64_t max = o->max_errors == ALL_ERRORS_USUAL ? usual : o->max_errors;
    if (!log->to || !max || count <= max)
        return false;
    ++*(error ? &log->hidden_errors : &log->hidden_warnings);
    return true;
}

// Reports a message of the command itself. Errors are always shown, because there are few.
static void report_diag(const struct messages *messages, const char *class, struct diag *diag)
{
    struct message_log *log = messages->log;
    diag->begin = diag->end = NO_OFFSET;
    ++*(diag->severity == DIAG_ERROR ? &log->errors : &log->warnings);
    if (!log->to) {
        findings_about(&log->findings, NULL);
        findings_add(&log->findings, diag);
        return;
    }
    print(messages, log->to, log->colour ? colours[diag->severity] : "", class, diag->message);
    // The message names the -W option that applies.
    if (diag->raised)
        fprintf(log->to, " [-Werror=%s]", diag->id);
    else if (diag->severity == DIAG_WARNING)
        fprintf(log->to, " [%s]", diag->id);
    putc('\n', log->to);
}

static void __attribute__((format(printf, 4, 0)))
report_error(const struct messages *messages, const char *class, const char *id, const char *format,
             va_list args)
{
    enum { LONGEST = 2 * FILENAME_MAX };
    char text[LONGEST];
    vsnprintf(text, sizeof text, format, args);
    make_printable(text);
    struct diag diag = {.severity = DIAG_ERROR, .id = id, .message = text};
    report_diag(messages, class, &diag);
}

void message_error(const struct messages *messages, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_error(messages, "error: ", "file", format, args);
    va_end(args);
}

void message_fault(const struct messages *messages, const char *id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_error(messages, "error: ", id, format, args);
    va_end(args);
}

void message_internal(const struct messages *messages, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_error(messages, "internal error: ", "internal", format, args);
    va_end(args);
}

void message_memory(const struct messages *messages, const struct memory *memory)
{
    struct message_log *log = messages->log;
    const char *input = messages->options->input;
    enum { NAME_SHOWN = 200 };
    if (memory->limited)
        snprintf(log->last_words, sizeof log->last_words,
                 "%s%.*s%s needs more than %zu MiB of memory; --max-memory=SIZE sets the limit",
                 input ? "'" : "", NAME_SHOWN, input ? input : "this run", input ? "'" : "",
                 memory->limit >> 20);
    else
        snprintf(log->last_words, sizeof log->last_words, "out of memory, after %zu MiB",
                 memory->peak >> 20);
    struct diag diag = {.severity = DIAG_ERROR, .id = "memory", .message = log->last_words};
    if (log->to)
        report_diag(messages, "error: ", &diag);
    else
        findings_add_last(&log->findings, diag.id, diag.message);
}

static void __attribute__((format(printf, 3, 0)))
say(const struct messages *messages, const char *word, const char *format, va_list args)
{
    print(messages, messages->to, "", "", "");
    fputs(word, messages->to);
    vfprintf(messages->to, format, args);
    putc('\n', messages->to);
}

void message_note(const struct messages *messages, const char *format, ...)
{
    va_list args;
    if (messages->options->quiet || has_document(messages->options))
        return;
    va_start(args, format);
    say(messages, "note: ", format, args);
    va_end(args);
}

void message_verbose(const struct messages *messages, const char *format, ...)
{
    va_list args;
    if (!messages->options->verbose)
        return;
    va_start(args, format);
    say(messages, "", format, args);
    va_end(args);
}

// Returns the source with the name that messages show.
static const struct source *shown_source(const struct messages *messages,
                                         const struct source *source)
{
    struct arena *arena = messages->log->outputs.arena;
    const char *name = prefix_map_name(&messages->options->prefixes, arena, source->name);
    if (name == source->name)
        return source;
    struct source *shown = ARENA_NEW(arena, struct source);
    *shown = *source;
    shown->name = name;
    return shown;
}

int32_t messages_artifact(const struct messages *messages, const char *name, const char *bytes,
                          size_t length, int32_t parent)
{
    if (messages->options->diagnostics.format != DIAGNOSTICS_SARIF)
        return -1;
    name = prefix_map_name(&messages->options->prefixes, messages->log->outputs.arena, name);
    return findings_artifact(&messages->log->findings, name, bytes, length, parent);
}

// Diagnostics

static void show(const struct messages *messages, const struct diag *diag,
                 const struct source *source)
{
    struct message_log *log = messages->log;
    bool by_source = messages->options->locations == LOCATIONS_SOURCE && diag->origin.file;
    if (!log->to)
        findings_add(&log->findings, diag);
    else if (by_source)
        diag_print_origin(diag, log->to, log->colour);
    else
        diag_print(diag, source, log->to, log->colour);
}

bool messages_diags(const struct messages *messages, struct diags *diags,
                    const struct source *source)
{
    uint32_t errors = 0;
    bool silent = false;
    diags_sort(diags);
    if (diags->list.n)
        source = shown_source(messages, source);
    if (diags->list.n && !messages->log->to)
        findings_about(&messages->log->findings, source);
    for (uint32_t i = 0; i < diags->list.n; i++) {
        struct diag diag = diags->list.v[i];
        // A note belongs to the preceding message.
        if (diag.severity != DIAG_NOTE) {
            silent = !warnings_apply(&messages->options->warnings, &diag);
            errors += !silent && diag.severity == DIAG_ERROR;
            silent = silent || hide(messages, diag.severity);
        }
        if (!silent)
            show(messages, &diag, source);
    }
    return !errors;
}

// Prints a remark, or, if `rule` is NULL, a note.
static void print_at_origin(const struct message_log *log, const struct remark_origin *origin,
                            const char *text, const char *rule)
{
    struct diag diag = {.severity = rule ? DIAG_REMARK : DIAG_NOTE,
                        .id = rule,
                        .message = text,
                        .origin = {origin->file, origin->line, origin->column}};
    diag_print_origin(&diag, log->to, log->colour);
}

// Prints the remark at its place in the CUDA source; its place in the PTX is a note.
static void print_by_source(const struct message_log *log, const struct remark *remark,
                            const struct source *source)
{
    struct diag diag = {
        .severity = DIAG_NOTE, .message = "in the PTX", .begin = remark->begin, .end = remark->end};
    print_at_origin(log, &remark->origins.v[0], remark->text, remark->rule);
    diag_print(&diag, source, log->to, log->colour);
}

static void print_remark(const struct message_log *log, const struct remark *remark,
                         const struct source *source, bool by_source)
{
    by_source &= remark->origins.n > 0;
    struct diag diag = {.severity = DIAG_REMARK,
                        .id = remark->rule,
                        .message = remark->text,
                        .begin = remark->begin,
                        .end = remark->end};
    if (by_source)
        print_by_source(log, remark, source);
    else
        diag_print(&diag, source, log->to, log->colour);
    for (uint32_t i = 0; i < remark->notes.n; i++) {
        const struct remark_note *note = &remark->notes.v[i];
        diag = (struct diag){
            .severity = DIAG_NOTE, .message = note->text, .begin = note->begin, .end = note->end};
        diag_print(&diag, source, log->to, log->colour);
    }
    for (uint32_t i = by_source; i < remark->origins.n; i++)
        print_at_origin(log, &remark->origins.v[i], remark->origins.v[i].text, NULL);
}

void messages_remarks(const struct messages *messages, const struct remarks *remarks,
                      const struct source *source)
{
    struct message_log *log = messages->log;
    source = shown_source(messages, source);
    if (!log->to)
        findings_about(&log->findings, source);
    for (uint32_t i = 0; i < remarks->list.n; i++)
        if (log->to)
            print_remark(log, &remarks->list.v[i], source,
                         messages->options->locations == LOCATIONS_SOURCE);
        else
            findings_remark(&log->findings, &remarks->list.v[i]);
}

// Start and end

static bool report_unknown_warnings(const struct messages *messages)
{
    const struct warnings *warnings = &messages->options->warnings;
    bool good = true;
    for (uint32_t i = 0; i < warnings->faults.n; i++) {
        struct diag diag = {
            .severity = DIAG_WARNING, .id = "unknown-warning", .message = warnings->faults.v[i]};
        if (!warnings_apply(warnings, &diag))
            continue;
        report_diag(messages, diag.raised ? "error: " : "warning: ", &diag);
        good &= diag.severity != DIAG_ERROR;
    }
    return good;
}

bool messages_begin(const struct messages *messages, struct arena *arena)
{
    const struct format_request *request = &messages->options->diagnostics;
    struct message_log *log = messages->log;
    const char *error;
    if (request->path) {
        FILE *to = output_open(&log->outputs, request->path, &error);
        if (!to) {
            message_error(messages, "%s", error);
            return false;
        }
        log->to = to;
        log->colour =
            messages->options->colour == COLOUR_ALWAYS ||
            (file_is_standard(request->path) && messages_colour(messages->options, STDOUT_FILENO));
    }
    if (request->format != DIAGNOSTICS_TEXT) {
        findings_init(&log->findings, arena);
        log->findings.by_source = messages->options->locations == LOCATIONS_SOURCE;
        log->document = log->to;
        log->to = NULL;
    }
    return report_unknown_warnings(messages);
}

static const char *counted(char text[64], uint32_t errors, uint32_t warnings, const char *more)
{
    int length = 0;
    *text = 0;
    if (errors)
        length = snprintf(text, 64, "%u %serror%s", errors, more, errors == 1 ? "" : "s");
    if (warnings)
        snprintf(text + length, (size_t)(64 - length), "%s%u %swarning%s", errors ? " and " : "",
                 warnings, more, warnings == 1 ? "" : "s");
    return text;
}

static void report_counts(const struct messages *messages)
{
    const struct message_log *log = messages->log;
    char text[64];
    if (log->to && (log->hidden_errors || log->hidden_warnings)) {
        print(messages, log->to, "", "",
              counted(text, log->hidden_errors, log->hidden_warnings, "more "));
        fputs("; --max-errors=0 shows all\n", log->to);
    }
    if (log->errors || log->warnings)
        message_verbose(messages, "%s", counted(text, log->errors, log->warnings, ""));
}

static void write_document(const struct messages *messages, int argc, char *const *argv, int status)
{
    struct message_log *log = messages->log;
    struct tool_invocation run = {
        .tool = messages->command,
        .version = PTXOFFLOAD_VERSION,
        .argc = argc > 0 ? argc - 1 : 0,
        .argv = argv + 1,
        .exit_code = status,
    };
    if (messages->options->diagnostics.format == DIAGNOSTICS_JSON)
        diagnostics_json(&log->findings, log->document);
    else
        diagnostics_sarif(&log->findings, &run, log->document);
}

int messages_end(const struct messages *messages, int argc, char *const *argv, int status)
{
    struct message_log *log = messages->log;
    report_counts(messages);
    if (log->document)
        write_document(messages, argc, argv, status);
    const char *error = outputs_commit(&log->outputs);
    log->to = stderr;
    log->document = NULL;
    if (error)
        message_error(messages, "%s", error);
    // Lost messages must not look like success.
    bool lost = fflush(stderr) || ferror(stderr);
    return (error || lost) && !status ? 1 : status;
}
