#include "cli/messages.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Garbage can have an error in every line; -v shows them all.
enum { MOST_SHOWN = 50 };

bool messages_colour(const struct arguments *arguments, int descriptor)
{
    if (arguments->colour != COLOUR_AUTO)
        return arguments->colour == COLOUR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((no_color && *no_color) || (terminal && !strcmp(terminal, "dumb")))
        return false;
    return isatty(descriptor);
}

void messages_init(struct messages *messages, const char *command,
                   const struct arguments *arguments)
{
    *messages = (struct messages){
        .arguments = arguments,
        .command = command,
        .to = stderr,
        .colour = messages_colour(arguments, STDERR_FILENO),
    };
}

static void __attribute__((format(printf, 4, 0)))
print(const struct messages *messages, const char *colour, const char *class, const char *format,
      va_list args)
{
    const char *on = messages->colour ? colour : "", *off = *on ? "\033[0m" : "";
    fprintf(messages->to, "%s: %s%s%s", messages->command, on, class, off);
    vfprintf(messages->to, format, args);
    putc('\n', messages->to);
}

void message_error(const struct messages *messages, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(messages, "\033[1;31m", "error: ", format, args);
    va_end(args);
}

void message_internal(const struct messages *messages, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(messages, "\033[1;31m", "internal error: ", format, args);
    va_end(args);
}

void message_verbose(const struct messages *messages, const char *format, ...)
{
    if (!messages->arguments->verbose)
        return;
    va_list args;
    va_start(args, format);
    print(messages, "", "", format, args);
    va_end(args);
}

static enum severity severity_of(const struct arguments *arguments, const struct diag *diag)
{
    return diag->severity == DIAG_WARNING && arguments->werror ? DIAG_ERROR : diag->severity;
}

bool messages_diags(const struct messages *messages, const struct diags *diags,
                    const struct source *source)
{
    const struct arguments *arguments = messages->arguments;
    uint32_t shown = 0, errors = 0, more = 0;
    bool silent = false;
    for (uint32_t i = 0; i < diags->list.n; i++) {
        struct diag diag = diags->list.v[i];
        // A note belongs to what stands before it.
        if (diag.severity != DIAG_NOTE)
            silent = arguments->quiet && diag.severity == DIAG_WARNING;
        if (silent)
            continue;
        diag.severity = severity_of(arguments, &diag);
        errors += diag.severity == DIAG_ERROR;
        if (shown == MOST_SHOWN && !arguments->verbose) {
            more++;
            continue;
        }
        shown++;
        diag_print(&diag, source, messages->to, messages->colour);
    }
    if (more)
        fprintf(messages->to, "%s: %u more errors and warnings; -v shows all\n", messages->command,
                more);
    return !errors;
}
