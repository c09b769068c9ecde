#include "cli/common/response.h"
#include "support/file.h"
#include <string.h>
#include <sys/stat.h>

// A file that is being read, and the one that names it.
struct response_frame {
    const struct response_frame *outer;
    dev_t device;
    ino_t inode;
};

// Limits far above what builds need: files that name each other many times would grow without end,
// even if they hold no arguments.
enum { MAX_ARGUMENTS = 1000000, MAX_FILES = 4096, MAX_DEPTH = 64, MAX_BYTES = 64 << 20 };

struct expansion {
    struct arena *arena;
    struct response_line made;
    uint32_t files;
    size_t bytes;
};

static bool is_blank(char c)
{
    return c && strchr(" \t\n\v\f\r", c);
}

// Reads the argument at the start of the text, which must not be blank, and advances the text past
// it. The argument is unquoted in place, because that only makes it shorter.
static char *next_argument(char **text)
{
    char *argument = *text, *to = argument, *at = argument, quote = 0;
    for (; *at && (quote || !is_blank(*at)); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"') {
            quote = quote ? 0 : *at;
            continue;
        }
        if (*at == '\\' && !*++at)
            break;
        *to++ = *at;
    }
    *text = *at ? at + 1 : at;
    *to = 0;
    return argument;
}

static void expand(struct expansion *e, char *argument, const struct response_frame *outer);

static void expand_text(struct expansion *e, char *text, const struct response_frame *frame)
{
    while (!e->made.error) {
        while (is_blank(*text))
            text++;
        if (!*text)
            break;
        expand(e, next_argument(&text), frame);
    }
}

static bool is_open(const struct response_frame *frame, const struct stat *status)
{
    for (; frame; frame = frame->outer)
        if (frame->device == status->st_dev && frame->inode == status->st_ino)
            return true;
    return false;
}

static uint32_t depth_of(const struct response_frame *frame)
{
    uint32_t depth = 0;
    for (; frame; frame = frame->outer)
        depth++;
    return depth;
}

// Returns the limit that another file of this size exceeds, or NULL.
static const char *exceeded(struct expansion *e, const struct response_frame *outer, size_t size)
{
    if (depth_of(outer) == MAX_DEPTH)
        return arena_printf(e->arena, "response files are nested more than %d levels deep",
                            MAX_DEPTH);
    if (e->files == MAX_FILES)
        return arena_printf(e->arena, "more than %d response files are named", MAX_FILES);
    if (e->bytes + size > MAX_BYTES)
        return arena_printf(e->arena, "the response files exceed %d MiB in total", MAX_BYTES >> 20);
    return NULL;
}

static void expand_file(struct expansion *e, const char *path, const struct response_frame *outer)
{
    struct stat status;
    struct file_text file = {"", 0};
    bool is_there = !stat(path, &status);
    if (is_there && is_open(outer, &status)) {
        e->made.error = arena_printf(e->arena, "the response file '%s' includes itself", path);
        return;
    }
    e->made.error = exceeded(e, outer, is_there ? (size_t)status.st_size : 0);
    if (e->made.error)
        return;
    const char *error = file_read(e->arena, path, &file);
    // An empty file has no arguments.
    if (error && !(is_there && file.text && !file.length))
        e->made.error =
            arena_printf(e->arena, "cannot read the response file '%s': %s", path, error);
    else if (strlen(file.text) != file.length)
        e->made.error = arena_printf(e->arena, "the response file '%s' is not text", path);
    if (e->made.error)
        return;
    e->files++;
    e->bytes += file.length;
    struct response_frame frame = {outer, status.st_dev, status.st_ino};
    expand_text(e, arena_strndup(e->arena, file.text, file.length), &frame);
}

static void expand(struct expansion *e, char *argument, const struct response_frame *outer)
{
    if (argument[0] == '@' && argument[1])
        expand_file(e, argument + 1, outer);
    else if (e->made.arguments.n == MAX_ARGUMENTS)
        e->made.error = "the response files hold more than a million arguments";
    else
        vec_push(e->arena, &e->made.arguments, argument);
}

static char *line_end(char *text)
{
    char quote = 0;
    for (; *text && (quote || *text != '\n'); text++) {
        if (*text == '\\' && text[1])
            text++;
        else if (quote ? *text == quote : *text == '\'' || *text == '"')
            quote = quote ? 0 : *text;
    }
    return text;
}

void response_next_line(struct arena *arena, char **text, struct response_line *line)
{
    char *at = *text, *end = line_end(at);
    *text = *end ? end + 1 : end;
    *end = 0;
    while (*at) {
        while (is_blank(*at))
            at++;
        if (*at)
            vec_push(arena, &line->arguments, next_argument(&at));
    }
}

struct response_line response_expand(struct arena *arena, int argc, char *const *argv)
{
    struct expansion e = {.arena = arena};
    for (int i = 0; i < argc && !e.made.error; i++) {
        if (i)
            expand(&e, argv[i], NULL);
        else
            vec_push(arena, &e.made.arguments, argv[i]);
    }
    return e.made;
}
