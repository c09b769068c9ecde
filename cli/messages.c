#include "cli/messages.h"
#include "support/printable.h"
#include "support/file.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Garbage can have an error in every line; this many errors, and as many warnings, are read.
enum { MOST_SHOWN = 100 };

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

bool messages_colour(const struct arguments *arguments, int descriptor)
{
    if (arguments->colour != COLOUR_AUTO)
        return arguments->colour == COLOUR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0"))
        return true;
    return messages_can_erase(descriptor);
}

void messages_init(struct messages *messages, const char *command,
                   const struct arguments *arguments, struct told *told)
{
    *messages = (struct messages){
        .arguments = arguments,
        .command = command,
        .to = stderr,
        .colour = messages_colour(arguments, STDERR_FILENO),
        .told = told,
    };
    told->to = stderr;
    told->colour = messages->colour;
}

// One message

static const char *const colours[] = {
    [DIAG_NOTE] = "\033[1;36m",
    [DIAG_WARNING] = "\033[1;35m",
    [DIAG_ERROR] = "\033[1;31m",
};

static void print(const struct messages *messages, FILE *to, const char *colour, const char *class,
                  const char *text)
{
    fprintf(to, "%s: %s%s%s%s", messages->command, colour, class, *colour ? "\033[0m" : "", text);
}

static bool hide(const struct messages *messages, enum severity severity)
{
    const struct arguments *a = messages->arguments;
    struct told *told = messages->told;
    bool error = severity == DIAG_ERROR;
    uint32_t count = error ? ++told->errors : ++told->warnings;
    int most = a->max_errors >= 0 ? a->max_errors : a->verbose ? 0 : MOST_SHOWN;
    if (!told->to || !most || count <= (uint32_t)most)
        return false;
    ++*(error ? &told->hidden_errors : &told->hidden_warnings);
    return true;
}

// A message of the command itself. Errors are always shown: there are few.
static void tell(const struct messages *messages, const char *class, struct diag *diag)
{
    struct told *told = messages->told;
    diag->begin = diag->end = NO_OFFSET;
    ++*(diag->severity == DIAG_ERROR ? &told->errors : &told->warnings);
    if (!told->to) {
        findings_about(&told->findings, NULL);
        findings_add(&told->findings, diag);
        return;
    }
    print(messages, told->to, told->colour ? colours[diag->severity] : "", class, diag->message);
    // Where a -W option has a say, its name is worth knowing.
    if (diag->raised)
        fprintf(told->to, " [-Werror=%s]", diag->id);
    else if (diag->severity == DIAG_WARNING)
        fprintf(told->to, " [%s]", diag->id);
    putc('\n', told->to);
}

static void __attribute__((format(printf, 4, 0)))
tell_error(const struct messages *messages, const char *class, const char *id, const char *format,
           va_list args)
{
    enum { LONGEST = 2 * FILENAME_MAX };
    char text[LONGEST];
    vsnprintf(text, sizeof text, format, args);
    make_printable(text);
    struct diag diag = {.severity = DIAG_ERROR, .id = id, .message = text};
    tell(messages, class, &diag);
}

void message_error(const struct messages *messages, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell_error(messages, "error: ", "file", format, args);
    va_end(args);
}

void message_fault(const struct messages *messages, const char *id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell_error(messages, "error: ", id, format, args);
    va_end(args);
}

void message_internal(const struct messages *messages, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell_error(messages, "internal error: ", "internal", format, args);
    va_end(args);
}

void message_memory(const struct messages *messages, const struct memory *memory)
{
    struct told *told = messages->told;
    const char *input = messages->arguments->input;
    enum { NAME_SHOWN = 200 };
    if (memory->limited)
        snprintf(told->last_words, sizeof told->last_words,
                 "'%.*s' needs more than %zu MiB of memory; --max-memory=SIZE sets the limit",
                 NAME_SHOWN, input ? input : "", memory->limit >> 20);
    else
        snprintf(told->last_words, sizeof told->last_words, "out of memory, after %zu MiB",
                 memory->peak >> 20);
    struct diag diag = {.severity = DIAG_ERROR, .id = "memory", .message = told->last_words};
    if (told->to)
        tell(messages, "error: ", &diag);
    else
        findings_add_last(&told->findings, diag.id, diag.message);
}

void message_verbose(const struct messages *messages, const char *format, ...)
{
    if (!messages->arguments->verbose)
        return;
    va_list args;
    va_start(args, format);
    print(messages, messages->to, "", "", "");
    vfprintf(messages->to, format, args);
    putc('\n', messages->to);
    va_end(args);
}

int32_t messages_artifact(const struct messages *messages, const char *name, const char *bytes,
                          size_t length, int32_t parent)
{
    if (messages->arguments->diagnostics.format != DIAGNOSTICS_SARIF)
        return -1;
    return findings_artifact(&messages->told->findings, name, bytes, length, parent);
}

// Diagnostics

static void show(const struct messages *messages, const struct diag *diag,
                 const struct source *source)
{
    struct told *told = messages->told;
    if (told->to)
        diag_print(diag, source, told->to, told->colour);
    else
        findings_add(&told->findings, diag);
}

bool messages_diags(const struct messages *messages, struct diags *diags,
                    const struct source *source)
{
    uint32_t errors = 0;
    bool silent = false;
    diags_sort(diags);
    if (diags->list.n && !messages->told->to)
        findings_about(&messages->told->findings, source);
    for (uint32_t i = 0; i < diags->list.n; i++) {
        struct diag diag = diags->list.v[i];
        // A note belongs to what stands before it.
        if (diag.severity != DIAG_NOTE) {
            silent = !warnings_judge(&messages->arguments->warnings, &diag);
            errors += !silent && diag.severity == DIAG_ERROR;
            silent = silent || hide(messages, diag.severity);
        }
        if (!silent)
            show(messages, &diag, source);
    }
    return !errors;
}

static void print_origin(const struct remark_origin *origin, FILE *to, bool colour)
{
    const char *bold = colour ? "\033[1m" : "", *reset = colour ? "\033[0m" : "";
    fprintf(to, "%s%s:%u:", bold, origin->file, origin->line);
    if (origin->column)
        fprintf(to, "%u:", origin->column);
    fprintf(to, " %snote:%s%s %s%s\n", colour ? colours[DIAG_NOTE] : "", reset, bold, origin->text,
            reset);
}

static void print_remark(const struct told *told, const struct remark *remark,
                         const struct source *source)
{
    struct diag diag = {.severity = DIAG_REMARK,
                        .id = remark->rule,
                        .message = remark->text,
                        .begin = remark->begin,
                        .end = remark->end};
    diag_print(&diag, source, told->to, told->colour);
    for (uint32_t i = 0; i < remark->notes.n; i++) {
        const struct remark_note *note = &remark->notes.v[i];
        diag = (struct diag){
            .severity = DIAG_NOTE, .message = note->text, .begin = note->begin, .end = note->end};
        diag_print(&diag, source, told->to, told->colour);
    }
    for (uint32_t i = 0; i < remark->origins.n; i++)
        print_origin(&remark->origins.v[i], told->to, told->colour);
}

void messages_remarks(const struct messages *messages, const struct remarks *remarks,
                      const struct source *source)
{
    struct told *told = messages->told;
    if (!told->to)
        findings_about(&told->findings, source);
    for (uint32_t i = 0; i < remarks->list.n; i++)
        if (told->to)
            print_remark(told, &remarks->list.v[i], source);
        else
            findings_remark(&told->findings, &remarks->list.v[i]);
}

// Begin and end

static bool tell_unknown_warnings(const struct messages *messages)
{
    const struct warnings *warnings = &messages->arguments->warnings;
    bool good = true;
    for (uint32_t i = 0; i < warnings->faults.n; i++) {
        struct diag diag = {
            .severity = DIAG_WARNING, .id = "unknown-warning", .message = warnings->faults.v[i]};
        if (!warnings_judge(warnings, &diag))
            continue;
        tell(messages, diag.raised ? "error: " : "warning: ", &diag);
        good &= diag.severity != DIAG_ERROR;
    }
    return good;
}

bool messages_begin(const struct messages *messages, struct arena *arena)
{
    const struct diagnostics_wish *wish = &messages->arguments->diagnostics;
    struct told *told = messages->told;
    const char *error;
    if (wish->path) {
        FILE *to = output_open(&told->outputs, wish->path, &error);
        if (!to) {
            message_error(messages, "%s", error);
            return false;
        }
        told->to = to;
        told->colour =
            messages->arguments->colour == COLOUR_ALWAYS ||
            (file_is_standard(wish->path) && messages_colour(messages->arguments, STDOUT_FILENO));
    }
    if (wish->format != DIAGNOSTICS_TEXT) {
        findings_init(&told->findings, arena);
        told->findings.remarks = messages->arguments->remarks;
        told->document = told->to;
        told->to = NULL;
    }
    return tell_unknown_warnings(messages);
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

static void tell_counts(const struct messages *messages)
{
    const struct told *told = messages->told;
    char text[64];
    if (told->to && (told->hidden_errors || told->hidden_warnings)) {
        print(messages, told->to, "", "",
              counted(text, told->hidden_errors, told->hidden_warnings, "more "));
        fputs("; --max-errors=0 shows all\n", told->to);
    }
    if (told->errors || told->warnings)
        message_verbose(messages, "%s", counted(text, told->errors, told->warnings, ""));
}

static void write_document(const struct messages *messages, int argc, char *const *argv, int status)
{
    struct told *told = messages->told;
    struct diagnostics_run run = {
        .tool = messages->command,
        .version = PTXOFFLOAD_VERSION,
        .argc = argc > 0 ? argc - 1 : 0,
        .argv = argv + 1,
        .exit_code = status,
    };
    if (messages->arguments->diagnostics.format == DIAGNOSTICS_JSON)
        diagnostics_json(&told->findings, told->document);
    else
        diagnostics_sarif(&told->findings, &run, told->document);
}

int messages_end(const struct messages *messages, int argc, char *const *argv, int status)
{
    struct told *told = messages->told;
    tell_counts(messages);
    if (told->document)
        write_document(messages, argc, argv, status);
    const char *error = outputs_commit(&told->outputs);
    told->to = stderr;
    told->document = NULL;
    if (error)
        message_error(messages, "%s", error);
    // What could not be told must not pass for nothing to tell.
    bool lost = fflush(stderr) || ferror(stderr);
    return (error || lost) && !status ? 1 : status;
}
