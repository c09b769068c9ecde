// The options of ptxoffload: one table, from which they are read and helped with.
#pragma once
#include "cli/arguments.h"

extern const struct command ptxoffload_command;
