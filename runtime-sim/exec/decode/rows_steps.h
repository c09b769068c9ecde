#pragma once
#include "runtime-sim/exec/lanes/rows.h"

extern const struct exec_row rows_steps[], rows_memory[];
