// The entry of a program: a template, compiled for each with the name of its row as PROGRAM.
#include "cli/common/frame.h"

extern const struct cli_program PROGRAM;

int main(int argc, char **argv)
{
    return frame_main(&PROGRAM, argc, argv);
}
