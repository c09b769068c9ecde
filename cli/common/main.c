// The entry of a program: a template that is compiled for each program, with the name of its struct
// cli_program as PROGRAM.
#include "cli/common/frame.h"

extern const struct cli_program PROGRAM;

int main(int argc, char **argv)
{
    return frame_main(&PROGRAM, argc, argv);
}
