// The options of ptxoffload: one table for the reader and for --help.
#pragma once
#include "cli/tagger/arguments.h"

extern const struct command ptxoffload_command;
