// Prints the initial input of the profiles' fuzz target.
#include "tests/lib/profiled.h"
#include <stdio.h>

int main(void)
{
    return fputs(PROFILED_JSON, stdout) < 0;
}
