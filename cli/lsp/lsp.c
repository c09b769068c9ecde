// ptxoffload-lsp: a language server for PTX, on standard input and output.
#include "cli/common/frame.h"
#include "lsp/server.h"

struct lsp_arguments {
    struct common_options common;
    int stdio; // accepted because some editors pass it; has no effect
};

struct lsp_invocation {
    struct frame frame;
    struct lsp_arguments arguments;
};

#define OPTIONS_OF struct lsp_arguments

static const char *const no_topics[] = {NULL};

static const struct option own_options[] = {
    {"--stdio", NULL, FLAG(stdio, 1), .help = "use standard input and output (always the case)"},
    HELP_OPTION("", no_topics, "print this"),
    {0},
};

static const struct option_group groups[] = {
    {"Options", own_options},
    {"", message_options},
    {0},
};

static const struct option_example examples[] = {
    {"--stdio", "the command that an editor runs"},
    {"--version", "print the version"},
    {0},
};

static const struct command command = {
    .name = "ptxoffload-lsp",
    .purpose = "language server for PTX",
    .usage = "[OPTION]...",
    .about =
        "Reports to an editor errors and warnings of PTX texts, the forms of instructions and\n"
        "which of them are offloaded and why, definitions of labels and registers, an outline,\n"
        "and the canonical form. Speaks the Language Server Protocol 3.17.\n",
    .groups = groups,
    .more = "docs/guide/editor.md describes how to set up an editor. A text that needs more memory "
            "than\n"
            "--max-memory is not analysed.\n"
            "\n"
            "Exit code: 0 after a shutdown, 1 without one, 2 bad usage.\n",
    .examples = examples,
};

static bool check(void *arguments, struct command_line *line)
{
    (void)arguments;
    return !line->operands.n || options_fault(line, "takes no files: the editor sends them");
}

static int run(void *own)
{
    struct lsp_invocation *run = own;
    return server_run(stdin, stdout, run->arguments.common.max_memory);
}

const struct cli_program lsp_program = {
    .command = &command,
    .size = sizeof(struct lsp_invocation),
    .options = offsetof(struct lsp_invocation, arguments),
    .check = check,
    .run = run,
};
