#include "cli/lsp/options.h"

static const char *take_help(struct arena *arena, void *into, const char *argument)
{
    struct lsp_arguments *arguments = into;
    (void)arena;
    arguments->common.help = 1;
    return argument ? "takes no argument" : NULL;
}

static const char *take_memory(struct arena *arena, void *into, const char *argument)
{
    struct lsp_arguments *arguments = into;
    (void)arena;
    return options_size(argument, &arguments->common.max_memory);
}

#define INTO(field) .offset = offsetof(struct lsp_arguments, field)

static const struct option all_options[] = {
    {"--stdio", NULL, .kind = OPTION_FLAG, INTO(stdio), .value = 1,
     .help = "use standard input and output, as always"},
    {"--max-memory", "SIZE", .kind = OPTION_CALL, .call = take_memory,
     .help = "do not analyse a text that needs more: 512M, 8G (default), 0:\nno limit"},
    {"--quiet", NULL, .kind = OPTION_FLAG, INTO(common.quiet), .value = 1, .brief = "-q",
     .help = "write nothing but the protocol, as always"},
    {"--help", "", .kind = OPTION_CALL, .call = take_help, .joined = true, .brief = "-h",
     .help = "print this"},
    {"--version", NULL, .kind = OPTION_FLAG, INTO(common.version), .value = 1, .brief = "-V",
     .help = "print the version"},
    {0},
};

static const struct option_group groups[] = {{"Options", all_options}, {0}};

static const struct option_example examples[] = {
    {"--stdio", "what an editor runs"},
    {"--version", "print the version"},
    {0},
};

const struct command lsp_command = {
    .name = "ptxoffload-lsp",
    .purpose = "language server for PTX",
    .usage = "[OPTION]...",
    .about =
        "Reports to an editor errors and warnings of PTX texts, the forms of instructions and\n"
        "which of them are offloaded and why, definitions of labels and registers, an outline,\n"
        "and the canonical form. Speaks the Language Server Protocol 3.17.\n",
    .groups = groups,
    .more = "docs/editor.md says how to set up an editor.\n"
            "\n"
            "Exit code: 0 after a shutdown, 1 without one, 2 bad usage.\n",
    .examples = examples,
};
