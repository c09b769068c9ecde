// The command line of ptxoffload-lsp.
#pragma once
#include "cli/tagger/arguments.h"

struct lsp_arguments {
    struct arguments common;
    int stdio; // the only way to talk to it; some editors name it
};

extern const struct command lsp_command;
