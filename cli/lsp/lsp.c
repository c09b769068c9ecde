// ptxoffload-lsp: a language server for PTX, on standard input and output.
#include "cli/common/input.h"
#include "cli/lsp/options.h"
#include "lsp/server.h"

enum { DONE = 0, BAD_USAGE = 2 };

static int run(struct memory *memory, int argc, char **argv)
{
    struct arena arena;
    struct lsp_arguments arguments = {.common.max_memory = (size_t)USUAL_MEMORY << 30};
    if (setjmp(memory->on_failure))
        return BAD_USAGE;
    arena_init(&arena, memory);
    struct command_line line = options_read(&lsp_command, &arena, argc, argv, &arguments, stderr);
    if (line.operands.n)
        fprintf(stderr, "%s: error: takes no files: an editor sends them\n", lsp_command.name);
    if (line.failed || line.operands.n)
        return BAD_USAGE;
    if (arguments.common.help)
        options_help(&lsp_command, stdout);
    if (arguments.common.version)
        options_version(&lsp_command, stdout);
    if (arguments.common.help || arguments.common.version)
        return DONE;
    return server_run(stdin, stdout, arguments.common.max_memory);
}

int main(int argc, char **argv)
{
    struct memory memory = {0};
    input_open_standard();
    int status = run(&memory, argc, argv);
    memory_free(&memory);
    return status;
}
