#include "campaign/tools.h"
#include "support/json.h"
#include "support/protect.h"
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *campaign_digest(struct arena *arena, char digest[SHA256_HEX + 1], const char *path)
{
    struct sha256_ctx pieces;
    char bytes[16384];
    FILE *from = fopen(path, "rbe");
    if (!from)
        return arena_printf(arena, "cannot read '%s': %s", path, strerror(errno));
    protect_open(arena->memory, fileno(from));
    sha256_init(&pieces);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        sha256_update(&pieces, n, (const uint8_t *)bytes);
    const char *error =
        ferror(from) ? arena_printf(arena, "cannot read '%s': %s", path, strerror(errno)) : NULL;
    fclose(from);
    tables_digest_end(digest, &pieces);
    return error;
}

// Returns values of which at least one changes when the file is modified or replaced.
static const char *stamp_of(struct arena *arena, const char *path)
{
    struct stat s;
    if (stat(path, &s))
        return "";
    return arena_printf(arena, "%ju %ju %jd %jd.%09ld %jd.%09ld", (uintmax_t)s.st_dev,
                        (uintmax_t)s.st_ino, (intmax_t)s.st_size, (intmax_t)s.st_mtim.tv_sec,
                        s.st_mtim.tv_nsec, (intmax_t)s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
}

static const char *find_tool(struct campaign_tool *tool, struct arena *arena, const char *folder,
                             const char *name)
{
    tool->path = arena_printf(arena, "%s/%s", folder, name);
    tool->stamp = stamp_of(arena, tool->path);
    return campaign_digest(arena, tool->digest, tool->path);
}

const char *campaign_tools_find(struct campaign_tools *tools, struct arena *arena,
                                const char *folder)
{
    const char *error = find_tool(&tools->tagger, arena, folder, "ptxoffload");
    return error ? error : find_tool(&tools->sim, arena, folder, "ptxoffload-sim");
}

const char *campaign_tool_check(struct arena *arena, const struct campaign_tool *tool)
{
    char digest[SHA256_HEX + 1];
    if (!strcmp(stamp_of(arena, tool->path), tool->stamp))
        return NULL;
    const char *error = campaign_digest(arena, digest, tool->path);
    if (error || !strcmp(digest, tool->digest))
        return error;
    return arena_printf(arena,
                        "'%s' has changed since the campaign was planned: run the campaign again",
                        tool->path);
}

void campaign_push(struct arena *arena, struct campaign_argv *argv, const char *word)
{
    vec_push(arena, &argv->list, word);
}

// Runs in the child after vfork, so it must not change the parent's memory.
static void __attribute__((noreturn))
become(char *const *words, pid_t parent, int in, int out, int err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
        signal(signals[i], SIG_DFL);
    // A killed parent cannot end its children.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (in < 0)
        in = open("/dev/null", O_RDONLY);
    if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0)
        execv(words[0], words);
    dprintf(err, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

int campaign_start(struct arena *arena, struct campaign_argv *argv, int in, int out, int err)
{
    vec_push(arena, &argv->list, NULL);
    argv->list.n--;
    fflush(NULL);
    // vfork, because copying the page tables of a large campaign takes longer than most programs
    // run.
    pid_t parent = getpid(), child = vfork();
    if (!child)
        become((char *const *)argv->list.v, parent, in, out, err);
    return child;
}

static const char *text_of(struct arena *arena, int file)
{
    off_t length = lseek(file, 0, SEEK_END);
    char *text = arena_alloc(arena, (size_t)(length > 0 ? length : 0) + 1);
    ssize_t n = length > 0 ? pread(file, text, (size_t)length, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    return text;
}

// Returns a file with this text, positioned at its start, or -1 with errno.
static int file_of(const char *name, const char *text, size_t length)
{
    int file = memfd_create(name, MFD_CLOEXEC);
    for (size_t done = 0; file >= 0 && done < length;) {
        ssize_t n = pwrite(file, text + done, length - done, (off_t)done);
        if (n < 0 && errno != EINTR) {
            close(file);
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return file;
}

const char *campaign_capture(struct arena *arena, struct campaign_argv *argv, const char *input,
                             size_t length, struct campaign_output *output)
{
    int files[] = {file_of("in", input, length), file_of("out", NULL, 0), file_of("err", NULL, 0)};
    bool made = files[0] >= 0 && files[1] >= 0 && files[2] >= 0;
    pid_t child = made ? campaign_start(arena, argv, files[0], files[1], files[2]) : -1;
    const char *error = NULL;
    if (child < 0 || waitpid(child, &output->status, 0) < 0)
        error = arena_printf(arena, "cannot start '%s': %s", argv->list.v[0], strerror(errno));
    if (!error) {
        output->out = text_of(arena, files[1]);
        output->err = text_of(arena, files[2]);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(files); i++)
        if (files[i] >= 0)
            close(files[i]);
    return error;
}

const char *campaign_status_text(struct arena *arena, int status)
{
    return WIFSIGNALED(status) ? arena_printf(arena, "killed by signal %d", WTERMSIG(status))
                               : arena_printf(arena, "exit code %d", WEXITSTATUS(status));
}

void campaign_clean(char *text, size_t length)
{
    for (size_t i = 0, n; i < length; i += n ? n : 1)
        if (!(n = json_utf8_length(text + i, length - i)) || !text[i])
            text[i] = '?';
}

// An error may be followed by an excerpt of the source.
const char *campaign_last_line(struct arena *arena, const char *text)
{
    static const char error[] = ": error: ";
    size_t end = strlen(text);
    for (const char *at = text; (at = strstr(at, error)); at++)
        end = (size_t)(at - text) + strcspn(at, "\n");
    while (end && (text[end - 1] == '\n' || text[end - 1] == ' '))
        end--;
    size_t begin = end;
    while (begin && text[begin - 1] != '\n')
        begin--;
    return arena_strndup(arena, text + begin, end - begin);
}
