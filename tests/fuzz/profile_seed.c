// Prints the profile that the profiles' fuzz target begins with.
#include "tests/lib/profiled.h"
#include <stdio.h>

int main(void)
{
    return fputs(PROFILED_JSON, stdout) < 0;
}
